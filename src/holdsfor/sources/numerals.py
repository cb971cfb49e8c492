"""Fields to words in bulk: numbers by arithmetic on their bytes, everything else once per distinct text.

A canonical number is a sign, a run of digits and perhaps a dot and another run. Eight bytes are one 64-bit integer, so
a run of eight digits is checked with three operations and read with three multiplications (D. Lemire, "Quickly parsing
eight digits", 2018), here on whole columns. Digits and powers of ten up to 2**53 are exact as floats, so that one
division rounds as it must (W. Clinger, "How to read floating point numbers accurately", PLDI 1990). Numbers in another
form (`1e5`, forty digits) are treated as texts: `read_field` decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols, float_words, integer_words
from holdsfor.kernels.keys import Int64
from holdsfor.sources.fields import read_field

__all__ = [
    "PADDING",
    "Bytes",
    "Fields",
    "Lexicon",
    "column_words",
    "distinct_texts",
    "fields_of",
    "read_integers",
    "whole_numbers",
    "words_of",
]

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]

PADDING = 24
"""Bytes that a text must have before its first field, so that runs can be read from their end."""

_SEPARATORS = "|\n"
_MOST_TEXTS = 1 << 18
_MOST_DICTIONARIES = 16
_MOST_DIGITS = 18  # always fit into 63 bits
_FEW_TEXTS = 16
_SAMPLE = 1_000  # rows that decide whether a column has few distinct texts
_LARGEST_WORD = 2**49
_EXACT = 2**53
_POWERS = 10 ** np.arange(_MOST_DIGITS + 1, dtype=np.int64)


@dataclass(frozen=True)
class Fields:
    """The fields of a text.

    Contract: field `i` is `text[starts[i]:ends[i]]`, and `strings[i]` is the same with `n_separators` separators
    after it. `dots[i]` is the position of its dot, 0 if it has none and -1 if it has several.
    """

    text: Bytes
    starts: Int64
    ends: Int64
    dots: Int64
    strings: Any
    n_separators: int

    def distinct(self, which: Int64) -> tuple[list[str], Int64]:
        """The distinct `strings` of the fields, and for each field the index of its string."""
        encoded = self.strings.take(pa.array(which)).dictionary_encode()
        return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


class Lexicon(dict[str, int]):
    """The words of the texts read so far, keyed like `Fields.strings`.

    >>> symbols = Symbols()
    >>> symbols.term(Lexicon(symbols, n_separators=1)["pub |"])
    Atom(name='pub')
    """

    def __init__(self, symbols: Symbols, n_separators: int) -> None:
        super().__init__()
        self.symbols = symbols
        symbols.register_cache(self)
        self.n_separators = n_separators
        self._dictionaries: dict[tuple[object, ...], tuple[Any, Int64, Flags]] = {}

    def clear(self) -> None:
        super().clear()
        self._dictionaries.clear()

    def of_dictionary(
        self, dictionary: Any, read: Callable[[Any], tuple[Int64, Flags]], *, are_texts: bool
    ) -> tuple[Int64, Flags]:
        """The words of the dictionary of a column, and which are not null; the batches of a table share dictionaries.

        The memory of a dictionary identifies it, so the dictionary is kept too.
        """
        memory = (None if buffer is None else buffer.address for buffer in dictionary.buffers())
        key = (are_texts, dictionary.type, len(dictionary), dictionary.offset, *memory)
        if key not in self._dictionaries:
            if len(self._dictionaries) >= _MOST_DICTIONARIES:
                self._dictionaries.clear()
            self._dictionaries[key] = (dictionary, *read(dictionary))
        return self._dictionaries[key][1:]

    def __missing__(self, text: str) -> int:
        if len(self) >= _MOST_TEXTS:
            self.clear()
        word = self[text] = self.symbols.word(read_field(text[: len(text) - self.n_separators].strip()))
        return word


def fields_of(strings: Any) -> Fields:
    """The elements of an Arrow array of strings as fields; null is an empty field."""
    strings = strings.cast(pa.large_string())
    offsets, content = _content(strings)
    offsets = offsets - offsets[0]
    # Two bytes more, so that an empty element at the end has a first byte.
    text = np.concatenate([np.zeros(PADDING, np.uint8), content, np.zeros(2, np.uint8)])
    found = np.flatnonzero(content == ord("."))
    owner = np.searchsorted(offsets, found, side="right") - 1
    dots = np.zeros(len(strings), np.int64)
    dots[owner] = found + PADDING
    dots[np.bincount(owner, minlength=len(strings)) > 1] = -1
    return Fields(text, offsets[:-1] + PADDING, offsets[1:] + PADDING, dots, strings, 0)


def _content(strings: Any) -> tuple[Int64, Bytes]:
    """The bytes of an Arrow array of strings, and where each of them begins in its buffer."""
    kind = "i8" if pt.is_large_string(strings.type) else "i4"
    offsets: Int64 = np.frombuffer(strings.buffers()[1], kind)[strings.offset : strings.offset + len(strings) + 1]
    return offsets, np.frombuffer(strings.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]


def column_words(strings: Any, lexicon: Lexicon) -> Int64:
    """The words of an Arrow array of fields, any word for null.

    A column of integers is read by Arrow, and a column of few distinct texts once for each of them.
    """
    numbers = whole_numbers(strings)
    if numbers is not None and len(numbers) and -_LARGEST_WORD <= numbers.min() <= numbers.max() < _LARGEST_WORD:
        return integer_words(numbers)
    if len(strings) > _SAMPLE and len(strings.slice(0, _SAMPLE).dictionary_encode().dictionary) < _SAMPLE // 4:
        texts, codes = distinct_texts(strings)
        found: Int64 = column_words(texts, lexicon).take(codes)
        return found
    words = np.zeros(len(strings), np.int64)
    which = np.flatnonzero(strings.is_valid().to_numpy(zero_copy_only=False))
    words[which] = words_of(fields_of(strings), which, lexicon)
    return words


def distinct_texts(strings: Any) -> tuple[Any, NDArray[np.integer[Any]]]:
    """The distinct texts of an Arrow array of strings, and for each row the index of its text; any index for null.

    >>> texts, codes = distinct_texts(pa.array(["on", "off", "on"]))
    >>> texts.to_pylist(), codes.tolist()
    (['on', 'off'], [0, 1, 0])
    """
    few = _few_short_texts(strings) if strings.null_count < len(strings) else None
    if few is not None:
        return few
    encoded = strings.dictionary_encode()
    return encoded.dictionary, encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)


def _few_short_texts(strings: Any) -> tuple[Any, NDArray[np.integer[Any]]] | None:
    """`distinct_texts` of up to 16 texts of up to 8 bytes, by comparing the texts as integers; None for others."""
    offsets, content = _content(strings)
    lengths = np.diff(offsets)
    if int(lengths.max()) > 8 or (len(content) and int(content.min()) == 0):
        return None
    text = np.concatenate([content, np.zeros(8, np.uint8)])
    eights = np.ndarray((len(text) - 7,), "<u8", text, 0, (1,))
    keys = eights.take(offsets[:-1] - offsets[0])  # three times as fast as an index
    keys &= _FIRST_BYTES.take(lengths)
    codes = np.zeros(len(keys), np.uint8)
    rows: list[int] = []
    is_left = strings.is_valid().to_numpy(zero_copy_only=False) if strings.null_count else np.ones(len(keys), np.bool_)
    while is_left[at := int(is_left.argmax())]:
        if len(rows) == _FEW_TEXTS:
            return None
        is_such = (keys == keys[at]) & is_left
        codes += is_such.view(np.uint8) * np.uint8(len(rows))
        rows.append(at)
        is_left ^= is_such
    return strings.take(pa.array(rows)), codes


def whole_numbers(strings: Any) -> Int64 | None:
    """The integers of an Arrow array of strings, 0 for null; None unless all are canonical, of up to 18 digits.

    Every other text that Arrow reads as an integer is longer than the integer in canonical form (`007`, `-0`), except
    those with letters (`0xff`). So no text is another one if all of them together are as long as they should be.

    >>> whole_numbers(pa.array(["12", "-7", None])), whole_numbers(pa.array(["12", "007"]))
    (array([12, -7,  0]), None)
    """
    content = _content(strings)[1] if len(strings) else np.zeros(0, np.uint8)
    if not len(content) or int(content.max()) > ord("9"):
        return None
    try:
        values = strings.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    n_texts = len(values) - values.null_count
    numbers: Int64 = (values.fill_null(0) if values.null_count else values).to_numpy(zero_copy_only=False)
    low, high = int(numbers.min()), int(numbers.max())
    if max(-low, high) >= 10**_MOST_DIGITS:
        return None
    sizes, n_bytes = numbers, n_texts
    if low < 0:
        sizes, n_bytes = np.abs(numbers), n_texts + int(np.count_nonzero(numbers < 0))
    for power in _POWERS[1:]:
        if power > max(-low, high):
            break
        n_bytes += int(np.count_nonzero(sizes >= power))
    return numbers if n_bytes == len(content) else None


def words_of(fields: Fields, which: Int64, lexicon: Lexicon) -> Int64:
    """The words of the fields `which`: `Symbols.word` of `read_field`, for each of them."""
    first = fields.text[fields.starts[which]]
    may_be_number = (((first - np.uint8(ord("0"))) < 10) | (first == ord("-"))) & (fields.dots[which] >= 0)
    if may_be_number.all():
        words, is_number = _number_words(fields, which)
    else:
        words, is_number = np.empty(len(which), np.int64), may_be_number
        candidates = np.flatnonzero(may_be_number)
        words[candidates], is_number[candidates] = _number_words(fields, which[candidates])
    others = np.flatnonzero(~is_number)
    if len(others):
        texts, number = fields.distinct(which[others])
        words[others] = np.fromiter(map(lexicon.__getitem__, texts), np.int64, len(texts))[number]
    return words


def _number_words(fields: Fields, which: Int64) -> tuple[Int64, Flags]:
    """The words of fields, and which fields are numbers in canonical form that fit into a word."""
    starts, ends, dots = fields.starts[which], fields.ends[which], fields.dots[which]
    has_dot = dots > 0
    whole, is_negative, is_number = _read_canonical(fields.text, starts, np.where(has_dot, dots, ends))
    values = np.where(is_negative, -whole, whole)
    is_whole = ~has_dot
    is_number &= has_dot | (whole < _LARGEST_WORD)
    words = integer_words(np.where(is_whole & is_number, values, 0))
    decimals = np.flatnonzero(has_dot & is_number)
    if len(decimals):
        numbers, is_decimal = _read_decimals(fields, which[decimals], whole[decimals])
        words[decimals] = float_words(np.where(is_negative[decimals], -numbers, numbers))
        is_number[decimals] = is_decimal
    return words, is_number


def _read_decimals(fields: Fields, which: Int64, whole: Int64) -> tuple[NDArray[np.float64], Flags]:
    """The absolute values of decimals, given their integer parts, and which decimals are well formed."""
    dots, ends = fields.dots[which], fields.ends[which]
    part, is_decimal = _read_digits(fields.text, dots + 1, ends)
    n_decimals = ends - dots - 1
    scale = _POWERS[np.minimum(n_decimals, _MOST_DIGITS)]
    mantissa = whole * scale + part
    is_exact = (dots - fields.starts[which] + n_decimals <= _MOST_DIGITS) & (mantissa <= _EXACT)
    numbers = mantissa / scale
    rest = np.flatnonzero(is_decimal & ~is_exact)
    if len(rest):
        texts = fields.strings.take(pa.array(which[rest]))
        texts = pc.ascii_rtrim(texts, _SEPARATORS) if fields.n_separators else texts
        numbers[rest] = np.abs(texts.cast(pa.float64()).to_numpy())
    return numbers, is_decimal


def read_integers(text: Bytes, starts: Int64, ends: Int64) -> tuple[Int64, Flags]:
    """The integers from `starts` to `ends`, and which of them are in canonical form of up to 18 digits."""
    sizes, is_negative, is_integer = _read_canonical(text, starts, ends)
    return np.where(is_negative, -sizes, sizes), is_integer


def _read_canonical(text: Bytes, starts: Int64, ends: Int64) -> tuple[Int64, Flags, Flags]:
    """Absolute value, sign and validity of integers in canonical form of up to 18 digits."""
    is_negative = text[starts] == ord("-")
    begins = starts + is_negative
    sizes, is_integer = _read_digits(text, begins, ends)
    n_digits = ends - begins
    is_integer &= (n_digits <= _MOST_DIGITS) & ((text[begins] != ord("0")) | (n_digits == 1))
    return sizes, is_negative, is_integer


# -- runs of digits ----------------------------------------------------------------------------------------------------


def _repeated(byte: int) -> np.uint64:
    """A word of eight equal bytes."""
    return np.uint64(int.from_bytes(bytes([byte] * 8), "little"))


_FIRST_BYTES = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
_LAST_BYTES = np.array([(2**64 - 1) ^ (2 ** (64 - 8 * n) - 1) for n in range(9)], np.uint64)
_ZEROS_BEFORE = _repeated(ord("0")) & ~_LAST_BYTES


def _read_digits(text: Bytes, starts: Int64, ends: Int64) -> tuple[Int64, Flags]:
    """The bytes from `starts` to `ends` as decimal numbers, and which are numbers of 1 to 24 digits.

    Contract: `text` is contiguous and `ends >= PADDING`. From the 19th digit on, the value overflows. O(n).
    """
    # Little-endian: the first digit is the lowest byte.
    eights = np.ndarray((len(text) - 7,), "<u8", text, 0, (1,))
    lengths = ends - starts
    values, are_digits = _read_eight(eights, ends, np.clip(lengths, 0, 8))
    are_digits &= (lengths > 0) & (lengths <= PADDING)
    for n_read in range(8, PADDING, 8):
        longer = np.flatnonzero(are_digits & (lengths > n_read))
        if not len(longer):
            break
        more, are_more = _read_eight(eights, ends[longer] - n_read, np.minimum(lengths[longer] - n_read, 8))
        values[longer] += more * _POWERS[n_read]
        are_digits[longer] = are_more
    return values, are_digits


def _read_eight(eights: NDArray[np.uint64], ends: Int64, lengths: Int64) -> tuple[Int64, Flags]:
    """The number in up to eight bytes before `ends`, and whether all of them are digits."""
    digits = eights.take(ends - 8)
    digits &= _LAST_BYTES.take(lengths)
    digits |= _ZEROS_BEFORE.take(lengths)
    high = _repeated(0xF0)
    # A digit is 0x30 to 0x39: its high half is 3, and stays 3 after adding 6.
    are_digits = ((digits & high) | (((digits + _repeated(0x06)) & high) >> np.uint64(4))) == _repeated(0x33)
    digits &= _repeated(0x0F)
    for base, bits, mask in ((10, 8, 0x00FF00FF00FF00FF), (100, 16, 0x0000FFFF0000FFFF), (10_000, 32, 0xFFFFFFFF)):
        upper = digits >> np.uint64(bits)
        digits *= np.uint64(base)
        digits += upper
        digits &= np.uint64(mask)
    return digits.view(np.int64), are_digits
