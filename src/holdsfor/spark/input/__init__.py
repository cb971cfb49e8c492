"""Input of a Spark job: files and DataFrames to facts, in the workers."""
