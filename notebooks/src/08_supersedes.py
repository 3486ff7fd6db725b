# %% [markdown] tags=["en"]
# # 8 · What amends what
#
# 330 or 400? Both documents are in force, both are found. What is missing is one line: *the announcement amends section 2 of
# benefits*. It stands in the announcement itself, as a sentence. So it is found at ingest, kept as an edge with that sentence,
# and followed when somebody asks.

# %% [markdown] tags=["tr"]
# # 8 · Neyi ne değiştiriyor
#
# 330 mu, 400 mü? Belgelerin ikisi de yürürlükte, ikisi de bulunuyor. Eksik olan tek bir satır: *duyuru, yan hakların 2. bölümünü
# değiştiriyor*. Bu, duyurunun kendi içinde bir cümle olarak yazıyor. Öyleyse belge okunurken bulunur, o cümleyle birlikte bir bağ
# olarak saklanır ve biri sorunca izlenir.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("08_supersedes", "en")
lesson.ticket("T8")

# %% [markdown] tags=["en"]
# ## The edges
#
# Each is asserted by a sentence, never by likeness. It closes a window and deletes nothing.

# %% [markdown] tags=["tr"]
# ## Bağlar
#
# Her biri bir cümleye dayanır, benzerliğe değil. Bir zaman aralığını kapatır, hiçbir şeyi silmez.

# %%
lesson.links()

# %%
from lab.workshop import pictures

pictures.links(lesson.links().value)

# %% [markdown] tags=["en"]
# ## Before and after

# %% [markdown] tags=["tr"]
# ## Önce ve sonra

# %%
lesson.ask(lesson.shown("T8"), supersedes=False)

# %%
lesson.ask(lesson.shown("T8"), rung="T8")

# %% [markdown] tags=["en"]
# ## A chain
#
# The gym support went up in July 2026 and back in October. The same question on three days:

# %% [markdown] tags=["tr"]
# ## Bir zincir
#
# Spor desteği Temmuz 2026'da yükseldi, ekimde geri indi. Aynı soru üç ayrı günde:

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
# A wrong edge is visible and can be undone: `python start.py links undo ID`. An undone edge stays undone when the documents are read in again.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# Yanlış bir bağ görünür ve geri alınabilir: `python start.py links undo ID`. Geri alınan bağ, belgeler yeniden okunduğunda geri gelmez.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
count = ...
lesson.exercise(2).check(count)

# %%
lesson.effect("T8")
