"""Execution of plans on data: windows, state and reports."""
