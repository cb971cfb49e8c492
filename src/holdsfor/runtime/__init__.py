"""Plans over data: windows, state and reports."""
