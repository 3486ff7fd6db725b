"""Exams of other kinds than the ladder's gold set."""
