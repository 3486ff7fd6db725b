# %% [markdown] tags=["en"]
# # 8 · What amends what
#
# 330 or 400? Both documents are in force, both are found. What is missing is one line: *the announcement amends section 2 of
# benefits*. It stands in the announcement itself, as a sentence. So it is found when the documents are read in, kept as a link with that
# sentence, and followed when somebody asks.

# %% [markdown] tags=["tr"]
# # 8 · Neyi ne değiştiriyor
#
# 330 mu, 400 mü? Belgelerin ikisi de yürürlükte, ikisi de bulunuyor. Eksik olan tek bir satır: *duyuru, Yan Haklar politikasının 2. bölümünü
# değiştiriyor*. Bu, duyurunun kendi içinde bir cümle olarak yazıyor. Öyleyse belge okunurken bulunur, o cümleyle birlikte bir bağ
# olarak saklanır ve biri sorunca izlenir.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("08_supersedes", "en")
lesson.ticket("T8")

# %% [markdown] tags=["en"]
# ## The links
#
# Each is asserted by a sentence, never by likeness. It ends the time in which the old text holds, and deletes nothing. The columns: id,
# what amends or repeals what, the value before and after, from when to when it holds, the sentence, the state. `proposed`: found by
# rules; somebody may confirm or undo it. A document that stands in both editions makes a link from each.

# %% [markdown] tags=["tr"]
# ## Bağlar
#
# Her biri bir cümleye dayanır, benzerliğe değil. Eski metnin geçerlilik süresini bitirir, hiçbir şeyi silmez. Sütunlar: kimlik, neyin neyi
# değiştirdiği (`amends`) ya da kaldırdığı (`repeals`), önceki ve sonraki değer, hangi tarihten hangi tarihe geçerli olduğu, cümle, durum.
# `proposed`, kuralların bulduğu demek; biri onaylayabilir ya da geri alabilir. İki baskıda da bulunan bir belge, her birinden bir bağ
# verir.

# %%
lesson.links()

# %%
from lab.workshop import pictures

pictures.links(lesson.links().value)

# %% [markdown] tags=["en"]
# ## Before and after
#
# Without following the links, then with them:

# %% [markdown] tags=["tr"]
# ## Önce ve sonra
#
# Önce bağlar izlenmeden, sonra izlenerek:

# %%
lesson.ask(lesson.shown("T8"), supersedes=False)

# %%
lesson.ask(lesson.shown("T8"), rung="T8")

# %% [markdown] tags=["en"]
# ## A chain
#
# The gym support went up in July 2026 and back in October. The same question on three days; in each answer the sentence on gyms counts,
# what else is quoted is only near it:

# %% [markdown] tags=["tr"]
# ## Bir zincir
#
# Spor desteği Temmuz 2026'da yükseldi, ekimde eski tutarına döndü. Aynı soru üç ayrı günde; her yanıtta spor desteğini söyleyen cümle
# önemli, ötekiler yalnızca yakınında duruyor:

# %%
for day in ("2026-05-02", "2026-08-10", "2026-11-05"):
    print(day, "\n", lesson.ask("What does the company pay towards a gym membership each month?", rung="T8", as_of=day), "\n")

# %% [markdown] tags=["en"]
# And what it was before, when that is asked:

# %% [markdown] tags=["tr"]
# Sorulduğunda, öncesinde ne olduğu da söylenir:

# %%
lesson.ask("How much is the meal card a day, and what was it before?", rung="T8", as_of="2025-06-15")

# %% [markdown] tags=["en"]
# ### Exercise 1

# %% [markdown] tags=["tr"]
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
day = ...
lesson.exercise(1).check(day)

# %% [markdown] tags=["en"]
# A wrong link is visible and can be undone: `python start.py links undo ID`. An undone link stays undone when the documents are read in
# again. `lesson.links().value` is the list of the table above; `.link.target_document` of an entry is the document that it amends.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# Yanlış bir bağ görünür ve geri alınabilir: `python start.py links undo ID`. Geri alınan bağ, belgeler yeniden okunduğunda
# geri gelmez. `lesson.links().value` yukarıdaki tablonun listesi; bir öğenin `.link.target_document` alanı, değiştirdiği belgedir.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
count = ...
lesson.exercise(2).check(count)

# %% [markdown] tags=["en"]
# ## What it is worth
#
# Few questions turn on an amendment. T8 is kept for its ticket: distinguishably better on the ticket's own questions, and no loss that can
# be shown on the others.

# %% [markdown] tags=["tr"]
# ## Değeri
#
# Bir değişikliğe bağlı soru az. T8 kendi talebi için tutuluyor (*kept for its ticket*): talebin kendi sorularında ayırt edilir ölçüde
# daha iyi, ötekilerde ise gösterilebilen bir kayıp yok.

# %%
lesson.effect("T8")

# %% [markdown] tags=["en"]
# Next: `09_security`: who may read what, and documents that give orders.

# %% [markdown] tags=["tr"]
# Sıradaki defter `09_security`: kim neyi okuyabilir ve emir veren belgeler.
