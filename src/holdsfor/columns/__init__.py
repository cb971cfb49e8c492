"""The data model: constants as words, events and intervals as columns."""
