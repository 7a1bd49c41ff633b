"""`ptcards inbox` lists the edits and flags of the open Anki, as `pull` does, and can clear the flags."""

from ankiconnect import Door
from conftest import Ran
from pushing import World, anki, pushed, query, shared, world

__all__ = ["anki", "pushed", "shared", "world"]


def test_edits_and_flags_of_the_open_anki_are_listed_and_cleared(pushed: World) -> None:
    pushed.edit("a0", Answer="<p>mine</p>")
    pushed.edit("b1", Choices="<p>mine</p>")
    pushed.do("flag", query("a0"), 1)
    pushed.do("flag", query("a2"), 1)
    pushed.do("flag", query("a3"), 2)
    listed = pushed.run("inbox", pushed.folder)
    names = [line.split()[0] for line in listed.out.split("\n") if line[:1].strip()]
    heads = [line.partition("  ")[2] for line in listed.out.split("\n") if line[:1].strip()]
    assert sorted(heads) == [
        "deck/a.md:13: What is a2? [red flag]",
        "deck/a.md:3: What is a0?",
        "deck/a.md:3: What is a0? [red flag]",
        "deck/b.md:8: What is b1? [no Markdown renders to exactly that]",
    ]
    pulled = pushed.run("pull", pushed.folder)
    assert "`--write` leaves: deck/b.md:8: Choices: no Markdown renders to exactly that\n" in pulled.err
    edit = names[heads.index("deck/a.md:3: What is a0?")]
    ran = pushed.run("inbox", pushed.folder, "--accept", edit, "--clear-flags")
    assert ran == Ran(
        0,
        f"{edit}  deck/a.md:3: What is a0?\n      from Anki\n      Answer: [-first 0-]{{+mine+}}\n",
        "Wrote 1 of 1 entries into the Markdown; build, then commit them\n"
        "removed the red flags of 1 card in Anki\n",
    )
    assert sorted(pushed.do("flags")) == [*[0] * 12, 1, 2]
    assert "\nmine\n" in (pushed.folder / "a.md").read_text()
    assert pushed.push().status == 0
    assert pushed.run("pull", pushed.folder).out.count("What is") == 1


def test_nothing_in_the_open_anki_is_said(pushed: World, anki: Door) -> None:
    assert pushed.run("inbox", pushed.folder) == Ran(0, "", "nothing is in the inbox\n")
    assert {"updateNoteFields", "setSpecificValueOfCard", "importPackage"}.isdisjoint(anki.asked[-20:])
