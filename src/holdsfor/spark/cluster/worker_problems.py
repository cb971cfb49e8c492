"""Failures of Spark workers as diagnostics."""

from __future__ import annotations

import re

from holdsfor.errors import Diagnostic

__all__ = ["worker_message"]

# A streaming query that fails adds its SQL state and its offsets.
_DIAGNOSTIC = re.compile(r"(error\[HF\d{3}\]: .*?)(?:\n\s*\n|\s+SQLSTATE: \w{5}|\n=== Streaming Query|\Z)", re.DOTALL)
# Exceptions of the workers reach the driver as text, with the traceback of Python as a parameter of PYTHON_EXCEPTION.
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_NO_PYTHON = re.compile(r'Cannot run program "([^"]+)"')
_OTHER_PYTHON = re.compile(r"\[PYTHON_VERSION_MISMATCH\].*?(\d+\.\d+)\D+(\d+\.\d+)", re.DOTALL)
_HINT = "`--conf spark.pyspark.python=PATH` sets the Python of the workers; see `On a cluster` in the documentation"


def worker_message(text: str) -> str | None:
    """The diagnostic of a failed worker: its own, or one about its Python; None for other failures.

    >>> worker_message("Traceback:\\nholdsfor.errors.ExecutionProblem: error[HF604]: division by zero\\n")
    'error[HF604]: division by zero'
    >>> worker_message("error[HF620]: no answer\\n SQLSTATE: 39000 SQLSTATE: XXKST\\n=== Streaming Query ===\\n")
    'error[HF620]: no answer'
    >>> print(worker_message("Traceback:\\nModuleNotFoundError: No module named 'pyarrow'"))
    error[HF786]: the workers of Spark cannot import `pyarrow`
    hint: ...
    """
    if found := _DIAGNOSTIC.search(text):
        return found.group(1).rstrip()
    message = _about_python(text)
    return None if message is None else Diagnostic("HF786", message, hint=_HINT).render()


def _about_python(text: str) -> str | None:
    if found := _NO_MODULE.search(text):
        return f"the workers of Spark cannot import `{found.group(1)}`"
    if found := _NO_PYTHON.search(text):
        return f"the workers of Spark have no `{found.group(1)}` to run"
    if found := _OTHER_PYTHON.search(text):
        theirs, ours = found.groups()
        return f"expected Python {ours} in the workers of Spark, as here, found {theirs}"
    return None
