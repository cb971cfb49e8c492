"""Arrays to arrays: pure functions, no engine types.

Times are int64; `OPEN`, the largest int64, is the end of an interval that is still open. Intervals are right-open.
"""
