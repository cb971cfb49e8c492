"""Records in."""
