"""Analyses of an event description. Analyses read the description and never rewrite it."""
