"""Sixty notes of all kinds, 34 edits in Anki, then 14 by the author: a push loses nothing of either side."""

import time

import pytest

from pushing import NOTHING, World, anki, query, shared, world

__all__ = ["anki", "shared", "world"]

KINDS = ("basic", "basic", "basic", "reversed", "cloze", "typed", "choice")
OWNERS = [n for n in range(35) if KINDS[n % 7] != "choice"][:20]
"""The notes whose answers are edited in Anki; the author changes the answers of the first two as well."""
CONFLICTS, MERGED = OWNERS[:2], OWNERS[2:6]
TAGGED, DELETED, MOVED = (40, 41, 43, 44), (45, 46, 47), (50, 51, 52)
FLAGGED, SUSPENDED = 53, 54
CHANGED, RELOCATED, RETIRED = (36, 37, 38), 57, 59


PUSHED = """\
Anki: profile "User 1"
+ 1 new            Mini::Beta: n60
~ 9 changed        n02 n03 n04 n05 n36 n37 n38 n40 n53   (n02, n03, n04, n05, n40: merged with your edits)
> 1 card moved     n57: Mini::Beta → Mini::Gamma
= 14 kept          n07 n08 n09 n10 n11 n12 n14 n15 n16 n17 n18 n19 and 2 more (-v lists them)   (edited in Anki, not here)
= 4 cards stay     n50 n51 n52: Mine → Mini::Beta   (moved in Anki; --move moves them back)
- 3 deleted by you n45 n46 n47              (--restore brings them back)
! 1 retired        n59, 0 reviews           (--delete-retired)
x 2 conflicts      n00: Answer changed in Anki and here   (--overwrite takes the text from the sources)
                   n01: Answer changed in Anki and here
"""


def key(number: int) -> str:
    return f"n{number:02}"


def markdown(number: int, *, answer: str = "first", hint: str = "a hint") -> str:
    """Return a note of the kind that its number has."""
    kind = KINDS[number % 7]
    comment = f"<!-- card: id={key(number)}{'' if kind == 'basic' else f' kind={kind}'} -->"
    body = {
        "cloze": f"The {answer} is {{{{c1::hidden}}}}.",
        "typed": f"typed\n\nThe {answer}.",
        "choice": f"- [x] right\n- [ ] wrong\n\nThe {answer}.",
    }.get(kind, f"The {answer}.")
    return f"## What is {key(number)}?\n{comment}\n\n{body}\n\n### Hint\n\nThis is {hint}.\n"


def write(world: World, texts: dict[int, str], moved: tuple[int, ...] = ()) -> None:
    for name, numbers in (
        ("Alpha", set(range(30)) - {*moved}),
        ("Beta", {*range(30, 61)} - {*moved}),
        ("Gamma", moved),
    ):
        notes = [texts[number] for number in sorted(numbers) if number in texts]
        (world.folder / f"{name}.md").write_text("\n".join([f"# {name}\n", *notes]))


def edit_in_anki(world: World) -> None:
    """Make 34 edits."""
    for number in OWNERS:
        answer = world.note(key(number))["Answer"].replace("The first", "The <b>owner's</b>")
        world.edit(key(number), Answer=answer)
    for number, tag in zip(TAGGED, ("mine", "marked", "leech", "two tags"), strict=True):
        world.edit(key(number), tags=tag)
    world.do("flag", query(key(FLAGGED)), 1)
    world.do("suspend", query(key(SUSPENDED)))
    for number in MOVED:
        world.do("move", query(key(number)), "Mine")
    for number in DELETED:
        world.do("remove", query(key(number)))
    for number in range(2):
        world.do("add", "Basic", [f"My own question {number}", "My own answer."], "Mini::Alpha")


def edit_sources(world: World) -> None:
    """Make 14 changes as the author: two conflicts, five merges, and others."""
    texts = {number: markdown(number) for number in range(61) if number != RETIRED}
    texts |= {
        number: markdown(number, answer="author's") for number in (*CONFLICTS, *CHANGED, TAGGED[0], FLAGGED)
    }
    texts |= {number: markdown(number, hint="the author's") for number in MERGED}
    write(world, texts, moved=(RELOCATED,))


def fields(world: World) -> dict[str, tuple[str, str, str]]:
    """Return answer, hint and tags of each note by its key."""
    found = {}
    for note in world.do("read", "GUID:_*"):
        name = note["fields"]["Question"].partition("What is ")[2][:3]
        found[name] = note["fields"]["Answer"], note["fields"]["Hint"], " ".join(sorted(note["tags"]))
    return found


def both(before: dict[str, tuple[str, str, str]]) -> dict[str, tuple[str, str, str]]:
    """Return what Anki must have after the push: the edits of both sides, and the owner's in conflicts."""
    own = dict.fromkeys(OWNERS, ("The first", "The <b>owner's</b>"))
    ours = dict.fromkeys((*CHANGED, TAGGED[0], FLAGGED), ("first", "author's"))
    tags = dict(zip(TAGGED, ("mine", "marked", "leech", "tags two"), strict=True))
    after = {}
    for name, (answer, hint, _) in before.items():
        number = int(name[1:])
        new_hint = hint.replace("a hint", "the author's") if number in MERGED else hint
        after[name] = answer.replace(*(own | ours).get(number, ("", ""))), new_hint, tags.get(number, "")
    return {name: each for name, each in after.items() if name not in map(key, DELETED)}


def test_nothing_of_either_side_is_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write(world, {number: markdown(number) for number in range(60)})
    assert world.push().status == 0
    before = fields(world)
    edit_in_anki(world)
    cards = world.do("decks")
    edit_sources(world)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 500))
    ran = world.push()
    assert (ran.status, ran.out) == (1, PUSHED)
    new = {key(60): ("<p>The first is {{c1::hidden}}.</p>", "<p>This is a hint.</p>", "")}
    assert fields(world) == both(before) | new
    # A new note came to Beta, and another one left it.
    assert world.do("decks") == {**cards, "Mini::Gamma": 1}
    again = world.push()
    assert (again.status, again.err) == (1, NOTHING[1])
    assert world.push("--overwrite").status == 0
    assert fields(world) == both(before) | new | {
        key(number): (before[key(number)][0].replace("first", "author's"), before[key(number)][1], "")
        for number in CONFLICTS
    }
    assert world.push("--restore").status == world.push("--move").status == 0
    assert fields(world).keys() == before.keys() | new.keys()
    assert "Mine" not in {name for name, count in world.do("decks").items() if count}
    assert len(world.do("read", "-GUID:_*")) == 2
    assert (world.do("flags").count(1), len(world.do("read", "is:suspended"))) == (1, 1)
    world.do("check")
