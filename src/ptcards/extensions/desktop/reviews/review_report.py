"""Reports the results of reviews: for a terminal, for programs, and as a single-file page with plots."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ptcards.diagnostics import counted
from ptcards.diagnostics.layout import Terminal, paint, wrap
from ptcards.extensions.desktop.reviews import FEWEST, OFTEN, SLOW, Figures, Reviewed, ReviewSummary
from ptcards.extensions.publish.subscription.plain_text import as_read
from ptcards.markdown.deadline import NOTE_SECONDS, DeadlineError, within
from ptcards.markdown.render import render
from ptcards.notes import Kind, Note, Text, plain_name
from ptcards.notes.labels import ENGLISH, direction, interface
from ptcards.writers.html import fill_page, study_files

MOST = 20
"""The number of notes to list unless all are requested."""

_LONGEST_ANSWER = 80
"""The number of characters to show of an answer."""
_FENCE = re.compile(r"\s*(?:```|~~~)")
_START = re.compile(rf".{{{_LONGEST_ANSWER // 2},{_LONGEST_ANSWER - 1}}}(?=\s)|.{{{_LONGEST_ANSWER - 1}}}")
"""Matches what is shown of a longer answer, up to the end of a word if there are spaces."""
_MOST_SHOWN = 400
"""The number of characters of a text on the page, which cuts them to two lines."""
_NUMBER, _UNIT = r"\d+(?:[.,]\d+)*", "[°µμ]?[A-Za-zΩ]{1,3}[⁻¹²³]*"
_AMOUNT = re.compile(
    rf"(?<![\w$.,]){_NUMBER}(?: ?[×·±–] ?{_NUMBER})*[⁻¹²³⁰⁴-⁹]*"
    rf"[ \u00a0]?{_UNIT}(?:[/·]{_UNIT})*(?! ?[A-Za-z\d$])"
)
"""Matches a number with its unit."""


def as_text(summary: ReviewSummary, terminal: Terminal) -> str:
    """Return the notes for a terminal, most urgent first; without `-v`, only those with a reason."""
    wanted = [note for note in summary.notes if note.reason]
    listed = wanted[:MOST] if terminal.short else [note for note in summary.notes if note.figures.reviews]
    lines = [wrap(_headline(summary), terminal.columns, hang=2)]
    if not wanted and summary.reviewed:
        lines.append(f"nothing to fix: no note with {FEWEST} reviews or more fails often")
    for reviewed in listed:
        lines.append("")
        lines += _note_lines(reviewed, terminal)
    if len(wanted) > len(listed):
        lines += ["", f"… and {counted(len(wanted) - len(listed), 'more note')} to fix (-v lists all)"]
    return "\n".join([*lines, ""])


def _headline(summary: ReviewSummary) -> str:
    kept = summary.kept
    if kept.retention is None:
        return f"{summary.name}: no reviews yet"
    notes = f"{summary.reviewed:,} of {counted(len(summary.notes), 'note')}"
    reviews = counted(kept.reviews, "review")
    return f"{summary.name}: {reviews} of {notes}, true retention {percent(kept.retention)}"


def _note_lines(each: Reviewed, terminal: Terminal) -> Iterator[str]:
    figures, place = each.figures, each.note.location
    where = paint(f"{place.path}:{place.line}", "path", color=terminal.color)
    yield wrap(f"{where}: {each.note.title}", terminal.columns, hang=2)
    if answer := _shortened(_first_line_of_answer(each.note)):
        yield wrap(f"  answer: {answer}", terminal.columns, hang=2)
    if each.reason:
        yield wrap(f"  {each.reason}", terminal.columns, hang=2)
    assert figures.retention is not None and figures.seconds is not None  # noqa: S101, PT018 - it has reviews
    parts = [
        f"retention {percent(figures.retention)}",
        counted(figures.reviews, "review"),
        counted(figures.lapses, "lapse"),
        f"{figures.seconds:.0f} s",
    ]
    if figures.fsrs_difficulty is not None:
        parts.append(f"difficulty {percent(figures.fsrs_difficulty)}")
    if figures.is_leech:
        parts.append("leech")
    yield wrap(f"  {', '.join(parts)}", terminal.columns, hang=2)


def _first_line_of_answer(note: Note) -> str:
    text = _answer(note).markdown
    lines = (each.strip() for each in (plain_name(text) if note.kind is Kind.CLOZE else text).split("\n"))
    some = [each for each in lines if each and not _FENCE.match(each)]
    line = " · ".join(some if note.choices else some[:1])
    if line.startswith("|"):
        line = " · ".join(cell.strip() for cell in line.strip("|").split("|"))
    return line


def _answer(note: Note) -> Text:
    """Return what the learner recalls; the title of a cloze without a heading already contains it."""
    if note.kind is Kind.CLOZE:
        return note.answer if note.heading or note.question else Text()
    right = Text("\n\n".join(choice.text.markdown for choice in note.choices if choice.correct))
    own = next((text for _, text in note.fields[1:] if text), Text())
    return Text(note.typed) or right or own or note.answer


def _shortened(line: str) -> str:
    found = len(line) > _LONGEST_ANSWER and _START.match(line)
    return f"{found[0].rstrip(' .,;:!?،؛؟。，')}…" if found else line


def percent(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.0f}%"


def as_json(summary: ReviewSummary) -> str:
    """Return the report for programs; docs/reviews.md explains the keys."""
    return json.dumps(as_values(summary), ensure_ascii=False, indent=2) + "\n"


def as_values(summary: ReviewSummary) -> dict[str, Any]:
    """Return the report as values that JSON supports."""
    return {
        "name": summary.name,
        "packages": summary.packages,
        **_counts(summary.kept),
        "decks": [{"deck": deck, **_counts(figures)} for deck, figures in summary.topics.items()],
        "forecast": summary.forecast,
        "notes": [_entry(note) for note in summary.notes],
    }


def _counts(figures: Figures) -> dict[str, object]:
    retention = _rounded(figures.retention)
    return {"reviews": figures.reviews, "failed": figures.failed, "retention": retention}


def _entry(each: Reviewed) -> dict[str, object]:
    note, figures = each.note, each.figures
    return {
        "guid": each.guid,
        "key": note.key,
        "deck": note.deck,
        "question": note.title,
        "answer": _shortened(_first_line_of_answer(note)),
        "path": note.location.path,
        "line": note.location.line,
        **_counts(figures),
        "lapses": figures.lapses,
        "median_seconds": _rounded(figures.seconds, 1),
        "fsrs_difficulty": _rounded(figures.fsrs_difficulty),
        "leech": figures.is_leech,
        "reason": each.reason,
    }


def _rounded(number: float | None, digits: int = 4) -> float | None:
    return None if number is None else round(number, digits)


_OWN = resources.files(__name__.rpartition(".")[0]).joinpath("page")


def as_html(summary: ReviewSummary) -> str:
    """Return the page, with the colours and charts of the study page."""
    values, words = as_values(summary), dict(interface("reviews"))
    title = words["heading"].replace("{name}", _isolated(summary.name, direction(summary.language)))
    notes = [
        {name: entry[name] for name in ("reviews", "retention", "median_seconds")}
        | (entry | _texts(reviewed.note, summary.language) if reviewed.reason else {})
        for entry, reviewed in zip(values["notes"], summary.notes, strict=True)
        if reviewed.figures.reviews
    ]
    return fill_page(
        _read("page.html"),
        style=study_files(["page.css"]) + _read("page.css"),
        script=study_files(["common.js", "charts.js"]) + _read("page.js"),
        data=values
        | {
            "notes": notes,
            "language": summary.language,
            "dir": direction(summary.language),
            "count": len(summary.notes),
            "slow": SLOW,
            "often": OFTEN,
            "fewest": FEWEST,
            "words": words,
        },
        parts={name: html.escape(word) for name, word in (words | {"title": title, "lang": ENGLISH}).items()},
    )


def _texts(note: Note, language: str) -> dict[str, object]:
    """Return the question and the answer of a note, each with its language, and the address of its source."""
    asked, _, answered = (note.language or language).partition(",")
    question = note.heading or note.question or note.answer
    answer = _seen(_answer(note), note, {each.written: each.name for each in note.media})
    return {
        "question": _marked(_seen(question, note, {}).partition("\n")[0], asked),
        "answer": _marked(answer.replace("\n", " · ") if note.choices else answer, answered or asked),
        "open": _editor_link(note),
    }


def _marked(text: str, language: str) -> dict[str, str]:
    text, side = text[:_MOST_SHOWN], direction(language)
    if side == "rtl":  # a number would stand after its unit
        text = _AMOUNT.sub(lambda found: _isolated(found[0], "ltr"), text)
    return {"text": text, "lang": language, "dir": side}


def _isolated(text: str, side: str) -> str:
    """Return a text that keeps its direction in any other."""
    mark = {"ltr": "\u2066", "rtl": "\u2067"}.get(side, "\u2068")
    return f"{mark}{text}\u2069"


def _seen(text: Text, note: Note, names: Mapping[str, str]) -> str:
    """Return a text as a reader sees it, with plain maths, code in backticks and no named pictures."""
    try:
        html, _ = within(
            NOTE_SECONDS, render, text, names=names, prefix="a", plain_code=True, macros=note.macros
        )
    except DeadlineError:
        return text.markdown
    return as_read(html)


def _editor_link(note: Note) -> str:
    """Return the address at which VS Code opens a note (https://code.visualstudio.com/docs/configure/command-line)."""
    place = Path(note.location.path).absolute().as_posix()
    return f"vscode://file/{quote(place.lstrip('/'), safe='/:')}:{note.location.line}"


def _read(name: str) -> str:
    return _OWN.joinpath(name).read_text(encoding="utf-8")
