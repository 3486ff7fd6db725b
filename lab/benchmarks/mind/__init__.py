"""What a mind remembers and how it is asked for: thirty notes, each with a question in either language."""
