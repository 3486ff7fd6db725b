# %% [markdown] tags=["en"]
# # 13 · The scoreboard
#
# Everything the ledger knows of the newest climb: which questions were won, what it cost, and how sure one can be.

# %% [markdown] tags=["tr"]
# # 13 · Puan tablosu
#
# Kayıt defterinin son tırmanış hakkında bildiği her şey: hangi sorular kazanıldı, kaça mal oldu, ne kadar emin olunabilir.

# %%
from lab.workshop import pictures
from lab.workshop.lesson import Lesson

lesson = Lesson("13_scoreboard", "en")
lesson.scoreboard()

# %% [markdown] tags=["en"]
# ## Up the ladder, with intervals
#
# 95 % intervals over the questions. Where they overlap widely, a difference of means says little; the paired comparison of the
# same questions says more. Hollow marks were set aside.

# %% [markdown] tags=["tr"]
# ## Merdiven boyunca, aralıklarıyla
#
# Sorular üzerinden % 95'lik aralıklar. Geniş ölçüde örtüştükleri yerde ortalamaların farkı pek bir şey söylemez; aynı soruların
# eşli karşılaştırması daha çok söyler. İçi boş işaretler kenara ayrılanlar.

# %%
pictures.slope(lesson.scored, lesson.board_rows())

# %% [markdown] tags=["en"]
# ## Questions × rungs
#
# One column a question, grouped by type. Which types change colour from rung to rung, and which never do?

# %% [markdown] tags=["tr"]
# ## Sorular × basamaklar
#
# Her sütun bir soru, türlere göre kümeli. Hangi türlerin rengi basamaktan basamağa değişiyor, hangilerininki hiç değişmiyor?

# %%
pictures.heat(lesson.scored)

# %% [markdown] tags=["en"]
# ## Quality and cost

# %% [markdown] tags=["tr"]
# ## Nitelik ve bedel

# %%
pictures.cost(lesson.board_rows())

# %% [markdown] tags=["en"]
# ## The board
#
# Eight tickets. Guess at which place the right passage stands, run the question, choose a diagnosis, then run it on the rung that
# answers it. The badge is read from the ledger.

# %% [markdown] tags=["tr"]
# ## Pano
#
# Sekiz talep. Doğru bölümün kaçıncı sırada olduğunu tahmin edin, soruyu çalıştırın, bir teşhis seçin, sonra onu yanıtlayan
# basamakta yeniden çalıştırın. Rozetteki sayı kayıt defterinden okunuyor.

# %%
lesson.board("T1")

# %% [markdown] tags=["en"]
# ## A question of your own
#
# Choose who asks and on which day, switch a technique off or on, and read the trace. If the answer is wrong, file it: choose the section
# that holds the answer, say what it should have said, and your own exam has one more line.

# %% [markdown] tags=["tr"]
# ## Kendi sorunuz
#
# Kimin, hangi gün sorduğunu seçin, bir tekniği kapatıp açın, izi okuyun. Yanıt yanlışsa talep açın: yanıtın yazdığı bölümü seçin, ne
# demesi gerektiğini yazın; kendi sınavınıza bir satır eklenmiş olur.

# %%
lesson.box()
