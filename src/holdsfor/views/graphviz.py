"""Graphviz: the package `pygraphviz`, or the program `dot`.

Both run in a separate process, which isolates their messages and crashes. A machine without fonts would draw empty
squares; if Matplotlib is installed, Graphviz uses Matplotlib's fonts.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Literal

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.python_process import python_command

__all__ = ["has_graphviz", "run_graphviz"]

_PNG_DPI = 144

_PYGRAPHVIZ = f"""
import sys, pygraphviz
format = sys.argv[1]
graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode("utf-8"))
if format == "png":
    graph.graph_attr["dpi"] = "{_PNG_DPI}"
sys.stdout.buffer.write(graph.draw(format=format, prog="dot"))
"""


def has_graphviz() -> bool:
    """Whether `run_graphviz` finds Graphviz."""
    return bool(_commands("svg"))


def run_graphviz(dot: str, output_format: Literal["svg", "png"]) -> bytes:
    """The picture of a DOT text. `UsageProblem` if there is no Graphviz, or if it fails."""
    commands = _commands(output_format)
    if not commands:
        raise UsageProblem(_not_found(output_format))
    with _environment() as environment:
        for command in commands:
            result = subprocess.run(command, input=dot.encode(), capture_output=True, check=False, env=environment)
            if result.returncode == 0 and result.stdout:
                return result.stdout
    raise UsageProblem(_failed(result))


def _commands(output_format: str) -> list[list[str]]:
    """The commands to try, in order, first the package, with which this project is tested."""
    commands = []
    if importlib.util.find_spec("pygraphviz"):
        commands.append(python_command("-c", _PYGRAPHVIZ, output_format))
    if dot := shutil.which("dot"):
        resolution = [f"-Gdpi={_PNG_DPI}"] if output_format == "png" else []
        commands.append([dot, f"-T{output_format}", *resolution])
    return commands


@contextmanager
def _environment() -> Iterator[dict[str, str]]:
    """The environment of Graphviz, with Matplotlib's fonts added to those of the machine, if installed."""
    matplotlib = importlib.util.find_spec("matplotlib")
    if "FONTCONFIG_FILE" in os.environ or matplotlib is None or matplotlib.origin is None:
        yield dict(os.environ)
        return
    fonts = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
    with tempfile.TemporaryDirectory(prefix="holdsfor-") as directory:
        configuration = Path(directory) / "fonts.conf"
        configuration.write_text(
            '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>\n'
            f"<dir>{escape(str(fonts), quote=False)}</dir>\n"
            '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>\n'
            f"<cachedir>{escape(directory, quote=False)}</cachedir>\n</fontconfig>\n",
            encoding="utf-8",
        )
        yield {**os.environ, "FONTCONFIG_FILE": str(configuration)}


def _not_found(output_format: str) -> Diagnostic:
    return Diagnostic(
        "HF752",
        f"Graphviz not found, which draws the graph as .{output_format}",
        hint="`pip install 'holdsfor[graph]'`, or `apt-get install graphviz`; .dot and .mmd files need neither",
    )


def _failed(result: subprocess.CompletedProcess[bytes]) -> Diagnostic:
    said = result.stderr.decode(errors="replace").strip().splitlines()
    return Diagnostic(
        "HF753",
        f"Graphviz stopped with exit code {result.returncode}: {said[-1] if said else 'no message'}",
        hint="write a .dot or .mmd file instead, and draw it with another program",
    )
