"""What `start.py` does: makes the environment, once. Standard library only: it runs before any package."""
