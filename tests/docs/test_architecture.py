"""The modules that ARCHITECTURE.md and docstrings name exist, and its tree has all packages."""

from __future__ import annotations

import re
from pathlib import Path

import holdsfor

PACKAGE = Path(holdsfor.__file__).parent
ROOT = Path(__file__).parents[2]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MODULES = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")}


def exists(named: str, *folders: str) -> bool:
    """Whether a module is named from the root of the repository, the package, or one of the folders of the package."""
    if (ROOT / named).exists() or any(f"{folder}{named}" in MODULES for folder in ("", *folders)):
        return True
    return "/" not in named and any(module.endswith(f"/{named}") for module in MODULES)


def test_modules_of_the_architecture_exist() -> None:
    named = re.findall(r"`([a-z_/]+\.py)`", ARCHITECTURE)
    assert [each for each in named if not exists(each, "spark/")] == []


def test_modules_that_docstrings_name_exist() -> None:
    missing = [
        f"{path.relative_to(PACKAGE)}: {each}"
        for path in PACKAGE.rglob("*.py")
        for each in re.findall(r"`([a-z_/]+\.py)`", path.read_text(encoding="utf-8"))
        if not exists(each)
    ]
    assert missing == []


def test_the_tree_has_all_packages() -> None:
    tree = ARCHITECTURE.partition("## The tree")[2].partition("```")[2].partition("```")[0]
    packages = {path.parent.name for path in PACKAGE.rglob("*/__init__.py")}
    nested = {"builtins", "operators", "checkpoint", "options", "engines", "outcome", "prompt", "terminal"}
    assert packages - nested <= set(re.findall(r"(\w+)/", tree))
