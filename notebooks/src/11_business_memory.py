# %% [markdown] tags=["en"]
# # 11 · A company remembers
#
# Orders, invoices, payments, complaints, chats: records of connected applications, written without a language model. The answer to
# one question often lies in four of them, and no single one looks like the question. So the way is walked: from a name, over
# relations, to the record.

# %% [markdown] tags=["tr"]
# # 11 · Bir şirketin belleği
#
# Siparişler, faturalar, ödemeler, şikâyetler, yazışmalar: bağlı uygulamaların kayıtları, dil modeli kullanılmadan yazılmış. Tek bir sorunun
# yanıtı çoğu zaman bunların dördüne dağılmıştır ve hiçbiri tek başına soruya benzemez. Öyleyse yol yürünür: bir addan başlayıp
# ilişkilerin üzerinden kayda kadar.

# %%
from lab.workshop.lesson import Lesson
from lab.workshop.trade import Trade

lesson = Lesson("11_business_memory", "en")
trade = Trade(lesson)
trade

# %% [markdown] tags=["en"]
# An invented company of two thousand memories; it is generated, the same each time, in Turkish and English. One question of its exam:

# %% [markdown] tags=["tr"]
# İki bin anısı olan uydurma bir şirket; her seferinde aynı biçimde, Türkçe ve İngilizce olarak üretiliyor. Sınavından bir soru:

# %%
asked = trade.question("chain")
print(asked)

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
count = ...
lesson.exercise(1).check(count)

# %%
trade.vectors(asked)

# %% [markdown] tags=["en"]
# ## Step 1: anchors
#
# Whom does the question name? Exactly first, then without Turkish case endings, then by letters that nearly agree; that needs a
# minimum score, or every unknown name finds somebody. Where nothing is named, the walk starts from what the nearest memories
# describe (`meaning`): a guess, and marked as one.

# %% [markdown] tags=["tr"]
# ## 1. adım: çıkış noktaları
#
# Soru kimin adını anıyor? Önce birebir, sonra Türkçe hâl ekleri çıkarılarak, sonra da harfleri neredeyse tutanlar; burada bir alt sınır
# gerekiyor, yoksa tanınmayan her ad birini bulur. Hiçbir ad anılmıyorsa yürüyüş, en yakın anıların anlattığı kişi ve şeylerden başlar
# (`meaning`): bu bir tahmindir ve öyle işaretlenir.

# %%
trade.anchors(asked)

# %%
for text in (
    "İnci Tarım'ın telefonu", "inci tarımın telefonu", "Kingsly Packaging phone",
    "Esra Ateşe kim bakıyor?", "Kraken Uzay'ın telefonu",
):
    print(f"{text:26}", *trade.anchors(text).text.split("\n"), sep=" · ")

# %% [markdown] tags=["en"]
# ## Step 2: words and vectors
#
# The hybrid search of the earlier notebooks. Much about the customer, little of what lies behind.

# %% [markdown] tags=["tr"]
# ## 2. adım: sözcükler ve vektörler
#
# Önceki defterlerin karma araması. Müşteri hakkında çok, arkasında yatan hakkında az şey getirir.

# %%
trade.hybrid(asked)

# %% [markdown] tags=["en"]
# ## Step 3: paths
#
# From the anchors over typed relations, at most three steps at a time. A relation that opens to more than fifty neighbours is not
# followed unless the question names it. Where the question means *one* of a customer's complaints, the walk sets out again from the
# likeliest.

# %% [markdown] tags=["tr"]
# ## 3. adım: yollar
#
# Çıkış noktalarından, türü belli ilişkiler üzerinden, bir seferde en çok üç adım. Elliden fazla komşuya açılan bir ilişki, soru adını
# anmadıkça izlenmez. Soru bir müşterinin şikâyetlerinden *birini* kastediyorsa, yürüyüş en olası şikâyetten yeniden başlar.

# %%
trade.paths(asked)

# %% [markdown] tags=["en"]
# ## Step 4: ranking
#
# A way is good when it meets what was asked for, when its records speak of it, and when it is short.

# %% [markdown] tags=["tr"]
# ## 4. adım: sıralama
#
# Bir yol, isteneni karşılıyorsa, kayıtları ondan söz ediyorsa ve kısaysa iyidir.

# %%
trade.ranking(asked)

# %% [markdown] tags=["en"]
# ## Step 5: rights, in every step
#
# Not a filter at the end: what the asker may not see is not searched, not counted and not walked through. The same question with the
# eyes of five roles; the last one does not exist.

# %% [markdown] tags=["tr"]
# ## 5. adım: haklar, her adımın içinde
#
# Sonda bir süzgeç değil: soranın göremediği aranmaz, sayılmaz, üzerinden geçilmez. Aynı soru beş rolün gözüyle; sonuncusu yok.

# %%
trade.rights(asked)

# %% [markdown] tags=["en"]
# ✓ means that the answer's words stand somewhere in the text, which is what the exam below counts too. It does not mean that a reader
# could tell.
#
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ✓, yanıtın sözcüklerinin metinde bir yerde geçtiği anlamına gelir; aşağıdaki sınav da bunu sayıyor. Okuyanın hangisi olduğunu
# anlayabileceği anlamına gelmez.
#
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
role = ...
lesson.exercise(2).check(role)

# %%
trade.context(asked, role="finance")

# %% [markdown] tags=["en"]
# ## Step 6: the text
#
# Anchors, ways with their evidence, then the best of the rest, within a thousand tokens.

# %% [markdown] tags=["tr"]
# ## 6. adım: metin
#
# Çıkış noktaları, kanıtlarıyla yollar, sonra kalanların en iyileri; hepsi bin tokenın içinde.

# %%
trade.context(asked, lines=12)

# %% [markdown] tags=["en"]
# ## Then and now
#
# Time has two axes here: since when something is true, and since when the company knows it. The newest value comes first; where every
# day is looked at, the earlier one says that it has ended.

# %% [markdown] tags=["tr"]
# ## O gün ve bugün
#
# Burada zamanın iki ekseni var: bir şeyin ne zamandan beri doğru olduğu ve şirketin bunu ne zamandan beri bildiği. En yeni değer önce gelir;
# bütün günlere bakıldığında önceki değer artık geçmediğini kendisi söyler.

# %%
trade.times(trade.moved(), "2026-02-17")

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
# A day may also stand in the question itself:

# %% [markdown] tags=["tr"]
# Gün, sorunun içinde de yazabilir:

# %%
trade.context(trade.question("as of"))

# %% [markdown] tags=["en"]
# ## The exam
#
# Eight kinds of questions, in wordings that no weight was chosen on. Three ways: the ten nearest by vector; the nearest until they are
# as long as a recall; recall. Counted is whether the answer stands in the text.

# %% [markdown] tags=["tr"]
# ## Sınav
#
# Sekiz tür soru; hiçbir ağırlık bu cümlelere bakılarak seçilmedi. Üç yol: vektörle en yakın on anı; bir recall kadar uzayana dek en
# yakınlar; recall. Sayılan, yanıtın metinde geçip geçmediği.

# %%
trade.effect()

# %% [markdown] tags=["en"]
# A world this small is kind: with a hundred thousand memories the same exam is harder, and `python start.py bench business` runs it.
# The world and its questions also come from one hand, and know each other's words.
#
# ## Without one step
#
# On the dev questions, one step left out at a time:

# %% [markdown] tags=["tr"]
# Bu kadar küçük bir dünya insaflıdır: yüz bin anıyla aynı sınav daha zor; `python start.py bench business` onu çalıştırır. Ayrıca dünya da
# soruları da aynı elden çıkma, birbirinin sözcüklerini tanıyor.
#
# ## Bir adım eksik
#
# Geliştirme sorularında, her seferinde bir adım çıkarılarak:

# %%
trade.without("anchors", "words", "vectors", "paths", "periods")

# %% [markdown] tags=["en"]
# Without words alone, or without vectors alone, nothing is lost here: names and ways carry this exam. The answers hang on the anchors
# and the walk.

# %% [markdown] tags=["tr"]
# Yalnız sözcükleri ya da yalnız vektörleri çıkarmak burada bir şey kaybettirmiyor: bu sınavı adlar ve yollar taşıyor. Yanıtlar, çıkış
# noktalarına ve yürüyüşe bağlı.
