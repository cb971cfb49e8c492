"""The job: input, stages of buckets, and the engine in each bucket."""
