"""Readers of input: files, tables, Python objects and live inputs to columns of records."""
