"""The options of the commands: declarations, the command line and the configuration file."""
