"""Streams without end: micro-batches of Spark, the engine in the workers, and the state of buckets in files."""
