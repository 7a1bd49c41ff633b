"""Runs the code of notes in their Python and says what came of it."""

import ast
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, Severity, error
from ptcards.notes import Note
from ptcards.snippets import is_python, syntax_tree
from ptcards.verify.cache import Cache
from ptcards.verify.code import NoteCode, find_code
from ptcards.verify.judge import Finding, is_unsurprising, judge, make_task, setup_error
from ptcards.verify.sandbox import FORKS, bubblewrap, refusal
from ptcards.verify.target import Python, Target, find_target
from ptcards.verify.update import update_files
from ptcards.verify.workers import Crew, Launch, Reply, Worker

PER_WORKER = 8
"""notes from which on a further worker is worth its start, which imports torch for two seconds"""


class Status(StrEnum):
    """What came of the code of a note."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run: in which Python, after which set-up, how long (seconds for a note), how many at once.

    `place` is where the set-up was written; `cache` the folder of what is remembered, if there is one.
    """

    requires: tuple[str, ...]
    python: Python
    setup: str
    place: Location
    timeout: float
    jobs: int
    cache: Path | None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one note's code; `reasons` say why it, or some of its blocks, were not run."""

    code: NoteCode
    status: Status
    findings: tuple[Finding, ...] = ()
    reasons: tuple[str, ...] = ()
    remembered: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What came of all notes that have code, in their order; `others` is how many have none.

    `unsandboxed` says why the code ran without a sandbox, empty if it ran in one or did not run. `problems` are the diagnostics
    that belong to no run. `settled` says whether another run without any change would run no code.
    """

    results: tuple[Result, ...]
    others: int
    target: Target | None
    unsandboxed: str
    problems: tuple[Diagnostic, ...]
    settled: bool
    rewritten: int = 0


def verify(notes: Sequence[Note], settings: Settings, progress: Callable[[int, int], None]) -> Report:
    """Run the code of notes and compare what it prints; `progress` is told how many of how many have run.

    Raises:
        TargetError: there is no Python to run them, or it lacks what they require.

    """
    with ThreadPoolExecutor(1) as asking:
        # The other Python takes a tenth of a second to answer, as long as we take to find the code.
        asked = asking.submit(find_target, settings.python, settings.requires)
        found = [find_code(note) for note in notes]
    problems = [each for _, diagnostics in found for each in diagnostics]
    codes = [code for code, _ in found if code.blocks]
    runnable = [code for code in codes if code.run]
    others = len(notes) - len(codes)
    if not runnable:
        return Report(
            tuple(_not_run(code) for code in codes), others, None, "", tuple(problems), settled=True
        )
    target = asked.result()
    cache = Cache(settings.cache, target)
    tasks = [make_task(code, settings.setup) for code in runnable]
    keys = [cache.key(task) for task in tasks]
    remembered = [cache.get(key) for key in keys]
    missing = [index for index, reply in enumerate(remembered) if reply is None]
    replies: list[Reply | None] = list(remembered)
    unsandboxed, kept = "", 0
    if missing:
        ahead = imports_ahead(settings.setup, target.imports)
        launch, first, unsandboxed = _start(target, settings.timeout, ahead)
        jobs = min(settings.jobs, -(-len(missing) // PER_WORKER))
        crew = Crew(launch, first, jobs)
        for done, (number, reply) in enumerate(crew.run([tasks[index] for index in missing]), 1):
            index = missing[number]
            replies[index] = reply
            kept += (
                reply is not None and is_unsurprising(tasks[index], reply) and cache.put(keys[index], reply)
            )
            progress(done, len(missing))
        cache.sweep()
    results = {code: _not_run(code) for code in codes}
    for code, reply, old in zip(runnable, replies, remembered, strict=True):
        results[code] = _result(code, reply, settings, remembered=old is not None)
    if broken := next((message for reply in replies if (message := setup_error(reply))), None):
        fix = "mend it; no code of a note was run"
        problems.append(error(settings.place, "setup-failed", f"`setup` fails: {broken}", fix))
    return Report(tuple(results.values()), others, target, unsandboxed, tuple(problems), kept == len(missing))


def update(report: Report) -> Report:
    """Rewrite the `output` blocks that say something else than was printed; what is mended is no finding any more.

    Raises:
        OutputError: a file cannot be written.

    """
    wanted = [finding.rewrite for result in report.results for finding in result.findings if finding.rewrite]
    written, _ = update_files(wanted)
    mended = {id(rewrite) for rewrite in written}
    results = []
    for result in report.results:
        left = tuple(each for each in result.findings if id(each.rewrite) not in mended)
        results.append(
            replace(result, findings=left, status=_status(left) if result.findings else result.status)
        )
    return replace(report, results=tuple(results), rewritten=len(written))


def imports_ahead(setup: str, required: Sequence[str]) -> tuple[str, ...]:
    """List the modules that a set-up imports in its first lines, as far as they are parts of what is required.

    To have them before is as if each note had imported them itself: no note runs without its set-up.
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


def _start(target: Target, timeout: float, ahead: tuple[str, ...]) -> tuple[Launch, Worker, str]:
    """Start the first worker, in a sandbox if one works; else say why there is none."""
    command = bubblewrap(target)
    reason = "bubblewrap is not installed" if os.name == "posix" else "there is no bubblewrap for this system"
    if command is not None and (refused := refusal(command)):
        command, reason = None, f"bubblewrap does not work here ({refused})"
    launch = Launch(target, tuple(command or ()), FORKS, timeout, ahead)
    return launch, Worker(launch), "" if command else reason


def _not_run(code: NoteCode) -> Result:
    return Result(code, Status.NOT_RUN, reasons=_reasons(code))


def _reasons(code: NoteCode) -> tuple[str, ...]:
    return tuple(block.no_run or "no reason given" for block in code.blocks if block.no_run is not None)


def _result(code: NoteCode, reply: Reply | None, settings: Settings, *, remembered: bool) -> Result:
    if setup_error(reply):
        return Result(code, Status.NOT_RUN, reasons=("`setup` fails",))
    findings = tuple(judge(code, reply, settings.timeout))
    return Result(code, _status(findings), findings, _reasons(code), remembered)


def _status(findings: Sequence[Finding]) -> Status:
    failed = any(finding.diagnostic.severity is Severity.ERROR for finding in findings)
    return Status.FAILED if failed else Status.PASSED
