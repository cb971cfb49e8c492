"""A small Prolog for background knowledge: facts and rules that hold at all times.

    Database        predicates: clauses, and facts as columns
    Engine          answers goals from a database, lazily, within budgets

The engine runs pure Prolog with cut, the usual control constructs and built-ins, `assertz/1` and `retract/1`. It reads
and writes no files; `printing` sets the destination of printed text. The stages of a call: `compiler` turns clauses
into linked steps (`code`) on slots (`patterns`), `clauses` and `tables` find candidates, `machine` runs the steps over
a stack of `choices`.
"""

from holdsfor.prolog.arithmetic import evaluate
from holdsfor.prolog.database import Database
from holdsfor.prolog.engine import DEFAULT_MAX_DEPTH, DEFAULT_MAX_STEPS, PROOF, Engine
from holdsfor.prolog.order import standard_order_key
from holdsfor.prolog.registry import builtin_keys, is_builtin

__all__ = [
    "DEFAULT_MAX_DEPTH",
    "DEFAULT_MAX_STEPS",
    "PROOF",
    "Database",
    "Engine",
    "builtin_keys",
    "evaluate",
    "is_builtin",
    "standard_order_key",
]
