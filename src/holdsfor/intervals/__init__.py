"""Interval algebra on arrays, Arrow tables and frames.

An interval `[start, end)` is *right-open*: it contains its start and every time up to its end, but not the end. It is
*open* if it has no end yet: `OPEN` in arrays of integers, `NaT` among dates, null in tables. Two intervals *overlap* if
they share a time, and *touch* if one ends where the other begins. A list is *maximal* if it is sorted and no two of its
intervals overlap or touch. Every function here takes any intervals, in any order, and returns maximal lists.

    merge(a)                the list itself, maximal
    union(a, b, …)          the times in some list
    intersect(a, b, …)      the times in every list
    subtract(a, b, …)       the times in the first list and in none of the others
    complement(a, …)        the times in none of the lists, from a given time on

A list of intervals is given

- as arrays `(starts, ends)` or `(starts, ends, key, …)`, and returned as arrays;
- as an Arrow table, a frame of pandas or polars, or any object with an Arrow stream. A table or frame is returned in
  the form in which it was given. `times` names the columns of the start and the end, `keys` those of the key; by
  default, every other column is part of the key.

Each key has a separate list of intervals.

>>> import numpy as np
>>> from holdsfor import intervals
>>> starts, ends = intervals.union(
...     (np.array([1, 18]), np.array([4, 22])),
...     (np.array([22]), np.array([30])),
... )
>>> starts.tolist(), ends.tolist()
([1, 18], [4, 30])
"""

from holdsfor.intervals.set_operations import complement, intersect, merge, subtract, union
from holdsfor.kernels.packing import OPEN

__all__ = ["OPEN", "complement", "intersect", "merge", "subtract", "union"]
