"""Results out."""
