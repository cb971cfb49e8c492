"""The Spark job: its input, its stages as tasks, and its results as DataFrames."""
