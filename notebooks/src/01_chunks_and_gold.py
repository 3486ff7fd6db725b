# %% [markdown] tags=["en"]
# # 1 · Chunks, and an exam
#
# Before anything can be found, text must be cut. How it is cut decides what can be found at all. And before anything can be
# improved, there must be an exam that does not care how it was cut.

# %% [markdown] tags=["tr"]
# # 1 · Parçalar ve bir sınav
#
# Bir şeyin bulunabilmesi için önce metnin kesilmesi gerekir. Neyin bulunabileceğini nasıl kesildiği belirler. Bir şeyin
# iyileştirilebilmesi için de nasıl kesildiğine aldırmayan bir sınav gerekir.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("01_chunks_and_gold", "en")

# %% [markdown] tags=["en"]
# ## The worst honest start
#
# The rung `fixed`: 300 characters a chunk, nearest vector first. The question is the one of the notebook before. First the answer, then how
# the leave table was cut; the first column is the id of the chunk: how it was cut, document, edition, section and number.

# %% [markdown] tags=["tr"]
# ## En kötü dürüst başlangıç
#
# `fixed` basamağı: her parça 300 karakter, en yakın vektör en önde. Soru, önceki defterdeki günün sorusu. Önce yanıta, sonra izin
# tablosunun nasıl kesildiğine bakın; ilk sütun parçanın kimliği: kesme biçimi, belge, baskı, bölüm ve numara.

# %%
lesson.ask("q01", rung="fixed")

# %%
lesson.chunks("fixed-300", "hr-leave", "3")

# %% [markdown] tags=["en"]
# The answer quotes a header without rows. The rows went into the next chunk, and there they say "7, 22" and not of what. Chunks cut at
# headings keep the table whole and carry the title and the heading in front:

# %% [markdown] tags=["tr"]
# Yanıt, satırları olmayan bir tablo başlığını alıntılıyor. Satırlar sonraki parçaya düşmüş, orada da "7, 22" diyor, ama neyin 22'si
# olduğunu söylemiyorlar. Başlıklarda kesilen parçalarda tablo bütün kalıyor, belge adıyla bölüm başlığı da önünde geliyor:

# %%
lesson.chunks("section", "hr-leave", "3")

# %%
lesson.ask("q01", rung="section")

# %% [markdown] tags=["en"]
# Now the row is whole, but there are two of them: one is from the 2026 edition, which was not in force on the asked day. That is
# another ticket, and `02_filters` answers it. The exam still counts the answer as right: `q01` says what an answer must hold, and forbids
# nothing.
#
# ## The exam
#
# A gold question names its evidence by document, section and a short **quoted anchor**. A chunk is right when it holds those
# words, whoever cut it. So 300-character chunks and sections sit the same exam.

# %% [markdown] tags=["tr"]
# Artık satır bütün, ama iki tane var: biri, sorulan günde yürürlükte olmayan 2026 baskısından. Bu ayrı bir talep; çözümü `02_filters`
# defterinde. Sınav bu yanıtı yine de doğru sayıyor: `q01` yanıtta ne bulunması gerektiğini söylüyor, hiçbir şeyi yasaklamıyor.
#
# ## Sınav
#
# Bir sınav sorusu kanıtını belge, bölüm ve kısa bir **alıntıyla** gösterir. Bir parça bu sözcükleri içeriyorsa doğrudur, kim
# kesmiş olursa olsun. Böylece 300 karakterlik parçalarla bölümler aynı sınava girer.

# %%
lesson.question("q01")

# %% [markdown] tags=["en"]
# ## The measures
#
# At which place among the first ten hits, its *rank*, does the right passage stand? Five questions on the rung `fixed`; `None`: not among
# the first ten.

# %% [markdown] tags=["tr"]
# ## Ölçüler
#
# Doğru parça, ilk on bulunan arasında kaçıncı sırada? `fixed` basamağında beş soru; `None`, ilk onda yok demek.

# %%
from lab.workshop.exercises.n01_chunks_and_gold import FEW, ranks

dict(zip(FEW, ranks(lesson), strict=True))

# %% [markdown] tags=["en"]
# **hit@1**: the share of questions whose first hit is right. **recall@5** (rec@5): the share of evidence among the first five.
# **MRR**: the mean of 1/rank, 0 where nothing was found. **nDCG@10** rewards every evidence, the more the higher it stands. *Answers* are
# judged by what they must say and must not say.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# **hit@1**: ilk sırada doğru parçanın çıktığı soruların payı. **recall@5** (rec@5): ilk beşe giren kanıtların payı. **MRR**: 1/sıra
# değerlerinin ortalaması, bulunamayan için 0. **nDCG@10** her kanıtı, ne kadar yukarıdaysa o kadar çok ödüllendirir. *Yanıtlar*, söylemeleri ve
# söylememeleri gerekenlere göre değerlendirilir.
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
mrr = ...
lesson.exercise(1).check(mrr)

# %% [markdown] tags=["en"]
# ## What the cut is worth
#
# In the newest climb hit@1 was {{fixed.all.hit@1}} with 300 characters. Guess first: what is it with sections? Then measure it; the ledger
# keeps it. The cell asks the whole gold set on both rungs, which may take a minute.
#
# How to read what it shows:
#
# - The table is over all questions. What stands below it looks at the part `dev` only; nothing is tuned on the other part, `test`. So the
#   figures below are not those of the table.
# - *won* and *lost* name the questions whose rank or answer got better or worse; one question can win the one and lose the other.
# - The *verdict* says why the rung is kept or set aside. *rank* is the mean gain of 1/rank, *answers* that of right answers, over n
#   questions.
# - *p* says how often chance alone would make as large a difference. From 0.05 up the gain is *not distinguishable* from chance.

# %% [markdown] tags=["tr"]
# ## Kesmenin değeri
#
# Son tırmanışta 300 karakterle hit@1 {{fixed.all.hit@1}} ölçüldü. Önce tahmin edin: bölümlerle kaç olur? Sonra ölçün; kayıt defteri
# sonucu saklar. Hücre bütün sınavı iki basamakta da sorar; bu bir dakikayı bulabilir.
#
# Gösterdiği şey nasıl okunur:
#
# - Tablo bütün sorular üzerindendir. Altındakiler yalnızca geliştirme sorularına (`dev`) bakar; öteki kısma (`test`) göre hiçbir ayar
#   yapılmaz. Bu yüzden alttaki sayılar tablodakilerle aynı değildir.
# - *kazanılan* ve *kaybedilen*, sırası ya da yanıtı iyileşen ve kötüleşen soruları sıralar; bir soru birini kazanıp ötekini
#   kaybedebilir.
# - *karar*, basamağın neden tutulduğunu ya da kenara ayrıldığını söyler. *rank* 1/sıra kazancının, *answers* doğru yanıt kazancının
#   n soru üzerindeki ortalamasıdır. *better* daha iyi, *worse* daha kötü demek.
# - *p*, bu kadar büyük bir farkın yalnızca rastlantıyla ne sıklıkta çıkacağını söyler. 0,05'ten itibaren kazanç rastlantıdan ayırt
#   edilemez (*not distinguishable*).

# %%
lesson.effect("section")

# %% [markdown] tags=["en"]
# ## Smaller still: the best sentence counts
#
# A long section hides its one right sentence. The rung `units` compares the question with each *unit*, a sentence or a row (written
# as "header: value"), and lets the best one speak for its section.

# %% [markdown] tags=["tr"]
# ## Daha da küçük: en iyi cümle konuşsun
#
# Uzun bir bölüm, içindeki tek doğru cümleyi saklar. `units` basamağı soruyu her *birimle*, yani her cümleyle ve her satırla
# ("başlık: değer" biçiminde) karşılaştırır, bölüm adına en iyisini konuşturur.

# %%
lesson.chunks("unit", "hr-leave", "3")

# %%
lesson.effect("units")

# %% [markdown] tags=["en"]
# ### Exercise 2
#
# Each gold question has a type: `table`, `paraphrase`, `multi-part` and others. The ledger keeps the measures of each type too.

# %% [markdown] tags=["tr"]
# ### Alıştırma 2
#
# Her sınav sorusunun bir türü var: `table`, `paraphrase`, `multi-part` ve başkaları. Kayıt defteri ölçüleri türe göre de tutuyor.

# %%
lesson.exercise(2)

# %%
kind = ...
lesson.exercise(2).check(kind)

# %% [markdown] tags=["en"]
# Every figure on this page comes from the ledger. Next: `02_filters`, where two tables say the same words.

# %% [markdown] tags=["tr"]
# Bu sayfadaki her sayı kayıt defterinden geliyor. Sıradaki defter `02_filters`: iki tablo aynı sözcükleri söylüyor.
