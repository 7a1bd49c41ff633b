"""What identifies a note: hashes of its text as written, a sketch of its answer, and its GUID.

The sketch is 16 characters in the lock that show how similar a new answer is to the old one.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable, Container, Iterator, Sequence
from json.encoder import encode_basestring
from operator import attrgetter
from sys import intern
from typing import NamedTuple

from ptcards.diagnostics import Location
from ptcards.identity.lock import Fingerprint
from ptcards.notes import Note, Occlusion, Text, topic_of

_PLACES = 16
_MOST_WORDS = 1 << 14
_NO_WORD = 1 << 64
SHORTEST = 6
"""The minimum number of words for a sketch; shorter answers may be similar by chance."""
_EMPTY = "-"

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\S+")
_FIRST_TOKENS = re.compile(rf"(?:\s*\S+){{0,{SHORTEST}}}")
_STOPS = ".,;:!?"
_SPACED = bytes(code if _WORD.match(chr(code)) else 32 for code in range(128)).lower().ljust(256)
_UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # compiled when first used
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_GUID_LENGTH = 11
LONGEST_HEADING = 200
_LONGEST_SLUG = 60
_WORDS = re.compile(r"[^\W_]+")
_SHAPES_DIFFER = 10
"""The steps by which the shapes of pictures differ: a smaller copy of one is rounded to pixels."""
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class ItemSummary(NamedTuple):
    """A numbered item of a note: a hash of its text, the text as in the lock, and its location."""

    hash: str
    text: str
    location: Location


class NoteSummary(NamedTuple):
    """What a collection knows about a note whose text is not in memory.

    The GUID of a note without an id is derived from `question`; a caret line underlines `heading_length`
    characters at `heading_column`. `id_place` is the location of its id, if that is elsewhere. `asked` is a
    digest that notes share if they ask the same question in the same deck (or empty), `slug` is the question
    as a key (empty if there is an id), and `ignore` holds the rules that the note ignores. `opening` is the
    text to type and the first words of the answer, from which a short answer may have grown; both are empty
    if the answer has another form. Each of the `items` is a card. `translated` is as in a note.
    """

    location: Location
    fingerprint: Fingerprint
    question: str
    answer_words: int
    heading_column: int
    heading_length: int
    id_place: Location | None
    asked: str
    slug: str
    ignore: tuple[str, ...]
    opening: tuple[str, str]
    items: tuple[ItemSummary, ...] = ()
    tags: tuple[str, ...] = ()
    translated: str = ""

    @property
    def heading_place(self) -> Location:
        """The location of the note's heading, after the mark."""
        return self.location._replace(column=self.heading_column)

    def shorter_answers(self) -> Iterator[str]:
        """Yield the hash of each short answer from which this one may have grown."""
        typed, answer = self.opening
        if typed:
            yield _hash({"typed": typed})
        for count, word in enumerate(_TOKEN.finditer(answer), 1):
            if count + len(typed.split()) >= SHORTEST:
                return
            # A sentence that became longer has lost its full stop.
            text = answer[: word.end()]
            bare = text.rstrip(_STOPS)
            for shorter in dict.fromkeys((text, bare, f"{bare}.")):
                yield _hash({"typed": typed, "answer": shorter})


def summarise(note: Note, id_place: Location | None = None) -> NoteSummary:
    """Return the summary of a note; `id_place` is the location of its id."""
    words = answer_words(note)
    return NoteSummary(
        note.location,
        _fingerprint(note, words),
        "" if note.id else _question(note),
        words,
        note.heading_place.column,
        note.heading_length,
        id_place if id_place != note.location else None,
        _asked(note),
        "" if note.id else _slug(note.heading.markdown or note.title),
        note.ignore,
        _opening(note),
        tuple(_boxes(note, note.occlusion) if note.occlusion else map(_item, note.items)),
        note.tags,
        note.translated,
    )


def _item(text: Text) -> ItemSummary:
    words = one_line(text.markdown)
    return ItemSummary(_hash({"item": words}), words[:LONGEST_HEADING].rstrip(), text.location())


def _boxes(note: Note, occlusion: Occlusion) -> Iterator[ItemSummary]:
    """Yield the summaries of boxes: the same place of the same picture is the same box, whatever its label.

    The first four digits of each hash tell the picture's shape, so that a build notices another one.
    """
    digest = next((media.digest for media in note.media if media.written == occlusion.picture), "")
    begin = shape_digits(occlusion.size)
    for box, label in zip(occlusion.boxes, note.items, strict=True):
        item = _item(label)
        yield item._replace(hash=begin + _hash({"box": box, "picture": digest})[len(begin) :])


def shape_digits(size: tuple[int, int]) -> str:
    """Return four hex digits that tell the shape of a picture of a size in pixels; zeros if that is unknown.

    Each step is 0.1% of the width divided by the height.
    """
    width, height = size
    return f"{round(math.log(width / height, 1.001)) + 0x8000:04x}" if width and height else "0000"


def is_reshaped(note: NoteSummary, before: str) -> bool:
    """Whether the picture of a note has another shape than a box of it had, whose hash was this, if any."""
    has_boxes = bool(before and note.items) and note.fingerprint.note_type == "occlusion"
    return has_boxes and other_shape(before, note.items[0].hash)


def other_shape(one: str, other: str) -> bool:
    """Whether the hashes of two boxes tell that their pictures have different shapes, as far as is known."""
    first, second = int(one[:4], 16), int(other[:4], 16)
    return bool(first and second) and abs(first - second) > _SHAPES_DIFFER


def _fingerprint(note: Note, words: int) -> Fingerprint:
    """Return what the lock remembers about a note whose answer has this many words."""
    return Fingerprint(
        note.note_type,
        content_hash(note),
        question_hash(note),
        answer_hash(note),
        note.id,
        intern(one_line(note.deck)),  # one string for all notes of a deck
        # The title is only the heading's first line: link definitions may follow it.
        one_line(note.title)[:LONGEST_HEADING].rstrip(),
        sketch("\n".join(answer_texts(note))) if words >= SHORTEST else "",
    )


def content_hash(note: Note, deck: str | None = None) -> str:
    """Return a hash (12 hex digits) of everything in a note that learners see, as written.

    Only macros in formulas are expanded: a new expansion must update learners' notes.

    With `deck`, return the hash that the note would have in that deck: the last level of the deck's name is
    part of the hash, as it always was, although moving a note changes nothing that learners have.

    Only non-empty parts count, each with its name, so a part that a later version adds does not change the
    hashes of notes without it. The id, `ignore`, locations and HTML are left out, because changing them must
    not update learners' notes. Tags and media are sorted, because their order is never visible.
    """
    if note.own_type:
        return _hash(
            {
                "fields": [[name, text.shown] for name, text in _fields(note)],
                "tags": sorted({*note.tags}),
                "media": sorted({(media.name, media.digest) for media in note.media}),
            }
        )
    return _hash(
        {
            "kind": note.kind.value,
            "heading": note.heading.shown,
            "question": note.question.shown,
            **_answer_parts(note, attrgetter("shown")),
            "hint": note.hint.shown,
            "details": note.details.shown,
            "sources": note.sources.shown,
            "topic": note.topic if deck is None else topic_of(deck),
            "difficulty": note.difficulty,
            "tags": sorted({*note.tags}),
            "before": note.before,
            "hide": "one" if note.occlusion and not note.occlusion.hides_all else "",
            "code deletions": "asked" if note.code_deletions else "",
            "language": note.language,
            "labels": note.labels,
            "context": note.context,
            "media": sorted({(media.name, media.digest) for media in note.media}),
        }
    )


def question_hash(note: Note) -> str:
    """Return a hash (12 hex digits) of the question: the heading and what follows it."""
    return _hash({"question": _question(note)})


def answer_hash(note: Note) -> str:
    """Return a hash (12 hex digits) of the answer, including options and the text to type."""
    return _hash(_answer_parts(note))


def answer_words(note: Note) -> int:
    """Return the number of words in the answer."""
    return len("\n".join(answer_texts(note)).split())


def derive_guid(
    note: NoteSummary,
    collection_id: str,
    taken: Container[str],
    salts: dict[tuple[str, ...], int] | None = None,
) -> str:
    """Return a GUID (11 characters, 0-9A-Za-z) for a note that has no record.

    It is derived from the id, or else from deck and question, in separate namespaces so that an id never
    collides with another note's question. If the result is `taken`, further salts are tried. Whoever derives
    many passes the same `salts` each time: equal notes then do not try those of the notes before.
    """
    fingerprint = note.fingerprint
    seed: tuple[str, ...]
    if fingerprint.id:
        seed = (collection_id, fingerprint.note_type, "id", fingerprint.id.casefold())
    else:
        seed = (collection_id, fingerprint.note_type, "question", fingerprint.deck, note.question)
    salt = salts.get(seed, 0) if salts else 0
    while (guid := _guid([*seed, str(salt)] if salt else seed)) in taken:
        salt += 1
    if salts is not None:
        salts[seed] = salt
    return guid


def one_line(text: str) -> str:
    """Return a text on one line for the lock's columns: in NFC, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _fields(note: Note) -> Iterator[tuple[str, Text]]:
    """Yield the filled fields of a note with one of the collection's own note types."""
    (first, _), *others = note.fields
    yield first, note.first_field
    yield from ((name, text) for name, text in others if text)


def _question(note: Note) -> str:
    if note.own_type:
        return note.first_field.markdown
    asked = "\n\n".join(text.markdown for text in (note.heading, note.question) if text)
    return asked or note.title


def _asked(note: Note) -> str:
    """Return a digest shared by notes with the same question in the same deck.

    It is empty for notes of the collection's own types with an id: they may share their first field, because
    two words may be spelt alike.
    """
    if note.own_type and note.id:
        return ""
    asked = (note.heading, note.question) if note.heading or note.question else (note.heading, note.answer)
    if note.own_type:
        asked = (note.first_field, Text(note.own_type))
    texts = (" ".join(text.markdown.split()) for text in asked)
    return hashlib.sha256("\0".join((note.deck.casefold(), *texts)).encode()).hexdigest()[:32]


def _slug(heading: str) -> str:
    return "-".join(_WORDS.findall(heading.lower()))[:_LONGEST_SLUG].strip("-") or "note"


def answer_texts(note: Note) -> list[str]:
    """Return the texts of a note's answer: with the options, and the text to type."""
    if note.own_type:
        return [text.markdown for _, text in note.fields[1:]]
    options = [text.markdown for choice in note.choices for text in (choice.text, choice.comment)]
    return [note.answer.markdown, *options, note.typed]


def _answer_parts(note: Note, read: Callable[[Text], str] = attrgetter("markdown")) -> dict[str, object]:
    """Return the parts of the answer; `read` returns a text as written, or as learners see it."""
    if note.own_type:
        return {"fields": [[name, read(text)] for name, text in note.fields[1:] if text]}
    return {
        "answer": read(note.answer),
        "choices": [[read(choice.text), read(choice.comment), choice.correct] for choice in note.choices],
        "typed": note.typed,
    }


def _opening(note: Note) -> tuple[str, str]:
    if note.choices or note.own_type:
        return "", ""
    first = _FIRST_TOKENS.match(note.answer.markdown)
    return note.typed, first[0] if first else ""


def _hash(parts: dict[str, object]) -> str:
    # The same as to encode all parts together, in half of the time.
    members = [
        f'"{name}":{encode_basestring(part) if isinstance(part, str) else _JSON.encode(part)}'
        for name in sorted(filter(parts.get, parts))
        for part in (parts[name],)
    ]
    text = f"{{{','.join(members)}}}"
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()[:_HEX]


def _guid(seed: Sequence[str]) -> str:
    text = unicodedata.normalize("NFC", "\0".join(seed))
    # Only the last digits count, and dividing a short number is faster.
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()) % len(_ALPHABET) ** _GUID_LENGTH
    digits = []
    for _ in range(_GUID_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(digits)


def sketch(text: str) -> str:
    """Return the sketch of an answer: each position has the smallest hash of the words that belong to it.

    A word's hash decides its position, so answers with the same words in any order have the same sketch.
    """
    smallest = [_NO_WORD] * _PLACES
    for value, place in map(_hashed.__getitem__, set(words_of(text))):
        if value < smallest[place]:  # noqa: PLR1730 - `min` takes twice as long, for every word of every answer
            smallest[place] = value
    return "".join([_EMPTY if value == _NO_WORD else _ALPHABET[value % len(_ALPHABET)] for value in smallest])


def likeness(one: str, other: str) -> float:
    """Return how similar two answers are by their sketches, from 0 to 1; 0 if either has none."""
    if not one or not other:
        return 0.0
    places = [(a, b) for a, b in zip(one, other, strict=True) if (a, b) != (_EMPTY, _EMPTY)]
    return sum(a == b for a, b in places) / len(places) if places else 0.0


class _Hashes(dict[bytes, tuple[int, int]]):
    """The hash of each word and its position, kept because words repeat; `lru_cache` takes longer."""

    def __missing__(self, word: bytes) -> tuple[int, int]:
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[word] = divmod(int.from_bytes(hashlib.blake2b(word, digest_size=8).digest()), _PLACES)
        return self[word]


_hashed = _Hashes()


def words_of(text: str) -> list[bytes]:
    """Return the words of a text in UTF-8, or pairs of characters where words are not separated by spaces."""
    if text.isascii():  # the same words, in a small part of the time
        return text.encode().translate(_SPACED).split()
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if len(word) > 1 and re.search(_UNSPACED, word):
            found += [word[n : n + 2] for n in range(len(word) - 1)]
        else:
            found.append(word)
    return [word.encode() for word in found]


_HEX = 12
