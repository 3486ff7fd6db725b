"""Embedders and readers, named by a spec. Small protocols, thin adapters."""
