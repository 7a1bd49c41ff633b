"""A feed whose owner is hostile: it never touches a note, deck, note type or file that is not its own."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection

from addon.collection import differences, subscriptions, take_authors
from addon.listing import lines_of
from anki_backend import assert_healthy, import_package, learner
from following import ADDRESS, Author, Follower, geo_type
from ptcards.extensions.publish.subscription.decide import decide
from ptcards.extensions.publish.subscription.package import RefusedPackageError
from ptcards.extensions.publish.subscription.update import Counts, Refusal, RefusedUpdateError

EVIL = "Evil"


@pytest.fixture
def victim(tmp_path: Path) -> Author:
    """The author of another deck, whose packages anybody can read."""
    victim = Author(
        tmp_path / "victim", id="french", name="French", address="https://french.example/deck.json"
    )
    victim.note_type = geo_type(name="French", css=".french { background: url(_used.png) }")
    victim.descriptions = {"French": "About French"}
    victim.media = {"a.png": b"picture", "_logo.png": b"logo", "_used.png": b"used"}
    for number in range(10):
        victim.put(
            f"f{number}", f'Mot {number} <img src="a.png">', f"Word {number}", deck="French", tags="fr"
        )
    victim.release("1")
    return victim


@pytest.fixture
def col(tmp_path: Path) -> Iterator[Collection]:
    with learner(tmp_path / "anna") as collection:
        yield collection


@pytest.fixture
def evil(tmp_path: Path, victim: Author) -> Author:
    """An attacker whose first release has five notes of the victim as they are, and more of its own."""
    evil = Author(tmp_path / "evil", id="evil", name="French", time=victim.time)
    evil.note_type = victim.note_type
    evil.media = dict(victim.media)
    evil.notes = {guid: victim.notes[guid] for guid in list(victim.notes)[:5]}
    for number in range(20):
        evil.put(f"e{number}", f"Question {number}", "x", deck="French")
    return evil


def attack(evil: Author) -> None:
    """Change, move and retire the notes of the victim, and change its look, description and files."""
    evil.note_type = replace(evil.note_type, css=".evil {}")
    evil.type_mod += 1000
    evil.descriptions = {"French": EVIL}
    evil.media = dict.fromkeys(evil.media, b"evil")
    evil.put("f0", EVIL, EVIL, tags="evil")
    evil.put("f1", deck="French::Evil")
    evil.put("f2", 'Mot 2 <img src="a.png">', EVIL)
    evil.drop("f3")
    evil.drop("f4")
    evil.put("e0", 'Question <img src="a.png">', "y")


def of_victim(col: Collection) -> Any:
    """Everything in the collection that belongs to the victim."""
    assert col.db
    deck, kind = col.decks.by_name("French"), col.models.by_name("French")
    assert deck
    assert kind
    folder = Path(col.media.dir())
    return (
        col.db.all("select * from notes where guid like 'f%' order by id"),
        col.db.all(
            "select * from cards where nid in (select id from notes where guid like 'f%') order by id"
        ),
        (deck["name"], deck["desc"], deck["conf"], kind["css"], kind["flds"], kind["tmpls"]),
        col.db.scalar("select count(*) from cards where did = ?", deck["id"]),
        [(folder / name).read_bytes() for name in ("a.png", "_logo.png", "_used.png")],
    )


@pytest.mark.parametrize("is_followed", [False, True])
@pytest.mark.parametrize("has_first", [False, True])
def test_another_deck_is_not_touched(
    col: Collection, victim: Author, evil: Author, tmp_path: Path, *, is_followed: bool, has_first: bool
) -> None:
    """The learner follows the other deck or imported it; the attack comes first or with an update."""
    if is_followed:
        Follower(col, victim, tmp_path / "work").update(victim.release("2"))
    else:
        import_package(col, victim.file)
    before = of_victim(col)
    anna = Follower(col, evil, tmp_path / "work")
    first = evil.release("1")
    if has_first:
        assert [each.guid for each in anna.update(first).update.left_alone] == [
            f"f{each}" for each in range(5)
        ]
        assert of_victim(col) == before
    attack(evil)
    second = evil.release("2")
    assert [each.guid for each in anna.look(second).left_alone] == ["f0", "f1", "f2"]
    anna.update(second, retired="delete", restore=True)
    assert of_victim(col) == before
    assert anna.decks("e0") == ["French+"]
    assert (
        anna.fields("e0")[0] != 'Question <img src="a.png">'
    )  # Anki gave the attacker's picture another name
    assert_healthy(col)


def test_a_feed_with_the_whole_history_of_a_followed_deck_gets_nothing(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    """Of a deck that the learner only imported, all of it may follow: the list says how many notes."""
    Follower(col, victim, tmp_path / "work").update(victim.release("2"))
    before = of_victim(col)
    anna = Follower(col, evil, tmp_path / "work")
    evil.notes = dict(victim.notes)
    evil.release("1")
    for guid in evil.notes:
        evil.put(guid, EVIL, EVIL)
    update = anna.update(evil.release("2")).update
    assert (update.here, len(update.left_alone), update.counts) == (0, 10, Counts())
    assert of_victim(col) == before


def test_a_feed_with_the_whole_history_of_an_imported_deck_says_how_many_notes_follow(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    """The worst case in docs/subscribe-safety.md: nothing tells this feed from the author's own."""
    import_package(col, victim.file)
    evil.notes = dict(victim.notes)
    update = Follower(col, evil, tmp_path / "work").look(evil.release("1"))
    assert (update.is_first, update.here, update.left_alone) == (True, 10, ())


def test_a_feed_that_takes_the_id_of_another_is_refused(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    Follower(col, victim, tmp_path / "work").update(victim.release("2"))
    evil.id = victim.id
    anna = Follower(col, evil, tmp_path / "work")
    with pytest.raises(RefusedUpdateError) as raised:
        anna.look(evil.release("9"))
    assert (raised.value.reason, raised.value.detail) == (Refusal.OTHER_ADDRESS, victim.address)
    assert subscriptions(col)[victim.id].address == victim.address


def test_a_note_in_another_deck_with_the_note_type_of_both_is_left_alone(
    col: Collection, tmp_path: Path
) -> None:
    """Both decks use the same note type, as decks that were made in Anki may."""
    mine = Author(tmp_path / "mine", id="mine", name="Mine")
    for number in range(4):
        mine.put(f"m{number}", f"Question {number}", "x", deck="Mine")
    mine.release("1")
    other = Author(tmp_path / "other", id="other", name="Other", time=mine.time)
    for number in range(4):
        other.put(f"o{number}", f"Question {number}", "x", deck="Other")
    other.release("1")
    for each in (mine, other):
        import_package(col, each.file)
    anna = Follower(col, mine, tmp_path / "work")
    mine.put("o0", EVIL, EVIL, deck="Mine")
    mine.put("m0", "New", "x")
    update = anna.update(mine.release("2")).update
    assert ([each.guid for each in update.left_alone], update.counts) == (["o0"], Counts(changed=1))
    assert anna.subscription.types == {str(mine.note_type.id): mine.note_type.id}
    assert (anna.fields("o0"), anna.fields("m0")) == (["Question 0", "x", ""], ["New", "x", ""])
    # The look of a note type that other decks use stays.
    mine.note_type = geo_type(css=".evil {}")
    update = anna.look(mine.release("3"))
    assert (update.counts, update.kept_looks) == (Counts(), (mine.note_type.name,))


def test_what_is_dangerous_needs_trust(col: Collection, evil: Author, tmp_path: Path) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    evil.put("e0", "<script>evil()</script>", "x")
    evil.put("e1", "<img src='https://evil.example/a'>", "x")
    second = evil.release("2")
    assert [(each.kind, each.notes) for each in anna.look(second).dangers] == [("program", 1), ("network", 1)]
    with pytest.raises(RefusedUpdateError) as raised:
        anna.update(second)
    assert raised.value.reason == Refusal.DANGER
    assert anna.fields("e0") == ["Question 0", "x", ""]
    anna.update(second, trusts=True)
    assert anna.fields("e0") == ["<script>evil()</script>", "x", ""]
    assert anna.look(second).dangers == ()
    evil.note_type = replace(evil.note_type, css=".card { background: url(https://evil.example/b) }")
    evil.type_mod += 1000
    assert [(each.kind, each.layouts) for each in anna.look(evil.release("3")).dangers] == []
    evil.note_type = replace(evil.note_type, css=".card { background: url(https://other.example/b) }")
    assert [(each.kind, each.layouts) for each in anna.look(evil.release("4")).dangers] == [
        ("network", ("French",))
    ]


@pytest.mark.parametrize(
    ("css", "front", "extra"),
    [
        ("", "{{Front}}<{{Extra}}>", "img src=x onerror=alert(1) "),
        ("", "<scr{{#Front}}{{/Front}}ipt>alert(1)</scr{{#Front}}{{/Front}}ipt>", ""),
        ("", '{{Front}}<img src="{{Extra}}">', "//evil.example/a.png"),
        ("", '{{Front}}<div style="{{Extra}}">x</div>', "background:url(//evil.example/b)"),
        ("", "{{Front}}{{text:Extra}}", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("", "{{Front}}{{Extra}}{{Back}}", "<scr"),
        (".card { background: url(https:evil.example/c) }", "", ""),
        (".card { background: url(https:/evil.example/c) }", "", ""),
        ('.card { background: url("/\\\n/evil.example/d") }', "", ""),
        ('.card { background: url("https:\\\n//evil.example/d") }', "", ""),
        ('.card { background: url("/\\9 /evil.example/e") }', "", ""),
        ('@import "_x.css";', "", ""),
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_what_is_composed_on_a_card_needs_trust(
    col: Collection, tmp_path: Path, *, css: str, front: str, extra: str, is_new: bool
) -> None:
    """The danger comes with the first release, or with a new look of notes that were harmless."""
    evil = Author(tmp_path / "evil", id="evil", name="Evil")
    anna = Follower(col, evil, tmp_path / "work")
    evil.put("e0", "Question", "ipt>alert(1)</script>", extra, deck="Evil")
    if not is_new:
        harmless = evil.release("1")
        assert anna.look(harmless).dangers == ()
        anna.update(harmless)
    kind = geo_type()
    first, *others = kind.templates
    evil.note_type = replace(
        kind, css=css or kind.css, templates=(first._replace(front=front or first.front), *others)
    )
    evil.type_mod += 1000
    if "_x.css" in css:
        evil.media = {"_x.css": b"@import url(//evil.example/y.css);"}
    release = evil.release("2")
    assert anna.look(release).dangers != ()
    with pytest.raises(RefusedUpdateError):
        anna.update(release)
    anna.update(release, trusts=True)
    assert anna.look(release).dangers == ()


def test_what_is_dangerous_in_a_merged_field_counts(col: Collection, evil: Author, tmp_path: Path) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    anna.edit("e0", Back="mine")
    evil.put("e0", "<b onclick='evil()'>x</b>", "x")
    assert [(each.kind, each.notes) for each in anna.look(evil.release("2")).dangers] == [("program", 1)]


def test_a_package_with_other_notes_than_the_feed_says_is_refused(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    first = evil.release("1")
    evil.put("e0", EVIL, EVIL)
    second = evil.release("2")
    for source in (second._replace(package=first.package), first._replace(package=second.package)):
        with pytest.raises(RefusedPackageError) as raised:
            anna.look(source)
        assert str(raised.value) == "has other notes than the feed says"
        with pytest.raises(RefusedPackageError):
            anna.update(source)


def test_a_feed_that_says_that_all_is_retired_takes_nothing_from_others(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    import_package(col, victim.file)
    before = of_victim(col)
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    for guid in list(evil.notes)[:24]:
        evil.drop(guid)
    update = anna.update(evil.release("2"), retired="delete").update
    assert (update.counts, update.left_alone) == (Counts(retired=19), ())
    assert of_victim(col) == before


def test_the_text_of_a_hostile_name_is_only_text(col: Collection, evil: Author, tmp_path: Path) -> None:
    evil.notes = {}
    for number, name in enumerate(("<b>x</b>", '"; drop table notes', "a'b", "%s{}", "ünïcode 名")):
        evil.put(f"e{number}", f"<i>{name}</i>", "x", deck=f"French::{name}")
    anna = Follower(col, evil, tmp_path / "work")
    first = evil.release("1")
    assert [each.title for each in lines_of(anna.look(first), 9) if each.kind == "new"][
        1
    ] == '"; drop table notes'
    anna.update(first)
    assert anna.decks("e1") == ['French::"; drop table notes']
    assert_healthy(col)


def test_deciding_needs_no_collection(evil: Author, victim: Author) -> None:
    """A held collection is a value, so that the decision can be tested and repeated."""
    from ptcards.extensions.publish.subscription.state import Held  # noqa: PLC0415

    update = decide(evil.release("1"), Held({}, {}, {}, {}, {}, {}), None, lambda note: "".join(note.fields))
    assert update.counts == Counts(new=25)
    assert victim.address != ADDRESS


def test_a_dangerous_description_needs_trust(col: Collection, evil: Author, tmp_path: Path) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    evil.descriptions = {"French": '<img src="https://evil.example/x">'}
    second = evil.release("2")
    assert [(each.kind, each.notes) for each in anna.look(second).dangers] == [("network", 1)]
    with pytest.raises(RefusedUpdateError) as raised:
        anna.update(second)
    assert raised.value.reason == Refusal.DANGER
    deck = col.decks.by_name("French")
    assert deck
    assert deck["desc"] == ""


def test_the_text_of_an_author_that_is_taken_needs_trust(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    anna.edit("e0", Back="mine")
    evil.put("e0", "Question 0", 'x<img src="https://evil.example/x">')
    second = evil.release("2")
    anna.update(second)
    (found,) = differences(col, second)
    with pytest.raises(RefusedUpdateError) as raised:
        take_authors(col, second, evil.file, [found], "Take")
    assert (raised.value.reason, anna.fields("e0")[1]) == (Refusal.DANGER, "mine")
    take_authors(col, second, evil.file, [found], "Take", trusts=True)
    assert anna.fields("e0")[1] == 'x<img src="https://evil.example/x">'
