"""The reference evaluator, slow and readable: documentation of the language and oracle of the tests."""

from holdsfor.reference.evaluator import ReferenceResult, recognise
from holdsfor.reference.history import History, RunBounds
from holdsfor.reference.intervals import INF

__all__ = ["INF", "History", "ReferenceResult", "RunBounds", "recognise"]
