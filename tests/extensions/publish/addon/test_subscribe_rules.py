"""The rules of an update, one by one, in the real Anki: what the author changed, and what the learner did."""

import time
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest
from anki.scheduler_pb2 import CardAnswer

from addon.collection import (
    change_address,
    differences,
    feed_of,
    keep_mine,
    subscriptions,
    take_authors,
    unfollow,
)
from addon.listing import lines_of
from anki_backend import answer, assert_healthy, import_package, learner
from following import ADDRESS, TITLE, Author, Follower, geo_type
from ptcards.extensions.publish.subscription.package import media_in
from ptcards.extensions.publish.subscription.update import (
    Counts,
    LeftAlone,
    Refusal,
    RefusedUpdateError,
    WhyAlone,
)
from ptcards.notes.notetypes import Field, Template


@pytest.fixture
def author(tmp_path: Path) -> Author:
    author = Author(tmp_path / "dist")
    for number in range(6):
        author.put(f"n{number}", f"Question {number}", f"Answer {number}", tags="geo")
    return author


@pytest.fixture
def anna(tmp_path: Path, author: Author) -> Iterator[Follower]:
    with learner(tmp_path / "anna") as col:
        yield Follower(col, author, tmp_path / "work.apkg")


def mod(anna: Follower, guid: str) -> int:
    return int(anna.col.get_note(anna.nid(guid)).mod)


def queues(anna: Follower, guid: str) -> list[int]:
    return [int(card.queue) for card in anna.cards(guid)]


def scm(anna: Follower) -> Any:
    assert anna.col.db
    return anna.col.db.scalar("select scm from col")


# A field or a note: the author's change against the learner's.


def test_what_neither_changed_stays(author: Author, anna: Follower) -> None:
    first = author.release("1")
    assert anna.update(first).update.counts == Counts(new=6)
    before = anna.everything()
    assert anna.look(first).is_empty
    author.put("n0", "Question 0", "New")
    anna.update(author.release("2"))
    others = [row for row in anna.everything()[0] if row[1] != "n0"]
    assert others == [row for row in before[0] if row[1] != "n0"]
    assert_healthy(anna.col)


def test_a_new_text_of_the_authors_goes_in_with_the_authors_time(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "The <b>new</b> answer")
    second = author.release("2")
    update = anna.look(second)
    assert update.counts == Counts(changed=1)
    anna.update(second)
    assert anna.fields("n0") == ["Question 0", "The <b>new</b> answer", ""]
    assert mod(anna, "n0") == author.notes["n0"].mod


def test_a_text_that_both_changed_waits_and_other_fields_are_merged(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.edit("n0", Back="mine")
    author.put("n0", "Question zero", "theirs")
    second = author.release("2")
    update = anna.look(second)
    assert update.counts == Counts(conflicts=1)
    assert [(each.field, each.kind) for each in lines_of(update, 9)] == [
        ("Front", "words"),
        ("Back", "yours"),
        ("Back", "authors"),
    ]
    before = int(time.time())
    anna.update(second)
    assert anna.fields("n0") == ["Question zero", "mine", ""]
    assert mod(anna, "n0") >= before
    assert anna.subscription.waiting == {"n0": (12,)}
    assert anna.look(second).is_empty


def test_what_only_the_learner_changed_stays(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.edit("n0", Back="mine")
    author.put("n1", "Question 1", "New")
    second = author.release("2")
    assert anna.look(second).counts == Counts(changed=1)
    anna.update(second)
    assert anna.fields("n0") == ["Question 0", "mine", ""]


def test_an_edit_of_another_field_is_merged(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.edit("n0", Front="mine")
    author.put("n0", "Question 0", "New")
    second = author.release("2")
    assert anna.look(second).counts == Counts(merged=1)
    anna.update(second)
    assert anna.fields("n0") == ["mine", "New", ""]


@pytest.mark.parametrize("is_changed", [False, True])
def test_a_note_that_the_learner_deleted_stays_deleted(
    author: Author, anna: Follower, *, is_changed: bool
) -> None:
    anna.update(author.release("1"))
    anna.delete("n0")
    if is_changed:
        author.put("n0", "Question 0", "New")
    author.put("n1", "Question 1", "New")
    second = author.release("2")
    assert anna.look(second).counts == Counts(changed=1, gone=int(is_changed))
    anna.update(second)
    assert anna.nid("n0") is None


@pytest.mark.parametrize(
    ("choice", "is_here", "queue"), [("suspend", 1, [-1]), ("keep", 1, [0]), ("delete", 0, [])]
)
def test_a_retired_note_is_suspended_kept_or_deleted(
    author: Author, anna: Follower, choice: str, is_here: int, queue: list[int]
) -> None:
    anna.update(author.release("1"))
    author.drop("n0")
    second = author.release("2")
    update = anna.look(second)
    assert (update.counts, [each.title for each in update.retired]) == (Counts(retired=1), ["Question 0"])
    anna.update(second, retired=choice)
    assert bool(anna.nid("n0")) == is_here
    if is_here:
        assert queues(anna, "n0") == queue
    author.put("n1", "Question 1", "New")
    assert anna.look(author.release("3")).counts == Counts(changed=1)


def test_a_retired_note_with_edits_stays_as_it_is(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.edit("n0", Back="mine")
    author.drop("n0")
    second = author.release("2")
    assert anna.look(second).counts == Counts(retired_kept=1)
    for choice in ("suspend", "delete"):
        anna.update(second, retired=choice)
        assert (anna.fields("n0"), queues(anna, "n0")) == (["Question 0", "mine", ""], [0])


def test_a_retired_note_with_only_a_tag_of_the_learners_stays(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.tag("n0", add="mine")
    author.drop("n0")
    assert anna.look(author.release("2")).counts == Counts(retired_kept=1)


def test_a_retired_note_that_the_learner_deleted_is_nothing(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.delete("n0")
    author.drop("n0")
    assert anna.look(author.release("2")).is_empty


def test_a_note_that_comes_back_gets_its_new_text_and_is_studied_again(
    author: Author, anna: Follower
) -> None:
    anna.update(author.release("1"))
    author.drop("n0")
    anna.update(author.release("2"))
    author.put("n0", "Question 0", "New", tags="geo")
    third = author.release("3")
    assert anna.look(third).counts == Counts(changed=1)
    anna.update(third)
    assert (anna.fields("n0"), queues(anna, "n0")) == (["Question 0", "New", ""], [0])


def test_a_note_that_comes_back_is_compared_with_what_the_learner_had(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.edit("n0", Back="mine")
    author.put("n0", "Question 0", "skipped", tags="geo added")
    author.release("2")
    author.drop("n0")
    anna.update(author.release("3"))
    assert anna.subscription.behind == {"n0": author.feed.releases[0].time if author.feed else 0}
    author.put("n0", "Question zero", "skipped", tags="geo added")
    fourth = author.release("4")
    assert anna.look(fourth).counts == Counts(conflicts=1)
    anna.update(fourth)
    assert (anna.fields("n0"), anna.tags("n0")) == (["Question zero", "mine", ""], ["added", "geo"])
    assert anna.subscription.behind == {}


def test_a_tag_of_a_skipped_release_arrives_on_a_note_that_comes_back(author: Author, anna: Follower) -> None:
    """Nothing but the tag tells the two publications apart, and the learner's own tag hides the time."""
    anna.update(author.release("1"))
    anna.tag("n0", add="mine")
    author.put("n0", tags="geo added")
    author.release("2")
    author.drop("n0")
    anna.update(author.release("3"))
    author.put("n0", "Question 0", "Answer 0", tags="geo added")
    anna.update(author.release("4"))
    assert anna.tags("n0") == ["added", "geo", "mine"]


def test_a_release_between_two_retirements_that_the_learner_skipped_was_not_received(
    author: Author, anna: Follower
) -> None:
    anna.update(author.release("1"))
    anna.tag("n0", add="mine")
    author.drop("n0")
    anna.update(author.release("2"))
    author.put("n0", "Question 0", "Answer 0", tags="geo added")
    author.release("3")
    author.drop("n0")
    anna.update(author.release("4"))
    author.put("n0", "Question 0", "Answer 0", tags="geo added")
    anna.update(author.release("5"))
    assert anna.tags("n0") == ["added", "geo", "mine"]


def test_a_note_that_comes_back_after_the_learner_deleted_it_is_new(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    author.drop("n0")
    anna.update(author.release("2"))
    anna.delete("n0")
    author.put("n0", "Question 0", "Answer 0")
    third = author.release("3")
    assert anna.look(third).counts == Counts(new=1)
    anna.update(third)
    assert anna.fields("n0") == ["Question 0", "Answer 0", ""]


def test_a_new_note_is_added_unless_its_guid_belongs_to_another_deck(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    note = anna.col.new_note(anna.col.models.by_name("Basic"))
    note.guid = "x1"
    note.fields = ["Mine", "text"]
    anna.col.add_note(note, anna.col.decks.id("Mine"))
    author.put("x0", "New", "one")
    author.put("x1", "Theirs", "two")
    second = author.release("2")
    update = anna.look(second)
    assert (update.counts, update.left_alone) == (
        Counts(new=1),
        (LeftAlone("x1", "Mine", WhyAlone.OTHER_DECK),),
    )
    anna.update(second)
    assert (anna.fields("x0"), anna.fields("x1")) == (["New", "one", ""], ["Mine", "text"])


# Tags, decks, descriptions, note types, files.


def test_tags_are_merged_three_ways(author: Author, anna: Follower) -> None:
    author.put("n0", tags="one two three Four")
    anna.update(author.release("1"))
    anna.tag("n0", add="leech marked mine", remove="two")
    author.put("n0", tags="one two four new")
    anna.update(author.release("2"))
    assert anna.tags("n0") == ["Four", "leech", "marked", "mine", "new", "one"]


def test_a_card_is_moved_only_from_the_authors_deck_and_only_if_asked(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.move("n1", "Mine")
    for guid in ("n0", "n1", "n2"):
        author.put(guid, deck="Geo::Capitals")
    second = author.release("2")
    assert anna.look(second).counts == Counts(moved=2, stays=1)
    anna.update(second)
    assert [anna.decks(guid) for guid in ("n0", "n1", "n2")] == [
        ["Geo::Capitals"],
        ["Mine"],
        ["Geo::Capitals"],
    ]
    author.put("n2", deck="Geo::Rivers")
    third = author.release("3")
    anna.update(third, move=False)
    assert anna.decks("n2") == ["Geo::Capitals"]
    assert anna.look(third).is_empty


def test_a_card_in_a_filtered_deck_gets_a_new_home_and_stays_there(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    filtered = anna.col.decks.new_filtered("Cram")
    deck = anna.col.decks.get(filtered)
    assert deck
    deck["terms"] = [['"Front:Question 0"', 10, 0]]
    anna.col.decks.save(deck)
    anna.col.sched.rebuild_filtered_deck(filtered)
    assert [card.did for card in anna.cards("n0")] == [filtered]
    author.put("n0", deck="Geo::Capitals")
    second = author.release("2")
    assert anna.look(second).counts == Counts(moved=1)
    anna.update(second)
    assert [card.did for card in anna.cards("n0")] == [filtered]
    assert anna.decks("n0") == ["Geo::Capitals"]
    anna.col.sched.empty_filtered_deck(filtered)
    assert [anna.col.decks.name(card.did) for card in anna.cards("n0")] == ["Geo::Capitals"]


def test_a_deck_that_the_learner_renamed_keeps_its_name_and_gets_new_cards(
    author: Author, anna: Follower
) -> None:
    author.put("n1", deck="Geo::Rivers")
    anna.update(author.release("1"))
    anna.rename("Geo", "School::Earth")
    author.put("x0", "New", "one")
    author.put("x1", "New", "two", deck="Geo::Rivers")
    author.put("x2", "New", "three", deck="Geo::Seas")
    anna.update(author.release("2"))
    decks = [anna.decks(guid) for guid in ("n0", "x0", "x1", "x2")]
    assert decks == [["School::Earth"], ["School::Earth"], ["School::Earth::Rivers"], ["School::Earth::Seas"]]
    names = [each.name for each in anna.col.decks.all_names_and_ids(skip_empty_default=True)]
    assert names == ["School", "School::Earth", "School::Earth::Rivers", "School::Earth::Seas"]


def test_a_deck_that_the_author_renamed_is_renamed_in_place(author: Author, anna: Follower) -> None:
    author.put("n1", deck="Geo::Rivers")
    anna.update(author.release("1"))
    did = anna.col.decks.id_for_name("Geo::Rivers")
    deck = anna.col.decks.get(did)
    preset = anna.col.decks.add_config_returning_id("Slow")
    assert deck
    deck["conf"] = preset
    anna.col.decks.save(deck)
    author.put("n1", deck="Geo::Streams")
    second = author.release("2")
    update = anna.look(second)
    assert (update.counts, update.renamed, update.is_empty) == (
        Counts(),
        {"Geo::Rivers": "Geo::Streams"},
        False,
    )
    anna.update(second)
    assert anna.decks("n1") == ["Geo::Streams"]
    assert (anna.col.decks.id_for_name("Geo::Streams"), anna.col.decks.get(did)["conf"]) == (did, preset)
    assert anna.col.decks.id_for_name("Geo::Rivers") is None


def test_the_whole_collection_is_renamed_in_place(author: Author, anna: Follower) -> None:
    author.put("n1", deck="Geo::Rivers")
    anna.update(author.release("1"))
    before = {each.id for each in anna.col.decks.all_names_and_ids()}
    for guid, note in list(author.notes.items()):
        author.put(guid, deck=note.deck.replace("Geo", "Earth"))
    anna.update(author.release("2"))
    assert (anna.decks("n0"), anna.decks("n1")) == (["Earth"], ["Earth::Rivers"])
    assert {each.id for each in anna.col.decks.all_names_and_ids()} == before


def test_a_deck_becomes_the_one_above_the_others(author: Author, anna: Follower) -> None:
    """Anki makes the decks above a renamed one, which must not take the name of another renamed one."""
    for number in range(6):
        author.put(f"n{number}", deck="Geo::Rivers" if number % 2 else "Geo::Seas")
    anna.update(author.release("1"))
    for number in range(6):
        author.put(f"n{number}", deck="Earth::Rivers" if number % 2 else "Earth")
    anna.update(author.release("2"))
    assert (anna.decks("n0"), anna.decks("n1")) == (["Earth"], ["Earth::Rivers"])
    assert_healthy(anna.col)


def test_the_deck_above_a_renamed_one_is_the_authors(author: Author, anna: Follower) -> None:
    for number in range(1, 6):
        author.put(f"n{number}", deck="Geo::Rivers")
    anna.update(author.release("1"))
    author.drop("n0")
    for number in range(1, 6):
        author.put(f"n{number}", deck="Earth::Streams")
    anna.update(author.release("2"))
    anna.rename("Earth", "School")
    for number in range(1, 6):
        author.put(f"n{number}", deck="World::Streams")
    author.put("new", "Question", "Answer", deck="World::Seas")
    anna.update(author.release("3"))
    assert (anna.decks("n1"), anna.decks("new")) == (["School::Streams"], ["School::Seas"])


def test_a_deck_that_both_renamed_keeps_the_learners_name(author: Author, anna: Follower) -> None:
    author.put("n1", deck="Geo::Rivers")
    anna.update(author.release("1"))
    anna.rename("Geo::Rivers", "Geo::Water")
    author.put("n1", deck="Geo::Streams")
    author.put("x0", "New", "one", deck="Geo::Streams")
    anna.update(author.release("2"))
    assert (anna.decks("n1"), anna.decks("x0")) == (["Geo::Water"], ["Geo::Water"])


@pytest.mark.parametrize("is_renamed", [False, True])
def test_a_deck_of_the_learners_with_the_same_name_stays_alone(
    author: Author, anna: Follower, *, is_renamed: bool
) -> None:
    author.put("n1", deck="Geo::Rivers")
    anna.update(author.release("1"))
    note = anna.col.new_note(anna.col.models.by_name("Basic"))
    note.fields = ["Mine", "text"]
    anna.col.add_note(note, anna.col.decks.id("Geo::Streams"))
    author.descriptions["Geo::Streams"] = "About streams"
    if is_renamed:
        author.put("n1", deck="Geo::Streams")
    author.put("x0", "New", "one", deck="Geo::Streams")
    anna.update(author.release("2"))
    assert anna.decks("x0") == ["Geo::Streams+"]
    assert anna.decks("n1") == (["Geo::Streams+"] if is_renamed else ["Geo::Rivers"])
    own = anna.col.decks.by_name("Geo::Streams")
    theirs = anna.col.decks.by_name("Geo::Streams+")
    assert own
    assert theirs
    assert (own["desc"], theirs["desc"]) == ("", "About streams")
    assert anna.col.decks.card_count(own["id"], include_subdecks=False) == 1


def test_a_deck_that_vanished_and_came_back_gets_its_name(author: Author, anna: Follower) -> None:
    author.put("n1", deck="Geo::Rivers")
    author.put("n2", deck="Geo::Rivers")
    anna.update(author.release("1"))
    anna.move("n3", "Geo::Rivers")  # the learner keeps a card there
    did = anna.col.decks.id_for_name("Geo::Rivers")
    author.put("n1", deck="Geo")
    author.put("n2", deck="Geo")
    anna.update(author.release("2"))
    author.put("n1", deck="Geo::Rivers")
    anna.update(author.release("3"))
    assert (anna.decks("n1"), anna.col.decks.id_for_name("Geo::Rivers")) == (["Geo::Rivers"], did)


def test_a_description_is_replaced_only_if_the_author_wrote_it(author: Author, anna: Follower) -> None:
    author.put("n1", deck="Geo::Rivers")
    author.put("n2", deck="Geo::Seas")
    author.descriptions = {"Geo": "One", "Geo::Rivers": "Two"}
    anna.update(author.release("1"))

    def described() -> list[str]:
        found = [anna.col.decks.by_name(name) for name in ("Geo", "Geo::Rivers", "Geo::Seas")]
        return [deck["desc"] for deck in found if deck]

    assert described() == ["One", "Two", ""]
    deck = anna.col.decks.by_name("Geo::Rivers")
    assert deck
    deck["desc"] = "Mine"
    anna.col.decks.save(deck)
    author.descriptions = {"Geo": "One more", "Geo::Rivers": "Two more", "Geo::Seas": "Three"}
    second = author.release("2")
    assert not anna.look(second).is_empty
    anna.update(second)
    assert described() == ["One more", "Mine", "Three"]
    assert anna.look(second).is_empty


def model(anna: Follower) -> Any:
    return anna.col.models.get(author_type)


author_type: Any = geo_type().id


def test_a_published_look_is_replaced_and_a_learners_look_stays(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    before = scm(anna)
    author.note_type = geo_type(css=".card { color: red }")
    author.type_mod += 10
    second = author.release("2")
    assert anna.look(second).counts == Counts(looks=1)
    anna.update(second)
    assert model(anna)["css"] == ".card { color: red }"
    assert anna.look(second).is_empty
    own = model(anna)
    own["css"] = ".mine {}"
    anna.col.models.update_dict(own)
    author.note_type = geo_type(css=".card { color: blue }")
    author.type_mod += 10
    author.put("n0", "Question 0", "New")
    third = author.release("3")
    update = anna.look(third)
    assert (update.counts, update.kept_looks) == (Counts(changed=1), ("Geo",))
    anna.update(third)
    assert (model(anna)["css"], anna.fields("n0")[1], scm(anna)) == (".mine {}", "New", before)


def test_a_package_never_brings_a_look_in_spite_of_the_learners(author: Author, anna: Follower) -> None:
    """Anki's importer would replace an older note type if notes come with it."""
    anna.update(author.release("1"))
    own = model(anna)
    own["css"] = ".mine {}"
    anna.col.models.update_dict(own)
    author.note_type = geo_type(css=".card { color: red }")
    author.type_mod = int(time.time()) + 1000
    author.put("x0", "New", "one")
    anna.update(author.release("2"))
    assert (model(anna)["css"], anna.fields("x0")) == (".mine {}", ["New", "one", ""])


def test_fields_are_found_in_the_learners_note_type(author: Author, anna: Follower) -> None:
    author.put("n2", "Question 2", "Answer 2", "more")
    anna.update(author.release("1"))
    models = anna.col.models
    own = model(anna)
    models.rename_field(own, own["flds"][1], "Solution")
    models.add_field(own, models.new_field("Mnemonic"))
    models.reposition_field(own, own["flds"][3], 0)
    models.remove_field(own, own["flds"][3])  # Extra
    models.update_dict(own)
    assert [field["name"] for field in model(anna)["flds"]] == ["Mnemonic", "Front", "Solution"]
    before = scm(anna)
    anna.edit("n0", Mnemonic="sounds like")
    author.put("n0", "Question 0", "New 0", "added")
    author.put("n1", "Question 1", "New 1", "added")
    author.put("x0", "New", "one", "added")
    second = author.release("2")
    update = anna.look(second)
    assert update.left_out == (("Geo", "Extra"), ("Geo", "Card 2"))[: len(update.left_out)]
    anna.update(second)
    assert [anna.fields(guid) for guid in ("n0", "n1", "x0")] == [
        ["sounds like", "Question 0", "New 0"],
        ["", "Question 1", "New 1"],
        ["", "New", "one"],
    ]
    assert (scm(anna), [each.name for each in models.all_names_and_ids() if "Geo" in each.name]) == (
        before,
        ["Geo"],
    )
    assert anna.look(second).is_empty


def test_a_new_field_and_template_of_the_authors_are_left_out(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    before = scm(anna)
    kind = geo_type()
    author.note_type = replace(
        kind,
        fields=(*kind.fields, Field("Source", 14)),
        templates=(*kind.templates, Template("Card 3", 23, "{{Source}}", "{{Front}}")),
    )
    author.put("n0", "Question 0", "New", "", "book")
    second = author.release("2")
    update = anna.look(second)
    assert update.left_out == (("Geo", "Source"), ("Geo", "Card 3"))
    assert (update.counts, update.kept_looks) == (Counts(changed=1), ())
    anna.update(second)
    assert (anna.fields("n0"), scm(anna)) == (["Question 0", "New", ""], before)
    assert len(model(anna)["tmpls"]) == 2


def test_a_field_that_the_author_renamed_is_renamed_with_the_look(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    before = scm(anna)
    author.note_type = geo_type(
        fields=(Field("Prompt", 11), Field("Back", 12), Field("Extra", 13)),
        templates=(
            Template("Card 1", 21, "{{Prompt}}", "{{FrontSide}}<hr id=answer>{{Back}}"),
            Template("Card 2", 22, "{{#Extra}}{{Back}}{{/Extra}}", "{{FrontSide}}{{Prompt}}"),
        ),
    )
    author.type_mod += 10
    author.put("x0", "New", "one")
    anna.update(author.release("2"))
    assert [field["name"] for field in model(anna)["flds"]] == ["Prompt", "Back", "Extra"]
    assert (anna.cards("n0")[0].question().endswith("Question 0"), scm(anna)) == (True, before)
    assert anna.fields("x0") == ["New", "one", ""]
    assert_healthy(anna.col)


def test_a_note_type_that_another_deck_uses_is_copied(author: Author, anna: Follower, tmp_path: Path) -> None:
    other = Author(tmp_path / "other", id="other", name="Other", address="https://other.example/deck.json")
    other.note_type = geo_type(name="Other", css=".other {}")
    for number in range(3):
        other.put(f"o{number}", f"Other {number}", "text", deck="Other")
    theirs = Follower(anna.col, other, anna.work)
    theirs.update(other.release("1"))
    before = anna.everything()[0]
    anna.update(author.release("1"))
    own = anna.subscription.types[str(author_type)]
    assert own != author_type
    assert [row for row in anna.everything()[0] if row[1].startswith("o")] == before
    author.note_type = geo_type(css=".card { color: red }")
    author.type_mod += 10
    anna.update(author.release("2"))
    assert model(anna)["css"] == ".other {}"
    assert anna.col.models.get(own)["css"] == ".card { color: red }"
    assert {*subscriptions(anna.col)} == {author.id, "other"}
    assert {anna.col.get_note(anna.nid(guid)).mid for guid in author.notes} == {own}
    assert_healthy(anna.col)


def test_reviews_schedules_flags_and_import_options_stay(author: Author, anna: Follower) -> None:
    author.put("n5", "Question 5", "Answer 5", "more")
    anna.update(author.release("1"))
    for guid, rating in (("n0", CardAnswer.GOOD), ("n1", CardAnswer.AGAIN), ("n2", CardAnswer.EASY)):
        answer(anna.col, anna.cards(guid)[0].id, rating)
    anna.col.set_user_flag_for_cards(3, [anna.cards("n0")[0].id])
    anna.col.sched.suspend_cards([anna.cards("n3")[0].id])
    options = {"mergeNotetypes": True, "updateNotes": 1, "withScheduling": True}
    for name, value in options.items():
        anna.col.set_config(name, value)
    assert anna.col.db

    def learned() -> Any:
        assert anna.col.db
        columns = (
            "id, nid, did, ord, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data"
        )
        return (
            anna.col.db.all(f"select {columns} from cards order by id"),
            anna.col.db.all("select * from revlog order by id"),
        )

    before, configured = learned(), anna.col.all_config()
    for number in range(6):
        author.put(f"n{number}", f"Question {number}", "New", author.notes[f"n{number}"].fields[2])
    anna.edit("n2", Front="mine")
    anna.update(author.release("2"))
    assert learned() == before
    after = anna.col.all_config()
    key = f"ptcards.{author.id}"
    assert {name: after[name] for name in after if name != key} == {
        name: configured[name] for name in configured if name != key
    }


def test_pictures_come_with_new_names_and_own_files_are_replaced_if_published(
    author: Author, anna: Follower
) -> None:
    author.media = {"a-11111111.png": b"one", "_font.woff2": b"font 1", "_logo.png": b"logo 1"}
    author.put("n0", 'Question 0 <img src="a-11111111.png">', "Answer 0")
    anna.update(author.release("1"))
    folder = Path(anna.col.media.dir())
    held = {name: (folder / name).read_bytes() for name in author.media}
    assert held == author.media
    assert list(anna.subscription.files) == ["_font.woff2", "_logo.png"]
    (folder / "_logo.png").write_bytes(b"my logo")
    author.media = {"b-22222222.png": b"two", "_font.woff2": b"font 2", "_logo.png": b"logo 2"}
    author.put("n0", 'Question 0 <img src="b-22222222.png">', "Answer 0")
    author.put("n1", 'Question 1 <img src="b-22222222.png">', "Answer 1")
    anna.edit("n1", Back="mine")
    second = author.release("2")
    update = anna.look(second)
    assert (update.counts, update.plan.file_conflicts) == (Counts(changed=1, merged=1), ("_logo.png",))
    anna.update(second)
    assert (folder / "a-11111111.png").read_bytes() == b"one"
    assert (folder / "b-22222222.png").read_bytes() == b"two"
    assert (folder / "_font.woff2").read_bytes() == b"font 2"
    assert (folder / "_logo.png").read_bytes() == b"my logo"
    assert anna.look(second).is_empty


# Versions, imports by hand, and what is strange about a feed.


def test_several_versions_are_skipped_in_one_step(author: Author, anna: Follower) -> None:
    anna.update(author.release("1.0"))
    anna.edit("n1", Front="mine")
    for version in ("1.1", "1.2", "1.3", "1.4"):
        author.put("n0", "Question 0", version)
        author.put("n1", "Question 1", version)
        author.put(f"x{version}", "New", version)
        source = author.release(version)
    assert anna.look(source).counts == Counts(new=4, changed=1, merged=1)
    anna.update(source)
    assert (anna.fields("n0"), anna.fields("n1")) == (["Question 0", "1.4", ""], ["mine", "1.4", ""])
    assert anna.subscription.version == "1.4"


def test_a_deck_imported_by_hand_before_follows_the_feed(author: Author, anna: Follower) -> None:
    author.put("n5", "Question 5", "Answer 5", deck="Geo::Rivers")
    author.release("1")
    import_package(anna.col, author.file)
    anna.edit("n0", Back="mine")
    anna.delete("n4")
    anna.move("n3", "Mine")
    author.put("n0", "Question zero", "Answer 0")
    author.put("n1", "Question 1", "New")
    author.put("n3", deck="Geo::Rivers")
    second = author.release("2")
    update = anna.look(second)
    assert (update.is_first, update.here) == (True, 5)
    assert update.counts == Counts(changed=1, merged=1, gone=1, stays=1)
    anna.update(second)
    assert (anna.fields("n0"), anna.fields("n1")) == (
        ["Question zero", "mine", ""],
        ["Question 1", "New", ""],
    )
    assert (anna.nid("n4"), anna.decks("n3"), anna.decks("n5")) == (None, ["Mine"], ["Geo::Rivers"])
    assert anna.look(second).is_empty


def test_a_deck_imported_by_hand_and_renamed_by_the_learner_is_found(author: Author, anna: Follower) -> None:
    author.put("n5", "Question 5", "Answer 5", deck="Geo::Rivers")
    author.release("1")
    import_package(anna.col, author.file)
    anna.rename("Geo", "School::Earth")
    author.put("x0", "New", "one")
    author.put("x1", "New", "two", deck="Geo::Rivers")
    anna.update(author.release("2"))
    assert (anna.decks("x0"), anna.decks("x1")) == (["School::Earth"], ["School::Earth::Rivers"])


def test_a_newer_package_imported_by_hand_between_counts_for_texts(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "two")
    author.put("n1", "Question 1", "two")
    author.put("n2", deck="Geo::Rivers")
    author.release("2")
    import_package(anna.col, author.file)
    anna.edit("n0", Back="mine")
    author.put("n0", "Question zero", "two")
    third = author.release("3")
    assert anna.look(third).counts == Counts(merged=1, moved=1)
    anna.update(third)
    assert (anna.fields("n0"), anna.decks("n2")) == (["Question zero", "mine", ""], ["Geo::Rivers"])


def test_a_deck_that_an_import_by_hand_made_gets_the_next_cards(author: Author, anna: Follower) -> None:
    """Unless it has cards of the learner's own."""
    anna.update(author.release("1"))
    author.put("x0", "New", "one", deck="Geo::Seas")
    author.put("x1", "New", "two", deck="Geo::Lakes")
    author.release("2")
    import_package(anna.col, author.file)
    note = anna.col.new_note(anna.col.models.by_name("Basic"))
    note.fields = ["Mine", "text"]
    anna.col.add_note(note, anna.col.decks.id_for_name("Geo::Lakes"))
    author.put("y0", "New", "three", deck="Geo::Seas")
    author.put("y1", "New", "four", deck="Geo::Lakes")
    third = author.release("3")
    assert anna.look(third).counts == Counts(new=2)
    assert anna.look(third, adopt=True).counts == Counts(new=2, stays=1)
    anna.update(third, adopt=True)
    decks = [anna.decks(guid) for guid in ("x0", "x1", "y0", "y1")]
    assert decks == [["Geo::Seas"], ["Geo::Lakes"], ["Geo::Seas"], ["Geo::Lakes+"]]
    assert anna.look(third).is_empty


def test_a_deck_that_was_renamed_and_imported_by_hand_is_not_made_twice(
    author: Author, anna: Follower
) -> None:
    author.put("n5", deck="Geo::Rivers")
    anna.update(author.release("1"))
    author.put("n5", deck="Geo::Streams")
    author.put("n0", "Question 0", "New")
    second = author.release("2")
    import_package(anna.col, author.file)
    assert anna.decks("n5") == ["Geo::Rivers"]
    assert anna.look(second).counts == Counts(moved=1)
    anna.update(second)
    names = {each.name for each in anna.col.decks.all_names_and_ids(skip_empty_default=True)}
    assert (anna.decks("n5"), names) == (["Geo::Streams"], {"Geo", "Geo::Rivers", "Geo::Streams"})


def test_another_rendering_of_a_text_from_an_import_by_hand_does_not_wait(
    author: Author, anna: Follower
) -> None:
    """No other time proves the import, because the learner touched all that it brought."""
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "New")
    author.put("x0", "New", "one")
    author.release("2")
    import_package(anna.col, author.file)
    for guid in ("n0", "x0"):
        anna.tag(guid, add="mine")
        note = author.notes[guid]
        author.notes[guid] = replace(note, fields=(note.fields[0], f"{note.fields[1]}.", ""))
    third = author.release("3")
    assert anna.look(third).is_empty
    anna.update(third)
    assert (anna.fields("x0"), anna.subscription.waiting) == (["New", "one", ""], {})


def test_a_published_text_from_an_import_by_hand_is_updated(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "two")
    author.release("2")
    import_package(anna.col, author.file)
    anna.tag("n0", add="mine")
    author.put("n0", "Question 0", "three")
    third = author.release("3")
    anna.update(third)
    assert (anna.fields("n0"), anna.subscription.waiting) == (["Question 0", "three", ""], {})
    assert anna.look(third).is_empty


def test_a_text_of_a_note_that_the_update_deletes_waits_no_longer(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.edit("n0", Back="mine")
    author.put("n0", "Question 0", "theirs")
    anna.update(author.release("2"))
    assert anna.subscription.waiting == {"n0": (12,)}
    anna.edit("n0", Back="Answer 0")
    author.drop("n0")
    anna.update(author.release("3"), retired="delete")
    assert (anna.nid("n0"), anna.subscription.waiting) == (None, {})


def test_a_note_that_an_import_by_hand_brought_moves_with_the_author(author: Author, anna: Follower) -> None:
    """Unless the learner moved it."""
    anna.update(author.release("1"))
    for guid in ("x0", "x1"):
        author.put(guid, "New", guid)
    author.release("2")
    import_package(anna.col, author.file)
    anna.move("x1", "Mine")
    for guid in ("x0", "x1"):
        author.put(guid, deck="Geo::Seas")
    third = author.release("3")
    assert anna.look(third).counts == Counts()
    assert anna.look(third, adopt=True).counts == Counts(moved=1, stays=1)
    anna.update(third, adopt=True)
    assert (anna.decks("x0"), anna.decks("x1")) == (["Geo::Seas"], ["Mine"])


def test_a_note_that_was_moved_and_retired_comes_back_where_its_author_has_it(
    author: Author, anna: Follower
) -> None:
    """The import by hand did not move it, and no update did."""
    anna.update(author.release("1"))
    author.put("n0", deck="Geo::Seas")
    author.put("n1", "Question 1", "New")
    author.release("2")
    import_package(anna.col, author.file)
    author.drop("n0")
    anna.update(author.release("3"), retired="keep")
    anna.update(author.release("4"))
    assert anna.decks("n0") == ["Geo"]
    author.put("n0", "Question 0", "Answer 0", deck="Geo::Seas", tags="geo")
    anna.update(author.release("5"))
    assert anna.decks("n0") == ["Geo::Seas"]


def test_a_deck_of_the_learners_with_the_next_name_is_not_taken_for_one_of_an_import(
    author: Author, anna: Follower
) -> None:
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "New")
    author.release("2")
    import_package(anna.col, author.file)
    for guid in author.notes:
        author.put(guid, deck="Earth")
    note = anna.col.new_note(anna.col.models.by_name("Basic"))
    note.fields = ["Mine", "text"]
    anna.col.add_note(note, anna.col.decks.id("Earth::Mine"))
    anna.update(author.release("3"))
    assert {deck for guid in author.notes for deck in anna.decks(guid)} == {"Earth+"}
    assert anna.col.decks.id_for_name("Geo") is None


def test_a_deck_that_an_import_by_hand_described_gets_the_next_description(
    author: Author, anna: Follower
) -> None:
    """No time proves the import, which made an empty deck."""
    anna.update(author.release("1"))
    author.put("n0", deck="Geo::Seas")
    author.descriptions = {"Geo::Seas": "One"}
    author.release("2")
    import_package(anna.col, author.file)
    author.descriptions = {"Geo::Seas": "Two"}
    anna.update(author.release("3"))
    deck = anna.col.decks.by_name("Geo::Seas")
    assert deck
    assert (anna.decks("n0"), deck["desc"]) == (["Geo::Seas"], "Two")


def test_the_plain_package_still_updates_after_the_subscription(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "two")
    anna.update(author.release("2"))
    unfollow(anna.col, author.id)
    assert subscriptions(anna.col) == {}
    author.put("n0", "Question 0", "three")
    author.put("x0", "New", "one")
    author.release("3")
    assert import_package(anna.col, author.file) == {"new": 1, "updated": 1, "duplicate": 5}
    assert anna.fields("n0") == ["Question 0", "three", ""]


def test_a_feed_that_went_back_changes_nothing(author: Author, anna: Follower) -> None:
    first = author.release("1")
    author.put("n0", "Question 0", "New")
    second = author.release("2")
    anna.update(second)
    for action in (anna.look, anna.update):
        with pytest.raises(RefusedUpdateError) as raised:
            action(first)
        assert (raised.value.reason, raised.value.detail) == (Refusal.WENT_BACK, "1")
    assert anna.fields("n0") == ["Question 0", "New", ""]


def test_a_deck_followed_at_another_address_is_refused_until_the_address_changes(
    author: Author, anna: Follower
) -> None:
    anna.update(author.release("1"))
    source = author.release("2")._replace(address="https://new.example/deck.json")
    with pytest.raises(RefusedUpdateError) as raised:
        anna.look(source)
    assert (raised.value.reason, raised.value.detail) == (Refusal.OTHER_ADDRESS, ADDRESS)
    change_address(anna.col, author.id, source.address)
    assert anna.look(source).is_empty


def test_without_the_history_what_differs_waits(author: Author, anna: Follower) -> None:
    author.release("1")
    import_package(anna.col, author.file)
    anna.edit("n0", Back="mine")
    author.feed = None  # the author lost it
    author.put("n0", "Question zero", "Answer 0")
    author.put("n1", "Question 1", "New")
    source = author.release("1")
    assert anna.look(source).counts == Counts(conflicts=2)
    anna.update(source)
    assert (anna.fields("n0"), anna.fields("n1")) == (
        ["Question 0", "mine", ""],
        ["Question 1", "Answer 1", ""],
    )
    assert anna.subscription.waiting == {"n0": (11, 12), "n1": (12,)}


def test_the_same_list_twice_is_nothing(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.edit("n0", Back="mine")
    author.put("n0", "Question zero", "theirs")
    author.put("n1", deck="Geo::Rivers")
    author.drop("n2")
    second = author.release("2")
    anna.update(second)
    before = anna.everything()
    update = anna.update(second).update
    assert (update.is_empty, anna.everything()) == (True, before)


def test_what_was_edited_while_the_list_was_open_stays(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "New")
    second = author.release("2")
    assert anna.look(second).counts == Counts(changed=1)
    anna.edit("n0", Back="mine")
    applied = anna.update(second)
    assert (applied.update.counts, anna.fields("n0")) == (Counts(conflicts=1), ["Question 0", "mine", ""])


def test_another_renderer_and_then_a_new_deck_name_write_no_field(author: Author, anna: Follower) -> None:
    first = author.release("1")
    anna.update(first)
    anna.edit("n0", Back="mine")
    for guid, note in list(author.notes.items()):  # the same sources: the time stays
        author.notes[guid] = replace(note, fields=(f"<p>{note.fields[0]}</p>", note.fields[1] + "<br>", ""))
    second = author.release("2")
    assert second.feed.newest.changed == 0
    before = anna.everything()
    assert anna.look(second).is_empty
    anna.update(second)
    assert anna.everything()[0] == before[0]
    for guid in list(author.notes):
        author.put(guid, deck="Earth")
    third = author.release("3")
    update = anna.look(third)
    assert (update.counts, update.renamed) == (Counts(), {"Geo": "Earth"})
    anna.update(third)
    assert (anna.everything()[0], anna.decks("n1")) == (before[0], ["Earth"])
    # The edited note still gets what the author really changes.
    author.notes["n0"] = replace(
        author.notes["n0"], fields=("Really new", "Answer 0<br>", ""), mod=author.time + 1
    )
    anna.update(author.release("4"))
    assert anna.fields("n0") == ["Really new", "mine", ""]


def test_an_earlier_publication_is_behind_and_is_updated(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    author.put("n0", "Question 0", "two")
    anna.update(author.release("2"))
    anna.edit("n0", Front="mine", Back="Answer 0")  # as a window that was open may write
    author.put("n0", "Question 0", "three")
    third = author.release("3")
    assert anna.look(third).counts == Counts(merged=1)
    anna.update(third)
    assert anna.fields("n0") == ["mine", "three", ""]


def test_an_update_is_one_undo_step(author: Author, anna: Follower) -> None:
    for number in range(6):
        author.put(f"n{number}", deck="Geo::Rivers" if number % 2 else "Geo")
    author.descriptions["Geo"] = "One"
    anna.update(author.release("1"))
    anna.edit("n0", Back="mine")
    before = anna.everything()
    author.note_type = geo_type(css=".card { color: red }")
    author.type_mod += 10
    author.descriptions["Geo"] = "Two"
    author.put("n0", "Question zero", "New")
    author.put("n1", "Question 1", "New", deck="Geo::Streams")
    for number in range(2, 4):
        author.put(f"n{number}", "Question", "New", deck="Geo::Seas")
    author.drop("n4")
    author.put("x0", "New", "one")
    anna.update(author.release("2"))
    assert anna.everything() != before
    assert anna.col.undo_status().undo == TITLE
    anna.col.undo()
    anna.col.models._clear_cache()
    assert anna.everything() == before
    assert anna.subscription.version == "1"
    assert_healthy(anna.col)


# What waits, and the end of a subscription.


def test_a_text_that_waits_is_kept_or_replaced(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    for guid in ("n0", "n1", "n2"):
        anna.edit(guid, Back="mine")
    author.put("n0", "Question 0", "theirs 0")
    author.put("n1", "Question 1", "theirs 1")
    second = author.release("2")
    anna.update(second)
    found = differences(anna.col, second)
    assert [(each.guid, each.field, each.mine, each.authors, each.waits) for each in found] == [
        ("n0", "Back", "mine", "theirs 0", True),
        ("n1", "Back", "mine", "theirs 1", True),
        ("n2", "Back", "mine", "Answer 2", False),
    ]
    keep_mine(anna.col, author.id, [found[0]], "Keep Mine")
    take_authors(anna.col, second, author.file, [found[1]], "Take the Author's")
    assert (anna.fields("n0")[1], anna.fields("n1")[1]) == ("mine", "theirs 1")
    assert anna.subscription.waiting == {}
    assert anna.col.undo_status().undo == "Take the Author's"
    anna.col.undo()
    assert (anna.fields("n1")[1], anna.subscription.waiting) == ("mine", {"n1": (12,)})
    assert [each.waits for each in differences(anna.col, second)] == [True, False, False]


def test_media_whose_names_are_parts_of_others_get_their_new_names_one_by_one(
    author: Author, anna: Follower
) -> None:
    """Anki has other files called `a.png` and `b&c.png`, so the author's get new names there."""
    anna.update(author.release("1"))
    folder = Path(anna.col.media.dir())
    for name in ("a.png", "b&c.png"):
        (folder / name).write_bytes(b"mine")
    anna.edit("n0", Back="mine")
    anna.edit("n1", Front="mine")
    author.media = {name: name.encode() for name in ("a.png", "aa.png", "b&c.png", "a.png.mp3")}
    images = """<img src="aa.png" alt="a.png"> <img src='a.png'><img src=a.png> [sound:a.png.mp3] a.png"""
    images += ' <img src="b&c.png">'
    author.put("n0", "Question 0", images)
    author.put("n1", "Question 1", images)
    second = author.release("2")
    anna.update(second)
    (difference,) = [each for each in differences(anna.col, second) if each.waits]
    take_authors(anna.col, second, author.file, [difference], "Take the Author's")
    for guid in ("n0", "n1"):
        text = anna.fields(guid)[1]
        names = [*media_in(text)]
        contents = [(folder / name).read_bytes().decode() for name in names]
        assert contents == ["aa.png", "a.png", "a.png", "a.png.mp3", "b&c.png"]
        assert [names[0], names[3]] == ["aa.png", "a.png.mp3"]
        assert text.replace(names[1], "a.png").replace(escape(names[4]), "b&c.png") == images
    assert {(folder / name).read_bytes() for name in ("a.png", "b&c.png")} == {b"mine"}


def test_a_text_that_became_the_same_elsewhere_waits_no_longer(author: Author, anna: Follower) -> None:
    """The learner typed it, took it by hand, went back, or wrote what the author writes later."""
    guids = [f"n{number}" for number in range(6)]
    anna.update(author.release("1"))
    for guid in guids:
        anna.edit(guid, Back="mine")
        author.put(guid, author.notes[guid].fields[0], "theirs")
    anna.update(author.release("2"))
    assert anna.subscription.waiting == dict.fromkeys(guids, (12,))
    import_package(anna.col, author.file, is_always=True)
    anna.edit("n1", Back="<div>theirs</div>")  # as Anki's editor may write it
    for guid in guids[2:]:
        anna.edit(guid, Back="mine")
    anna.edit("n2", Back="Answer 2")  # as a window that was open may write
    author.put("n2", "Question 2", "later")
    author.put("n3", "Question 3", "mine")
    author.drop("n4")
    third = author.release("3")
    assert anna.look(third).after.waiting == {"n4": (12,), "n5": (12,)}
    assert anna.update(third).update.to_look_at == 1  # the author has no text of n4 any more
    assert anna.subscription.waiting == {"n4": (12,), "n5": (12,)}
    assert anna.fields("n2")[1] == "later"
    assert [each.guid for each in differences(anna.col, third) if each.waits] == ["n5"]


def test_a_deck_that_was_deleted_as_a_whole_can_come_back(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    anna.col.decks.remove([anna.col.decks.id_for_name("Geo")])
    author.put("n0", "Question 0", "New")
    second = author.release("2")
    update = anna.look(second)
    assert (update.is_whole_deck_deleted, update.counts) == (True, Counts(gone=1))
    assert anna.look(second, restore=True).counts == Counts(new=6)
    anna.update(second, restore=True)
    assert (anna.decks("n0"), anna.fields("n0")) == (["Geo"], ["Question 0", "New", ""])


def test_the_feed_of_a_note_is_known_by_its_note_type(author: Author, anna: Follower) -> None:
    anna.update(author.release("1"))
    assert feed_of(anna.col, anna.col.get_note(anna.nid("n0"))) == author.id
    assert feed_of(anna.col, anna.col.new_note(anna.col.models.by_name("Basic"))) is None
