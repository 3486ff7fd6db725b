# %% [markdown] tags=["en"]
# # 6 · Find small, read large
#
# A mail has no headings. Its sentences are easy to find and say too little alone; the whole mail is hard to find and long to read.

# %% [markdown] tags=["tr"]
# # 6 · Küçük ara, büyük oku
#
# E-postaların başlıkları yok. Cümleleri kolay bulunur ama tek başına az şey söyler; e-postanın bütünü ise zor bulunur, okuması uzun sürer.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("06_parent_child", "en")
lesson.ticket("T6")

# %% [markdown] tags=["en"]
# ## One mail, five topics
#
# The small pieces are *units*, sentences and rows; the section that a unit belongs to is its *parent*. The id of a unit names document,
# edition and section, so the parent is known; section `0` is text before any heading, here the whole mail.

# %% [markdown] tags=["tr"]
# ## Tek e-posta, beş konu
#
# Küçük parçalar *birimlerdir*: cümleler ve satırlar. Birimin içinde durduğu bölüm onun *üst bölümüdür* (parent). Birimin kimliğinde belge,
# baskı ve bölüm yazar, üst bölüm oradan bilinir; `0` bölümü başlıktan önceki metindir, burada e-postanın tamamı.

# %%
lesson.chunks("unit", "mail-transport-2026", "0", as_of="2026-03-01")

# %% [markdown] tags=["en"]
# ## What is read for a hit
#
# `unit`: its best sentences only. `neighbours`: with those before and after. `paragraph`: the paragraphs they stand in. `parent`: the whole section.
# With `+line` one line in front says which document it is and of which day. The trace shows how many tokens the step `read` is given; the
# first of the two runs also loads what it needs, so leave the times aside.

# %% [markdown] tags=["tr"]
# ## Bulunan parça için ne okunuyor
#
# `unit`: yalnızca en iyi cümleleri. `neighbours`: önceki ve sonrakilerle birlikte. `paragraph`: içinde durdukları paragraflar. `parent`: bölümün tamamı.
# `+line` eklenince başa bir satır gelir: hangi belge, hangi gün. İz, `read` adımına kaç token verildiğini gösterir; iki çalıştırmanın
# ilki gerekenleri de yüklediği için sürelere bakmayın.

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
# Small only, big only, and both: small finds, big reads. *found* says what is compared with the question, *read* what the reader gets;
# a long section is stored in parts, and *section* is one part of it. The figures are over the mail questions of `dev`. The cell measures
# eight variants, which takes a minute or more.

# %% [markdown] tags=["tr"]
# ## E-posta soruları üzerinde yan yana
#
# Yalnız küçük, yalnız büyük ve ikisi birden: küçükle bulunur, büyük okunur. *found* soruyla neyin karşılaştırıldığını, *read* okuyucuya ne
# verildiğini söyler; uzun bir bölüm birkaç parça hâlinde saklanır, *section* bunlardan biridir. Sayılar geliştirme sorularından
# (`dev`) e-postalarla ilgili olanlar üzerindendir. Hücre sekiz ayrı biçimi
# ölçer; bu bir dakikadan uzun sürebilir.

# %%
from lab.workshop import widths

widths.table(widths.compared())

# %% [markdown] tags=["en"]
# For a mail, to find it by units is what counts; how much is read changes little but the tokens. T6 reads paragraphs. Over all questions
# that saves tokens, but no rank and hardly an answer moves, so it stays aside:

# %% [markdown] tags=["tr"]
# Bir e-postada asıl önemli olan, onu birimleriyle bulmak; ne kadarının okunduğu tokenlar dışında az şey değiştiriyor. T6 paragrafları
# okur. Bu, bütün sorularda token kazandırıyor, ama ne sıra ne de neredeyse hiçbir yanıt değişiyor; bu yüzden kenarda kalıyor:

# %%
lesson.effect("T6")

# %% [markdown] tags=["en"]
# Next: `07_agentic`, three questions in one.

# %% [markdown] tags=["tr"]
# Sıradaki defter `07_agentic`: bir soruda üç soru.
