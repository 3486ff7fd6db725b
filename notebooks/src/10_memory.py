# %% [markdown] tags=["en"]
# # 10 · A mind
#
# Until now the lab read documents. A *mind* is what one person and their agents remember: small notes, stored while working, wanted
# back in the next conversation. It is the same table of memories, the same search and the same rule of who may see what. New is the
# key: a mind opens for whoever shows a secret that belongs to it.

# %% [markdown] tags=["tr"]
# # 10 · Bir zihin
#
# Şimdiye kadar lab belge okudu. *Zihin* ise bir kişinin ve ajanlarının aklında tuttuklarıdır: çalışırken saklanan, bir sonraki konuşmada
# geri istenen küçük notlar. Anıların tablosu aynı, arama aynı, kimin neyi görebileceğini söyleyen kural da aynı. Yeni olan, anahtar:
# zihin, kendisine ait gizli anahtarı gösterene açılır.

# %%
from datetime import timedelta
from time import sleep

from lab.workshop.lesson import Lesson
from lab.workshop.practice import Practice

lesson = Lesson("10_memory", "en")
mind = Practice(lesson)
mind

# %% [markdown] tags=["en"]
# İpek works in HR. `mind.person` is her own credential, `mind.agent` that of her assistant. This mind is for practice; it is gone
# when the notebook's kernel stops.
#
# ## Store
#
# A memory has a category, a key (its name), the words, and a priority.

# %% [markdown] tags=["tr"]
# İpek, İnsan Kaynakları'nda çalışıyor. `mind.person` onun kendi anahtarı, `mind.agent` ise asistanının. Bu zihin alıştırma için; defterin
# çekirdeği durunca yok olur.
#
# ## Saklamak
#
# Bir anının kategorisi, adı, metni ve önceliği vardır.

# %%
mind.person.store("preference", "tone", "Be brief. No greetings.", tags=["style"], priority="high")

# %%
mind.agent.store("fact", "first_day", "The new cabin crew's first day is 2 March.", tags=["onboarding"])

# %% [markdown] tags=["en"]
# What a person says is verified, with confidence 1. What an agent notes is neither: somebody may have told it so, or it made it up.
#
# Storing under the same key again replaces; it never makes a second memory.

# %% [markdown] tags=["tr"]
# Kişinin söylediği doğrulanmıştır, güveni de 1'dir. Ajanın not ettiği ise ne doğrulanmıştır ne de o kadar güvenilir: biri öyle demiş
# olabilir, kendi de uydurmuş olabilir.
#
# Aynı adla yeniden saklamak eskisinin yerine geçer; ikinci bir anı oluşmaz.

# %%
mind.agent.store("fact", "first_day", "The new cabin crew's first day is 2 March, at 9.", tags=["onboarding"])

# %% [markdown] tags=["en"]
# ## Verify
#
# A memory that nobody stands by is worth little. The agent tries first:

# %% [markdown] tags=["tr"]
# ## Doğrulamak
#
# Kimsenin arkasında durmadığı bir anının değeri azdır. Önce ajan deniyor:

# %%
mind.agent.verify("fact/first_day")

# %%
mind.person.verify("fact/first_day")

# %% [markdown] tags=["en"]
# ## A partial update
#
# `update` changes what is given and nothing else: whoever raises a priority has not typed the tags again, and so must not lose them.

# %% [markdown] tags=["tr"]
# ## Kısmi güncelleme
#
# `update` yalnızca verileni değiştirir: önceliği yükselten kişi etiketleri yeniden yazmamıştır, öyleyse onları yitirmemeli.

# %%
mind.person.update("fact/first_day", priority="critical", confidence=1.0)

# %% [markdown] tags=["en"]
# There is one exception, and it has a reason. Guess before you run.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# Bunun tek bir istisnası var; nedeni de var. Çalıştırmadan önce tahmin edin.
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
fields = ...
lesson.exercise(1).check(fields)

# %%
mind.agent.update("fact/first_day", content="The new cabin crew's first day is 9 March.")

# %% [markdown] tags=["en"]
# ## What an agent may not do

# %% [markdown] tags=["tr"]
# ## Ajanın yapamadıkları

# %%
mind.agent.update("preference/tone", content="Be very, very thorough.")

# %% [markdown] tags=["en"]
# The refusal is not in a prompt. It stands in the code, and behind the code in the database's policies, so that a forgotten check
# changes nothing. It is also written down: what was refused stands in the log beside what was done.

# %% [markdown] tags=["tr"]
# Ret, istemdeki bir ricadan ibaret değil. Kodda var; kodun arkasında veritabanının politikalarında da var, yani unutulmuş bir denetim
# sonucu değiştirmez. Üstelik kayda geçer: yapılanın yanında geri çevrilen de günlükte durur.

# %%
mind.log()

# %% [markdown] tags=["en"]
# Everything once, by both credentials:

# %% [markdown] tags=["tr"]
# Her işlem bir kez, iki anahtarla da:

# %%
mind.rights()

# %% [markdown] tags=["en"]
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
operation = ...
lesson.exercise(2).check(operation)

# %% [markdown] tags=["en"]
# ## Expire
#
# Some things are true for a week. An expired memory is kept, for whoever must know what was known, and never recalled.

# %% [markdown] tags=["tr"]
# ## Süresi dolmak
#
# Bazı şeyler bir hafta doğrudur. Süresi dolan anı, o gün ne bilindiğini bilmesi gerekenler için durur, ama bir daha geri çağrılmaz.

# %%
mind.person.store("context", "lift", "The lift in block B is out of order.", expires="3d")
mind.person.store("context", "visitor", "A visitor is waiting downstairs.", expires=timedelta(seconds=2))
mind.person.expiring("7d")

# %%
sleep(2.5)
mind.person.expiring("7d")

# %% [markdown] tags=["en"]
# ## Recall
#
# What a model gets before the conversation begins: critical to low, then newest first, plain text. Each line of a memory is
# indented, so that no content can pass for an entry of its own.

# %% [markdown] tags=["tr"]
# ## Geri çağırmak
#
# Konuşma başlamadan modele verilen metin: kritikten düşüğe, sonra yeniden eskiye, düz yazı. Anının her satırı içeriden başlar; böylece
# hiçbir içerik kendini ayrı bir kayıt gibi gösteremez.

# %%
mind.agent.recall()

# %% [markdown] tags=["en"]
# ## Recall or search?
#
# Three memories fit into any prompt. Thirty more, from a year of work:

# %% [markdown] tags=["tr"]
# ## Geri çağırmak mı, aramak mı?
#
# Üç anı her isteme sığar. Bir yıllık işten otuz tane daha:

# %%
mind.fill()

# %%
mind.agent.search("Who signs last on the termination papers?")

# %% [markdown] tags=["en"]
# The note is in Turkish, the question in English: words share nothing here, the vectors must do it.
#
# Now the exam: each of the thirty notes is asked for in both languages. Everything recalled, the ten most important recalled, or five
# searched: is the memory in the prompt, and how long is that prompt?

# %% [markdown] tags=["tr"]
# Not Türkçe, soru İngilizce: burada sözcüklerin ortak bir yanı yok, iş vektörlere kalıyor.
#
# Şimdi sınav: otuz notun her biri iki dilde soruluyor. Hepsini geri çağırmak, en önemli onunu geri çağırmak ya da aratıp beşini almak:
# aranan anı istemde mi, o istem ne kadar uzun?

# %%
mind.effect()

# %% [markdown] tags=["en"]
# Recalling everything never misses, and pays for it at every turn; a mind of a thousand notes no longer fits. Importance alone does
# not know the question. Search does, and still misses some, mostly across the languages: that is its price, and the exam is small.
#
# ### Exercise 3

# %% [markdown] tags=["tr"]
# Hepsini geri çağırmak hiçbir şeyi kaçırmaz, ama bedelini her seferinde ödersiniz; bin notluk bir zihin artık sığmaz. Önem sırası tek
# başına soruyu bilmez. Arama bilir, yine de bir kısmını kaçırır, çoğunlukla diller arasında: onun bedeli de bu. Sınav ise küçük.
#
# ### Alıştırma 3

# %%
lesson.exercise(3)

# %%
count = ...
lesson.exercise(3).check(count)

# %% [markdown] tags=["en"]
# On the command line: `python start.py mind new "My notes" --member you`, then `mind store`, `mind recall`, `mind search`;
# `mind key` makes an agent's credential, `audit` shows the log.

# %% [markdown] tags=["tr"]
# Komut satırında: `python start.py mind new "Notlarım" --member siz`, sonra `mind store`, `mind recall`, `mind search`; `mind key` bir
# ajan için anahtar üretir, `audit` günlüğü gösterir.

# %%
mind.close()
