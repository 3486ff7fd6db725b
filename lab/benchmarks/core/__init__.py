"""Benchmark of the memory core itself: what reading with rights, writing and many threads cost."""
