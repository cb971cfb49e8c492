"""Pictures of programs and of answers: dependency graphs (`graph`) and timelines (`timeline`).

This package imports neither the compiler nor an engine: a view takes plain rows, vertices and edges. The drawing
libraries are optional and are imported only to draw a picture.
"""
