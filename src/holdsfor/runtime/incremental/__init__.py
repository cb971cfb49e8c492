"""Query times at the cost of the change: keys without changes continue, keys with changes are evaluated again."""
