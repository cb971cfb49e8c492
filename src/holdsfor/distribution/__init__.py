"""Distribution of rules over workers: stages, their partition keys, and the route of each table to a stage."""
