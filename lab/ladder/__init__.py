"""Which techniques, in what order: compositions only, no logic."""
