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
# 300 characters a chunk, nearest vector first. Look at what the reader gets to see of the leave table.

# %% [markdown] tags=["tr"]
# ## Dürüstçe en kötü başlangıç
#
# Her parça 300 karakter, en yakın vektör en önde. Okuyucunun izin tablosundan ne gördüğüne bakın.

# %%
lesson.ask("q01", rung="fixed")

# %%
lesson.chunks("fixed-300", "hr-leave", "3")

# %% [markdown] tags=["en"]
# A row that lost its header says "7, 22" and not of what. Chunks cut at headings keep the table whole and carry the title and
# the heading:

# %% [markdown] tags=["tr"]
# Başlığını yitirmiş bir satır "7, 22" diyor, ama neyin 22'si olduğunu söylemiyor. Başlıklarda kesilen parçalarda tablo bütün
# kalıyor, belge adıyla bölüm başlığı da yanında geliyor:

# %%
lesson.chunks("section", "hr-leave", "3")

# %%
lesson.ask("q01", rung="section")

# %% [markdown] tags=["en"]
# ## The exam
#
# A gold question names its evidence by document, section and a short **quoted anchor**. A chunk is right when it holds those
# words, whoever cut it. So 300-character chunks and sections sit the same exam.

# %% [markdown] tags=["tr"]
# ## Sınav
#
# Bir sınav sorusu kanıtını belge, bölüm ve kısa bir **alıntıyla** gösterir. Bir parça bu sözcükleri içeriyorsa doğrudur, kim
# kesmiş olursa olsun. Böylece 300 karakterlik parçalarla bölümler aynı sınava girer.

# %%
lesson.question("q01")

# %% [markdown] tags=["en"]
# ## The measures
#
# Where does the right passage stand? Five questions on the rung `fixed`:

# %% [markdown] tags=["tr"]
# ## Ölçüler
#
# Doğru bölüm kaçıncı sırada? `fixed` basamağında beş soru:

# %%
from lab.workshop.exercises.n01_chunks_and_gold import FEW, ranks

dict(zip(FEW, ranks(lesson), strict=True))

# %% [markdown] tags=["en"]
# **hit@1**: the share of questions whose first hit is right. **recall@5**: the share of evidence among the first five.
# **MRR**: the mean of 1/rank. **nDCG@10** rewards every evidence, the higher the better. *Answers* are judged by what they must
# say and must not say.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# **hit@1**: ilk sırada doğru parçanın çıktığı soruların payı. **recall@5**: ilk beşe giren kanıtların payı. **MRR**: 1/sıra
# değerlerinin ortalaması. **nDCG@10** her kanıtı, ne kadar yukarıdaysa o kadar çok ödüllendirir. *Yanıtlar*, söylemeleri ve
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
# Guess first: on how many of every ten questions will the first hit be right? In the newest climb it was
# {{fixed.all.hit@1}} with 300 characters and {{section.all.hit@1}} with sections. Now measure it yourself; the ledger keeps it.

# %% [markdown] tags=["tr"]
# ## Kesmenin değeri
#
# Önce tahmin edin: on sorudan kaçında ilk sıradaki parça doğru çıkar? Son tırmanışta 300 karakterle {{fixed.all.hit@1}},
# bölümlerle {{section.all.hit@1}} ölçüldü. Şimdi kendiniz ölçün; kayıt defteri saklıyor.

# %%
lesson.effect("section")

# %% [markdown] tags=["en"]
# ## Smaller still: the best sentence counts
#
# A long section hides its one right sentence. The rung `units` compares the question with each sentence and each row (written
# as "header: value") and lets the best one speak for its section.

# %% [markdown] tags=["tr"]
# ## Daha da küçük: en iyi cümle konuşsun
#
# Uzun bir bölüm, içindeki tek doğru cümleyi saklar. `units` basamağı soruyu her cümleyle ve her satırla ("başlık: değer"
# biçiminde) karşılaştırır, bölüm adına en iyisini konuşturur.

# %%
lesson.chunks("unit", "hr-leave", "3")

# %%
lesson.effect("units")

# %% [markdown] tags=["en"]
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
kind = ...
lesson.exercise(2).check(kind)

# %% [markdown] tags=["en"]
# Every figure on this page comes from the ledger. Next: `02_filters`, where two tables say the same words.

# %% [markdown] tags=["tr"]
# Bu sayfadaki her sayı kayıt defterinden geliyor. Sıradaki defter `02_filters`: iki tablo aynı sözcükleri söylüyor.
