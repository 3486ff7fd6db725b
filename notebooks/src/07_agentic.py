# %% [markdown] tags=["en"]
# # 7 · Three questions in one
#
# One vector for three questions is near to none of their answers. So the question is taken apart, each part is searched, and
# somebody asks: is this enough? That "somebody" is a rule here, and it has limits.

# %% [markdown] tags=["tr"]
# # 7 · Bir soruda üç soru
#
# Üç soruyu temsil eden tek bir vektör, hiçbirinin yanıtına yakın düşmez. Bu yüzden soru parçalara ayrılır, her parça aranır ve biri
# sorar: bu yeterli mi? O "biri" burada bir kural ve sınırları var.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("07_agentic", "en")
lesson.ticket("T7")

# %%
lesson.ask(lesson.shown("T7"), decompose="")

# %% [markdown] tags=["en"]
# ## Taking it apart
#
# Rules in both languages. A part carries what was said before it; "Tuesday and Thursday" stays whole; "in Ankara and in Frankfurt" is
# two searches, because it is two scopes.

# %% [markdown] tags=["tr"]
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
# ### Exercise 1

# %% [markdown] tags=["tr"]
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
question = ...
lesson.exercise(1).check(question)

# %% [markdown] tags=["en"]
# ## Search, enough?, next
#
# The trace shows every round. A part that finds nothing is named in the answer; it is not passed over in silence.

# %% [markdown] tags=["tr"]
# ## Ara, yeter mi, sıradaki
#
# İz her turu gösteriyor. Bir şey bulamayan parça yanıtta adıyla anılır; sessizce geçilmez.

# %%
lesson.ask(lesson.shown("T7"), rung="T7")

# %%
lesson.trace(lesson.shown("T7"), rung="T7")

# %% [markdown] tags=["en"]
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
rounds = ...
lesson.exercise(2).check(rounds)

# %%
lesson.effect("T7")
