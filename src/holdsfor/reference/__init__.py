"""The semantics, slow and readable: documentation of the language and oracle of the tests."""

from holdsfor.reference.evaluator import Answer, recognise
from holdsfor.reference.history import History, Run
from holdsfor.reference.intervals import INF

__all__ = ["INF", "Answer", "History", "Run", "recognise"]
