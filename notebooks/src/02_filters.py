# %% [markdown] tags=["en"]
# # 2 · Scope and edition
#
# Two tickets, one idea: what a text is *about* and *when* it holds are properties of the text. They are read once, kept as labels,
# and asked for. No likeness of words can do that.
#
# A ticket tells its story, then names an example from the gold set and the rung just below the technique that answers it.

# %% [markdown] tags=["tr"]
# # 2 · Kapsam ve baskı
#
# İki talep, tek fikir: bir metnin *neyi* kapsadığı ve *ne zaman* geçerli olduğu metnin özellikleridir. Bir kez okunur, etiket
# olarak saklanır, sorulurken kullanılır. Sözcük benzerliği bunu yapamaz.
#
# Her talep önce hikâyesini anlatır, sonra sınavdan bir örnek soruyu ve çözümün hemen altındaki basamağı gösterir.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("02_filters", "en")
lesson.ticket("T1")

# %% [markdown] tags=["en"]
# ## Guess before you run
#
# `q06` is the question of the story: "What may a director's hotel room in London cost for one night?"
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# ## Çalıştırmadan önce tahmin edin
#
# Hikâyedeki soru `q06`: "What may a director's hotel room in London cost for one night?"
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
# Read the columns so: ✓ marks the hits that hold the answer, in whatever edition. `cosine use` is the likeness of question and text to
# the embedder named `use`. `fused` is the score by which the hits are ordered: how far the likeness stands out among all those of this
# search, in standard deviations. The last column says what found or moved a hit.
#
# The two tables have the same columns and the same grades; only their scope and currency differ, and neither names a city. So the
# question must say it: "London" is abroad. It is read by rules and a list of places. Of a trip from one place to another the
# destination counts:

# %% [markdown] tags=["tr"]
# Sütunlar şöyle okunur: ✓, hangi baskıdan olursa olsun yanıtı içerenleri işaretler. `cosine use`, adı `use` olan gömme modeline göre
# soruyla metnin benzerliği. `fused`, sıralamayı belirleyen puan: benzerliğin, bu aramadakilerin arasından kaç standart sapma sıyrıldığı.
# Son sütun, bir metni neyin bulduğunu ya da yerinden oynattığını söyler.
#
# İki tablonun sütunları ve unvanları aynı; yalnızca kapsamları ve para birimleri farklı, ikisinde de şehir adı yok. Öyleyse bunu
# soru söylemeli: Londra yurt dışıdır. Bunu kurallar ve bir yer adları listesi anlar. Bir yerden bir yere yolculukta varılan yer sayılır:

# %%
from lab.rag.scope import scope_of

for text in ("hotel in London", "Ankara'da otel", "yurt dışı harcırah", "hotel limit for a manager", "Frankfurt'tan Ankara'ya"):
    print(f"{text:32}", scope_of(text))

# %% [markdown] tags=["en"]
# Chunks of the *other* scope lose a fixed part of their score; they are not removed: a wrong guess must not hide a text. Where no scope can be told,
# nothing moves.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# *Öteki* kapsamdaki parçalar silinmez, puanlarından sabit bir pay düşülür: yanlış bir tahmin bir metni gizlememeli. Kapsam anlaşılmıyorsa
# hiçbir şey yerinden oynamaz.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
question = ...
lesson.exercise(2).check(question)

# %% [markdown] tags=["en"]
# With the scope read, the domestic tables fall behind. The second cell below says what that is worth over the whole gold set. The
# gain is too small to be told from chance, but the rung needs no model and no index and makes no question worse: then a single question
# won is enough to keep it.

# %% [markdown] tags=["tr"]
# Kapsam okununca yurt içi tabloları gerilere düşüyor. Bunun bütün sınavdaki değerini aşağıdaki ikinci hücre söylüyor. Kazanç
# rastlantıdan ayırt edilemeyecek kadar küçük; ama bu basamak ne model ne dizin gerektiriyor, hiçbir soruyu da kötüleştirmiyor. O zaman
# kazanılan tek bir soru bile tutulması için yeter.

# %%
lesson.hits("q06", rung="T1")

# %%
lesson.effect("T1")

# %% [markdown] tags=["en"]
# ## The other edition
#
# "Edition" is validity in time. From the rung T2 on, a search sees what is valid on the asked day, and the database decides. First the
# failure, on T1, which looks at no day: in 2025 it gives the figure of 2026. Then the same question on T2, on a day of each year.

# %% [markdown] tags=["tr"]
# ## Öteki baskı
#
# "Baskı", zamandaki geçerlilik demek. T2 basamağından başlayarak arama, sorulan günde geçerli olanı görür; kararı veritabanı verir.
# Önce T1'deki hata: bu basamak güne bakmaz, 2025'te 2026'nın rakamını verir. Sonra aynı soru T2'de, her yılın bir gününde.

# %%
lesson.ticket("T2")

# %%
lesson.ask("I have been here for six years. How much annual leave do I have?", rung="T1", as_of="2025-06-15")

# %%
lesson.ask("I have been here for six years. How much annual leave do I have?", rung="T2", as_of="2025-06-15")

# %%
lesson.ask("I have been here for six years. How much annual leave do I have?", rung="T2", as_of="2026-06-15")

# %% [markdown] tags=["en"]
# The label of a chunk says from when it is valid: `.value[0].label` of what `lesson.chunks("section", "hr-leave", "3", as_of="2026-06-15")`
# gives.
#
# ### Exercise 3

# %% [markdown] tags=["tr"]
# Bir parçanın ne zamandan beri geçerli olduğunu etiketi söyler: `lesson.chunks("section", "hr-leave", "3", as_of="2026-06-15")`
# sonucunun `.value[0].label` alanı.
#
# ### Alıştırma 3

# %%
lesson.exercise(3)

# %%
day = ...
lesson.exercise(3).check(day)

# %% [markdown] tags=["en"]
# ## What it is worth
#
# On T1, {{T1.all.stale}} questions handed the reader text that is not in force on the asked day; on T2 {{T2.all.stale}}. Not all is gain:
# of the questions that nothing answers, T1 refuses {{T1.all.abstentions}} and T2 {{T2.all.abstentions}}.

# %% [markdown] tags=["tr"]
# ## Değeri
#
# T1'de {{T1.all.stale}} soruda okuyucuya sorulan günde yürürlükte olmayan metin verildi; T2'de {{T2.all.stale}}. Her şey kazanç değil:
# belgelerde yanıtı olmayan sorulardan T1 {{T1.all.abstentions}}, T2 ise {{T2.all.abstentions}} kadarında yanıt vermiyor.

# %%
lesson.effect("T2")

# %% [markdown] tags=["en"]
# Next: `03_full_context`, where nothing is searched at all.

# %% [markdown] tags=["tr"]
# Sıradaki defter `03_full_context`: hiç arama yok.
