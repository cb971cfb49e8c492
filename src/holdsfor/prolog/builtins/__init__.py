"""The built-in predicates written in Python. Importing this package registers them."""

from holdsfor.prolog.builtins import atoms, changes, collecting, lists, numbers, output, terms

__all__ = ["atoms", "changes", "collecting", "lists", "numbers", "output", "terms"]
