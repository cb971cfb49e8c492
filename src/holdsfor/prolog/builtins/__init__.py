"""The built-in predicates written in Python, registered when `holdsfor.prolog.library` imports their modules."""
