"""Summaries of notes for the rules that compare notes; cached with each source."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location
from ptcards.lint.note import read_heading
from ptcards.notes import Note
from ptcards.source.recipes import Making, by_note
from ptcards.workspace import Contents


class Overview(NamedTuple):
    """A summary of a note.

    `heading` is the location of the heading, and `length` is the length of its text. `correct` states for
    each option of a choice whether it is right. `asked` contains the heading, the rest of the question and
    the options, with words separated by single spaces.
    """

    location: Location
    heading: Location
    key: str
    length: int
    id: str
    deck: str
    difficulty: str
    tags: tuple[str, ...]
    correct: tuple[bool, ...]
    asked: tuple[str, ...]


def overviews(contents: Contents) -> Iterator[Overview]:
    """Yield the overview of each note of a collection."""
    for each in contents.sources:
        if contents.collection.is_selected(each.source.path):
            for number, plain in enumerate(contents.by_note(each, "overviews"), each.start):
                location, heading, *others = plain
                yield Overview(Location(*location), Location(*heading), contents.keys[number], *others)
        else:
            yield from map(_overview, contents.notes_of(each))


def make_overviews(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the overviews of a source as values that marshal supports."""
    found = map(_overview, making.parsed.notes)  # keys are known only after all sources have been read
    plain = ((tuple(each.location), tuple(each.heading), *each[3:]) for each in found)
    return [by_note(making.parsed, plain)], []


def _overview(note: Note) -> Overview:
    heading = read_heading(note)
    # A cloze whose heading has the deletions has no question above its text.
    place = heading.locate() if note.heading else note.location
    return Overview(
        note.location,
        place,
        note.key,
        max(1, len(heading.raw)),
        note.id,
        note.deck,
        note.difficulty,
        note.tags,
        tuple(choice.correct for choice in note.choices),
        _asked(note),
    )


def _asked(note: Note) -> tuple[str, ...]:
    heading = note.heading.markdown.partition("\n")[0] or note.answer.markdown
    texts = (note.question.markdown, *(choice.text.markdown for choice in note.choices))
    return " ".join(heading.split()), *(" ".join(text.split()) for text in texts if text.strip())
