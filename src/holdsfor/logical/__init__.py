"""Logical plans: rewrites of rules, each with the same answers as the rules it replaces, one per module."""
