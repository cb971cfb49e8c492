"""Pictures of programs and of answers: dependency graphs (`graph`) and timelines (`timeline`).

Nothing here knows the compiler or an engine: a view takes plain rows, vertices and edges. The drawing libraries are
optional and are looked for only when a picture is asked for.
"""
