"""What a note is known by: hashes of what its author wrote, and its GUID."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Container, Sequence
from sys import intern
from typing import Any, NamedTuple

from ptcards.diagnostics import Location
from ptcards.identity.lock import Imprint
from ptcards.identity.sketch import SHORTEST, sketch
from ptcards.notes import Note

_HEX = 12
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_GUID_LENGTH = 11
_LONGEST_HEADING = 200
_LONGEST_SLUG = 60
_WORDS = re.compile(r"[^\W_]+")
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Gist(NamedTuple):
    """What a collection must know of each of its notes, so that their texts need not be in memory.

    `question` is what the GUID of a note without an id is derived from, `heading_length` what a caret line
    underlines. `asked` is the digest of deck and question (empty without a heading), `slug` the question as a
    key (empty with an id), `ignore` the rules that the note ignores.
    """

    location: Location
    imprint: Imprint
    question: str
    answer_words: int
    heading_length: int
    id_place: Location
    asked: str
    slug: str
    ignore: tuple[str, ...]


def gist(note: Note, id_place: Location | None = None) -> Gist:
    """Return what a collection must know of a note whose id is at `id_place`."""
    return Gist(
        note.location,
        imprint(note),
        "" if note.id else _question(note),
        answer_words(note),
        len("## ") + len(note.heading.markdown.partition("\n")[0]),
        id_place or note.location,
        _asked(note),
        "" if note.id else _slug(note.heading.markdown or note.title),
        note.ignore,
    )


def plain_gist(each: Gist) -> tuple[object, ...]:
    """Return a gist as values that marshal knows."""
    location, said, question, words, length, id_place, asked, slug, ignore = each
    elsewhere = () if id_place == location else tuple(id_place)
    return tuple(location), tuple(said), question, words, length, elsewhere, asked, slug, ignore


def gist_of(plain: Sequence[Any]) -> Gist:
    """Return the gist that `plain_gist` took apart."""
    place, said, question, words, length, elsewhere, asked, slug, ignore = plain
    location = Location(*place)
    id_place = Location(*elsewhere) if elsewhere else location
    return Gist(location, Imprint(*said), question, words, length, id_place, asked, slug, ignore)


def imprint(note: Note) -> Imprint:
    """Take from a note what the lock remembers of it."""
    return Imprint(
        note.note_type,
        content_hash(note),
        question_hash(note),
        answer_hash(note),
        note.id,
        intern(one_line(note.deck)),  # one string for all notes of a deck
        # Link definitions that a heading uses stand below its line.
        one_line(note.title)[:_LONGEST_HEADING].rstrip(),
        sketch("\n".join(_answer_texts(note))) if answer_words(note) >= SHORTEST else "",
    )


def content_hash(note: Note) -> str:
    """Hash everything that a learner sees of a note, as written: 12 hex digits.

    Only parts that are not empty enter, each by its name, so that a part which a later version adds changes
    no note without it. Out stay the id, `ignore`, places and HTML: none of them may update a learner's note.
    Tags and media enter sorted, their order shows nowhere.
    """
    return _hash(
        {
            "kind": note.kind.value,
            "heading": note.heading.markdown,
            "question": note.question.markdown,
            **_answer_parts(note),
            "hint": note.hint.markdown,
            "details": note.details.markdown,
            "sources": note.sources.markdown,
            "topic": note.topic,
            "difficulty": note.difficulty,
            "tags": sorted({*note.tags}),
            "code deletions": "asked" if note.code_deletions else "",
            "language": note.language,
            "labels": note.labels,
            "media": sorted({(media.name, media.digest) for media in note.media}),
        }
    )


def question_hash(note: Note) -> str:
    """Hash what is asked, heading and what follows it: 12 hex digits."""
    return _hash({"question": _question(note)})


def answer_hash(note: Note) -> str:
    """Hash what is answered, options and text to type included: 12 hex digits."""
    return _hash(_answer_parts(note))


def answer_words(note: Note) -> int:
    """Count the words of what is answered."""
    return sum(len(text.split()) for text in _answer_texts(note))


def derive_guid(note: Gist, collection_id: str, taken: Container[str]) -> str:
    """Derive the GUID of a note that no record knows: 11 characters 0-9A-Za-z.

    From its id, else from deck and question, in name spaces apart, so that an id never meets another note's
    question. A GUID once given away is never derived again: while it is `taken`, salts follow.
    """
    said = note.imprint
    if said.id:
        seed = [collection_id, said.note_type, "id", said.id.casefold()]
    else:
        seed = [collection_id, said.note_type, "question", said.deck, note.question]
    salt = 0
    while (guid := _guid([*seed, str(salt)] if salt else seed)) in taken:
        salt += 1
    return guid


def one_line(text: str) -> str:
    """Put a text on one line, as the lock's columns need it: NFC, white space as single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _question(note: Note) -> str:
    asked = "\n\n".join(text.markdown for text in (note.heading, note.question) if text)
    return asked or note.title


def _asked(note: Note) -> str:
    """Return a digest that notes share which ask the same in the same deck."""
    asked = (note.heading, note.question) if note.heading or note.question else (note.heading, note.answer)
    texts = (" ".join(text.markdown.split()) for text in asked)
    return hashlib.sha256("\0".join((note.deck.casefold(), *texts)).encode()).hexdigest()[:32]


def _slug(heading: str) -> str:
    return "-".join(_WORDS.findall(heading.lower()))[:_LONGEST_SLUG].strip("-") or "note"


def _answer_texts(note: Note) -> list[str]:
    options = [text.markdown for choice in note.choices for text in (choice.text, choice.comment)]
    return [note.answer.markdown, *options, note.typed]


def _answer_parts(note: Note) -> dict[str, object]:
    return {
        "answer": note.answer.markdown,
        "choices": [
            [choice.text.markdown, choice.comment.markdown, choice.correct] for choice in note.choices
        ],
        "typed": note.typed,
    }


def _hash(parts: dict[str, object]) -> str:
    text = _JSON.encode({name: part for name, part in parts.items() if part})
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()[:_HEX]


def _guid(seed: Sequence[str]) -> str:
    text = unicodedata.normalize("NFC", "\0".join(seed))
    number = int.from_bytes(hashlib.sha256(text.encode()).digest())
    digits = []
    for _ in range(_GUID_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(digits)
