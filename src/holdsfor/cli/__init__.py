"""The command line: one file for each command, and packages for what the commands share."""
