"""The items of sequences and sets keep their numbers, and so learners their reviews."""

import html
import random
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from anki_backend import cards_of
from identity_release import Learner, Maintainer, author, studying
from item_edits import Author, Item
from ptcards.diagnostics import Location
from ptcards.identity.hashes import ItemSummary, one_line, summarise
from ptcards.identity.items import Numbering, number_items
from ptcards.identity.lock import ItemRecord
from ptcards.notes import Kind, Note, Text

__all__ = ["author"]

TCP = "# Net\n\n## How does TCP open a connection?\n<!-- card: kind=sequence -->\n\n"


def summaries(texts: Sequence[str]) -> Sequence[ItemSummary]:
    note = Note(Location("a.md", 1), Kind.SEQUENCE, items=tuple(map(Text, texts)))
    return summarise(note).items


def numbered(texts: Sequence[str], known: Sequence[ItemRecord] = (), highest: int = 0) -> Numbering:
    return number_items(summaries(texts), known, highest)


def numbers(*versions: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers that the items have in the last version of a list."""
    found = numbered(())
    for texts in versions:
        found = numbered(texts, found.records)
    return found.numbers


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (["SYN", "ACK"], ["SYN", "SYN-ACK", "ACK"], (1, 3, 2)),
        (["SYN", "SYN-ACK", "ACK"], ["SYN", "ACK"], (1, 3)),
        (["SYN", "SYN-ACK", "ACK"], ["ACK", "SYN", "SYN-ACK"], (3, 1, 2)),
        (["La la", "Hey", "La la"], ["La la", "Oh", "Hey", "La la"], (1, 4, 2, 3)),
        (["Physical", "Network"], ["physical.", "Network"], (1, 2)),
        (["Physical", "Network"], ["Phsyical", "Network"], (1, 2)),
        (["Zero the gradients", "Step"], ["Zero the gradients of the model", "Step"], (1, 2)),
        (["Zero the gradients, and step", "Log"], ["Zero the gradients", "Step", "Log"], (1, 3, 2)),
        (["Zero the gradients", "Step", "Log"], ["Zero the gradients, and step", "Log"], (1, 3)),
        (["Layer 1", "Layer 2"], ["Layer 1", "Layer 3"], (1, 3)),
        (["encoder", "attention"], ["decoder", "attention"], (3, 2)),
        (["Apply ReLU to the scores", "Step"], ["Apply GELU to the scores", "Step"], (3, 2)),
    ],
)
def test_an_item_keeps_its_number(before: list[str], after: list[str], expected: tuple[int, ...]) -> None:
    assert numbers(before, after) == expected


def test_the_number_of_a_removed_item_is_never_used_again() -> None:
    assert numbers(["a", "b", "c"], ["a"], ["a", "d"], ["a", "e"]) == (1, 5)


def test_an_item_that_comes_back_has_its_number_again() -> None:
    assert numbers(["a", "b", "c"], ["a", "c"], ["a", "c", "d"], ["a", "b", "c", "d"]) == (1, 2, 3, 4)


def test_a_number_that_git_knows_is_never_used_again() -> None:
    first = numbered(["a", "b"])
    assert numbered(["a", "b", "c"], first.records, highest=7).numbers == (1, 2, 8)


def test_what_is_not_certain_is_a_new_item_that_is_named() -> None:
    first = numbered(["Apply ReLU to the scores", "Step"])
    second = numbered(["Apply GELU to the scores", "Step"], first.records)
    assert [(n, [record.number for record in some], is_alike) for n, some, is_alike in second.doubtful] == [
        (0, [1], True)
    ]


def words(text: str) -> str:
    return f" {' '.join(re.findall(r'[^ .,`]+', text.casefold()))} "


def is_same(one: Item, other: Item) -> bool:
    """Whether two items come from the same one, or nobody could tell: all words of one are in the other."""
    before, after = words(one.text), words(other.text)
    return bool(one.origins & other.origins) or before in after or after in before


def test_no_random_edit_gives_an_item_the_number_of_another() -> None:
    wrong: list[tuple[str, str]] = []
    edits = needless = 0
    for seed in range(500):
        writer = Author(random.Random(seed))
        writer.begin()
        found = numbered([item.text for item in writer.items])
        owners = dict(zip(found.numbers, writer.items, strict=True))
        for _ in range(10):
            for _ in range(writer.chance.randint(1, 3)):
                writer.edit()
                edits += 1
            before = {record.number for record in found.records if record.live}
            found = numbered([item.text for item in writer.items], found.records)
            for number, item in zip(found.numbers, writer.items, strict=True):
                if number in owners and not is_same(owners[number], item):
                    wrong.append((owners[number].text, item.text))
                lost = [n for n in before - {*found.numbers} if owners[n].origins & item.origins]
                needless += number not in owners and bool(lost)
            owners |= dict(zip(found.numbers, writer.items, strict=True))
    assert wrong == []
    assert edits > 10_000
    assert needless <= 0.03 * edits


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Learner]:
    with studying(tmp_path / "anki") as learner:
        yield learner


def shown(side: str) -> str:
    """Return the text of the item that a back asks."""
    found = re.search(r'<span class="cloze" data-ordinal="\d+">(.*?)</span>', side, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", found[1])) if found else ""


def study_lists(author: Maintainer, anki: Learner, *, lists: int, releases: int, edits: int) -> int:
    """Publish edited lists, and check what each card of a learner asks; return the number of edits."""
    writers = [Author(random.Random(seed)) for seed in range(lists)]
    for writer in writers:
        writer.begin()
    asked: dict[int, Item] = {}
    for release in range(releases):
        for writer in writers if release else ():
            for _ in range(edits):
                writer.edit()
        notes = [
            f"## List {n}\n<!-- card: id=list-{n} kind={'set' if n % 3 else 'sequence'} -->\n\n"
            + "".join(f"1. {item.text}\n" for item in writer.items)
            for n, writer in enumerate(writers)
        ]
        # Anki 24.11 gives an updated note the time of the import, and skips releases that are older.
        now = int(time.time()) + 86_400 * (release + 1)
        anki.get(author.write(lists="# Lists\n\n" + "\n".join(notes)).build(now=now))
        for n, writer in enumerate(writers):
            by_text = {item.text.replace("`", ""): item for item in writer.items}
            cards = cards_of(anki.collection, author.guids[f"List {n}"])
            asks = {card.id: shown(card.answer()) for card in cards}
            assert sorted(filter(None, asks.values())) == sorted(by_text)  # each item has one card
            for card, text in asks.items():
                if text:
                    assert is_same(asked.get(card, by_text[text]), by_text[text])
                    asked[card] = by_text[text]
    return lists * (releases - 1) * edits


def test_no_card_of_a_learner_ever_asks_another_item(author: Maintainer, anki: Learner) -> None:
    assert study_lists(author, anki, lists=20, releases=4, edits=2) == 120


def test_a_number_that_a_reverted_release_gave_is_not_given_again(author: Maintainer, anki: Learner) -> None:
    author.write(net=f"{TCP}1. SYN\n2. ACK\n")
    author.publish("v1")
    author.write(net=f"{TCP}1. SYN\n2. ACK\n3. Data\n")
    anki.get(author.publish("v2"))
    author.git("revert", "--no-edit", "HEAD")
    author.write(net=f"{TCP}1. SYN\n2. ACK\n3. Close\n")
    anki.get(author.build())
    (note,) = (anki.collection.get_note(found) for found in anki.collection.find_notes(""))
    assert re.findall(r"\{\{c(\d+)::(\w+)\}\}", note["Answer"]) == [
        ("1", "SYN"),
        ("2", "ACK"),
        ("4", "Close"),
    ]


def test_branches_that_add_an_item_each_merge_into_a_lock_in_which_both_are_new(author: Maintainer) -> None:
    author.write(net=f"{TCP}1. SYN\n2. SYN-ACK\n3. ACK\n4. Data\n")
    (author.folder / ".gitattributes").write_text("deck.lock merge=union\n")
    author.publish("v1")
    author.git("checkout", "-qb", "other")
    author.write(net=f"{TCP}1. First\n1. SYN\n2. SYN-ACK\n3. ACK\n4. Data\n").publish()
    author.git("checkout", "-q", "-")
    author.write(net=f"{TCP}1. SYN\n2. SYN-ACK\n3. ACK\n4. Data\n5. Last\n").publish()
    author.git("merge", "-q", "other")
    stale = author.attempt(author.folder, "--locked")
    assert (stale.status, "changed answer, numbers of items" in stale.out + stale.err) == (1, True)
    assert author.attempt().status == 0
    lock = (author.folder / "deck.lock").read_text().splitlines()
    items = [line.split("\t")[2:4] + line.split("\t")[7:8] for line in lock if line.startswith("item")]
    assert items == [
        ["1", "live", "SYN"],
        ["2", "live", "SYN-ACK"],
        ["3", "live", "ACK"],
        ["4", "live", "Data"],
        ["5", "retired", ""],
        ["6", "live", "First"],
        ["7", "live", "Last"],
    ]
    author.build(author.folder, "--locked")


def test_a_cloze_that_becomes_a_sequence_gives_no_item_the_number_of_a_deletion(author: Maintainer) -> None:
    author.write(net=TCP.replace("sequence", "cloze") + "1. {{c1::SYN}}\n2. {{c3::ACK}}\n").build()
    author.write(net=f"{TCP}1. SYN\n2. ACK\n").build()
    lock = (author.folder / "deck.lock").read_text()
    assert re.findall(r"^item\t\w+\t(\d+)\tlive", lock, re.MULTILINE) == ["100", "101"]


def test_an_item_is_on_one_line_in_the_lock() -> None:
    assert summaries(["a\n\n- b\tc"])[0].text == one_line("a - b c")


def test_keep_gives_an_item_its_number_back_before_a_build_and_after_it(author: Maintainer) -> None:
    author.write(net=f"{TCP}1. Apply ReLU\n2. Step\n")
    author.publish("v1")
    author.write(net=f"{TCP}1. Apply GELU\n2. Step\n").build()
    key = "how-does-tcp-open-a-connection/1"
    listed = author.run("keep", author.folder)
    assert listed.out == f"cards/net.md:6: {key}\n  item: Apply [-ReLU-] {{+GELU+}}\n"
    lines = author.run("keep", author.folder, key).out
    assert re.findall(r"^item\t\w+\t(\d+)\t(\w+)", lines, re.MULTILINE) == [("1", "live"), ("3", "retired")]
    with (author.folder / "deck.lock").open("a") as lock:
        lock.write(lines)
    author.build()
    assert re.findall(
        r"^item\t\w+\t(\d+)\tlive", (author.folder / "deck.lock").read_text(), re.MULTILINE
    ) == ["1", "2"]
    assert "adds a card" not in author.run("diff", author.folder).out


def test_diff_says_what_learners_lose_when_a_question_becomes_a_sequence(author: Maintainer) -> None:
    author.write(net=TCP.replace("<!-- card: kind=sequence -->\n", "") + "1. SYN\n2. ACK\n")
    author.publish("v1")
    author.write(net=f"{TCP}1. SYN\n2. ACK\n")
    assert "learners get a new note and start again" in author.run("diff", author.folder).out
    author.build()
    assert "note-type-changed" in author.rules


def test_diff_says_which_cards_an_edited_list_adds_and_leaves_empty(author: Maintainer) -> None:
    author.write(net=f"{TCP}1. SYN\n2. SYN-ACK\n3. ACK\n")
    author.publish("v1")
    author.write(net=f"{TCP}1. SYN\n2. ACK\n3. Data\n")
    ran = author.run("diff", author.folder)
    assert "adds a card, a card left empty until the learner runs Tools > Empty Cards" in ran.out


def test_a_list_that_has_used_all_numbers_of_anki_is_an_error() -> None:
    known = numbered(["a"]).records
    assert numbered(["a", "b"], known, highest=499).numbers == (1, 500)


def test_diff_says_that_a_sequence_shows_other_items_before_the_one_that_it_asks(author: Maintainer) -> None:
    author.write(net=f"{TCP}1. SYN\n2. ACK\n")
    author.publish("v1")
    author.write(net=f"{TCP.replace('sequence', 'sequence before=1')}1. SYN\n2. ACK\n")
    assert "before: [-all-]{+1+}" in author.run("diff", author.folder).out
