"""Random authors and learners: every update in the real Anki is compared with what the rules promise.

The rules are written here once more, from the learner's point of view: this model remembers what the learner
received, which the add-on has to read from the feed.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anki.scheduler_pb2 import CardAnswer

from addon.collection import differences, keep_mine, take_authors
from addon.listing import lines_of
from anki_backend import answer, import_package, learner
from following import Author, Follower, Written, geo_type, levels
from ptcards.extensions.publish.subscription.update import how_changed
from ptcards.notes.notetypes import Field, Template

TAGS = ("one", "two", "three", "four")
LEAVES = ("Alpha", "Beta", "Gamma", "Delta")
PLACES = range(3)
IDS = (11, 12, 13)
"""The ids of the fields that are compared, in the order in which this model has them."""
EXTRA = 2
SCHEDULE = "cards.type, due, ivl, factor, reps, lapses, left, odue, cards.flags, cards.data"
AUTHOR = {"edit": 6, "tag": 2, "move": 3, "add": 2, "retire": 2, "revive": 3, "rename": 1, "rename_root": 1}
AUTHOR |= {"render": 1, "restyle": 1, "describe": 1, "revert": 1, "gather": 1}
AUTHOR |= {"reorder": 1, "insert": 1, "remove": 1, "rename_field": 1, "templates": 1}
LEARNER = {
    "edit": 6,
    "go_back": 1,
    "tag": 3,
    "untag": 2,
    "delete": 2,
    "move": 3,
    "rename_deck": 1,
    "review": 2,
}
LEARNER |= {
    "suspend": 1,
    "flag": 1,
    "restyle": 1,
    "describe": 1,
    "own_note": 2,
    "cram": 1,
    "decide": 1,
    "import": 2,
}


@dataclass
class WorldTally:
    """What was done, and what differed from the rules."""

    worlds: int = 0
    updates: int = 0
    notes: int = 0
    fields: int = 0
    merged: int = 0
    conflicts: int = 0
    undone: int = 0
    imported: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: "WorldTally") -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass
class Mine:
    """A note as it should be in the learner's collection; `deck` is a number, whose name may change.

    `mod` is the author's time; it is 0 once somebody else wrote the note.
    """

    fields: list[str]
    tags: set[str]
    deck: int
    mod: int
    is_suspended: bool = False
    by_update: bool = False
    is_flagged: bool = False


@dataclass
class Model:
    """What the learner has: `received` is what the author gave, and `last` the notes of the last release.

    `former` are the decks by names that the author replaced and has not used again: notes that were removed
    then may come back.
    """

    notes: dict[str, Mine] = field(default_factory=dict)
    received: dict[str, Written] = field(default_factory=dict)
    last: set[str] = field(default_factory=set)
    decks: dict[str, int] = field(default_factory=dict)
    above: dict[str, int] = field(default_factory=dict)
    former: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    renamed: set[int] = field(default_factory=set)
    waiting: dict[str, set[int]] = field(default_factory=dict)
    css: str = ""
    description: str = ""
    has_own_look: bool = False
    has_own_description: bool = False


class World:
    """One author, one learner, and a few releases."""

    def __init__(self, seed: int, folder: Path, tally: WorldTally) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.tally = tally
        self.folder = folder
        self.author = Author(folder / "dist", name="D")
        self.root = "D"
        self.layout = geo_type()
        """The note type as it is published; this model's texts keep the order of `IDS`."""
        self.layout_here: tuple[Any, ...] | None = None
        self.retired: dict[str, Written] = {}
        self.published: dict[str, list[Written]] = {}
        self.releases: list[dict[str, Written]] = []
        self.count = 0
        self.model = Model()
        self.log: list[str] = []
        self.unsure: dict[str, tuple[int, int]] = {}
        """After imports: the earliest time and number of publications that an edit may have begun with."""
        self.at_update: set[str] = set()
        self.by_hand: set[str] = set()
        """The notes that were here after the last update, and those that only an import brought."""
        self.imported: set[str] = set()
        """The names of decks of packages that were imported since the last update."""

    def run(self, releases: int) -> None:
        for _ in range(self.chance.randrange(4, 11)):
            self.author_add()
        self.author_describe()
        with learner(self.folder / "learner") as col:
            self.anna = Follower(col, self.author, self.folder / "work.apkg")
            source = self.publish()
            if self.chance.random() < 0.4:
                self.import_by_hand()
            for _ in range(releases):
                if self.chance.random() < 0.7:
                    self.update(source)
                self.do("learner", LEARNER, self.chance.randrange(5))
                self.do("author", AUTHOR, self.chance.randrange(1, 6))
                source = self.publish()
            self.update(source)
        self.tally.worlds += 1

    def do(self, who: str, events: Mapping[str, int], count: int) -> None:
        if who == "learner" and not self.model.last:
            return
        for event in self.chance.choices(list(events), list(events.values()), k=count):
            self.log.append(f"{who}: {event}")
            getattr(self, f"{who}_{event}")()

    def text(self, who: str) -> str:
        self.count += 1
        return f"{who} {self.count}"

    # What the author does.

    def some_of_author(self) -> str:
        return self.chance.choice(sorted(self.author.notes)) if self.author.notes else ""

    def deck(self) -> str:
        return self.chance.choice((self.root, *(f"{self.root}::{leaf}" for leaf in LEAVES[:3])))

    def author_add(self) -> None:
        extra = self.chance.choice(("", self.text("extra"))) if self.has_extra else ""
        fields = (self.text("front"), self.text("back"), extra)
        tags = " ".join(sorted(self.chance.sample(TAGS, 2)))
        self.author.put(f"author-{self.count}", *fields, deck=self.deck(), tags=tags)

    def author_edit(self) -> None:
        if guid := self.some_of_author():
            fields = list(self.author.notes[guid].fields)
            place = self.chance.choice(PLACES)
            # A third field makes a second card, which would stay if the field became empty again.
            fields[place] = self.text("changed") if place < 2 or fields[2] else ""
            self.author.put(guid, *fields)

    def author_tag(self) -> None:
        if guid := self.some_of_author():
            self.author.put(guid, tags=" ".join(sorted(self.chance.sample(TAGS, self.chance.randrange(4)))))

    def author_move(self) -> None:
        if guid := self.some_of_author():
            self.author.put(guid, deck=self.deck())

    def author_gather(self) -> None:
        """Rename a deck, and move a note into it in the same release."""
        self.author_rename()
        self.author_move()

    @property
    def has_extra(self) -> bool:
        return 13 in [each.id for each in self.layout.fields]

    def lay_out(self, *fields: Field) -> None:
        """Change the fields of the note type, with templates that use them."""
        names = {each.id: each.name for each in fields}
        front, back, extra = (names.get(each, "") for each in IDS)
        templates = [
            Template("Card 1", 21, f"{{{{{front}}}}}", f"{{{{FrontSide}}}}<hr id=answer>{{{{{back}}}}}")
        ]
        if extra:
            side = f"{{{{#{extra}}}}}{{{{{back}}}}}{{{{/{extra}}}}}"
            templates.append(Template("Card 2", 22, side, f"{{{{FrontSide}}}}{{{{{front}}}}}"))
        self.layout = replace(self.layout, fields=fields, templates=tuple(templates))
        self.author.type_mod += 10

    def author_reorder(self) -> None:
        fields = [*self.layout.fields]
        self.chance.shuffle(fields)
        self.lay_out(*fields)

    def author_insert(self) -> None:
        fields = [*self.layout.fields]
        if not self.has_extra:
            fields.append(Field("Extra", 13))
            self.touch()
        else:
            fields.insert(self.chance.randrange(len(fields)), Field(self.text("Field"), 1_000 + self.count))
        self.lay_out(*fields)

    def author_remove(self) -> None:
        """Remove a field: one that an insertion brought, or Extra, if the learner's note type has it."""
        others = [each for each in self.layout.fields if each.id not in IDS]
        gone = self.chance.choice(others or [each for each in self.layout.fields if each.id == 13] or [None])
        if gone and (gone.id != 13 or self.layout_here):
            self.lay_out(*(each for each in self.layout.fields if each != gone))
            if gone.id == 13:
                self.touch()

    def touch(self) -> None:
        """Set the time of the notes with an Extra to now: their content is another one."""
        self.author.time += 10
        for guid, note in self.author.notes.items():
            if note.fields[EXTRA]:
                self.author.notes[guid] = replace(note, mod=self.author.time)

    def author_rename_field(self) -> None:
        fields = [*self.layout.fields]
        place = self.chance.randrange(len(fields))
        fields[place] = fields[place]._replace(name=self.text("Name"))
        self.lay_out(*fields)

    def author_templates(self) -> None:
        """Reorder the templates, or add one that the learner's note type lacks."""
        templates = [*self.layout.templates]
        self.chance.shuffle(templates)
        if self.chance.random() < 0.5:
            name = self.layout.fields[[each.id for each in self.layout.fields].index(12)].name
            templates.append(Template(self.text("Card"), 1_000 + self.count, f"{{{{{name}}}}}", "x"))
        self.layout = replace(self.layout, templates=tuple(templates))
        self.author.type_mod += 10

    def author_retire(self) -> None:
        if len(self.author.notes) > 1:
            guid = self.some_of_author()
            self.retired[guid] = self.author.notes[guid]
            self.author.drop(guid)

    def author_revive(self) -> None:
        if self.retired:
            guid = self.chance.choice(sorted(self.retired))
            note = self.retired.pop(guid)
            _, mark, leaf = note.deck.partition("::")
            self.author.notes[guid] = Written(note.fields, self.root + mark + leaf, note.tags, note.mod)
            if self.chance.random() < 0.5:
                self.author.put(guid, tags=" ".join(sorted(self.chance.sample(TAGS, 2))))

    def author_revert(self) -> None:
        if guid := self.some_of_author():
            earlier = self.chance.choice(self.published.get(guid, [self.author.notes[guid]]))
            if bool(earlier.fields[2]) == bool(self.author.notes[guid].fields[2]):
                self.author.put(guid, *earlier.fields, tags=earlier.tags)

    def author_render(self) -> None:
        """Another renderer: all texts differ, and no time does."""
        for guid, note in self.author.notes.items():
            fields = tuple(f"{text}." if text else "" for text in note.fields)
            self.author.notes[guid] = Written(fields, note.deck, note.tags, note.mod)

    def author_rename(self) -> None:
        old = self.deck()
        names = [f"{self.root}::{leaf}" for leaf in LEAVES]
        new = self.chance.choice(names)
        if old != self.root and new not in {note.deck for note in self.author.notes.values()}:
            for guid in [guid for guid, note in self.author.notes.items() if note.deck == old]:
                self.author.put(guid, deck=new)

    def author_rename_root(self) -> None:
        old, self.root = self.root, f"{self.root[0]}{self.count}"
        for guid, note in list(self.author.notes.items()):
            self.author.put(guid, deck=self.root + note.deck.removeprefix(old))

    def author_restyle(self) -> None:
        self.layout = replace(self.layout, css=f".c{self.text('')} {{}}")
        self.author.type_mod += 10

    def author_describe(self) -> None:
        self.author.descriptions = {self.root: self.text("about")}

    def publish(self) -> Any:
        self.author.descriptions = {self.root: next(iter(self.author.descriptions.values()))}
        notes, kind = dict(self.author.notes), self.author.note_type
        self.now = notes if self.has_extra else {guid: _without_extra(note) for guid, note in notes.items()}
        for guid, note in self.now.items():
            self.published.setdefault(guid, []).append(note)
        self.releases.append(self.now)
        version = str(len(self.author.feed.releases) + 1 if self.author.feed else 1)
        self.log.append(f"release {version}: {', '.join(each.name for each in self.layout.fields)}")
        self.author.note_type = replace(kind, css=self.layout.css, templates=self.layout.templates)
        self.author.reshape(*self.layout.fields)
        self.author.type_mod -= 10
        source = self.author.release(version)
        self.author.notes, self.author.note_type = dict(notes), kind
        return source

    # What the learner does, in Anki and in the model.

    def some_of_learner(self) -> str:
        return self.chance.choice(sorted(self.model.notes)) if self.model.notes else ""

    def learner_edit(self) -> None:
        if guid := self.some_of_learner():
            place = self.chance.choice(PLACES[:2])
            self.write(guid, place, self.text("mine"))

    def learner_go_back(self) -> None:
        if guid := self.some_of_learner():
            place = self.chance.choice(PLACES[:2])
            self.write(guid, place, self.chance.choice(self.published[guid]).fields[place])

    def write(self, guid: str, place: int, text: str) -> None:
        note = self.anna.col.get_note(self.anna.nid(guid))
        note.fields[self.field_ids(note).index(IDS[place])] = text
        self.anna.col.update_note(note)
        mine = self.model.notes[guid]
        if mine.fields[place] != text:  # Anki does not write a note that did not change
            mine.fields[place] = text
            mine.mod = 0

    @staticmethod
    def field_ids(note: Any) -> list[int]:
        return [each["id"] for each in note.note_type()["flds"]]

    def texts(self, guid: str) -> list[str]:
        """The texts of a note in the order of `IDS`."""
        note = self.anna.col.get_note(self.anna.nid(guid))
        places = self.field_ids(note)
        return [note.fields[places.index(each)] for each in IDS]

    def learner_flag(self) -> None:
        if guid := self.some_of_learner():
            self.anna.col.set_user_flag_for_cards(3, [self.anna.cards(guid)[0].id])
            self.model.notes[guid].is_flagged = True

    def learner_tag(self) -> None:
        if guid := self.some_of_learner():
            tag = self.chance.choice((*TAGS, "leech", "marked", "own"))
            self.anna.tag(guid, add=tag)
            self.model.notes[guid].tags.add(tag)
            self.model.notes[guid].mod = 0

    def learner_untag(self) -> None:
        if guid := self.some_of_learner():
            tag = self.chance.choice(TAGS)
            self.anna.tag(guid, remove=tag)
            mine = self.model.notes[guid]
            if tag in mine.tags:
                mine.tags.discard(tag)
                mine.mod = 0

    def learner_delete(self) -> None:
        if guid := self.some_of_learner():
            self.anna.delete(guid)
            del self.model.notes[guid]
            self.model.waiting.pop(guid, None)

    def learner_move(self) -> None:
        if guid := self.some_of_learner():
            deck = self.chance.choice(sorted(self.model.names))
            self.anna.move(guid, self.model.names[deck])
            self.model.notes[guid].deck = deck

    def learner_rename_deck(self) -> None:
        if not self.model.decks:
            return
        deck = self.model.decks[self.chance.choice(sorted(self.model.decks))]
        old, new = self.model.names[deck], self.chance.choice(("", "School::")) + self.text("My deck")
        self.anna.rename(old, new)
        self.renamed(old, new)
        self.model.renamed.add(deck)

    def renamed(self, old: str, new: str) -> None:
        """Rename a deck in the model, with its subdecks; Anki makes the decks above."""
        for number, name in self.model.names.items():
            if name == old or name.startswith(f"{old}::"):
                self.model.names[number] = new + name.removeprefix(old)
        self.know_decks()

    def know_decks(self) -> None:
        """Number the decks of Anki that have none yet."""
        known = {*self.model.names.values()}
        for each in self.anna.col.decks.all_names_and_ids(skip_empty_default=True, include_filtered=False):
            if each.name not in known:
                self.model.names[max(self.model.names, default=0) + 1] = each.name

    def learner_review(self) -> None:
        if guid := self.some_of_learner():
            for card in self.anna.cards(guid):
                if card.queue >= 0:
                    answer(self.anna.col, card.id, self.chance.choice((CardAnswer.AGAIN, CardAnswer.GOOD)))

    def learner_suspend(self) -> None:
        if guid := self.some_of_learner():
            self.anna.col.sched.suspend_cards([card.id for card in self.anna.cards(guid)])
            self.model.notes[guid].is_suspended = True

    def learner_restyle(self) -> None:
        col = self.anna.col
        own = col.models.get(self.anna.subscription.types[str(self.author.note_type.id)])
        own["css"] = self.model.css = f".mine{self.text('')} {{}}"
        self.model.has_own_look = True
        col.models.update_dict(own)

    def learner_describe(self) -> None:
        if self.root_deck():
            deck = self.root_deck()
            deck["desc"] = self.model.description = self.text("my words")
            self.model.has_own_description = True
            self.anna.col.decks.save(deck)

    def root_deck(self) -> Any:
        did = self.anna.subscription.decks.get(self.last_root) if self.model.last else None
        return self.anna.col.decks.get(did, default=False) if did else None

    def learner_own_note(self) -> None:
        """Add a note of the learner's own, perhaps in a deck that the author will have later."""
        name = self.chance.choice((*self.model.names.values(), *(f"{self.root}::{leaf}" for leaf in LEAVES)))
        note = self.anna.col.new_note(self.anna.col.models.by_name("Basic"))
        note.fields = [self.text("own"), "text"]
        self.anna.col.add_note(note, self.anna.col.decks.id(name))
        self.know_decks()

    def learner_cram(self) -> None:
        if guid := self.some_of_learner():
            col = self.anna.col
            deck = col.decks.get(col.decks.new_filtered(self.text("Cram")))
            deck["terms"] = [[f"nid:{self.anna.nid(guid)}", 10, 0]]
            col.decks.save(deck)
            col.sched.rebuild_filtered_deck(deck["id"])

    def learner_decide(self) -> None:
        """Decide about a text that waits; the newest package must be the one that was applied."""
        if self.source is None or self.anna.subscription.release != self.source.feed.newest.time:
            return
        waiting = [each for each in differences(self.anna.col, self.source) if each.waits]
        if waiting:
            each = self.chance.choice(waiting)
            if self.chance.random() < 0.5:
                keep_mine(self.anna.col, self.author.id, [each], "Keep Mine")
            else:
                take_authors(self.anna.col, self.source, self.author.file, [each], "Take")
                self.model.notes[each.guid].fields[IDS.index(each.key)] = each.authors
                self.model.notes[each.guid].mod = 0
            self.model.waiting[each.guid].discard(IDS.index(each.key))

    source: Any = None
    applied = 0
    """The number of the release that was applied last."""
    last_root = ""

    def import_by_hand(self) -> None:
        """Import the first package by hand, and learn before following the feed."""
        import_package(self.anna.col, self.author.file)
        self.layout_here = self.layout.fields, self.layout.templates
        self.know_decks()
        numbers = {name: number for number, name in self.model.names.items()}
        for guid, note in self.now.items():
            self.model.notes[guid] = Mine([*note.fields], {*note.tags.split()}, numbers[note.deck], note.mod)
            self.model.received[guid] = note
        self.model.decks = numbers
        self.model.css, self.model.description = (
            self.layout.css,
            self.author.descriptions[self.root],
        )
        for guid in self.chance.sample(sorted(self.author.notes), len(self.author.notes) // 3):
            self.chance.choice((self.edit_one, self.tag_one, self.delete_one))(guid)

    def edit_one(self, guid: str) -> None:
        self.write(guid, self.chance.choice(PLACES[:2]), self.text("mine"))

    def tag_one(self, guid: str) -> None:
        self.anna.tag(guid, add="own")
        self.model.notes[guid].tags.add("own")
        self.model.notes[guid].mod = 0

    def delete_one(self, guid: str) -> None:
        self.anna.delete(guid)
        del self.model.notes[guid]

    def learner_import(self) -> None:
        """Import the newest package by hand: texts come unless they were edited, and cards stay."""
        model, notes = self.model, self.now
        if self.layout_here != (self.layout.fields, self.layout.templates):
            return  # Anki would copy the note type
        import_package(self.anna.col, self.author.file)
        self.know_decks()
        numbers = {name: number for number, name in model.names.items()}
        for guid, ours in notes.items():
            mine, before = model.notes.get(guid), model.received.get(guid)
            first, _ = self.unsure.get(guid, (before.mod if before else 0, 0))
            self.unsure[guid] = first, len(self.published[guid])
            if mine is None:
                model.notes[guid] = Mine([*ours.fields], {*ours.tags.split()}, numbers[ours.deck], ours.mod)
                self.by_hand |= {guid} - self.at_update
            elif mine.mod and mine.mod < ours.mod:
                mine.fields, mine.tags, mine.mod = [*ours.fields], {*ours.tags.split()}, ours.mod
            else:
                continue
            model.received[guid] = replace(ours, deck=before.deck) if before else ours
        self.imported |= {level for note in notes.values() for level in levels(note.deck)}
        # Anki replaces the looks and descriptions that are older.
        kind = self.anna.col.models.get(self.author.note_type.id)
        if kind and kind["css"] == self.layout.css:
            model.css, model.has_own_look = kind["css"], False
        if self.root_deck() and self.root_deck()["desc"] == self.author.descriptions[self.root]:
            model.description, model.has_own_description = self.root_deck()["desc"], False
        self.tally.imported += 1

    def adopt_decks(self) -> None:
        """Know the decks that imports by hand made, unless they have cards of the learner's own notes."""
        numbers = {name: number for number, name in self.model.names.items()}
        # By their ids, because the author may have renamed them in the same update.
        known = {*self.anna.subscription.decks.values()}
        for name in sorted(self.imported - self.model.decks.keys()):
            number = numbers.get(name, 0)
            is_free = number not in self.model.decks.values() and not self.own_cards.get(name)
            if number and is_free and self.ids_before.get(name) in known:
                self.model.decks[name] = number
        self.imported = set()

    def merge_unsure(self, guid: str, mine: Mine, ours: Written, update: Any) -> set[int]:
        """Merge an edited note of which packages were imported: nothing tells which of them was edited.

        The result must be that of one of them, or that without any, if no update brought the note.
        """
        base = self.model.received[guid]
        first, count = self.unsure.pop(guid)
        bases = [each for each in self.published[guid][:count] if each.mod >= first]
        found = self.texts(guid), {*self.anna.tags(guid)}
        waiting = self.conflicts_of(update).get(guid, set())
        trials = []
        for each in (base, *bases):
            trial = replace(mine, fields=[*mine.fields])
            trials.append((trial, self.merge(guid, trial, replace(each, deck=base.deck), ours)))
        if guid not in self.model.last:
            waits = {place for place in self.places if self.waits(guid, place)}
            trials.append((replace(mine, tags=mine.tags | {*ours.tags.split()}), waits))
        right = (each for each in trials if (each[0].fields, each[0].tags, each[1]) == (*found, waiting))
        trial, waits = next(right, trials[0])
        mine.fields, mine.tags = trial.fields, trial.tags
        return waits

    @property
    def places(self) -> range:
        """The places of the fields that the author's note type has now."""
        return PLACES if self.has_extra else PLACES[:EXTRA]

    def conflicts_of(self, update: Any) -> dict[str, set[int]]:
        keys = [each.id for each in self.layout.fields]
        return {
            each.ours.guid: {IDS.index(keys[place]) for place in each.conflicts}
            for each in update.plan.conflicts
        }

    # An update, and what it should do.

    def update(self, source: Any) -> None:
        self.source = source
        before = self.anna.everything()
        move, retired = self.chance.random() < 0.8, self.chance.choice(("suspend", "keep", "delete"))
        self.log.append(f"update to {source.feed.newest.version} move={move} {retired}")
        if self.chance.random() < 0.15:
            self.anna.update(source, move=move, retired=retired, adopt=True)
            self.anna.col.undo()
            self.anna.col.models._clear_cache()
            self.expect("undo", self.anna.everything(), before)
            self.tally.undone += 1
        schedule = self.schedule()
        reviews = before[2]
        self.look_at_decks()
        update = self.anna.update(source, move=move, retired=retired, adopt=True).update
        self.judge_list(update, before)
        self.layout_here = self.layout_here or (self.layout.fields, self.layout.templates)
        conflicts, suspended = self.apply(update, move=move, retired=retired)
        self.judge(update, conflicts)
        after = self.schedule()
        kept = {cid: row for cid, row in schedule.items() if cid in after and row[0] not in suspended}
        self.expect("schedules", {cid: after[cid] for cid in kept}, kept)
        deleted = schedule.keys() - after.keys()
        if retired != "delete":
            self.expect("deleted cards", deleted, set())
        self.expect("reviews", self.anna.everything()[2], reviews)
        self.expect("a second look", self.anna.look(source).is_empty, True)

    def judge_list(self, update: Any, before: Any) -> None:
        """Each part has a line, no line is empty, and without a line only the subscription changes."""
        listed = [*lines_of(update, 1_000)]
        parts = {part for part, content in update.parts.items() if content} - {"changes"}
        parts |= {how_changed(each) for each in update.parts["changes"]}
        self.expect("parts with lines", {each.part for each in listed}, parts)
        self.expect("empty lines", [each for each in listed if not each.title], [])
        if not listed:
            self.expect("what the list did not say", self.anna.everything()[:-1], before[:-1])

    def schedule(self) -> dict[int, Any]:
        database = self.anna.col.db
        assert database
        rows = database.all(f"select cards.id, guid, {SCHEDULE} from cards join notes on nid = notes.id")
        return {cid: (guid, *row) for cid, guid, *row in rows}

    def apply(self, update: Any, *, move: bool, retired: str) -> tuple[dict[str, set[int]], set[str]]:
        """Change the model as the rules say; return the conflicts and the notes that were suspended."""
        model, notes = self.model, self.now
        is_first = not model.last
        root = model.decks.get(self.last_root)
        had = {*model.received} if is_first else model.last
        deleted = had if is_first else had | self.surely_imported()
        self.adopt_decks()
        self.decks_before = dict(model.decks)
        self.rename_decks(had)
        conflicts: dict[str, set[int]] = {}
        moves = {guid: ours.deck for guid, ours in notes.items() if move and self.is_moved(guid, ours)}
        self.make_decks(deleted, moves)
        back = set[str]()
        for guid, ours in notes.items():
            base = model.received.get(guid)
            mine = model.notes.get(guid)
            if mine is None:
                if guid not in deleted:
                    model.notes[guid] = Mine(
                        [*ours.fields], {*ours.tags.split()}, self.local_deck(ours.deck), ours.mod
                    )
            else:
                assert base
                is_unsure = guid in self.unsure and not mine.mod
                waits = (
                    self.merge_unsure(guid, mine, ours, update)
                    if is_unsure
                    else self.merge(guid, mine, base, ours)
                )
                self.unsure.pop(guid, None)
                if waits:
                    conflicts[guid] = waits
                if mine.by_update and mine.is_suspended:
                    mine.is_suspended = mine.by_update = False
                    back.add(guid)
        suspended = self.retire(had, retired)
        for guid, deck in moves.items():
            model.notes[guid].deck = self.local_deck(deck)
        model.received |= notes
        model.last = {*notes}
        used = model.decks.keys() | {note.deck for note in notes.values()}
        model.former = {name: number for name, number in model.former.items() if name not in used}
        self.at_update = {*model.notes} - self.by_hand
        self.applied = len(self.releases) - 1
        for guid, places in conflicts.items():
            model.waiting.setdefault(guid, set()).update(places)
        model.waiting = {
            guid: places
            for guid, waiting in model.waiting.items()
            if guid in model.notes and (places := {each for each in waiting if self.waits(guid, each)})
        }
        self.redecorate(root)
        return conflicts, suspended | back

    def make_decks(self, deleted: Iterable[str], moves: Mapping[str, str]) -> None:
        """Make the decks of new and moved notes, those above others first."""
        new = self.now.keys() - self.model.notes.keys() - {*deleted}
        for deck in sorted({*moves.values(), *(self.now[guid].deck for guid in new)}):
            self.local_deck(deck)

    def is_moved(self, guid: str, ours: Written) -> bool:
        """Whether a note of the learner's is where its author had it, and has another deck now.

        The deck may be another one with the same name, if the author renamed that of a note that was away.
        """
        mine, base = self.model.notes.get(guid), self.model.received.get(guid)
        if not mine or not base or mine.deck != self.deck_of(base):
            return False
        return base.deck != ours.deck or ours.deck not in self.model.decks

    def surely_imported(self) -> set[str]:
        """The notes of the newest release that the time of an untouched note proves."""
        known = {guid for release in self.releases[: self.applied + 1] for guid in release}
        times = {(guid, mine.mod) for guid, mine in self.model.notes.items() if guid in known and mine.mod}
        proven = [
            next(
                number for number, each in enumerate(self.releases) if guid in each and each[guid].mod == mod
            )
            for guid, mod in times
        ]
        return {*self.releases[max([self.applied, *proven])]}

    def retire(self, had: Iterable[str], choice: str) -> set[str]:
        """Suspend or delete what the author removed; return what was suspended."""
        model = self.model
        gone = {guid for guid in {*had, *self.by_hand} if guid in model.notes and guid not in self.now}
        self.by_hand = set()
        clean = {guid for guid in gone if self.is_clean(guid)}
        if choice == "delete":
            model.notes = {guid: note for guid, note in model.notes.items() if guid not in clean}
        if choice != "suspend":
            return set()
        for guid in clean:
            mine = model.notes[guid]
            mine.by_update |= not mine.is_suspended
            mine.is_suspended = True
        return clean

    def redecorate(self, root: int | None) -> None:
        """Replace the look, and the description of the root deck, if the author wrote them."""
        model = self.model
        if not model.has_own_look:
            model.css = self.layout.css
        if model.decks.get(self.root) != root:  # another deck, which has no words of the learner's
            model.has_own_description = False
        if not model.has_own_description:
            model.description = self.author.descriptions[self.root]
        self.last_root = self.root

    def merge(self, guid: str, mine: Mine, base: Written, ours: Written) -> set[int]:
        before, now = {*base.tags.split()}, {*ours.tags.split()}
        if mine.mod:  # untouched: all of it is the author's
            fields = [*ours.fields[: len(self.places)], *mine.fields[len(self.places) :]]
            if mine.mod != ours.mod and (mine.fields, mine.tags) != (fields, now):
                mine.fields, mine.tags = fields, now
                mine.mod = ours.mod if ours.mod > mine.mod else 0
            return set()
        waits = set()
        for place in self.places:
            a, b, o = mine.fields[place], base.fields[place], ours.fields[place]
            past = self.published[guid]
            if a == o:
                continue
            same = {each.fields[place] for each in past if each.mod == base.mod}
            if a == b or a in same:
                if base.mod != ours.mod:
                    mine.fields[place] = o
            elif a in {each.fields[place] for each in past if each.mod == ours.mod}:
                continue  # the author's text, in whatever rendering
            elif a and a in {each.fields[place] for each in past}:
                mine.fields[place] = o
            elif b == o or base.mod == ours.mod:
                continue
            else:
                waits.add(place)
        mine.tags = (mine.tags - (before - now)) | (now - before)
        return waits

    def waits(self, guid: str, place: int) -> bool:
        """Whether a text of the learner's still differs from the author's, in whatever rendering."""
        ours = self.now.get(guid)
        if ours and place not in self.places:
            return False
        same = {each.fields[place] for each in self.published[guid] if ours and each.mod == ours.mod}
        return self.model.notes[guid].fields[place] not in same

    def is_clean(self, guid: str) -> bool:
        past, mine = self.published[guid], self.model.notes[guid]
        has_texts = all(
            text in {each.fields[place] for each in past} for place, text in enumerate(mine.fields)
        )
        has_tags = mine.tags in [{*each.tags.split()} for each in past]
        is_there = mine.deck in {self.decks_before.get(each.deck) for each in past}
        return has_texts and has_tags and is_there and not mine.is_flagged

    # Decks.

    def rename_decks(self, had: Iterable[str]) -> None:
        """Rename decks in place if all that the learner has of one is in one new deck now."""
        model, notes = self.model, self.now
        self.now_called: dict[str, str] = {}
        both = [(model.received[guid].deck, notes[guid].deck) for guid in had if guid in notes]
        used = {level for note in notes.values() for level in (note.deck, note.deck.partition("::")[0])}
        self.rename_root(both, used)
        renamed = []
        taken = {*model.decks}
        for old in sorted({old for old, _ in both}, key=lambda each: (each.count("::"), each)):
            name = self.now_called.get(old, old)
            targets = {now for before, now in both if before == old}
            new = next(iter(targets))
            if (
                name in model.decks
                and len(targets) == 1
                and new != name
                and old not in used
                and self.is_rename(both, old, new)
                and new not in taken
                and self.may_rename(name)
            ):
                taken = taken - {name} | {new}
                renamed.append((new.count("::"), old, name, new))
        for _, old, name, new in sorted(
            renamed, key=lambda each: each[0]
        ):  # a deck is made above another only if none gets its name
            self.rename_to(name, new)
            self.now_called[old] = new

    def rename_root(self, both: list[tuple[str, str]], used: set[str]) -> None:
        """Rename the root deck in place if all is in a new one now; the decks below it follow."""
        model = self.model
        roots = {old.partition("::")[0] for old, _ in both}
        followed: list[str] = []
        if len(roots) == 1 and (old := roots.pop()) != self.root and old in model.decks:
            own = {(before, now) for before, now in both if before == old}
            moved = own or both
            is_moved = {now == self.root + before.removeprefix(old) for before, now in moved} == {True}
            is_alone = not own or self.is_rename(both, old, self.root)
            if is_moved and is_alone and old not in used and self.root not in model.decks:
                is_blocked = not self.may_rename(old)
                if not is_blocked:
                    self.rename_to(old, self.root)
                for name in [name for name in model.decks if name.startswith(f"{old}::")]:
                    new = self.root + name.removeprefix(old)
                    if is_blocked and self.may_rename(name):
                        followed.append(name)
                    elif not is_blocked and new not in model.decks:
                        model.former[name] = model.decks[new] = model.decks.pop(name)
                        self.now_called[name] = new
        for name in sorted(followed):
            self.rename_to(name, self.root + name[len(name.partition("::")[0]) :])

    @staticmethod
    def is_rename(both: list[tuple[str, str]], old: str, new: str) -> bool:
        """Whether a new name is that of a deck before: of that with most notes, if it is no other deck's."""
        origins = [before for before, now in both if now == new and before != new]
        known = {level for before, _ in both for level in levels(before)}
        most = max(((origins.count(each), each) for each in origins), default=(0, ""))
        return {before for before, now in both if now == new} == {old} or (
            new not in known and most[1] == old
        )

    def may_rename(self, deck: str) -> bool:
        """Whether a deck keeps the learner's name anyway, or no deck of somebody else's is below it."""
        number = self.model.decks[deck]
        return number in self.model.renamed or {*self.below(number)} <= {*self.model.decks.values()}

    def below(self, number: int) -> list[int]:
        begin = f"{self.model.names[number]}::"
        return [each for each, name in self.model.names.items() if name.startswith(begin)]

    def look_at_decks(self) -> None:
        """Remember before an update which decks have cards in them or below."""
        database = self.anna.col.db
        assert database
        numbers = {name: number for number, name in self.model.names.items()}
        names = {
            did: self.anna.col.decks.name(did)
            for did in database.list("select distinct iif(odid, odid, did) from cards")
        }
        self.full = {numbers[level] for name in names.values() for level in levels(name)}
        self.known = {*self.model.names}
        everything = self.anna.col.decks.all_names_and_ids()
        self.ids_before = {each.name: each.id for each in everything}

    full: set[int]
    known: set[int]
    ids_before: dict[str, int]

    def rename_to(self, old: str, new: str) -> None:
        """Rename a deck in place, unless the learner gave it a name."""
        model = self.model
        number = model.former[old] = model.decks[new] = model.decks.pop(old)
        self.now_called[old] = new
        if number not in model.renamed:
            above, _, last = new.rpartition("::")
            name = f"{model.names[self.deck_above(above)]}::{last}" if above else new
            while name in {each for other, each in model.names.items() if other != number}:
                name += "+"
            self.rename_only(model.names[number], name)

    def rename_only(self, old: str, new: str) -> None:
        for number, name in self.model.names.items():
            if name == old or name.startswith(f"{old}::"):
                self.model.names[number] = new + name.removeprefix(old)

    def deck_now(self, deck: str) -> str:
        return self.now_called.get(deck, deck)

    def deck_of(self, base: Written) -> int | None:
        """Return the deck in which the author had put a note."""
        name = self.deck_now(base.deck)
        return self.model.decks.get(name, self.model.former.get(name))

    def local_deck(self, deck: str) -> int:
        """Return the learner's deck for one of the author's, which is made if there is none."""
        model = self.model
        above, _, last = deck.rpartition("::")
        if deck in model.decks:
            number = model.decks[deck]
            place, _, shown = model.names[number].rpartition("::")
            if above and not {above} & (model.decks.keys() | model.above.keys()) and shown == last:
                self.know_above(above, place)
            return number
        name = f"{model.names[self.deck_above(above)]}::{last}" if above else deck
        numbers = {each: number for number, each in model.names.items()}
        while name in numbers and not self.is_free(numbers[name]):
            name += "+"
        number = numbers.get(name) or max(model.names, default=0) + 1
        model.names[number] = name
        model.decks[deck] = number
        return number

    def deck_above(self, deck: str) -> int:
        """Return the learner's deck for one with the author's decks below it, which may be the learner's."""
        model = self.model
        for known in (model.decks, model.above):
            if deck in known:
                return known[deck]
        above, _, last = deck.rpartition("::")
        return self.know_above(deck, f"{model.names[self.deck_above(above)]}::{last}" if above else deck)

    def know_above(self, deck: str, name: str) -> int:
        model = self.model
        numbers = {each: number for number, each in model.names.items()}
        number = numbers.get(name) or max(model.names, default=0) + 1
        model.names[number] = name
        is_own = number not in self.known or self.is_free(number)
        (model.decks if is_own and number not in model.decks.values() else model.above)[deck] = number
        return number

    def is_free(self, number: int) -> bool:
        return number not in self.model.decks.values() and number in self.known - self.full

    @property
    def own_cards(self) -> dict[str, int]:
        """How many cards of the learner's own notes are in each deck."""
        database = self.anna.col.db
        assert database
        rows = database.all(
            "select iif(odid, odid, did), count(*) from cards join notes on nid = notes.id"
            " where guid not like 'author-%' group by 1"
        )
        return {self.anna.col.decks.name(did): count for did, count in rows}

    # The comparison.

    def judge(self, update: Any, conflicts: Mapping[str, set[int]]) -> None:
        model, anna = self.model, self.anna
        found: dict[str, Any] = {}
        assert anna.col.db
        for (guid,) in anna.col.db.execute("select guid from notes where guid like 'author-%'"):
            cards = anna.cards(guid)
            home = {anna.col.decks.name(card.odid or card.did) for card in cards}
            note = anna.col.get_note(anna.nid(guid))
            mod = model.notes[guid].mod and note.mod if guid in model.notes else 0
            queues = {cards[0].queue == -1}
            found[guid] = (self.texts(guid), {*note.tags}, home, queues, mod)
        expected = {
            guid: (note.fields, note.tags, {model.names[note.deck]}, {note.is_suspended}, note.mod)
            for guid, note in model.notes.items()
        }
        for guid in sorted(expected.keys() | found.keys()):
            self.expect(guid, found.get(guid), expected.get(guid))
        waiting = {
            guid: {IDS.index(each) for each in keys} for guid, keys in anna.subscription.waiting.items()
        }
        self.expect("waiting", waiting, model.waiting)
        self.expect("conflicts", self.conflicts_of(update), conflicts)
        kind = anna.col.models.get(anna.subscription.types[str(self.author.note_type.id)])
        if model.notes:  # otherwise no note has the type, and the next one gets a new type
            self.expect("look", kind["css"] if kind else None, model.css)
        if self.root_deck():
            self.expect("description", self.root_deck()["desc"], model.description)
        self.know_decks()
        self.tally.updates += 1
        self.tally.notes += len(expected)
        self.tally.fields += 3 * len(expected)
        self.tally.merged += update.counts.merged
        self.tally.conflicts += update.counts.conflicts

    def expect(self, what: str, found: object, expected: object) -> None:
        if found != expected:
            log = "\n  ".join(self.log)
            self.tally.faults.append(f"world {self.seed}: {what}\n  {found}\n  {expected}\n  {log}")
            raise WorldError(what)


def _without_extra(note: Written) -> Written:
    return replace(note, fields=(*note.fields[:EXTRA], ""))


class WorldError(AssertionError):
    """A world that is not as the rules say; what follows in it would only repeat the fault."""


def worlds(seeds: range, releases: int = 5) -> WorldTally:
    """Return the combined results of a world for each seed."""
    tally = WorldTally()
    for seed in seeds:
        with TemporaryDirectory() as folder:
            try:
                World(seed, Path(folder), tally).run(releases)
            except WorldError:
                tally.worlds += 1
    return tally
