# %% [markdown] tags=["en"]
# # 12 · Your corpus
#
# Everything so far was measured on one airline's handbook. Which techniques are worth their cost on *your* documents is another
# question, and nobody but you can answer it: you need your documents, an exam, and an afternoon. Here it is done once with the papers of
# a small garden cooperative, in two languages, as they lie about: Markdown, a web page, a text file, mails.

# %% [markdown] tags=["tr"]
# # 12 · Kendi belgeleriniz
#
# Buraya kadar her şey tek bir havayolunun el kitabında ölçüldü. Hangi tekniğin *sizin* belgelerinizde masrafına değdiği ise ayrı bir soru;
# bunu sizden başkası yanıtlayamaz. Belgeleriniz, bir sınav, bir de boş bir öğleden sonra gerek. Burada bu işi küçük bir bahçe
# kooperatifinin evrakıyla baştan sona bir kez yapıyoruz. Evrak iki dilde ve nasıl birikmişse öyle: Markdown, bir web sayfası, bir metin
# dosyası, e-postalar.

# %%
from lab.workshop.gardening import Garden
from lab.workshop.lesson import Lesson

lesson = Lesson("12_your_corpus", "en")
garden = Garden(lesson)
garden.files()

# %% [markdown] tags=["en"]
# `lab.yaml` says who may read what. Without such a file nothing is open: only the one who brought the documents reads them, as the role
# `owner`. Two price lists are made two editions of one document, each with its own first day.
#
# ## Read them in
#
# On the command line: `python start.py new garden DIR`.

# %% [markdown] tags=["tr"]
# Kimin neyi okuyabileceğini `lab.yaml` söylüyor. Böyle bir dosya yoksa hiçbir şey açık değildir: belgeleri yalnızca onları getiren kişi,
# `owner` rolüyle okur. İki fiyat listesi de tek bir belgenin iki sürümü sayılıyor; her birinin yürürlüğe girdiği gün ayrı.
#
# ## İçeri almak
#
# Komut satırında: `python start.py new garden KLASÖR`.

# %%
garden.new()

# %% [markdown] tags=["en"]
# One file holds nothing and is named, not silently lost. Web page, text and mail have become sections like all others. The price list of
# 2025 ends on the day that of 2026 begins.
#
# ## Who reads what

# %% [markdown] tags=["tr"]
# Bir dosyanın içi boş; sessizce yok sayılmıyor, adıyla söyleniyor. Web sayfası, metin ve e-posta öbürleri gibi bölümlere ayrıldı. 2025
# fiyat listesi, 2026 listesinin başladığı gün sona eriyor.
#
# ## Kim neyi okur

# %%
garden.ask("What does the night watchman receive a month?")

# %%
garden.ask("What does the night watchman receive a month?", role="member")

# %%
garden.readers()

# %% [markdown] tags=["en"]
# These documents live in a workspace of their own. Nobody who asks the handbook meets them, whatever the role, and no question here
# meets the handbook: the same row-level policy that hides salaries keeps the workspaces apart.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# Bu belgelerin kendi çalışma alanı var. El kitabına soru soran, rolü ne olursa olsun bunlara rastlamaz; buradaki sorular da el kitabına
# ulaşmaz. Maaşları gizleyen satır düzeyi politika, çalışma alanlarını da birbirinden ayırıyor.
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
document = ...
lesson.exercise(1).check(document)

# %% [markdown] tags=["en"]
# ## An exam to begin with
#
# An exam cannot be downloaded. But it can be begun: rules look for what a document states (rows of tables, amounts, days, times,
# definitions) and turn it into a question with a quoted anchor. Each anchor stands in its section and nowhere else, and no question
# copies its sentence. On the command line: `python start.py gold draft garden`.

# %% [markdown] tags=["tr"]
# ## Başlangıç için bir sınav
#
# Sınav hazır indirilmez, ama bir yerden başlanabilir: kurallar, belgede söylenenleri (tablo satırları, tutarlar, günler, saatler, tanımlar)
# bulup alıntısı belli birer soruya çevirir. Her alıntı kendi bölümünde geçer, başka hiçbir yerde geçmez; hiçbir soru da cümlesinin kopyası
# değildir. Komut satırında: `python start.py gold draft garden`.

# %%
garden.draft()

# %% [markdown] tags=["en"]
# They are stiff, and that is the point: a draft asks what the text *says*, a person asks what they *want to know*. Read them one by one,
# reword, delete, and add the questions that really come in. Some have no answer on purpose.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# Sorular kaskatı; mesele de bu zaten: taslak, metnin *söylediğini* sorar, insan ise *bilmek istediğini*. Tek tek okuyun, yeniden yazın, silin,
# gerçekten sorulan soruları ekleyin. Bazılarının bilerek yanıtı yok.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
key = ...
lesson.exercise(2).check(key)

# %% [markdown] tags=["en"]
# One question in the words of a person who has not read the price list:

# %% [markdown] tags=["tr"]
# Fiyat listesini okumamış birinin ağzından bir soru:

# %%
garden.reword("table-sheds-tool-hire-1", "I want to borrow the big digging machine for a day. What will it be?")

# %%
garden.check()

# %% [markdown] tags=["en"]
# A slip of the pen costs nothing: a broken line is named with its number, and an exam that you have edited is never written over.
#
# ## Climb
#
# The same ladder, rung by rung, on these documents: `python start.py climb --workspace garden`.

# %% [markdown] tags=["tr"]
# Yanlış yazmak bir şey kaybettirmez: bozuk satır numarasıyla söylenir, elden geçirdiğiniz sınavın üzerine de hiçbir zaman yazılmaz.
#
# ## Tırmanmak
#
# Aynı merdiven, basamak basamak, bu kez bu belgelerde: `python start.py climb --workspace garden`.

# %%
garden.climb()

# %%
garden.slope()

# %% [markdown] tags=["en"]
# The intervals are wide: some thirty questions tell a large effect from chance, a small one not. "Aside" says "not shown here", never
# "useless". And what the handbook's exam kept (13_scoreboard) need not be worth its cost here; nor the other way round.

# %% [markdown] tags=["tr"]
# Aralıklar geniş: otuz kadar soru, büyük bir etkiyi şanstan ayırır, küçüğünü ayıramaz. "Kenara ayrıldı", "burada görülmedi" demektir, "işe
# yaramaz" demek değil. El kitabının sınavında tutulan bir teknik (13_scoreboard) burada masrafına değmeyebilir; tersi de olur.

# %% [markdown] tags=["en"]
# ### Exercise 3

# %% [markdown] tags=["tr"]
# ### Alıştırma 3

# %%
lesson.exercise(3)

# %%
rung = ...
lesson.exercise(3).check(rung)

# %% [markdown] tags=["en"]
# ## A page to hand on
#
# `python start.py report garden` writes one HTML file that fetches nothing: scoreboard, verdicts, questions won and lost. Its first lines
# are what one must know before believing it.

# %% [markdown] tags=["tr"]
# ## Elden ele dolaşacak bir sayfa
#
# `python start.py report garden`, dışarıdan hiçbir şey yüklemeyen tek bir HTML dosyası yazar: puan tablosu, kararlar, kazanılan ve
# kaybedilen sorular. İlk satırlarında, ona inanmadan önce bilinmesi gerekenler yazar.

# %%
garden.report()

# %% [markdown] tags=["en"]
# Now yours. Fifty documents take a few minutes from `new` to the report; the questions take the afternoon, and they are what the figures
# are worth.

# %% [markdown] tags=["tr"]
# Sıra sizde. Elli belgede `new` komutundan rapora varmak birkaç dakika sürer; öğleden sonrayı sorular alır. Sayıların değeri de soruların
# değeri kadardır.
