"""`--version`: the versions of holdsfor, Python and the packages that results depend on."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata
from typing import Any

from holdsfor import __version__

__all__ = ["ShowVersions", "versions"]

_PACKAGES = {"NumPy": "numpy", "Arrow": "pyarrow", "Spark": "pyspark"}


def versions() -> str:
    """The versions as two lines.

    >>> versions().splitlines()[0].startswith("holdsfor ")
    True
    """
    packages = [f"{name} {_version(package)}" for name, package in _PACKAGES.items()]
    return f"holdsfor {__version__}\n{', '.join([f'Python {platform.python_version()}', *packages])}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


class ShowVersions(argparse.Action):
    """Print the versions and end the command."""

    def __init__(self, option_strings: list[str], dest: str, **more: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **more)

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> None:
        print(versions())
        parser.exit()
