# %% [markdown] tags=["en"]
# # 5 · A second, closer look
#
# Nobody here says "annual paid leave". The right table is among the candidates, but only a few candidates are read. Two ways out: look
# again at the first ten, or search other words beside the question.

# %% [markdown] tags=["tr"]
# # 5 · Daha yakından ikinci bir bakış
#
# Burada kimse "yıllık ücretli izin" demiyor. Doğru tablo adayların arasında, ama adayların yalnızca birkaçı okunuyor. İki çıkış yolu var:
# ilk on adaya yeniden bakmak ya da sorunun yanında başka sözcüklerle de aramak.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("05_rerank", "en")
lesson.ticket("T5")

# %% [markdown] tags=["en"]
# ## The word that does not occur
#
# "Holiday" is nowhere in the leave policy. On whole sections, without any help:

# %% [markdown] tags=["tr"]
# ## Metinde geçmeyen sözcük
#
# İzin politikasının hiçbir yerinde "holiday" geçmiyor. Hiçbir yardım olmadan, bütün bölümler üzerinde:

# %%
lesson.hits("q02", rung="section")

# %% [markdown] tags=["en"]
# ### Exercise 1

# %% [markdown] tags=["tr"]
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
rank = ...
lesson.exercise(1).check(rank)

# %% [markdown] tags=["en"]
# ## Reranking
#
# A reranker judges each of the first ten against the question. `units` compares with their sentences and rows and needs no model;
# `gemma-likelihood` asks a small language model how likely the question is, given the passage (extra `models`); `ollama:…` lets a
# larger one give marks. The score stands under its own name, and *why* says who moved:

# %% [markdown] tags=["tr"]
# ## Yeniden sıralama
#
# Yeniden sıralayıcı, ilk on adayın her birini soruyla karşılaştırır. `units` cümle ve satırlarına bakar, model gerektirmez;
# `gemma-likelihood` küçük bir dil modeline, bu parça verilmişken sorunun ne kadar olası olduğunu sorar (`models` eki); `ollama:…` daha
# büyük bir modele not verdirir. Puan kendi adıyla duruyor, kimin yer değiştirdiği son sütunda:

# %%
lesson.hits("q02", rung="section", edition=True, rerank="units")

# %% [markdown] tags=["en"]
# ## The cheaper way: a glossary
#
# What people say and what the handbook calls it. Its terms are searched *beside* the question, and the better of the two counts.

# %% [markdown] tags=["tr"]
# ## Ucuz yol: sözlük
#
# İnsanların dediği ile el kitabının dediği. Sözlükteki terimler sorunun *yanında* aranır, ikisinden iyi olanı sayılır.

# %%
from lab.rag import glossary

for text in ("how many days of holiday", "tatilim kaç gün", "money for lunch", "düğünüm var"):
    print(f"{text:28}", [entry.terms["en"] for entry in glossary.found(text)])

# %% [markdown] tags=["en"]
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
question = ...
lesson.exercise(2).check(question)

# %% [markdown] tags=["en"]
# ## Measured, each by itself

# %% [markdown] tags=["tr"]
# ## Ölçülmüş hâlleri, ayrı ayrı

# %%
lesson.effect("glossary")

# %%
lesson.effect("T5")

# %% [markdown] tags=["en"]
# A reranker lifts a weak search more than a strong one. Whether it is kept here is written above; with another embedder it may
# fall otherwise: `python start.py climb --embedder … --rerank …`.

# %% [markdown] tags=["tr"]
# Yeniden sıralayıcı zayıf bir aramayı, güçlü olandan daha çok yükseltir. Burada tutulup tutulmadığı yukarıda yazıyor; başka bir gömme
# modeliyle sonuç değişebilir: `python start.py climb --embedder … --rerank …`.
