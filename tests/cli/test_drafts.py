"""`<!-- card: draft -->`: a draft is checked like a note, but no output, lock or learner ever sees it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

Ptcards = Callable[..., Ran]
Write = Callable[..., Path]

TOML = 'name = "Deck"\nid = "abcdefgh"\n'
LEAF = "## What is a leaf?\n\nA tensor that you made, because nothing computed it.\n"
GRAPH = "## What is a graph?\n\nWhat autograd records, so that it can go backwards.\n"
NODE = "## What is a node?\n\nAn operation of the graph, because each has a gradient.\n"
PLAIN = "## What is a leaf?\n\nAnother text, because this deck has another name.\n"
FORMATS = ("apkg", "csv", "anki-csv", "html")
KEPT = "nothing was written\n"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    monkeypatch.chdir(tmp_path)


def draft(text: str, settings: str = "") -> str:
    """Return a note as a draft."""
    return text.replace("?\n", f"?\n<!-- card: draft{settings} -->\n", 1)


def page(*notes: str) -> str:
    """Return the text of a source with these notes."""
    return "\n".join(notes)


def outputs(folder: Path) -> dict[str, bytes]:
    files = [*(folder / "out").iterdir(), folder / "deck.lock"]
    return {file.name: file.read_bytes() for file in files if file.is_file()}


def build(ptcards: Ptcards, folder: Path) -> Ran:
    formats = [word for form in FORMATS for word in ("--format", form)]
    return ptcards("build", folder, "-o", folder / "out", *formats)


def test_outputs_and_lock_are_those_of_the_sources_without_the_drafts(ptcards: Ptcards, write: Write) -> None:
    twin = draft(PLAIN, " id=node")  # its key would be that of a note
    write(
        {
            "with/deck.toml": TOML,
            "with/a.md": page("# A\n", draft(GRAPH), LEAF),
            "with/b.md": page("# B\n", twin, NODE, draft(GRAPH, " difficulty=easy")),
            "without/deck.toml": TOML,
            "without/a.md": page("# A\n", LEAF),
            "without/b.md": page("# B\n", NODE),
        }
    )
    ran, other = build(ptcards, Path("with")), build(ptcards, Path("without"))
    assert (ran.status, other.status) == (0, 0), ran.err + other.err
    assert outputs(Path("with")) == outputs(Path("without"))
    assert "Built Deck: 2 notes, 2 cards (3 drafts) in 0.00 s" in ran.err


def test_a_build_with_nothing_to_do_counts_the_drafts(ptcards: Ptcards, write: Write) -> None:
    write({"deck.toml": TOML, "a.md": page(LEAF, draft(NODE))})
    ptcards("build")
    assert "Unchanged Deck: 1 note, 1 card (1 draft) in 0.00 s" in ptcards("build").err
    assert ptcards("check").err == "Checked 1 note (1 draft): nothing to report\n"
    assert ptcards("check").err == "Checked 1 note (1 draft): nothing to report\n"


@pytest.mark.extensions
def test_only_a_card_comment_in_our_own_format_makes_a_draft(ptcards: Ptcards, write: Write) -> None:
    write(
        {
            "deck.toml": f'{TOML}\n[[dialects]]\nfiles = ["q.md"]\ndialect = "qa"\n',
            "a.md": f"---\ndraft: true\n---\n\n{LEAF}",
            "q.md": "Q: What is a graph?\n<!-- card: draft -->\nA: What autograd records.\n",
        }
    )
    ran = ptcards("build")
    assert (ran.status, "2 notes, 2 cards in" in ran.err) == (0, True), ran.err


@pytest.mark.parametrize("settings", ["", " id=node", " tags=new"], ids=["plain", "id", "tags"])
def test_a_published_note_cannot_become_a_draft(ptcards: Ptcards, write: Write, settings: str) -> None:
    comment = f"<!-- card:{settings} -->\n" if settings else ""
    node = NODE.replace("?\n", f"?\n{comment}", 1)
    write({"deck.toml": TOML, "a.md": page(LEAF, node)})
    assert ptcards("build").status == 0
    before = Path("deck.lock").read_bytes()
    edited = draft(NODE, settings).replace("each has", "every one has")
    write({"a.md": page(LEAF, edited)})
    found = """\
a.md:5:1: error[published-draft] a published note cannot be a draft
  |
5 | ## What is a node?
  | ^^
  = help: remove `draft` from its card comment; to retire the note, delete it

1 error
"""
    checked, built = ptcards("check"), ptcards("build")
    assert (checked.status, checked.out) == (1, found)
    assert (built.status, built.err) == (1, found + KEPT)
    assert Path("deck.lock").read_bytes() == before
    write({"a.md": LEAF})
    assert ptcards("build").status == 0
    write({"a.md": page(LEAF, edited)})  # the note is retired by now
    assert ptcards("build").status == 0


def test_a_draft_is_checked_like_a_note(ptcards: Ptcards, write: Write) -> None:
    quiet = draft("## What is that?\n\nThat one.\n", " ignore=bare-answer")
    bare = draft("## What is a tape?\n\nThis.\n", " tags=new")
    write({"deck.toml": TOML, "a.md": page(LEAF, quiet, bare, NODE)})
    note = page(LEAF, quiet, bare, NODE).replace("draft ", "")
    checked = ptcards("check").out
    write({"a.md": note})
    assert checked == ptcards("check").out.replace("<!-- card: ", "<!-- card: draft ")
    assert re.findall(r"^(\S+): (\S+)\[(.*)\]", checked, re.MULTILINE) == [
        ("a.md:13:1", "hint", "bare-answer")
    ]


def test_fixes_leave_drafts_drafts(ptcards: Ptcards, write: Write) -> None:
    broken = draft(NODE, " difficulty=meduim")
    write({"deck.toml": TOML, "a.md": page(LEAF, broken)})
    assert ptcards("check", "--fix").status == 0
    assert Path("a.md").read_text() == page(LEAF, draft(NODE, " difficulty=medium"))


CODE = (
    "## What does it print?\n\n```python\nprint(1)\n```\n\n```output\n2\n```\n\nA number, because it can.\n"
)


def test_verify_runs_drafts_only_if_asked(ptcards: Ptcards, write: Write) -> None:
    write({"deck.toml": TOML, "a.md": page(LEAF, draft(CODE))})
    run = ("verify", "--no-sandbox")
    assert [ptcards(*run).status, ptcards(*run, "--drafts").status, ptcards(*run).status] == [0, 1, 0]
    named = ptcards(*run, "-k", "what-does-it-print")
    assert (named.status, named.err.splitlines()[1:]) == (
        2,
        ["error: the note with the key `what-does-it-print` is a draft", "help: add `--drafts`"],
    )
    assert ptcards(*run, "-k", "what-does-it-print", "--drafts").status == 1


def test_accepting_a_draft_publishes_it_as_a_new_note(ptcards: Ptcards, write: Write) -> None:
    write({"deck.toml": TOML, "a.md": page(LEAF, draft(NODE))})
    ptcards("build")
    write({"a.md": page(LEAF, NODE)})
    ran = ptcards("build")
    assert "  +1 new\n" in ran.err
    assert "2 notes, 2 cards in" in ran.err


@pytest.mark.parametrize(
    ("name", "link"),
    [("a.md", "#what-is-a-graph"), ("a.md", "a.md#What-is-a-graph"), ("sub/b.md", "../a.md#what-is-a-graph")],
)
def test_a_link_to_a_draft_is_an_error(ptcards: Ptcards, write: Write, name: str, link: str) -> None:
    linking = NODE.replace("the graph", f"[the graph]({link} 'a title')")
    files = {"deck.toml": TOML, "a.md": page(LEAF, draft(GRAPH)), "sub/b.md": page(PLAIN)}
    write({**files, name: page(files[name], linking)})
    found = re.findall(r"^(\S+):\d+: error\[(.*)\] (.*)", ptcards("build").err, re.MULTILINE)
    line = 12 if name == "a.md" else 7
    assert found == [(f"{name}:{line}", "link-to-draft", "this link leads to a draft at a.md:5:1")]
    write({"a.md": Path("a.md").read_text().replace("draft", "")})
    assert ptcards("build").status == 0
