"""Prepared history: records written once in buckets, read by many jobs."""
