"""What makes a claim true: the gold set, the measures, the ledger, comparisons, leaks."""
