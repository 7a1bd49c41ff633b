"""Finds notes by their key, their GUID, or words in their texts.

A command that finds everything in the cache imports nothing else, so that it is quick.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class NoteText(NamedTuple):
    """The texts of a note in Markdown, with its place, its key and its GUID.

    The GUID is empty for a draft, or if `deck.toml` has no id. `question` is never empty, and its first line
    is the title. `unlike` has keys of notes that look like it.
    """

    path: str
    line: int
    key: str
    guid: str
    question: str
    answer: str
    draft: bool
    unlike: tuple[str, ...]

    @property
    def title(self) -> str:
        """The first line of the question."""
        return self.question.partition("\n")[0]


NoteTexts = list[NoteText]

MOST = 50
"""The maximum number of notes for a program."""


def question_of(paths: Sequence[Path], dialect: str) -> tuple[object, ...]:
    """Return the question under which the cache keeps the texts of the notes of these SOURCEs."""
    return "find", list(map(str, paths)), dialect


_WHOLE_IN_QUESTION, _IN_QUESTION, _WHOLE_IN_ANSWER, _IN_ANSWER = 8, 4, 2, 1
"""What a word counts by where it is."""
_HYPHEN = re.compile(r"-(?<=\w-)(?=\w)")


def search(notes: Iterable[NoteText], words: Sequence[str]) -> list[NoteText]:
    """Return the notes with this key or GUID, and then those that contain the most of the words, best first.

    Case does not matter, nor whether words are quoted together, or a hyphen or a space joins them. A word is
    also found inside another one, but a complete word counts more, and the question counts more than the
    answer.
    """
    names = {*words, " ".join(words)}
    wanted = list(dict.fromkeys(map(folded, " ".join(words).split())))
    named, found = [], []
    for note in notes:
        if note.key in names or (note.guid and note.guid in names):
            named.append(note)
            continue
        question, answer = folded(note.question), folded(note.answer)
        scores = [_score(word, question, answer) for word in wanted if word in question or word in answer]
        if scores:
            found.append((len(scores), sum(scores), note))
    most = max((count for count, _, _ in found), default=0)
    best = sorted((each for each in found if each[0] == most), key=lambda each: -each[1])
    return named + [note for _, _, note in best]


def as_json(found: Sequence[NoteText]) -> dict[str, Any]:
    """Return the first notes in the form that programs use, and how many there are."""
    return {"count": len(found), "notes": [note._asdict() for note in found[:MOST]]}


def folded(text: str) -> str:
    """Return a text in the form that is compared with other texts, without case or hyphens inside words."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return _HYPHEN.sub(" ", composed.casefold())


def ranges_of(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return where these words are in a text in NFC, in order, as beginnings and ends that do not overlap."""
    longest_first = sorted({folded(word) for word in words if word.strip()}, key=len, reverse=True)
    # A folded character may be longer than the character, so each knows where it comes from.
    origins = [at for at, char in enumerate(text) for _ in char.casefold()]
    found = re.finditer("|".join(map(re.escape, longest_first)) or "(?!)", _HYPHEN.sub(" ", text.casefold()))
    ranges: list[tuple[int, int]] = []
    for each in found:
        start, end = origins[each.start()], origins[each.end() - 1] + 1
        start = max(start, ranges[-1][1] if ranges else 0)
        if start < end:
            ranges.append((start, end))
    return ranges


def _score(word: str, question: str, answer: str) -> int:
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    if word in question:
        return _WHOLE_IN_QUESTION if whole.search(question) else _IN_QUESTION
    return _WHOLE_IN_ANSWER if whole.search(answer) else _IN_ANSWER
