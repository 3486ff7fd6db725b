# %% [markdown] tags=["en"]
# # 3 · Put it all into the prompt
#
# "Windows are large now. Why search?" The *window* is the length of text that a model can read at once. A fair question, so it is
# measured: no retrieval, every section in one prompt.
#
# First one question on T3, then on T2: compare the prompt tokens of the step `read`.

# %% [markdown] tags=["tr"]
# # 3 · Hepsi istemin içinde
#
# "Pencereler artık çok geniş. Aramaya ne gerek var?" *Pencere*, bir modelin bir defada okuyabildiği metnin uzunluğu. Yerinde bir soru;
# ölçüyoruz: arama yok, bütün bölümler tek istemde.
#
# Aynı soru önce T3'te, sonra T2'de: `read` adımının istem tokenlarını karşılaştırın.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("03_full_context", "en")
lesson.ticket("T3")

# %%
lesson.trace("q17", rung="T3")

# %%
lesson.trace("q17", rung="T2")

# %% [markdown] tags=["en"]
# The mean prompt tokens of a question, rung by rung. Orange: prompts that held what their asker may not read.

# %% [markdown] tags=["tr"]
# Basamak basamak, soru başına ortalama istem tokenı. Turuncu: soranın okumaması gereken bir şey içeren istemler.

# %%
from lab.workshop import pictures

pictures.tokens(lesson.board_rows(), window=8192)

# %% [markdown] tags=["en"]
# The dashed line is a window of 8,192 tokens, a common setting of small local models. A prompt that does not fit is an **error**
# here; many servers cut it silently, and the end of the handbook is gone.
#
# T3 is measured against `views`, the last rung kept before it: the ticket above names it. `lesson.scoreboard(["views", "T3"])` shows both.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# Kesikli çizgi 8.192 tokenlık bir pencere, küçük yerel modellerin yaygın ayarı. Sığmayan istem burada bir **hatadır**; birçok
# sunucu ise sessizce keser ve el kitabının sonu gider.
#
# T3, kendisinden önce tutulan son basamakla, `views` ile karşılaştırılır; yukarıdaki talepte adı yazıyor.
# `lesson.scoreboard(["views", "T3"])` ikisini de gösterir.
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
# keep quiet is no boundary: what stands in the prompt has been handed over. The measure *leaks* counts it. There are no hits, so there is
# no rank either: –. With so long a prompt the cell may take a minute or two.

# %% [markdown] tags=["tr"]
# ## Sızıntı
#
# Herkese giden tek istem, servisin kendi yetkileriyle okunur. Kim sorarsa sorsun maaş bantları içindedir. Modele "bunu söyleme" demek
# bir sınır değildir: istemde duran, verilmiş demektir. *leaks* bunu sayar. Bulunan parça olmadığı için sıra da yok: –.
# İstem bu kadar uzun olunca hücre bir iki dakika sürebilir.

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
