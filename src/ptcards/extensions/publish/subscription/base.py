"""What a learner last received of each note. The feed says it, so nothing needs to be remembered."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from ptcards.extensions.desktop.merge.compare import TOPIC, Base, Publications, tags_of
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.extensions.publish.subscription.feed import Feed, FieldKey, Publication, TypeVersion
from ptcards.extensions.publish.subscription.package import AnkiNoteType
from ptcards.extensions.publish.subscription.state import HeldNote

NOT_KNOWN = Publication(-1)
"""Where a note comes from that may be older than the feed."""


class Shown(NamedTuple):
    """The fields of a note in the author's order: what they are called, and their texts in the collection.

    `versions` are those of the author's note type.
    """

    keys: tuple[FieldKey, ...]
    texts: tuple[str, ...]
    versions: tuple[TypeVersion, ...]


def keys_of(note_type: AnkiNoteType) -> tuple[FieldKey, ...]:
    """Return what the fields of a note type are called in all of its versions."""
    return tuple(identity or name for identity, name in note_type.fields)


def digests_of(publication: Publication, shown: Shown) -> tuple[str | None, ...]:
    """Return the digest of each field in a publication, `None` if it is unknown.

    The fields may have had another order then. A field that was not there yet was empty.
    """
    if publication.digests is None or not shown.versions:
        return (None,) * len(shown.keys)
    # A note that got another note type with the same texts has no new publication.
    earlier = [each for each in shown.versions if each.release <= publication.release]
    version = (earlier or shown.versions[:1])[-1]
    known = publication.digests.split(" ")
    known += [""] * (len(version.fields) - len(known))
    if version.fields == shown.keys:
        return tuple(known[: len(shown.keys)])
    by_key = dict(zip(version.fields, known, strict=False))
    return tuple(by_key.get(key, "") for key in shown.keys)


def is_topic_left_out(names: Sequence[str], shown: Shown, publication: Publication) -> bool:
    """Whether the field `Topic` of a note follows its deck, so that the feed has no digest of it."""
    if TOPIC not in names or publication.digests is None:
        return False
    place = names.index(TOPIC)
    return digests_of(publication, shown)[place] == "" and shown.texts[place] != ""


def estimate(feed: Feed, notes: Mapping[str, HeldNote], shown: Mapping[str, Shown], had: int) -> int:
    """Return the place of the newest release that untouched notes prove that the learner received, or -1.

    A later release may send a note again with the
    same time, so the time of a note only proves the first one that has it. A note proves nothing if it was
    not published by the release `had`, unless that is -1: a feed may claim anything.
    """
    found = -1
    for guid, note in notes.items():
        publications = feed.live(guid)
        if publications and (had < 0 or feed.notes[guid][0].release <= had):
            given = [each.release for each in publications if each.mod == note.mod]
            found = max(found, min(given, default=-1))
    if found >= 0 or had >= 0:
        return found
    for guid in notes:  # the learner touched every note, but perhaps not every text
        digests = tuple(map(digest, shown[guid].texts))
        same = [
            each.release
            for each in feed.live(guid)
            if each.digests
            and digests
            and all(
                known in ("", here)
                for known, here in zip(digests_of(each, shown[guid]), digests, strict=True)
            )
        ]
        found = max(found, min(same, default=-1))
    return found


@dataclass(frozen=True, slots=True)
class FeedHistory:
    """What a feed published, and what the learner has: as places of releases, -1 for none.

    `applied` is the release that was applied last, and `since` the one that the learner's texts come from,
    which may be newer if a package was imported by hand. `behind` is as in `Subscription`. `adopted` are the
    GUIDs of notes that come from an import by hand of some release.
    """

    feed: Feed
    applied: int
    since: int
    behind: Mapping[str, int]
    adopted: AbstractSet[str]

    def had(self, guid: str, release: int) -> bool:
        """Whether a release had a note."""
        past = [each for each in self.feed.notes.get(guid, ()) if each.release <= release]
        return bool(past) and past[-1].is_live

    def received(self, note: HeldNote, shown: Shown) -> Publication | None:
        """Return the publication that a note in the collection comes from, or `None` if it is unknown.

        The time of an untouched note names its publication. An
        edited note comes from one that the learner can have: if there are several, from the most similar one.
        If no update brought it, it may be older than the feed, unless a text of it is known.
        """
        live = self.feed.live(note.guid)
        if same := [each for each in live if each.mod == note.mod]:
            return next((each for each in reversed(same) if each.release <= self.since), same[0])
        had = [each for each in live if each.release <= self.last(note.guid)][-1:]
        since = len(self.feed.releases) if note.guid in self.adopted else self.since
        # An edit is later than what it edits.
        later = [each for each in live if self.applied < each.release <= since and each.mod <= note.mod]
        digests = ["" if text == note.guid else digest(text) for text in shown.texts]

        def likeness(publication: Publication) -> tuple[int, int]:
            """Return how many texts are the same; of releases that nothing proves, the oldest is best."""
            known, release = digests_of(publication, shown), publication.release
            same = sum(here != "" and here == there for here, there in zip(digests, known, strict=True))
            return same, release if release <= self.since else -release

        best = max(had + later, key=likeness, default=None)
        return best if best and (had or likeness(best)[0]) else None

    def last(self, guid: str) -> int:
        """Return the release of the last update that wrote a note if it had changed.

        A package that was imported by hand moves no cards, so it does not count.
        """
        return self.feed.number_at(self.behind[guid]) if guid in self.behind else self.applied

    def deck_at(self, guid: str, release: int) -> str:
        """Return the deck that a note had at a release, or an empty name."""
        places = [each.deck for each in self.feed.live(guid) if each.release <= release]
        return self.feed.decks[places[-1]][0] if places else ""

    def publications(self, guid: str) -> Publications:
        """Return the times and decks of all publications of a note, for the rules of a push.

        Each of the decks may be where an import by hand put it.
        """
        live = self.feed.live(guid)
        last = self.since if self.applied < 0 else len(self.feed.releases)
        decks = frozenset(self.feed.decks[each.deck][0] for each in live if each.release <= last)
        return Publications(frozenset(each.mod for each in live), decks)

    def tags(self, publication: Publication) -> frozenset[str]:
        """Return the tags of a publication."""
        return tags_of(self.feed.tags[publication.tags]) if publication.is_live else frozenset()

    def base(self, note: HeldNote, shown: Shown, ours: Sequence[str], received: Publication) -> Base:
        """Return a note as it was last received; `ours` are the fields in the newest release.

        A text counts as received if the feed ever published it. With the same time, it is only another
        rendering.
        """
        live = self.feed.live(note.guid)
        # The author has not changed a note whose time is the same, whatever its rendering is.
        is_same = live[-1].mod == received.mod
        fields: list[str | None] = []
        past = [(each.mod, digests_of(each, shown)) for each in live]
        for place, ours_digest in enumerate(digests_of(received, shown)):
            there, here = digest(shown.texts[place]), digest(ours[place])
            known = {(mod, digests[place]) for mod, digests in past}
            if (live[-1].mod, there) in known and (is_same or (received.mod, there) not in known):
                fields.append(f"{here}/{there}")
            elif ours_digest is None:
                fields.append(None)
            elif there and there in {text for _, text in known}:
                fields.append(there)
            else:
                fields.append(here if is_same else ours_digest)
        deck = self.deck_at(note.guid, self.last(note.guid))
        tags, lists = self.tags(received), self.feed.lists
        return Base(note.nid, received.mod, tuple(fields), tags, deck, lists=lists)
