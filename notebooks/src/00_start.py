# %% [markdown] tags=["en"]
# # 0 · An assistant goes live
#
# Kraken Air is an airline that does not exist. Its HR assistant answers from a handbook in two editions and from the mail
# that came in between. Tickets come in: each is a failure somebody saw. In this lab you look at the failure first, guess what is
# behind it, apply **one** technique, and let a gold set say what it was worth.
#
# Everything runs on this machine. Run the cells from top to bottom.

# %% [markdown] tags=["tr"]
# # 0 · Bir asistan yayına giriyor
#
# Kraken Air gerçekte olmayan bir havayolu. İK asistanı, iki baskısı olan bir el kitabıyla arada gönderilmiş postalardan
# yanıt veriyor. Biletler gelmeye başlıyor: her biri, birinin gözüyle gördüğü bir hata. Bu laboratuvarda önce hataya bakıyor,
# arkasında ne olduğunu tahmin ediyor, **tek bir** teknik uyguluyor ve işe yarayıp yaramadığını bir sınava söyletiyorsunuz.
#
# Her şey bu makinede çalışıyor. Hücreleri yukarıdan aşağıya sırayla çalıştırın.

# %%
from lab.workshop.lesson import Lesson

lesson = Lesson("00_start", "en")
lesson

# %% [markdown] tags=["en"]
# ## The question of the day
#
# Somebody has been here for seven years. What does the assistant say, and where did it read it? Open the source.

# %% [markdown] tags=["tr"]
# ## Günün sorusu
#
# Biri yedi yıldır burada çalışıyor. Asistan ne diyor, bunu nerede okumuş? Kaynağı açın.

# %%
lesson.ask("q01")

# %% [markdown] tags=["en"]
# The answer quotes; it makes nothing up. That is the reader of this lab as it comes: `extractive`, no language model. With an
# Ollama beside it, `python start.py climb --reader ollama:gemma3:4b` climbs with a model.
#
# A model that is given **no** documents knows nothing of Kraken Air and answers all the same. That is the rung `bare`, and it is
# skipped where no model is to be had:

# %% [markdown] tags=["tr"]
# Yanıt alıntı yapıyor, hiçbir şey uydurmuyor. Laboratuvarın hazır gelen okuyucusu böyle: `extractive`, dil modeli yok. Yanında bir
# Ollama varsa `python start.py climb --reader ollama:gemma3:4b` ile modelle de tırmanılıyor.
#
# Kendisine **hiç** belge verilmeyen bir model Kraken Air'i tanımaz, yine de yanıt verir. `bare` basamağı bu; model yoksa
# atlanıyor:

# %%
lesson.effect("bare")

# %% [markdown] tags=["en"]
# ## Who asks
#
# Who is asking comes from the session, never from the question. An employee asks for a salary band; then hr does.

# %% [markdown] tags=["tr"]
# ## Kim soruyor
#
# Soranın kim olduğu oturumdan gelir, sorunun metninden değil. Bir maaş bandını önce bir çalışan, sonra İK soruyor.

# %%
lesson.ask("What is the upper limit of the senior specialist band?", role="employee", as_of="2025-06-15")

# %%
lesson.ask("What is the upper limit of the senior specialist band?", role="hr", as_of="2025-06-15")

# %% [markdown] tags=["en"]
# The rule is not in the prompt and not in this notebook. It is a row-level policy of the database: text that a role may not read
# is not found, not counted and not in the trace.
#
# ### Exercise 1

# %% [markdown] tags=["tr"]
# Kural istemde de bu defterde de yazmıyor. Veritabanının satır düzeyindeki bir politikası: bir rolün okuyamayacağı metin
# bulunmaz, sayılmaz, ize de girmez.
#
# ### Alıştırma 1

# %%
lesson.exercise(1)

# %%
sections = ...
lesson.exercise(1).check(sections)

# %% [markdown] tags=["en"]
# ## Is everything in place?
#
# The doctor looks at all the lab stands on; each line says how to mend it.

# %% [markdown] tags=["tr"]
# ## Her şey yerinde mi?
#
# Doktor, laboratuvarın dayandığı her şeye bakar; her satırda nasıl düzeltileceği yazar.

# %%
lesson.health()

# %% [markdown] tags=["en"]
# ## Where we are going
#
# The ladder as the newest climb in the ledger measured it. Each rung is the last kept one with one thing changed; *aside* means
# measured and not worth it here.

# %% [markdown] tags=["tr"]
# ## Nereye gidiyoruz
#
# Merdivenin, kayıt defterindeki son tırmanışta ölçülmüş hâli. Her basamak, tutulan son basamağın tek bir şeyi değiştirilmiş
# biçimi; *aside* ölçüldü ama burada değmedi demek.

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
# Stuck? `lesson.exercise(2).hint()`, then `lesson.exercise(2).solution()`. Next: `01_chunks_and_gold`.

# %% [markdown] tags=["tr"]
# Takıldınız mı? Önce `lesson.exercise(2).hint()`, sonra `lesson.exercise(2).solution()`. Sıradaki defter: `01_chunks_and_gold`.
