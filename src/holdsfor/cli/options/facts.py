"""The tables of `--facts` and the areas of `--areas` as programs."""

from __future__ import annotations

import argparse

from holdsfor.cli.terminal.diagnostics import print_diagnostics
from holdsfor.errors import Diagnostic
from holdsfor.sources.column_mapping import split_facts
from holdsfor.syntax.program import Program

__all__ = ["fact_files", "fact_programs"]


def fact_programs(options: argparse.Namespace) -> list[Program]:
    """The facts of the tables and the areas; rows that are left out are a warning."""
    if not options.facts and not options.areas:
        return []
    from holdsfor.sources.area_files import read_areas
    from holdsfor.sources.fact_tables import fact_program, read_fact_table
    from holdsfor.sources.times import Clock

    programs: list[Program] = []
    for given in options.facts:
        found = read_fact_table(*split_facts(given), Clock(options.time_unit))
        if found.warning is not None:
            print_diagnostics([Diagnostic("HF321", found.warning, file=found.file)])
        programs.append(fact_program(found.table, found.file))
    return [*programs, *(fact_program(read_areas(given), given) for given in options.areas)]


def fact_files(options: argparse.Namespace) -> list[str]:
    """The files of the tables and of the areas."""
    from holdsfor.sources.area_files import split_areas

    return [*(split_facts(given)[0] for given in options.facts), *(split_areas(each)[0] for each in options.areas)]
