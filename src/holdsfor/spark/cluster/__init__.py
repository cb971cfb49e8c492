"""Sessions and clusters of Spark: start, connection, the shipped package, progress and failures."""
