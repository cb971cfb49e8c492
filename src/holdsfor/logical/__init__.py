"""What to compute: rewrites of rules, each equal to what it replaces, one per module."""
