# %% [markdown] tags=["en"]
# # 0 · An assistant goes live
#
# Kraken Air is an airline that does not exist. Its HR assistant answers from a handbook in two editions and from the mail
# that came in between. Tickets come in: each is a failure somebody saw. In this lab you look at the failure first, guess what is
# behind it, apply **one** technique, and let an exam say what it was worth.
#
# | word | what it means here |
# |---|---|
# | **gold set** | the exam: questions whose answer, and the place where it stands, are known; `q01` is the id of one |
# | **rung** | one way of answering, such as `fixed` or `T8`; a rung named `T…` answers the ticket of that name |
# | **ladder** | all rungs in their order; each is the last kept one with one thing changed |
# | **climb** | to let every rung sit the exam; the **ledger** is where the database keeps the figures |
# | **chunk**, **hit** | a piece of a document; a piece that a search has found |
# | **reader** | what makes an answer out of the first hits |
# | **role** | who asks: `employee`, `hr` and some others |
#
# Everything runs on this machine. Run the cells from top to bottom; the first question takes some seconds more, because the
# documents and the embedders are loaded with it.

# %% [markdown] tags=["tr"]
# # 0 · Bir asistan yayına giriyor
#
# Kraken Air gerçekte olmayan bir havayolu. İK asistanı, iki baskısı olan bir el kitabıyla arada gönderilmiş e-postalardan
# yanıt veriyor. Destek talepleri gelmeye başlıyor: her biri, birinin kendi gözüyle gördüğü bir hata. Bu laboratuvarda önce hataya
# bakıyor, arkasında ne olduğunu tahmin ediyor, **tek bir** teknik uyguluyor ve ne kazandırdığını bir sınavla ölçüyorsunuz.
#
# | sözcük | burada ne demek |
# |---|---|
# | **sınav** (gold set) | yanıtı ve yanıtın yeri bilinen sorular; `q01` bunlardan birinin kimliği |
# | **basamak** (rung) | bir yanıtlama biçimi, örneğin `fixed` ya da `T8`; adı `T…` olan, aynı adlı talebin çözümüdür |
# | **merdiven** (ladder) | sırasıyla bütün basamaklar; her biri, tutulan son basamağın tek bir şeyi değiştirilmiş biçimi |
# | **tırmanış** (climb) | her basamağı sınava sokmak; sayılar veritabanındaki **kayıt defterinde** (ledger) durur |
# | **parça** (chunk), **bulunan** (hit) | bir belgenin kesilmiş parçası; aramanın bulduğu parça |
# | **okuyucu** (reader) | ilk bulunanlardan yanıtı çıkaran |
# | **rol** (role) | soran kim: `employee`, `hr` ve birkaçı daha |
#
# Sorular ve belgeler yazıldıkları dilde kalıyor; tabloların sütun adlarıyla basamak açıklamaları İngilizce.
#
# Her şey bu makinede çalışıyor. Hücreleri yukarıdan aşağıya sırayla çalıştırın; belgelerle gömme modelleri yüklendiği için ilk soru
# birkaç saniye fazla sürer.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("00_start", "en")
lesson

# %% [markdown] tags=["en"]
# ## The question of the day
#
# Somebody has been here for seven years. What does the assistant say, and where did it read it? Open the source `[1]`. The hits and
# the trace, every step with its time, are folded below it. A cell that names no rung asks on the last one that was kept.

# %% [markdown] tags=["tr"]
# ## Günün sorusu
#
# Biri yedi yıldır burada çalışıyor. Asistan ne diyor, bunu nerede okumuş? `[1]` numaralı kaynağı açın. Bulunanlar ve iz, yani
# süreleriyle her adım, altında katlı duruyor. Basamak adı verilmeyen bir hücre, tutulan son basamakta sorar.

# %%
lesson.ask("q01")

# %% [markdown] tags=["en"]
# The answer quotes up to three sentences or rows; it makes nothing up. The first one is the answer, the second is only near it. That
# is the reader of this lab as it comes: `extractive`, no language model. With an Ollama beside it,
# `python start.py climb --reader ollama:gemma3:4b` climbs with a model.
#
# A model that is given **no** documents knows nothing of Kraken Air and answers all the same. That is the rung `bare`, and it is
# skipped where no model is to be had:

# %% [markdown] tags=["tr"]
# Yanıt en çok üç cümle ya da satır alıntılıyor, hiçbir şey uydurmuyor. İlki yanıtın kendisi, ikincisi yalnızca yakınında duruyor.
# Laboratuvarın hazır gelen okuyucusu böyle: `extractive`, dil modeli yok. Yanında bir Ollama varsa
# `python start.py climb --reader ollama:gemma3:4b` merdivene bir dil modeliyle tırmanır.
#
# Kendisine **hiç** belge verilmeyen bir model Kraken Air'i tanımaz, yine de yanıt verir. `bare` basamağı bu; model yoksa
# atlanıyor:

# %%
lesson.effect("bare")

# %% [markdown] tags=["en"]
# ## Who asks
#
# Who is asking comes from the login, never from the question. An employee asks for a salary band; then `hr` does.

# %% [markdown] tags=["tr"]
# ## Kim soruyor
#
# Soranın kim olduğu oturumdan gelir, sorunun metninden değil. Bir maaş bandını önce bir çalışan (`employee`), sonra İK (`hr`) soruyor.

# %%
lesson.ask("What is the upper limit of the senior specialist band?", role="employee", as_of="2025-06-15")

# %%
lesson.ask("What is the upper limit of the senior specialist band?", role="hr", as_of="2025-06-15")

# %% [markdown] tags=["en"]
# `hr` reads the band. The employee gets rows of the travel policy: for this role the salary bands do not exist, so the nearest text is
# another one. It answers another question, and a careful assistant would have refused; how often it does is the measure *abst.* below.
#
# The rule is not in the prompt and not in this notebook. It is a row-level policy of the database: text that a role may not read
# is not found, not counted and not in the trace.
#
# ### Exercise 1
#
# The next cell shows what is asked. In the one after it, put your answer in the place of `…` and run it. Stuck?
# `lesson.exercise(1).hint()`, then `lesson.exercise(1).solution()`, in a cell of your own.

# %% [markdown] tags=["tr"]
# `hr` bandı okuyor. Çalışana seyahat politikasının satırları geliyor: bu rol için maaş bantları yok, en yakın metin de başka bir metin.
# Başka bir sorunun yanıtı bu; dikkatli bir asistan yanıt vermezdi. Yanıt vermekten ne sıklıkla kaçındığını
# aşağıdaki *abst.* sütunu gösteriyor.
#
# Kural istemde de bu defterde de yazmıyor. Veritabanının satır düzeyindeki bir politikası: bir rolün okuyamayacağı metin
# bulunmaz, sayılmaz, ize de girmez.
#
# ### Alıştırma 1
#
# Sonraki hücre ne istendiğini gösterir. Ondan sonrakinde `…` yerine yanıtınızı yazıp hücreyi çalıştırın. Takıldınız mı? Kendi açtığınız
# bir hücrede önce `lesson.exercise(1).hint()`, sonra `lesson.exercise(1).solution()`.

# %%
lesson.exercise(1)

# %%
sections = ...
lesson.exercise(1).check(sections)

# %% [markdown] tags=["en"]
# ## Is everything in place?
#
# The doctor looks at all the lab stands on. `ok` is well, `note` is optional, and a line that says `mend` says how.

# %% [markdown] tags=["tr"]
# ## Her şey yerinde mi?
#
# Doktor, laboratuvarın dayandığı her şeye bakar. `ok` yolunda, `note` isteğe bağlı demek; `mend` yazan satır nasıl düzeltileceğini de
# söyler.

# %%
lesson.health()

# %% [markdown] tags=["en"]
# ## Where we are going
#
# The ladder as the newest climb in the ledger measured it.
#
# - *hit@1*, *rec@5*, *MRR*, *nDCG*: how far up the right passage is found; the next notebook explains them. *answers*: the share of
#   answers that are right, among the questions that have one. *abst.*: the share that is refused, among those that have none. High
#   is good.
# - *leaks*, *attacks*, *stale*: in how many questions something came through that the asker may not read, an order planted in a document
#   was obeyed, or text was read that is not in force on the asked day. Low is good.
# - *tokens*, *calls*, *ms*: what one question costs.
# - *verdict*: *kept*, or *aside*: measured and not worth it here.
#
# The eight tickets have a notebook each, or share one. Between them stand rungs that fewer words explain: `pair` adds a second
# embedder, `letters` restores Turkish letters, `glossary` searches the handbook's own terms too, `views` looks at a section in more than
# one way, `guard` keeps planted orders out of prompts.

# %% [markdown] tags=["tr"]
# ## Nereye gidiyoruz
#
# Merdivenin, kayıt defterindeki son tırmanışta ölçülmüş hâli.
#
# - *hit@1*, *rec@5*, *MRR*, *nDCG*: doğru bölüm ne kadar yukarıda bulunuyor; sonraki defter anlatıyor. *answers*: yanıtı olan sorularda
#   doğru yanıtların payı. *abst.*: yanıtı olmayan sorularda yanıt vermeyişlerin payı. Yüksek olması iyi.
# - *leaks*, *attacks*, *stale*: kaç soruda, soranın okumaması gereken bir şey sızdı, bir belgeye gizlenmiş emre uyuldu ya da sorulan
#   günde yürürlükte olmayan bir metin okundu. Düşük olması iyi.
# - *tokens*, *calls*, *ms*: bir sorunun bedeli.
# - *karar*: *kept* tutuldu, *aside* kenara ayrıldı (ölçüldü, ama burada değmedi), *skipped* atlandı demek.
#
# Sekiz talebin her birinin bir defteri var, ikisi aynı defteri paylaşıyor. Aralarında, anlatması daha kısa süren basamaklar duruyor:
# `pair` ikinci bir gömme modeli ekler, `letters` Türkçe harfleri yerine koyar, `glossary` el kitabının kendi terimlerini de arar, `views`
# bir bölüme birden çok yönden bakar, `guard` gizlenmiş emirleri istemin dışında tutar.

# %%
lesson.scoreboard()

# %% [markdown] tags=["en"]
# ### Exercise 2

# %% [markdown] tags=["tr"]
# ### Alıştırma 2

# %%
lesson.exercise(2)

# %%
rung = ...
lesson.exercise(2).check(rung)

# %% [markdown] tags=["en"]
# Next: `01_chunks_and_gold`, where the first rung cuts a table in two.

# %% [markdown] tags=["tr"]
# Sıradaki defter `01_chunks_and_gold`: ilk basamak bir tabloyu ikiye kesiyor.
