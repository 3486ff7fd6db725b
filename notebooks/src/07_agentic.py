# %% [markdown] tags=["en"]
# # 7 · Three questions in one
#
# One vector for several questions is near to none of their answers. So the question is taken apart, each part is searched, and
# somebody asks: is this enough? A loop that decides by itself what to search next is called *agentic*. Here a rule decides, and it has
# limits.
#
# First the failure, on the example of the ticket: `decompose=""` switches the taking apart off.

# %% [markdown] tags=["tr"]
# # 7 · Bir soruda üç soru
#
# Birkaç soruyu temsil eden tek bir vektör, hiçbirinin yanıtına yakın düşmez. Bu yüzden soru parçalara ayrılır, her parça aranır ve biri
# sorar: bu yeterli mi? Sırada neyin aranacağına kendi karar veren bir döngüye *ajan gibi çalışan* (agentic) denir. Burada kararı bir kural
# veriyor, sınırları da var.
#
# Önce hata, talepteki örnek soruda: `decompose=""` parçalara ayırmayı kapatır.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("07_agentic", "en")
lesson.ticket("T7")

# %%
lesson.ask(lesson.shown("T7"), decompose="")

# %% [markdown] tags=["en"]
# One of the parts is answered, and nothing says that another is missing.
#
# ## Taking it apart
#
# Rules in both languages. A part carries what was said before it; "Tuesday and Thursday" stays whole; "in Ankara and in Frankfurt" is
# two searches, because it is two scopes.

# %% [markdown] tags=["tr"]
# Parçalardan biri yanıtlanmış; geri kalanın eksik olduğunu söyleyen bir şey yok.
#
# ## Parçalara ayırmak
#
# İki dilde de kurallarla. Her parça, kendisinden önce söyleneni yanında taşır; "salı ve perşembe" bölünmez; "Ankara'da ve Frankfurt'ta"
# iki aramadır, çünkü iki kapsamdır.

# %%
from lab.rag.split import split

for text in (
    "How long must a password be, how fast do I report a lost phone, and where do phishing mails go?",
    "I'm a manager. What is my hotel limit in Bursa, and what is it in Brussels?",
    "Are Tuesday and Thursday office days?",
    "Fazla mesai yüzde kaçtan ödeniyor, bir de haftada kaç gün evden çalışabiliyorum?",
):
    print(*[part.search for part in split(text)], sep="\n", end="\n\n")

# %% [markdown] tags=["en"]
# `len(split(question))` counts the parts.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# `len(split(question))` parçaları sayar.
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
question = ...
lesson.exercise(1).check(question)

# %% [markdown] tags=["en"]
# ## Search, enough?, next
#
# The answer has a paragraph for each part; the same row may stand in two of them. The trace shows every round: after each search the step
# `enough?` says for which part it was, and whether it was enough.

# %% [markdown] tags=["tr"]
# ## Ara, yeter mi, sıradaki
#
# Yanıtta her parçanın bir paragrafı var; aynı satır ikisinde birden geçebilir. İz her turu gösterir: her aramadan sonraki `enough?` adımı,
# hangi parça için olduğunu ve yetip yetmediğini söyler.

# %%
lesson.ask(lesson.shown("T7"), rung="T7")

# %%
lesson.trace(lesson.shown("T7"), rung="T7")

# %% [markdown] tags=["en"]
# A part that finds nothing is named in the answer; it is not passed over in silence:

# %% [markdown] tags=["tr"]
# Bir şey bulunamayan parça yanıtta adıyla anılır; sessizce geçilmez:

# %%
lesson.ask("How many days off for a wedding, and what is the name of the pilots' dog?", rung="T7", as_of="2025-06-15")

# %% [markdown] tags=["en"]
# The limits are constants of the module `lab.rag.decompose`: wordings tried for a part, searches for a question, calls of a model.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# Sınırlar `lab.rag.decompose` modülünde birer sabit: bir parça için denenen ifadeler, bir soru için yapılan aramalar, bir modele yapılan
# çağrılar.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
searches = ...
lesson.exercise(2).check(searches)

# %% [markdown] tags=["en"]
# ## What it is worth

# %% [markdown] tags=["tr"]
# ## Değeri

# %%
lesson.effect("T7")

# %% [markdown] tags=["en"]
# Too few questions have several parts for the gain to be told from chance; no question got worse, so it is kept. Next: `08_supersedes`,
# two documents that are both in force.

# %% [markdown] tags=["tr"]
# Birkaç parçalı sorular, kazancı rastlantıdan ayırt etmeye yetmeyecek kadar az; ama hiçbir soru kötüleşmedi, bu yüzden tutuluyor. Sıradaki
# defter `08_supersedes`: ikisi de yürürlükte olan iki belge.
