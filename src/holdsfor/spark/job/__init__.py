"""The Spark job: admission of records, stages of buckets, and the engine in each bucket."""
