"""Facts between processes: serialization, shuffle blocks, and the buckets they are routed to."""
