# %% [markdown] tags=["en"]
# # 5 · A second, closer look
#
# People do not speak as the handbook does. The right table is among the candidates, the first ten hits, but only the first five are
# read. Two ways out: look again at the first ten, or search other words beside the question.

# %% [markdown] tags=["tr"]
# # 5 · Daha yakından ikinci bir bakış
#
# Kimse el kitabı gibi konuşmuyor. Doğru tablo adayların, yani ilk on parçanın arasında, ama yalnızca ilk beşi okunuyor. İki çıkış yolu
# var: ilk on adaya yeniden bakmak ya da sorunun yanında başka sözcüklerle de aramak.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("05_rerank", "en")
lesson.ticket("T5")

# %% [markdown] tags=["en"]
# ## The word that does not occur
#
# The ladder as it stands has a glossary below this ticket, so the failure is no longer seen there. Go back to whole sections, without any
# help. The question is Turkish: "I am moving house next week, do they give days for it?" The policy is English, and calls it *special
# leave*. `edition=True` sets one toggle beside the rung: only text in force is searched.

# %% [markdown] tags=["tr"]
# ## Metinde geçmeyen sözcük
#
# Merdivenin bugünkü hâlinde bu talebin altında bir sözlük var, hata orada artık görülmüyor. Hiçbir yardımın olmadığı bütün bölümlere
# dönelim. Soru "ev değiştirmekten" söz ediyor; politika İngilizce ve buna *special leave* (mazeret izni) diyor. `edition=True`, basamağa
# tek bir ayar ekler: yalnızca yürürlükteki metin aranır.

# %%
lesson.hits("t5-02", rung="section", edition=True)

# %% [markdown] tags=["en"]
# The table is a candidate, but stands behind the five that are read: the reader never sees it.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# Tablo adaylar arasında, ama okunan beş parçanın gerisinde: okuyucu onu hiç görmüyor.
#
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
# larger one give marks. Here it is `units`. The score stands under its own name, and the last column says who moved:

# %% [markdown] tags=["tr"]
# ## Yeniden sıralama
#
# Yeniden sıralayıcı, ilk on adayın her birini soruyla karşılaştırır. `units` cümle ve satırlarına bakar, model gerektirmez;
# `gemma-likelihood` küçük bir dil modeline, bu parça verilmişken sorunun ne kadar olası olduğunu sorar (`models` ek paketi); `ollama:…`
# daha büyük bir modele not verdirir. Burada `units` çalışıyor. Puan kendi adıyla duruyor, kimin yer değiştirdiği son sütunda:

# %%
lesson.hits("t5-02", rung="section", edition=True, rerank="units")

# %% [markdown] tags=["en"]
# ## The cheaper way: a glossary
#
# What people say and what the handbook calls it. Its terms are searched *beside* the question, and the better of the two counts. What it
# does not know, as the lunch below, it leaves alone.

# %% [markdown] tags=["tr"]
# ## Daha ucuz yol: sözlük
#
# İnsanların dediği ile el kitabının dediği. Sözlükteki terimler sorunun *yanında* aranır, ikisinden iyi olanı sayılır.
# Bilmediğine, örneğin aşağıdaki öğle yemeğine, dokunmaz.

# %%
from lab.rag import glossary

for text in ("how many days of holiday", "tatilim kaç gün", "money for lunch", "düğünüm var"):
    print(f"{text:28}", [entry.terms["en"] for entry in glossary.found(text)])

# %% [markdown] tags=["en"]
# And the question above, with the glossary in place of the reranker:

# %% [markdown] tags=["tr"]
# Yukarıdaki soru, bu kez yeniden sıralayıcı yerine sözlükle:

# %%
lesson.hits("t5-02", rung="section", edition=True, rewrite="glossary")

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
#
# Each is measured against the last rung kept before it: the glossary against `letters`, the reranker against `guard`, which already has the
# glossary. Each cell may take a minute.

# %% [markdown] tags=["tr"]
# ## Ayrı ayrı ölçelim
#
# Her biri, kendisinden önce tutulan son basamakla karşılaştırılır: sözlük `letters` ile, yeniden sıralayıcı `guard` ile; `guard` basamağında
# sözlük zaten var. Her hücre bir dakikayı bulabilir.

# %%
lesson.effect("glossary")

# %%
lesson.effect("T5")

# %% [markdown] tags=["en"]
# On whole sections the reranker had something to lift; after the glossary and the units there is little left. Over all questions its
# hit@1 is higher, but the dev questions decide: some won, some lost, and the difference can't be told from chance. With another
# embedder it may fall otherwise: `python start.py climb --embedder … --rerank …`.
#
# Next: `06_parent_child`, what is read once something is found.

# %% [markdown] tags=["tr"]
# Bütün bölümlerde yeniden sıralayıcının yükselteceği bir şey vardı; sözlükten ve birimlerden sonra pek bir şey kalmıyor. Bütün sorularda
# hit@1 daha yüksek, ama kararı geliştirme soruları veriyor: kimi kazanılmış, kimi kaybedilmiş, fark da rastlantıdan ayırt edilemiyor.
# Başka bir gömme modeliyle sonuç değişebilir: `python start.py climb --embedder … --rerank …`.
#
# Sıradaki defter `06_parent_child`: bulunandan sonra ne okunacağı.
