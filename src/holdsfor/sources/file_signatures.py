"""Files that are not text, recognised by their first bytes, with a hint how to read them."""

from __future__ import annotations

from holdsfor.errors import DataProblem, Diagnostic, Hint

__all__ = ["refuse_other_formats"]


def _renaming(form: str) -> Hint:
    rename = f"rename it to `.{form}`"
    return Hint(rename, on_command_line=f"{rename}, or give `--input-format {form}`")


_KINDS = (
    (b"\x1f\x8b", "packed with gzip", "rename it to `.gz`, or unpack it: `gunzip`"),
    (b"PAR1", "a Parquet file", _renaming("parquet")),
    (b"ORC", "an ORC file", _renaming("orc")),
    (b"ARROW1", "an Arrow file", _renaming("arrow")),
    (b"PK\x03\x04", "a spreadsheet or a zip archive", "save the sheet as CSV, or unpack the archive"),
    (b"\xff\xfe", "UTF-16 text, not UTF-8", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text, not UTF-8", "save it as UTF-8"),
)


def refuse_other_formats(content: bytes, file: str) -> None:
    """Refuse a file that begins like a file of another format; HF501."""
    for beginning, what, hint in _KINDS:
        if content.startswith(beginning) and (len(beginning) > 3 or not content[:200].isascii()):
            raise DataProblem(Diagnostic("HF501", f"`{file}` is {what}", hint=hint, file=file))
