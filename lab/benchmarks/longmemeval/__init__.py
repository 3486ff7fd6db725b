"""LongMemEval (Wu et al., ICLR 2025): questions over many sittings of one user with an assistant."""
