"""The leak test: planted secrets, every read path, everybody who may not see them."""
