"""Appends a release to the feed `deck.json`, and writes it; `subscription.feed` reads it.

Nothing in a feed is ever changed or removed: a release only appends.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from ptcards.extensions.publish.subscription.feed import (
    COUNTED,
    FORMAT,
    MAX_NOTES,
    SAME,
    Feed,
    FeedRelease,
    PackageFile,
    Publication,
    TypeVersion,
)
from ptcards.identity.lock import deck_key

OLDEST_ANKI = 250700
"""The oldest version of Anki whose add-ons can follow a feed: 25.07."""


def in_parts(release: FeedRelease) -> Iterator[tuple[str, str]]:
    """Yield the sign (`+`, `~`, `−` or none) and the text of each kind of change in a release."""
    parts = (("~", "changed"), ("+", "new"), ("", "moved"), ("−", "retired"))
    return ((sign, f"{count:,} {what}") for sign, what in parts if (count := getattr(release, what)))


class PublishedNote(NamedTuple):
    """A note in a package, with its time in Unix seconds and the digests of its fields as in a feed."""

    mod: int
    deck: str
    tags: str
    digests: str


class Published(NamedTuple):
    """What packages hold: notes by GUID, note types by id, and digests of own files.

    `types` have the release 0. `descriptions` are digests by the name of the deck, empty for a deck without a
    description. `lists` are as in a feed.
    """

    notes: Mapping[str, PublishedNote]
    types: Mapping[str, TypeVersion]
    descriptions: Mapping[str, str]
    files: Mapping[str, str]
    lists: Mapping[str, str] = MappingProxyType({})


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


def append(feed: Feed, version: str, time: int, published: Published, notes_on_it: str = "") -> Feed:
    """Return a feed with one more release, in which the given notes are published and all others retired.

    `notes_on_it` is what the author says about the release; it is cut if a feed has no room for it. To the
    first one, all of its notes are new: nobody can follow what was published before there was a feed.
    """
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
    if not any(each.version for each in feed.releases):
        counts = {**dict.fromkeys(COUNTED, 0), "new": len(published.notes)}
    types = {name: now._replace(release=number) for name, now in published.types.items()}
    files = {name: (number, digest) for name, digest in published.files.items()}
    said = notes_on_it if len(notes_on_it) <= MAX_NOTES else f"{notes_on_it[: MAX_NOTES - 1]}…"
    return replace(
        feed,
        releases=(*feed.releases, FeedRelease(version, time, **counts, notes=said)),
        types=_with_states(feed.types, types),
        decks=tuple(decks),
        tags=tuple(tags),
        files=_with_states(feed.files, files),
        notes=notes,
        lists={**feed.lists, **published.lists},
    )


def since_when(feed: Feed, edition: str, guids: Iterable[str]) -> dict[str, int]:
    """Return since which releases an edition has its notes; `feed` is that before the next release.

    Without a part for the complete deck, all that was released was in it.
    """
    known = feed.editions[edition].notes if edition in feed.editions else {}
    known = known if edition or known else dict.fromkeys(feed.notes, 0)
    return {guid: known.get(guid, len(feed.releases)) for guid in guids}


_State = TypeVar("_State", bound=tuple[Any, ...])


def _with_states(
    before: Mapping[str, tuple[_State, ...]], states: Mapping[str, _State]
) -> dict[str, tuple[_State, ...]]:
    """Return the states of files or note types with those that changed; each begins with its release."""
    changed = {
        name: (*before.get(name, ()), now)
        for name, now in states.items()
        if name not in before or before[name][-1][1:] != now[1:]
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
        and (len(feed.releases) > count or (feed.package, feed.editions) == (other.package, other.editions))
        and past == other.notes
        and names == [deck[0] for deck in other.decks]
        and feed.tags[: len(other.tags)] == other.tags
    )


def format_feed(feed: Feed) -> bytes:
    """Return a feed as a file; `read_feed` restores it."""
    releases = [
        {
            key: value
            for key, value in each._asdict().items()
            if (each.notes if key == "notes" else each.version or key in ("version", "time"))
        }
        for each in feed.releases
    ]
    document = {
        "ptcards": FORMAT,
        "id": feed.id,
        "name": feed.name,
        "anki": OLDEST_ANKI,
        **{key: each for key in ("issues", "language") if (each := getattr(feed, key))},
        "package": feed.package._asdict(),
        "releases": releases,
        "types": dict(sorted(feed.types.items())),
        "decks": feed.decks,
        "tags": feed.tags,
        "files": dict(sorted(feed.files.items())),
        "notes": {guid: list(_packed(publications)) for guid, publications in sorted(feed.notes.items())},
        "lists": dict(sorted(feed.lists.items())),
    }
    if feed.editions:
        document["editions"] = {
            name: {
                "title": each.title,
                "package": each.package._asdict(),
                "notes": dict(sorted(each.notes.items())),
            }
            for name, each in feed.editions.items()
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
            digests=" ".join(SAME if is_same else digest for digest, is_same in zip(now, same, strict=True))
        )
        known = now
