"""The summary, statistics and logs of a run."""
