# %% [markdown] tags=["en"]
# # 6 · Find small, read large
#
# A mail has no headings. Its sentences are easy to find and say too little alone; the whole mail is hard to find and long to read.

# %% [markdown] tags=["tr"]
# # 6 · Küçük ara, büyük oku
#
# Postaların başlıkları yok. Cümleleri kolay bulunur ama tek başına az şey söyler; postanın bütünü ise zor bulunur, uzun okunur.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("06_parent_child", "en")
lesson.ticket("T6")

# %% [markdown] tags=["en"]
# ## One mail, five topics
#
# Each unit knows its parent by id, and ids never collide across documents.

# %% [markdown] tags=["tr"]
# ## Tek posta, beş konu
#
# Her birim, üstündeki bölümü kimliğinden tanır; kimlikler belgeler arasında çakışmaz.

# %%
lesson.chunks("unit", "mail-transport-2026", "0", as_of="2026-03-01")

# %% [markdown] tags=["en"]
# ## What is read for a hit
#
# `unit`: its best sentences only. `neighbours`: with those before and after. `paragraph`: the paragraphs they stand in. `parent`: the whole section.
# With `+line` one line in front says which document it is and of which day.

# %% [markdown] tags=["tr"]
# ## Bulunan parça için ne okunuyor
#
# `unit`: yalnızca en iyi cümleleri. `neighbours`: önceki ve sonrakilerle birlikte. `paragraph`: içinde durdukları paragraflar. `parent`: bölümün tamamı.
# `+line` eklenince başa bir satır gelir: hangi belge, hangi gün.

# %%
lesson.trace("t6-01", widen="unit+line")

# %%
lesson.trace("t6-01", widen="parent+line")

# %% [markdown] tags=["en"]
# ### Exercise 1

# %% [markdown] tags=["tr"]
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
saved = ...
lesson.exercise(1).check(saved)

# %% [markdown] tags=["en"]
# ## Side by side on the mail questions
#
# Small only, big only, and both: small finds, big reads.

# %% [markdown] tags=["tr"]
# ## Posta soruları üzerinde yan yana
#
# Yalnız küçük, yalnız büyük ve ikisi birden: küçük bulur, büyük okur.

# %%
from lab.workshop import widths

widths.table(widths.compared())

# %%
lesson.effect("T6")
