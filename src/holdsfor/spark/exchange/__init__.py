"""Shuffle blocks as rows of DataFrames."""
