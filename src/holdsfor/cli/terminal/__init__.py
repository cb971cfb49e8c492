"""Standard streams, progress and signals of a command."""
