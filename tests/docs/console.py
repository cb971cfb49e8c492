"""Commands in documents: `console` blocks with `$ holdsfor …` lines and their output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands(document: Path) -> Iterator[tuple[list[str], str]]:
    """The arguments of every `holdsfor` command of a document, and the output it shows."""
    for block in _BLOCK.findall(document.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            words = shlex.split(line)
            assert words[0] == "holdsfor", f"{document.name} shows a command that is not ours: {line}"
            yield words[1:], output
