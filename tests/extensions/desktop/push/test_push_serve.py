"""`ptcards serve --push`: saved files reach the running Anki, or wait until one is open."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ankiconnect import Door
from pushing import anki, empty_deck, shared, wait_for
from serving import serving

__all__ = ["anki", "shared"]


@pytest.mark.slow
def test_what_is_saved_reaches_anki_as_soon_as_it_is_open(tmp_path: Path, anki: Door) -> None:
    folder = empty_deck(tmp_path)
    source = folder / "a.md"

    def save(answer: str) -> None:
        source.write_text(f"# Alpha\n\n## What is a0?\n<!-- card: id=a0 -->\n\n{answer}\n")

    def has(answer: str) -> Callable[[], bool]:
        return lambda: len(anki.do("read", f'"Answer:*{answer}*"')) == 1

    save("first")
    anki.do("close")
    with serving(folder, "--push") as server:
        # The preview waits for a profile to be opened, and reports this once.
        wait_for(lambda: len(anki.asked) >= 4)
        anki.do("open")
        wait_for(has("first"))
        save("second")
        wait_for(has("second"))
        anki.do("edit", "", {"Answer": "<p>mine</p>"})
        anki.asked.clear()
        save("third")
        wait_for(lambda: "notesInfo" in anki.asked)
        assert server.process.stderr is not None
        said = [server.process.stderr.readline() for _ in range(5)]
        server.process.terminate()
    assert has("mine")()
    assert [re.sub(r"\d\.\d\d s", "0.00 s", line) for line in said] == [
        "Watching deck. Press Ctrl-C to stop.\n",
        (
            "Anki has no collection open: it shows its profiles, or is syncing: open a profile in Anki; "
            "your changes are pushed as soon as Anki answers\n"
        ),
        *["pushed 1 note in 0.00 s; Ctrl-Z in Anki undoes it\n"] * 2,
        "`a0` changed in Anki and here: run `ptcards push` to see both\n",
    ]


@pytest.mark.slow
def test_of_many_saves_in_seconds_the_last_reaches_anki_and_an_edit_there_stays(
    tmp_path: Path, anki: Door
) -> None:
    folder = empty_deck(tmp_path)
    source = folder / "a.md"

    def save(answer: str) -> None:
        notes = (f"## What is a{n}?\n<!-- card: id=a{n} -->\n\n{answer}\n" for n in range(2))
        source.write_text("\n".join(["# Alpha\n", *notes]))

    def has(answer: str) -> Callable[[], bool]:
        return lambda: len(anki.do("read", f'"Answer:*{answer}*"')) == 1

    save("first")
    with serving(folder, "--push"):
        wait_for(lambda: len(anki.do("read")) == 2)
        anki.do("edit", '"Question:*a1*"', {"Answer": "<p>mine</p>"}, later=0)
        for number in range(20):
            save(f"save {number}.")
            time.sleep(0.25)
        wait_for(has("save 19."))
    assert has("mine")()
    assert max(note["mod"] for note in anki.do("read")) <= time.time()
    lock = (folder / "deck.lock").read_text()
    assert max(int(each) for each in re.findall(r"\t(\d{10})\t", lock)) <= time.time()


@pytest.mark.slow
def test_nothing_is_pushed_while_somebody_types_in_anki(tmp_path: Path, anki: Door) -> None:
    folder = empty_deck(tmp_path)
    source = folder / "a.md"

    def save(answer: str) -> None:
        notes = (f"## What is a{n}?\n<!-- card: id=a{n} -->\n\n{answer if n else 'same'}\n" for n in range(2))
        source.write_text("\n".join(["# Alpha\n", *notes]))

    def has(answer: str) -> Callable[[], bool]:
        return lambda: len(anki.do("read", f'"Answer:*{answer}*"')) == 1

    save("first")
    with serving(folder, "--push") as server:
        assert server.process.stderr is not None
        said = [server.process.stderr.readline() for _ in range(2)]
        for _ in range(2):
            anki.do("edit", '"Question:*a0*"', {"Answer": f"<p>mine {time.time()}</p>"}, later=0)
            edited = int(time.time())
            save("second")
            time.sleep(2)
        assert not has("second")()
        wait_for(has("second"))
        assert time.time() >= edited + 5
        anki.do("edit", '"Question:*a0*"', {"Answer": "<p>mine</p>"}, later=600)  # by a clock that is wrong
        save("third")
        wait_for(has("third"))
        said += [server.process.stderr.readline() for _ in range(3)]
    assert has("mine")()
    assert [re.sub(r"\d\.\d\d s", "0.00 s", line) for line in said] == [
        "Watching deck. Press Ctrl-C to stop.\n",
        "pushed 2 notes in 0.00 s; Ctrl-Z in Anki undoes it\n",
        "somebody types in Anki; your changes are pushed a few seconds after the last edit there\n",
        *2 * ["pushed 1 note in 0.00 s; Ctrl-Z in Anki undoes it\n"],
    ]
