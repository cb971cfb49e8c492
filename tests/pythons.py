"""Run tests on the other versions of Python that the package claims to support.

`python -m tests.pythons syntax` compiles every module, which needs no packages; `make test` ends with it.
`python -m tests.pythons all` runs the tests that do not need Spark; `make test-pythons` is that. A version that is not
installed on this machine is skipped. Packages are installed once, below the virtual environment.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from shutil import which

__all__ = ["FOLDERS", "claimed_versions", "interpreter_of", "main"]

ROOT = Path(__file__).parents[1]
PACKAGES = ("numpy", "pyarrow", "pandas", "matplotlib", "pygraphviz", "hypothesis", "pytest", "pytest-xdist", "pyyaml")
FOLDERS = ("src", "tests", "benchmarks")
ALL = ("src", "tests", "-m", "not long", "--ignore=tests/spark", "--ignore=tests/rtec")
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")


def claimed_versions() -> list[str]:
    """The versions in the classifiers of the package, such as `3.12`."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        classifiers = tomllib.load(file)["project"]["classifiers"]
    return [found[1] for each in classifiers if (found := _CLASSIFIER.fullmatch(each))]


def interpreter_of(version: str, home: Path | None = None) -> str | None:
    """An interpreter of a version: on the path, or installed by pyenv or uv below the home directory."""
    folder = Path.home() if home is None else home
    pyenv = Path(os.environ.get("PYENV_ROOT", folder / ".pyenv"))
    candidates = [which(f"python{version}")] if home is None else []
    candidates += map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python"), reverse=True))
    candidates += map(str, sorted(folder.glob(f".local/share/uv/python/cpython-{version}.*/bin/python"), reverse=True))
    return next((each for each in candidates if each is not None and _is_of(each, version)), None)


def _is_of(interpreter: str, version: str) -> bool:
    """Whether an interpreter runs, which a shim of pyenv may not, and is of a version."""
    shown = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([interpreter, "-c", shown], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def _environment(version: str, interpreter: str) -> str | None:
    """The Python of a virtual environment with the packages of the tests; None if they cannot be installed."""
    folder = Path(sys.prefix) / "pythons" / version
    python, ready = str(folder / "bin" / "python"), folder / ".ready"
    if ready.exists():
        return python
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-qq", "install", "--constraint", "requirements.lock"]
    for command in ([interpreter, "-m", "venv", "--clear", str(folder)], [*pip, "--no-compile", *PACKAGES]):
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            return None
    ready.touch()
    return python


def _compiles(version: str, interpreter: str) -> bool:
    """Whether every module is valid in a version."""
    print(f"Python {version}: {interpreter}", flush=True)
    program = (
        "import pathlib, sys\n"
        "for path in [p for folder in sys.argv[1:] for p in pathlib.Path(folder).rglob('*.py')]:\n"
        "    compile(path.read_text(encoding='utf-8'), str(path), 'exec', dont_inherit=True)\n"
    )
    command = [interpreter, "-W", "error", "-c", program, *FOLDERS]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def _passes(version: str, interpreter: str) -> bool:
    """Whether the tests pass in a version."""
    python = _environment(version, interpreter)
    if python is None:
        print(f"Python {version}: the packages of the tests cannot be installed", flush=True)
        return False
    print(f"Python {version}: {interpreter}", flush=True)
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    command = [python, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *ALL]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Run tests on the other versions of Python that are claimed.")
    parser.add_argument("part", choices=("syntax", "all"))
    check = _compiles if parser.parse_args().part == "syntax" else _passes
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    others = [version for version in claimed_versions() if version != own]
    found = {version: interpreter_of(version) for version in others}
    for version in (each for each, interpreter in found.items() if interpreter is None):
        print(f"Python {version}: not installed, skipped", flush=True)
    failed = [version for version, each in found.items() if each is not None and not check(version, each)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
