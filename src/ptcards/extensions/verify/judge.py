"""Compares what a note's code does with what the note says it does."""

import re
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import zip_longest

from ptcards.diagnostics import Diagnostic, Location, counted, error, warning
from ptcards.extensions.verify.inside.records import PartReply, Raised, Reply
from ptcards.extensions.verify.supervision import Lost
from ptcards.extensions.verify.workers import CodePart, Task
from ptcards.source.code_blocks import CodeBlock, Example, NoteCode, Output

ANYTHING = "..."
MOST = 60
"""the number of lines in a diff after the first difference; a card may print a million lines"""
WIDEST = 300
"""the number of characters of a line that a diff shows"""


def tidy(text: str) -> str:
    """Return text with LF line ends, and without white space at the end of any line or of the text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def matches(expected: str, printed: str) -> bool:
    """Whether output is as expected; `...` matches any text, including several lines."""
    first, *others = tidy(expected).split(ANYTHING)
    rest = tidy(printed)
    if not others:
        return first == rest
    if not rest.startswith(first):
        return False
    position = len(first)
    # Placing each piece as far left as possible leaves the most room for the remaining ones.
    for piece in others[:-1]:
        found = rest.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return rest.endswith(others[-1]) and len(rest) - len(others[-1]) >= position


def difference(expected: str, printed: str) -> str:
    """Return a unified diff of two texts that do not match, cut off after enough lines to be helpful.

    Lines that match because of `...` count as equal.
    """
    wanted, got = tidy(expected).split("\n"), tidy(printed).split("\n")
    end = first_difference(expected, printed)[0] + MOST
    near = got[:end]
    shown = [
        next((line for line in near if matches(want, line)), want) if ANYTHING in want else want
        for want in wanted[:end]
    ]
    lines = [*unified_diff(shown, near, "expected", "printed", lineterm="")]
    left = max(len(wanted), len(got)) - end
    more = [f"… {counted(left, 'more line')}"] if left > 0 else []
    return "\n".join([*(line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in lines), *more])


def first_difference(expected: str, printed: str) -> tuple[int, str, str]:
    """Return the number of the first line (from 0) that differs, and its expected and actual text.

    If one of the texts ends before this line, that text is empty.
    """
    wanted, got = tidy(expected).split("\n"), tidy(printed).split("\n")
    for index, (want, line) in enumerate(zip_longest(wanted, got, fillvalue="")):
        if not matches(want, line):
            return index, want, line
    return 0, wanted[0], got[0]


LONGEST = 100
"""the maximum number of characters that a message quotes from a line"""
SETUP = -1
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):\s*\n(?:[ \t].*\n|\n)*", re.MULTILINE)
_HANGING = re.compile(r'File "<block (\d+)>", line (\d+)')


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An `output` block and its correct content."""

    output: Output
    printed: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic, with the diff that shows it and the rewrite that fixes it.

    `stops` is true for an exception that ended the code.
    """

    diagnostic: Diagnostic
    diff: str = ""
    rewrite: Rewrite | None = None
    stops: bool = False


def make_task(code: NoteCode, setup: str) -> Task:
    """Return the task for a worker: parts in order, each a complete block or one input of a session."""
    parts: list[CodePart] = []
    for number, block in enumerate(code.run):
        raises = bool(block.raises)
        if block.examples is None:
            parts.append(CodePart(block=number, code=block.code, line=0, mode="exec", raises=raises))
        for example in block.examples or ():
            may = raises or _shown_error(example) is not None
            code_, line = example.code, example.line
            parts.append(CodePart(block=number, code=code_, line=line, mode="single", raises=may))
    return Task(setup=setup, blocks=[block.code for block in code.run], parts=parts)


def is_unsurprising(task: Task, reply: Reply) -> bool:
    """Whether a run ended normally and would do so again.

    Every exception was expected, and no output was cut off.
    """
    announced = {index for index, part in enumerate(task["parts"]) if part["raises"]}
    surprises = (
        each["truncated"] or (each["error"] is not None and each["part"] not in announced)
        for each in reply["parts"]
    )
    return reply["done"] and reply["clean"] and not any(surprises)


def setup_error(reply: Reply | Lost) -> str | None:
    """Return the exception that the set-up raised, with its line, or `None` if it succeeded."""
    failed = None if isinstance(reply, Lost) or not reply["parts"] else reply["parts"][0]["error"]
    if not failed:
        return None
    line = failed["place"][1] if failed["place"] else 1
    return f"line {line} raises `{_brief(_raised(failed))}`"


def judge(code: NoteCode, reply: Reply | Lost, timeout: float) -> list[Finding]:
    """Return the differences between what the blocks did and what the note says."""
    findings: list[Finding] = []
    last = code.run[0]
    for last, own, is_whole in _by_block(code, reply):
        findings += _judge_block(code, last, own, whole=is_whole)
        if not is_whole:
            break
    stopped = any(finding.stops for finding in findings)
    if not stopped and (isinstance(reply, Lost) or not reply["done"]):
        findings.append(Finding(_died(code, last, reply, timeout)))
    return findings if isinstance(reply, Lost) else [*findings, *_warnings(code, reply)]


def printed_by(code: NoteCode, reply: Reply | Lost) -> tuple[str, ...]:
    """Return the output of each block that was run, with the exception that ended it."""
    texts = []
    for _, own, _ in _by_block(code, reply):
        raised = [_raised(entry["error"]) for entry in own if entry["error"]]
        texts.append(tidy("".join([*(entry["printed"] for entry in own), *raised])))
    return tuple(texts)


def _by_block(code: NoteCode, reply: Reply | Lost) -> Iterator[tuple[CodeBlock, list[PartReply], bool]]:
    """Yield each block that was to be run, what its parts did, and whether all of them were run."""
    entries = {} if isinstance(reply, Lost) else {entry["part"]: entry for entry in reply["parts"]}
    index = 0
    for block in code.run:
        size = 1 if block.examples is None else len(block.examples)
        own = [entries[number] for number in range(index, index + size) if number in entries]
        index += size
        yield block, own, len(own) == size


def _judge_block(
    code: NoteCode, block: CodeBlock, entries: Sequence[PartReply], *, whole: bool
) -> Iterator[Finding]:
    """Yield the findings about a block.

    `whole` is true unless the process ended or an exception was raised before the block's end.
    """
    printed = "".join(entry["printed"] for entry in entries)
    failed = next((entry["error"] for entry in entries if entry["error"]), None)
    if any(entry["truncated"] for entry in entries):
        fix = "print less: a card only shows a few lines"
        yield Finding(error(block.place, "too-much-output", "the code prints more than 1 MB", fix, 3))
        return
    if block.examples is not None and not block.raises:
        yield from _judge_examples(code, block, entries)
        whole = whole and failed is None
    elif whole or failed:
        wrong = _wrong_exception(code, block, failed)
        if wrong is not None:
            yield Finding(wrong)
            return
    if failed:
        printed = f"{printed.rstrip()}\n" if printed.strip() else ""
        printed += f"{block.raises}: {failed['message']}" if failed["message"] else block.raises
    if whole and block.output is not None and not matches(block.output.expected, printed):
        yield _wrong_output(block.output, printed)


def _wrong_exception(code: NoteCode, block: CodeBlock, failed: Raised | None) -> Diagnostic | None:
    """Return a diagnostic if the raised exception is not the expected one."""
    if failed is None:
        if not block.raises:
            return None
        message = f"nothing is raised, but the block says `raises={block.raises}`"
        return error(block.place, "missing-exception", message, "remove `raises`, or fix the code", 3)
    if not block.raises:
        return _raises(code, block, failed)
    if _is_named(block.raises, failed):
        return None
    place, length = _place(code, block, failed["place"])
    message = f"the code raises `{_brief(_raised(failed))}`, not `{block.raises}`"
    fix = f"fix the code, or write `raises={failed['name']}`"
    return error(place, "wrong-exception", message, fix, length)


def _wrong_output(output: Output, printed: str) -> Finding:
    expected = output.expected
    index, want, got = first_difference(expected, printed)
    prints = f"`{_brief(got)}`" if printed.strip() else "nothing"
    says = f"says `{_brief(want)}`" if expected.strip() else "is empty"
    message = f"the code prints {prints}, but the `output` block {says}"
    fix = "fix the code or the output, or run `ptcards verify --update`"
    inside = index < output.size
    place = output.text.location(index) if inside else output.place
    length = max(1, len(want)) if inside else len(output.marker)
    # Actual output contains no deletions, so writing it would remove them.
    rewrite = Rewrite(output, tidy(printed)) if expected == output.text.markdown else None
    if rewrite is None:
        fix = "fix the code or the text"
    return Finding(error(place, "wrong-output", message, fix, length), difference(expected, printed), rewrite)


def _judge_examples(code: NoteCode, block: CodeBlock, entries: Sequence[PartReply]) -> Iterator[Finding]:
    """Yield the findings about a session, which may show nothing if there is an `output` block."""
    examples = block.examples or ()
    shows = block.output is None or any(example.shown.strip() for example in examples)
    for example, entry in zip(examples, entries, strict=False):
        failed = entry["error"]
        shown = _shown_error(example)
        if failed and shown is None:
            yield Finding(_raises(code, block, failed), stops=True)
            return
        printed = entry["printed"]
        expected = example.shown
        if shown is not None:
            before, message = shown
            # Python shows the module too, unless the class is built in.
            full = Raised(**{**failed, "name": failed["path"]}) if failed else None
            kinds = [_raised(each) for each in (failed, full) if each]
            as_shown = next((kind for kind in kinds if matches(message, kind)), kinds[0] if kinds else "")
            expected, printed = before + message, printed + as_shown
        if shows and not matches(expected, printed):
            place, length = block.line(example.line + 1)
            _, want, got = first_difference(expected, printed)
            message = f"Python prints `{_brief(got)}`, but the session shows `{_brief(want)}`"
            fix = "fix the session: paste what Python shows"
            yield Finding(error(place, "wrong-output", message, fix, length), difference(expected, printed))


def _shown_error(example: Example) -> tuple[str, str] | None:
    """Return the text and the exception line of the traceback that a session shows.

    Returns `None` if there is no traceback.
    """
    found = _TRACEBACK.search(example.shown)
    return (example.shown[: found.start()], example.shown[found.end() :]) if found else None


def _is_named(wanted: str, failed: Raised) -> bool:
    """Whether an exception has this name and, if one is written, this package.

    `json.JSONDecodeError`, for example, is defined in `json.decoder`.
    """
    package, dot, name = wanted.rpartition(".")
    path: str = failed["path"]
    same_package = path.partition(".")[0] == package.partition(".")[0]
    return name == failed["name"] and (not dot or same_package)


def _raised(failed: Raised) -> str:
    return f"{failed['name']}: {failed['message']}" if failed["message"] else str(failed["name"])


INSTALL = (
    "install the package in the Python that runs the cards and add it to `requires`, or choose another "
    "Python with `--python`"
)
"""The help for code that cannot run because a package is missing."""


def _raises(code: NoteCode, block: CodeBlock, failed: Raised) -> Diagnostic:
    place, length = _place(code, block, failed["place"])
    fix = f"fix the code; if the error is intended, write `raises={failed['name']}` after `python`"
    if failed["name"] in ("ModuleNotFoundError", "ImportError"):
        fix = INSTALL
    return error(place, "code-raises", f"the code raises `{_brief(_raised(failed))}`", fix, length)


def _died(code: NoteCode, block: CodeBlock, reply: Reply | Lost, timeout: float) -> Diagnostic:
    hanging = None if isinstance(reply, Lost) else _HANGING.search(reply["stderr"])
    place, length = _place(code, block, [int(hanging[1]), int(hanging[2])] if hanging else None)
    if isinstance(reply, Lost):
        fewer = 'make the code use fewer resources, or write `no-run="why"`'
        fix = "remove the code that does this" if reply is Lost.KILLED else fewer
        return error(place, "code-died", str(reply), fix, length)
    ended = reply["code"]
    if ended is None:
        fix = 'make the code faster, raise `timeout` in `[verify]`, or write `no-run="why"`'
        return error(place, "code-timeout", f"the code is still running after {timeout:g} s", fix, length)
    if ended < 0:
        names = {each.value: each.name for each in signal.Signals}
        name = names.get(-ended, str(-ended))
        message = f"the code ends its process with signal {name}"
        fix = "run the code by hand to see why, then fix it"
    else:
        message = f"the code exits with status {ended} before its last line"
        fix = "remove the exit: the code after it was not run"
    return error(place, "code-died", message, fix, length)


def _warnings(code: NoteCode, reply: Reply) -> Iterator[Finding]:
    for each in reply["warnings"]:
        if each["place"] and each["place"][0] == SETUP:
            continue
        place, length = _place(code, code.run[0], each["place"])
        message = f"the code triggers `{_brief(each['name'] + ': ' + each['message'])}`"
        fix = "rewrite the code so that it triggers no warning, or filter the warning"
        yield Finding(warning(place, "code-warning", message, fix, length))


def _place(code: NoteCode, block: CodeBlock, place: Sequence[int] | None) -> tuple[Location, int]:
    """Return the location in the file for the block and line that a worker reported.

    Without them, this is the start of the block.
    """
    if place is None or not 0 <= place[0] < len(code.run):
        return block.place, 3
    return code.run[place[0]].line(place[1])


def _brief(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
