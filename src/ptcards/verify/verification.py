"""Runs the code of notes in their Python and says what came of it."""

import ast
from collections.abc import Callable, Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum

from ptcards.cache import Cache
from ptcards.diagnostics import Diagnostic, Location, Severity, error
from ptcards.notes import Note
from ptcards.source.code import NoteCode, find_code
from ptcards.source.snippets import is_python, syntax_tree
from ptcards.verify.crew import Crew
from ptcards.verify.judge import Finding, is_unsurprising, judge, make_task, setup_error
from ptcards.verify.memory import Replies
from ptcards.verify.sandbox import FORKS, find_sandbox
from ptcards.verify.supervision import Lost, adopt_orphans
from ptcards.verify.target import Python, Target, find_target
from ptcards.verify.temporary import sweep
from ptcards.verify.update import update_files
from ptcards.verify.workers import Launch, Reply

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

    `place` is where the set-up was written. What is not `sandboxed` can do whatever the user can.
    """

    requires: tuple[str, ...]
    python: Python
    setup: str
    place: Location
    timeout: float
    jobs: int
    sandboxed: bool


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

    `unsandboxed` names the option by which the code ran without a sandbox, empty if there was none.
    `problems` are the diagnostics that belong to no run. `settled` says whether another run without any
    change would run no code.
    """

    results: tuple[Result, ...]
    others: int
    target: Target | None
    unsandboxed: str
    problems: tuple[Diagnostic, ...]
    settled: bool
    rewritten: int = 0


def verify(
    notes: Sequence[Note], settings: Settings, cache: Cache, progress: Callable[[int, int], None]
) -> Report:
    """Run the code of notes and compare what it prints; `progress` is told how many of how many have run.

    Raises:
        RefusedError: there is no sandbox, no Python to run them, or it lacks what they require.

    """
    unsandboxed = "" if settings.sandboxed else "--no-sandbox"
    with ThreadPoolExecutor(1) as asking:
        # The other Python takes a tenth of a second to answer, as long as we take to find the code.
        asked = asking.submit(find_target, settings.python, settings.requires, sandboxed=settings.sandboxed)
        found = [find_code(note) for note in notes]
    problems = [each for _, diagnostics in found for each in diagnostics]
    codes = [code for code, _ in found if code.blocks]
    runnable = [code for code in codes if code.run]
    others = len(notes) - len(codes)
    if not runnable:
        return Report(
            tuple(_not_run(code) for code in codes), others, None, unsandboxed, tuple(problems), settled=True
        )
    target = asked.result()
    known = Replies(cache, target)
    tasks = [make_task(code, settings.setup) for code in runnable]
    keys = [known.key(task) for task in tasks]
    remembered = [known.get(key) for key in keys]
    missing = [index for index, reply in enumerate(remembered) if reply is None]
    replies: list[Reply | Lost] = [reply or Lost.KILLED for reply in remembered]
    kept = 0
    if missing:
        jobs = min(settings.jobs, -(-len(missing) // PER_WORKER))
        crew = Crew(_launch(target, settings), jobs)
        for done, (number, reply) in enumerate(crew.run([tasks[index] for index in missing]), 1):
            index = missing[number]
            replies[index] = reply
            kept += (
                not isinstance(reply, Lost)
                and is_unsurprising(tasks[index], reply)
                and known.put(keys[index], reply)
            )
            progress(done, len(missing))
    results = {code: _not_run(code) for code in codes}
    for code, reply, old in zip(runnable, replies, remembered, strict=True):
        results[code] = _result(code, reply, settings, remembered=old is not None)
    if broken := next((message for reply in replies if (message := setup_error(reply))), None):
        fix = "fix it: no note's code was run"
        problems.append(error(settings.place, "setup-failed", f"`setup` fails: {broken}", fix))
    return Report(tuple(results.values()), others, target, unsandboxed, tuple(problems), kept == len(missing))


def update(report: Report, foreign: Container[str] = ()) -> Report:
    """Rewrite the `output` blocks that say something else than was printed, but not in `foreign` paths.

    What is fixed is no longer a finding.

    Raises:
        OutputError: a file cannot be written.

    """
    wanted = [
        finding.rewrite
        for result in report.results
        for finding in result.findings
        if finding.rewrite and finding.rewrite.output.place.path not in foreign
    ]
    written = {id(each) for each in update_files(wanted)}
    results = []
    for result in report.results:
        left = tuple(each for each in result.findings if id(each.rewrite) not in written)
        results.append(
            replace(result, findings=left, status=_status(left) if result.findings else result.status)
        )
    return replace(report, results=tuple(results), rewritten=len(written))


def imports_ahead(setup: str, required: Sequence[str]) -> tuple[str, ...]:
    """Return the modules that a set-up imports in its first lines, as far as `requires` names them.

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


def _launch(target: Target, settings: Settings) -> Launch:
    """Return how to start workers, once it is sure that they are kept where they belong."""
    sweep()
    sandbox = find_sandbox() if settings.sandboxed else None
    if sandbox is None:
        adopt_orphans()
    ahead = imports_ahead(settings.setup, target.imports)
    return Launch(target, sandbox, FORKS, settings.timeout, ahead)


def _not_run(code: NoteCode) -> Result:
    return Result(code, Status.NOT_RUN, reasons=_reasons(code))


def _reasons(code: NoteCode) -> tuple[str, ...]:
    return tuple(block.no_run or "no reason given" for block in code.blocks if block.no_run is not None)


def _result(code: NoteCode, reply: Reply | Lost, settings: Settings, *, remembered: bool) -> Result:
    if setup_error(reply):
        return Result(code, Status.NOT_RUN, reasons=("`setup` fails",))
    findings = tuple(judge(code, reply, settings.timeout))
    return Result(code, _status(findings), findings, _reasons(code), remembered)


def _status(findings: Sequence[Finding]) -> Status:
    failed = any(finding.diagnostic.severity is Severity.ERROR for finding in findings)
    return Status.FAILED if failed else Status.PASSED
