"""Facts about an event description. Everything here reads and nothing rewrites."""
