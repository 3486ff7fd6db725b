"""A business world with an exam of its own: generated, seeded, in Turkish and English."""
