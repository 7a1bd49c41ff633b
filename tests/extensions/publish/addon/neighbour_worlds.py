"""Random collections with neighbours, and feeds that lie: no byte changes of what is not the feed's.

What is the feed's is decided here from what updates were seen to make, not from what the add-on remembers.
The collection is dumped before and after each update, with all columns of all tables and all media files.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anki.scheduler_pb2 import CardAnswer

from addon.collection import subscriptions
from anki_backend import answer, import_package, learner
from following import START, Author, Follower, Written, geo_type
from ptcards.notes.notetypes import Field, Template

SHARED, THIRD = 1_600_000_000_001, 1_600_000_000_009
DECKS = (
    "French",
    "Languages",
    "Languages::French",
    "Languages::Japanese",
    "Evil",
    "Evil::Sub",
    "Evil::Sub::Low",
)
FILES = ("_logo.png", "_used.png", "a.png")
EVENTS = {
    "feed": {
        "add": 3, "edit": 4, "claim": 5, "claim_all": 1, "drop": 3, "move": 3, "rename": 2, "retype": 2, "restyle": 2,
        "describe": 2, "draw": 2, "fields": 2, "templates": 2, "revive": 2, "forge": 2,
    },
    "learner": {
        "own_note": 4, "edit": 3, "tag": 2, "flag": 1, "move": 3, "rename_deck": 1, "delete": 2, "cram": 1,
        "empty_deck": 2, "review": 1, "suspend": 1, "own_file": 1, "own_field": 1, "neighbour_import": 4,
        "neighbour_follow": 1, "neighbour_release": 2, "undo_nothing": 1,
    },
}  # fmt: skip
TABLES = {
    "notes": "id",
    "cards": "nid",
    "decks": "id",
    "notetypes": "id",
    "fields": "ntid",
    "templates": "ntid",
    "revlog": "cid",
    "deck_config": "id",
    "config": "key",
}


@dataclass
class NeighbourTally:
    """What was done, and what changed although it is not the feed's."""

    worlds: int = 0
    updates: int = 0
    rows: int = 0
    """Rows of others that were compared."""
    claimed: int = 0
    """Notes of others that a feed claimed and did not get."""
    changed: int = 0
    """Notes of the feed's own that an update changed."""
    accepted: int = 0
    """Notes that were here at the first look, and that the list said would follow."""
    faults: list[str] = field(default_factory=list)

    def add(self, other: "NeighbourTally") -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


class Dump:
    """All rows of a collection by table and key, its decks and files."""

    def __init__(self, col: Any) -> None:
        self.rows: dict[str, dict[Any, list[Any]]] = {}
        for table, key in TABLES.items():
            by_key: dict[Any, list[Any]] = {}
            columns = [row[1].lower() for row in col.db.execute(f"pragma table_info({table})")]
            place = columns.index(key)
            # The importer writes its options into the configuration; they are put back, at a later time.
            chosen = "key, val" if table == "config" else "*"
            for row in col.db.all(f"select {chosen} from {table} order by 1, 2"):
                by_key.setdefault(row[place], []).append(row)
            self.rows[table] = by_key
        self.decks = {int(each.id): each.name for each in col.decks.all_names_and_ids()}
        self.homes = dict(col.db.all("select id, iif(odid, odid, did) from cards"))
        self.note_of = dict(col.db.all("select id, nid from cards"))
        self.types = dict(col.db.all("select id, mid from notes"))
        folder = Path(col.media.dir())
        self.files = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
        self.texts = dict(col.db.all("select id, flds from notes"))
        self.looks = {int(each.id): str(col.models.get(each.id)) for each in col.models.all_names_and_ids()}

    def below(self, did: int) -> Iterator[int]:
        """Yield a deck and those below it."""
        for each, name in self.decks.items():
            if each == did or name.casefold().startswith(f"{self.decks[did].casefold()}::"):
                yield each

    def cards_in(self, did: int) -> list[int]:
        below = {*self.below(did)}
        return [self.note_of[cid] for cid, home in self.homes.items() if home in below]


@dataclass
class Own:
    """What is a feed's, as this test saw it: ids of notes, note types and decks, and names of files."""

    notes: set[int] = field(default_factory=set)
    types: set[int] = field(default_factory=set)
    decks: set[int] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


class NeighbourWorld:
    """A feed that lies, its neighbours, and a learner who has all of them."""

    def __init__(self, seed: int, folder: Path, tally: NeighbourTally) -> None:
        self.seed, self.folder, self.tally = seed, folder, tally
        self.chance = random.Random(seed)
        self.count = 0
        self.log: list[str] = []
        self.own = Own()
        self.retired: dict[str, Written] = {}
        self.feed = Author(folder / "feed", id="feed", name="Evil", address="https://evil.example/deck.json")
        self.feed.note_type = geo_type(id=self.chance.choice((SHARED, THIRD, THIRD + 1)), name="Evil")
        self.neighbours = [self.neighbour(number) for number in range(2)]

    def neighbour(self, number: int) -> Author:
        author = Author(
            self.folder / f"n{number}",
            id=f"n{number}",
            name="French",
            address=f"https://n{number}.example/d.json",
        )
        author.note_type = geo_type(id=self.chance.choice((SHARED, THIRD)), name="French", css=".n {}")
        author.media = {"_logo.png": b"logo", "_used.png": b"used"}
        author.descriptions = {"French": "About", "Languages": "All"}
        for place in range(self.chance.randrange(2, 6)):
            extra = self.chance.choice(("", "more"))
            text = f'Mot {place} <img src="_used.png">'
            author.put(f"n{number}-{place}", text, "Word", extra, deck=self.deck(), tags="fr")
        author.release("1")
        return author

    def deck(self) -> str:
        return self.chance.choice(DECKS)

    def text(self, who: str) -> str:
        self.count += 1
        return f"{who} {self.count}"

    def run(self, releases: int) -> None:
        with learner(self.folder / "learner") as col:
            self.col: Any = col
            self.anna = Follower(col, self.feed, self.folder / "work")
            self.do("learner", self.chance.randrange(5))
            for _ in range(self.chance.randrange(1, 5)):
                self.feed_add()
            if self.chance.random() < 0.4:
                self.do("feed", 2)
            if self.chance.random() < 0.3:  # its list can be all of a deck that was imported by hand
                import_package(col, self.neighbours[0].file)
                self.feed.note_type = replace(self.feed.note_type, id=self.neighbours[0].note_type.id)
                self.feed_claim_all()
            for _ in range(releases):
                self.update()
                self.do("learner", self.chance.randrange(1, 6))
                self.do("feed", self.chance.randrange(1, 7))
            self.update()
        self.tally.worlds += 1

    def do(self, who: str, count: int) -> None:
        events = EVENTS[who]
        for event in self.chance.choices([*events], [*events.values()], k=count):
            self.log.append(f"{who}: {event}")
            getattr(self, f"{who}_{event}")()

    # The feed.

    def some(self) -> str:
        return self.chance.choice(sorted(self.feed.notes)) if self.feed.notes else ""

    def some_of_others(self) -> tuple[str, Written]:
        return self.chance.choice(
            sorted((guid, note) for each in self.neighbours for guid, note in each.notes.items())
        )

    def texts(self, *texts: str) -> tuple[str, ...]:
        """Return texts for each field of the feed's note type."""
        known = dict(zip((11, 12, 13), texts, strict=False))
        return tuple(known.get(each.id or 0, "") for each in self.feed.note_type.fields)

    def feed_add(self) -> None:
        texts = self.texts(self.text("q"), self.text("a"), self.chance.choice(("", "more")))
        self.feed.put(f"{self.chance.choice('ez')}{self.count}", *texts, deck=self.deck(), tags="evil")

    def feed_edit(self) -> None:
        if guid := self.some():
            self.feed.put(guid, *self.texts(self.text("q"), self.text("EVIL")))

    def feed_claim(self) -> None:
        """Publish a note of somebody else, as it is or with other words."""
        guid, note = self.some_of_others()
        self.feed.notes[guid] = replace(note, fields=self.texts(*note.fields))
        if self.chance.random() < 0.6:
            self.feed.put(guid, *self.texts("EVIL", "EVIL"), deck=self.deck(), tags="evil")

    def feed_claim_all(self) -> None:
        for author in self.neighbours:
            for guid, note in author.notes.items():
                self.feed.notes[guid] = replace(note, fields=self.texts(*note.fields))

    def feed_drop(self) -> None:
        if len(self.feed.notes) > 1:
            guid = self.some()
            self.retired[guid] = self.feed.notes.pop(guid)

    def feed_revive(self) -> None:
        if self.retired:
            guid = self.chance.choice(sorted(self.retired))
            note = self.retired.pop(guid)
            self.feed.put(guid, *self.texts(*note.fields[:2]), deck=note.deck, tags=note.tags)

    def feed_move(self) -> None:
        if guid := self.some():
            self.feed.put(guid, deck=self.deck())

    def feed_rename(self) -> None:
        old, new = self.deck(), f"{self.deck()}{self.chance.choice(('', '::New', 'New'))}"
        for guid, note in list(self.feed.notes.items()):
            if note.deck == old or note.deck.startswith(f"{old}::"):
                self.feed.put(guid, deck=new + note.deck.removeprefix(old))

    def feed_retype(self) -> None:
        self.feed.note_type = replace(self.feed.note_type, id=self.chance.choice((SHARED, THIRD, THIRD + 1)))

    def feed_restyle(self) -> None:
        css = self.chance.choice((f".evil{self.count} {{}}", ".card { background: url(_logo.png) }"))
        self.feed.note_type = replace(self.feed.note_type, css=css)
        self.feed.type_mod += 1_000

    def feed_describe(self) -> None:
        self.feed.descriptions = {self.deck(): self.text("EVIL") for _ in range(3)}

    def feed_draw(self) -> None:
        self.feed.media = {name: self.text("evil").encode() for name in self.chance.sample(FILES, 2)}
        if guid := self.some():
            self.feed.put(guid, *self.texts(f'<img src="{self.chance.choice(FILES)}">', "x"))

    def feed_fields(self) -> None:
        now = [*self.feed.note_type.fields]
        if self.chance.random() < 0.3:
            now.append(Field(self.text("New"), 100 + self.count))
        if self.chance.random() < 0.2 and len(now) > 3:
            now.pop()
        self.chance.shuffle(now)
        self.feed.reshape(*now)

    def feed_templates(self) -> None:
        one, two = geo_type().templates
        three = Template("Card 3", 23, "{{Back}}", "{{Front}}")
        chosen = self.chance.choice(((one, two), (two, one), (one,), (one, three, two)))
        self.feed.note_type = replace(self.feed.note_type, templates=chosen)
        self.feed.type_mod += 1_000

    def feed_forge(self) -> None:
        """Invent earlier releases with what others published, with their looks, times and texts."""
        feed = self.feed
        now = feed.time, feed.notes, feed.note_type, feed.descriptions
        feed.feed, feed.time = None, START - 1_000
        for number in range(self.chance.randrange(1, 3)):
            author = self.chance.choice(self.neighbours)
            feed.note_type = replace(author.note_type, id=self.chance.choice((SHARED, THIRD)))
            kept = {
                guid: replace(note, fields=(*note.fields, "", "", "")[:3])
                for guid, note in feed.notes.items()
            }
            feed.notes = {**kept, **author.notes}
            feed.descriptions = author.descriptions
            feed.release(f"0.{number}")
        feed.time, feed.notes, feed.note_type, feed.descriptions = now

    # The learner and the neighbours.

    def nids(self) -> list[int]:
        return [*self.col.find_notes("")]

    def learner_own_note(self) -> None:
        kinds = [each.name for each in self.col.models.all_names_and_ids()]
        kind = self.col.models.by_name(self.chance.choice(["Basic", *kinds[-3:]]))
        note = self.col.new_note(kind)
        note.fields = [f"{self.text('mine')} _logo.png"] * len(note.fields)
        if kind["type"] == 0 and not self.col.find_notes("note:'Image Occlusion'"):
            self.col.add_note(note, self.col.decks.id(self.deck()))

    def learner_edit(self) -> None:
        if nids := self.nids():
            note = self.col.get_note(self.chance.choice(nids))
            note.fields[self.chance.randrange(len(note.fields))] = self.text("mine")
            self.col.update_note(note)

    def learner_tag(self) -> None:
        if nids := self.nids():
            self.col.tags.bulk_add([self.chance.choice(nids)], "mine")

    def some_card(self) -> int:
        cards = [*self.col.find_cards("")]
        return int(self.chance.choice(cards)) if cards else 0

    def learner_flag(self) -> None:
        if cid := self.some_card():
            self.col.set_user_flag_for_cards(2, [cid])

    def learner_suspend(self) -> None:
        if cid := self.some_card():
            self.col.sched.suspend_cards([cid])

    def learner_move(self) -> None:
        if cid := self.some_card():
            self.col.set_deck([cid], self.col.decks.id(self.deck()))

    def learner_rename_deck(self) -> None:
        # Anki puts no deck below a filtered one, which therefore keeps its name here.
        everything = self.col.decks.all_names_and_ids(include_filtered=False)
        decks = [each for each in everything if each.id != 1]
        if decks:
            self.col.decks.rename(self.chance.choice(decks).id, self.deck())

    def learner_delete(self) -> None:
        if nids := self.nids():
            self.col.remove_notes([self.chance.choice(nids)])

    def learner_cram(self) -> None:
        deck = self.col.decks.get(self.col.decks.new_filtered(f"{self.deck()}::{self.text('Cram')}"))
        deck["terms"] = [["", 3, 0]]
        self.col.decks.save(deck)
        self.col.sched.rebuild_filtered_deck(deck["id"])

    def learner_empty_deck(self) -> None:
        self.col.decks.id(f"{self.deck()}::{self.text('Mine')}")

    def learner_review(self) -> None:
        cid = self.some_card()
        if cid and self.col.get_card(cid).queue >= 0:
            answer(self.col, cid, CardAnswer.GOOD)

    def learner_own_file(self) -> None:
        (Path(self.col.media.dir()) / self.chance.choice(FILES)).write_bytes(self.text("mine").encode())

    def learner_own_field(self) -> None:
        kind = self.col.models.get(self.chance.choice((SHARED, THIRD)))
        if kind:
            self.col.models.add_field(kind, self.col.models.new_field(self.text("Mine")))
            self.col.models.update_dict(kind)

    def learner_undo_nothing(self) -> None:
        self.col.set_config("mine", self.text("mine"))

    def learner_neighbour_import(self) -> None:
        import_package(self.col, self.chance.choice(self.neighbours).file)

    def learner_neighbour_follow(self) -> None:
        author = self.chance.choice(self.neighbours)
        Follower(self.col, author, self.folder / "other").update(author.source)

    def learner_neighbour_release(self) -> None:
        author = self.chance.choice(self.neighbours)
        author.put(self.chance.choice(sorted(author.notes)), self.text("Mot"), "Word", "")
        author.put(f"{author.id}-{self.count}", self.text("Mot"), "new", "", deck=self.deck())
        author.release(str(self.count))

    # An update, and what it may change.

    def update(self) -> None:
        version = self.text("").strip()
        self.log.append(f"release {version}")
        source = self.feed.release(version)
        is_first = self.feed.id not in subscriptions(self.col)
        choices: dict[str, Any] = {
            "move": self.chance.random() < 0.8,
            "retired": self.chance.choice(("suspend", "keep", "delete")),
            "bring_back": self.chance.random() < 0.8,
            "restore": self.chance.random() < 0.3,
            "trusts": True,
        }
        before = Dump(self.col)
        listed = self.anna.look(source, restore=choices["restore"])
        if is_first:
            self.accept(before, listed)
        self.forget(before)
        may = self.allowed(before)
        update = self.anna.update(source, **choices).update
        after = Dump(self.col)
        self.compare(before, after, may)
        self.learn(before, after)
        self.tally.updates += 1
        self.tally.claimed += len(update.left_alone)
        self.tally.changed += len(update.plan.updates)
        if choices["move"]:
            again = self.anna.look(source)
            self.expect(
                "a second look", (again.is_empty, again.counts, again.renamed), (True, again.counts, {})
            )

    def accept(self, before: Dump, listed: Any) -> None:
        """Accept what the list of the first look says; notes of another subscription are never in it."""
        nids = {self.anna.nid(guid) for guid in listed.own}
        taken = {kind for each in subscriptions(self.col).values() for kind in each.types.values()}
        self.expect("followed notes", {before.types[nid] for nid in nids} & taken, set())
        self.tally.accepted += len(nids)
        self.own.notes |= nids
        self.own.types |= {before.types[nid] for nid in nids}
        self.own.decks |= {
            did for did in before.decks if (inside := before.cards_in(did)) and {*inside} <= nids
        }
        self.own.files |= {name for name in before.files if any(name in before.texts[nid] for nid in nids)}

    def forget(self, before: Dump) -> None:
        """What the learner deleted since is not the feed's any more."""
        self.own.notes &= before.types.keys()
        self.own.types &= before.looks.keys()
        self.own.decks &= before.decks.keys()
        self.own.files &= before.files.keys()

    def allowed(self, before: Dump) -> Own:
        """Return what the update may change: what is the feed's, and decks that are nobody's."""
        others = before.types.keys() - self.own.notes
        used = {before.types[nid] for nid in others}
        foreign = [before.texts[nid] for nid in others]
        foreign += [text for mid, text in before.looks.items() if mid not in self.own.types - used]
        taken = {
            did
            for key, each in subscriptions(self.col).items()
            if key != "feed"
            for did in each.decks.values()
        }
        filtered = {did for did in before.decks if self.col.decks.is_filtered(did)}
        free = {
            did
            for did in before.decks
            if did != 1 and not before.cards_in(did) and not {*before.below(did)} & (taken | filtered)
        }
        return Own(
            self.own.notes,
            self.own.types - used,
            self.own.decks | free,
            {name for name in self.own.files if not any(name in text for text in foreign)},
        )

    def compare(self, before: Dump, after: Dump, may: Own) -> None:
        own: Mapping[str, Any] = {
            "notes": may.notes,
            "cards": may.notes,
            "decks": may.decks,
            "notetypes": may.types,
            "fields": may.types,
            "templates": may.types,
            "revlog": (),
            "deck_config": (),
            "config": ("ptcards.feed", "nextPos"),
        }
        for table, rows in before.rows.items():
            kept = {key: row for key, row in rows.items() if key not in own[table]}
            self.tally.rows += len(kept)
            found = {key: after.rows[table].get(key) for key in kept}
            self.expect(table, {k: v for k, v in found.items() if v != kept[k]}, {})
        changed = {
            name
            for name, there in before.files.items()
            if after.files.get(name) != there and name not in may.files
        }
        self.expect("files", changed, set())

    def learn(self, before: Dump, after: Dump) -> None:
        """What the update made is the feed's, and so are the empty decks that it used."""
        self.own.notes |= after.types.keys() - before.types.keys()
        self.own.types |= after.looks.keys() - before.looks.keys()
        self.own.decks |= after.decks.keys() - before.decks.keys()
        known = subscriptions(self.col)["feed"]
        free = {did for did in before.decks if not before.cards_in(did)}
        self.own.decks |= free & {*known.decks.values()}
        self.own.files |= after.files.keys() - before.files.keys()

    def expect(self, what: str, found: object, expected: object) -> None:
        if found != expected:
            log = "\n  ".join(self.log)
            self.tally.faults.append(f"world {self.seed}: {what}\n  {found}\n  {expected}\n  {log}")
            raise NeighbourError(what)


class NeighbourError(AssertionError):
    """Something changed that is not the feed's; what follows in this world would only repeat it."""


def neighbour_worlds(seeds: range, releases: int = 4) -> NeighbourTally:
    """Return the combined results of a world for each seed."""
    tally = NeighbourTally()
    for seed in seeds:
        with TemporaryDirectory() as folder:
            try:
                NeighbourWorld(seed, Path(folder), tally).run(releases)
            except NeighbourError:
                tally.worlds += 1
    return tally
