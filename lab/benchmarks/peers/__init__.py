"""What a user would pick instead, on the same texts, vectors and PostgreSQL, in one run."""
