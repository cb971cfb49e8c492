"""Pure functions from arrays to arrays, without types of the engine.

Times are int64; `OPEN`, the largest int64, is the end of an interval that is still open. Intervals are right-open.
"""
