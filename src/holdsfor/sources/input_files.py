"""The files that an input names: a file, all files in a folder, or those that match a pattern such as `day/*.csv`.

As on Spark, files in folders inside are files of a folder, and names that begin with a dot or an underscore are hidden,
unless they name a partition such as `_day=1`. Files are in the order of their paths.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from pathlib import Path

from holdsfor.errors import DataProblem, Diagnostic, Hint, did_you_mean
from holdsfor.sources.column_mapping import LISTEN, SOCKET, separator_hint, split_mapping

__all__ = ["INPUT_HINT", "files_of_inputs", "not_found", "split_description"]

INPUT_HINT = Hint(
    "give the files with records; `-` is standard input",
    on_command_line="give the files with records after `--input`; `-` is standard input",
)


def files_of_inputs(inputs: Iterable[object]) -> list[object]:
    """The inputs, with the files of each folder and each pattern in its place; HF501 if there are no such files."""
    return [file for each in inputs for file in _files_of(each)]


def _files_of(each: object) -> Iterator[object]:
    """The files of an input, each with the description of its columns; an input of another kind itself."""
    if isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str | Path):
        yield from ((file, each[1]) for file in _listed(str(each[0])))
    elif isinstance(each, Path):
        yield from map(Path, _listed(str(each)))
    elif isinstance(each, str):
        path, description = split_description(each)
        for file in _listed(path):
            yield each if file == path else file if description is None else f"{file}: {description}"
    else:
        yield each


def _listed(path: str) -> list[str]:
    """The files that a path names; the path itself if it names neither a folder nor files that match a pattern."""
    place = Path(path)
    if path.strip() in ("", "-") or path.startswith((SOCKET, LISTEN)) or (place.exists() and not place.is_dir()):
        return [path]
    is_pattern = not place.is_dir() and glob.has_magic(path)
    if not is_pattern and not place.is_dir():
        return [path]
    matches = glob.glob(path, recursive=True) if is_pattern else [path]  # noqa: PTH207 (a path may be absolute)
    found = sorted(file for match in matches for file in _files_in(Path(match)))
    if not found:
        what = "matches no file" if is_pattern else "has no files in it"
        raise DataProblem(Diagnostic("HF501", f"`{path}` {what}", hint=INPUT_HINT, file=path))
    return found


def _files_in(place: Path) -> Iterator[str]:
    """The visible files in a folder and in the folders inside; a file itself."""
    if place.is_file():
        yield str(place)
    for file in place.rglob("*") if place.is_dir() else ():
        if file.is_file() and all(map(_is_visible, file.relative_to(place).parts)):
            yield str(file)


def _is_visible(name: str) -> bool:
    return name[0] not in "._" or (name[0] == "_" and "=" in name)


def split_description(text: str) -> tuple[str, str | None]:
    """A path, and the text after its colon, unless that is part of the file's name."""
    if Path(text).exists():
        return text, None
    file, mapping = split_mapping(text)
    before, _, behind = text.partition(":")
    if mapping is None and behind.strip() and Path(before).is_file() and not text.startswith((SOCKET, LISTEN)):
        return before, behind.strip()
    return file, mapping


def not_found(file: str) -> DataProblem:
    """The error of a file that does not exist."""
    hint = separator_hint(file) or _similar_name(Path(file)) or INPUT_HINT
    return DataProblem(Diagnostic("HF501", f"`{file}` not found", hint=hint, file=file))


def _similar_name(path: Path) -> str | None:
    """A hint with the most similar file name of the folder."""
    try:
        return did_you_mean(path.name, [each.name for each in path.parent.iterdir()])
    except (OSError, ValueError):
        return None
