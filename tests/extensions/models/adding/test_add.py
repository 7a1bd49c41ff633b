"""`ptcards add`: notes go into a collection together, after every check, or not at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from filelock import FileLock

from conftest import Ran
from ptcards.cli import main
from ptcards.extensions.models.adding import AddRequest, add
from ptcards.files import SourceChangedError
from ptcards.workspace import ReadOptions

Ptcards = Callable[..., Ran]
Write = Callable[..., Path]

TOML = 'name = "Deck"\nid = "abcdefgh"\n'
LEAF = "## What is a leaf?\n\nA tensor that you made, because nothing computed it.\n"
NODE = "## What is a node?\n\nAn operation of the graph, because each has a gradient.\n"
TAPE = "## What is a tape?\n\nWhat autograd replays, because it records forwards.\n"
HOOK = "## What is a hook for?\n<!-- card: tags=new -->\n\nIt sees gradients, so that you can print them.\n"


class Added(NamedTuple):
    """What `ptcards add --format json` did: its exit status, the keys with their places, and the findings."""

    status: int
    keys: list[str]
    found: list[str]


def page(*notes: str) -> str:
    return "\n".join(notes)


def given(text: str | bytes, *options: str) -> tuple[int, str, str]:
    """Run `ptcards add -` with a text on standard input; return its status and what it prints."""
    result = CliRunner().invoke(main, ["add", *options, "-"], input=text, catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def added(text: str | bytes, *options: str) -> Added:
    status, out, _ = given(text, "--format", "json", *options)
    answer: dict[str, Any] = json.loads(out) if out else {"added": [], "findings": []}
    keys = [f"{each['path']}:{each['line']}: {each['key']}" for each in answer["added"]]
    found = [f"{each['path']}:{each['line']}: {each['rule']}" for each in answer["findings"]]
    return Added(status, keys, found)


@pytest.fixture
def deck(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a collection with two files, in which commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    return write({"deck.toml": TOML, "a.md": page("# Leaves\n", LEAF), "b.md": page("# Nodes\n", NODE)})


def files(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.*")}


def test_notes_go_to_the_end_of_a_file(deck: Path) -> None:
    assert given(page(TAPE, HOOK), "--to", "a.md") == (
        0,
        "a.md:7: what-is-a-tape\na.md:11: what-is-a-hook-for\n",
        "Added 2 notes to a.md\n",
    )
    assert (deck / "a.md").read_text() == page("# Leaves\n", LEAF, TAPE, HOOK)
    assert (deck / "b.md").read_text() == page("# Nodes\n", NODE)


def test_notes_go_to_the_decks_whose_headings_they_have(deck: Path, write: Write) -> None:
    write({"a.md": page("# Leaves\n", LEAF, "# Others\n", NODE.replace("node", "hook"))})
    text = page("# Nodes\n", TAPE, "# Leaves\n", HOOK)
    assert added(text) == (0, ["b.md:7: what-is-a-tape", "a.md:7: what-is-a-hook-for"], [])
    assert (deck / "a.md").read_text() == page(
        "# Leaves\n", LEAF, HOOK, "# Others\n", NODE.replace("node", "hook")
    )
    assert (deck / "b.md").read_text() == page("# Nodes\n", NODE, TAPE)


def test_a_new_deck_goes_to_the_end_of_the_file(deck: Path) -> None:
    assert added(page("# Tapes\n", TAPE), "--to", "a.md").keys == ["a.md:9: what-is-a-tape"]
    assert (deck / "a.md").read_text() == page("# Leaves\n", LEAF, "# Tapes\n", TAPE)


def test_drafts_are_marked_and_built_by_nobody(deck: Path, ptcards: Ptcards) -> None:
    ptcards("build")
    before = {name: text for name, text in files(deck).items() if name != "a.md"}
    assert added(page(TAPE, HOOK), "--to", "a.md", "--draft").status == 0
    drafts = page(TAPE.replace("?\n", "?\n<!-- card: draft -->\n"), HOOK.replace("card:", "card: draft"))
    assert (deck / "a.md").read_text() == page("# Leaves\n", LEAF, drafts)
    assert "(2 drafts)" in ptcards("build").err
    assert {name: text for name, text in files(deck).items() if name != "a.md"} == before


def test_a_file_keeps_its_bytes_and_gets_its_own_line_ends(deck: Path) -> None:
    before = b"\xef\xbb\xbf" + page("# Leaves\n", LEAF).replace("\n", "\r\n").encode() + b"\r\n\r\nMore."
    (deck / "a.md").write_bytes(before)
    assert added(TAPE.encode(), "--to", "a.md").status == 0
    assert (deck / "a.md").read_bytes() == before + f"\r\n\r\n{TAPE}".replace("\n", "\r\n").replace(
        "\r\r", "\r"
    ).encode()


def test_a_new_file_is_created_only_if_asked(deck: Path) -> None:
    status, out, err = given(TAPE, "--to", "sub/new.md")
    assert (status, out, err) == (
        2,
        "",
        "error: there is no file `sub/new.md`\nhelp: add `--create` to create it\n",
    )
    assert not (deck / "sub").exists()
    assert added(TAPE, "--to", "sub/new.md", "--create").keys == ["sub/new.md:1: what-is-a-tape"]
    assert (deck / "sub/new.md").read_text() == TAPE


SAME = LEAF.replace("What is a leaf?", "What do you call a tensor without a history?")
NEAR = "## What exactly is a leaf?\n\nIt is a tensor of yours, so it has no history.\n"
REFUSED: dict[str, tuple[str | bytes, list[str]]] = {
    "the same question": (LEAF, ["-:1: duplicate-question"]),
    "the same answer": (page(TAPE, SAME), ["-:5: same-answer"]),
    "two with the same question": (page(TAPE, TAPE), ["-:5: duplicate-question"]),
    "nearly the same": (NEAR.replace("exactly ", "") + "", ["-:1: duplicate-question"]),
    "the same question in another deck": (NODE.replace("An op", "One op"), ["-:1: question-in-two-decks"]),
    "a wrong setting": (
        TAPE.replace("?\n", "?\n<!-- card: difficulty=hrad -->\n"),
        ["-:2: unknown-difficulty"],
    ),
    "a warning": (TAPE.replace("replays", "[replays](b.md)"), ["-:3: relative-link"]),
    "an open fence": (f"{TAPE}\n```python\nx = 1\n", ["-:5: unclosed-fence"]),
    "an open comment": (f"{TAPE}\n<!-- card\n", ["-:5: unclosed-comment"]),
    "front matter": (f"---\ntags: x\n---\n\n{TAPE}", ["-:1: text-before-heading"]),
    "text first": (f"Here are your cards:\n\n{TAPE}", ["-:1: text-before-heading"]),
    "a comment first": (f"<!-- card: id=x -->\n\n{TAPE}", ["-:1: text-before-heading"]),
    "nothing": ("\n\n", ["-:1: no-notes"]),
    "only text": ("Some text.\n", ["-:1: text-before-heading"]),
    "a deck without notes": (f"{TAPE}\n# Empty\n", ["-:5: no-notes"]),
    "a skipped heading": (f"{TAPE}\n## Text\n<!-- card: skip -->\n\nMore.\n", ["-:5: no-notes"]),
    "an unknown setting": (TAPE.replace("?\n", "?\n<!-- card: ignore=no-such -->\n"), ["-:2: unknown-rule"]),
    "a needless ignore": (
        TAPE.replace("?\n", "?\n<!-- card: ignore=list-items -->\n"),
        ["-:2: unused-ignore"],
    ),
    "not UTF-8": (b"## What?\n\n\xff\n", ["-:3: not-utf8"]),
    "a conflict": (f"<<<<<<< a\n{TAPE}=======\n{HOOK}>>>>>>> b\n", ["-:1: conflict-marker"]),
    "a missing picture": (TAPE.replace("replays", "![r](r.png)"), ["-:3: missing-media"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_notes_are_refused_together(deck: Path, name: str) -> None:
    text, found = REFUSED[name]
    before = files(deck)
    assert added(text, "--to", "a.md") == (1, [], found)
    assert files(deck) == before


@pytest.mark.usefixtures("deck")
def test_a_refusal_shows_the_lines_that_were_given() -> None:
    assert given(page(TAPE, NODE.replace("An op", "One op")), "--to", "a.md") == (
        1,
        "",
        """\
-:5:4: error[question-in-two-decks] this question is also asked in `Deck::Nodes`, at b.md:3:1
  |
5 | ## What is a node?
  |    ^^^^^^^^^^^^^^^
  = help: keep one of them and give it a tag for the other deck, or reword one

1 error
nothing was added: this question is also asked in `Deck::Nodes`, at b.md:3:1
to add such a note all the same, write `ignore=question-in-two-decks` in its card comment
""",
    )


@pytest.mark.usefixtures("deck")
def test_what_refuses_comes_last_and_is_named_at_the_end() -> None:
    hinted = "## What is x?\n\nIt.\n"
    status, out, err = given(page(hinted, LEAF.replace("made", "wrote")), "--to", "a.md")
    assert (status, out) == (1, "")
    assert [line for line in err.split("\n") if line.startswith(("-:", "1 ", "nothing", "to add"))] == [
        "-:3:1: hint[bare-answer] the answer gives no reason",
        "-:5:4: error[duplicate-question] this question is already asked at a.md:3:1",
        "1 error, 1 hint",
        "nothing was added: this question is already asked at a.md:3:1",
    ]
    twice = given(page(LEAF, TAPE.replace("replays", "[replays](b.md)")), "--to", "a.md")[2]
    assert twice.endswith("\n\n1 error, 1 warning\nnothing was added because of 1 error, 1 warning\n")


def test_a_refusal_names_the_file_that_was_given(deck: Path, ptcards: Ptcards) -> None:
    (deck / "../new.md").write_text(page(TAPE, NODE.replace("An op", "One op")), "utf-8")
    ran = ptcards("add", "../new.md", "--to", "a.md")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.split("\n")[:3] == [
        "../new.md:5:4: error[question-in-two-decks] this question is also asked in `Deck::Nodes`, at b.md:3:1",
        "  |",
        "5 | ## What is a node?",
    ]


def test_a_folder_of_notes_is_refused_with_what_to_name_instead(ptcards: Ptcards) -> None:
    assert ptcards("add", ".") == Ran(
        2,
        "",
        "error: `.` is a folder\n"
        "help: name a file with notes, or move the folder's files into the collection\n",
    )
    assert ptcards("add", "a.md", "--to", ".").err.splitlines()[-1] == (
        "error: invalid value for '--to': File '.' is a directory"
    )


def test_a_file_of_the_collection_is_not_compared_with_itself(deck: Path, ptcards: Ptcards) -> None:
    (deck / "new.md").write_text(TAPE, "utf-8")
    before = files(deck)
    assert ptcards("add", "new.md") == Ran(
        2,
        "",
        "error: `new.md` is already part of this collection, and so are its notes\n"
        "help: move it out of the collection, or rename it so that it begins with `_`\n",
    )
    assert files(deck) == before
    (deck / "new.md").rename(deck / "_new.md")
    assert ptcards("add", "_new.md", "--to", "a.md") == Ran(
        0,
        "a.md:7: what-is-a-tape\n",
        "Added 1 note to a.md\n",
    )


def test_the_closest_other_note_is_named_where_it_is_now(deck: Path) -> None:
    nodes = page("# Leaves\n", LEAF, "# Nodes\n", NODE)
    (deck / "a.md").write_text(nodes, "utf-8")
    (deck / "b.md").unlink()
    near = "## Which operation has a gradient?\n\nA node of the graph, because each operation has one.\n"
    line = "a.md:14: What is a node? (75% alike: operation, has, the, of, node, graph, gradient, each)"
    assert given(page("# Leaves\n", near), "--draft") == (
        0,
        "a.md:7: which-operation-has-a-gradient\n",
        f"closest to `which-operation-has-a-gradient`: {line}\nAdded 1 draft to a.md\n",
    )
    other = (
        "## What has a gradient?\n<!-- card: unlike=what-is-a-node -->\n\n"
        "Each operation of the graph, because it is a node.\n"
    )
    said = json.loads(given(page("# Nodes\n", other), "--format", "json")[1])["added"][0]["closest"]
    assert said == {
        "key": "which-operation-has-a-gradient",
        "path": "a.md",
        "line": 7,
        "question": "Which operation has a gradient?",
        "answer": "A node of the graph, because each operation has one.",
        "likeness": 0.727,
        "shared": ["operation", "has", "the", "of", "node", "graph", "gradient", "each"],
    }


@pytest.mark.usefixtures("deck")
def test_a_note_can_ignore_what_it_is_refused_for() -> None:
    quiet = NODE.replace("?\n", "?\n<!-- card: ignore=question-in-two-decks -->\n")
    assert added(quiet, "--to", "a.md").status == 0


@pytest.mark.usefixtures("deck")
def test_hints_refuse_nothing() -> None:
    assert added("## What is x?\n\nIt.\n", "--to", "a.md") == (
        0,
        ["a.md:7: what-is-x"],
        ["-:3: bare-answer"],
    )


def test_ids_of_published_and_retired_notes_are_refused(deck: Path, ptcards: Ptcards, write: Write) -> None:
    write({"b.md": page("# Nodes\n", NODE, TAPE.replace("?\n", "?\n<!-- card: id=tape -->\n"))})
    assert ptcards("build").status == 0
    lock = (deck / "deck.lock").read_text()
    (guid,) = (line.split("\t")[1] for line in lock.splitlines() if "What is a leaf?" in line)
    write({"b.md": page("# Nodes\n", NODE)})
    assert ptcards("build").status == 0
    for name in ("tape", "TAPE"):
        assert added(HOOK.replace("tags=new", f"id={name}"), "--to", "a.md") == (1, [], ["-:2: used-id"])
    found = ["-:1: takes-reviews", "-:2: used-id"]
    assert added(HOOK.replace("tags=new", f"id={guid}"), "--to", "a.md") == (1, [], found)
    write({"b.md": page("# Nodes\n", NODE.replace("?\n", "?\n<!-- card: id=node -->\n"))})
    assert added(HOOK.replace("tags=new", "id=node"), "--to", "a.md").found == ["-:2: duplicate-id"]


@pytest.mark.usefixtures("deck")
def test_a_required_section_is_required(write: Write) -> None:
    write({"deck.toml": f'{TOML}\n[add]\nrequire = ["sources"]\n'})
    sourced = f"{HOOK}\n### Sources\n\nhttps://docs.pytorch.org/\n"
    assert added(page(TAPE, sourced), "--to", "a.md") == (1, [], ["-:1: required-section"])
    assert added(sourced, "--to", "a.md").status == 0


@pytest.mark.usefixtures("deck")
def test_an_added_note_cannot_take_over_reviews(ptcards: Ptcards, write: Write) -> None:
    ptcards("build")
    write({"a.md": page("# Leaves\n", LEAF.replace("is a leaf", "is a leaf tensor"))})
    assert added(LEAF.replace("nothing computed", "no operation computed"), "--to", "a.md") == (
        1,
        [],
        ["-:1: takes-reviews"],
    )


@pytest.mark.usefixtures("deck")
def test_other_notes_never_change(write: Write) -> None:
    write({"a.md": page("# Leaves\n", LEAF.replace("you made", "[you made]"))})
    text = f"{TAPE}\n[you made]: https://example.org\n"
    assert added(text, "--to", "a.md") == (1, [], ["-:1: changes-other-notes"])
    write({"a.md": page("# Leaves\n", LEAF, "```python\nx = 1\n")})
    assert added(TAPE, "--to", "a.md").found[0] == "-:1: changes-other-notes"


@pytest.mark.usefixtures("deck")
def test_a_draft_that_a_note_links_to_is_refused(write: Write) -> None:
    write({"b.md": page("# Nodes\n", NODE.replace("An operation", "[An](a.md#what-is-a-tape) operation"))})
    assert added(TAPE, "--to", "a.md", "--draft") == (1, [], ["b.md:5: link-to-draft"])
    assert added(TAPE, "--to", "a.md").status == 0


PLACES = {
    "outside": ("../c.md", "is outside the collection"),
    "a missing deck": ("", "no deck has the name `Tapes`"),
    "README.md": ("README.md", "is not a source"),
    "hidden": (".c.md", "is not a source"),
    "an excluded folder": ("old/c.md", "is not a source"),
    "not Markdown": ("c.txt", "is not a source"),
    "a link": ("link.md", "is a link"),
    "below a link": ("linked/c.md", "is a link"),
    "another program's": ("q.md", "is written for another program"),
    "deck.toml": ("deck.toml", "is not a source"),
    "the build folder": ("build/c.md", "is not a source"),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_place_that_cannot_take_notes_is_refused(deck: Path, write: Write, name: str) -> None:
    options = 'exclude = ["old/"]\n[[dialects]]\nfiles = ["q.md"]\ndialect = "qa"\n'
    write({"deck.toml": TOML + options, "q.md": "Q: What is q?\nA: A letter.\n", "real/c.md": HOOK})
    (deck / "link.md").symlink_to("a.md")
    (deck / "linked").symlink_to("real")
    to, why = PLACES[name]
    before = files(deck)
    status, out, err = given(page("# Tapes\n", TAPE), *(("--to", to, "--create") if to else ()))
    assert (status, out, why in err) == (2, "", True), err
    assert files(deck) == before


def test_a_file_that_is_saved_while_it_is_read_is_left_as_it_is(deck: Path) -> None:
    saved = page("# Leaves\n", LEAF, HOOK)

    def save(what: str, done: int, total: int) -> None:
        if what == "Compiling" and done == total:  # all files were read
            (deck / "a.md").write_text(saved)

    with pytest.raises(SourceChangedError):
        add(AddRequest(deck, TAPE.encode(), deck / "a.md"), ReadOptions(progress=save))
    assert (deck / "a.md").read_text() == saved


@pytest.mark.parametrize("is_new", [False, True], ids=["saved", "created"])
def test_a_file_that_is_saved_before_it_is_written_is_left_as_it_is(deck: Path, *, is_new: bool) -> None:
    file = deck / "sub/c.md"
    file.parent.mkdir()
    if not is_new:
        file.write_text(HOOK)
    other = FileLock(file.parent / ".ptcards.lock")
    other.acquire()

    def save(_folder: Path) -> None:
        file.write_text(f"{HOOK}\nSaved.\n")
        other.release()

    with pytest.raises(SourceChangedError):
        add(AddRequest(deck, TAPE.encode(), file, create=True), waiting=save)
    assert file.read_text() == f"{HOOK}\nSaved.\n"
    assert [each.name for each in file.parent.iterdir()] == ["c.md"]


def test_a_refusal_says_how_the_text_is_fixed(deck: Path) -> None:
    """A program of a few lines applies the edits, and the notes are added."""
    text = page(
        TAPE,
        HOOK.replace("tags=new", "difficulty=meduim"),
        "## What is a gate?\n\nIt lets gradients pass, or stops them.\n\n### Source\n\nx\n",
    )
    for options in ((), ("--draft",)):
        answer = json.loads(given(text, "--to", "a.md", "--format", "json", *options)[1])
        assert [(each["line"], each["rule"]) for each in answer["findings"]] == [
            (6, "unknown-difficulty"),
            (14, "misspelt-section"),
        ]
        lines = text.split("\n")
        edits = [edit for each in answer["findings"] for fix in each["fixes"] for edit in fix["edits"]]
        for edit in sorted(edits, key=lambda edit: (edit["line"], edit["column"]), reverse=True):
            assert edit["line"] == edit["end_line"]
            line, start, end = lines[edit["line"] - 1], edit["column"] - 1, edit["end_column"] - 1
            lines[edit["line"] - 1] = line[:start] + edit["text"] + line[end:]
        fixed = "\n".join(lines)
        assert fixed == text.replace("meduim", "medium").replace("### Source\n", "### Sources\n")
        assert added(fixed, "--to", "new.md", "--create", *options).status == 0
        (deck / "new.md").unlink()


def test_at_most_so_many_notes_are_added(deck: Path) -> None:
    request = AddRequest(deck, page(TAPE, HOOK).encode(), deck / "a.md", most=1)
    assert [each.rule for each in add(request).findings] == ["too-many-notes"]
