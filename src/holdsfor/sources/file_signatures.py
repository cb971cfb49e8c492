"""Files that are no text, by their first bytes: what they are, and how to read them."""

from __future__ import annotations

from holdsfor.errors import DataProblem, Diagnostic

__all__ = ["refuse_other_formats"]

_KINDS = (
    (b"\x1f\x8b", "packed with gzip", "call it `.gz`, or unpack it: `gunzip`"),
    (b"PAR1", "a Parquet file", "call it `.parquet`, or give `--input-format parquet`"),
    (b"ORC", "an ORC file", "call it `.orc`, or give `--input-format orc`"),
    (b"ARROW1", "an Arrow file", "call it `.arrow`, or give `--input-format arrow`"),
    (b"PK\x03\x04", "a spreadsheet or a zip archive", "save the sheet as CSV, or unpack the archive"),
    (b"\xff\xfe", "UTF-16 text, not UTF-8", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text, not UTF-8", "save it as UTF-8"),
)


def refuse_other_formats(content: bytes, file: str) -> None:
    """Refuse a file that begins as those of another format do; HF501."""
    for beginning, what, hint in _KINDS:
        if content.startswith(beginning) and (len(beginning) > 3 or not content[:200].isascii()):
            raise DataProblem(Diagnostic("HF501", f"`{file}` is {what}", hint=hint, file=file))
