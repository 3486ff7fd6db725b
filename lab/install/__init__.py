"""What `start.py` does: makes the environment, once. Standard library only, for it runs before any package."""
