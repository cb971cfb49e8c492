"""Single rows as text: lines of CSV and of JSON."""

from __future__ import annotations

import json
import re

__all__ = ["as_json", "csv_row"]

_encoded = json.JSONEncoder(ensure_ascii=False).encode
_QUOTED_IN_CSV = re.compile(r'[",\r\n]')


def as_json(value: object) -> str:
    """A value as JSON on one line; characters that a terminal may obey are escaped.

    >>> as_json({"name": "caf\u00e9\u2028"})
    '{"name": "caf\u00e9\\\\u2028"}'
    """
    text = _encoded(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def csv_row(*fields: object) -> str:
    """Fields as a line of CSV; a field with line breaks is in quotes.

    >>> csv_row(3, "a,b", "c")
    '3,"a,b",c'
    """
    return ",".join(map(_csv_field, fields))


def _csv_field(field: object) -> str:
    text = str(field)
    return '"' + text.replace('"', '""') + '"' if _QUOTED_IN_CSV.search(text) else text
