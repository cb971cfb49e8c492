"""Stages of buckets in processes of one machine."""
