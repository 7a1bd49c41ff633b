"""Six releases of the real command, and everything that a learner may do between them in the real Anki."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer

from addon.collection import differences, keep_mine, subscriptions, take_authors, unfollow
from anki_backend import answer, assert_healthy, import_package, learner
from following import ADDRESS, Follower
from ptcards.extensions.publish.subscription.feed import read_feed
from ptcards.extensions.publish.subscription.package import media_in, read_package
from ptcards.extensions.publish.subscription.state import Subscription
from ptcards.extensions.publish.subscription.update import Counts, FeedSource
from releasing import Publisher, publisher

__all__ = ["publisher"]

pytestmark = pytest.mark.slow

FIRST = {
    "why": "It saves memory.",
    "leaf": "A tensor.",
    "hook": "A function.",
    "graph": "![A graph](graph.png)",
    "loss": "A number.",
    "step": "One.",
}
MINE = "mine"


class Shown(NamedTuple):
    """A note as the learner sees it: its texts, tags, deck, reviews, and whether it is suspended."""

    question: str
    answer: str
    tags: str = ""
    deck: str = "Autograd"
    reviews: int = 0
    is_suspended: bool = False


class Walk:
    """An author with a folder, and a learner with an Anki; `notes` is what the learner should have."""

    def __init__(self, publisher: Publisher, col: Collection, work: Path) -> None:
        self.publisher = publisher
        self.id = "6f0c2c0e"
        self.anna = Follower(col, self, work)
        self.notes: dict[str, Shown] = {}

    @property
    def file(self) -> Path:
        return self.publisher.package

    def release(self, version: str, *options: str, **decks: dict[str, str]) -> FeedSource:
        """Release notes: by deck, what follows `What is a` by name, and their answers."""
        sources = {deck: written(deck.title(), notes) for deck, notes in decks.items()}
        self.publisher.write(**sources).publish_release(version, *options, date=int(float(version) * 100_000))
        feed = read_feed((self.publisher.dist / "deck.json").read_bytes())
        return FeedSource(ADDRESS, feed, read_package(self.file))

    def draw(self, content: bytes) -> None:
        self.publisher.folder.mkdir(exist_ok=True)
        (self.publisher.folder / "graph.png").write_bytes(content)

    def style(self, css: str) -> None:
        self.publisher.folder.mkdir(exist_ok=True)
        (self.publisher.folder / "more.css").write_text(css)

    def guid(self, name: str) -> str:
        assert self.anna.col.db
        found = self.anna.col.db.list("select guid from notes where sfld like ?", f"%{name}%")
        assert len(found) == 1, (name, found)
        return str(found[0])

    def change(self, name: str, **values: Any) -> None:
        """Expect something else of a note."""
        self.notes[name] = self.notes[name]._replace(**values)

    @property
    def model(self) -> Any:
        """The note type of the notes."""
        return self.anna.col.get_note(self.anna.nid(self.guid("hook"))).note_type()

    def check(self, version: str, look: str, waiting: dict[str, tuple[str, ...]] | None = None) -> None:
        """Compare all notes, the look, the version, and the fields that wait by the names of their notes."""
        col = self.anna.col
        found = {}
        for nid in col.find_notes(""):
            note = col.get_note(nid)
            (card,) = note.cards()
            question, text = (re.sub("<[^>]*>", "", part).strip() for part in note.fields[:2])
            pictures = [
                Path(col.media.dir(), each).read_bytes().decode() for each in media_in(note.fields[1])
            ]
            deck = col.decks.name(card.did).removeprefix("PyTorch::")
            shown = " ".join([text, *pictures]).strip()
            tags = " ".join(sorted(note.tags))
            name = next(
                each
                for each in (*FIRST, "batch", "epoch", "adam", "sampler", "sgd", "grid")
                if each in question
            )
            found[name] = Shown(question, shown, tags, deck, card.reps, card.queue == -1)
        assert found == self.notes
        own = subscriptions(col).get(self.id, Subscription(""))
        names = {each["id"]: each["name"] for each in self.model["flds"]}
        waits = {guid: tuple(names[key] for key in keys) for guid, keys in own.waiting.items()}
        assert waits == {self.guid(name): names for name, names in (waiting or {}).items()}
        looks = re.findall(r"\.\w+ {}", self.model["css"])
        assert (own.version, looks[-1]) == (version, look)


def written(heading: str, answers: dict[str, str]) -> str:
    notes = (f"## What is a {name}?\n\n{text}\n\n" for name, text in answers.items())
    return f"# {heading}\n\n" + "".join(notes)


@pytest.fixture
def walk(tmp_path: Path, publisher: Publisher) -> Iterator[Walk]:
    publisher.settings = 'css = "more.css"\n'
    with learner(tmp_path / "anna") as col:
        yield Walk(publisher, col, tmp_path / "work.apkg")


def test_a_learner_follows_an_author_over_six_releases(walk: Walk) -> None:
    anna, col, notes = walk.anna, walk.anna.col, walk.notes
    walk.draw(b"picture 1")
    walk.style(".one {}\n")
    autograd = dict(FIRST)
    first = walk.release("1.0", "--first", autograd=autograd)
    assert anna.update(first).update.counts == Counts(new=6)
    for name, text in FIRST.items():
        notes[name] = Shown(f"What is a {name}?", text)
    walk.change("graph", answer="picture 1")
    walk.check("1.0", look=".one {}")

    # The learner studies, edits, tags, deletes and moves.
    for name in ("leaf", "hook", "loss"):
        answer(col, anna.cards(walk.guid(name))[0].id, CardAnswer.EASY)
        walk.change(name, reviews=1)
    anna.edit(walk.guid("hook"), Answer=MINE)
    walk.change("hook", answer=MINE)
    anna.tag(walk.guid("leaf"), add="own")
    walk.change("leaf", tags="own")
    anna.delete(walk.guid("step"))
    del notes["step"]
    anna.move(walk.guid("why"), "Hard")
    walk.change("why", deck="Hard")

    # 1.1: a new note, a reworded question, another picture. Later, then Update.
    walk.draw(b"picture 2")
    reworded = {("leaf tensor" if name == "leaf" else name): text for name, text in autograd.items()}
    second = walk.release("1.1", autograd=reworded | {"batch": "Some."})
    for _ in range(2):
        assert anna.look(second).counts == Counts(new=1, changed=1, merged=1)
        walk.check("1.0", look=".one {}")
    anna.update(second)
    walk.change("leaf", question="What is a leaf tensor?")
    walk.change("graph", answer="picture 2")
    notes["batch"] = Shown("What is a batch?", "Some.")
    walk.check("1.1", look=".one {}")

    # 1.2: a moved note, and two answers that the learner changes too. Skip.
    anna.edit(walk.guid("loss"), Answer=MINE)
    walk.change("loss", answer=MINE)
    reworded |= {"hook": "A callable.", "loss": "A scalar."}
    skipped = walk.release("1.2", autograd=reworded, optim={"batch": "Some."})
    assert anna.look(skipped).counts == Counts(moved=1, conflicts=2)
    walk.check("1.1", look=".one {}")

    # 1.3: two removed notes, of which the learner moved one, and a new look; the box for moves is off.
    del reworded["why"]
    del reworded["graph"]
    walk.style(".two {}\n")
    third = walk.release("1.3", autograd=reworded, optim={"batch": "Some."})
    assert anna.look(third).counts == Counts(moved=1, retired=1, retired_kept=1, conflicts=2, looks=1)
    anna.update(third, move=False, retired="suspend")
    walk.change("graph", is_suspended=True)
    walk.check("1.3", look=".two {}", waiting={"hook": ("Answer",), "loss": ("Answer",)})
    hook, loss = sorted((each for each in differences(col, third) if each.waits), key=lambda each: each.title)
    keep_mine(col, walk.id, [hook], "Keep Mine")
    take_authors(col, third, walk.file, [loss], "Take the Author's")
    walk.change("loss", answer="A scalar.")
    walk.check("1.3", look=".two {}")
    col.undo()
    walk.change("loss", answer=MINE)
    walk.check("1.3", look=".two {}", waiting={"loss": ("Answer",)})
    col.redo()
    walk.change("loss", answer="A scalar.")
    walk.check("1.3", look=".two {}")

    # 1.4: the look is the learner's now, and a removed note is back. The package is imported by hand before
    # the update, which brings the deleted note back, too; the learner edits one of its notes.
    model = walk.model
    model["css"] += ".own {}"
    col.models.update_dict(model)
    walk.style(".three {}\n")
    reworded |= {"step": "One update.", "epoch": "A round.", "graph": autograd["graph"]}
    optim = {"batch": "A few.", "adam": "An optimizer."}
    fourth = walk.release("1.4", autograd=reworded, optim=optim, data={"sampler": "An order."})
    import_package(col, walk.file)
    notes["step"] = Shown("What is a step?", "One update.")
    notes["epoch"] = Shown("What is a epoch?", "A round.")
    notes["adam"] = Shown("What is a adam?", "An optimizer.", deck="Optim")
    notes["sampler"] = Shown("What is a sampler?", "An order.", deck="Data")
    walk.change("batch", answer="A few.")
    walk.check("1.3", look=".own {}")
    anna.edit(walk.guid("epoch"), Hint=MINE)
    update = anna.look(fourth)
    assert (update.counts, update.kept_looks) == (Counts(stays=1), ("PyTorch",))
    assert (len(update.left_alone), len(update.back)) == (4, 1)
    anna.update(fourth, adopt=True)
    walk.change("graph", is_suspended=False)
    walk.check("1.4", look=".own {}")
    assert_healthy(col)

    # 1.5 brings a note to each deck, and nothing of it is made twice. Then the learner unfollows.
    more = {"grid": "A table."}
    fifth = walk.release(
        "1.5", autograd=reworded, optim=optim | {"sgd": "A descent."}, data={"sampler": "An order."} | more
    )
    assert anna.look(fifth).counts == Counts(new=2)
    anna.update(fifth)
    notes["sgd"] = Shown("What is a sgd?", "A descent.", deck="Optim")
    notes["grid"] = Shown("What is a grid?", "A table.", deck="Data")
    walk.check("1.5", look=".own {}")
    assert anna.look(fifth).is_empty
    assert_healthy(col)
    unfollow(col, walk.id)
    walk.check("", look=".own {}")
    assert_healthy(col)
