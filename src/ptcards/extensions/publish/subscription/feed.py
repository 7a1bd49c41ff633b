"""The feed `deck.json`: what the newest package is, and every state of a note that was ever published.

Texts are digests, so a feed stays small, and it says what a learner's copy was before they edited it. Nothing
in a feed is ever changed or removed: a release only appends. docs/schemas/deck.json describes the format.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json

FORMAT = 1
MAX_FEED_BYTES = 32 << 20
MAX_QUIET_FEED_BYTES = 8 << 20
"""The size of the largest feed that is loaded although nobody asked for it."""
MAX_NOTES = 2_000
"""Characters of what an author says about a release."""
_LIMIT = JsonLimit(MAX_FEED_BYTES, MAX_QUIET_FEED_BYTES, 1_000_000)
"""So that no feed takes more than 200 MB or 3 s."""
_ID = re.compile(r"[A-Za-z0-9._-]{1,80}")
_HALF = re.compile("[\ud800-\udfff]")
_MAX_NUMBER = 1 << 40
_MAX_FIELDS = 1_000
_DIGEST = re.compile(r"[0-9a-f]{12}")
_DIGESTS = re.compile(r"(?:=|[0-9a-f]{12})?(?> (?:=|[0-9a-f]{12})?)*")
_LIST = re.compile(r"0:[0-9a-f]{12}(?> [1-9][0-9]{0,2}:[0-9a-f]{12})+")
_MOST_SAME = 4_000_000
"""A character in a file stands for a digest in memory."""
SAME = "="
"""In a file, the digest of a field that is the same in the note's last publication with digests."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
COUNTED = ("new", "changed", "moved", "retired")
"""What a release counts, in the order in which it is shown."""


class BrokenFeedError(ValueError):
    """A document is not a feed; the message says what is wrong with it."""


class NotAFeedError(BrokenFeedError):
    """A document is something else: not JSON, or without the number `ptcards`."""


class NewerFeedError(ValueError):
    """A feed has a format that only later versions of ptcards read."""


class PackageFile(NamedTuple):
    """The newest package: its address relative to the feed, its size in bytes and its SHA-256 in hex."""

    url: str
    size: int
    sha256: str


class FeedEdition(NamedTuple):
    """A part of a deck with a package of its own; `notes` are the releases since which it has its notes.

    The notes are by GUID. A note that left the edition is not in it, although it may be in others.
    """

    title: str
    package: PackageFile
    notes: Mapping[str, int]


class FeedRelease(NamedTuple):
    """A release, with its time in Unix seconds, and what it changed for those who had the one before.

    The version is empty for what was published before the first feed; to the first version, all are new.
    `notes` is what the author says about the release, as plain text.
    """

    version: str
    time: int
    new: int = 0
    changed: int = 0
    moved: int = 0
    retired: int = 0
    notes: str = ""


class Publication(NamedTuple):
    """A state of a note in the feed: its release, its time in Unix seconds, and where its deck and tags are.

    `digests` are those of its fields in stored order, separated by spaces; they are `None` if only the time
    and deck are known. A retired note has only the release.
    """

    release: int
    mod: int = 0
    deck: int = 0
    tags: int = 0
    digests: str | None = None

    @property
    def is_live(self) -> bool:
        """Whether the release has the note."""
        return bool(self.mod)


Versions = tuple[tuple[int, str], ...]
"""Digests, each with the first release that has it."""
FieldKey = int | str
"""What a field is called in all versions of its note type: its id, or its name if it has none."""


class TypeVersion(NamedTuple):
    """A state of a note type: its first release, the digest of its look, and its fields in stored order."""

    release: int
    look: str
    fields: tuple[FieldKey, ...]


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed: `types` are the versions of note types by their ids, `files` the files with names of their own.

    `decks` contains for each deck its name, then digests of all descriptions that it had. `lists` contains
    the `list_digests` of fields by the digests of the fields. `editions` are by name; the name of the
    complete deck is empty, and it only is among them if it lacks some of the notes. `edition` is the name of
    the one whose package this is. `language` is the code of the language of the complete
    deck, if it is known.
    """

    id: str
    name: str
    package: PackageFile
    issues: str = ""
    releases: tuple[FeedRelease, ...] = ()
    types: Mapping[str, tuple[TypeVersion, ...]] = field(default_factory=dict)
    decks: tuple[tuple[str, ...], ...] = ()
    tags: tuple[str, ...] = ()
    files: Mapping[str, Versions] = field(default_factory=dict)
    notes: Mapping[str, tuple[Publication, ...]] = field(default_factory=dict)
    lists: Mapping[str, str] = field(default_factory=dict)
    editions: Mapping[str, FeedEdition] = field(default_factory=dict)
    edition: str = ""
    language: str = ""

    def of_edition(self, name: str) -> "Feed":
        """Return the feed with the package of an edition; raises KeyError if there is none of this name."""
        if not name:
            return self
        edition = self.editions[name]
        return replace(self, name=edition.title, package=edition.package, edition=name, language="")

    def has(self, guid: str, edition: str, release: int) -> bool:
        """Whether an edition has had a note since a release, if the deck has it."""
        if not edition and edition not in self.editions:
            return True
        return edition in self.editions and release >= self.editions[edition].notes.get(guid, release + 1)

    def live(self, guid: str) -> tuple[Publication, ...]:
        """Return the publications of a note in which it was not retired."""
        return tuple(each for each in self.notes.get(guid, ()) if each.is_live)

    @property
    def newest(self) -> FeedRelease:
        """The newest release."""
        return self.releases[-1]

    @property
    def descriptions(self) -> frozenset[str]:
        """The digests of all descriptions that were published, and that of an empty one."""
        return frozenset(("", *(text for _, *texts in self.decks for text in texts)))

    def number_at(self, time: int) -> int:
        """Return the place of the newest release that is not later than a time, or -1."""
        return max((number for number, each in enumerate(self.releases) if each.time <= time), default=-1)


def read_feed(content: bytes) -> Feed:
    """Return the feed in a file; every value is checked first, because it may come from anywhere.

    Raises:
        BrokenFeedError: it is not a feed, or parts of it contradict each other.
        NewerFeedError: it is in a later format.

    """
    _require(content.count(SAME.encode()) <= _MOST_SAME, f"it has over {_MOST_SAME:,} equal fields")
    try:
        document: Any = build_json(content, _LIMIT)
    except LargeDocumentError as failure:
        raise BrokenFeedError(f"it {failure}") from failure
    except (ValueError, RecursionError) as failure:
        raise NotAFeedError("it is not JSON") from failure
    if not isinstance(document, dict) or not _is_number(document.get("ptcards")):
        raise NotAFeedError("it has no number `ptcards`")
    if document["ptcards"] > FORMAT:
        raise NewerFeedError(f"its format is {document['ptcards']}, and this version reads {FORMAT}")
    for name, (kind, said) in _KEYS.items():
        _require(isinstance(document.setdefault(name, kind()), kind), f"`{name}` is not {said}")
    is_right = all(isinstance(each, str) and _LIST.fullmatch(each) for each in document["lists"].values())
    _require(is_right, "a list is not numbers with digests")
    releases = tuple(_releases(document["releases"]))
    decks = tuple(_decks(document["decks"]))
    _require(all(isinstance(each, str) for each in document["tags"]), "a tag is not text")
    _require(_ID.fullmatch(document["id"]), "`id` is not an id")
    # JSON may contain halves of characters, which cannot be written.
    is_unicode = rb"\ud" not in content.lower() or not _HALF.search(json.dumps(document, ensure_ascii=False))
    _require(is_unicode, "it has a damaged character")
    sizes = len(releases), len(decks), len(document["tags"])
    notes = {guid: tuple(_publications(guid, each, sizes)) for guid, each in document["notes"].items()}
    editions = {
        name: _edition(name, each, notes, len(releases)) for name, each in document["editions"].items()
    }
    return Feed(
        document["id"],
        document["name"],
        _package(document["package"]),
        document["issues"],
        releases,
        {name: tuple(_type_versions(each, len(releases))) for name, each in document["types"].items()},
        decks,
        tuple(document["tags"]),
        {name: _versions(each, len(releases)) for name, each in document["files"].items()},
        notes,
        document["lists"],
        editions,
        language=document["language"],
    )


_KEYS: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("id", "name", "issues", "language"), (str, "text")),
    **dict.fromkeys(("releases", "decks", "tags"), (list, "a list")),
    **dict.fromkeys(("package", "types", "files", "notes", "lists", "editions"), (dict, "an object")),
}


def _require(is_right: object, what: str) -> None:
    """Raise BrokenFeedError, which says what is wrong, unless something is right."""
    if not is_right:
        raise BrokenFeedError(what)


def _is_number(value: object, below: int = _MAX_NUMBER) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _package(value: Mapping[str, Any]) -> PackageFile:
    url, size, sha256 = (value.get(name) for name in PackageFile._fields)
    is_right = isinstance(url, str) and _is_number(size) and isinstance(sha256, str)
    _require(is_right and _SHA256.fullmatch(str(sha256)), "`package` lacks its address, size or SHA-256")
    return PackageFile(str(url), int(str(size)), str(sha256))


def _edition(name: str, value: Any, notes: Mapping[str, Sequence[Publication]], releases: int) -> FeedEdition:
    match value:
        case {"title": str(title), "package": dict(package), "notes": dict(since)}:
            are_live = all(guid in notes and notes[guid][-1].is_live for guid in since)
            are_right = are_live and all(_is_number(each, releases) for each in since.values())
            _require(are_right, f"the edition `{name}` has a note that the deck lacks")
            return FeedEdition(title, _package(package), since)
        case _:
            raise BrokenFeedError(f"the edition `{name}` lacks a part")


def _releases(value: Sequence[Any]) -> Iterator[FeedRelease]:
    last = -1
    for each in value:
        _require(isinstance(each, dict), "a release is not an object")
        counts = [each.get(name, 0) for name in COUNTED]
        is_right = isinstance(each.get("version"), str) and all(map(_is_number, (each.get("time"), *counts)))
        _require(is_right, "a release lacks its version or time")
        notes = each.get("notes", "")
        is_short = isinstance(notes, str) and len(notes) <= MAX_NOTES
        _require(is_short, f"the notes on a release are not text of at most {MAX_NOTES} characters")
        _require(each["time"] > last, f"release {each['version']} is not later than the one before it")
        last = each["time"]
        yield FeedRelease(each["version"], last, *counts)._replace(notes=notes)
    _require(value, "it has no releases")


def _decks(value: Sequence[Any]) -> Iterator[tuple[str, ...]]:
    for each in value:
        is_right = isinstance(each, list) and each and isinstance(each[0], str)
        _require(is_right and all(map(_is_digest, each[1:])), "a deck is not a name with digests")
        yield tuple(each)


def _states(value: object, size: int, releases: int, wrong: str) -> Iterator[Sequence[Any]]:
    """Yield the states of something, which begin with a release and a digest and have so many values."""
    entries: list[Any] = value if isinstance(value, list) else [value]
    for each in entries:
        is_right = isinstance(each, list) and len(each) == size
        _require(is_right and _is_number(each[0], releases) and _is_digest(each[1]), wrong)
        yield each


def _versions(value: object, releases: int) -> Versions:
    wrong = "a file is not a list of releases with digests"
    return tuple((number, digest) for number, digest in _states(value, 2, releases, wrong))


def _type_versions(value: object, releases: int) -> Iterator[TypeVersion]:
    wrong = "a note type is not a list of releases with digests and fields"
    for number, look, fields in _states(value, 3, releases, wrong):
        is_right = isinstance(fields, list) and 0 < len(fields) <= _MAX_FIELDS
        _require(is_right and all(map(_is_key, fields)) and len({*fields}) == len(fields), wrong)
        yield TypeVersion(number, look, tuple(fields))


def _is_key(value: object) -> bool:
    """Whether a value is an id or a name of a field."""
    is_id = isinstance(value, int) and not isinstance(value, bool) and 0 != abs(value) < 1 << 63
    return is_id or (isinstance(value, str) and value != "")


def _publications(guid: str, value: object, sizes: tuple[int, int, int]) -> Iterator[Publication]:
    """Yield the publications of a note; `sizes` are the numbers of releases, decks and tags."""
    entries: list[Any] = value if isinstance(value, list) else []
    _require(entries, f"the note `{guid}` was never published")
    last = 0
    known: list[str] = []
    for each in entries:
        _require(_is_publication(each, sizes), f"the note `{guid}` has a value of the wrong type")
        _require(each[0] >= last, f"the publications of the note `{guid}` are not in order")
        # Only what was published before the first feed may be there several times in one release.
        is_once = each[0] > last or each[0] == 0 or each is entries[0]
        _require(is_once, f"a release publishes the note `{guid}` twice")
        last = each[0]
        if len(each) == 1:
            yield Publication(last)
            continue
        _, mod, deck, tags, digests = each
        if digests is not None:
            digests = _unpacked(digests, known)
            _require(digests is not None, f"the note `{guid}` refers to a digest that is missing")
            known = str(digests).split(" ")
        yield Publication(last, mod, deck, tags, digests)


def _is_publication(each: object, sizes: tuple[int, int, int]) -> bool:
    match each:
        case [release]:
            return _is_number(release, sizes[0])
        case [release, mod, deck, tags, digests]:
            is_text = isinstance(digests, str) and _DIGESTS.fullmatch(digests) is not None
            releases, decks, all_tags = sizes
            is_right = (
                _is_number(release, releases) and _is_number(deck, decks) and _is_number(tags, all_tags)
            )
            return is_right and _is_number(mod) and bool(mod) and (digests is None or is_text)
        case _:
            return False


def _unpacked(digests: str, known: list[str]) -> str | None:
    """Return the digests of a publication in a file, or `None` if one refers to a field that is not known."""
    now = digests.split(" ")
    for place, digest in enumerate(now):
        if digest == SAME:
            if place >= len(known):
                return None
            now[place] = known[place]
    return " ".join(now)
