"""The feed `deck.json`: what the newest package is, and every state of a note that was ever published.

Texts are digests, so a feed stays small, and it says what a learner's copy was before they edited it. Nothing
in a feed is ever changed or removed: a release only appends. docs/schemas/deck.json describes the format.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, NamedTuple

from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json
from ptcards.identity.lock import deck_key

FORMAT = 1
OLDEST_ANKI = 250700
"""The oldest version of Anki whose add-ons can follow a feed: 25.07."""
MAX_FEED_BYTES = 64 << 20
_LIMIT = JsonLimit(MAX_FEED_BYTES, MAX_FEED_BYTES, 10_000_000)
_DIGEST = re.compile(r"[0-9a-f]{12}")
_DIGESTS = re.compile(r"(?:=|[0-9a-f]{12})?(?> (?:=|[0-9a-f]{12})?)*")
_SAME = "="
"""In a file, the digest of a field that is the same in the note's last publication with digests."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
COUNTED = ("new", "changed", "moved", "retired")
"""What a release counts, in the order in which it is shown."""


class BrokenFeedError(ValueError):
    """A document is not a feed; the message says what is wrong with it."""


class NewerFeedError(ValueError):
    """A feed has a format that only later versions of ptcards read."""


class PackageFile(NamedTuple):
    """The newest package: its address relative to the feed, its size in bytes and its SHA-256 in hex."""

    url: str
    size: int
    sha256: str


class FeedRelease(NamedTuple):
    """A release, with its time in Unix seconds, and what it changed for those who had the one before.

    The version is empty for what was published before the first feed.
    """

    version: str
    time: int
    new: int = 0
    changed: int = 0
    moved: int = 0
    retired: int = 0


def in_parts(release: FeedRelease) -> Iterator[tuple[str, str]]:
    """Yield the sign (`+`, `~`, `−` or none) and the text of each kind of change in a release."""
    parts = (("~", "changed"), ("+", "new"), ("", "moved"), ("−", "retired"))
    return ((sign, f"{count:,} {what}") for sign, what in parts if (count := getattr(release, what)))


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


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed: `types` are the looks of note types by their ids, `files` the files with names of their own.

    `decks` contains for each deck its name, then digests of all descriptions that it had.
    """

    id: str
    name: str
    package: PackageFile
    issues: str = ""
    releases: tuple[FeedRelease, ...] = ()
    types: Mapping[str, Versions] = field(default_factory=dict)
    decks: tuple[tuple[str, ...], ...] = ()
    tags: tuple[str, ...] = ()
    files: Mapping[str, Versions] = field(default_factory=dict)
    notes: Mapping[str, tuple[Publication, ...]] = field(default_factory=dict)

    @property
    def newest(self) -> FeedRelease:
        """The newest release."""
        return self.releases[-1]


class PublishedNote(NamedTuple):
    """A note in a package, with its time in Unix seconds and the digests of its fields as in a feed."""

    mod: int
    deck: str
    tags: str
    digests: str


@dataclass(frozen=True, slots=True)
class Published:
    """What a package holds: notes by GUID, digests of looks by the id of their note type, and of own files.

    `descriptions` are digests by the name of the deck, empty for a deck without a description.
    """

    notes: Mapping[str, PublishedNote]
    looks: Mapping[str, str]
    descriptions: Mapping[str, str]
    files: Mapping[str, str]


def before_feeds(known: Mapping[str, Sequence[tuple[int, str]]]) -> Feed:
    """Return a feed of what was published before there were feeds: times and decks by GUID, newest first."""
    decks: dict[str, int] = {}
    notes = {
        guid: tuple(
            Publication(0, mod, decks.setdefault(deck, len(decks)))
            for _, (mod, deck) in sorted(enumerate(states), key=lambda each: (each[1][0], -each[0]))
        )
        for guid, states in sorted(known.items())
    }
    release = FeedRelease("", 0)
    named = tuple((deck,) for deck in decks)
    return Feed("", "", PackageFile("", 0, ""), "", (release,), {}, named, ("",), {}, notes)


def append(feed: Feed, version: str, time: int, published: Published) -> Feed:
    """Return a feed with one more release, in which the given notes are published and all others retired."""
    number = len(feed.releases)
    decks, tags = list(feed.decks), {text: place for place, text in enumerate(feed.tags)}
    places = {deck[0]: place for place, deck in enumerate(decks)}
    for name, described in published.descriptions.items():
        place = places.setdefault(name, len(decks))
        decks[place:] = decks[place:] or [(name,)]
        if described and described not in decks[place][1:]:
            decks[place] = (*decks[place], described)
    notes = dict(feed.notes)
    counts = dict.fromkeys(COUNTED, 0)
    for guid, note in published.notes.items():
        past = notes.get(guid, ())
        last = past[-1] if past else Publication(number)
        place = tags.setdefault(note.tags, len(tags))
        now = Publication(number, note.mod, places[note.deck], place, note.digests)
        if last.is_live:
            counts["changed"] += now.mod != last.mod
            counts["moved"] += deck_key(decks[now.deck][0]) != deck_key(decks[last.deck][0])
        else:
            counts["new"] += 1
        if last[1:] != now[1:]:
            notes[guid] = (*past, now)
    for guid, past in feed.notes.items():
        if guid not in published.notes and past[-1].is_live:
            notes[guid] = (*past, Publication(number))
            counts["retired"] += 1
    return replace(
        feed,
        releases=(*feed.releases, FeedRelease(version, time, **counts)),
        types=_with_versions(feed.types, number, published.looks),
        decks=tuple(decks),
        tags=tuple(tags),
        files=_with_versions(feed.files, number, published.files),
        notes=notes,
    )


def _with_versions(
    before: Mapping[str, Versions], number: int, digests: Mapping[str, str]
) -> dict[str, Versions]:
    changed = {
        name: (*before.get(name, ()), (number, digest))
        for name, digest in digests.items()
        if before.get(name, ((0, ""),))[-1][1] != digest
    }
    return {**before, **changed}


def continues(feed: Feed, other: Feed) -> bool:
    """Whether a feed is the other one, perhaps with later releases."""
    count = len(other.releases)
    past = {
        guid: then
        for guid, publications in feed.notes.items()
        if (then := tuple(each for each in publications if each.release < count))
    }
    names = [deck[0] for deck in feed.decks[: len(other.decks)]]
    return (
        feed.releases[:count] == other.releases
        and (len(feed.releases) > count or feed.package == other.package)
        and past == other.notes
        and names == [deck[0] for deck in other.decks]
        and feed.tags[: len(other.tags)] == other.tags
    )


def format_feed(feed: Feed) -> bytes:
    """Return a feed as a file; `read_feed` restores it."""
    releases = [
        {key: value for key, value in each._asdict().items() if each.version or key in ("version", "time")}
        for each in feed.releases
    ]
    document = {
        "ptcards": FORMAT,
        "id": feed.id,
        "name": feed.name,
        "anki": OLDEST_ANKI,
        **({"issues": feed.issues} if feed.issues else {}),
        "package": feed.package._asdict(),
        "releases": releases,
        "types": dict(sorted(feed.types.items())),
        "decks": feed.decks,
        "tags": feed.tags,
        "files": dict(sorted(feed.files.items())),
        "notes": {guid: list(_packed(publications)) for guid, publications in sorted(feed.notes.items())},
    }
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _packed(publications: Iterable[Publication]) -> Iterator[tuple[object, ...]]:
    """Yield the publications of a note as in a file."""
    known: list[str] = []
    for each in publications:
        if each.digests is None:
            yield each if each.is_live else (each.release,)
            continue
        now = each.digests.split(" ")
        same = [digest and before == digest for digest, before in zip_longest(now, known[: len(now)])]
        yield each._replace(
            digests=" ".join(_SAME if is_same else digest for digest, is_same in zip(now, same, strict=True))
        )
        known = now


def _unpacked(digests: str, known: list[str]) -> str | None:
    """Return the digests of a publication in a file, or `None` if one refers to a field that is not known."""
    now = digests.split(" ")
    for place, digest in enumerate(now):
        if digest == _SAME:
            if place >= len(known):
                return None
            now[place] = known[place]
    return " ".join(now)


def read_feed(content: bytes) -> Feed:
    """Return the feed in a file; every value is checked first, because it may come from anywhere.

    Raises:
        BrokenFeedError: it is not a feed, or parts of it contradict each other.
        NewerFeedError: it is in a later format.

    """
    try:
        document: Any = build_json(content, _LIMIT)
    except LargeDocumentError as failure:
        message = f"it {failure}"
        raise BrokenFeedError(message) from failure
    except (ValueError, RecursionError) as failure:
        message = "it is not JSON"
        raise BrokenFeedError(message) from failure
    _require(isinstance(document, dict) and _is_number(document.get("ptcards")), "it has no number `ptcards`")
    if document["ptcards"] > FORMAT:
        message = f"its format is {document['ptcards']}, and this version reads {FORMAT}"
        raise NewerFeedError(message)
    for name, (kind, said) in _KEYS.items():
        _require(isinstance(document.setdefault(name, kind()), kind), f"`{name}` is not {said}")
    releases = tuple(_releases(document["releases"]))
    decks = tuple(_decks(document["decks"]))
    _require(all(isinstance(each, str) for each in document["tags"]), "a tag is not text")
    sizes = len(releases), len(decks), len(document["tags"])
    return Feed(
        document["id"],
        document["name"],
        _package(document["package"]),
        document["issues"],
        releases,
        {name: _versions(each, len(releases)) for name, each in document["types"].items()},
        decks,
        tuple(document["tags"]),
        {name: _versions(each, len(releases)) for name, each in document["files"].items()},
        {guid: tuple(_publications(guid, each, sizes)) for guid, each in document["notes"].items()},
    )


_KEYS: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("id", "name", "issues"), (str, "text")),
    **dict.fromkeys(("releases", "decks", "tags"), (list, "a list")),
    **dict.fromkeys(("package", "types", "files", "notes"), (dict, "an object")),
}


def _require(is_right: object, what: str) -> None:
    """Raise BrokenFeedError, which says what is wrong, unless something is right."""
    if not is_right:
        raise BrokenFeedError(what)


def _is_number(value: object, below: float = float("inf")) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _package(value: Mapping[str, Any]) -> PackageFile:
    url, size, sha256 = (value.get(name) for name in PackageFile._fields)
    is_right = isinstance(url, str) and _is_number(size) and isinstance(sha256, str)
    _require(is_right and _SHA256.fullmatch(str(sha256)), "`package` lacks its address, size or SHA-256")
    return PackageFile(str(url), int(str(size)), str(sha256))


def _releases(value: Sequence[Any]) -> Iterator[FeedRelease]:
    last = -1
    for each in value:
        _require(isinstance(each, dict), "a release is not an object")
        counts = [each.get(name, 0) for name in COUNTED]
        is_right = isinstance(each.get("version"), str) and all(map(_is_number, (each.get("time"), *counts)))
        _require(is_right, "a release lacks its version or time")
        _require(each["time"] > last, f"release {each['version']} is not later than the one before it")
        last = each["time"]
        yield FeedRelease(each["version"], last, *counts)
    _require(value, "it has no releases")


def _decks(value: Sequence[Any]) -> Iterator[tuple[str, ...]]:
    for each in value:
        is_right = isinstance(each, list) and each and isinstance(each[0], str)
        _require(is_right and all(map(_is_digest, each[1:])), "a deck is not a name with digests")
        yield tuple(each)


def _versions(value: object, releases: int) -> Versions:
    entries: list[Any] = value if isinstance(value, list) else [value]
    for each in entries:
        is_right = isinstance(each, list) and len(each) == 2
        _require(
            is_right and _is_number(each[0], releases) and _is_digest(each[1]),
            "a note type or file is not a list of releases with digests",
        )
    return tuple((number, digest) for number, digest in entries)


def _publications(guid: str, value: object, sizes: tuple[int, int, int]) -> Iterator[Publication]:
    """Yield the publications of a note; `sizes` are the numbers of releases, decks and tags."""
    entries: list[Any] = value if isinstance(value, list) else []
    _require(entries, f"the note `{guid}` was never published")
    last = 0
    known: list[str] = []
    for each in entries:
        _require(_is_publication(each, sizes), f"the note `{guid}` has a value of the wrong type")
        _require(each[0] >= last, f"the publications of the note `{guid}` are not in order")
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
            numbers = zip((release, deck, tags), sizes, strict=True)
            is_text = isinstance(digests, str) and _DIGESTS.fullmatch(digests) is not None
            is_right = all(_is_number(number, size) for number, size in numbers)
            return is_right and _is_number(mod) and bool(mod) and (digests is None or is_text)
        case _:
            return False
