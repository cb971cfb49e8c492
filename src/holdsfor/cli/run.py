"""`holdsfor run`: recognise what the rules describe in files and streams."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

from holdsfor.analysis.pipeline import Compiled, check_clock, compile_files, with_clock
from holdsfor.cli.checkpoint.checkpoint import open_checkpoint
from holdsfor.cli.checkpoint.outputs import locked_outputs, refuse_earlier_output
from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.engines.live import engine_class
from holdsfor.cli.engines.parallel import one_process_because
from holdsfor.cli.graph import drawing
from holdsfor.cli.options.added_programs import added_programs
from holdsfor.cli.options.arguments import Commands, add_command, add_options
from holdsfor.cli.options.config import Application, fill_in, missing
from holdsfor.cli.options.durations import convert_times
from holdsfor.cli.options.facts import fact_files
from holdsfor.cli.options.live_options import check_live_options
from holdsfor.cli.outcome.answer import check_tables, write_answer
from holdsfor.cli.outcome.change_output import check_changes, check_feed_tables, opened_feed
from holdsfor.cli.outcome.memory import peak_memory
from holdsfor.cli.outcome.run_log import RunLog
from holdsfor.cli.outcome.set_aside import SetAsideLog
from holdsfor.cli.outcome.summary import summarise, write_stats
from holdsfor.cli.outcome.timeline import check_by, draw_answer
from holdsfor.cli.prompt.run_prompt import RunPrompt, check_interactive
from holdsfor.cli.terminal.diagnostics import print_diagnostics, print_warnings
from holdsfor.cli.terminal.interruption import INTERRUPTED
from holdsfor.cli.terminal.progress import Progress
from holdsfor.cli.terminal.wait_notices import announce_inputs
from holdsfor.errors import Diagnostic, Diagnostics, UsageProblem
from holdsfor.sinks.output_files import refuse_overwriting
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sinks.writers import check_output, check_suffix, format_of
from holdsfor.sources.column_mapping import check_mappings, described_fluents, split_mapping
from holdsfor.sources.input_files import files_of_inputs
from holdsfor.sources.set_aside_reasons import SetAsideLimit
from holdsfor.sources.unreadable import Unreadable
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Term
from holdsfor.views.graph import Drawing, render_graph
from holdsfor.views.timeline import check_timeline

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "run",
        "recognise what the rules describe in the input",
        "holdsfor run rules.prolog background.prolog --input events.txt --window 2h --step 1h --format jsonl",
    )
    add_options(parser, "run")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    app = fill_in(options, "run")
    print_diagnostics(app.notes)
    convert_times(options)
    options.input = options.input if options.live else files_of_inputs(options.input or [])
    _check(options)
    _refuse_overwriting(options, [])
    diagnostics = Diagnostics()
    check_clock(options.time_unit, options.tz)
    files, provided = [*options.rules, *options.background], described_fluents(options.input)
    compiled = compile_files(files, diagnostics, more=added_programs(options), provided=provided)
    compiled = with_clock(compiled, options.time_unit, options.tz)
    _refuse_overwriting(options, [program.source.name for program in compiled.programs])
    print_warnings(diagnostics.in_order(), [*options.rules, *options.background])
    check_mappings(options.input, compiled.names)
    check_by(options, compiled)
    check_tables(options, compiled)
    check_feed_tables(options, compiled)
    if not options.input and not compiled.description.given:
        raise missing("input", "`--input` with records", "run")
    _prepare(app, compiled, options.output)
    engine = engine_class(options)(compiled, options, [_goal(text) for text in options.goal])
    if options.jobs is not None and options.jobs > 1:
        engine.counts.one_process_because = one_process_because(options)
    engine.progress = Progress(
        is_beside_results=options.interactive or (options.output is None and sys.stdout.isatty())
    )
    unreadable: list[Unreadable] = []
    engine.unreadable = None if options.strict else unreadable
    last: list[ReportView] = []
    prompt = RunPrompt(engine, last)
    if options.interactive:
        prompt.record()
    perform = partial(_perform, engine, options, unreadable, last)
    code = prompt.ask_during(perform) if options.interactive and options.live else perform()
    for written in (options.output, options.changes, options.log) if app.folders else ():
        if written:
            print(f"wrote {written}", file=sys.stderr)
    has_jobs = options.jobs is not None and options.jobs > 1
    summarise(
        engine,
        compiled,
        is_wanted=options.live or options.replay is not None or has_jobs or engine.stop.is_asked,
    )
    if last and options.timeline:
        draw_answer(last[-1], engine, options.timeline)
    if options.stats:
        more = {"kept_for_allen": engine.counts.n_kept_for_allen, "per_query_time": engine.log.averages()}
        write_stats(engine, options.stats, **more, processes=engine.counts.n_processes, peak_memory_bytes=peak_memory())
    if options.interactive:
        return (code if options.live else prompt.ask()) or (2 if unreadable else 0)
    return INTERRUPTED if engine.stop.is_asked else 2 if unreadable else 0


def _perform(engine: Engine, options: argparse.Namespace, unreadable: list[Unreadable], last: list[ReportView]) -> None:
    with _started_outputs(engine):
        _run(engine, options, unreadable, last)


@contextmanager
def _started_outputs(engine: Engine) -> Iterator[None]:
    """The files that a run writes beside its results, empty or cut back to the checkpoint."""
    options = engine.options
    with ExitStack() as stack:
        checkpoint = open_checkpoint(options, engine.compiled, engine.goals)
        if checkpoint is not None:
            stack.callback(checkpoint.close)
        if options.live or options.replay is not None:
            stack.enter_context(locked_outputs(options))
        if options.live and (checkpoint is None or checkpoint.run is None):
            refuse_earlier_output(options)
        if checkpoint is not None:
            checkpoint.start_outputs()
        engine.checkpoint = checkpoint
        stack.enter_context(engine.resources)
        engine.set_aside = SetAsideLog(options.set_aside, is_strict=options.strict, continues=engine.continues)
        engine.log = stack.enter_context(closing(RunLog(options.log, continues=engine.continues)))
        yield


def _run(engine: Engine, options: argparse.Namespace, unreadable: list[Unreadable], last: list[ReportView]) -> None:
    """Read the input and write the answer."""
    from holdsfor.sources.number_checks import refuse_conflicts

    refuse_conflicts(engine.compiled.names, engine.input_columns)
    announce_inputs(engine.log, options.input, is_live=options.live)
    began = time.perf_counter()
    engine.load()
    engine.counts.n_unreadable = len(unreadable)
    engine.set_aside.add_inputs(unreadable)
    print_diagnostics(diagnostic for each in unreadable for diagnostic in each.diagnostics)
    engine.seconds["load"] = time.perf_counter() - began
    limit = SetAsideLimit.of(options.max_set_aside)
    if not options.live:
        _print_findings(engine)
        limit.check(engine.counts.n_records, engine.set_aside.reasons)
    with opened_feed(engine):
        write_answer(engine, last)
    limit.check(engine.counts.n_records, engine.set_aside.reasons)
    if options.live:
        _print_findings(engine)
    engine.seconds["write"] = time.perf_counter() - began - sum(engine.seconds.values())


def _print_findings(engine: Engine) -> None:
    """Print warnings about constants of the rules and joins that the input never matches."""
    options = engine.options
    values = {"--facts": options.facts, "--areas": options.areas, "--input": options.input}
    given = [text for name, texts in values.items() if texts for text in (name, *texts)]
    print_warnings(engine.findings(), [*options.rules, *options.background, *given])


def _prepare(app: Application, compiled: Compiled, output: str | None) -> None:
    """Create the folders and the pipe of an RTEC configuration, and draw its graph."""
    for folder in app.folders:
        folder.mkdir(parents=True, exist_ok=True)
    if app.pipe and str(app.pipe) == output and not app.pipe.exists():
        os.mkfifo(app.pipe)
    if app.graph:
        _draw_graph(drawing(compiled, include_input=app.include_input), app.graph)


def _draw_graph(picture: Drawing, path: Path) -> None:
    """Draw the dependency graph. A failure is a warning, and the run continues."""
    try:
        render_graph(picture, path)
    except UsageProblem as problem:
        print_diagnostics(
            Diagnostic("HF755", f"no dependency graph: {each.message}", hint=each.hint) for each in problem.diagnostics
        )
    else:
        print(f"wrote {path}", file=sys.stderr)


def _check(options: argparse.Namespace) -> None:
    """Refuse options that contradict each other, and complete the format and the step."""
    from holdsfor.parallel.processes.job_size import check_jobs
    from holdsfor.runtime.windows import check_bounds, check_windows

    options.output = None if options.output == "-" else options.output
    if options.format is None:
        check_suffix(options.output)
    for picture in options.timeline:
        check_timeline(Path(picture))
    options.format = options.format or format_of(options.output)
    check_live_options(options)
    check_interactive(options.interactive, options.input, has_checkpoint=options.checkpoint is not None)
    check_output(options.format, options.output, options.times)
    check_changes(options)
    check_windows(options.tick, options.window, options.step, options.allen_memory)
    check_bounds(options.start, options.end)
    check_jobs(options.jobs)
    options.step = options.window if options.step is None else options.step
    if options.by is not None and not options.timeline:
        raise UsageProblem(
            Diagnostic("HF756", "`--by` groups a timeline, but no timeline is drawn", hint="add `--timeline PICTURE`")
        )
    if options.report == "changes" and (options.final or options.timeline):
        other = "`--final`" if options.final else "`--timeline`"
        message = f"`--report changes` reports each query time, {other} only the settled results"
        raise UsageProblem(Diagnostic("HF741", message, hint="run twice, once with each option"))


def _refuse_overwriting(options: argparse.Namespace, consulted: list[str]) -> None:
    """Refuse output files that the run also reads."""
    outputs = {
        "--output": [options.output],
        "--changes": [options.changes],
        "--timeline": options.timeline,
        "--stats": [options.stats],
        "--set-aside": [options.set_aside],
        "--log": [options.log],
    }
    inputs = [split_mapping(each)[0] for each in options.input]
    config = [options.config] if options.config else []
    read = [*options.rules, *options.background, *fact_files(options), *inputs, *config, *consulted]
    refuse_overwriting(outputs, read)


def _goal(text: str) -> Term:
    return parse_term(text, "--goal")
