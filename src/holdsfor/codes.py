"""Every diagnostic code, its severity and the one line that explains it in the documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CODES", "Code"]


@dataclass(frozen=True)
class Code:
    severity: Literal["error", "warning", "note"]
    meaning: str


def _error(meaning: str) -> Code:
    return Code("error", meaning)


def _warning(meaning: str) -> Code:
    return Code("warning", meaning)


def _note(meaning: str) -> Code:
    return Code("note", meaning)


CODES: dict[str, Code] = {
    # 1xx: the text is not in the language
    "HF101": _error("a file cannot be read: it is missing, a directory, binary or not UTF-8 text"),
    "HF102": _error("a character that no token can begin with"),
    "HF103": _error("a comment that is not closed"),
    "HF104": _error("a quoted name or string that is not closed on its line"),
    "HF105": _error("an escape sequence that does not exist"),
    "HF106": _error("a token that cannot stand where it stands"),
    "HF107": _error("a bracket that is not closed"),
    "HF108": _error("a clause whose head is not a name"),
    "HF109": _error("a grammar rule (`-->`), which is not part of the language"),
    "HF110": _error("a last clause without its full stop"),
    "HF111": _error("a number with too many digits"),
    "HF112": _error("brackets nested too deeply"),
    "HF113": _error("two operators side by side whose priorities do not allow it"),
    "HF118": _error("a consulted file outside the folder of the file that consults it"),
    # 2xx: the rules have no meaning
    "HF201": _error("a clause defines something that the language defines"),
    "HF202": _error("a part of a rule is not of the form it must have, such as `F=V`"),
    "HF203": _error("a condition is not about the rule's time-point"),
    "HF204": _error("a goal that cannot stand in this kind of rule"),
    "HF205": _error("a rule that does not say at which time-points it applies"),
    "HF206": _error("a variable without a value under a comparison, in arithmetic or as a delay"),
    "HF207": _error("an emptiness test, cut or negation over intervals that no window could honour"),
    "HF208": _error("interval variables that are used before they are bound, bound twice or never"),
    "HF209": _error("an Allen relation or output mode that does not exist"),
    "HF210": _error("a delayed effect that cannot be: no positive delay, or a value that initiates itself"),
    "HF211": _error("a cycle of dependencies that does not advance time"),
    "HF212": _error("a cycle of dependencies through a statically determined fluent"),
    "HF213": _error("a hook into the internals of RTEC's own engine"),
    "HF214": _error("one name or value defined in two ways that exclude each other"),
    "HF215": _error("an event or FVP given as a fact that cannot be a record: with variables, or not at time-points"),
    "HF216": _error("an initial value for a statically determined fluent"),
    "HF217": _error("a file that RTEC's compiler has written"),
    "HF218": _error("a cut in a rule with a time-point"),
    "HF219": _error("an interval-wise predicate that does not read one list of intervals and make one"),
    "HF220": _error("an output to report that no rule defines, or that is not a name or a pattern"),
    "HF228": _error("a rule that can change the background knowledge"),
    # 3xx: the rules have a meaning, but perhaps not the one meant
    "HF301": _warning("a fluent, or a value of a fluent, that is used but never defined nor declared as input"),
    "HF302": _warning("an event that looks like a misspelling of another"),
    "HF303": _warning("an event or fluent that is defined, but not used and without a grounding"),
    "HF304": _warning("a value that is initiated but never terminated"),
    "HF305": _warning("a value that is terminated but never initiated"),
    "HF306": _warning("two clauses that say the same"),
    "HF307": _warning("a grounding without instances"),
    "HF308": _warning("a variable that occurs only once"),
    "HF309": _warning("a grounding of something that looks like a misspelling"),
    "HF310": _warning("a predicate that is called but never defined"),
    "HF311": _warning("a delay that a shorter one cancels, or two delays that are due at the same time"),
    "HF312": _warning("`before` between intervals that meet, or `meets` between intervals with a gap"),
    "HF313": _warning("a comparison of terms with a number: `==` where `=:=` is meant"),
    "HF314": _warning("a rule that combines all instances of two conditions"),
    "HF315": _warning("arithmetic with a function or a constant that does not exist"),
    "HF316": _warning("a dynamic domain that no input fills"),
    "HF320": _warning("rules that one worker computes, for any number of workers"),
    "HF321": _warning("rows of a table of facts that do not fit"),
    "HF322": _warning("a name of the rules that the input does not have, or of the input that no rule uses"),
    "HF323": _warning("records that do not fit the rules"),
    "HF324": _warning("a constant of the rules that never occurs in its place in the input"),
    "HF325": _warning(
        "two columns of the input, or a column and facts, that a rule joins and that have no constant in common"
    ),
    "HF391": _note("a directive that has no effect here"),
    "HF392": _note("a declaration of an older version that has no effect here"),
    "HF393": _note("a file without clauses"),
    # 4xx: an engine cannot compute the rules
    "HF402": _error("a predicate over interval lists, in a run with windows, that is not declared interval-wise"),
    # 5xx: a record or an input file does not fit
    "HF501": _error("an input file that cannot be read"),
    "HF502": _error("a table whose columns are not those of records"),
    "HF503": _error("a record that does not fit, in a strict run"),
    "HF504": _error("a file of unknown format: it begins neither with a record nor with a header"),
    "HF505": _error("a description of columns that makes no record of the rules, or does not fit the file"),
    "HF506": _error("a record to be retracted that is not there"),
    "HF507": _error("a column of text that the rules use as numbers, or columns of different types that they join"),
    "HF508": _error("a file that is not a snapshot of a session, or is damaged or cut off"),
    "HF509": _error("a snapshot of a session in the format of another version"),
    "HF510": _error("more records that do not fit than a run may set aside, by default all of them"),
    "HF511": _error("areas that cannot be read"),
    "HF515": _error("a file or folder that has no results, or the results of several query times"),
    # 6xx: a run cannot go on
    "HF601": _error("a goal calls a predicate that is not defined"),
    "HF602": _error("a goal needs an argument that is not bound"),
    "HF603": _error("a goal without a result: an argument is not of the kind that it expects"),
    "HF604": _error("arithmetic without a result, such as a division by zero"),
    "HF605": _error("a goal took more steps than its budget allows"),
    "HF606": _error("a goal went deeper than its budget allows"),
    "HF607": _error("a fluent with two initial values"),
    "HF608": _error("a delay that is not a positive integer, or falls between two time-points"),
    "HF609": _error("a predicate over intervals that returns something else"),
    "HF611": _error("a goal needs more memory than its budget allows"),
    "HF612": _error("a start-up goal that fails"),
    "HF613": _error("a goal on areas without areas, without the package for them, or with an invalid geometry"),
    "HF614": _warning("a condition without a result for some values, such as a text where a number is needed"),
    "HF620": _error("results that cannot be written to their place"),
    "HF621": _error("a run that Spark could not finish"),
    "HF622": _error("a process of a run ended before its work was done"),
    "HF624": _error("an integer that the column of a table cannot represent"),
    "HF630": _error("a goal about a fluent or event that the results do not have"),
    "HF631": _error("a goal that depends on the start or the end of a run, which the results do not have"),
    # 7xx: a command was called wrongly
    "HF701": _error("a clock tick that is not positive"),
    "HF702": _error("a run that ends before it starts"),
    "HF703": _error("an invalid window or step"),
    "HF704": _error("a command without the rules, the input or the output that it needs"),
    "HF705": _error("a first or last time-point that is neither an integer nor a time"),
    "HF706": _error("options of a live run or a replay that contradict each other"),
    "HF707": _error("a folder of checkpoints that is in use, or of a run with other rules or options"),
    "HF708": _error("a live run that would replace the output of an earlier run, or write to the file of another run"),
    "HF709": _error("an input or output file that was replaced or truncated after a checkpoint"),
    "HF710": _error("a stream to generate without entities, without a duration or with a negative seed"),
    "HF711": _error("an invalid share of late records, or a delay without a share"),
    "HF712": _error("a distribution of delays that does not exist or lacks parameters"),
    "HF713": _error("a limit for records set aside that is neither a share nor a number"),
    "HF714": _error("durations or dates in rules of a run whose times are integers, without the unit of time"),
    "HF715": _error("a unit of time or a time zone that does not exist"),
    "HF716": _error("times that are finer than a second, without the unit of time"),
    "HF720": _error("a configuration file that cannot be read or is not TOML"),
    "HF721": _error("an unknown key in a configuration file"),
    "HF722": _error("a value of the wrong kind in a configuration file"),
    "HF723": _error("an application that is not in the configuration file, or no choice among several applications"),
    "HF724": _note("a parameter of RTEC that has no effect"),
    "HF730": _error("an answer as a table without a file to write it to"),
    "HF731": _error("times that cannot be written as ISO 8601"),
    "HF732": _error("an output without a name, or an output that would overwrite an input or another output"),
    "HF733": _error("a folder for results with files that are no results of these rules"),
    "HF734": _error("a database that needs a package which is not installed"),
    "HF735": _error("an output file whose suffix is not that of a format"),
    "HF736": _error("a folder for a new project that is not empty"),
    "HF740": _error("an invalid query time of a session"),
    "HF741": _error("two kinds of report that exclude each other"),
    "HF742": _error("an analysis of a plan without input, or at a stage that does not run"),
    "HF743": _error("a rewrite or a pass that does not exist or cannot be switched off"),
    "HF744": _error("a snapshot of a session that has other rules or settings"),
    "HF750": _error("a picture whose file name has no known suffix"),
    "HF751": _error("a picture that needs a package which is not installed"),
    "HF752": _error("a picture that needs Graphviz, which is not installed"),
    "HF753": _error("a picture that Graphviz could not draw"),
    "HF754": _error("a picture that cannot be written to its file"),
    "HF755": _warning("a dependency graph of a configuration that cannot be drawn"),
    "HF756": _error("a timeline that is grouped by an unknown argument, or a grouping without a timeline"),
    "HF760": _error("intervals in a form that the library does not read"),
    "HF761": _error("an interval that does not end after its start"),
    "HF762": _error("target intervals of one key that overlap, in a comparison by rows"),
    "HF763": _error("an unknown Allen relation, output mode or reach"),
    "HF770": _error("a number of buckets below 1, or above a million"),
    "HF771": _error("a place for results that already has results"),
    "HF772": _error("a setting of Spark that is not of the form `NAME=VALUE`"),
    "HF773": _error("a run on Spark without the package `pyspark`, or without Java"),
    "HF774": _error("a number of processes that is not positive"),
    "HF780": _error("a place for results that has other content"),
    "HF781": _error("options that the place for results does not have, or invalid names of tables"),
    "HF782": _error("tables in a catalogue that ends with the run"),
    "HF783": _error("a database in which results cannot be replaced in one transaction"),
    "HF785": _error("a failed start of Spark, or a cluster or server that does not answer"),
    "HF786": _error("workers of Spark whose Python is missing, of another version, or lacks a package"),
    "HF787": _error("results that cannot be written through Spark Connect"),
    "HF788": _error("a file for the package whose name does not end in .zip"),
    "HF790": _error("a place without a prepared history, or with a prepared history of another format"),
    "HF791": _error("a prepared history for other rules or another clock tick"),
    "HF792": _error("a checkpoint of a stream that is damaged or incomplete, or of another version"),
    "HF793": _error("a checkpoint of a stream with other rules or settings"),
    "HF794": _error(
        "a stream where a table is expected, a table where a stream is expected, or an invalid input of a stream"
    ),
    "HF795": _error("an output of a stream that cannot be written in this way"),
    "HF796": _error("a port for metrics that cannot be used"),
    "HF797": _error("a checkpoint of a stream that is in use, or whose state cannot be rewritten"),
    "HF798": _error("an output of another stream or feed, or with other micro-batches than its checkpoint"),
}
