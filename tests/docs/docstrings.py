"""The public names of the package, and the examples in their docstrings."""

from __future__ import annotations

import doctest
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import ModuleType
from typing import Any

import holdsfor

__all__ = ["PUBLIC", "examples", "failures", "on_spark"]

_OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _names(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """What a module exports, and what the modules and classes among its exports have."""
    for name in module.__all__:
        member = getattr(module, name)
        if isinstance(member, ModuleType):
            yield from _names(member)
        elif inspect.isclass(member):
            yield f"{module.__name__}.{name}", member
            yield from _methods(f"{module.__name__}.{name}", member)
        elif inspect.isfunction(member):
            yield f"{module.__name__}.{name}", member


def _methods(name: str, owner: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that the package itself defines."""
    for base in reversed(owner.__mro__):
        if base.__module__.startswith("holdsfor."):
            for attribute, value in vars(base).items():
                function = _function(value)
                if not attribute.startswith("_") and function is not None:
                    yield f"{name}.{attribute}", function


def _function(value: object) -> Any:
    if isinstance(value, property):
        return value.fget
    if isinstance(value, cached_property):
        return value.func
    if isinstance(value, classmethod | staticmethod):
        return value.__func__
    return value if inspect.isfunction(value) else None


PUBLIC: dict[str, Any] = dict(_names(holdsfor))


def on_spark(name: str) -> bool:
    """Whether a name needs a session of Spark."""
    return name.startswith("holdsfor.spark.")


def examples(name: str) -> list[doctest.Example]:
    """The examples that run."""
    found = doctest.DocTestParser().get_examples(inspect.getdoc(PUBLIC[name]) or "")
    return [example for example in found if not example.options.get(doctest.SKIP)]


def failures(name: str, namespace: Mapping[str, Any]) -> str:
    """What the examples of a name print otherwise than its docstring says; empty if they are right."""
    member, said = PUBLIC[name], list[str]()
    known = {**vars(sys.modules[member.__module__]), **namespace}
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(member) or "", known, name, None, None)
    doctest.DocTestRunner(optionflags=_OPTIONS).run(test, out=said.append)
    return "".join(said)
