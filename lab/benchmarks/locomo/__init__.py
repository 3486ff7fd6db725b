"""LoCoMo (Maharana et al., 2024): questions about long conversations, each with the turns that answer it."""
