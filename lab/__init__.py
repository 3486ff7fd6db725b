"""Kraken Lab: a RAG ladder, measured rung by rung, over one PostgreSQL memory core."""

__version__ = "0.1.0"
