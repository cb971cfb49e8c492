"""Components that depend on themselves: fixpoints, and evaluation one time-point at a time."""
