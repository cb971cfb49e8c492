"""Input of a Spark job: workers read files and DataFrames into facts."""
