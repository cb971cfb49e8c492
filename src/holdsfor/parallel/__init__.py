"""Parallel evaluation: stages of buckets in the tasks of a cluster or in the processes of one machine."""
