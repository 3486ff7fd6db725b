# %% [markdown] tags=["en"]
# # 2 · Scope and edition
#
# Two tickets, one idea: what a text is *about* and *when* it holds are properties of the text. They are read once, kept as labels,
# and asked for. No likeness of words can do that.

# %% [markdown] tags=["tr"]
# # 2 · Kapsam ve baskı
#
# İki bilet, tek fikir: bir metnin *neyi* kapsadığı ve *ne zaman* geçerli olduğu metnin özellikleridir. Bir kez okunur, etiket
# olarak saklanır, sorulurken kullanılır. Sözcük benzerliği bunu yapamaz.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("02_filters", "en")
lesson.ticket("T1")

# %% [markdown] tags=["en"]
# ## Guess before you run
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# ## Çalıştırmadan önce tahmin edin
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
rank = ...
lesson.exercise(1).check(rank)

# %%
lesson.hits("q06", rung="units")

# %% [markdown] tags=["en"]
# The two tables have the same columns and the same grades; only their scope and currency differ, and neither names a city. So the
# question must say it: "London" is abroad.

# %% [markdown] tags=["tr"]
# İki tablonun sütunları ve unvanları aynı; yalnızca kapsamları ve para birimleri farklı, ikisinde de şehir adı yok. Öyleyse bunu
# soru söylemeli: Londra yurt dışıdır.

# %%
from lab.rag.scope import scope_of

for text in ("hotel in London", "Ankara'da otel", "yurt dışı harcırah", "hotel limit for a manager", "Frankfurt'tan Ankara'ya"):
    print(f"{text:32}", scope_of(text))

# %% [markdown] tags=["en"]
# Chunks of the *other* scope are lowered, not removed: a wrong guess must not hide a text. Where no scope can be told, nothing
# moves.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# *Öteki* kapsamdaki parçalar silinmez, aşağı itilir: yanlış bir tahmin bir metni gizlememeli. Kapsam anlaşılmıyorsa hiçbir şey
# yerinden oynamaz.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
question = ...
lesson.exercise(2).check(question)

# %%
lesson.hits("q06", rung="T1")

# %%
lesson.effect("T1")

# %% [markdown] tags=["en"]
# ## The other edition
#
# "Edition" is validity in time. From the rung T2 on, a search sees what is valid on the asked day, and the database decides.

# %% [markdown] tags=["tr"]
# ## Öteki baskı
#
# "Baskı", zamandaki geçerlilik demek. T2 basamağından başlayarak arama, sorulan günde geçerli olanı görür; kararı veritabanı verir.

# %%
lesson.ticket("T2")

# %%
lesson.ask("I have been here for six years. How much annual leave do I have?", rung="T2", as_of="2025-06-15")

# %%
lesson.ask("I have been here for six years. How much annual leave do I have?", rung="T2", as_of="2026-06-15")

# %% [markdown] tags=["en"]
# ### Exercise 3

# %% [markdown] tags=["tr"]
# ### Alıştırma 3

# %%
lesson.exercise(3)

# %%
day = ...
lesson.exercise(3).check(day)

# %% [markdown] tags=["en"]
# ## What it is worth
#
# On T1, {{T1.all.stale}} questions handed the reader text that is not in force on the asked day; on T2 {{T2.all.stale}}.

# %% [markdown] tags=["tr"]
# ## Değeri
#
# T1'de {{T1.all.stale}} soruda okuyucuya sorulan günde yürürlükte olmayan metin verildi; T2'de {{T2.all.stale}}.

# %%
lesson.effect("T2")
