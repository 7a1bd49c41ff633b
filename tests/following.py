"""An author who releases with the real writers, and a learner who follows them in the real Anki."""

import hashlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from anki.collection import Collection

from addon.collection import Applied, Choices, apply_update, look, subscriptions
from addon.network import edition_of
from ptcards.extensions.publish.release.feed import append, format_feed, since_when
from ptcards.extensions.publish.release.published import read_package_file, read_published
from ptcards.extensions.publish.subscription.feed import Feed, FeedEdition, PackageFile, read_feed
from ptcards.extensions.publish.subscription.package import read_package
from ptcards.extensions.publish.subscription.state import Subscription
from ptcards.extensions.publish.subscription.update import DeckUpdate, FeedSource
from ptcards.notes.notetypes import Field, NoteType, Template
from ptcards.notes.rendered import FIELD_END, Deck, Media, Row
from ptcards.writers.apkg import write_package

ADDRESS = "https://geo.example/deck/deck.json"
START = 1_700_000_000
TITLE = "Update Geo"


def geo_type(**changes: Any) -> NoteType:
    """Return a note type with three fields and a card, or two if `Extra` is filled."""
    fields = (Field("Front", 11), Field("Back", 12), Field("Extra", 13))
    templates = (
        Template("Card 1", 21, "{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}"),
        Template("Card 2", 22, "{{#Extra}}{{Back}}{{/Extra}}", "{{FrontSide}}{{Front}}"),
    )
    return replace(
        NoteType("geo", 1_600_000_000_001, "Geo", fields, templates, ".card {}", is_own=True), **changes
    )


@dataclass(frozen=True)
class Written:
    """A note as its author has it now."""

    fields: tuple[str, ...]
    deck: str
    tags: str
    mod: int


@dataclass
class Author:
    """Releases packages and feeds into a folder; `notes` are by GUID, `editions` are GUIDs."""

    folder: Path
    id: str = "b3f6a1d8"
    name: str = "Geo"
    note_type: NoteType = field(default_factory=geo_type)
    notes: dict[str, Written] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    media: dict[str, bytes] = field(default_factory=dict)
    address: str = ADDRESS
    editions: dict[str, set[str]] = field(default_factory=dict)
    feed: Feed | None = None
    time: int = START
    type_mod: int = START

    def put(self, guid: str, *fields: str, deck: str = "", tags: str | None = None) -> None:
        """Write or rewrite a note; what is not given stays."""
        before = self.notes.get(guid, Written((), "Geo", "", 0))
        self.time += 10
        texts = fields or before.fields
        texts = (*texts, *[""] * (len(self.note_type.fields) - len(texts)))
        is_same = texts == before.fields and tags in (None, before.tags)
        mod = before.mod if is_same else self.time
        self.notes[guid] = Written(texts, deck or before.deck, before.tags if tags is None else tags, mod)

    def reshape(self, *fields: Field) -> None:
        """Change the fields of the note type; what the notes have in them stays, found by the fields' ids."""
        before = [each.id for each in self.note_type.fields]
        self.note_type = replace(self.note_type, fields=fields)
        self.type_mod += 10
        for guid, note in self.notes.items():
            texts = dict(zip(before, note.fields, strict=True))
            self.notes[guid] = replace(note, fields=tuple(texts.get(each.id, "") for each in fields))

    def drop(self, guid: str) -> None:
        """Retire a note."""
        del self.notes[guid]

    @property
    def file(self) -> Path:
        """The newest package."""
        assert self.feed
        return self.folder / self.feed.package.url

    @property
    def source(self) -> FeedSource:
        """What a learner loads of the newest release."""
        return source_of(self.folder, self.address)

    def release(self, version: str) -> FeedSource:
        """Publish the notes as they are, and return what a learner loads."""
        self.folder.mkdir(exist_ok=True)
        parts = {"": {*self.notes}, **self.editions}
        files = {
            name: self._write("-".join(filter(None, (self.id, name, version))), guids)
            for name, guids in parts.items()
        }
        packages = {name: read_package_file(file, file.name) for name, file in files.items()}
        before = self.feed or Feed(self.id, self.name, PackageFile("", 0, "0" * 64))
        self.time += 10
        feed = append(before, version, self.time, read_published(*files.values()))
        editions = {
            name: FeedEdition(name.title() or self.name, packages[name], since_when(before, name, guids))
            for name, guids in self.editions.items()
        }
        self.feed = replace(feed, package=packages[""], editions=editions)
        (self.folder / "deck.json").write_bytes(format_feed(self.feed))
        return source_of(self.folder, self.address)

    def _write(self, name: str, guids: AbstractSet[str]) -> Path:
        """Write a package with some of the notes."""
        file = self.folder / f"{name}.apkg"
        names = {level for note in self.notes.values() for level in levels(note.deck)}
        media = {name: self._media(name, content) for name, content in self.media.items()}
        write_package(
            path=file,
            note_types=[(self.note_type, self.type_mod)],
            decks=[Deck(name, self.descriptions.get(name, "")) for name in sorted(names)],
            rows=[
                (guid, note.mod, self._row(note, media)) for guid, note in self.notes.items() if guid in guids
            ],
            newest=self.time,
            look_media=[media[name] for name in media if name.startswith("_")],
        )
        return file

    def _row(self, note: Written, media: Mapping[str, Media]) -> Row:
        fields = (*note.fields, *[""] * (len(self.note_type.fields) - len(note.fields)))
        used = tuple(each for name, each in media.items() if any(name in text for text in note.fields))
        texts = {each.id: text for each, text in zip(self.note_type.fields, fields, strict=True)}
        ordinals = tuple(
            number
            for number, each in enumerate(self.note_type.templates)
            if each.id != 22 or texts.get(13)  # the second card needs an Extra
        )
        return Row(note.deck, "geo", note.tags, FIELD_END.join(fields), None, ordinals, used)

    def _media(self, name: str, content: bytes) -> Media:
        path = self.folder / f"media-{name}"
        path.write_bytes(content)
        return Media(name, path, hashlib.sha256(content).hexdigest(), name)


def source_of(folder: Path, address: str = ADDRESS) -> FeedSource:
    """Return what a learner loads from a folder with a release."""
    feed = read_feed((folder / "deck.json").read_bytes()).of_edition(edition_of(address))
    return FeedSource(address, feed, read_package(folder / feed.package.url))


def levels(deck: str) -> list[str]:
    """Return a deck and the decks above it."""
    parts = deck.split("::")
    return ["::".join(parts[: depth + 1]) for depth in range(len(parts))]


class Releasing(Protocol):
    """Somebody who releases a deck with this id; `file` is the newest package."""

    @property
    def id(self) -> str: ...

    @property
    def file(self) -> Path: ...


@dataclass
class Follower:
    """A learner with a subscription."""

    col: Collection
    author: Releasing
    work: Path

    def look(self, source: FeedSource, **options: Any) -> DeckUpdate:
        return look(self.col, source, **options)

    def update(self, source: FeedSource, **choices: Any) -> Applied:
        """Apply a release with the buttons of the list."""
        file, given = self.author.file.with_name(source.feed.package.url), Choices(**choices)
        return apply_update(self.col, source, file, given, work=self.work, title=TITLE)

    @property
    def subscription(self) -> Subscription:
        return subscriptions(self.col)[self.author.id]

    def nid(self, guid: str) -> Any:
        assert self.col.db
        return self.col.db.scalar("select id from notes where guid = ?", guid)

    def fields(self, guid: str) -> list[str]:
        return list(self.col.get_note(self.nid(guid)).fields)

    def tags(self, guid: str) -> list[str]:
        return sorted(self.col.get_note(self.nid(guid)).tags)

    def edit(self, guid: str, **fields: str) -> None:
        note = self.col.get_note(self.nid(guid))
        for name, text in fields.items():
            note[name] = text
        self.col.update_note(note)

    def tag(self, guid: str, add: str = "", remove: str = "") -> None:
        note = self.col.get_note(self.nid(guid))
        note.tags = [tag for tag in note.tags if tag not in remove.split()] + add.split()
        self.col.update_note(note)

    def cards(self, guid: str) -> list[Any]:
        return list(self.col.get_note(self.nid(guid)).cards())

    def delete(self, guid: str) -> None:
        self.col.remove_notes([self.nid(guid)])

    def move(self, guid: str, deck: str) -> None:
        self.col.set_deck([card.id for card in self.cards(guid)], self.col.decks.id(deck))

    def decks(self, guid: str) -> list[str]:
        """The home decks of the cards of a note."""
        return [self.col.decks.name(card.odid or card.did) for card in self.cards(guid)]

    def rename(self, deck: str, name: str) -> None:
        self.col.decks.rename(self.col.decks.id_for_name(deck), name)

    def everything(self) -> Any:
        """All that an undo must restore."""
        database = self.col.db
        assert database
        decks = [self.col.decks.get(each.id) for each in self.col.decks.all_names_and_ids()]
        models = [self.col.models.get(each.id) for each in self.col.models.all_names_and_ids()]
        return (
            database.all("select id, guid, mid, mod, tags, flds from notes order by id"),
            database.all(
                "select id, nid, did, ord, odid, queue, type, due, ivl, reps from cards order by id"
            ),
            database.all("select * from revlog order by id"),
            [_without_times(each) for each in decks],
            [_without_times(each) for each in models],
            self.col.all_config(),
        )


def _without_times(value: Mapping[str, Any]) -> dict[str, Any]:
    # A copy, because Anki's Python keeps note types, and whoever writes one changes it first.
    return {key: deepcopy(each) for key, each in value.items() if key not in ("mod", "usn")}
