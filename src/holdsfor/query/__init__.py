"""Goals over the results of a run: `holdsFor/2`, `holdsAt/2`, `happensAt/2` and the interval operations.

    ResultIndex     results by name and first argument
    QueryEngine     proves goals over an index and the background knowledge

`result_index` is the index, `report_index` makes it from reports, `result_files` from files. `temporal_predicates` and
`interval_operations` are the predicates, `goals` checks what people type, `answer_table` makes Arrow tables.
"""
