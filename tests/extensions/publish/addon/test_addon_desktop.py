"""The add-on in a desktop Anki: installed as a learner does, with an author's releases on a web server."""

import hashlib
import json
import re
import shutil
import sqlite3
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from learner_windows import Learner, publishing, with_addon
from scripted import Handler, Server, missing, redirect, said

from addon.make import NAME, ROOT, pack
from conftest import runner
from desktop import desktop_anki
from following import Author, geo_type
from releasing import Publisher

pytestmark = pytest.mark.desktop

ISSUES = "https://github.com/owner/deck/issues/new"
FIRST = {"leaf": "A tensor.", "hook": "A function.", "step": "One.", "graph": "A tape."}
SECOND = {
    "leaf": "A tensor that you made.",
    "hook": "A function that is called.",
    "graph": "A tape.",
    "epoch": "A round.",
}

CHECK = (
    "Check the address: open the deck's page in your web browser. "
    "The network may want you to log in, or the deck has moved.\n\n"
)
MOVED = {"batch": "Some."}
EXAMPLES = ("What is a leaf?", "A tensor.", "What is a hook?", "A function.")
HAPPENS = (
    "If you subscribe",
    "• Its notes are added to your decks: 5. One Undo takes them back.",
    "• Your reviews and your own edits always stay.",
    "• Once a day, Anki looks for a new version. Nothing changes until you agree.",
    "• Nothing about you or your cards is sent.",
)


def written(heading: str, answers: dict[str, str]) -> str:
    notes = (
        f"## What is a {name}?\n<!-- card: id={name} -->\n\n{answer}\n\n" for name, answer in answers.items()
    )
    return f"# {heading}\n\n" + "".join(notes)


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the releases 1.0 and 1.1, and a forged 1.2, which brings a script."""
    folder = tmp_path_factory.mktemp("released")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        publisher = Publisher(folder / "cards", runner(folder))
        publisher.settings = f'[release]\nissues = "{ISSUES}"\n'
        publisher.write(autograd=written("Autograd", FIRST | MOVED)).publish_release("1.0", "--first")
        shutil.copytree(publisher.dist, folder / "1.0")
        sources = {"autograd": written("Autograd", SECOND), "optim": written("Optim", MOVED)}
        publisher.write(**sources).publish_release("1.1", date=86_400)
        shutil.copytree(publisher.dist, folder / "1.1")
        shutil.copytree(publisher.dist, folder / "1.2")
        forge(folder / "1.2")
    return folder


SCRIPT = "<script>alert(1)</script>"


def forge(folder: Path) -> None:
    """Put a script into release 1.1, and call it 1.2."""
    feed = (folder / "deck.json").read_text("utf-8")
    package = folder / json.loads(feed)["package"]["url"]
    with zipfile.ZipFile(package) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(files["collection.anki2"])
        ((text,),) = database.execute("select flds from notes where flds like '%A round%'").fetchall()
        field = next(each for each in text.split("\x1f") if "A round" in each)
        scripted = field.replace("A round.", f"A round.{SCRIPT}")
        database.execute("update notes set flds = replace(flds, ?, ?)", (field, scripted))
        database.commit()
        files["collection.anki2"] = database.serialize()
    with zipfile.ZipFile(package, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    one, other = (hashlib.sha256(each.encode()).hexdigest()[:12] for each in (field, scripted))
    changed = json.loads(feed.replace(one, other))
    changed["releases"][-1]["version"] = "1.2"
    content = package.read_bytes()
    changed["package"] |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "deck.json").write_text(json.dumps(changed))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an Anki into which the add-on was installed."""
    base = tmp_path_factory.mktemp("installed") / "base"
    with with_addon(base):
        return base


class World:
    """A learner, and what the author has published."""

    def __init__(self, learner: Learner, server: Server, live: Path, releases: Path) -> None:
        self.learner = learner
        self.do = learner.do
        self.server = server
        self._live = live
        self._releases = releases
        self.publish("1.0")

    def publish(self, version: str) -> None:
        shutil.rmtree(self._live, ignore_errors=True)
        shutil.copytree(self._releases / version, self._live)

    def change_feed(self, **values: Any) -> None:
        (self._live / "deck.json").write_text(json.dumps(self.feed | values))

    @property
    def feed(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self._live / "deck.json").read_text("utf-8"))
        return found

    def subscribe(self) -> None:
        """Follow release 1.0."""
        self.learner.follow(self.server.url)
        self.learner.window("subscribe to 1.0")
        self.do("press", "subscribe to 1.0", "Subscribe")
        self.learner.notice("1.0: done")

    def import_by_hand(self, version: str) -> None:
        """Import the package of a release as any other package."""
        self.do("import_by_hand", str(next((self._releases / version).glob("*.apkg"))))

    def next_day(self) -> None:
        """Do what happens on the next day, after the sync."""
        self.do("remembered", {"day": 0})
        self.do("synced")

    def fields(self) -> dict[str, str]:
        """Return the answers by the last word of their questions, without paragraphs."""
        return {
            each["fields"]["Question"].rpartition(" ")[2].partition("?")[0]: each["fields"]["Answer"]
            .replace("<p>", "")
            .replace("</p>", "")
            .strip()
            for each in self.do("read")
        }

    def reviews(self) -> dict[str, list[int]]:
        """Return the interval, due day and number of reviews of each note, by its GUID."""
        found = {}
        for each in self.do("read"):
            interval, _, due, reviews = self.do("card", f"nid:{each['id']}")
            found[each["guid"]] = [interval, due, reviews]
        return found

    def decks(self) -> dict[str, int]:
        """Return the numbers of cards in the decks that have some."""
        return {name: count for name, count in self.do("decks").items() if count}

    def mine(self) -> None:
        """Edit the answer about hooks."""
        self.do("edit", "Question:*hook*", {"Answer": "<p>A function of mine.</p>"}, "own")


@pytest.fixture
def world(tmp_path: Path, installed: Path, releases: Path) -> Iterator[World]:
    base = shutil.copytree(installed, tmp_path / "base")
    with publishing(tmp_path / "live") as server, with_addon(base) as learner:
        yield World(learner, server, tmp_path / "live", releases)


def test_a_learner_follows_a_deck_studies_updates_and_undoes(world: World) -> None:
    learner, do = world.learner, world.do
    learner.follow(world.server.url)
    first = learner.window("PyTorch")
    questions = [f"What is a {name}?" for name in FIRST | MOVED]
    assert (first["title"], first["texts"], first["buttons"], first["names"]) == (
        "PyTorch: subscribe to 1.0",
        ["\n".join(["For example", *EXAMPLES, "What is in it (5)", "Autograd", *questions, ""])],
        ["Cancel", "Subscribe"],
        ["What changes"],
    )
    assert first["labels"] == [
        "PyTorch",
        "Notes: 5 · Version 1.0 (11\u2060/\u206022\u2060/\u206025) · 127.0.0.1",
        *HAPPENS,
    ]
    assert world.fields() == {}
    do("press", "PyTorch", "Subscribe")
    learner.notice("PyTorch 1.0: done; Ctrl+Z takes it back")
    assert world.fields() == FIRST | MOVED
    do("review", "PyTorch")
    learner.wait(lambda: do("state") == "review")
    do("answer", 4)
    learner.wait(lambda: any(reviews for *_, reviews in world.reviews().values()))
    do("state", "deckBrowser")
    world.mine()
    before = world.reviews()
    world.publish("1.1")
    world.next_day()
    shown = learner.window("1.0 → 1.1")
    assert shown["texts"][0].split("\n") == [
        "• 1 changed by you and the author: yours stays, the author's waits in Your Changes",
        "• 1 changed",
        "• 1 new",
        "• 1 moved",
        "• 1 removed by the author",
        "Changed by you and the author: yours stays, the author's waits (1)",
        "What is a hook?",
        "Yours",
        "A function of mine.",
        "Author's",
        "A function that is called.",
        "Changed (1)",
        "What is a leaf?",
        "A tensor that you made.",
        "Moved (1)",
        "What is a batch?: PyTorch::Autograd → PyTorch::Optim",
        "New (1)",
        "Autograd",
        "What is a epoch?",
        "Removed by the author (1)",
        "What is a step?",
        "",
    ]
    assert (shown["buttons"], shown["choices"]) == (["Skip 1.1", "Later", "Update"], ["suspend"])
    assert shown["boxes"] == {"Move cards as the author did": True}
    do("press", "1.0 → 1.1", "Update")
    learner.notice("1.1: done")
    after = {**FIRST, **MOVED, **SECOND, "hook": "A function of mine."}
    assert (world.fields(), world.decks()) == (after, {"PyTorch::Autograd": 5, "PyTorch::Optim": 1})
    assert {guid: each for guid, each in world.reviews().items() if guid in before} == before
    assert len(do("read", "is:suspended")) == 1
    asked = len(world.server.requests)
    world.next_day()
    learner.wait(lambda: len(world.server.requests) > asked)
    learner.wait(lambda: all(each["day"] for each in do("remembered").values()))
    ((path, headers),) = world.server.requests[asked:]
    assert (path, "If-None-Match" in headers, do("windows")) == ("/deck.json", True, [])
    assert "Update PyTorch 1.1" in do("undo")
    learner.wait(lambda: world.fields() == {**FIRST, **MOVED, "hook": "A function of mine."})
    assert world.decks() == {"PyTorch::Autograd": 5}
    assert world.reviews() == before
    world.next_day()
    learner.window("1.0 → 1.1")


def test_later_asks_again_on_the_next_day_and_skip_does_not(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    world.publish("1.1")
    do("synced")
    world.next_day()
    learner.window("1.0 → 1.1")
    do("press", "1.0 → 1.1", "Later")
    do("synced")
    world.next_day()
    learner.window("1.0 → 1.1")
    do("press", "1.0 → 1.1", "Skip 1.1")
    asked = len(world.server.requests)
    world.next_day()
    learner.wait(lambda: len(world.server.requests) > asked)
    learner.wait(lambda: all(each["day"] for each in do("remembered").values()))
    assert (do("windows"), world.server.requests[asked][1].get("If-None-Match") is not None) == ([], True)
    do("menu", "Subscribe", "Check Now")
    learner.window("1.0 → 1.1")


def test_the_list_waits_until_the_learner_stops_studying(world: World) -> None:
    world.subscribe()
    world.do("review", "PyTorch")
    world.learner.wait(lambda: world.do("state") == "review")
    world.publish("1.1")
    asked = len(world.server.requests)
    world.next_day()
    world.learner.wait(lambda: len(world.server.requests) > asked + 1)
    world.learner.wait(lambda: all(each["day"] for each in world.do("remembered").values()))
    assert world.do("windows") == []
    world.do("state", "deckBrowser")
    world.learner.window("1.0 → 1.1")


def test_everything_works_with_the_keyboard(world: World) -> None:
    learner, do = world.learner, world.do
    learner.follow(world.server.url)
    learner.window("PyTorch")
    assert do("keys", "Down") == "_TextView What changes"
    assert do("keys", "Return", "Space") == "_TextView What changes"
    assert [do("keys", "Tab") for _ in range(3)] == [
        "QPushButton Cancel",
        "QPushButton Subscribe",
        "_TextView What changes",
    ]
    do("keys", "Alt+S")
    learner.notice("1.0: done")
    world.mine()
    world.publish("1.1")
    world.next_day()
    assert learner.window("1.0 → 1.1")["unnamed"] == []
    assert [do("keys", "Tab") for _ in range(6)] == [
        "QCheckBox Move cards as the author did",
        "QComboBox ",
        "QPushButton Skip 1.1",
        "QPushButton Later",
        "QPushButton Update",
        "_TextView What changes",
    ]
    assert do("keys", "Alt+R") == "QComboBox "
    do("keys", "Down", "Alt+M", "Alt+U")
    learner.notice("1.1: done")
    assert (do("read", "is:suspended"), world.decks()) == ([], {"PyTorch::Autograd": 6})
    do("menu", "Subscribe", "Your Changes…")
    waiting = [["● What is a hook?"]]
    assert learner.settled("Your Changes", lambda each: each["lists"] == waiting)["unnamed"] == []
    assert [do("keys", "Tab") for _ in range(6)] == [
        "_TextView Your text and the author's, with the differences marked:",
        "QPushButton Keep mine",
        "QPushButton Take the author's",
        "QPushButton Suggest this edit…",
        "QPushButton Close",
        "QComboBox ",
    ]
    do("keys", "Alt+T")
    learner.settled("Your Changes", lambda each: not any(each["lists"]))
    assert world.fields() == {**FIRST, **SECOND, **MOVED}
    do("keys", "Escape")
    learner.gone("Your Changes")


def see_your_changes(world: World) -> None:
    """Update to a release in which one field waits, and open *Your Changes*."""
    world.publish("1.1")
    world.next_day()
    world.learner.window("1.0 → 1.1")
    world.do("press", "1.0 → 1.1", "Update")
    world.learner.notice("1 to look at: Tools › Subscribe › Your Changes")
    world.do("menu", "Subscribe", "Your Changes…")


def test_words_from_right_to_left_keep_their_direction_beside_ours(world: World) -> None:
    learner, do = world.learner, world.do
    world.change_feed(name="قواعد")
    world.subscribe()
    do("menu", "Subscribe", "Subscriptions…")
    learner.window("Subscriptions")
    do("press", "Subscriptions", "Unfollow…")
    assert learner.window("Subscribe")["labels"] == ["Stop following \u2068قواعد\u2069? Its notes stay."]
    do("keys", "Escape")
    learner.gone("Subscribe")
    do("press", "Subscriptions", "Close")
    do("edit", "Question:*hook*", {"Answer": "<p>دالة ATP لي.</p>"})
    see_your_changes(world)
    shown = learner.settled("Your Changes", lambda each: [*map(len, each["lists"])] == [1])
    assert shown["texts"] == ["Yours\nدالة ATP لي.\nAuthor's\nA function that is called.\n"]


def test_lines_have_the_direction_of_the_deck_and_ours_that_of_our_language(world: World) -> None:
    learner, do = world.learner, world.do
    world.change_feed(language="ar")
    learner.follow(world.server.url)
    shown = learner.window("subscribe to 1.0")["texts"][0].split("\n")
    ours = ["For example", "What is in it (5)"]
    assert do("to_left", "subscribe to 1.0") == [each for each in shown if each and each not in ours]
    assert {*ours, *EXAMPLES} <= {*shown}
    do("press", "subscribe to 1.0", "Cancel")
    world.change_feed(language="")
    learner.follow(world.server.url)
    learner.window("subscribe to 1.0")
    assert do("to_left", "subscribe to 1.0") == []


def test_the_language_of_a_deck_has_its_own_name(world: World) -> None:
    languages = {"": [], "xx": [], "en": ["English"], "pt": ["português"], "zh-Hans": ["简体中文"]}
    languages |= {"sr-Latn": ["srpski"], "ar": ["\u2068العربية\u2069"]}
    for language, named in languages.items():
        world.change_feed(language=language)
        world.learner.follow(world.server.url)
        facts = world.learner.window("subscribe to 1.0")["labels"][1].split(" · ")
        assert facts[:-2] == ["Notes: 5", *named]
        world.do("press", "subscribe to 1.0", "Cancel")
        world.learner.gone("subscribe to 1.0")


def test_your_changes_keep_take_suggest_and_unfollow(world: World, tmp_path: Path) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    world.mine()
    do("edit", "Question:*graph*", {"Answer": "<p>A record.</p>"})
    see_your_changes(world)
    both = ["● What is a hook?", "What is a graph?"]
    shown = learner.settled("Your Changes", lambda each: each["lists"] == [both])
    assert shown["texts"] == ["Yours\nA function of mine.\nAuthor's\nA function that is called.\n"]
    assert do("columns", "Your Changes") == [2]
    do("resize", "Your Changes", 430, 400)
    learner.wait(lambda: do("columns", "Your Changes") == [1])
    do("press", "Your Changes", "Keep mine")
    kept = ["What is a hook?", "What is a graph?"]
    learner.settled("Your Changes", lambda each: sorted(each["lists"][0]) == sorted(kept))
    assert "Keep My Text" in do("undo")
    learner.settled("Your Changes", lambda each: each["lists"] == [both])
    do("press", "Your Changes", "Suggest this edit…")
    heading = "Suggest an edit to the author of PyTorch"
    window = learner.window(heading)
    assert (window["buttons"], window["unnamed"]) == (["Close", "Save file…", "Open GitHub"], [])
    assert "Your text of these fields goes along: Answer" in window["labels"]
    assert window["texts"] == ["", shown["texts"][0]]
    do("write", heading, "It is mine")
    do("opened_pages")
    do("press", heading, "Open GitHub")
    (page,) = learner.wait(lambda: do("opened_pages"))
    parts = urlsplit(page)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == ISSUES
    assert "```json ptcards-suggestion" in parse_qs(parts.query)["body"][0]
    do("press", heading, "Save file…")
    file = tmp_path / "mine.suggestion"
    learner.window("Suggestion")
    do("save_as", str(file))
    learner.wait(file.exists)
    suggestion = json.loads(file.read_text("utf-8"))
    assert (suggestion["deck"], suggestion["version"], suggestion["reason"]) == (
        "6f0c2c0e",
        "1.1",
        "It is mine",
    )
    assert len(suggestion["fields"]) == 1
    saved = f"Saved: {file}. Send it to the author."
    learner.settled(heading, lambda each: saved in each["labels"])
    do("press", heading, "Close")
    do("press", "Your Changes", "Close")
    do("menu", "Subscribe", "Subscriptions…")
    shown = learner.window("Subscriptions")
    assert (shown["unnamed"], shown["tables"][0][0][3]) == ([], "up to date · 1 to look at")
    do("press", "Subscriptions", "Your Changes…")
    learner.settled("Your Changes", lambda each: each["lists"] == [both])
    do("press", "Your Changes", "Keep mine")
    learner.wait(lambda: learner.window("Subscriptions")["tables"][0][0][3] == "up to date")
    do("press", "Your Changes", "Close")
    do("press", "Subscriptions", "Unfollow…")
    learner.settled("Subscribe", lambda each: "Stop following" in each["buttons"])
    do("press", "Subscribe", "Stop following")
    learner.notice("You no longer follow PyTorch; its notes stay.")
    assert len(world.fields()) == 6
    do("menu", "Subscribe", "Your Changes…")
    learner.notice("You follow no deck yet")


def test_a_script_needs_the_trust_of_the_learner(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    world.publish("1.2")
    world.next_day()
    shown = learner.window("1.0 → 1.2")
    assert "It brings programs (scripts): notes (1)" in shown["texts"][0].split("\n")
    box = "I trust the author; allow this"
    assert (shown["off"], shown["boxes"][box]) == (["Update"], False)
    do("press", "1.0 → 1.2", box)
    assert learner.window("1.0 → 1.2")["off"] == []
    do("press", "1.0 → 1.2", "Update")
    learner.notice("1.2: done")
    assert world.fields()["epoch"] == f"A round.{SCRIPT}"


def test_notes_in_ankis_copy_of_the_type_follow_through_a_list_of_their_own(
    world: World, tmp_path: Path
) -> None:
    """The learner added a field, so an import by hand makes a copy of the type, which they change back."""
    learner, do = world.learner, world.do
    author = author_of(tmp_path / "beta", "Beta", 1)
    adopt, trust = "Let imported notes follow this deck (1)", "I trust the author; allow this"
    with publishing(tmp_path / "beta") as server:
        learner.follow(server.url)
        learner.window("Beta: subscribe to 1.0")
        do("press", "Beta: subscribe to 1.0", "Subscribe")
        learner.notice("Beta 1.0: done")
        do("add_field", "Mine", "Beta")
        author.put("more", "What is more?", "One.", deck="Beta")
        author.release("1.1")
        do("import_by_hand", str(author.file))
        author.put("more", "What is more?", SCRIPT)
        author.put("Beta0", "What is Beta?", "A good deck.")
        author.release("1.2")
        do("menu", "Subscribe", "Check Now")
        alone = "Left alone, because they have another note type: 1 (What is more?). To let them follow, choose Notes › Change Note Type in the browser."
        shown = learner.window("1.0 → 1.2")
        assert shown["texts"][0].split("\n") == [
            "• 1 changed",
            f"• {alone}",
            "Changed (1)",
            "What is Beta?",
            "Back",
            "A good deck.",
            "",
        ]
        assert (shown["buttons"], shown["boxes"]) == (["Skip 1.2", "Later", "Update"], {})
        do("press", "1.0 → 1.2", "Later")
        do("change_note_type", "More", "Beta")
        do("menu", "Subscribe", "Check Now")
        shown = learner.window("1.0 → 1.2")
        alone = "Left alone, because this subscription did not bring them; perhaps you imported them: 1 (What is more?)"
        assert f"• {alone}" in shown["texts"][0].split("\n")
        assert (shown["buttons"], shown["off"]) == ([adopt, "Skip 1.2", "Later", "Update"], [])
        do("press", "1.0 → 1.2", adopt)
        both = learner.settled("1.0 → 1.2", lambda each: adopt not in each["buttons"])
        assert both["texts"][0].split("\n") == [
            "It brings programs (scripts): notes (1)",
            "• Imported notes that will follow this deck from now on: 1",
            "• 2 changed",
            "Changed (2)",
            "What is Beta?",
            "Back",
            "A good deck.",
            "What is more?",
            "Back",
            "One.",
            "",
        ]
        assert (both["off"], both["boxes"]) == (["Update"], {trust: False})
        assert [each["title"] for each in do("windows")] == ["Beta: 1.0 → 1.2"]
        do("press", "1.0 → 1.2", trust)
        do("press", "1.0 → 1.2", "Update")
        learner.notice("Beta 1.2: done")
        assert [each["fields"]["Back"] for each in do("read", "deck:Beta")] == ["A good deck.", SCRIPT]
        do("menu", "Subscribe", "Check Now")
        learner.notice("Up to date: Beta")
        assert "Update Beta 1.2" in do("undo")
        learner.wait(lambda: do("read", "deck:Beta Back:One."))
        do("menu", "Subscribe", "Check Now")
        assert adopt in learner.window("1.0 → 1.2")["buttons"]


def test_markup_in_the_name_of_a_feed_is_shown_as_it_is(world: World) -> None:
    learner, do = world.learner, world.do
    name = "<img src='https://evil.example/x'><b>Bold</b> & more"
    world.change_feed(name=name)
    learner.follow(world.server.url)
    shown = learner.window("Bold")
    assert shown["labels"][0] == name.replace("&", "")
    assert do("plain")
    do("press", "Bold", "Subscribe")
    assert "&lt;b&gt;Bold&lt;/b&gt; &amp; more 1.0: done" in learner.notice("1.0: done")


def test_a_large_package_is_loaded_after_a_question(world: World) -> None:
    learner, do = world.learner, world.do
    world.change_feed(package=world.feed["package"] | {"size": 200 << 20})
    learner.follow(world.server.url)
    learner.settled("Subscribe", lambda each: "PyTorch has 200 MB. Load it now?" in each["labels"])
    assert [path for path, _ in world.server.requests] == ["/deck.json"]
    do("press", "Subscribe", "Load")
    wrong = "The package is not the one that the feed describes; nothing was changed"
    wrong = f"{wrong}\n{world.server.url}deck.json"
    learner.settled("Subscribe", lambda each: wrong in each["labels"])
    assert world.fields() == {}


def test_a_very_long_name_does_not_fill_the_screen(world: World) -> None:
    world.change_feed(name="long " * 100_000)
    world.learner.follow(world.server.url)
    width, height = world.learner.window("long")["size"]
    assert (width, height <= 560) == (640, True)


def test_a_deck_with_a_link_to_its_page_can_be_followed(world: World) -> None:
    learner, do = world.learner, world.do
    world.import_by_hand("1.0")
    do("overview", "PyTorch")
    assert do("overview_buttons") == []
    do("describe", "PyTorch", f"Version 1.0. [What is new]({world.server.url}#v=1.0)")
    do("overview", "PyTorch")
    assert do("overview_buttons", "Follow updates") == ["Follow updates"]
    shown = learner.window("subscribe to 1.0")
    assert shown["labels"][3] == "• You already have 5 of its notes; they will follow this feed."
    assert shown["texts"] == ["\n".join(["For example", *EXAMPLES, ""])]
    do("press", "subscribe to 1.0", "Subscribe")
    learner.notice("1.0: done")
    assert do("overview_buttons") == []
    assert world.fields() == FIRST | MOVED


def test_a_mistake_is_reported_from_the_reviewer_and_the_browser(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    do("review", "PyTorch")
    learner.wait(lambda: do("state") == "review")
    entry = "Suggest This Edit / Report a Mistake…"
    assert do("card_menu", entry) == [entry]
    heading = "Suggest an edit to the author of PyTorch"
    window = learner.window(heading)
    assert (window["labels"][-2:], window["off"]) == (
        [
            "You did not change this note, so only what you write here goes along: say what is wrong.",
            "Nothing is sent from Anki: you press the button on the page that opens, or send the file.",
        ],
        ["Save file…", "Open GitHub"],
    )
    do("write", heading, "It is wrong")
    assert learner.window(heading)["off"] == []
    do("press", heading, "Close")
    learner.gone(heading)
    do("edit", "Question:*hook*", {"Answer": '<p>A function.<img src="mine.png"></p>'})
    do("select", "Question:*hook*")
    learner.wait(lambda: do("browser_menu", entry) == [entry])
    assert learner.window(heading)["labels"][-3:-1] == [
        "Your text of these fields goes along: Answer",
        "Pictures that do not go along: 1 (mine.png). Attach them to the issue, or send them with the file.",
    ]


def test_what_goes_wrong_is_said_by_hand_and_only_then(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    for script, sentence in (
        (missing, f"{CHECK}The server answered 404 Not Found"),
        (said(b"<html>"), f"{CHECK}What answered is not a feed of ptcards (deck.json)"),
        (
            redirect("http://portal.example/in"),
            f"{CHECK}Another page answered, http://portal.example/in",
        ),
        (said(b"{}"), f"{CHECK}What answered is not a feed of ptcards (deck.json)"),
        (
            said(b'{"ptcards": 2}'),
            "This feed needs a newer version of the add-on: install it again, from a newer file",
        ),
    ):
        world.server.scripts["/deck.json"] = script
        do("menu", "Subscribe", "Check Now")
        named = f"PyTorch\n{sentence}\n{world.server.url}deck.json"
        assert learner.window("Subscribe")["labels"][-1] == named
        do("press", "Subscribe", "OK")
        learner.gone("Subscribe")
    asked = len(world.server.requests)
    world.server.scripts["/deck.json"] = missing
    world.next_day()
    learner.wait(lambda: len(world.server.requests) > asked)
    learner.wait(lambda: all(each["day"] for each in do("remembered").values()))
    assert do("windows") == []
    days = [each["gone"] - 14 for each in do("remembered").values()]
    do("remembered", {"gone": days[0]})
    world.next_day()
    assert "for 14 days, its address has led nowhere" in learner.window("Subscribe")["labels"][-1]


def test_a_feed_that_went_back_changes_nothing(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    world.publish("1.1")
    world.next_day()
    learner.window("1.0 → 1.1")
    do("press", "1.0 → 1.1", "Update")
    learner.notice("1.1: done")
    world.publish("1.0")
    do("menu", "Subscribe", "Check Now")
    went_back = "The feed went back to 1.0; you have 1.1. Nothing changes."
    named = f"PyTorch\n{went_back}\n{world.server.url}deck.json"
    assert learner.window("Subscribe")["labels"][-1] == named


def test_a_deleted_deck_comes_back_only_if_the_learner_wants_it(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    do("remove")
    world.publish("1.1")
    world.next_day()
    assert learner.window("Subscribe")["buttons"] == ["Stop following", "Bring it back", "Later"]
    do("press", "Subscribe", "Later")
    learner.gone("Subscribe")
    do("menu", "Subscribe", "Check Now")
    learner.window("Subscribe")
    do("press", "Subscribe", "Bring it back")
    learner.window("1.0 → 1.1")
    do("press", "1.0 → 1.1", "Update")
    learner.notice("1.1: done")
    assert world.fields() == SECOND | MOVED


def test_another_address_of_the_same_deck_is_followed_after_a_question(world: World, tmp_path: Path) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    with publishing(tmp_path / "live") as other:
        learner.follow(other.url)
        text = f"You follow this deck at another address: {world.server.url}deck.json\n\nFollow {other.url}deck.json instead?"
        learner.wait(lambda: text in learner.window("Subscribe")["labels"])
        do("press", "Subscribe", "Follow the new address")
        learner.notice("Up to date: PyTorch")
        asked = len(other.requests)
        do("menu", "Subscribe", "Check Now")
        learner.wait(lambda: len(other.requests) > asked)


def test_an_edition_is_followed_at_its_address_and_changed_after_a_question(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, do, url = world.learner, world.do, world.server.url
    monkeypatch.chdir(tmp_path)
    publisher = Publisher(tmp_path / "cards", runner(tmp_path))
    publisher.settings = '[[editions]]\nname = "short"\ntitle = "Short PyTorch"\ndecks = ["Optim"]\n'
    publisher.write(autograd=written("Autograd", FIRST), optim=written("Optim", MOVED))
    publisher.publish_release("1.0", "--first")
    shutil.rmtree(tmp_path / "live")
    shutil.copytree(publisher.dist, tmp_path / "live")
    learner.follow(f"{url}#edition=long")
    text = "The deck has no edition long any more; its page lists those that it has"
    text = f"{text}\n{url}deck.json#edition=long"
    learner.wait(lambda: text in learner.window("Subscribe")["labels"])
    do("press", "Subscribe", "OK")
    learner.gone("Subscribe")
    learner.follow(f"{url}#edition=short")
    learner.window("subscribe to 1.0")
    do("press", "subscribe to 1.0", "Subscribe")
    learner.notice("Short PyTorch 1.0: done")
    assert world.fields() == MOVED
    do("review", "PyTorch")
    learner.wait(lambda: do("state") == "review")
    do("answer", 4)
    learner.wait(lambda: any(reviews for *_, reviews in world.reviews().values()))
    do("state", "deckBrowser")
    reviews = world.reviews()
    learner.follow(url)
    text = f"You follow this deck at another address: {url}deck.json#edition=short\n\nFollow {url}deck.json instead?"
    learner.wait(lambda: text in learner.window("Subscribe")["labels"])
    do("press", "Subscribe", "Follow the new address")
    assert learner.window("PyTorch")["title"] == "PyTorch: Short PyTorch 1.0 → PyTorch 1.0"
    do("press", "PyTorch", "Update")
    learner.wait(lambda: world.fields() == FIRST | MOVED)
    assert {guid: world.reviews()[guid] for guid in reviews} == reviews


def test_another_deck_at_the_address_is_said_and_its_package_stays_there(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    world.change_feed(id="0ther0ne", name="Other")
    asked = len(world.server.requests)
    text = f"PyTorch\nThis address leads to another deck now: Other\n{world.server.url}deck.json"
    do("menu", "Subscribe", "Your Changes…")
    shown = learner.settled("Your Changes", lambda each: text in each["labels"])
    assert (shown["lists"], shown["off"]) == (
        [[]],
        ["Select all", "Keep mine", "Take the author's", "Suggest this edit…"],
    )
    do("keys", "Escape")
    learner.gone("Your Changes")
    do("menu", "Subscribe", "Check Now")
    assert learner.window("Subscribe")["labels"][-1] == text
    do("press", "Subscribe", "OK")
    learner.gone("Subscribe")
    world.next_day()
    learner.wait(lambda: len(world.server.requests) == asked + 3)
    learner.wait(lambda: all(each["day"] for each in do("remembered").values()))
    assert ([path for path, _ in world.server.requests[asked:]], do("windows")) == (["/deck.json"] * 3, [])


def test_the_main_thread_goes_on_while_a_server_is_slow(world: World) -> None:
    learner, do = world.learner, world.do
    go_on = threading.Event()

    def slow(handler: Handler) -> None:
        go_on.wait()
        world.server.scripts.pop("/deck.json")
        world.server.scripts.get("/deck.json", missing)(handler)

    world.server.scripts["/deck.json"] = slow
    learner.follow(world.server.url)
    learner.wait(lambda: world.server.requests)
    do("focus")
    learner.wait(lambda: "Loading the deck…" in str(do("windows")))
    assert do("state") == "deckBrowser"
    go_on.set()
    learner.window("subscribe to 1.0")


def test_another_profile_has_no_subscription(world: World, tmp_path: Path) -> None:
    world.subscribe()
    base = tmp_path / "base"
    world.learner.anki.quit()
    with with_addon(base, "User 2") as other:
        other.do("menu", "Subscribe", "Your Changes…")
        other.notice("You follow no deck yet")
        assert (other.do("remembered"), other.do("read")) == ({}, [])


def test_the_windows_are_german_and_small_enough(tmp_path: Path, installed: Path, releases: Path) -> None:
    base = shutil.copytree(installed, tmp_path / "base")
    with publishing(tmp_path / "live") as server, with_addon(base, language="de_DE") as learner:
        world = World(learner, server, tmp_path / "live", releases)
        learner.do("menu", "Abonnieren", "Stapel hinzufügen…")
        learner.window("Abonnieren")
        learner.do("write", "Abonnieren", server.url)
        learner.do("keys", "Return")
        learner.window("PyTorch: 1.0 abonnieren")
        learner.do("press", "PyTorch", "Abonnieren")
        learner.notice("1.0: fertig")
        world.publish("1.1")
        world.next_day()
        shown = learner.window("1.0 → 1.1")
        assert shown["texts"][0].split("\n")[:3] == ["• 2 geändert", "• 1 neu", "• 1 verschoben"]
        learner.do("menu", "Abonnieren", "Ihre Änderungen…")
        changes = learner.settled("Ihre Änderungen", lambda each: "geladen" not in str(each["labels"]))
        sizes = [each["size"] for each in (shown, changes)]
        assert [each for each in sizes if each[0] > 760 or each[1] > 560] == []


def test_arabic_windows_have_one_kind_of_digits(tmp_path: Path, installed: Path, releases: Path) -> None:
    base = shutil.copytree(installed, tmp_path / "base")
    with publishing(tmp_path / "live") as server, with_addon(base, language="ar_SA") as learner:
        shutil.copytree(releases / "1.0", tmp_path / "live")
        learner.do("menu", "الاشتراكات", "إضافة رزمة…")
        learner.window("الاشتراكات")
        learner.do("write", "الاشتراكات", server.url)
        learner.do("keys", "Return")
        facts = learner.window("1.0")["labels"][1]
        assert (re.findall(r"\d+", facts)[:3], facts.isascii()) == (["5", "1", "0"], False)
        assert [each for each in facts if each.isdigit() and not each.isascii()] == []
        learner.do("press", "1.0", "اشتراك")
        learner.notice("1.0")
        learner.do("menu", "الاشتراكات", "قائمة الاشتراكات…")
        learner.do("press", "قائمة", "تحقق الآن")
        row = learner.settled("قائمة", lambda each: each["tables"][0][0][3] == "لا جديد")["tables"][0][0]
        assert [each for each in row[2] if each.isdigit()] != []
        assert [each for each in row[2] if each.isdigit() and not each.isascii()] == []
        learner.do("press", "قائمة", "إغلاق")
        learner.gone("قائمة")
        learner.do("menu", "الاشتراكات", "إضافة رزمة…")
        learner.window("الاشتراكات")
        learner.do("write", "الاشتراكات", f"{server.url}gone/")
        learner.do("keys", "Return")
        wrong = learner.settled("الاشتراكات", lambda each: "404" in str(each["labels"]))["labels"][-1]
        assert [each[0] for each in wrong.split("\n")] == ["\u200f"] * 4  # each line is from right to left


def test_an_anki_that_is_too_old_does_not_load_it(tmp_path: Path) -> None:
    pack(ROOT, tmp_path / "new.ankiaddon")
    with zipfile.ZipFile(tmp_path / "new.ankiaddon") as new, zipfile.ZipFile(tmp_path / "a", "w") as old:
        for name in new.namelist():
            text = new.read(name).decode()
            old.writestr(name, text.replace("250700", "990700") if name == "manifest.json" else text)
    (tmp_path / "base").mkdir()
    with desktop_anki(tmp_path / "base") as anki:
        assert anki.do("install", str(tmp_path / "a")) == "InstallOk False"
    with desktop_anki(tmp_path / "base") as anki:
        assert anki.do("addon", NAME)[2] is False
        assert "Subscribe" not in anki.do("tools")


def test_several_decks_are_checked_in_one_window(world: World, tmp_path: Path) -> None:
    """Two updates and an error: one window has them all, and only one list is open at a time."""
    learner, do = world.learner, world.do
    world.subscribe()
    with publishing(tmp_path / "beta") as beta, publishing(tmp_path / "gamma") as gamma:
        authors = [author_of(tmp_path / "beta", "Beta", 1), author_of(tmp_path / "gamma", "Gamma", 2)]
        for server, name in ((beta, "Beta"), (gamma, "Gamma")):
            learner.follow(server.url)
            learner.window(f"{name}: subscribe to 1.0")
            do("press", f"{name}: subscribe to 1.0", "Subscribe")
            learner.notice(f"{name} 1.0: done")
        do("menu", "Subscribe", "Check Now")
        learner.notice("Up to date: ")
        world.publish("1.1")
        next_release(authors[0])
        gamma.scripts["/deck.json"] = missing
        do("menu", "Subscribe", "Check Now")
        shown = learner.settled("Subscriptions", lambda each: bool(each["texts"]))
        gone = f"Gamma\n{CHECK[:-1]}The server answered 404 Not Found\n{gamma.url}deck.json\n"
        assert shown["texts"] == [gone]
        assert sorted([name, version, state] for name, version, _, state in shown["tables"][0]) == [
            ["Beta", "1.0", "1.1 is available"],
            ["Gamma", "1.0", "not reached"],
            ["PyTorch", "1.0", "1.1 is available"],
        ]
        assert [each["title"] for each in do("windows")] == ["Subscriptions"]
        for name in ("Beta", "PyTorch"):
            do("choose_row", "Subscriptions", name)
            do("press", "Subscriptions", "Show update…")
        learner.window("Beta: 1.0 → 1.1")
        learner.wait(lambda: "Loading" not in str(do("windows")))
        assert sorted(each["title"] for each in do("windows")) == ["Beta: 1.0 → 1.1", "Subscriptions"]
        do("press", "Beta: 1.0 → 1.1", "Later")
        learner.window("PyTorch: 1.0 → 1.1")
        do("press", "PyTorch: 1.0 → 1.1", "Update")
        learner.notice("PyTorch 1.1: done")
        shown = learner.settled("Subscriptions", lambda each: "up to date" in str(each["tables"]))
        assert shown["texts"] == [gone]
        do("opened_pages")
        do("choose_row", "Subscriptions", "Gamma")
        do("press", "Subscriptions", "Open page")
        assert do("opened_pages") == [gamma.url]
        do("press", "Subscriptions", "Close")
        next_release(authors[1])
        del gamma.scripts["/deck.json"]
        world.next_day()
        both = ["Beta: 1.0 → 1.1", "Gamma: 1.0 → 1.1"]
        first = learner.wait(lambda: do("windows"))[0]["title"]
        learner.wait(lambda: all(each["day"] for each in do("remembered").values()))
        assert [each["title"] for each in do("windows")] == [first]
        do("press", first, "Later")
        (second,) = {*both} - {first}
        learner.window(second)
        assert [each["title"] for each in do("windows")] == [second]


def author_of(folder: Path, name: str, number: int) -> Author:
    """Return an author of a small deck, who has released 1.0."""
    kind = geo_type(id=1_600_000_000_000 + number, name=name)
    author = Author(folder, name.lower(), name, kind)
    author.put(f"{name}0", f"What is {name}?", "A deck.", deck=name)
    author.release("1.0")
    return author


def next_release(author: Author) -> None:
    author.put(f"{author.name}0", f"What is {author.name}?", "A better deck.")
    author.release("1.1")


def test_the_authors_texts_are_taken_for_all_selected_fields(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    world.mine()
    do("edit", "Question:*graph*", {"Answer": "<p>A record.</p>"})
    do("menu", "Subscribe", "Your Changes…")
    learner.settled("Your Changes", lambda each: [*map(len, each["lists"])] == [2])
    do("press", "Your Changes", "Select all")
    assert learner.window("Your Changes")["off"] == ["Suggest this edit…"]
    do("press", "Your Changes", "Take the author's")
    shown = learner.settled("Your Changes", lambda each: not any(each["lists"]))
    assert (world.fields(), shown["size"][1] < 150) == (FIRST | MOVED, True)  # without empty panes
    learner.notice("1.0: done; Ctrl+Z takes it back")
    assert "Take the Author's Text" in do("undo")
    learner.settled("Your Changes", lambda each: [*map(len, each["lists"])] == [2])


def test_a_long_question_is_wrapped_where_there_is_no_room(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    question = " ".join(["What is a graph of many operations?"] * 5)
    do("edit", "Question:*graph*", {"Question": question})
    do("menu", "Subscribe", "Your Changes…")
    learner.settled("Your Changes", lambda each: each["lists"] == [[f"{question} · Question"]])
    do("resize", "Your Changes", 390, 700)
    learner.wait(lambda: do("sideways", "Your Changes") == [0, 0])


def test_a_long_word_is_wrapped_also_after_a_table(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    table = "<table><tr><th>Is</th><th>Not</th></tr></table>"
    do("edit", "Question:*graph*", {"Answer": table})
    do("edit", "Question:*hook*", {"Answer": f"<p>{'word' * 90}</p>"})
    do("menu", "Subscribe", "Your Changes…")
    learner.settled("Your Changes", lambda each: [*map(len, each["lists"])] == [2])
    for key in ("Home", "End", "Home"):
        do("keys", key)
        learner.wait(lambda: do("sideways", "Your Changes") == [0, 0])


def test_your_changes_keep_their_size_from_one_to_the_next(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    do("edit", "Question:*hook*", {"Answer": "<p>Mine.</p>"})
    do("edit", "Question:*graph*", {"Answer": "<p>Mine.</p>" * 9})
    do("menu", "Subscribe", "Your Changes…")
    both = ["What is a hook?", "What is a graph?"]
    before = learner.settled("Your Changes", lambda each: [*map(sorted, each["lists"])] == [sorted(both)])
    do("keys", "Down")
    learner.settled("Your Changes", lambda each: each["texts"] != before["texts"])
    assert learner.window("Your Changes")["size"] == before["size"]
    do("keys", "Up")
    assert learner.window("Your Changes")["size"] == before["size"]


def test_two_texts_that_look_alike_have_a_sentence_below_them(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    do("edit", "Question:*graph*", {"Answer": "<p><i>A tape.</i></p>"})
    do("menu", "Subscribe", "Your Changes…")
    shown = learner.settled("Your Changes", lambda each: each["lists"] == [["What is a graph?"]])
    said = "The words are the same; only the formatting, or the way it is written, differs."
    assert shown["texts"] == [f"Yours\nA tape.\nAuthor's\nA tape.\n{said}\n"]
    assert "".join(do("drawn", "Your Changes")) == "*A*tape."


def test_a_table_is_drawn_and_two_tables_are_below_each_other(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    rows = "<table><tr><th>Is</th><th>Not</th></tr><tr><td>one</td><td>two</td></tr></table>"
    do(
        "edit",
        "Question:*graph*",
        {"Answer": f"<p>See:</p>{rows}<ul><li>So<ul><li>it is</li></ul></li></ul>"},
    )
    do("menu", "Subscribe", "Your Changes…")
    shown = learner.settled("Your Changes", lambda each: "two" in str(each["texts"]))
    cells = "\n".join(f"\u2068{each}\u2069" for each in ("Is", "Not", "one", "two"))
    assert shown["texts"] == [f"Yours\nSee:\n{cells}\n• So\n\u2003• it is\nAuthor's\nA tape.\n"]
    assert do("columns", "Your Changes") == [1]


def test_a_script_is_drawn_where_unicode_has_no_letter_for_it(world: World) -> None:
    learner, do = world.learner, world.do
    world.subscribe()
    do(
        "edit",
        "Question:*graph*",
        {"Question": r"What is \(K_b\)?", "Answer": r"\(e^{-E_{a}/RT}\), H<sub>2</sub>O"},
    )
    do("menu", "Subscribe", "Your Changes…")
    learner.settled("Your Changes", lambda each: [*map(len, each["lists"])] == [2])
    do("press", "Your Changes", "Select all")
    shown = learner.settled("Your Changes", lambda each: "H₂O" in str(each["texts"]))
    assert shown["lists"] == [["What is K_b? · Question", "What is K_b? · Answer"]]
    assert do("drawn", "Your Changes") == ["_b", "_b", "_b", "^−Eₐ/RT"]


def test_what_is_not_an_address_is_said(world: World) -> None:
    learner, do = world.learner, world.do
    learner.follow("not an address")
    text = "“not an address” is not an address. Paste the one of the deck's page, such as https://example.org/deck/"
    learner.settled("Subscribe", lambda each: text in each["labels"])
    assert world.server.requests == []
    do("press", "Subscribe", "OK")
    learner.gone("Subscribe")


def test_an_address_that_led_nowhere_is_there_to_be_corrected(world: World) -> None:
    learner, do = world.learner, world.do
    world.server.scripts["/gone/deck.json"] = missing
    wrong, right = f"{world.server.url}gone/", world.server.url
    for address, before in (("a b", ""), (wrong, "a b"), (right, wrong)):
        do("menu", "Subscribe", "Add a Deck…")
        assert learner.window("Subscribe")["typed"] == [before]
        do("write", "Subscribe", address)
        do("keys", "Return")
        if address != right:
            learner.settled("Subscribe", lambda each: each["buttons"] == ["OK"])
            do("press", "Subscribe", "OK")
            learner.gone("Subscribe")
    learner.window("subscribe to 1.0")
    do("press", "subscribe to 1.0", "Cancel")
    do("menu", "Subscribe", "Add a Deck…")
    assert learner.window("Subscribe")["typed"] == [""]


def test_after_installing_one_line_says_where_it_is(tmp_path: Path) -> None:
    with with_addon(tmp_path / "base") as learner:
        learner.notice("Subscribe is installed: Tools › Subscribe follows a deck")
