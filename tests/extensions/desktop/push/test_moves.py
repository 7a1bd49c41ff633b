"""A move is not an edit: learners keep their edits and tags in what moves, however it reaches their Anki.

`older/` contains a collection as it was built and pushed by the last version whose cards showed the field
`Topic` (see `older/make.py`).
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from anki_backend import cards_of, import_text, notes_by_guid, sides
from ankiconnect import AnkiConnect, Door, door
from conftest import Ran
from desktop import HERE, AnkiProcess, anki_of
from identity_release import FIRST_DAY, Learner, studying
from ptcards.extensions.desktop.push.record import record_file
from ptcards.identity.hashes import content_hash
from ptcards.workspace import Workspace

OLDER = HERE / "older"
A0, B0, C0, D0 = "bBiqrTZtKbk", "O38jOZjMkPd", "nOeIsT99A0Q", "kvkdF9yM7dM"
HAUS, BAUM = "2eXe7qsBeNM", "vs9W95hcj90"
"""Notes of the collection's own note types."""
NOTES = 10
EDITED = (A0, B0, C0, D0)
"""The notes that the learner edits and tags."""
WRITING = {"updateNoteFields", "removeTags", "deleteNotes"}
"""What must not be asked; `addTags` without notes only refreshes windows, and the rows contain the tags."""


@dataclass(frozen=True)
class Mini:
    """The collection, with the sources and the lock of the version before; its builds are a day later."""

    deck: Path
    run: Callable[..., Ran]

    @property
    def package(self) -> Path:
        return self.deck.parent / "build/mini.apkg"

    @property
    def csv(self) -> Path:
        return self.package.with_suffix(".anki.csv")

    @property
    def lock(self) -> list[list[str]]:
        """The columns of each line of the lock."""
        return [line.split("\t") for line in (self.deck / "deck.lock").read_text().splitlines()]

    def build(self) -> str:
        """Build for all uses; return what is printed about the changes."""
        formats = ("--format", "apkg", "--format", "anki-csv")
        ran = self.run("build", self.deck, "-o", self.package.parent, *formats)
        assert ran.status == 0, ran.err
        _, _, said = ran.err.partition(f"Mini: {NOTES} notes, 12 cards in 0.00 s\n")
        first = said.partition("\n")[0].strip()
        return "" if first.startswith("build/") else first

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.deck / name).read_text()
        assert text.count(old) == 1
        (self.deck / name).write_text(text.replace(old, new))


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ptcards: Callable[..., Ran]) -> Mini:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(FIRST_DAY + 86_400))
    return Mini(shutil.copytree(OLDER / "deck", tmp_path / "deck"), ptcards)


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Learner]:
    """Return a learner who has studied the package of the version before."""
    with studying(tmp_path / "anki") as learner:
        assert learner.get(OLDER / "mini.apkg") == {"new": NOTES}
        learner.study()
        yield learner


def edit(anki: Learner) -> None:
    for guid in EDITED:
        anki.edit(guid, "Answer", mine(anki.field(guid, "Answer")))
        anki.add_tag(guid, "mine")


def mine(answer: str) -> str:
    return answer.replace("<p>", "<p>Mine: ", 1)


def state(anki: Learner) -> object:
    """Return everything that an update must not change."""
    notes = {guid: (note.fields, note.tags) for guid, note in notes_by_guid(anki.collection).items()}
    return notes, anki.progress, anki.schema


def chip(deck: str) -> str:
    return f'<div class="chips" dir="auto"><span class="chip topic">{deck.rpartition("::")[2]}</span>'


@pytest.fixture
def pushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """Return an Anki that the version before has pushed to, with its record."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "profile").mkdir()
    anki = AnkiConnect(tmp_path / "profile")
    anki.do("import_by_hand", str(OLDER / "mini.apkg"))
    record = record_file(tmp_path / "state/ptcards", "abcdef12", anki.do_getMediaDirPath())
    record.parent.mkdir(parents=True)
    shutil.copy(OLDER / "push.json", record)
    with door(anki) as opened:
        monkeypatch.setenv("PTCARDS_ANKI_URL", opened.url)
        yield opened
    anki.do("check")
    anki.do("quit")


def edit_in(anki: Door | AnkiProcess) -> None:
    for guid in EDITED:
        (note,) = anki.do("read", f"GUID:{guid}")
        anki.do("edit", f"GUID:{guid}", {"Answer": mine(note["fields"]["Answer"])}, "mine")


# What the version before left


def test_a_build_changes_no_line_of_the_lock_but_those_of_the_built_in_note_types(mini: Mini) -> None:
    before = mini.lock
    assert mini.build() == "new look"
    new = [line[:2] for line in mini.lock if line not in before]
    assert new == [["type", "cloze"], ["type", "qa"]]
    assert mini.build() == ""


def test_a_learner_gets_the_new_look_and_nothing_else(mini: Mini, anki: Learner) -> None:
    edit(anki)
    before = state(anki)
    mini.build()
    assert anki.get(mini.package) == {"duplicate": NOTES}
    assert state(anki) == before
    front, back = sides(cards_of(anki.collection, B0)[0])
    assert (chip("Mini::Beta") in front, chip("Mini::Beta") in back) == (True, True)
    assert f'<a href="https://example.org/issues?title={B0}">' in back


def test_the_chip_shows_the_deck_that_contains_the_card(mini: Mini, anki: Learner) -> None:
    mini.build()
    anki.get(mini.package)
    anki.move(f"GUID:{B0}", "Mine::Elsewhere")
    front, back = sides(cards_of(anki.collection, B0)[0])
    assert (chip("Mine::Elsewhere") in front, chip("Mine::Elsewhere") in back) == (True, True)


def test_csv_files_agree_with_packages_of_the_other_version(mini: Mini, anki: Learner) -> None:
    mini.build()
    alike = {"duplicate": NOTES, "missing_notetype": 1}  # the header
    assert import_text(anki.collection, mini.csv) == alike
    with studying(mini.deck.parent / "another") as other:
        assert other.get(mini.package) == {"new": NOTES}
        assert import_text(other.collection, OLDER / "mini.anki.csv") == alike


def test_a_diff_tells_of_the_new_look_once(mini: Mini) -> None:
    assert mini.run("diff", mini.deck, OLDER / "deck").out == (
        f"Mini, since {OLDER / 'deck'}: new look\n\n"
        "New look\n"
        "  Anki replaces templates and CSS, including a learner's own changes to them; reviews stay.\n\n"
        "next version: patch: only wording or appearance changes\n"
    )


def test_a_push_writes_the_look_and_no_field(mini: Mini, pushed: Door) -> None:
    before = pushed.do("rows")
    ran = mini.run("push", mini.deck)
    said = "pushed the styling in 0.00 s; Ctrl-Z in Anki undoes it\n"
    assert ran == Ran(0, 'Anki: profile "User 1"\n~ new styling      qa, cloze\n', said)
    assert not WRITING & {*pushed.asked}
    assert pushed.do("rows") == before
    assert mini.run("push", mini.deck).err == "nothing to push\n"
    assert mini.run("pull", mini.deck).out == ""


# Moves


def move_note(mini: Mini) -> None:
    mini.replace("alpha.md", "# Beta\n\n", "")


def move_file(mini: Mini) -> None:
    (mini.deck / "gamma/c.md").rename(mini.deck / "c.md")
    (mini.deck / "gamma/leaf.md").rename(mini.deck / "stem.md")


def rename_heading(mini: Mini) -> None:
    mini.replace("alpha.md", "# Beta\n", "# Better\n")


def rename_folder(mini: Mini) -> None:
    (mini.deck / "gamma").rename(mini.deck / "zeta")


class Move(NamedTuple):
    """A change of the sources, and the decks from and to which it moves notes, by their GUIDs."""

    make: Callable[[Mini], None]
    decks: Mapping[str, tuple[str, str]]

    @property
    def with_chips(self) -> dict[str, tuple[str, str]]:
        """The decks of the notes of the built-in note types."""
        return {guid: decks for guid, decks in self.decks.items() if guid in EDITED}


MOVES = {
    "a moved note": Move(move_note, {B0: ("Mini::Beta", "Mini::Alpha")}),
    "a moved file": Move(
        move_file,
        {
            C0: ("Mini::Gamma::Delta", "Mini::Delta"),
            D0: ("Mini::Gamma::Leaf", "Mini::Stem"),
            HAUS: ("Mini::Gamma::Words", "Mini::Words"),
            BAUM: ("Mini::Gamma::Words", "Mini::Words"),
        },
    ),
    "a renamed heading": Move(rename_heading, {B0: ("Mini::Beta", "Mini::Better")}),
    "a renamed folder": Move(
        rename_folder,
        {
            C0: ("Mini::Gamma::Delta", "Mini::Zeta::Delta"),
            D0: ("Mini::Gamma::Leaf", "Mini::Zeta::Leaf"),
            HAUS: ("Mini::Gamma::Words", "Mini::Zeta::Words"),
            BAUM: ("Mini::Gamma::Words", "Mini::Zeta::Words"),
        },
    ),
}
each_move = pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)


@each_move
def test_a_move_keeps_its_time_and_what_learners_did(mini: Mini, anki: Learner, move: Move) -> None:
    edit(anki)
    before = state(anki)
    move.make(mini)
    assert mini.build() == f"{len(move.decks)} moved, new look"
    moved = {line[1]: (line[3], line[11]) for line in mini.lock if line[1] in move.decks}
    assert moved == {guid: (str(FIRST_DAY), now) for guid, (_, now) in move.decks.items()}
    assert anki.get(mini.package) == {"duplicate": NOTES}
    assert state(anki) == before
    for guid, (was, _) in move.with_chips.items():
        assert chip(was) in sides(cards_of(anki.collection, guid)[0])[0]
    assert mini.build() == ""


@each_move
def test_a_new_learner_gets_the_new_decks_and_topics(mini: Mini, tmp_path: Path, move: Move) -> None:
    move.make(mini)
    mini.build()
    with studying(tmp_path / "new") as new:
        assert new.get(mini.package) == {"new": NOTES}
        for guid, (_, now) in move.with_chips.items():
            assert new.field(guid, "Topic") == now.rpartition("::")[2]
            assert chip(now) in sides(cards_of(new.collection, guid)[0])[0]


@each_move
def test_the_hashes_after_a_move_are_those_of_the_notes_where_they_are(mini: Mini, move: Move) -> None:
    """The version before, which compares only them, then has nothing to send again either."""
    move.make(mini)
    mini.build()
    (contents,) = Workspace.read([mini.deck]).contents
    lock, _ = contents.published.lock()
    assert lock is not None
    assert {record.guid: record.fingerprint.content for record in lock.records} == dict(
        zip(contents.published.guids(), map(content_hash, contents.notes), strict=True)
    )


@each_move
def test_a_push_moves_cards_and_writes_no_field(mini: Mini, pushed: Door, move: Move) -> None:
    edit_in(pushed)
    before = pushed.do("rows")
    move.make(mini)
    ran = mini.run("push", mini.deck)
    assert (ran.status, "\nx" in ran.out, "= 4 kept" in ran.out) == (0, False, True)
    assert f"> {len(move.decks)} card" in ran.out
    assert not WRITING & {*pushed.asked}
    assert pushed.do("rows") == before
    assert mini.run("push", mini.deck).err == "nothing to push\n"
    edits = [line for line in mini.run("pull", mini.deck).out.splitlines() if line.startswith("  ")]
    assert [line.partition(":")[0] for line in edits if not line.startswith("   ")] == ["  Answer"] * 4


@each_move
def test_a_push_without_a_record_finds_no_conflict_in_a_move(
    mini: Mini, pushed: Door, tmp_path: Path, move: Move
) -> None:
    before = pushed.do("rows")
    (record,) = (tmp_path / "state/ptcards/push").glob("*.json")
    record.unlink()
    move.make(mini)
    first, *said = mini.run("push", mini.deck).out.splitlines()[1:]
    assert first.startswith(f"> {len(move.decks)} card")
    assert [line for line in said if not line.startswith("   ")] == [
        "x 2 conflicts      styling of qa changed in Anki and here   (--overwrite takes the text from the sources)"
    ]
    assert pushed.do("rows") == before


def test_a_push_of_other_fields_writes_the_topic_too(mini: Mini, pushed: Door) -> None:
    move_note(mini)
    mini.replace("alpha.md", "The first of Beta.", "The last of Alpha.")
    assert "~ 1 changed" in mini.run("push", mini.deck).out
    (note,) = pushed.do("read", f"GUID:{B0}")
    assert (note["fields"]["Answer"], note["fields"]["Topic"]) == ("<p>The last of Alpha.</p>", "Alpha")


def test_a_diff_says_that_a_move_keeps_the_edits_of_learners(mini: Mini) -> None:
    move_note(mini)
    assert mini.run("diff", mini.deck, OLDER / "deck").out.split("\n\n")[:3] == [
        f"Mini, since {OLDER / 'deck'}: 1 moved, new look",
        (
            "Moved (1)\n"
            "  Anki does not move cards on an update: current learners keep them where they are; new learners get the "
            "new deck. A move alone changes nothing else: learners' own edits and tags stay."
        ),
        "  Mini::Alpha\n    What is b0?  (deck/alpha.md:29)\n      was in Mini::Beta",
    ]


def test_a_note_that_was_moved_and_edited_counts_as_both(mini: Mini, anki: Learner) -> None:
    move_note(mini)
    mini.replace("alpha.md", "The first of Beta.", "The last of Alpha.")
    assert mini.build() == "~1 changed, 1 moved, new look"
    assert anki.get(mini.package) == {"updated": 1, "duplicate": NOTES - 1}
    assert anki.field(B0, "Topic") == "Alpha"


def test_a_refresh_sends_a_moved_note_again_like_all_others(mini: Mini) -> None:
    move_note(mini)
    ran = mini.run("build", mini.deck, "-o", mini.package.parent, "--refresh")
    assert f"  1 moved, ~{NOTES} sent again, new look\n" in ran.err


# Merges


def edit_note(mini: Mini) -> None:
    mini.replace("alpha.md", "The first of Beta.", "The best of Beta.")


def edit_neighbour(mini: Mini) -> None:
    """Edit the note whose line in the lock is next to that of b0, so that a union keeps both lines of b0."""
    mini.replace("alpha.md", "This one.", "This very one.")


class Merge(NamedTuple):
    """A merge of two branches: the changes in each and afterwards, what a build says, and what it updates."""

    branches: tuple[Callable[[Mini], None], Callable[[Mini], None]]
    merged: tuple[Callable[[Mini], None], ...]
    said: str
    updated: int


@pytest.mark.parametrize(
    "merge",
    [
        Merge((move_note, rename_heading), (move_note,), "1 moved", 0),
        Merge((move_note, rename_heading), (rename_heading,), "", 0),
        Merge((rename_heading, edit_neighbour), (rename_heading, edit_neighbour), "", 1),
        Merge((rename_heading, edit_note), (rename_heading, edit_note), "1 moved", 1),
    ],
    ids=["two moves", "two moves, the other one", "a move beside an edit", "a move and an edit"],
)
def test_a_merge_of_moves_is_no_edit(mini: Mini, anki: Learner, merge: Merge) -> None:
    mini.build()
    base = shutil.copytree(mini.deck, mini.deck.parent / "base")

    def start_again(*changes: Callable[[Mini], None]) -> None:
        shutil.rmtree(mini.deck)
        shutil.copytree(base, mini.deck)
        for change in changes:
            change(mini)

    locks = []
    for change in merge.branches:
        start_again(change)
        mini.build()
        locks.append(shutil.copy(mini.deck / "deck.lock", mini.deck.parent / change.__name__))
    start_again(*merge.merged)
    command = ["git", "merge-file", "--union", "-p", locks[0], base / "deck.lock", locks[1]]
    union = subprocess.run(command, check=True, capture_output=True).stdout
    (mini.deck / "deck.lock").write_bytes(union)
    assert [line[1] for line in mini.lock].count(B0) == 2
    assert mini.build() == merge.said
    assert [line[1] for line in mini.lock].count(B0) == 1
    updated = {"updated": merge.updated} if merge.updated else {}
    assert anki.get(mini.package) == {**updated, "duplicate": NOTES - merge.updated}
    assert mini.build() == ""


# Three versions of Anki


@pytest.mark.slow
@pytest.mark.parametrize("version", ["24.11", "25.9.2", ""], ids=["24.11", "25.9.2", "newest"])
def test_edits_and_tags_survive_moves_in_three_versions_of_anki(
    version: str, mini: Mini, tmp_path: Path
) -> None:
    for name, move in MOVES.items():
        shutil.rmtree(mini.deck)
        shutil.copytree(OLDER / "deck", mini.deck)
        move.make(mini)
        mini.build()
        (tmp_path / name).mkdir()
        anki = anki_of(version, tmp_path / name, tmp_path / "anki")
        try:
            assert anki.do("import_by_hand", str(OLDER / "mini.apkg")) == {"new": NOTES}
            edit_in(anki)
            anki.do("study", f"GUID:{B0}", days="7")
            before = anki.do("rows"), anki.do("card", f"GUID:{B0}")
            assert anki.do("import_by_hand", str(mini.package)) == {"duplicate": NOTES}
            assert (anki.do("rows"), anki.do("card", f"GUID:{B0}")) == before
            for guid, (was, _) in move.with_chips.items():
                assert chip(was) in anki.do("front", f"GUID:{guid}")
            anki.do("check")
        finally:
            anki.quit()
