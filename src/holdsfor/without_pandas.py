"""Processes without pandas.

Arrow imports pandas, if it is installed, when it makes its first array. That takes half a second and 35 MB or more. The
command and its worker processes never need it; programs that import holdsfor are not affected.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder

__all__ = ["refuse_pandas"]


class _WithoutPandas(MetaPathFinder):
    """Refuses to import pandas."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("the command does not need pandas", name=name)


def refuse_pandas() -> None:
    """Refuse to import pandas in this process."""
    sys.meta_path.insert(0, _WithoutPandas())
