"""Reports what an import read, wrote and left out, for people and programs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ptcards.diagnostics import counted
from ptcards.importing.drafts import LeftOut, usable_tag
from ptcards.importing.problems import quoted

_SHOWN = 20
"""The maximum number of notes in a list; the others are only counted."""


@dataclass(slots=True)
class Made:
    """A note type: its size and its number of notes."""

    name: str
    fields: int
    templates: int
    notes: int = 0


@dataclass(slots=True)
class Report:
    """What an import did; `outcome` is `adopted` or `fresh`."""

    file: str
    format: str
    outcome: str
    folder: str = ""
    dry_run: bool = False
    notes: int = 0
    media: int = 0
    note_types: dict[int, Made] = field(default_factory=dict)
    scripts: int = 0
    """the number of adopted templates with scripts"""
    decks: Counter[str] = field(default_factory=Counter)
    files: int = 0
    markdown: int = 0
    verbatim: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    """the tags that were rewritten or left out, except those that Anki manages itself"""
    left_out: list[LeftOut] = field(default_factory=list)
    changed: list[LeftOut] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    """notes whose cards are in several decks"""
    matched: int | None = None
    """notes of the Markdown that are also in the package given with `--reviews-from`"""

    def clear(self) -> None:
        """Clear everything that one attempt to write the notes recorded."""
        self.markdown = 0
        for each in (self.decks, self.verbatim, self.lost, self.tags):
            each.clear()
        for found in (self.left_out, self.changed, self.apart):
            found.clear()

    @property
    def written(self) -> int:
        """The number of notes that were written."""
        return sum(self.decks.values())


def lines(report: Report) -> Iterator[str]:
    """Yield the lines of the report for people."""
    media = f", {counted(report.media, 'media file')}" if report.media else ""
    yield f"read {report.file}: {report.format}, {counted(report.notes, 'note')}{media}"
    for each in report.note_types.values():
        what = (
            f"{counted(each.fields, 'field')}, {counted(each.templates, 'template')}, "
            f"{counted(each.notes, 'note')}"
        )
        yield f"{report.outcome:<8} {each.name}: {what}"
    if report.matched is not None:
        yield f"matched  {counted(report.matched, 'note')} with the package, by the text on the front"
    if report.scripts:
        yield f"scripts  in {counted(report.scripts, 'template')}: they only run in Anki"
    yield f"decks    {_listed(report.decks)}"
    if report.markdown or report.verbatim or report.lost:
        verbatim = (
            f", {report.verbatim.total():,} verbatim ({_listed(report.verbatim)})" if report.verbatim else ""
        )
        lost = f", {report.lost.total():,} without formatting ({_listed(report.lost)})" if report.lost else ""
        yield f"fields   {report.markdown:,} as Markdown{verbatim}{lost}"
    if report.tags:
        yield f"tags     {'; '.join(_about_tags(report.tags))}"
    if report.apart:
        yield (
            f"apart    {counted(len(report.apart), 'note')} with cards in several decks, each "
            "written to the deck of its first card"
        )
    verb = "would write" if report.dry_run else "wrote"
    kept = report.written if report.matched is None else report.matched
    lock = f", deck.lock with their {kept:,} GUIDs" if report.outcome == "adopted" else ""
    written = f"{counted(report.written, 'note')} in {counted(report.files, 'file')}"
    yield f"{verb} {report.folder}/: {written}{lock}"
    yield from _table(report)


def _about_tags(tags: Counter[str]) -> Iterator[str]:
    """Yield how many tags were rewritten and left out, each with the most frequent one as an example."""
    rewritten = Counter({tag: count for tag, count in tags.items() if usable_tag(tag)})
    if rewritten:
        tag, _ = _by_count(rewritten)[0]
        yield f"{rewritten.total():,} rewritten, such as {quoted(tag)} as {quoted(usable_tag(tag))}"
    if left_out := tags - rewritten:
        yield f"{left_out.total():,} left out, such as {quoted(_by_count(left_out)[0][0])}"


def _table(report: Report) -> Iterator[str]:
    """Yield the numbers of notes read, written, changed and left out, and list the last two groups."""
    if report.outcome != "new" and not (report.changed or report.left_out):
        return
    rows: list[tuple[str, int, str, list[str]]] = [
        ("read", report.notes, "", []),
        ("written", report.written, "", []),
    ]
    for name, found in (("changed", report.changed), ("left out", report.left_out)):
        for cause in dict.fromkeys(each.cause for each in found):
            those = [each for each in found if each.cause == cause]
            rows.append((name, len(those), cause, _listing(those)))
        rows += [] if found else [(name, 0, "", [])]
    width = max(len(f"{count:,}") for _, count, *_ in rows)
    yield ""
    for name, count, cause, below in rows:
        yield f"{name:<8} {count:>{width},}  {cause}".rstrip()
        yield from (f"{'':{11 + width}}{line}" for line in below)


def _listing(found: Sequence[LeftOut]) -> list[str]:
    """Return one line for each note, with its place."""
    shown = found[:_SHOWN]
    width = max(len(each.place) for each in shown)
    lines = [f"{each.place:<{width}}  {each.title}" if width else each.title for each in shown]
    more = len(found) - _SHOWN
    return [*lines, f"and {more:,} more: add `--format json`"] if more > 0 else lines


def as_json(report: Report) -> dict[str, Any]:
    """Return the report for programs."""
    return {
        "file": report.file,
        "format": report.format,
        "outcome": report.outcome,
        "folder": report.folder,
        "dry_run": report.dry_run,
        "read": {"notes": report.notes, "media": report.media},
        "written": {"notes": report.written, "files": report.files},
        "note_types": [
            {"name": each.name, "fields": each.fields, "templates": each.templates, "notes": each.notes}
            for each in report.note_types.values()
        ],
        "scripts": report.scripts,
        "decks": dict(report.decks),
        "fields": {
            "markdown": report.markdown,
            "verbatim": dict(report.verbatim),
            "without_look": dict(report.lost),
        },
        "tags": [
            {"tag": tag, "written": usable_tag(tag), "count": count} for tag, count in _by_count(report.tags)
        ],
        "left_out": [_entry(*each) for each in report.left_out],
        "changed": [_entry(*each) for each in report.changed],
        "apart": report.apart,
        "matched": report.matched,
    }


def _entry(cause: str, place: str, title: str) -> dict[str, str]:
    return {"cause": cause, "place": place, "note": title}


def _listed(counts: Counter[str]) -> str:
    """Return names with their counts, the largest first."""
    named = _by_count(counts)
    shown = [f"{name} {number:,}" for name, number in named[:6]]
    return ", ".join([*shown, f"{len(named) - 6} more"] if len(named) > 6 else shown)


def _by_count(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))
