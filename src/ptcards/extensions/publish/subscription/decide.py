"""Decides what an update does, from the feed, its package, the collection and the subscription."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ptcards.extensions.desktop.merge.compare import (
    TOPIC,
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
    fold,
)
from ptcards.extensions.desktop.merge.plan import PushPlan, Sources, plan_push
from ptcards.extensions.desktop.merge.texts import digest, is_same_html
from ptcards.extensions.publish.subscription.base import (
    NOT_KNOWN,
    FeedHistory,
    Shown,
    digests_of,
    estimate,
    is_topic_left_out,
    keys_of,
)
from ptcards.extensions.publish.subscription.dangers import (
    Danger,
    KnownTexts,
    ReleasedFiles,
    Show,
    ShownNote,
    find_dangers,
)
from ptcards.extensions.publish.subscription.feed import FieldKey, Publication
from ptcards.extensions.publish.subscription.looks import (
    fits,
    in_order,
    left_out,
    look_here,
    look_of,
    places_of,
    with_look,
)
from ptcards.extensions.publish.subscription.ownership import (
    first_subscription,
    imported_decks,
    is_own_file,
    is_where_author_has_it,
    may_rename,
    new_type,
    recall,
    renamed_decks,
    shared_types,
)
from ptcards.extensions.publish.subscription.package import (
    OWN_NAMES,
    AnkiNoteType,
    Description,
    RefusedPackageError,
    ReleasedNote,
)
from ptcards.extensions.publish.subscription.state import Held, HeldNote, Subscription
from ptcards.extensions.publish.subscription.update import (
    Back,
    DeckUpdate,
    Difference,
    FeedSource,
    LeftAlone,
    Refusal,
    RefusedUpdateError,
    RetiredNote,
    WhyAlone,
    is_internal,
    title_of,
)
from ptcards.identity.lock import deck_key
from ptcards.notes.rendered import FIELD_END, Row

_ELSEWHERE = FIELD_END
"""Precedes the name of a deck that is not the feed's, which may be called like one of the feed's."""


def check_source(source: FeedSource) -> None:
    """Raise RefusedPackageError if a package does not have exactly the notes of its newest edition."""
    _, feed, package = source
    newest = len(feed.releases) - 1
    live = {
        guid: (past[-1].mod, feed.decks[past[-1].deck][0])
        for guid, past in feed.notes.items()
        if past[-1].is_live and feed.has(guid, feed.edition, newest)
    }
    if live != {guid: (note.mod, note.deck) for guid, note in package.notes.items()}:
        raise RefusedPackageError("has other notes than the feed says")


def decide(
    source: FeedSource,
    held: Held,
    subscription: Subscription | None,
    show: Show,
    *,
    restore: bool = False,
    adopt: bool = False,
) -> DeckUpdate:
    """Return what the newest release changes; with `restore`, deleted notes come back.

    With `adopt`, notes that imports by hand brought are the feed's from now on. Without a `subscription`, it
    is the first look. `show` shows notes, in which dangers are looked for.

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
    before = subscription or first_subscription(source, held)
    decision = _Decision(source, held, before, is_first=is_first, adopts=adopt)
    return decision.update(Overrides(restore=restore), show)


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
        kind = source.package.types[note.note_type]
        names, keys = kind.names, keys_of(kind)
        newest = source.feed.notes[note.guid][-1]
        shown = decision.shown[note.guid]._replace(texts=note.fields)
        topic = is_topic_left_out(names, shown, newest)
        for number, place in enumerate(decision.fields[note.note_type]):
            if place is None or is_internal(names, place) or (topic and names[place] == TOPIC):
                continue
            mine, authors = there.fields[number], note.fields[place]
            if authors != note.guid and not is_same_html(mine, authors):
                waits = keys[place] in subscription.waiting.get(note.guid, ())
                title = title_of(there.fields)
                found.append(
                    Difference(
                        note.guid, there.nid, title, names[place], keys[place], number, mine, authors, waits
                    )
                )
    return sorted(found, key=lambda each: not each.waits)


class _Decision:
    """What is known while an update is decided."""

    def __init__(
        self,
        source: FeedSource,
        held: Held,
        subscription: Subscription,
        *,
        is_first: bool,
        adopts: bool = False,
    ) -> None:
        self.source = source
        self.held = held
        self.is_first = is_first
        package = source.package
        brought = recall(subscription.notes)
        self.own = {guid for guid, note in held.notes.items() if note.nid in brought}
        by_hand = self._came_by_hand(subscription) if adopts else ()
        self.adopted = {each.guid for each in by_hand}
        self.own |= self.adopted
        used = {held.notes[guid].note_type for guid in self.own}
        known = {int(each): local for each, local in subscription.types.items()}
        self.types = {
            each: known[each]
            if each in known and (known[each] in used or known[each] not in held.types)
            else new_type(source.feed.id, each, held)
            for each in package.types
        }
        self.shared = self._shared(self.types.values())
        self.subscription = replace(
            subscription, types={**subscription.types, **{str(each): own for each, own in self.types.items()}}
        )
        self.author_types = {local: int(each) for each, local in self.subscription.types.items()}
        self.fields = {
            each: places_of(kind.fields, held.types.get(self.types[each], kind).fields)
            for each, kind in package.types.items()
        }
        own = {guid: note for guid, note in held.notes.items() if guid in self.own}
        self.shown = {guid: self._shown(note) for guid, note in own.items()}
        self.notes = {guid: note for guid, note in own.items() if self._has_type(note)}
        applied = -1 if is_first else source.feed.number_at(subscription.release)
        if subscription.since is None:
            since = max(applied, estimate(source.feed, self.notes, self.shown, applied))
        else:  # an update was killed, so the times of notes prove nothing
            since = source.feed.number_at(subscription.since)
        self.history = FeedHistory(source.feed, applied, since, subscription.behind, self.adopted)
        if not is_first:
            decks = self.subscription.decks
            new = imported_decks(source, held, self.notes, self.history, decks)
            above = {name: did for name, did in subscription.above.items() if name not in new}
            self.subscription = replace(self.subscription, decks={**decks, **new}, above=above)

    def _shared(self, types: Iterable[int]) -> frozenset[int]:
        return shared_types(self.held, (self.held.notes[guid] for guid in self.own), types)

    def _came_by_hand(self, subscription: Subscription) -> Iterator[HeldNote]:
        """Yield the notes that look like the feed's, but that its subscription did not bring."""
        for guid, note in self.held.notes.items():
            ours, types = self.source.package.notes.get(guid), subscription.types
            could: Collection[int] = (types.get(str(ours.note_type), 0),) if ours else types.values()
            if guid not in self.own and note.note_type in could and note.note_type not in self.held.taken:
                yield note

    def _left_alone(self) -> Iterator[LeftAlone]:
        """Yield the notes with a GUID of the feed that are not the feed's, or have another note type now."""
        by_hand = {each.guid for each in self._came_by_hand(self.subscription)}
        for guid, note in self.held.notes.items():
            ours = self.source.package.notes.get(guid)
            if guid in self.notes or not (ours or guid in by_hand):
                continue
            why = WhyAlone.BY_HAND if guid in by_hand else WhyAlone.OTHER_DECK
            local = self.types[ours.note_type] if ours else note.note_type
            is_copy = note.note_type != local and self.held.copies.get(note.note_type) == local
            if guid in self.own or is_copy:
                why = WhyAlone.OTHER_TYPE
            yield LeftAlone(guid, title_of(note.fields), why)

    def _has_type(self, note: HeldNote) -> bool:
        """Whether a note has the note type that the author's has; changing it would need a full sync."""
        ours = self.source.package.notes.get(note.guid)
        if ours is None:
            return note.note_type in self.author_types
        return self.types[ours.note_type] == note.note_type

    def _shown(self, note: HeldNote) -> Shown:
        """Return the fields of a note in the author's order."""
        ours = self.source.package.notes.get(note.guid)
        author = ours.note_type if ours else self.author_types.get(note.note_type, 0)
        versions = self.source.feed.types.get(str(author), ())
        kind = self.source.package.types.get(author)
        there = self.held.types.get(note.note_type)
        if kind and self.types[author] == note.note_type:
            others = ours.fields if ours else [""] * len(kind.fields)
            texts = in_order(note.fields, self.fields[author], others)
            return Shown(keys_of(kind), texts, versions)
        return Shown(keys_of(there) if there else (), note.fields, versions)

    @cached_property
    def all_renamed(self) -> dict[str, str]:
        """The author's new names of decks."""
        return renamed_decks(self.source, self.history, self.subscription.decks)

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The author's new names of decks, except for those that would rename decks of others here."""
        decks, held = self.subscription.decks, self.held
        renamed = self.all_renamed
        if self.is_first:  # after imports by hand, the deck with the new name is already there
            taken = set(map(deck_key, held.decks.values()))
            renamed = {old: new for old, new in renamed.items() if deck_key(new) not in taken}
        return {
            old: new
            for old, new in renamed.items()
            if old not in self.in_place or may_rename(decks[old], held, self.subscription)
        }

    @cached_property
    def in_place(self) -> frozenset[str]:
        """The decks that have the author's name here, and get their new one."""
        decks, held = self.subscription.decks, self.held
        known = {**self.subscription.above, **decks}
        return frozenset(each for each in decks if is_where_author_has_it(each, known, held.decks))

    @cached_property
    def author_decks(self) -> dict[int, str]:
        """The author's names, after renaming, of decks in the collection."""
        renamed, old = self.renamed, self.subscription.decks
        return {did: renamed.get(name, name) for name, did in old.items()}

    def update(self, overrides: Overrides, show: Show) -> DeckUpdate:
        """Return the decision."""
        source, package = self.source, self.source.package
        left_alone = [*self._left_alone()]
        foreign = {each.guid for each in left_alone}
        notes = [note for note in package.notes.values() if note.guid not in foreign]
        plan = self._plan(notes, overrides)
        missing = [*self._left_out()]
        since, named = self.history.since, self.subscription.left_out
        return DeckUpdate(
            source=source,
            subscription=self.subscription,
            after=self._after(plan, tuple(key for key, *_ in missing)),
            is_first=self.is_first,
            plan=plan,
            retired=tuple(self._offered()),
            back=tuple(self._back()),
            renamed=self.renamed,
            in_place=self.in_place & self.renamed.keys(),
            blocked={old: new for old, new in self.all_renamed.items() if old not in self.renamed},
            descriptions=dict(self._descriptions()),
            types=self.types,
            fields=self.fields,
            left_alone=tuple(left_alone),
            left_out=tuple((kind, name) for key, kind, name in missing if key not in named),
            dangers=self._dangers(plan, show),
            here=sum(guid in package.notes for guid in self.notes),
            own=self.own,
            since=source.feed.releases[since].time if since >= 0 else -1,
            adopted=len(self.adopted),
        )

    def _after(self, plan: PushPlan, left_out: Sequence[str]) -> Subscription:
        """Return the subscription after the update, except for what only writing it shows."""
        feed = self.source.feed
        return replace(
            self.subscription,
            address=self.source.address,
            name=feed.name,
            release=feed.newest.time,
            version=feed.newest.version,
            looks=dict(self._looks_after(plan)),
            left_out=left_out,
            files=sorted({*self.subscription.files, *plan.files}),
            waiting=dict(self._waiting(plan)),
            behind=self._behind(),
            edition=feed.edition,
            since=None,
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
            if there is None:
                continue
            mods, decks = self.history.publications(note.guid)
            known[note.guid] = Publications(mods, decks | {self.renamed.get(deck, deck) for deck in decks})
            shown = self.shown[note.guid].texts
            is_same = shown == note.fields and fold(there.tags) == fold(mine.tags)
            if not (there.mod == note.mod or is_same):
                cards = tuple(card.cid for card in there.cards)
                theirs[note.guid] = Theirs(
                    there.nid, there.guid, there.mod, shown, frozenset(there.tags), cards
                )
            away[there.nid] = self._away(note, there)
        looks = self.looks
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
        record = PushRecord(bases, dict(self._last_looks()), files=self._last_files())
        files = {name: versions[-1][1] for name, versions in feed.files.items()}
        return plan_push(Sources(ours, looks, {}, files), found, record, overrides, known=known)

    def _base(self, note: ReleasedNote, there: HeldNote | None) -> Base | None:
        """Return a note as the learner last received it, or `None` if they did not."""
        history, guid, feed = self.history, note.guid, self.source.feed
        if there is not None:
            received = history.received(there, self.shown[guid]) or NOT_KNOWN
            base = history.base(there, self.shown[guid], note.fields, received)
            did = {**self.subscription.former, **self.subscription.decks}.get(base.deck, 0)
            return base._replace(deck=self.author_decks.get(did, base.deck))
        last, since = history.applied, history.since
        had = history.had(guid, last) and feed.has(guid, self.subscription.edition, last)
        # Nobody knows which edition was imported by hand.
        everywhere = (feed.has(guid, each, since) for each in ("", *feed.editions))
        if had or (since > last and history.had(guid, since) and all(everywhere)):
            return Base(0, 0, (), frozenset(), "")
        return None

    def _ours(self, note: ReleasedNote, there: HeldNote | None, base: Base | None) -> Ours:
        """Return a note of the author's, without the author's tags that the learner removed."""
        removed = fold(base.tags) - fold(there.tags) if there and base else frozenset()
        tags = " ".join(tag for tag in note.tags.split() if tag.casefold() not in removed)
        kind, feed = self.source.package.types[note.note_type], self.source.feed
        names = kind.names
        # Only the built-in note types have something after the GUID, and a `Topic` that follows the deck.
        shown = Shown(keys_of(kind), note.fields, feed.types.get(str(note.note_type), ()))
        after = "" if is_topic_left_out(names, shown, feed.notes[note.guid][-1]) else None
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

    @cached_property
    def looks(self) -> dict[str, str]:
        """The author's looks as they will be here, by the author's note type."""
        types, held = self.source.package.types, self.held.types
        return {str(each): look_here(kind, held.get(self.types[each], kind)) for each, kind in types.items()}

    def _last_looks(self) -> Iterator[tuple[str, Styling]]:
        """Yield the looks that the learner received; one that other notes use too is never replaced."""
        for each, local in self.types.items():
            there, published = self.held.types.get(local), self.source.feed.types.get(str(each), ())
            if there is None:
                continue
            look, given = look_of(there), {known.look for known in published}
            if local in self.shared or not fits(self.source.package.types[each], there, self.fields[each]):
                yield str(each), Styling(self.looks[str(each)], "")
            elif look in given or look == self.subscription.looks.get(str(each)):
                yield str(each), Styling(look, look)

    def _looks_after(self, plan: PushPlan) -> Iterator[tuple[str, str]]:
        """Yield the looks of note types that the author gave them, after the update."""
        yield from self.subscription.looks.items()
        for each, local in self.types.items():
            look, there = self.looks[str(each)], self.held.types.get(local)
            if str(each) in plan.looks or there is None or look_of(there) == look:
                yield str(each), look

    def _found_files(self) -> dict[str, str]:
        """Return the digests of the feed's files with names of their own."""
        owned, media = {*self.subscription.files}, self.source.package.media
        feed = self.source.feed
        notes = {note.nid for note in self.notes.values()}
        types = {*self.subscription.types.values()} - self._shared(self.subscription.types.values())
        found = {}
        for name, there in self.held.files.items():
            if name in feed.files and name in media:
                is_own = not there or (name in owned and is_own_file(name, self.held, notes, types))
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
            if new is None or did not in self.held.decks or did in self.subscription.guests:
                continue
            there = self.held.descriptions.get(did, "")
            if there != new.text and digest(there) in known:
                yield name, new._replace(before=there)

    def is_new(self, guid: str) -> bool:
        """Whether a note that is here becomes the feed's now, because the learner agrees."""
        return self.is_first or guid in self.adopted

    def _absent(self) -> Iterator[tuple[HeldNote, Publication]]:
        """Yield the notes that the package lacks, with what the learner received: retired ones and others."""
        feed, package = self.source.feed, self.source.package
        for guid, note in self.notes.items():
            if guid in feed.notes and guid not in package.notes:
                received = self.history.received(note, self.shown[guid])
                if received:
                    yield note, received

    def _offered(self) -> Iterator[RetiredNote]:
        """Yield the notes that the author removed since the learner's last update."""
        for note, received in self._absent():
            if self.source.feed.notes[note.guid][-1].is_live:
                continue
            if self.is_new(note.guid) or self.history.had(note.guid, self.history.applied):
                yield RetiredNote(note, self._is_clean(note, received))

    def _back(self) -> Iterator[Back]:
        """Yield the notes that the author brought back, of which an update suspended cards that still are."""
        suspended = {*self.subscription.suspended}
        for guid, note in self.notes.items():
            cards = tuple(card.cid for card in note.cards if card.is_suspended and card.cid in suspended)
            if cards and guid in self.source.package.notes:
                yield Back(guid, title_of(note.fields), cards)

    def _behind(self) -> dict[str, int]:
        """Return the release that the learner has of the absent notes that changed after it, by GUID."""
        history = self.history
        return {
            note.guid: self.source.feed.releases[last].time
            for note, received in self._absent()
            for last in [received.release if self.is_new(note.guid) else history.last(note.guid)]
            if -1 < last < history.feed.live(note.guid)[-1].release
        }

    def _waiting(self, plan: PushPlan) -> Iterator[tuple[str, Sequence[FieldKey]]]:
        """Yield the fields that wait for the learner after the update, by GUID.

        A field waits until the learner decides, or has the author's text from elsewhere. One of a note that
        the author retired waits in case the note comes back.
        """
        before, notes = self.subscription.waiting, self.source.package.notes

        def keys(change: Change, *places: int) -> set[FieldKey]:
            return {self.shown[change.ours.guid].keys[place] for place in places}

        differing = {
            change.ours.guid: keys(change, *change.kept, *change.conflicts) for change in plan.changes
        }
        new = {change.ours.guid: keys(change, *change.conflicts) for change in plan.conflicts}
        for guid in sorted(before.keys() | new.keys()):
            waiting = {*before.get(guid, ()), *new.get(guid, ())}
            if guid in notes:
                waiting &= differing.get(guid, set())
            if waiting and guid in self.notes:
                yield guid, tuple(sorted(waiting, key=str))

    def _is_clean(self, note: HeldNote, received: Publication) -> bool:
        """Whether nothing in a note that the author retired is the learner's: all of it was published."""
        live, here = self.source.feed.live(note.guid), self._all_fields(note)
        feed, decks = self.source.feed, self.subscription.decks
        homes = {decks.get(feed.decks[each.deck][0]) for each in live}
        theirs = {key for version in here.versions for key in version.fields}
        own = [text for key, text in zip(here.keys, here.texts, strict=True) if key not in theirs]
        if any(own) or any(card.flag or card.deck not in homes for card in note.cards):
            return False
        with_texts = [each for each in live if each.digests is not None]
        is_untouched = note.mod in {each.mod for each in live}
        if not with_texts:
            return is_untouched
        if fold(note.tags) not in [fold(self.history.tags(each)) for each in with_texts]:
            return False
        kind = self.source.package.types.get(self.author_types[note.note_type])
        topic = keys_of(kind)[kind.names.index(TOPIC)] if kind and TOPIC in kind.names else None
        if topic and not is_topic_left_out(kind.names if kind else (), self.shown[note.guid], received):
            topic = None
        known = [digests_of(each, here) for each in with_texts]
        return is_untouched or all(
            digest(text) in {digests[place] for digests in known}
            for place, (key, text) in enumerate(zip(here.keys, here.texts, strict=True))
            if key != topic
        )

    def _all_fields(self, note: HeldNote) -> Shown:
        """Return all fields of a note as they are here; the author's have the author's keys."""
        author = self.author_types[note.note_type]
        versions = self.source.feed.types.get(str(author), ())
        own = keys_of(self.held.types[note.note_type])
        kind = self.source.package.types.get(author)
        if kind is None or self.types[author] != note.note_type:
            return Shown(own, note.fields, versions)
        keys = keys_of(kind)
        both = zip(own, self.fields[author], strict=True)
        return Shown(
            tuple(key if place is None else keys[place] for key, place in both), note.fields, versions
        )

    def _left_out(self) -> Iterator[tuple[str, str, str]]:
        """Yield the author's fields and templates that the learner's note types lack, with a key and type."""
        for each, kind in self.source.package.types.items():
            there = self.held.types.get(self.types[each])
            for key, name in left_out(kind, there, self.fields[each]) if there else ():
                yield key, kind.name, name

    def _dangers(self, plan: PushPlan, show: Show) -> tuple[Danger, ...]:
        package, types = self.source.package, self.held.types
        layouts = {each: self._layout_after(each, plan) for each in self.types}
        changed = {each for each, layout in layouts.items() if layout != types.get(self.types[each])}
        here = [types[local] for local in self.types.values() if local in types]
        styles = [
            name
            for name in package.styles
            if name in plan.files or (changed and not name.startswith(OWN_NAMES))
        ]
        return find_dangers(
            self._shown_notes(plan, layouts, changed),
            [*self._described(), *((name, "") for name in self._new_names(plan))],
            [(layouts[each], types.get(self.types[each])) for each in changed],
            ReleasedFiles({*plan.files, *styles}, package.styles),
            known=KnownTexts([text for note in self.notes.values() for text in note.fields], here),
            show=show,
        )

    def _layout_after(self, author: int, plan: PushPlan) -> AnkiNoteType:
        """Return a note type as it will be in the collection."""
        kind = self.source.package.types[author]
        there = self.held.types.get(self.types[author], kind)
        return with_look(there, kind, self.fields[author]) if str(author) in plan.looks else there

    def _shown_notes(
        self, plan: PushPlan, layouts: Mapping[int, AnkiNoteType], changed: Collection[int]
    ) -> Iterator[tuple[ShownNote, ShownNote | None]]:
        """Yield the notes whose cards will look different, each with what it is now."""
        written = {change.ours.guid: change for change in plan.updates}
        for new in plan.new:
            author = int(new.row.note_type)
            fields = ["" if place is None else new.fields[place] for place in self.fields[author]]
            yield ShownNote(layouts[author], tuple(fields), new.row.tags), None
        authors = {local: author for author, local in self.types.items()}
        for guid, there in self.notes.items():
            author = authors.get(there.note_type, 0)
            if guid not in written and author not in changed:
                continue
            before = ShownNote(self.held.types[there.note_type], there.fields, " ".join(there.tags))
            ours = self.source.package.notes.get(guid)
            texts = list(there.fields)
            tags = before.tags
            if ours and guid in written:
                tags = f"{tags} {ours.tags}"
                for number, place in enumerate(self.fields[author]):
                    if place is not None and place in written[guid].written:
                        texts[number] = written[guid].text(place)
            yield ShownNote(layouts.get(author, before.note_type), tuple(texts), tags), before

    def _new_names(self, plan: PushPlan) -> set[str]:
        """Return the names of decks that are not here yet; cards may show them."""
        decks = {note.deck for note in plan.new} | {move.ours.deck for move in plan.moves}
        return (decks | {*self.renamed.values()}) - {*self.held.decks.values()}

    def _described(self) -> Iterator[tuple[str, str]]:
        """Yield the descriptions that are written, each with the one before; Anki shows them as HTML."""
        written = dict(self._descriptions())
        for name, new in self.source.package.descriptions.items():
            if name in written or name not in self.author_decks.values():
                yield new.text, written.get(name, new).before
