"""`ptcards check`: reports every problem."""

import json
import os
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

import click

from ptcards.cli.messages import (
    CommandError,
    Progress,
    announce,
    common_options,
    complete_rules,
    format_option,
    is_quiet,
    is_verbose,
    read_stdin,
    tell,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import (
    dialect_option,
    exit_status,
    how_to_list,
    offer_fix,
    sources_argument,
    tell_untouched,
    wanted,
)
from ptcards.diagnostics import Diagnostic, Location, Severity, counted, may_be_kept
from ptcards.diagnostics.layout import Terminal, paint, visible
from ptcards.diagnostics.render import FORMATS, Format, SourceLine, render, statistics, summary
from ptcards.extensions import modules
from ptcards.files.inputs import shown, source_lines
from ptcards.lint import CheckAnswer

if TYPE_CHECKING:
    from ptcards.cache import Cache
    from ptcards.lint.check import Checked, CheckedText
    from ptcards.lint.edited_text import TextEdit
    from ptcards.lint.fixes import PlannedFix
    from ptcards.lint.report import NamedNote

_STDIN = Path("-")
_DETAILED = ("json", "sarif")
"""Formats that also say which note a finding is about, and how to fix it."""


class _Task(NamedTuple):
    """What to do: change the sources or plan it, download media, and find what a detailed format needs."""

    fixing: bool
    planning: bool
    fetching: bool
    detailed: bool
    select: Sequence[str]
    ignore: Sequence[str]

    def is_wanted(self, rule: str) -> bool:
        """Whether to report a rule, and to fix what it reports."""
        return (not self.select or rule in self.select) and rule not in self.ignore


class _Details(NamedTuple):
    """What a detailed format needs: all notes, and the edits of each path.

    `fixes` are those to show, `counts` the findings that they fix by path and rule, `fixed` is how
    many have been fixed, and `has_changed` means that files were written.
    """

    notes: "Sequence[NamedNote]"
    edits: "Mapping[str, Sequence[TextEdit]]"
    fixes: "Sequence[PlannedFix]" = ()
    counts: "Mapping[str, Counter[str]]" = MappingProxyType({})
    has_changed: bool = False
    fixed: int = 0


_NO_DETAILS = _Details((), {})


def _split(_ctx: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for value in values for name in value.split(",") if name)


@click.command()
@sources_argument
@dialect_option
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@click.option("--fix", "fixing", is_flag=True, help="Fix the files where this is safe; report the rest.")
@click.option(
    "--diff", "planning", is_flag=True, help="Show what --fix would change as a diff; change nothing."
)
@click.option(
    "--fetch", "fetching", is_flag=True, help="With --fix, download pictures from the web to media/."
)
@click.option(
    "--select",
    metavar="RULE",
    multiple=True,
    callback=_split,
    shell_complete=complete_rules,
    help="Report only this rule; may be repeated.",
)
@click.option(
    "--ignore",
    metavar="RULE",
    multiple=True,
    callback=_split,
    shell_complete=complete_rules,
    help="Do not report this warning or hint; may be repeated.",
)
@click.option(
    "--statistics", "counting", is_flag=True, help="Count the findings by rule instead of listing them."
)
@click.option(
    "--stdin-filename",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    default="stdin.md",
    help="With `-` as SOURCE, treat standard input as this file.",
)
@format_option(
    *FORMATS,
    *_DETAILED,
    help="text: for people; concise: a line each, for editors; github: annotations; json: for programs; "
    "sarif: code scanning.",
)
@click.option("--explain", "explaining", is_flag=True, help="With --format json, explain each rule.")
@verbose_option("Print every finding with all its locations.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    sources: Sequence[Path],
    dialect: str,
    strict: bool,
    fixing: bool,
    planning: bool,
    fetching: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    counting: bool,
    stdin_filename: Path,
    form: str,
    explaining: bool,
) -> None:
    """Report every problem with its location, cause and fix.

    Nothing is built. `ptcards explain RULE` explains the rule in brackets. With `-` as SOURCE, only standard
    input is checked, for use in editors.

    \b
    Examples:
      ptcards check                             list errors and advice
      ptcards check --fix                       fix what is marked with [fix]
      ptcards check optim.md --select no-source  look at one file, for one rule
    """  # noqa: D301 - Click wants the character \b itself
    wrong = {
        "`--fetch` writes files: use it with `--fix`": fetching and not fixing,
        "`--fetch` needs an extension of ptcards that is not installed": fetching and not modules("fetch"),
        "`--explain` only adds to `--format json`": explaining and form != "json",
        "`--diff` only shows what `--fix` would change: leave out `--fix`, `--statistics` and `--format`": (
            planning and (fixing or counting or form != "text")
        ),
        "`-` cannot be combined with another SOURCE, `--fix` or `--diff`": _STDIN in sources
        and (len(sources) > 1 or fixing or planning),
    }
    for message in (message for message, is_wrong in wrong.items() if is_wrong):
        raise click.UsageError(message)
    if select or ignore:
        _refuse_unknown((*select, *ignore), ignore)
    task = _Task(fixing, planning, fetching, form in _DETAILED and not counting, select, ignore)
    if _STDIN in sources:
        answer, lines, details = _check_stdin(stdin_filename, task)
    else:
        answer, details = _check(sources, dialect, task)
        lines = source_lines()
        if is_verbose():
            _tell_reading(sources, dialect)
    diagnostics = [each for each in answer.diagnostics if task.is_wanted(each.rule)]
    found = wanted(diagnostics)
    looked = _first_look(sources, dialect, task, answer) if form in ("text", "concise") else []
    if planning:
        _show_fixes(details)
        ctx.exit(_status(diagnostics, strict=strict))
    if counting:
        text = statistics(found, terminal(err=False), frozenset(answer.fixable))
    else:
        # Who names rules has seen their counts.
        layout = terminal(err=False)._replace(short=not (select or is_verbose()))
        marked = frozenset(answer.fixable)
        found = wanted(looked) or found
        text = _report(found, lines, details, form=form, layout=layout, fixable=marked, explain=explaining)
    _print(text, after_changes=details.has_changed and form == "text")
    if form in ("text", "concise") and diagnostics and _STDIN not in sources:
        if looked and not counting:
            _tell_others([each for each in diagnostics if each.rule not in {one.rule for one in looked}])
        else:
            offer_fix(ctx, diagnostics, answer.fixable)
    _tell_counts(answer, is_clean=not (diagnostics or looked), is_for_people=form in ("text", "concise"))
    ctx.exit(_status(diagnostics, strict=strict))


def _tell_counts(answer: CheckAnswer, *, is_clean: bool, is_for_people: bool) -> None:
    """Print how many notes were checked without a finding, and how many files are not read."""
    less = f"{counted(answer.not_read, 'file')} not read: check -v" if answer.not_read else ""
    if is_clean:
        others = [counted(answer.drafts, "draft")] if answer.drafts else []
        others += [less] if less else []
        what = counted(answer.notes, "note") + (f" ({', '.join(others)})" if others else "")
        announce("Checked", f"{what}: nothing to report")
    elif less and is_for_people and not is_verbose():
        tell(less)


def _print(text: str, *, after_changes: bool) -> None:
    """Print a report, below an empty line if files have changed."""
    if text and after_changes:
        tell("")
    click.echo(text, nl=False, color=True)


def _status(diagnostics: Sequence[Diagnostic], *, strict: bool) -> int:
    warned = any(diagnostic.severity is Severity.WARNING for diagnostic in diagnostics)
    return exit_status(diagnostics) or int(strict and warned)


def _show_fixes(details: _Details) -> None:
    """Print a diff of each file that `--fix` would change, and what it would fix there."""
    there = terminal(err=False)
    is_exact = there.columns is None and not there.color
    for line in (line for each in details.fixes for line in each.difference):
        if is_exact:
            click.echo(line.encode(), nl=False)
            continue
        for row in line.removesuffix("\n").split("\n"):
            shown_row = visible(row.removesuffix("\r"))
            click.echo(paint(shown_row, row[0], color=there.color and row[0] in "+-@"), color=True)
    for each in details.fixes:
        announce("Would fix", _in_file(each.path, details.counts[each.path]))
    if not details.fixes:
        tell("nothing that `--fix` would change")


def _in_file(path: str, counts: Counter[str]) -> str:
    """Return how many findings of which rules are fixed in a file, the most frequent rule first."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    rules = ", ".join(f"{rule} ({count})" if count > 1 else rule for rule, count in ordered)
    return f"{counted(counts.total(), 'finding')} in {path}: {rules}"


def _tell_reading(sources: Sequence[Path], dialect: str) -> None:
    """Print the dialect of each file, where it is set, and the files and cards that are left out."""
    from ptcards.source.collection import effective_settings  # noqa: PLC0415
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415 - heavier than --help

    with ReadOptions.of_user(tell, dialect=dialect) as options:
        contents = Workspace.read(sources, options).contents
    for collection in (each.collection for each in contents):
        for line in effective_settings(collection, dialect):
            tell(line)
        for name, reason in collection.not_read.reasons.items():
            tell(f"not read: {shown(collection.root / name)}: {reason}; name it in `include` to read it")
    for card in (card for each in contents for card in each.left_out):
        tell(f"left out: {card.place}: {card.cause}" + (f": {card.heading}" if card.heading else ""))


def _refuse_unknown(names: Iterable[str], ignore: Sequence[str]) -> None:
    """Raise an error for unknown rules, and for attempts to ignore errors."""
    from ptcards.lint.registry import all_messages, near_rules  # noqa: PLC0415 - heavier than --help

    rules = all_messages()
    for name in names:
        if name not in rules:
            message = f"there is no rule `{name}`"
            raise CommandError(message, near_rules(name))
        if name in ignore and set(rules[name].severities) == {Severity.ERROR}:
            message = f"`{name}` is an error and cannot be ignored"
            raise CommandError(message, f"run `ptcards explain {name}` to see how to fix it")


def _report(
    found: Sequence[Diagnostic],
    lines: SourceLine,
    details: _Details,
    *,
    form: str,
    layout: Terminal,
    fixable: Container[tuple[Location, str]],
    explain: bool,
) -> str:
    """Return a report in one of the formats."""
    if form not in _DETAILED:
        return render(
            found,
            format=cast("Format", form),
            source_line=lines,
            terminal=layout,
            fixable=fixable,
            fixed=0 if is_quiet() else details.fixed,
            listing=how_to_list,
        )
    from ptcards import __version__  # noqa: PLC0415 - only on request
    from ptcards.lint.report import as_json, as_sarif, make_report  # noqa: PLC0415 - as above

    report = make_report(found, details.notes, details.edits, lines)
    document = as_json(report, explain=explain) if form == "json" else as_sarif(report, __version__)
    return json.dumps(document, indent=2) + "\n"


def _check(sources: Sequence[Path], dialect: str, task: _Task) -> tuple[CheckAnswer, _Details]:
    """Return what to report, from the cache if nothing has changed and no details are needed."""
    # The cheap check for changes comes first; the later imports are heavier than --help.
    from ptcards.cache import Cache  # noqa: PLC0415
    from ptcards.files import cache_file  # noqa: PLC0415

    question = ("check", list(map(str, sources)), dialect, sorted({*task.select}))
    with closing(Cache(cache_file(os.environ), tell)) as cache:
        needs_sources = task.fixing or task.planning or task.detailed
        known = None if needs_sources else cache.recall(question, CheckAnswer)
        if known is not None:
            return known, _NO_DETAILS
        checked = _check_sources(sources, cache, question, dialect, task.select)
        has_fetched = task.fetching and _fetch(checked)
        fixed = _fix(checked, task) if task.fixing else 0
        has_changed = has_fetched or fixed > 0
        if has_changed:
            checked = _check_sources(sources, cache, question, dialect, task.select)
        details = _find_details(checked, task)._replace(has_changed=has_changed, fixed=fixed)
    return checked.answer, details


def _find_details(checked: "Checked", task: _Task) -> _Details:
    if not (task.detailed or task.planning):
        return _NO_DETAILS
    from ptcards.lint.fixes import planned_fixes  # noqa: PLC0415 - only on request
    from ptcards.lint.report import named_notes  # noqa: PLC0415 - as above

    counts = checked.to_fix(task.is_wanted)
    fixes = [*planned_fixes(checked.contents, counts)]
    return _Details(named_notes(checked.contents), {each.path: each.edits for each in fixes}, fixes, counts)


def _first_look(
    sources: Sequence[Path], dialect: str, task: _Task, checked: CheckAnswer
) -> Sequence[Diagnostic]:
    """Return what the files of a folder look like if nobody has said yet how to read them.

    It is shown instead of everything that the check reports, but does not change the exit status.
    """
    if len(sources) != 1 or sources[0] == _STDIN or dialect or task.fixing or task.select or is_verbose():
        return []
    from ptcards.files.inputs import find_root, is_collection  # noqa: PLC0415 - heavier than --help

    if is_collection(find_root(sources[0].absolute())):
        return []
    with Progress() as progress:
        looks = [each.first_look(sources[0], progress, notes=checked.notes) for each in modules("first_look")]
    wrong = {each.rule for each in checked.diagnostics if each.severity is Severity.ERROR}
    return [
        each
        if each.rule in wrong or each.severity is not Severity.ERROR
        else replace(each, severity=Severity.WARNING)
        for look in looks
        for each in (look.diagnostics if look and look.is_foreign else ())
    ]


def _tell_others(found: Sequence[Diagnostic]) -> None:
    """Print how many findings the first look does not show."""
    if found:
        tell(f"if `##` headings are questions: {summary(found)}: check -v")


def _check_sources(
    sources: Sequence[Path], cache: "Cache", question: Sequence[object], dialect: str, select: Sequence[str]
) -> "Checked":
    """Return what there is to report, and keep it as the answer to a question."""
    from ptcards.lint.check import judge, read_advised  # noqa: PLC0415 - as above
    from ptcards.processes import usable_processors  # noqa: PLC0415
    from ptcards.workspace import ReadOptions  # noqa: PLC0415

    with Progress() as progress:
        options = ReadOptions(cache, usable_processors(), dialect, progress, texts=False)
        workspace = read_advised(sources, options, select)
        # Taken before the locks are read: if a lock changes afterwards, the answer is not kept.
        facts = workspace.facts() if may_be_kept(workspace.diagnostics) else None
        checked = judge(workspace, progress, select)
    if facts is not None and may_be_kept(checked.diagnostics):
        workspace.remember(question, facts, checked.answer, CheckAnswer)
    return checked


def _check_stdin(path: Path, task: _Task) -> tuple[CheckAnswer, SourceLine, _Details]:
    """Return what to report about standard input, the lines of standard input, and the details."""
    from ptcards.lint.check import check_text  # noqa: PLC0415 - as above

    content = read_stdin()
    checked = check_text(path, content, enable=task.select)
    lines = content.decode("utf-8-sig", "replace").splitlines()
    answer = CheckAnswer(checked.diagnostics, checked.notes, [], 0, checked.drafts)
    details = _text_details(checked, content, task) if task.detailed else _NO_DETAILS
    return answer, lambda place: lines[place.line - 1] if place.line <= len(lines) else None, details


def _text_details(checked: "CheckedText", content: bytes, task: _Task) -> _Details:
    """Return the details of standard input; only a collection's lock knows the GUIDs of its notes."""
    from ptcards.lint.fixes import planned_text_edits  # noqa: PLC0415 - only on request
    from ptcards.lint.report import NamedNote  # noqa: PLC0415 - as above
    from ptcards.source.assembly import find_keys  # noqa: PLC0415 - as above

    source, parsed = checked.source, checked.parsed
    if source is None or parsed is None:
        return _NO_DETAILS
    keys = find_keys(parsed.all_summaries)
    notes = [NamedNote(summary, key, "") for summary, key in zip(parsed.all_summaries, keys, strict=True)]
    rules = {each.rule for each in checked.diagnostics if task.is_wanted(each.rule)}
    edits = planned_text_edits(checked.collection, source, parsed, content, rules)
    return _Details(notes, {source.path: edits})


def _fix(checked: "Checked", task: _Task) -> int:
    """Fix the sources; return how many findings were fixed."""
    from ptcards.lint.fixes import fix, fixing_rules  # noqa: PLC0415 - only on request

    rules = [rule for rule in fixing_rules() if task.is_wanted(rule)]
    paths = {each.location.path for each in checked.diagnostics if each.rule in rules}
    for contents in checked.contents:
        tell_untouched("fixed", contents, paths)
    counts = checked.to_fix(task.is_wanted)
    fixed = fix(checked.contents, counts)
    for path in fixed:
        announce("Fixed", _in_file(path, counts[path]))
    total = sum(counts[path].total() for path in fixed)
    if len(fixed) > 1:
        announce("Fixed", f"{counted(total, 'finding')} in {counted(len(fixed), 'file')}")
    return total


def _fetch(checked: "Checked") -> bool:
    """Download the pictures that notes show from servers; return whether there are any new files."""
    count = 0
    for downloader, contents in product(modules("fetch"), checked.contents):
        with Progress() as progress:
            fetched = downloader.fetch(contents, progress)
        for address, why in fetched.failures.items():
            tell(f"not fetched: `{address}`: {why}")
        if fetched.files:
            size = max(1, fetched.size // 1000)
            announce("Fetched", f"{counted(fetched.files, 'file')}, {size:,} kB, into media/")
        count += fetched.files
    if count:
        tell("make sure that you are allowed to share these files")
    return count > 0
