"""Results of a job as rows and tables, and the folders, catalogue tables and databases that receive them."""
