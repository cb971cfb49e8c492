"""How rules are spread over processes: stages, the keys that separate them, and what is sent where."""
