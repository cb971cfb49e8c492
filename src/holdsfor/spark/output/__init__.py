"""Results of a job: rows, tables, and the folders, catalogue tables and databases they go to."""
