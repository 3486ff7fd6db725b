# %% [markdown] tags=["en"]
# # 4 · Words beside vectors
#
# BM25 counts words: rare ones weigh more, long texts count less. Everybody recommends it. No ticket has asked for it. It must earn its place.

# %% [markdown] tags=["tr"]
# # 4 · Vektörlerin yanında sözcükler
#
# BM25 sözcük sayar: ender olanlar ağır basar, uzun metinler biraz geri çekilir. Herkes öneriyor. Henüz isteyen bilet yok. Yerini hak etmesi gerek.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("04_hybrid", "en")
lesson.ticket("T4")

# %% [markdown] tags=["en"]
# ## Where it wins
#
# Codes, amounts, addresses, rare names: exact words.

# %% [markdown] tags=["tr"]
# ## Nerede kazanıyor
#
# Kodlar, tutarlar, adresler, ender adlar: birebir sözcükler.

# %%
lesson.hits("t4-07", rung="T4")

# %% [markdown] tags=["en"]
# ## Where it can't
#
# An English question and a Turkish document share no word.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ## Nerede yapamıyor
#
# İngilizce bir soruyla Türkçe bir belgenin ortak sözcüğü yoktur.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
count = ...
lesson.exercise(2).check(count)

# %%
lesson.hits("q10", rung="T4")

# %% [markdown] tags=["en"]
# So the fusion is aware of languages: a text of another language is neither raised nor lowered by words it can't share. Plain rank
# fusion does not know that:

# %% [markdown] tags=["tr"]
# Bu yüzden birleştirme dilleri bilir: başka dildeki bir metin, paylaşamayacağı sözcükler yüzünden ne yükselir ne alçalır. Düz sıra
# birleştirme (RRF) bunu bilmez:

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
# ### Exercise 1

# %% [markdown] tags=["tr"]
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
moved = ...
lesson.exercise(1).check(moved)
