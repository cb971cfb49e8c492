"""The engines of `holdsfor run`: each reads the input and computes reports or changes."""
