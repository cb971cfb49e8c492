"""Writers of results: lines, tables, files."""
