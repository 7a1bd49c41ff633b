"""What belongs to a feed: what its subscription brought, or what the learner accepted at the first look."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection

from addon.listing import lines_of
from anki_backend import import_package, learner
from following import START, TITLE, Author, Follower, geo_type
from ptcards.extensions.publish.subscription.ownership import recall, remember
from ptcards.extensions.publish.subscription.update import Counts, Refusal, RefusedUpdateError, WhyAlone

EVIL = "EVIL"


@pytest.fixture
def col(tmp_path: Path) -> Iterator[Collection]:
    with learner(tmp_path / "anna") as collection:
        yield collection


@pytest.fixture
def victim(tmp_path: Path) -> Author:
    """The author of a public deck that the learner imports by hand."""
    victim = Author(tmp_path / "victim", id="french", name="French")
    victim.note_type = geo_type(name="French", css=".french {}")
    for number in range(10):
        victim.put(f"f{number}", f"Mot {number}", f"Word {number}", deck="French", tags="fr")
    victim.release("1")
    return victim


@pytest.fixture
def evil(tmp_path: Path, victim: Author) -> Author:
    """An attacker with notes, and at first a note type, of its own."""
    evil = Author(tmp_path / "evil", id="evil", name="Evil", time=victim.time)
    evil.note_type = geo_type(id=1_600_000_000_777, name="Evil")
    for number in range(5):
        evil.put(f"e{number}", f"Question {number}", "x", deck="Evil")
    return evil


def of_victim(col: Collection) -> Any:
    """Everything in the collection that belongs to the victim."""
    assert col.db
    deck, kind = col.decks.by_name("French"), col.models.by_name("French")
    return (
        col.db.all("select * from notes where guid like 'f%' order by id"),
        col.db.all(
            "select * from cards where nid in (select id from notes where guid like 'f%') order by id"
        ),
        deck,
        kind and (kind["css"], kind["flds"], kind["tmpls"]),
    )


def claim(evil: Author, victim: Author) -> None:
    """Publish the notes of the victim as they are, then overwrite and retire them."""
    for guid in victim.notes:
        evil.notes[guid] = victim.notes[guid]
    evil.release("2")
    for guid in list(victim.notes)[:8]:
        evil.put(guid, EVIL, EVIL, tags="evil")
    evil.drop("f8")
    evil.drop("f9")


def test_a_later_release_cannot_claim_an_imported_deck_by_its_guids_and_note_type(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    import_package(col, victim.file)
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    before = of_victim(col)
    evil.note_type = victim.note_type
    claim(evil, victim)
    evil.note_type = geo_type(name="French", css=".evil {}")
    evil.type_mod += 1000
    update = anna.update(evil.release("3"), retired="delete", restore=True).update
    assert of_victim(col) == before
    alone = {why: [each.guid[0] for each in update.left_alone if each.why == why] for why in WhyAlone}
    # The notes of the feed's own have another note type than their author's now.
    assert alone == {WhyAlone.OTHER_DECK: ["f"] * 8, WhyAlone.OTHER_TYPE: ["e"] * 5, WhyAlone.BY_HAND: []}
    assert update.counts.looks == 0


def test_a_deck_imported_later_into_the_note_type_of_the_feed_is_not_the_feeds(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    evil.note_type = victim.note_type
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    import_package(col, victim.file)
    before = of_victim(col)
    claim(evil, victim)
    evil.note_type = geo_type(name="French", css=".evil {}")
    evil.type_mod += 1000
    third = evil.release("3")
    update = anna.update(third, retired="delete", restore=True).update
    assert of_victim(col) == before
    assert {each.why for each in update.left_alone} == {WhyAlone.BY_HAND}
    assert update.kept_looks == ("French",)
    assert len(update.left_alone) == 10


def test_what_an_import_by_hand_brought_follows_once_the_learner_agrees(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    evil.put("new", "New", "one")
    evil.release("2")
    import_package(col, evil.file)
    evil.put("new", "New", "two")
    third = evil.release("3")
    update = anna.update(third).update
    assert ([(each.guid, each.why) for each in update.left_alone], anna.fields("new")[1]) == (
        [("new", WhyAlone.BY_HAND)],
        "one",
    )
    update = anna.update(third, adopt=True).update
    assert (update.left_alone, anna.fields("new")[1]) == ((), "two")
    assert anna.look(third).is_empty


def test_of_an_adopted_note_whatever_was_published_is_updated_and_the_learners_words_stay(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    """Its time proves nothing: Change Note Type, an edit or a tag made it younger than any release."""
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    evil.put("new", "New", "one", "extra")
    evil.put("own", "Own", "one", "extra")
    evil.put("tie", "Tie", "one")
    evil.release("2")
    import_package(col, evil.file)
    anna.tag("new", add="mine")
    anna.edit("own", Back="my one")
    anna.edit("tie", Back="my one")
    evil.put("new", "New", "two", "extra")
    evil.put("own", "Own", "two", "more")
    evil.put("tie", "Tie", "two")
    third = evil.release("3")
    assert anna.look(third).by_hand == 3
    update = anna.update(third, adopt=True).update
    assert (update.adopted, update.counts) == (3, Counts(conflicts=2, merged=1))
    assert (anna.fields("new"), anna.tags("new")) == (["New", "two", "extra"], ["mine"])
    assert anna.fields("own") == ["Own", "my one", "more"]
    assert anna.fields("tie") == ["Tie", "my one", ""]
    assert anna.subscription.waiting == {"own": (12,), "tie": (12,)}
    assert anna.look(third).is_empty


def test_the_list_with_adopted_notes_says_what_they_get_and_which_dangers_they_bring(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    evil.put("new", "New", "one")
    evil.release("2")
    import_package(col, evil.file)
    evil.put("new", "New", "<script>evil()</script>")
    third = evil.release("3")
    without, adopting = anna.look(third), anna.look(third, adopt=True)
    assert (without.by_hand, without.adopted, without.dangers) == (1, 0, ())
    assert (adopting.by_hand, adopting.adopted, adopting.counts.changed) == (0, 1, 1)
    assert [(each.kind, each.notes) for each in adopting.dangers] == [("program", 1)]
    assert [(each.title, each.field) for each in lines_of(adopting, 9)] == [("New", "Back")]
    with pytest.raises(RefusedUpdateError) as raised:
        anna.update(third, adopt=True)
    assert raised.value.reason == Refusal.DANGER
    assert anna.update(third, adopt=True, trusts=True).update.adopted == 1
    assert anna.look(third).is_empty


def test_a_forged_history_of_earlier_releases_claims_nothing(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    evil.note_type = victim.note_type
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    import_package(col, victim.file)
    before = of_victim(col)
    evil.feed = None  # the same release again, with the notes of the victim
    own, evil.time = dict(evil.notes), evil.time - 1_000
    evil.notes |= victim.notes
    evil.release("1")
    evil.notes = {
        guid: own.get(guid) or replace(note, fields=(EVIL, EVIL, "")) for guid, note in evil.notes.items()
    }
    evil.time += 2_000
    for guid in victim.notes:
        evil.put(guid, EVIL, EVIL, "")
    anna.update(evil.release("2"), retired="delete", restore=True)
    assert of_victim(col) == before


def test_a_deck_with_only_subdecks_of_the_learners_is_not_described_or_renamed(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    note = col.new_note(col.models.by_name("Basic"))
    note.fields = ["Mine", "text"]
    col.add_note(note, col.decks.id("Languages::French"))
    top = col.decks.by_name("Languages")
    anna = Follower(col, evil, tmp_path / "work")
    for guid in evil.notes:
        evil.put(guid, deck="Languages::Japanese")
    evil.descriptions = {"Languages": EVIL}
    anna.update(evil.release("1"))
    assert anna.decks("e0") == ["Languages::Japanese"]
    assert col.decks.by_name("Languages") == top
    for guid in evil.notes:
        evil.put(guid, deck="EvilRoot::Japanese")
    evil.descriptions = {"EvilRoot": EVIL}
    anna.update(evil.release("2"))
    assert col.decks.by_name("Languages") == top
    names = [each.name for each in col.decks.all_names_and_ids(skip_empty_default=True)]
    assert names == ["EvilRoot", "EvilRoot::Japanese", "Languages", "Languages::French"]
    evil.put("e0", deck="Languages")
    anna.update(evil.release("3"))
    assert (anna.decks("e0"), col.decks.by_name("Languages")) == (["Languages+"], top)


def test_a_deck_is_not_renamed_with_a_deck_of_the_learners_in_it(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    own = col.decks.id("Evil::Mine")
    before = col.decks.get(own)
    deck = col.decks.by_name("Evil")
    assert deck
    deck["conf"] = preset = col.decks.add_config_returning_id("Slow")
    col.decks.save(deck)
    for guid in evil.notes:
        evil.put(guid, deck="Earth")
    second = evil.release("2")
    assert anna.look(second).blocked == {"Evil": "Earth"}
    anna.update(second)
    assert (col.decks.get(own), anna.decks("e0")) == (before, ["Earth"])
    earth = col.decks.by_name("Earth")
    assert earth
    assert (earth["conf"], col.undo_status().undo) == (preset, TITLE)
    col.undo()
    assert (anna.decks("e0"), col.decks.by_name("Earth")) == (["Evil"], None)


@pytest.mark.parametrize("deck", ["Mine", "Mine::Sub"])
@pytest.mark.parametrize("is_imported", [False, True])
def test_a_deck_that_the_learner_made_is_not_the_feeds_although_only_its_cards_are_in_it(
    col: Collection, evil: Author, tmp_path: Path, deck: str, *, is_imported: bool
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    anna.move("e0", "Mine")
    evil.put("e1", "Question 1", "new", deck=deck)
    evil.descriptions = {"Mine": EVIL}
    second = evil.release("2")
    if is_imported:
        import_package(col, evil.file)
    before = col.decks.by_name("Mine")
    anna.update(second)
    evil.put("e1", deck=deck.replace("Mine", "Yours"))
    evil.descriptions = {"Yours": EVIL}
    anna.update(evil.release("3"))
    assert (col.decks.by_name("Mine"), anna.decks("e0")) == (before, ["Mine"])
    assert anna.decks("e1") == [deck.replace("Mine", "Yours")]


def test_a_note_that_comes_back_moves_to_its_new_deck_although_its_old_one_was_renamed_meanwhile(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    for guid in ("e0", "e1"):
        evil.put(guid, deck="Evil::Old")
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    gone = evil.notes.pop("e0")
    anna.update(evil.release("2"), retired="keep")
    evil.put("e1", deck="Evil::New")
    anna.update(evil.release("3"))
    assert anna.decks("e0") == ["Evil::New"]
    evil.notes["e0"] = replace(gone, deck="Evil")
    anna.update(evil.release("4"))
    assert anna.decks("e0") == ["Evil"]
    # A deck that the author gives the old name later is another one.
    evil.drop("e0")
    evil.put("e2", deck="Evil::Old")
    anna.update(evil.release("5"), retired="keep")
    anna.move("e0", "Evil::New")
    evil.notes["e0"] = replace(gone, deck="Evil::Old")
    anna.update(evil.release("6"))
    assert anna.decks("e0") == ["Evil::New"]


def test_a_note_type_of_the_learners_without_notes_is_not_the_feeds(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    import_package(col, victim.file)
    col.remove_notes(col.find_notes("note:French"))
    before = col.models.by_name("French")
    evil.note_type = geo_type(name="Evil", css=".evil {}")
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    assert col.models.by_name("French") == before
    assert anna.subscription.types[str(victim.note_type.id)] != victim.note_type.id


def test_a_file_that_another_deck_uses_now_is_not_replaced(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    evil.media = {"_logo.png": b"logo"}
    evil.note_type = replace(evil.note_type, css=".card { background: url(_logo.png) }")
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    victim.media = {"_logo.png": b"logo"}
    victim.put("f0", '<img src="_logo.png">', "x")
    victim.release("2")
    import_package(col, victim.file)
    evil.media = {"_logo.png": b"evil"}
    update = anna.update(evil.release("2")).update
    assert (update.plan.file_conflicts, (Path(col.media.dir()) / "_logo.png").read_bytes()) == (
        ("_logo.png",),
        b"logo",
    )


def test_notes_in_ankis_copy_of_the_note_type_are_named_with_what_to_do(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    """Anki copies a note type that the learner extended if a package is imported by hand."""
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    models = col.models
    own = models.by_name("Evil")
    models.add_field(own, models.new_field("Mnemonic"))
    models.update_dict(own)
    evil.put("new", "New", "one")
    second = evil.release("2")
    import_package(col, evil.file)
    assert col.get_note(anna.nid("new")).mid != own["id"]
    update = anna.look(second)
    assert [(each.guid, each.why) for each in update.left_alone] == [("new", WhyAlone.OTHER_TYPE)]
    assert update.is_empty


def test_ten_thousand_notes_are_remembered_in_a_few_kilobytes() -> None:
    chance = random.Random(1)
    # A package numbers its notes and cards in one row, so a note is followed by its one or two cards.
    nids = [*accumulate((chance.choice((2, 3)) for _ in range(10_000)), initial=START * 1000)]
    record = remember(nids)
    assert (recall(record), recall(remember(())), recall("")) == (
        frozenset(nids),
        frozenset(),
        frozenset(),
    )
    assert len(record) < 4_000


def test_a_note_that_the_learner_deleted_and_imported_from_another_deck_is_not_the_feeds(
    col: Collection, victim: Author, evil: Author, tmp_path: Path
) -> None:
    evil.note_type = victim.note_type
    evil.notes["f0"] = victim.notes["f0"]
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    anna.delete("f0")
    import_package(col, victim.file)
    before = of_victim(col)
    evil.put("f0", EVIL, EVIL, tags="evil")
    second = evil.release("2")
    update = anna.update(second, restore=True).update
    assert of_victim(col) == before
    assert [(each.guid, each.why) for each in update.left_alone] == [("f0", WhyAlone.BY_HAND)]
    evil.drop("f0")
    anna.update(evil.release("3"), retired="delete")
    assert of_victim(col) == before


def test_an_imported_note_that_its_author_removed_can_follow_and_keeps_no_layout_back(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    evil.put("new", "New", "one")
    evil.release("2")
    import_package(col, evil.file)
    evil.drop("new")
    evil.note_type = replace(evil.note_type, css=".new {}")
    evil.type_mod += 10
    third = evil.release("3")
    update = anna.update(third).update
    assert ([(each.guid, each.why) for each in update.left_alone], update.kept_looks) == (
        [("new", WhyAlone.BY_HAND)],
        ("Evil",),
    )
    update = anna.update(third, adopt=True, retired="suspend").update
    assert (update.adopted, update.counts, update.left_alone) == (1, Counts(retired=1, looks=1), ())
    assert (anna.cards("new")[0].queue, col.models.by_name("Evil")["css"]) == (-1, ".new {}")
    assert anna.look(third).is_empty


# Clean notes: all of a note is as it was published, or it is never deleted.


@pytest.mark.parametrize(
    "what", ["own field", "own field, old time", "tag", "no tag", "flag", "deck", "mark"]
)
def test_a_retired_note_with_anything_of_the_learners_is_not_deleted(
    col: Collection, evil: Author, tmp_path: Path, what: str
) -> None:
    evil.put("e0", tags="evil")
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    if what.startswith("own field"):
        models = col.models
        own = models.by_name("Evil")
        models.add_field(own, models.new_field("Mnemonic"))
        models.update_dict(own)
        anna.edit("e0", Mnemonic="sounds like")
        if "time" in what:
            assert col.db
            col.db.execute("update notes set mod = ? where guid = 'e0'", evil.notes["e0"].mod)
    elif what == "flag":
        col.set_user_flag_for_cards(2, [anna.cards("e0")[0].id])
    elif what == "deck":
        anna.move("e0", "Mine")
    else:
        anna.tag(
            "e0",
            **({"remove": "evil"} if what == "no tag" else {"add": "marked" if what == "mark" else "own"}),
        )
    evil.drop("e0")
    second = evil.release("2")
    assert anna.look(second).counts == Counts(retired_kept=1)
    before = anna.everything()[:3]
    for choice in ("delete", "suspend"):
        anna.update(second, retired=choice)
    assert anna.everything()[:3] == before


# Fields by what they are, not by where they are.


def reordered(evil: Author) -> None:
    """Put Extra between Front and Back, and correct a Back in the same release."""
    kind = evil.note_type
    front, back, extra = kind.fields
    evil.note_type = replace(kind, fields=(front, extra, back))
    evil.type_mod += 1000
    for guid, note in list(evil.notes.items()):
        a, b, c = note.fields
        evil.notes[guid] = replace(note, fields=(a, c, b))
    evil.put("e0", "Question 0", "", "x corrected")


def test_an_edit_of_one_field_survives_a_new_order_and_the_correction_of_another_comes(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    anna.edit("e0", Front="mine")
    reordered(evil)
    second = evil.release("2")
    assert anna.look(second).counts == Counts(merged=1)
    anna.update(second)
    assert (anna.fields("e0"), anna.subscription.waiting) == (["mine", "x corrected", ""], {})
    assert anna.look(second).is_empty


def test_a_field_that_the_learner_emptied_stays_empty_after_a_new_order(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    anna.edit("e0", Back="")
    reordered(evil)
    second = evil.release("2")
    assert anna.look(second).counts == Counts(conflicts=1)
    anna.update(second)
    assert (anna.fields("e0"), anna.subscription.waiting) == (["Question 0", "", ""], {"e0": (12,)})


def test_what_waits_still_waits_after_a_new_order(col: Collection, evil: Author, tmp_path: Path) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    anna.edit("e0", Back="mine")
    evil.put("e0", "Question 0", "theirs")
    anna.update(evil.release("2"))
    reordered(evil)
    anna.update(evil.release("3"))
    assert anna.subscription.waiting == {"e0": (12,)}


# What the author brings back, renames or adds.


def test_a_note_that_the_add_on_suspended_is_offered_back_and_one_of_the_learners_is_not(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    col.sched.suspend_cards([card.id for card in anna.cards("e1")])
    for guid in ("e0", "e1", "e2"):
        evil.drop(guid)
    anna.update(evil.release("2"))
    kept = dict(evil.notes)
    for number in range(3):
        evil.put(f"e{number}", f"Question {number}", "x", deck="Evil")
    third = evil.release("3")
    assert [each.guid for each in anna.look(third).back] == ["e0", "e2"]
    assert not anna.look(third).is_empty
    anna.update(third)
    queues = [anna.cards(f"e{number}")[0].queue for number in range(3)]
    assert (queues, anna.subscription.suspended) == ([0, -1, 0], ())
    assert anna.look(third).is_empty
    # Who declines is not asked again.
    evil.notes = kept
    anna.update(evil.release("4"))
    evil.put("e0", "Question 0", "x", deck="Evil")
    fifth = evil.release("5")
    anna.update(fifth, bring_back=False)
    assert (anna.cards("e0")[0].queue, anna.look(fifth).is_empty) == (-1, True)


def test_a_deck_that_is_renamed_and_gets_a_note_in_one_release_keeps_its_options(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    for number in range(3):
        evil.put(f"e{number}", deck="Evil::Second")
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    did = col.decks.id_for_name("Evil::Second")
    deck = col.decks.get(did)
    assert deck
    deck["conf"] = preset = col.decks.add_config_returning_id("Slow")
    col.decks.save(deck)
    for number in range(4):
        evil.put(f"e{number}", deck="Evil::Zweite")
    second = evil.release("2")
    assert anna.look(second).counts == Counts(moved=1)
    anna.update(second)
    assert [anna.decks(f"e{number}") for number in range(5)] == [["Evil::Zweite"]] * 4 + [["Evil"]]
    renamed = col.decks.by_name("Evil::Zweite")
    assert renamed
    assert (renamed["id"], renamed["conf"], col.decks.by_name("Evil::Second")) == (did, preset, None)


def test_a_template_that_the_note_type_lacks_is_named_once_and_the_rest_of_the_look_comes(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    from ptcards.notes.notetypes import Template  # noqa: PLC0415

    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    kind = evil.note_type
    evil.note_type = replace(
        kind, css=".new {}", templates=(*kind.templates, Template("Card 3", 23, "{{Back}}", "{{Front}}"))
    )
    evil.type_mod += 10
    second = evil.release("2")
    update = anna.look(second)
    assert (update.counts, update.left_out) == (Counts(looks=1), (("Evil", "Card 3"),))
    anna.update(second)
    update = anna.look(second)
    assert (update.is_empty, update.left_out, update.kept_looks) == (True, (), ())
    evil.note_type = replace(evil.note_type, css=".newer {}")
    evil.type_mod += 10
    third = evil.release("3")
    anna.update(third)
    assert (col.models.by_name("Evil")["css"], anna.look(third).left_out) == (".newer {}", ())


def test_reordered_and_removed_templates_do_not_change_the_look_for_ever(
    col: Collection, evil: Author, tmp_path: Path
) -> None:
    anna = Follower(col, evil, tmp_path / "work")
    anna.update(evil.release("1"))
    one, two = evil.note_type.templates
    evil.note_type = replace(evil.note_type, templates=(two, one))
    second = evil.release("2")
    anna.update(second)
    assert anna.look(second).is_empty
    evil.note_type = replace(evil.note_type, templates=(one,), css=".one {}")
    third = evil.release("3")
    anna.update(third)
    assert (col.models.by_name("Evil")["css"], anna.look(third).is_empty) == (".one {}", True)
