"""Reports of query times, the changes between them, and revisions over a whole run."""
