"""Runs the code on the cards with the collection's Python, and reports the results or rewrites outputs."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from ptcards.cache import Cache
from ptcards.diagnostics import Diagnostic, Severity, error
from ptcards.extensions.verify.inside.records import Reply
from ptcards.extensions.verify.judge import (
    Finding,
    Rewrite,
    is_unsurprising,
    judge,
    make_task,
    printed_by,
    setup_error,
)
from ptcards.extensions.verify.memory import Replies
from ptcards.extensions.verify.sandbox import FORKS, find_sandbox
from ptcards.extensions.verify.supervision import Lost, adopt_orphans
from ptcards.extensions.verify.target import Python, Target, find_target, python_of
from ptcards.extensions.verify.workers import Crew, Launch
from ptcards.files.inputs import shown
from ptcards.files.temporary import sweep
from ptcards.files.toml import key_place
from ptcards.notes import Note
from ptcards.source.attributes import Lines
from ptcards.source.code_blocks import NoteCode, fence_at, find_code, is_python, syntax_tree
from ptcards.source.collection import Collection
from ptcards.source.source import joined, rewrite, split_lines


def update_files(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Rewrite `output` blocks; return those that were written.

    A block is left alone if its file has changed since it was read, or if the rewritten file would not
    contain the right text.

    Raises:
        OutputError: a file cannot be written; the ones before it have been.

    """
    by_path: dict[str, list[Rewrite]] = defaultdict(list)
    for each in rewrites:
        by_path[each.output.place.path].append(each)
    written: list[Rewrite] = []
    for path, wanted in by_path.items():
        file = Path(path).resolve()
        rewrite(file, file.parent, partial(_apply, wanted, written))
    return written


def _apply(wanted: Iterable[Rewrite], written: list[Rewrite], content: bytes) -> bytes:
    """Return a file's content with blocks rewritten, and add these to `written`."""
    # Blocks are rewritten from the bottom up, so that the positions above remain valid.
    for each in sorted(wanted, key=lambda each: each.output.place, reverse=True):
        changed = rewritten(content, each)
        if changed is not None:
            written.append(each)
            content = changed
    return content


def rewritten(content: bytes, rewrite: Rewrite) -> bytes | None:
    """Return a file's content with one `output` block rewritten, or `None` if that is not safe."""
    output = rewrite.output
    lines = split_lines(content)
    first = output.place.line - 1
    last = first + output.size + 1
    if not output.closed or last >= len(lines) or not _says(lines, first, output.text.markdown):
        return None
    (opening, end), (closing, closing_end) = lines[first], lines[last]
    before = opening[: output.place.column - 1]
    # Text after a list marker is indented by the width of the marker.
    margin = "".join(char if char in " \t>" else " " for char in before)
    wanted = rewrite.printed.split("\n") if rewrite.printed else []
    marker = _marker(output.marker, wanted)
    new = [
        (before + marker + opening[len(before) + len(output.marker) :], end),
        *(((margin + line).rstrip(), end) for line in wanted),
        (closing if marker == output.marker else margin + marker, closing_end),
    ]
    result = [*lines[:first], *new, *lines[last + 1 :]]
    return joined(content, result) if _says(result, first, rewrite.printed) else None


def _says(lines: Lines, index: int, text: str) -> bool:
    """Whether a fence on this line contains a text, ignoring white space at line ends."""
    found = fence_at("\n".join(line for line, _ in lines), index)
    wanted = [line.rstrip() for line in text.split("\n") if text]
    return found is not None and [line.rstrip() for line in found] == wanted


def _marker(marker: str, lines: Iterable[str]) -> str:
    """Return a fence marker that is long enough not to be closed by any line inside."""
    runs = (re.match(rf"\s*({marker[0]}+)", line) for line in lines)
    longest = max((len(run[1]) for run in runs if run), default=0)
    return marker if longest < len(marker) else marker[0] * (longest + 1)


PER_WORKER = 8
"""the number of notes that justifies another worker, because importing torch takes two seconds"""


class Status(StrEnum):
    """The result of a note's code."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """How to run the code of a collection: the Python, the seconds for each note, and the number of jobs.

    Code that is not `sandboxed` can do whatever the user can.
    """

    collection: Collection
    python: Python
    timeout: float
    jobs: int
    sandboxed: bool

    @property
    def setup(self) -> str:
        """The code that runs before that of each note."""
        return self.collection.config.verify.setup

    def target(self) -> Target:
        """Return the Python that runs the code; raises RefusedError if it cannot."""
        return find_target(self.python, self.collection.config.verify.requires, sandboxed=self.sandboxed)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one note's code; `reasons` explain why some or all of it was not run."""

    code: NoteCode
    status: Status
    findings: tuple[Finding, ...] = ()
    reasons: tuple[str, ...] = ()
    remembered: bool = False
    printed: tuple[str, ...] = ()
    """the output of each block that was run"""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The results of all notes with code, in order; `others` is the number of notes without code.

    `unsandboxed` is the option that turned the sandbox off, or empty. `problems` are the diagnostics that are
    not about a run. `named` is the Python as the author named it, if the notes were run on several.
    """

    results: tuple[Result, ...]
    others: int
    target: Target | None
    unsandboxed: str
    problems: tuple[Diagnostic, ...]
    rewritten: int = 0
    named: str = ""


def verify(
    notes: Sequence[Note], settings: VerifySettings, cache: Cache | None, progress: Callable[[int, int], None]
) -> VerifyReport:
    """Run the code of notes and return a report; `progress` gets the numbers of finished and of all notes.

    Without a cache, all code is run, even if its result is known.

    Raises:
        RefusedError: there is no sandbox, no suitable Python, or a required package is missing.

    """
    unsandboxed = "" if settings.sandboxed else "--no-sandbox"
    with ThreadPoolExecutor(1) as asking:
        # The other Python takes a tenth of a second to answer, about as long as we take to find the code.
        asked = asking.submit(settings.target)
        found = [find_code(note) for note in notes]
    problems = [diagnostic for _, diagnostics in found for diagnostic in diagnostics]
    codes = [code for code, _ in found if code.blocks]
    runnable = [code for code in codes if code.run]
    others = len(notes) - len(codes)
    if not runnable:
        return VerifyReport(tuple(map(_not_run, codes)), others, None, unsandboxed, tuple(problems))
    target = asked.result()
    known = Replies(cache or Cache(None), target)
    tasks = [make_task(code, settings.setup) for code in runnable]
    keys = [known.key(task) for task in tasks]
    remembered = [known.get(key) for key in keys]
    missing = [index for index, reply in enumerate(remembered) if reply is None]
    replies: list[Reply | Lost] = [reply or Lost.KILLED for reply in remembered]
    if missing:
        jobs = min(settings.jobs, -(-len(missing) // PER_WORKER))
        crew = Crew(_launch(target, settings), jobs)
        for done, (number, reply) in enumerate(crew.run([tasks[index] for index in missing]), 1):
            index = missing[number]
            replies[index] = reply
            if not isinstance(reply, Lost) and is_unsurprising(tasks[index], reply):
                known.put(keys[index], reply)
            progress(done, len(missing))
    results = {code: _not_run(code) for code in codes}
    for code, reply, old in zip(runnable, replies, remembered, strict=True):
        results[code] = _result(code, reply, settings, remembered=old is not None)
    if broken := next((message for reply in replies if (message := setup_error(reply))), None):
        toml, fix = settings.collection.root / "deck.toml", "fix `setup`: no note's code was run"
        place = key_place(toml, shown(toml), "verify", "setup")
        problems.append(error(place, "setup-failed", f"`setup` fails: {broken}", fix))
    return VerifyReport(tuple(results.values()), others, target, unsandboxed, tuple(problems))


def settings_for(
    collection: Collection, *, python: str = "", timeout: float = 0, jobs: int = 1, sandboxed: bool = True
) -> VerifySettings:
    """Return how to run the code of a collection; its `deck.toml` fills in what is not given."""
    config = collection.config.verify
    found = python_of(collection.root, config.python, python)
    return VerifySettings(collection, found, timeout or config.timeout, jobs, sandboxed)


def count_remembered(notes: Sequence[Note], settings: VerifySettings, cache: Cache) -> Mapping[str, int]:
    """Count notes by what earlier runs know about their code: passed, unknown, not run, or no code.

    Nothing is run. Raises RefusedError like `verify`.
    """
    codes = [find_code(note)[0] for note in notes]
    runnable = [code for code in codes if code.run]
    passed = 0
    if runnable:
        replies = Replies(cache, settings.target())
        for code in runnable:
            reply = replies.get(replies.key(make_task(code, settings.setup)))
            passed += reply is not None and not judge(code, reply, settings.timeout)
    with_code = sum(bool(code.blocks) for code in codes)
    return {
        "passed": passed,
        "unknown": len(runnable) - passed,
        "not_run": with_code - len(runnable),
        "without": len(codes) - with_code,
    }


def update(report: VerifyReport, foreign: Container[str] = ()) -> VerifyReport:
    """Rewrite the `output` blocks that differ from the actual output, except in `foreign` paths.

    The returned report no longer contains the findings that this fixed.

    Raises:
        OutputError: a file cannot be written.

    """
    rewrites = [finding.rewrite for result in report.results for finding in result.findings]
    wanted = [each for each in rewrites if each and each.output.place.path not in foreign]
    written = {id(each) for each in update_files(wanted)}
    results = []
    for result in report.results:
        left = tuple(each for each in result.findings if id(each.rewrite) not in written)
        status = _status(left) if result.findings else result.status
        results.append(replace(result, findings=left, status=status))
    return replace(report, results=tuple(results), rewritten=len(written))


def imports_ahead(setup: str, required: Sequence[str]) -> tuple[str, ...]:
    """Return the modules that a set-up imports in its first lines, if `requires` contains them.

    They can be imported in advance, because every note runs the set-up anyway.
    """
    found: list[str] = []
    for statement in syntax_tree(setup).body if is_python(setup) else ():
        match statement:
            case ast.Import():
                found += [alias.name for alias in statement.names]
            case ast.ImportFrom(module=str(module), level=0):
                found.append(module)
            case _:
                break
    return tuple(dict.fromkeys(name for name in found if name.partition(".")[0] in required))


def _launch(target: Target, settings: VerifySettings) -> Launch:
    """Return how to start workers, after checking that they can be isolated."""
    sweep("verify")
    sandbox = find_sandbox() if settings.sandboxed else None
    if sandbox is None:
        adopt_orphans()
    ahead = imports_ahead(settings.setup, target.imports)
    return Launch(target, sandbox, FORKS, settings.timeout, ahead)


def _not_run(code: NoteCode) -> Result:
    return Result(code, Status.NOT_RUN, reasons=_reasons(code))


def _reasons(code: NoteCode) -> tuple[str, ...]:
    return tuple(block.no_run or "no reason given" for block in code.blocks if block.no_run is not None)


def _result(code: NoteCode, reply: Reply | Lost, settings: VerifySettings, *, remembered: bool) -> Result:
    if setup_error(reply):
        return Result(code, Status.NOT_RUN, reasons=("`setup` fails",))
    findings = tuple(judge(code, reply, settings.timeout))
    return Result(code, _status(findings), findings, _reasons(code), remembered, printed_by(code, reply))


def _status(findings: Sequence[Finding]) -> Status:
    failed = any(finding.diagnostic.severity is Severity.ERROR for finding in findings)
    return Status.FAILED if failed else Status.PASSED
