# %% [markdown] tags=["en"]
# # 3 · Put it all into the prompt
#
# "Windows are large now. Why search?" A fair question, so it is measured: no retrieval, every section in one prompt.

# %% [markdown] tags=["tr"]
# # 3 · Hepsini isteme koyalım
#
# "Pencereler artık çok geniş. Aramaya ne gerek var?" Yerinde bir soru; ölçüyoruz: arama yok, bütün bölümler tek istemde.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("03_full_context", "en")
lesson.ticket("T3")

# %%
lesson.trace("q17", rung="T3")

# %%
lesson.trace("q17", rung="T2")

# %% [markdown] tags=["en"]
# The tokens a question, rung by rung. Orange: prompts that held what their asker may not read.

# %% [markdown] tags=["tr"]
# Basamak basamak, soru başına istem birimi. Turuncu: soranın okumaması gereken bir şey içeren istemler.

# %%
from lab.workshop import pictures

pictures.tokens(lesson.board_rows(), window=8192)

# %% [markdown] tags=["en"]
# The dashed line is a window of 8,192 tokens, a common setting of small local models. A prompt that does not fit is an **error**
# here; many servers cut it silently, and the end of the handbook is gone.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# Kesikli çizgi 8.192 birimlik bir pencere, küçük yerel modellerin yaygın ayarı. Sığmayan istem burada bir **hatadır**; birçok
# sunucu ise sessizce keser ve el kitabının sonu gider.
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
times = ...
lesson.exercise(1).check(times)

# %% [markdown] tags=["en"]
# ## The leak
#
# One prompt for everybody is read with the service's own rights. The salary bands are in it, whoever asks. That the model was told to
# keep quiet is no boundary: what stands in the prompt has been handed over.

# %% [markdown] tags=["tr"]
# ## Sızıntı
#
# Herkes için tek istem, hizmetin kendi haklarıyla okunur. Kim sorarsa sorsun maaş bantları içindedir. Modele susmasının söylenmiş
# olması bir sınır değildir: istemde duran, verilmiş demektir.

# %%
lesson.effect("T3")

# %% [markdown] tags=["en"]
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
leaks = ...
lesson.exercise(2).check(leaks)

# %% [markdown] tags=["en"]
# T3 stays aside, with its figures. Next: `04_hybrid`, a proposal before any failure.

# %% [markdown] tags=["tr"]
# T3, sayılarıyla birlikte kenarda kalıyor. Sıradaki defter `04_hybrid`: hiçbir hata görülmeden gelen bir öneri.
