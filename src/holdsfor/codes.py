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
    "HF211": _error("a circle of dependencies that does not advance time"),
    "HF212": _error("a circle of dependencies through a statically determined fluent"),
    "HF213": _error("a hook into the internals of RTEC's own engine"),
    "HF214": _error("one name or value defined in two ways that exclude each other"),
    "HF215": _error("an event or FVP given as a fact that cannot be a record: with variables, or not at time-points"),
    "HF216": _error("an initial value for a statically determined fluent"),
    "HF217": _error("a file that RTEC's compiler has written"),
    "HF218": _error("a cut in a rule with a time-point"),
    "HF219": _error("an interval-wise predicate that does not read one list of intervals and make one"),
    "HF228": _error("a rule that can change the background knowledge"),
    # 3xx: the rules have a meaning, but perhaps not the one meant
    "HF301": _warning("a fluent, or a value of a fluent, that is used but never defined nor declared as input"),
    "HF302": _warning("an event that looks like a misspelling of another"),
    "HF303": _warning("an event or fluent that is defined but never used nor asked for"),
    "HF304": _warning("a value that is initiated but never terminated"),
    "HF305": _warning("a value that is terminated but never initiated"),
    "HF306": _warning("two clauses that say the same"),
    "HF307": _warning("a grounding that can never hold"),
    "HF308": _warning("a variable that stands only once"),
    "HF309": _warning("a grounding of something that looks like a misspelling"),
    "HF310": _warning("a predicate that is called but never defined"),
    "HF311": _warning("a delay that never acts because a shorter one does, or two that are due at once"),
    "HF312": _warning("`before` between intervals that meet, or `meets` between intervals with a gap"),
    "HF391": _note("a directive that has no effect here"),
    "HF392": _note("a declaration of an older version that has no effect here"),
    "HF393": _note("a file without clauses"),
    # 4xx: an engine cannot compute the rules
    "HF402": _error("a predicate over interval lists, in a run with windows, that is not declared interval-wise"),
    # 5xx: a record or an input file does not fit
    "HF501": _error("an input file that cannot be read"),
    "HF502": _error("a table whose columns are not those of records"),
    "HF503": _error("a record that does not fit, in a strict run"),
    "HF504": _error("a file that begins neither with a record nor with a header, so that it is unclear what it is"),
    "HF505": _error("a description of columns that makes no record of the rules, or does not fit the file"),
    "HF506": _error("a record to be retracted that is not there"),
    "HF507": _error("a column of text that the rules use as numbers, or join with numbers"),
    # 6xx: a run cannot go on
    "HF601": _error("a goal calls a predicate that is not defined"),
    "HF602": _error("a goal needs an argument that is not bound"),
    "HF603": _error("an argument is not of the kind a built-in predicate expects"),
    "HF604": _error("an arithmetic expression has no value, such as a division by zero"),
    "HF605": _error("a goal took more steps than its budget allows"),
    "HF606": _error("a goal went deeper than its budget allows"),
    "HF607": _error("a fluent with two initial values"),
    "HF608": _error("a delay that is not a positive integer, or falls between two time-points"),
    "HF609": _error("a predicate over intervals that returns something else"),
    "HF611": _error("a goal needs more memory than its budget allows"),
    "HF612": _error("a start-up goal that fails"),
    "HF620": _error("results that cannot be written to their place"),
    "HF621": _error("a run that Spark could not finish"),
    # 7xx: a command was called wrongly
    "HF701": _error("a clock tick that is not positive"),
    "HF702": _error("a run that ends before it starts"),
    "HF703": _error("a window or step that no run can have"),
    "HF704": _error("a command without rules, input or output that it needs"),
    "HF705": _error("a first or last time-point that is neither an integer nor a time"),
    "HF706": _error("options of a live run or a replay that do not go together"),
    "HF710": _error("a stream to generate without entities, without a duration or with a negative seed"),
    "HF711": _error("a share of late records that is none, or a delay without one"),
    "HF712": _error("a distribution of delays that does not exist or lacks parameters"),
    "HF720": _error("a configuration file that cannot be read or is not TOML"),
    "HF721": _error("a key of a configuration file that does not exist"),
    "HF722": _error("a value of a configuration file that is not of the kind it must be"),
    "HF723": _error("an application that the configuration file does not have, or several and none is chosen"),
    "HF724": _note("a parameter of RTEC that has no effect here"),
    "HF730": _error("an answer as a table without a file to write it to"),
    "HF731": _error("times that cannot be written as ISO 8601"),
    "HF732": _error("an output without a name, or that would overwrite a file which the run reads, or another output"),
    "HF740": _error("a query time that a session cannot have"),
    "HF741": _error("two kinds of report that cannot be had at once"),
    "HF742": _error("a plan that is to be analysed without input, or at a stage that does not run"),
    "HF750": _error("a picture whose file name does not say how to draw it"),
    "HF751": _error("a picture that needs a package which is not installed"),
    "HF752": _error("a picture that needs Graphviz, which is not installed"),
    "HF753": _error("a picture that Graphviz could not draw"),
    "HF754": _error("a picture that cannot be written to its file"),
    "HF755": _warning("a dependency graph that a configuration asks for and that cannot be drawn"),
    "HF760": _error("intervals given to the library that are not of a form it reads"),
    "HF761": _error("an interval given to the library that does not end after it begins"),
    "HF762": _error("target intervals of one key that overlap, in a comparison by rows"),
    "HF763": _error("an Allen relation, output mode or reach that does not exist, asked of the library"),
    "HF770": _error("a number of buckets that is not positive"),
    "HF771": _error("a place for results where there are some already"),
    "HF772": _error("a setting of Spark that is not of the form `NAME=VALUE`"),
    "HF773": _error("a run on Spark without the package `pyspark`, or without Java"),
    "HF780": _error("a place for results where there is something that is none"),
    "HF781": _error("options of results that do not go with their place, or names that tables cannot have"),
    "HF782": _error("tables of a catalogue that is forgotten at the end of the run"),
    "HF783": _error("a database in which results cannot be replaced in one transaction"),
    "HF785": _error("a Spark that does not start, or a cluster or server that does not answer"),
    "HF786": _error("workers of Spark whose Python is missing, of another version, or lacks a package"),
    "HF787": _error("results that have no way through Spark Connect"),
    "HF788": _error("a file for the package whose name does not end in .zip"),
    "HF790": _error("a place without prepared history, or with such of another format"),
    "HF791": _error("prepared history that does not fit the rules or the clock tick of a run"),
}
