"""The page of `ptcards diff --format html`: what it holds; `test_changes_browser.py` opens it."""

import json
import re
from base64 import b64decode
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from conftest import Ran
from identity_release import HOOK, LEAF, WHY, Maintainer, author
from ptcards.diff.changes_page import MOST_SHOWN

__all__ = ["author"]

STEP = "## What is a step?\n\nOne.\n\n"


def data(page: str) -> dict[str, Any]:
    """Return the data of a page, as its script reads it."""
    found: dict[str, Any] = json.loads(
        page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    )
    return found


def lines(page: str) -> list[str]:
    """Return the texts of a page without its script; `+` are the notes that are opened with their cards."""
    main = page.partition("<main")[2].partition(">")[2].partition("</main>")[0]
    main = re.sub(r'<details open data-note="[^"]+"><summary>', "+ ", main)
    main = re.sub("</span><small[^>]*>", " | ", main)
    texts = re.split("<(?:/?(?:h[12]|p|li|ul|section|noscript)|/?details|/?summary)[^>]*>", main)
    return [unescape(re.sub("<[^>]+>", "", text)).strip() for text in texts if text.strip()]


def versions(page: str) -> list[list[tuple[str, str] | None]]:
    """Return the question and the answer of each note now and before; the retired ones come last."""
    found = data(page)

    def texts(place: int | None) -> tuple[str, str] | None:
        if place is None:
            return None
        fields = found["notes"][place][5]
        return re.sub("<[^>]+>", "", fields[0]), re.sub("<[^>]+>", "", fields[1])

    pairs = [[texts(place) for place in places] for *places, _ in found["changed"].values()]
    return sorted(pairs, key=lambda pair: pair[0] is None)


def test_the_page_holds_each_note_before_and_now_and_says_why_reviews_stay(author: Maintainer) -> None:
    gone, planets = "## Gone?\n\nYes.\n\n", "## Is Mars hot?\n\nNo.\n\n"
    why = WHY.replace("Why `no_grad`?\n", "Why `no_grad`?\n<!-- card: id=why -->\n")
    author.write(autograd=f"# Autograd\n\n{why}{LEAF}{HOOK}{gone}{planets}", optim=f"# Optim\n\n{STEP}")
    author.publish("v1.0")
    edited = LEAF.replace("A tensor.", "A tensor that you made.")
    cloze = planets.replace("No.", "{{c1::No}}.")
    why = why.replace("Why `no_grad`?", "What is the use of `no_grad`?")
    new = "## What is an epoch?\n\nA round.\n"
    author.write(autograd=f"# Autograd\n\n{why}{edited}{cloze}", optim=f"# Optim\n\n{STEP}{HOOK}{new}")
    page = author.diff("--format", "html")
    text = author.diff()
    said = lines(page)
    assert said == [
        "PyTorch: changes since v1.0",
        "2 new, 2 changed (1 reworded), 1 moved, 2 retired",
        "Next version: minor: notes or cards are added, retired or moved.",
        "Without JavaScript, this page lists the notes but shows no cards.",
        *("New 2", "Anki adds them."),
        "+ Is Mars hot? | Autograd · cards/autograd.md:12",
        "+ What is an epoch? | Optim · cards/optim.md:11",
        "Reworded 1",
        "The same notes, reworded. Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.",
        "+ What is the use of `no_grad`? | Autograd · question · cards/autograd.md:3",
        "Changed 1",
        "Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.",
        "+ What is a leaf? | Autograd · answer · cards/autograd.md:8",
        "Moved 1",
        "Anki does not move cards on an update: current learners keep them where they are; new learners get the new deck. A move alone changes nothing else: learners' own edits and tags stay.",
        "+ What is a hook? | Optim · was in PyTorch::Autograd · cards/optim.md:7",
        "Retired 2",
        "These notes were removed or are skipped. Learners keep them, because an update deletes nothing, but the notes are no longer updated.",
        *("+ Gone? | Autograd", "+ Is Mars hot? | Autograd"),
        "Changed between question and cloze 1",
        "Anki cannot turn one into the other: learners get a new note and start again. They keep the old one, without updates.",
        "+ Is Mars hot? | Autograd · cards/autograd.md:12",
    ]
    sentences = [each for each in said[4:] if each.endswith(".")]
    assert [each for each in sentences if each not in text] == []
    saves = "It saves memory and time, since no graph is recorded."
    hook = ("What is a hook?", "A function that is called on the way back.")
    assert versions(page) == [
        [("What is the use of no_grad?", saves), ("Why no_grad?", saves)],
        [("What is a leaf?", "A tensor that you made."), ("What is a leaf?", "A tensor.")],
        [("Is Mars hot?", "No."), None],
        [("What is an epoch?", "A round."), None],
        [hook, None],
        [None, ("Gone?", "Yes.")],
        [None, ("Is Mars hot?", "No.")],
    ]


def test_an_item_that_is_added_to_a_list_is_a_card_of_its_own_and_the_others_are_the_same(
    author: Maintainer,
) -> None:
    """The numbers of the items are those that their cards keep in Anki, as the lock has them."""
    begin = "# Autograd\n\n## How does a step run?\n<!-- card: kind=sequence -->\n\n"
    steps = ["Clear the gradients.", "Compute the loss.", "Run backward.", "Update the weights."]

    def text(*chosen: int) -> str:
        return begin + "".join(f"1. {steps[each]}\n" for each in chosen)

    author.write(autograd=text(0, 2, 3)).publish("v1.0")
    author.write(autograd=text(0, 1, 2, 3))
    found = data(author.diff("--format", "html"))
    now, before = (
        {
            ordinal: re.findall('class="cloze"[^>]*>([^<]*)<', found["shells"][back])
            for ordinal, _, back in note[6]
        }
        for note in found["notes"]
    )
    assert before == {0: [steps[0]], 1: [steps[2]], 2: [steps[3]]}
    assert now == before | {3: [steps[1]]}


def test_a_picture_is_shown_as_it_was_and_as_it_is(author: Maintainer) -> None:
    picture = author.folder / "media" / "dot.svg"
    picture.parent.mkdir(parents=True)
    picture.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    author.write(autograd="# Autograd\n\n## What is a dot?\n\n![a dot](media/dot.svg)\n").publish("v1.0")
    picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9"/>')
    media = data(author.diff("--format", "html"))["media"]
    assert sorted(b64decode(each.partition(",")[2]).decode() for each in media.values()) == [
        '<svg xmlns="http://www.w3.org/2000/svg" width="9"/>',
        '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ]


def test_a_page_is_small_of_many_notes_with_large_pictures_and_counts_those_it_does_not_show(
    author: Maintainer,
) -> None:
    author.write(autograd=LEAF).publish("v1.0")
    (author.folder / "media").mkdir()
    notes = []
    for number in range(MOST_SHOWN + 7):
        comment = f"<!-- {number} {'x' * 100_000} -->"
        file = author.folder / "media" / f"{number}.svg"
        file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{comment}</svg>')
        notes.append(f"## What is {number}?\n\n![picture {number}](media/{number}.svg)\n\n")
    author.write(autograd=LEAF + "".join(notes))
    page = author.diff("--format", "html")
    assert 3_500_000 < len(page) < 5_000_000
    assert (len(data(page)["changed"]), len(data(page)["media"])) == (100, 29)
    said = lines(page)
    assert (said[4], said[-1], len(said)) == (
        "Some pictures are left out, since the page would be too large with them.",
        "7 more",
        108,
    )


def test_a_file_gets_what_is_printed_otherwise(
    author: Maintainer, ptcards: Callable[..., Ran], tmp_path: Path
) -> None:
    author.write(autograd=LEAF).publish("v1.0")
    author.write(autograd=LEAF + STEP)
    for form in ("text", "markdown", "json", "html"):
        file = tmp_path / f"changes.{form}"
        assert ptcards("diff", "--format", form, "-o", file) == Ran(0, "", "")
        assert file.read_text("utf-8") == author.diff("--format", form)
    source = author.folder / "autograd.md"
    assert ptcards("diff", "-o", source) == Ran(
        2, "", "error: `cards/autograd.md` is a file of the collection\nhelp: choose another file with `-o`\n"
    )
    assert source.read_text("utf-8") == LEAF + STEP


@pytest.mark.parametrize("options", [("--format", "html"), ("-o", "changes.txt")])
def test_a_page_or_a_file_is_about_one_collection(
    options: tuple[str, ...], tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "deck.toml").write_text(f'name = "{name}"\nid = "6f0c2c0{number}"\n')
        (tmp_path / name / "a.md").write_text(STEP)
    what = "HTML" if "html" in options else "`changes.txt`"
    assert ptcards("diff", *options, ".") == Ran(
        2, "", f"error: {what} is about one collection\nhelp: name one: `a`\n"
    )


def test_without_changes_the_page_says_so(author: Maintainer) -> None:
    author.write(autograd=LEAF).publish("v1.0")
    assert lines(author.diff("--format", "html")) == [
        "PyTorch: changes since v1.0",
        "nothing changed",
        "Next version: none: learners will notice nothing.",
        "Without JavaScript, this page lists the notes but shows no cards.",
    ]
