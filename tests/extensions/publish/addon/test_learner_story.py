"""Three decks over six releases, as a learner sees them in a desktop Anki, in each language."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from learner_windows import Learner, publishing, with_addon
from scripted import Server, missing

from addon.texts import texts_in
from following import Author, geo_type
from ptcards.notes.notetypes import Template

pytestmark = pytest.mark.desktop

MINE = "Water goes to the salty side."
NAMES = ("Zoology", "Law", "Spanish")


class Story:
    """A learner who follows three decks, in a language of the add-on."""

    def __init__(self, learner: Learner, language: str, authors: dict[str, Author]) -> None:
        self.learner = learner
        self.do = learner.do
        self.authors = authors
        self._texts = texts_in(language)

    def say(self, key: str, **values: Any) -> str:
        return self._texts[key].replace("&", "").format(**values)

    def menu(self, key: str) -> None:
        self.do("menu", self.say("menu"), self.say(key))

    def press(self, title: str, key: str, **values: Any) -> None:
        self.do("press", title, self.say(key, **values))

    def subscribe(self, name: str, server: Server) -> None:
        self.menu("add")
        self.learner.window(self.say("menu"))
        self.do("write", self.say("menu"), server.url)
        self.do("keys", "Return")
        title = self.say("subscribe_to", name=name, version="1.0")
        self.learner.window(title)
        self.press(title, "subscribe")
        self.learner.notice(f"{name} 1.0: ")

    def check(self, updates: int) -> None:
        """Look at all decks, of which several have an update."""
        self.menu("check")
        title, found = self.say("subscriptions_title"), self.say("has_update", version="").strip()
        self.learner.settled(title, lambda each: str(each["tables"]).count(found) == updates)

    def show(self, name: str, old: str, new: str) -> tuple[str, list[str]]:
        """Open the update of a deck from the window of subscriptions, and return its title and lines."""
        self.do("choose_row", self.say("subscriptions_title"), name)
        self.press(self.say("subscriptions_title"), "show")
        title = self.say("from_to", name=name, old=old, new=new)
        shown = self.learner.window(title)
        assert shown["size"][0] <= 760
        return title, shown["texts"][0].split("\n")

    def update(self, title: str, new: str) -> None:
        self.press(title, "update")
        self.learner.notice(f"{title.partition(':')[0]} {new}: ")
        self.learner.gone(title)

    def texts(self) -> dict[str, list[Any]]:
        """Return the second field of each note, and the state of its card, by GUID."""
        return {
            each["guid"]: [each["fields"]["Back"], self.do("card", f"cid:{each['cards'][0]}")[1]]
            for each in self.do("read")
        }


def _authors(folder: Path) -> dict[str, Author]:
    authors = {
        name: Author(folder / name, name.lower(), name, geo_type(id=1_600_000_000_000 + number, name=name))
        for number, name in enumerate(NAMES, 1)
    }
    notes = {
        "Zoology": (("Osmosis", "Water moves."), ("Cell", "A unit."), ("Gene", "DNA."), ("Tissue", "Cells.")),
        "Law": (
            ("Offer", "A proposal."),
            ("Terms", "Words."),
            ("Appeal", "Again."),
            ("Jury", "Twelve people."),
        ),
        "Spanish": (("mesa", "table"), ("libro", "book"), ("casa", "house")),
    }
    for name, author in authors.items():
        for front, back in notes[name]:
            author.put(front, front, back, deck=name if name == "Spanish" else f"{name}::One")
    authors["Law"].put("Appeal", deck="Law::Two")
    authors["Law"].put("Jury", deck="Law::Two")
    authors["Zoology"].media = {"cell.png": b"picture"}
    for author in authors.values():
        author.release("1.0")
    return authors


@pytest.fixture(params=["en", "de"])
def story(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Story, list[Server]]]:
    authors = _authors(tmp_path)
    locale = {"en": "en_US", "de": "de_DE"}[request.param]
    with ExitStack() as stack:
        servers = [stack.enter_context(publishing(tmp_path / name)) for name in NAMES]
        learner = stack.enter_context(with_addon(tmp_path / "base", language=locale))
        story = Story(learner, request.param, authors)
        for name, server in zip(NAMES, servers, strict=True):
            story.subscribe(name, server)
        yield story, servers


def test_three_decks_are_followed_over_six_releases(story: tuple[Story, list[Server]]) -> None:
    told, servers = story
    learner, do, say = told.learner, told.do, told.say
    biology, law, spanish = (told.authors[name] for name in NAMES)
    do("edit", "Osmosis", {"Back": MINE}, "mine")
    do("suspend", "casa")

    # 1.1: a conflict, a picture and a removed note; a deck renamed and a card moved; a removed note
    biology.put("Osmosis", "Osmosis", "Water moves to the other side.")
    biology.put("Cell", "Cell", 'A unit. <img src="cell.png">')
    biology.drop("Tissue")
    law.put("Offer", deck="Law::Contracts")
    law.put("Terms", deck="Law::Contracts")
    law.put("Jury", deck="Law::Contracts")
    spanish.drop("libro")
    spanish.put("sol", "sol", "sun", deck="Spanish")
    for author in (biology, law, spanish):
        author.release("1.1")
    told.check(3)
    title, lines = told.show("Zoology", "1.0", "1.1")
    counts = {f"• {say(kind, count=1)}" for kind in ("conflicts", "retired")}
    assert {*counts, f"Back · {say('picture_line')}", "cell.png", say("yours_line"), MINE} <= {*lines}
    told.update(title, "1.1")
    title, lines = told.show("Law", "1.0", "1.1")
    assert say("deck_line", name="Law::One → Law::Contracts") in lines
    assert "Jury: Law::Two → Law::Contracts" in lines
    told.update(title, "1.1")
    title, lines = told.show("Spanish", "1.0", "1.1")
    assert {f"• {say('new', count=1)}", f"• {say('retired', count=1)}"} <= {*lines}
    told.update(title, "1.1")
    window = say("subscriptions_title")
    learner.settled(window, lambda each: str(each["tables"]).count(say("is_current")) == 3)
    told.press(window, "close")
    decks = {name: count for name, count in do("decks").items() if count}
    assert decks == {"Zoology::One": 4, "Law::Contracts": 3, "Law::Two": 1, "Spanish": 4}
    before = told.texts()
    assert (before["Osmosis"][0], before["Tissue"][1], before["libro"][1], before["casa"][1]) == (
        MINE,
        -1,
        -1,
        -1,
    )

    # The learner keeps their words, and writes to the author.
    told.menu("changes")
    changes = say("your_changes")
    waits = "● Osmosis · Back"
    learner.settled(changes, lambda each: each["lists"] == [[waits]])
    told.press(changes, "keep_mine")
    learner.settled(changes, lambda each: each["lists"] == [["Osmosis · Back"]])
    told.press(changes, "suggest_edit")
    way_back = say("suggestion", name="Zoology")
    # The author has named no page for it, so it can only be saved.
    shown = learner.window(way_back)
    assert (shown["labels"][-1], shown["buttons"]) == (
        say("you_send_file"),
        [say("close"), say("save")],
    )
    told.press(way_back, "close")
    told.press(changes, "close")

    # 1.2: what was removed is back, and a note type has a new look and one more template
    biology.put("Tissue", "Tissue", "Cells of one kind.", deck="Zoology::One")
    templates = (*biology.note_type.templates, Template("Card 3", 23, "{{Back}}", "{{Front}}"))
    biology.note_type = replace(biology.note_type, css=".card { color: navy }", templates=templates)
    biology.type_mod += 1_000
    spanish.put("libro", "libro", "book", deck="Spanish")
    for author in (biology, spanish):
        author.release("1.2")
    told.check(2)
    title, lines = told.show("Zoology", "1.1", "1.2")
    left_out = say("left_out", names="Zoology: Card 3")
    found = {
        f"• {say('looks', count=1)}",
        f"• {left_out}",
        f"{say('back_notes')} (1)",
        say("layout_line", name="Zoology"),
    }
    assert found <= {*lines}
    told.update(title, "1.2")
    title, lines = told.show("Spanish", "1.1", "1.2")
    assert {f"{say('back_notes')} (1)", "libro"} <= {*lines}
    assert learner.window(title)["boxes"] == {say("study_again", count=1): True}
    told.update(title, "1.2")
    after = told.texts()
    assert (after["Tissue"], after["libro"], after["casa"][1]) == (["Cells of one kind.", 0], ["book", 0], -1)

    # 1.3: nothing but the version of one deck, while another is gone
    biology.release("1.3")
    spanish.put("mesa", "mesa", "table", tags="noun")
    spanish.release("1.3")
    servers[1].scripts["/deck.json"] = missing
    told.press(window, "check")
    learner.settled(window, lambda each: len(each["texts"]) == 1)

    # 1.4 and 1.5: several versions at once
    for version, text in (("1.4", "the table"), ("1.5", "the table (la)")):
        spanish.put("mesa", "mesa", text)
        spanish.release(version)
    told.press(window, "check")
    learner.settled(window, lambda each: say("has_update", version="1.5") in str(each["tables"]))
    title, lines = told.show("Spanish", "1.2", "1.5")
    assert {say("tags_line"), "+noun"} <= {*lines}
    told.update(title, "1.5")
    assert told.texts()["mesa"][0] == "the table (la)"

    # The learner stops following; the notes stay.
    do("choose_row", window, "Spanish")
    told.press(window, "unfollow")
    learner.settled(say("menu"), lambda each: say("stop") in each["buttons"])
    told.press(say("menu"), "stop")
    learner.notice(say("unfollowed", name="Spanish"))
    learner.settled(window, lambda each: "Spanish" not in str(each))
    assert len(told.texts()) == 4 + 4 + 4
