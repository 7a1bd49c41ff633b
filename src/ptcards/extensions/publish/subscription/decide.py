"""Decides what an update does, from the feed, its package, the collection and the subscription."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ptcards.extensions.desktop.merge.compare import (
    AnkiState,
    Base,
    Change,
    Ours,
    Overrides,
    Publications,
    PushRecord,
    Styling,
    Theirs,
    TheirType,
    digest,
    fold,
    is_same_html,
    look_digest,
)
from ptcards.extensions.desktop.merge.plan import PushPlan, Sources, plan_push
from ptcards.extensions.publish.subscription.base import (
    NOT_KNOWN,
    TOPIC,
    FeedHistory,
    digests_of,
    estimate,
    is_topic_left_out,
)
from ptcards.extensions.publish.subscription.feed import Publication
from ptcards.extensions.publish.subscription.ownership import (
    adopt,
    imported_decks,
    is_of_feed,
    own_type,
    renamed_decks,
)
from ptcards.extensions.publish.subscription.package import (
    AnkiNoteType,
    Description,
    RefusedPackageError,
    ReleasedNote,
)
from ptcards.extensions.publish.subscription.safety import Danger, find_dangers
from ptcards.extensions.publish.subscription.state import Held, HeldNote, Subscription
from ptcards.extensions.publish.subscription.update import (
    DeckUpdate,
    Difference,
    FeedSource,
    LeftAlone,
    Refusal,
    RefusedUpdateError,
    RetiredNote,
    title_of,
)
from ptcards.identity.lock import deck_key
from ptcards.notes.rendered import FIELD_END, Row

_ELSEWHERE = FIELD_END
"""Precedes the name of a deck that is not the feed's, which may be called like one of the feed's."""
_SPECIAL_FIELDS = frozenset("FrontSide Tags Type Deck Subdeck Card CardFlag CardID".split())
_IN_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")


def check_source(source: FeedSource) -> None:
    """Raise RefusedPackageError if a package does not have exactly the notes of the newest release."""
    _, feed, package = source
    live = {
        guid: (past[-1].mod, feed.decks[past[-1].deck][0])
        for guid, past in feed.notes.items()
        if past[-1].is_live
    }
    if live != {guid: (note.mod, note.deck) for guid, note in package.notes.items()}:
        message = "has other notes than the feed says"
        raise RefusedPackageError(message)


def shape(ours: AnkiNoteType, theirs: AnkiNoteType) -> tuple[int | None, ...]:
    """Return for each field of a note type in Anki the place of the author's field, found by id, then name.

    It is `None` for a field of the learner's own.
    """
    by_id = {identity: place for place, (identity, _) in enumerate(ours.fields) if identity}
    by_name = {name: place for place, (_, name) in enumerate(ours.fields)}
    found = [by_id.get(identity) for identity, _ in theirs.fields]
    for number, (_, name) in enumerate(theirs.fields):
        place = by_name.get(name)
        if found[number] is None and place not in found:
            found[number] = place
    return tuple(found)


def in_order(fields: Sequence[str], places: Sequence[int | None], others: Sequence[str]) -> tuple[str, ...]:
    """Return the fields of a note in Anki in the author's order, and `others` where Anki has no field."""
    ordered = list(others)
    for text, place in zip(fields, places, strict=True):
        if place is not None:
            ordered[place] = text
    return tuple(ordered)


def look_of(note_type: AnkiNoteType) -> str:
    """Return the digest of the look of a note type, as in a feed."""
    return look_digest(note_type.css, [(each.name, each.front, each.back) for each in note_type.templates])


def decide(
    source: FeedSource, held: Held, subscription: Subscription | None, *, restore: bool = False
) -> DeckUpdate:
    """Return what the newest release changes; with `restore`, deleted notes come back.

    Without a `subscription`, it is the first look.

    Raises:
        RefusedUpdateError: the feed went back, or is followed at another address.
        RefusedPackageError: the package has other notes than the feed says.

    """
    newest = source.feed.newest
    if subscription and subscription.address != source.address:
        raise RefusedUpdateError(Refusal.OTHER_ADDRESS, subscription.address)
    if subscription and newest.time < subscription.release:
        raise RefusedUpdateError(Refusal.WENT_BACK, newest.version)
    check_source(source)
    is_first = subscription is None or not subscription.release
    decision = _Decision(source, held, subscription or adopt(source, held), is_first=is_first)
    return decision.update(Overrides(restore=restore))


def find_differences(source: FeedSource, held: Held, subscription: Subscription) -> list[Difference]:
    """Return the fields in which learner and author differ, those that wait first.

    Raises:
        RefusedPackageError: the package is not the one that the feed describes.

    """
    check_source(source)
    decision = _Decision(source, held, subscription, is_first=False)
    found = []
    for note in source.package.notes.values():
        there = decision.notes.get(note.guid)
        if there is None:
            continue
        names = source.package.types[note.note_type].names
        topic = is_topic_left_out(names, note.fields, source.feed.notes[note.guid][-1])
        for number, place in enumerate(decision.fields[note.note_type]):
            if place is None or (topic and names[place] == TOPIC):
                continue
            mine, authors = there.fields[number], note.fields[place]
            if authors != note.guid and not is_same_html(mine, authors):
                waits = place in subscription.waiting.get(note.guid, ())
                title = title_of(there.fields[0])
                found.append(
                    Difference(note.guid, there.nid, title, names[place], place, number, mine, authors, waits)
                )
    return sorted(found, key=lambda each: not each.waits)


class _Decision:
    """What is known while an update is decided."""

    def __init__(self, source: FeedSource, held: Held, subscription: Subscription, *, is_first: bool) -> None:
        self.source = source
        self.held = held
        self.subscription = subscription
        self.is_first = is_first
        package = source.package
        self.types = {
            each: subscription.types.get(str(each)) or own_type(source, each, held) for each in package.types
        }
        self.subscription = replace(
            subscription, types={**subscription.types, **{str(each): own for each, own in self.types.items()}}
        )
        self.fields = {
            each: shape(package.types[each], held.types.get(own, package.types[each]))
            for each, own in self.types.items()
        }
        self.shown = {note.guid: self._shown(note) for note in held.notes.values()}
        applied = -1 if is_first else source.feed.number_at(subscription.release)
        self.notes = {
            guid: note
            for guid, note in held.notes.items()
            if is_of_feed(note, self.subscription) and self._has_type(note)
        }
        if subscription.since is None:
            since = max(applied, estimate(source.feed, self.notes, self.shown, applied))
        else:  # an update was killed, so the times of notes prove nothing
            since = source.feed.number_at(subscription.since)
        self.history = FeedHistory(source.feed, applied, since, subscription.behind)
        if not is_first:
            decks = self.subscription.decks
            new = imported_decks(source, held, self.notes, self.history, decks)
            self.subscription = replace(self.subscription, decks={**decks, **new})

    def _has_type(self, note: HeldNote) -> bool:
        """Whether a note has the note type that the author's has; changing it would need a full sync."""
        ours = self.source.package.notes.get(note.guid)
        return ours is None or self.types[ours.note_type] == note.note_type

    def _shown(self, note: HeldNote) -> tuple[str, ...]:
        """Return the fields of a note in the author's order."""
        ours = self.source.package.notes.get(note.guid)
        if ours is not None:
            if self.types[ours.note_type] != note.note_type:
                return note.fields
            return in_order(note.fields, self.fields[ours.note_type], ours.fields)
        for author, local in self.types.items():
            if local == note.note_type:
                empty = [""] * len(self.source.package.types[author].fields)
                return in_order(note.fields, self.fields[author], empty)
        return note.fields

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The new names of the decks that the author renamed."""
        renamed = renamed_decks(self.source, self.history, self.subscription.decks)
        if not self.is_first:
            return renamed
        # After imports by hand, the deck with the new name is already there.
        taken = set(map(deck_key, self.held.decks.values()))
        return {old: new for old, new in renamed.items() if deck_key(new) not in taken}

    @cached_property
    def author_decks(self) -> dict[int, str]:
        """The author's names, after renaming, of decks in the collection."""
        renamed, old = self.renamed, self.subscription.decks
        return {did: renamed.get(name, name) for name, did in old.items()}

    def update(self, overrides: Overrides) -> DeckUpdate:
        """Return the decision."""
        source, package = self.source, self.source.package
        left_alone = [
            LeftAlone(guid, title_of(note.fields[0]))
            for guid, note in self.held.notes.items()
            if guid in package.notes and guid not in self.notes
        ]
        foreign = {each.guid for each in left_alone}
        notes = [note for note in package.notes.values() if note.guid not in foreign]
        plan = self._plan(notes, overrides)
        return DeckUpdate(
            source,
            self.subscription,
            self.is_first,
            plan,
            tuple(self._offered()),
            self.renamed,
            dict(self._descriptions()),
            self.types,
            self.fields,
            tuple(left_alone),
            tuple(self._left_out()),
            self._dangers(plan),
            sum(guid in package.notes for guid in self.notes),
            source.feed.releases[since].time if (since := self.history.since) >= 0 else -1,
            self._behind(),
            dict(self._waiting(plan)),
        )

    def _plan(self, notes: Iterable[ReleasedNote], overrides: Overrides) -> PushPlan:
        """Return what a push would do: the sources are the package, and the feed is the record."""
        ours: list[Ours] = []
        theirs: dict[str, Theirs] = {}
        bases: dict[str, Base] = {}
        known: dict[str, Publications] = {}
        away: dict[int, dict[str, tuple[int, ...]]] = {}
        for note in notes:
            there = self.notes.get(note.guid)
            base = self._base(note, there)
            if base:
                bases[note.guid] = base
            mine = self._ours(note, there, base)
            ours.append(mine)
            mods, decks = self.history.publications(note.guid)
            known[note.guid] = Publications(mods, decks | {self.renamed.get(deck, deck) for deck in decks})
            if there is None:
                continue
            shown = self.shown[note.guid]
            is_same = shown == note.fields and fold(there.tags) == fold(mine.tags)
            if not (there.mod == note.mod or is_same):
                cards = tuple(card.cid for card in there.cards)
                theirs[note.guid] = Theirs(
                    there.nid, there.guid, there.mod, shown, frozenset(there.tags), cards
                )
            away[there.nid] = self._away(note, there)
        looks = {str(each): look_of(kind) for each, kind in self.source.package.types.items()}
        found = AnkiState(
            dict(self._found_types()),
            {note.nid: note.mod for note in self.notes.values()},
            theirs,
            {nid: decks for nid, decks in away.items() if decks},
            frozenset(),
            (),
            files=self._found_files(),
        )
        feed = self.source.feed
        record = PushRecord(bases, self._last_looks(looks), files=self._last_files())
        files = {name: versions[-1][1] for name, versions in feed.files.items()}
        return plan_push(Sources(ours, looks, {}, files), found, record, overrides, known=known)

    def _base(self, note: ReleasedNote, there: HeldNote | None) -> Base | None:
        """Return a note as the learner last received it, or `None` if they did not."""
        history, guid = self.history, note.guid
        if there is not None:
            received = history.received(there, self.shown[guid]) or NOT_KNOWN
            base = history.base(there, self.shown[guid], note.fields, received)
            return base._replace(deck=self.renamed.get(base.deck, base.deck))
        if history.had(guid, history.applied) or history.had(guid, history.since):
            return Base(0, 0, (), frozenset(), "")
        return None

    def _ours(self, note: ReleasedNote, there: HeldNote | None, base: Base | None) -> Ours:
        """Return a note of the author's, without the author's tags that the learner removed."""
        removed = fold(base.tags) - fold(there.tags) if there and base else frozenset()
        tags = " ".join(tag for tag in note.tags.split() if tag.casefold() not in removed)
        names = self.source.package.types[note.note_type].names
        newest = self.source.feed.notes[note.guid][-1]
        # Only the built-in note types have something after the GUID, and a `Topic` that follows the deck.
        after = "" if is_topic_left_out(names, note.fields, newest) else None
        ordinals = tuple(card.ordinal for card in note.cards)
        row = Row(note.deck, str(note.note_type), tags, note.text, after, ordinals, ())
        return Ours(note.guid, note.guid, note.mod, names, note.text, row)

    def _away(self, note: ReleasedNote, there: HeldNote) -> dict[str, tuple[int, ...]]:
        """Return the cards that are not in the author's deck by the deck in which they are."""
        found: dict[str, tuple[int, ...]] = {}
        for card in there.cards:
            elsewhere = _ELSEWHERE + self.held.decks.get(card.deck, "")
            deck = self.author_decks.get(card.deck, elsewhere)
            if deck_key(deck) != deck_key(note.deck):
                found[deck] = (*found.get(deck, ()), card.cid)
        return found

    def _found_types(self) -> Iterator[tuple[str, TheirType]]:
        for each, local in self.types.items():
            there = self.held.types.get(local)
            if there is not None:
                yield str(each), TheirType(local, there.name, look_of(there), extended=False)

    def _last_looks(self, looks: Mapping[str, str]) -> dict[str, Styling]:
        """Return the looks that the learner received; one that other decks use too is never replaced."""
        last: dict[str, Styling] = {}
        for each, local in self.types.items():
            there, published = self.held.types.get(local), self.source.feed.types.get(str(each), ())
            look = look_of(there) if there else ""
            if local in self.subscription.shared or (there and not self._fits(each, there)):
                last[str(each)] = Styling(looks[str(each)], "")
            elif look in [known for _, known in published]:
                last[str(each)] = Styling(look, look)
            elif given := [known for number, known in published if number <= self.history.since]:
                last[str(each)] = Styling(given[-1], given[-1])
        return last

    def _fits(self, each: int, there: AnkiNoteType) -> bool:
        """Whether the author's templates only use fields that the learner's note type has."""
        kind = self.source.package.types[each]
        names = {name for _, name in there.fields} | _SPECIAL_FIELDS
        names |= {kind.names[place] for place in self.fields[each] if place is not None}
        used = {
            text.strip("#^/ ").rpartition(":")[2].strip()
            for template in kind.templates
            for side in template[2:]
            for text in _IN_TEMPLATE.findall(side)
            if not text.startswith("!")
        }
        return used <= names | {""}

    def _found_files(self) -> dict[str, str]:
        """Return the digests of the feed's files with names of their own."""
        owned, media = {*self.subscription.files}, self.source.package.media
        feed = self.source.feed
        found = {}
        for name, there in self.held.files.items():
            if name in feed.files and name in media:
                is_own = name in owned or not there
                found[name] = there if is_own or there == feed.files[name][-1][1] else f"{_ELSEWHERE}{there}"
        return found

    def _last_files(self) -> dict[str, str]:
        """Return the published digests of files that the learner did not change."""
        published = {name: {known for _, known in each} for name, each in self.source.feed.files.items()}
        return {
            name: there
            for name, there in self.held.files.items()
            if there in published.get(name, frozenset())
        }

    def _descriptions(self) -> Iterator[tuple[str, Description]]:
        """Yield the descriptions to write: where Anki's is empty, or one that was published."""
        known = self.source.feed.descriptions
        for did, name in self.author_decks.items():
            new = self.source.package.descriptions.get(name)
            if new is None or did not in self.held.decks:
                continue
            there = self.held.descriptions.get(did, "")
            if there != new.text and digest(there) in known:
                yield name, new

    def _retired(self) -> Iterator[tuple[HeldNote, Publication]]:
        """Yield the notes that are retired now, with what the learner received."""
        feed = self.source.feed
        for guid, note in self.notes.items():
            if guid in feed.notes and not feed.notes[guid][-1].is_live:
                received = self.history.received(note, self.shown[guid])
                if received:
                    yield note, received

    def _offered(self) -> Iterator[RetiredNote]:
        """Yield the notes that the author removed since the learner's last update."""
        for note, received in self._retired():
            if self.is_first or self.history.had(note.guid, self.history.applied):
                yield RetiredNote(note, self._is_clean(note, received))

    def _behind(self) -> dict[str, int]:
        """Return the release that the learner has of the retired notes that changed after it, by GUID."""
        history = self.history
        return {
            note.guid: self.source.feed.releases[last].time
            for note, received in self._retired()
            for last in [received.release if self.is_first else history.last(note.guid)]
            if -1 < last < history.live(note.guid)[-1].release
        }

    def _waiting(self, plan: PushPlan) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield the fields that wait for the learner after the update, by GUID.

        A field waits until the learner decides, or has the author's text from elsewhere. One of a note that
        the author retired waits in case the note comes back.
        """
        before, notes = self.subscription.waiting, self.source.package.notes
        differing = {change.ours.guid: {*change.kept, *change.conflicts} for change in plan.changes}
        new = {change.ours.guid: change.conflicts for change in plan.conflicts}
        for guid in sorted(before.keys() | new.keys()):
            places = {*before.get(guid, ()), *new.get(guid, ())}
            if guid in notes:
                places &= differing.get(guid, set())
            if places and guid in self.notes:
                yield guid, tuple(sorted(places))

    def _is_clean(self, note: HeldNote, received: Publication) -> bool:
        """Whether the learner did not edit the texts of a note that the author retired."""
        shown, live = self.shown[note.guid], self.history.live(note.guid)
        if note.mod in {each.mod for each in live}:
            return True
        types = self.source.package.types.items()
        names = next((kind.names for each, kind in types if self.types[each] == note.note_type), ())
        topic = names.index(TOPIC) if is_topic_left_out(names, shown, received) else -1
        known = [digests_of(each, len(shown)) for each in live]
        return all(
            digest(text) in {digests[place] for digests in known}
            for place, text in enumerate(shown)
            if place != topic
        )

    def _left_out(self) -> Iterator[tuple[str, str]]:
        """Yield the author's fields and templates that the learner's note types lack."""
        for each, local in self.types.items():
            there, kind = self.held.types.get(local), self.source.package.types[each]
            if there is None:
                continue
            for place, name in enumerate(kind.names):
                if place not in self.fields[each]:
                    yield kind.name, name
            cards = {template.name for template in there.templates} | {
                template.id for template in there.templates if template.id
            }
            for template in kind.templates:
                if template.name not in cards and template.id not in cards:
                    yield kind.name, template.name

    def _dangers(self, plan: PushPlan) -> tuple[Danger, ...]:
        def written(change: Change) -> tuple[str, str]:
            texts = [change.ours.fields[place] for place in change.written]
            return "\n".join(texts), "\n".join(change.theirs.fields)

        types = self.source.package.types
        layouts = [
            (kind, self.held.types.get(self.types[each]))
            for each, kind in types.items()
            if str(each) in plan.looks or self.types[each] not in self.held.types
        ]
        known = [text for note in self.notes.values() for text in note.fields]
        here = [self.held.types[each] for each in self.types.values() if each in self.held.types]
        known += [text for kind in here for text in kind.texts]
        notes = [*((note.text, "") for note in plan.new), *map(written, plan.updates)]
        return find_dangers([*notes, *self._described()], layouts, known)

    def _described(self) -> Iterator[tuple[str, str]]:
        """Yield the descriptions that are written, each with the one before; Anki shows them as HTML."""
        decks = {name: did for did, name in self.author_decks.items()}
        written = dict(self._descriptions())
        for name, new in self.source.package.descriptions.items():
            if name in written or name not in decks:
                yield new.text, self.held.descriptions.get(decks.get(name, 0), "")
