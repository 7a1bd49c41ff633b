"""Reads what a collection holds of a feed, and applies an update as one operation with one undo step."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from anki.collection import (
    Collection,
    ImportAnkiPackageOptions,
    ImportAnkiPackageRequest,
    Note,
    OpChanges,
)
from anki.consts import QUEUE_TYPE_SUSPENDED
from anki.import_export_pb2 import ImportAnkiPackageUpdateCondition

from addon.showing import showing
from ptcards.extensions.desktop.merge.compare import Ours
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.extensions.publish.subscription.dangers import (
    Danger,
    KnownTexts,
    ReleasedFiles,
    ShownNote,
    find_dangers,
)
from ptcards.extensions.publish.subscription.decide import decide, find_differences
from ptcards.extensions.publish.subscription.looks import look_of, template_places, with_look
from ptcards.extensions.publish.subscription.ownership import is_free, remember
from ptcards.extensions.publish.subscription.package import (
    OWN_NAMES,
    AnkiNoteType,
    AnkiTemplate,
    ReleasedCard,
    ReleasedNote,
    read_media,
    rename_media,
    write_package,
)
from ptcards.extensions.publish.subscription.state import (
    FileUsers,
    Held,
    HeldCard,
    HeldNote,
    Subscription,
    as_json,
    from_json,
)
from ptcards.extensions.publish.subscription.update import (
    DeckUpdate,
    Difference,
    FeedSource,
    Refusal,
    RefusedUpdateError,
)
from ptcards.identity.lock import deck_key
from ptcards.notes.rendered import FIELD_END

_KEY = "ptcards."
"""Precedes the id of a feed in Anki's configuration."""
_IMPORT_OPTIONS = ("mergeNotetypes", "updateNotes", "updateNotetypes", "withDeckConfigs", "withScheduling")
"""Where Anki keeps the options of the last import, which its dialog proposes for the next one."""
_SIDES = ("qfmt", "afmt", "bqfmt", "bafmt")


class Choices(NamedTuple):
    """What the learner chose in the list; `retired` is `suspend`, `keep` or `delete`.

    With `bring_back`, cards that an update suspended are studied again if the author brought their notes
    back. With `adopt`, notes that imports by hand brought follow the feed.
    """

    move: bool = True
    retired: str = "suspend"
    bring_back: bool = True
    adopt: bool = False
    restore: bool = False
    trusts: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """An update that was applied, and what Anki must draw again."""

    changes: OpChanges
    update: DeckUpdate


def subscriptions(col: Collection) -> dict[str, Subscription]:
    """Return the subscriptions of a collection by the ids of their feeds."""
    found = {
        key.removeprefix(_KEY): from_json(value)
        for key, value in col.all_config().items()
        if key.startswith(_KEY)
    }
    return {feed_id: each for feed_id, each in found.items() if each is not None}


def look(col: Collection, source: FeedSource, *, restore: bool = False, adopt: bool = False) -> DeckUpdate:
    """Return what the newest release changes in the collection as it is now; the rest is as in `Choices`.

    Raises:
        RefusedUpdateError: the feed went back, or is followed at another address.
        RefusedPackageError: the package has other notes than the feed says.

    """
    subscription = subscriptions(col).get(source.feed.id)
    with showing() as show:
        return decide(source, read_held(col, source), subscription, show, restore=restore, adopt=adopt)


def read_held(col: Collection, source: FeedSource) -> Held:
    """Return what the collection holds of a feed."""
    all_subscriptions = subscriptions(col)
    mine = all_subscriptions.pop(source.feed.id, Subscription(""))
    package, database = source.package, _database(col)
    guids = {*package.notes, *source.feed.notes}
    files = {
        name: _file_digest(Path(col.media.dir()) / name)
        for name in package.media
        if name.startswith(OWN_NAMES)
    }
    files = {name: there for name, there in files.items() if name in source.feed.files}
    named: dict[str, set[int]] = {name: set() for name, there in files.items() if there}
    rows: dict[str, tuple[Any, ...]] = {}
    uses: Counter[int] = Counter()
    for row in database.execute("select id, guid, mid, mod, tags, flds from notes"):
        nid, guid, note_type, mod, _, text = row
        uses[note_type] += 1
        for name, nids in named.items():
            if name in text:
                nids.add(nid)
        # Of two notes with one GUID, only the newer can be the feed's.
        if guid in guids and (guid not in rows or mod > rows[guid][3]):
            rows[guid] = row
    cards = _cards(col, {row[0] for row in rows.values()})
    notes = {
        guid: HeldNote(
            nid, guid, mid, mod, tuple(tags.split()), tuple(text.split(FIELD_END)), tuple(cards[nid])
        )
        for guid, (nid, _, mid, mod, tags, text) in rows.items()
    }
    models = [col.models.get(each.id) for each in col.models.all_names_and_ids()]
    types = {int(model["id"]): _note_type(model) for model in models if model}
    taken = {name for each in all_subscriptions.values() for name in each.files}
    counts = database.execute("select iif(odid, odid, did), count(*) from cards group by 1")
    decks = {int(each.id): each.name for each in col.decks.all_names_and_ids(include_filtered=False)}
    everything = {int(each.id): each.name for each in col.decks.all_names_and_ids()}
    return Held(
        notes,
        types,
        decks,
        {int(did): int(count) for did, count in counts},
        {did: text for did in {*mine.decks.values(), *decks} if (text := _description(col, did))},
        uses,
        {did: name for did, name in everything.items() if did not in decks},
        {int(each["id"]): original for each in models if each and (original := each.get("originalId"))},
        {note_type for each in all_subscriptions.values() for note_type in each.types.values()},
        {did for each in all_subscriptions.values() for did in each.decks.values()},
        files,
        {
            name: FileUsers(nids, {each.id for each in types.values() if _names(each, name)}, name in taken)
            for name, nids in named.items()
        },
    )


def _database(col: Collection) -> Any:
    return col.db


def _cards(col: Collection, nids: Iterable[int]) -> dict[int, list[HeldCard]]:
    cards: dict[int, list[HeldCard]] = {nid: [] for nid in nids}
    rows = _database(col).execute("select id, nid, ord, did, odid, queue, flags from cards")
    for cid, nid, ordinal, did, home, queue, flags in rows:
        if nid in cards:
            card = HeldCard(cid, ordinal, home or did, bool(home), queue == QUEUE_TYPE_SUSPENDED, flags & 7)
            cards[nid].append(card)
    return cards


def _names(note_type: AnkiNoteType, file: str) -> bool:
    return any(file in text for text in note_type.texts)


def _note_type(model: Mapping[str, Any]) -> AnkiNoteType:
    fields = tuple((each.get("id") or 0, each["name"]) for each in model["flds"])
    templates = tuple(
        AnkiTemplate(each.get("id") or 0, each["name"], *(each.get(side, "") for side in _SIDES))
        for each in model["tmpls"]
    )
    return AnkiNoteType(
        int(model["id"]), model["name"], model["mod"], model["css"], bool(model["type"]), fields, templates
    )


def _description(col: Collection, did: int) -> str:
    deck = col.decks.get(did, default=False)
    return str(deck.get("desc", "")) if deck else ""


def _file_digest(file: Path) -> str:
    """Return a digest of a file as in a feed, or an empty text if it is missing."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
    except FileNotFoundError:
        return ""


def apply_update(
    col: Collection, source: FeedSource, file: Path, choices: Choices, *, work: Path, title: str
) -> Applied:
    """Decide again, and apply the decision as one undo step.

    `file` is the package of the source, and `work` a file to overwrite, which the caller deletes afterwards.
    `title` names the undo step.

    Raises:
        RefusedUpdateError: as `look`, and if it brings dangers that the choices do not allow.
        RefusedPackageError: as `look`.

    """
    held = read_held(col, source)
    subscription = subscriptions(col).get(source.feed.id)
    with showing() as show:
        update = decide(source, held, subscription, show, restore=choices.restore, adopt=choices.adopt)
    if update.dangers and not choices.trusts:
        raise RefusedUpdateError(Refusal.DANGER)
    step = _Step(col, title)
    _Writing(col, held, update, file, step).write(choices, work)
    return Applied(step.changes, update)


class _Step:
    """An undo step that grows: Anki only keeps thirty, so each operation is merged into it immediately.

    If an operation fails, Anki forgets all undo steps. What was done before it stays, without the new state
    of the subscription, so the next update does the rest.
    """

    def __init__(self, col: Collection, title: str) -> None:
        self.col = col
        self.target = col.add_custom_undo_entry(title)
        self.changes = OpChanges()

    def merge(self) -> None:
        """Add what was done since the last time to the step."""
        self.changes = self.col.merge_undo_entries(self.target)


class _Writing:
    """An update while it is written."""

    def __init__(self, col: Collection, held: Held, update: DeckUpdate, file: Path, step: _Step) -> None:
        self.col = col
        self.held = held
        self.update = update
        self.file = file
        self.merge = step.merge
        self.decks = dict(update.subscription.decks)
        self.above = dict(update.subscription.above)
        self.former = dict(update.subscription.former)
        self.deleted = set[str]()

    def write(self, choices: Choices, work: Path) -> None:
        """Write everything."""
        self._rename_decks()
        self._make_decks(moves=choices.move)
        self._remember(self._unfinished(choices))
        self._import(work)
        self._write_merged()
        for note_type in self.update.plan.looks:
            self._write_look(int(note_type))
        if choices.move:
            self._move_cards()
        self._retire(choices.retired)
        if choices.bring_back:
            self._bring_back()
        self._describe()
        for name in self.update.plan.files:
            self._replace_file(name)
        self._remember(self._subscription(choices))

    def _remember(self, subscription: Subscription) -> None:
        self.col.set_config(_KEY + self.update.source.feed.id, as_json(subscription), undoable=True)
        self.merge()

    def _unfinished(self, choices: Choices) -> Subscription:
        """Return the subscription to find if Anki is killed before the rest is written."""
        before = self.update.subscription
        return replace(
            before,
            notes=self._notes(is_imported=False),
            decks=self.decks,
            former=self.former,
            above=self.above,
            files=self.update.after.files,
            suspended=sorted({*before.suspended, *self._newly_suspended(choices)}),
            since=self.update.since,
        )

    def _notes(self, *, is_imported: bool) -> str:
        """Return a record of the feed's notes; Anki keeps the ids of new ones if they are free."""
        new = {each.guid for each in self.update.plan.new}
        own = {self.held.notes[guid].nid for guid in self.update.own}
        there = dict(_database(self.col).all("select id, guid from notes"))
        nids = {nid for nid, guid in there.items() if nid in own or guid in new}
        if not is_imported:
            nids |= {self.update.source.package.notes[guid].nid for guid in new} - there.keys()
        return remember(nids)

    def _newly_suspended(self, choices: Choices) -> Iterator[int]:
        """Yield the cards that the update suspends."""
        for each in self.update.retired if choices.retired == "suspend" else ():
            if each.is_clean:
                yield from (card.cid for card in each.note.cards if not card.is_suspended)

    def _make_decks(self, *, moves: bool) -> None:
        """Make the decks that the update needs; one for a deck that keeps its name here gets its options."""
        before = {new: did for old, new in self.update.blocked.items() if (did := self.decks.get(old))}
        moved = self.update.plan.moves if moves else ()
        for deck in sorted({note.deck for note in self.update.plan.new} | {each.ours.deck for each in moved}):
            known = self._all_decks()
            did = int(self.col.decks.id(self._local_name(deck)))
            if did not in known and deck in before:
                new, old = self.col.decks.get(did), self.col.decks.get(before[deck], default=False)
                if new and old and not old["dyn"] and old["conf"] != new["conf"]:
                    self.col.decks.update_dict({**new, "conf": old["conf"]})
            self._learn(deck, did, known)
            self.merge()

    def _rename_decks(self) -> None:
        """Rename decks as their author did, unless the learner renamed them or put them elsewhere."""
        for old, new in sorted(self.update.renamed.items(), key=lambda each: each[1].count("::")):
            did = self.former[old] = self.decks.pop(old)
            if old in self.update.in_place:
                above, _, last = new.rpartition("::")
                name = f"{self._name_above(above)}::{last}" if above else last
                known = self._all_decks()
                while (other := self.col.decks.id_for_name(name)) and other != did:
                    name += "+"
                if self.col.decks.name(did) != name:
                    self.col.decks.rename(did, name)
                    self.merge()
                self._learn(new, did, known)
            self.decks[new] = did

    def _all_decks(self) -> set[int]:
        return {int(each.id) for each in self.col.decks.all_names_and_ids()}

    def _known_name(self, author: str) -> str:
        """Return the name here of a deck of the author's that is known, or an empty text."""
        known = {**self.above, **self.decks}
        deck = self.col.decks.get(known[author], default=False) if author in known else None
        return str(deck["name"]) if deck else ""

    def _local_name(self, author: str) -> str:
        """Return the name here of a deck for the author's cards; one of somebody else's stays alone."""
        decks = self.col.decks
        if author in self.decks and (name := self._known_name(author)):
            return name
        above, _, last = author.rpartition("::")
        name = f"{self._name_above(above)}::{last}" if above else last
        while (did := decks.id_for_name(name)) and not self._is_free(int(did)):
            name += "+"
        return name

    def _name_above(self, author: str) -> str:
        """Return the name here of a deck that gets decks of the author's below it; it may be anybody's."""
        if name := self._known_name(author):
            return name
        above, _, last = author.rpartition("::")
        name = f"{self._name_above(above)}::{last}" if above else last
        while (did := self.col.decks.id_for_name(name)) and self.col.decks.is_filtered(did):
            name += "+"
        return name

    def _is_free(self, did: int) -> bool:
        """Whether a deck can become one of the feed's: it is empty, and was nobody's before the update."""
        return did not in self.decks.values() and is_free(did, self.held)

    def _learn(self, author: str, did: int, known: AbstractSet[int]) -> None:
        """Remember a deck, and those above it, which are new unless they are among the `known` ones."""
        self.decks[author] = did
        name = self.col.decks.name(did)
        while "::" in author and "::" in name:
            (author, _, last), (name, _, shown) = author.rpartition("::"), name.rpartition("::")
            if deck_key(last) != deck_key(shown):
                return
            if not self._known_name(author):
                above = int(self.col.decks.id_for_name(name))
                is_own = above not in known or is_free(above, self.held)
                (self.decks if is_own and above not in self.decks.values() else self.above)[author] = above

    def _import(self, work: Path) -> None:
        """Add new notes and update untouched ones, which keeps their GUIDs, ids and times.

        Anki opens a package of our own, whose notes have the shape of this collection's own note types.
        """
        update, col = self.update, self.col
        untouched = [each.ours for each in update.plan.updates if each.in_package]
        here = {each.guid for each in untouched}
        sent = [*update.plan.new, *untouched]
        if not sent:
            return
        names = {deck: self._local_name(deck) for deck in {each.deck for each in sent}}
        notes = [
            self._as_here(each, self.held.notes[each.guid] if each.guid in here else None)._replace(
                deck=names[each.deck]
            )
            for each in sent
        ]
        types = [self._model(each) for each in sorted({int(each.row.note_type) for each in sent})]
        write_package(work, self.file, notes, types)
        options = {name: col.get_config(name) for name in _IMPORT_OPTIONS}
        condition = ImportAnkiPackageUpdateCondition
        request = ImportAnkiPackageRequest(
            package_path=str(work),
            options=ImportAnkiPackageOptions(
                merge_notetypes=False,
                update_notes=condition.IMPORT_ANKI_PACKAGE_UPDATE_CONDITION_IF_NEWER,
                update_notetypes=condition.IMPORT_ANKI_PACKAGE_UPDATE_CONDITION_NEVER,
                with_scheduling=False,
                with_deck_configs=False,
            ),
        )
        col.import_anki_package(request)
        col.models._clear_cache()  # noqa: SLF001 - Anki's Python keeps note types, and does not hear of it
        self.merge()
        for name, value in options.items():
            if col.get_config(name) != value:
                _ = col.remove_config(name) if value is None else col.set_config(name, value, undoable=True)
                self.merge()

    def _model(self, author: int) -> Mapping[str, Any]:
        """Return a note type for our package: the one here, or the author's if it is missing."""
        local = self.update.types[author]
        model = self.col.models.get(local)
        return {**model, "mod": 1} if model else self.update.source.package.types[author].in_anki(local)

    def _as_here(self, ours: Ours, there: HeldNote | None) -> ReleasedNote:
        """Return a note of the author's in the shape of the note type here; the learner's fields stay."""
        note = self.update.source.package.notes[ours.guid]
        places = self.update.fields[note.note_type]
        kept = there.fields if there else [""] * len(places)
        fields = [
            mine if place is None else ours.fields[place] for mine, place in zip(kept, places, strict=True)
        ]
        return note._replace(
            note_type=self.update.types[note.note_type],
            tags=ours.row.tags,
            text=FIELD_END.join(fields),
            cards=tuple(self._cards_here(note)),
        )

    def _cards_here(self, note: ReleasedNote) -> Iterator[ReleasedCard]:
        """Yield the cards of a note with the numbers of the templates here."""
        kind = self.update.source.package.types[note.note_type]
        there = self.held.types.get(self.update.types[note.note_type], kind)
        if there is kind or kind.is_cloze:
            yield from note.cards
            return
        places = template_places(kind, there)
        found = [
            card._replace(ordinal=places.index(card.ordinal)) for card in note.cards if card.ordinal in places
        ]
        yield from found or [note.cards[0]._replace(ordinal=0)]

    def _write_merged(self) -> None:
        """Write only the fields and tags that the author changed; the time becomes now."""
        notes = []
        for change in self.update.plan.updates:
            if change.in_package:
                continue
            note = self.col.get_note(change.theirs.nid)
            for number, place in enumerate(self.update.fields[int(change.ours.row.note_type)]):
                if place in change.written:
                    note.fields[number] = _with_media(self.col, change.text(place), self.file)
            note.tags = [*(tag for tag in note.tags if tag not in change.removed), *sorted(change.added)]
            notes.append(note)
        if notes:
            self.col.update_notes(notes)
            self.merge()

    def _write_look(self, author: int) -> None:
        """Replace templates and CSS, and rename the fields that the author renamed."""
        local = self.update.types[author]
        kind = self.update.source.package.types[author]
        look_ = with_look(self.held.types[local], kind, self.update.fields[author])
        model = self.col.models.get(local)
        model["css"] = look_.css
        for template, new in zip(model["tmpls"], look_.templates, strict=True):
            template.update(zip(("name", *_SIDES), new[1:], strict=True))
        for field, name in zip(model["flds"], look_.names, strict=True):
            field["name"] = name
        self.col.models.update_dict(model)
        self.merge()

    def _move_cards(self) -> None:
        """Move cards as the author did; those in a filtered deck stay there, and return to the new deck."""
        into: dict[str, list[int]] = defaultdict(list)
        for move in self.update.plan.moves:
            into[move.ours.deck] += move.cards
        filtered = {card.cid for note in self.held.notes.values() for card in note.cards if card.is_filtered}
        for deck, cids in into.items():
            did = self.decks[deck]
            if home := [cid for cid in cids if cid not in filtered]:
                self.col.set_deck(home, did)
                self.merge()
            if away := [self.col.get_card(cid) for cid in cids if cid in filtered]:
                for card in away:
                    card.odid = did
                self.col.update_cards(away)
                self.merge()

    def _retire(self, choice: str) -> None:
        """Suspend or delete the notes that the author removed and the learner did not edit."""
        clean = [each.note for each in self.update.retired if each.is_clean]
        if clean and choice == "suspend":
            self.col.sched.suspend_cards([card.cid for note in clean for card in note.cards])
            self.merge()
        elif clean and choice == "delete":
            self.col.remove_notes([note.nid for note in clean])
            self.deleted = {note.guid for note in clean}
            self.merge()

    def _bring_back(self) -> None:
        """Let the learner study cards again that an update suspended, whose notes the author brought back."""
        if cards := [cid for each in self.update.back for cid in each.cards]:
            self.col.sched.unsuspend_cards(cards)
            self.merge()

    def _describe(self) -> None:
        """Write the descriptions of decks, also of those that are new."""
        published = self.update.source.package.descriptions
        new = {name: published[name] for name in self.decks.keys() & published.keys()}
        before = self.update.subscription
        new = {
            name: each
            for name, each in new.items()
            if self.decks[name] not in {*before.decks.values(), *before.above.values()}
        }
        for name, (text, is_markdown, _) in sorted({**new, **self.update.descriptions}.items()):
            deck = self.col.decks.get(self.decks[name], default=False)
            if not deck or deck["dyn"] or deck["desc"] == text:
                continue
            if digest(deck["desc"]) in self.update.source.feed.descriptions:
                deck["desc"], deck["md"] = text, is_markdown
                self.col.decks.update_dict(deck)
                self.merge()

    def _replace_file(self, name: str) -> None:
        """Replace a file with a name of its own; Anki would give other content another name."""
        content = read_media(self.file, name)
        if content is not None:
            if self.held.files.get(name):
                self.col.media.trash_files([name])
            self.col.media.write_data(name, content)

    def _written_looks(self) -> Iterator[tuple[str, str]]:
        """Yield the looks that were written, as Anki has them now: it renames fields in all templates."""
        for each in self.update.plan.looks:
            yield each, look_of(_note_type(self.col.models.get(self.update.types[int(each)])))

    def _subscription(self, choices: Choices) -> Subscription:
        """Return the subscription after the update."""
        update, before = self.update, self.update.subscription
        back = {cid for each in update.back for cid in each.cards}
        still = {card.cid for note in self.held.notes.values() for card in note.cards if card.is_suspended}
        decks = self._all_decks()
        now = self.decks.keys() | {note.deck for note in update.source.package.notes.values()}
        return replace(
            update.after,
            notes=self._notes(is_imported=True),
            decks={name: did for name, did in self.decks.items() if did in decks},
            former={name: did for name, did in self.former.items() if did in decks and name not in now},
            guests=[did for did in before.guests if did in self.decks.values()],
            above={name: did for name, did in self.above.items() if did in decks and name not in self.decks},
            looks={**update.after.looks, **dict(self._written_looks())},
            suspended=sorted({*self._newly_suspended(choices)} | {*before.suspended} & still - back),
            waiting={guid: each for guid, each in update.after.waiting.items() if guid not in self.deleted},
        )


def _with_media(col: Collection, text: str, file: Path) -> str:
    """Add the media of a field to the collection, and return the field with the names that they got."""

    def given(name: str) -> str:
        content = read_media(file, name)
        return name if content is None else str(col.media.write_data(name, content))

    return rename_media(text, given)


def differences(col: Collection, source: FeedSource) -> Sequence[Difference]:
    """Return the fields in which learner and author differ, those that wait first."""
    subscription = subscriptions(col).get(source.feed.id)
    return find_differences(source, read_held(col, source), subscription) if subscription else ()


def keep_mine(col: Collection, feed_id: str, differences: Sequence[Difference], title: str) -> OpChanges:
    """Keep the learner's texts: the fields wait no longer. One undo step with this title."""
    step = _Step(col, title)
    _decided(col, feed_id, differences)
    step.merge()
    return step.changes


def dangers_of(col: Collection, differences: Iterable[Difference]) -> tuple[Danger, ...]:
    """Return the dangers that the author's texts of fields would bring."""
    chosen: dict[int, list[Difference]] = defaultdict(list)
    for each in differences:
        chosen[each.nid].append(each)
    pairs, known, kinds = [], list[str](), list[AnkiNoteType]()
    for nid, parts in chosen.items():
        note = col.get_note(nid)
        kind = _note_type(col.models.get(note.mid))
        before = ShownNote(kind, tuple(note.fields), " ".join(note.tags))
        texts = list(note.fields)
        for each in parts:
            texts[each.number] = each.authors
        pairs.append((before._replace(fields=tuple(texts)), before))
        known += note.fields
        kinds.append(kind)
    with showing() as show:
        return find_dangers(pairs, (), (), ReleasedFiles((), {}), known=KnownTexts(known, kinds), show=show)


def take_authors(
    col: Collection,
    source: FeedSource,
    file: Path,
    differences: Sequence[Difference],
    title: str,
    *,
    trusts: bool = False,
) -> OpChanges:
    """Replace the learner's texts of fields by the author's. One undo step with this title.

    Raises:
        RefusedUpdateError: the texts bring dangers, and the learner does not trust them.

    """
    if not trusts and dangers_of(col, differences):
        raise RefusedUpdateError(Refusal.DANGER)
    step = _Step(col, title)
    notes = {nid: col.get_note(nid) for nid in {each.nid: None for each in differences}}
    for each in differences:
        notes[each.nid].fields[each.number] = _with_media(col, each.authors, file)
    col.update_notes([*notes.values()])
    step.merge()
    _decided(col, source.feed.id, differences)
    step.merge()
    return step.changes


def _decided(col: Collection, feed_id: str, differences: Iterable[Difference]) -> None:
    settled = {(each.guid, each.key) for each in differences}

    def decided(before: Subscription) -> Subscription:
        left = {
            guid: [key for key in keys if (guid, key) not in settled] for guid, keys in before.waiting.items()
        }
        return replace(before, waiting={guid: keys for guid, keys in left.items() if keys})

    _change(col, feed_id, decided)


def _change(col: Collection, feed_id: str, changed: Callable[[Subscription], Subscription]) -> OpChanges:
    """Change a subscription in Anki's configuration, unless it is not there any more."""
    subscription = subscriptions(col).get(feed_id)
    if subscription is None:
        return OpChanges()
    return col.set_config(_KEY + feed_id, as_json(changed(subscription)), undoable=True)


def change_address(col: Collection, feed_id: str, address: str) -> OpChanges:
    """Follow a deck at another address from now on."""
    return _change(col, feed_id, lambda before: replace(before, address=address))


def unfollow(col: Collection, feed_id: str) -> OpChanges:
    """Forget a subscription; its notes stay."""
    return col.remove_config(_KEY + feed_id)


def feed_of(col: Collection, note: Note) -> str | None:
    """Return the id of the feed whose note this may be, by its note type."""
    for feed_id, each in subscriptions(col).items():
        if note.mid in each.types.values():
            return feed_id
    return None
