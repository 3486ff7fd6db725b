# %% [markdown] tags=["en"]
# # 4 · Words beside vectors
#
# BM25 counts words: rare ones weigh more, long texts count less. To use it beside the vectors is called *hybrid search*; to add up the
# scores is called *fusion*. Everybody recommends it. No ticket has asked for it. It must earn its place.

# %% [markdown] tags=["tr"]
# # 4 · Vektörlerin yanında sözcükler
#
# BM25 sözcük sayar: ender olanlar ağır basar, uzun metinler biraz geri çekilir. Vektörlerin yanında kullanılmasına *hibrit arama*,
# puanların toplanmasına *birleştirme* (fusion) denir. Herkes öneriyor. Henüz bunu isteyen bir talep yok. Yerini hak etmesi gerek.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("04_hybrid", "en")
lesson.ticket("T4")

# %% [markdown] tags=["en"]
# ## Where it wins
#
# Codes, amounts, addresses, rare names: exact words. The same question without BM25 and with it:

# %% [markdown] tags=["tr"]
# ## Nerede kazanıyor
#
# Kodlar, tutarlar, adresler, ender adlar: birebir sözcükler. Aynı soru BM25 olmadan ve BM25 ile:

# %%
lesson.hits("t4-07", rung="views")

# %%
lesson.hits("t4-07", rung="T4")

# %% [markdown] tags=["en"]
# With BM25 the first hit stands further ahead, but it was the first already: by sentences and rows, these vectors find amounts too. So
# no ticket has come in.
#
# ## Where it can't
#
# An English question and a Turkish document share hardly a word. The database compares *lexemes*, words without their endings.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# BM25 ile ilk sıradaki arayı açıyor, ama zaten ilk sıradaydı: bu vektörler cümle ve satırlarla tutarları da buluyor. Talep bu yüzden
# gelmemiş.
#
# ## Nerede işe yaramıyor
#
# İngilizce bir soruyla Türkçe bir belgenin ortak sözcüğü yok denecek kadar azdır. Veritabanı sözcükleri eklerinden arınmış *kökleriyle*
# karşılaştırır.
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
count = ...
lesson.exercise(1).check(count)

# %% [markdown] tags=["en"]
# The policy on stolen devices is Turkish. Its row has no BM25 score, –:

# %% [markdown] tags=["tr"]
# Çalınan cihazlarla ilgili politika Türkçe, soru İngilizce. Doğru satırın BM25 puanı yok, –:

# %%
lesson.hits("q10", rung="T4")

# %% [markdown] tags=["en"]
# So the fusion is aware of languages: a text of another language is neither raised nor lowered by words it can't share. Plain rank
# fusion (RRF), which adds up 1/rank of both lists, does not know that, and the right passage drops out of the first ten:

# %% [markdown] tags=["tr"]
# Bu yüzden birleştirme dilleri bilir: başka dildeki bir metin, paylaşamayacağı sözcükler yüzünden ne yükselir ne alçalır. Düz sıra
# birleştirme (RRF), iki listedeki 1/sıra değerlerini toplar ve bunu bilmez; doğru parça ilk ondan düşer:

# %%
lesson.hits("q10", rung="T4", fusion="rrf")

# %% [markdown] tags=["en"]
# ## The verdict
#
# Kept or aside: the dev questions decide, and the reason is written down.

# %% [markdown] tags=["tr"]
# ## Karar
#
# Tutulacak mı, kenara mı ayrılacak: kararı geliştirme soruları verir, gerekçesi de yazılır.

# %%
lesson.effect("T4")

# %% [markdown] tags=["en"]
# The list *won* holds questions whose rank got better, and those whose answer did. `lesson.run(id, rung).rank` gives the rank of one.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# *kazanılan* listesinde sırası iyileşen sorular da var, yanıtı iyileşenler de. `lesson.run(kimlik, basamak).rank` bir sorunun sırasını verir.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
moved = ...
lesson.exercise(2).check(moved)

# %% [markdown] tags=["en"]
# Next: `05_rerank`, a second look at what was found.

# %% [markdown] tags=["tr"]
# Sıradaki defter `05_rerank`: bulunanlara ikinci bir bakış.
