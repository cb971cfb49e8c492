"""`holdsfor plan`: show the rules at a stage of compilation."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from holdsfor.analysis.pipeline import PASSES, Compiled, check_clock, compile_files, with_clock
from holdsfor.analysis.safety import show_safety
from holdsfor.analysis.switches import check_switches
from holdsfor.cli.engines.columnar import ColumnarEngine
from holdsfor.cli.options.added_programs import added_programs
from holdsfor.cli.options.arguments import Commands, add_command, add_options
from holdsfor.cli.options.config import fill_in, is_given
from holdsfor.cli.options.durations import convert_times
from holdsfor.cli.outcome.summary import summarise
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.logical.rewrites import REWRITES
from holdsfor.sources.input_files import files_of_inputs
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show_program
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.runtime.session import EngineSession

__all__ = ["STAGES", "add_parser"]

ANALYSES: dict[str, Callable[[Compiled], str]] = {
    "ast": lambda compiled: "".join(show_program(program) for program in compiled.programs),
    "names": lambda compiled: str(compiled.names) + _selection(compiled),
    "safety": lambda compiled: show_safety(compiled.description),
    "graph": lambda compiled: str(compiled.graph),
    "levels": lambda compiled: str(compiled.levels) + _selection(compiled),
}


def _selection(compiled: Compiled) -> str:
    """The output that runs report, and the helpers that they compute; empty if they report all."""
    return "" if compiled.selection is None else str(compiled.selection)


def _logical(session: EngineSession) -> str:
    from holdsfor.physical.rewritten_text import show_rewritten

    return show_rewritten(session.rules.program, session.rules.domains.planner)


def _physical(session: EngineSession) -> str:
    from holdsfor.runtime.explain import explain

    return explain(session)


def _spark(session: EngineSession) -> str:
    from holdsfor.distribution.stages import plan_stages

    rules = session.rules
    return str(plan_stages(rules.compiled, rules.program, has_start_up_goals=bool(rules.goals)))


PLANS: dict[str, Callable[[EngineSession], str]] = {"logical": _logical, "physical": _physical, "spark": _spark}
STAGES = (*ANALYSES, *PLANS)
_OF_A_RUN = (
    "input",
    "input_format",
    "time_unit",
    "tz",
    "start",
    "end",
    "tick",
    "window",
    "step",
    "allen_memory",
    "incremental",
    "incremental_memory",
)


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "plan",
        "show the rules at a stage of compilation",
        "holdsfor plan rules.prolog background.prolog --stage physical --analyse --input events.txt",
    )
    add_options(parser, "plan")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    _check_given(options)
    fill_in(options, "plan")
    options.input = files_of_inputs(options.input or [])
    _check(options)
    rewrites = _switch_off(options.without)
    without = set(options.without) - rewrites
    compiled = compile_files([*options.rules, *options.background], without=without, more=added_programs(options))
    check_clock(options.time_unit, options.tz)
    compiled = with_clock(compiled, options.time_unit, options.tz)
    stage = options.stage or ("physical" if options.analyse else "levels")
    if stage in ANALYSES:
        print(ANALYSES[stage](compiled), end="")
        return 0
    goals = [parse_term(text, "--goal") for text in options.goal]
    print(PLANS[stage](_session(compiled, options, goals, rewrites)) + _selection(compiled), end="")
    return 0


def _check_given(options: argparse.Namespace) -> None:
    """Refuse options of a run on the command line without `--analyse`; in a file they may be there for `run`."""
    given = [f"`--{name.replace('_', '-')}`" for name in _OF_A_RUN if is_given(options, name)]
    if given and not options.analyse:
        message = f"{given[0]} needs `--analyse`: only an analysis runs the plan"
        raise UsageProblem(Diagnostic("HF742", message, hint=f"add `--analyse`, or leave out {given[0]}"))


def _check(options: argparse.Namespace) -> None:
    """Refuse options that contradict each other."""
    if options.analyse and options.stage not in (None, "physical"):
        message = f"stage `{options.stage}` cannot be analysed, because it does not run"
        raise UsageProblem(Diagnostic("HF742", message, hint="analyse `--stage physical`"))
    if options.analyse and not options.input:
        hint = "name records with `--input`"
        raise UsageProblem(Diagnostic("HF742", "`--analyse` runs the plan and needs input", hint=hint))


def _switch_off(without: list[str]) -> frozenset[str]:
    """The rewrites among the names to switch off; the other names are those of passes."""
    return check_switches(without, (*REWRITES, *PASSES)) & {rewrite.name for rewrite in REWRITES}


def _session(
    compiled: Compiled, options: argparse.Namespace, goals: list[Term], without: frozenset[str]
) -> EngineSession:
    """A session that has planned the rules; with `--analyse`, a session that has run them."""
    from holdsfor.runtime.session import EngineSession

    if not options.analyse:
        return EngineSession(compiled, start=0, goals=goals, without=without)
    from holdsfor.runtime.windows import check_bounds, check_windows

    convert_times(options)
    check_windows(options.tick, options.window, options.step, options.allen_memory)
    check_bounds(options.start, options.end)
    options.step = options.window if options.step is None else options.step
    options.strict, options.live, options.times = False, False, None
    engine = AnalysingEngine(compiled, options, goals)
    engine.without = without
    engine.load()
    for _ in engine.reports(final=False):
        continue
    summarise(engine, compiled, is_wanted=False)
    return engine.analysed


class AnalysingEngine(ColumnarEngine):
    """A run that measures each operator."""

    analysed: EngineSession

    def session(self, start: int, end: int | None) -> EngineSession:
        from holdsfor.physical.profile import Profile

        self.analysed = super().session(start, end)
        self.analysed.profile = Profile()
        return self.analysed
