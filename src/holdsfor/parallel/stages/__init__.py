"""Stages as functions of workers: admission of records, and the engine in each bucket."""
