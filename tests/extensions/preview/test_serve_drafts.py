"""Drafts in the preview: the filter, and Accept, Edit and Reject."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browsing import browser, violations, watched_page
from ptcards.extensions.preview.drafts import decide
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.workspace import ReadOptions, Workspace
from serving import Server, serving, write_files

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import Browser, Page, expect  # isort: skip

__all__ = ["browser"]

TOML = 'name = "Deck"\nid = "abcdefgh"\n'
LEAF = "## What is a leaf?\n\nA tensor that you made, because nothing computed it.\n"
GRAPH = "## What is a graph?\n<!-- card: draft -->\n\nWhat autograd records, so that it can go backwards.\n"
NODE = "## What is a node?\n<!-- card: draft tags=new -->\n\nAn operation of the graph.\n"
HOOK = '## What is a hook?\n\n<!-- card:\n  draft\n  tags="draft, b" -->\n\nIt sees gradients.\n'


def page_of(*notes: str) -> str:
    return "\n".join(notes)


def decided(folder: Path, question: str, *, accepts: bool, shift: int = 0) -> bool:
    """Accept or reject the draft with this question; return whether that was possible."""
    (contents,) = Workspace.read([folder]).contents
    (source,) = contents.sources
    draft = next(each for each in contents.selected_drafts if each.title == question)
    line = draft.location.line + shift
    return decide(contents.collection, source.source, line, question, accepts=accepts)


ACCEPTED = {
    "alone": (GRAPH, GRAPH.replace("<!-- card: draft -->\n", "")),
    "with another setting": (NODE, NODE.replace("draft ", "")),
    "on several lines": (HOOK, HOOK.replace("\n  draft", "")),
    "twice": (NODE.replace("draft", "draft draft"), NODE.replace("draft ", "")),
    "last": (NODE.replace("draft tags=new", "tags=new draft"), NODE.replace("draft ", "")),
    "without a space": (
        GRAPH.replace("card: draft -->", "card:draft-->"),
        GRAPH.replace("<!-- card: draft -->\n", ""),
    ),
    "with text below": (GRAPH.replace("-->\n\n", "-->\n"), GRAPH.replace("<!-- card: draft -->\n\n", "")),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepting_removes_only_the_mark(tmp_path: Path, name: str) -> None:
    draft, note = ACCEPTED[name]
    question = draft.partition("\n")[0].removeprefix("## ")
    text = page_of("# A\n", LEAF, draft, LEAF.replace("leaf", "root"))
    write_files(tmp_path, {"deck.toml": TOML, "a.md": text})
    assert decided(tmp_path, question, accepts=True)
    assert (tmp_path / "a.md").read_text() == page_of("# A\n", LEAF, note, LEAF.replace("leaf", "root"))


def test_a_heading_that_only_its_comment_marks_keeps_a_comment(tmp_path: Path) -> None:
    toml = f'{TOML}cards = "marked"\n'
    write_files(tmp_path, {"deck.toml": toml, "a.md": page_of("# A\n", GRAPH)})
    assert decided(tmp_path, "What is a graph?", accepts=True)
    assert (tmp_path / "a.md").read_text() == page_of("# A\n", GRAPH.replace("card: draft", "card"))


@pytest.mark.parametrize("at", range(3))
def test_rejecting_removes_only_the_note(tmp_path: Path, at: int) -> None:
    notes = [LEAF, NODE, HOOK]
    notes.insert(at, GRAPH)
    others = page_of("# A\n", *(note for note in notes if note != GRAPH))
    write_files(tmp_path, {"deck.toml": TOML, "a.md": page_of("# A\n", *notes)})
    assert decided(tmp_path, "What is a graph?", accepts=False)
    assert (tmp_path / "a.md").read_text() == others


def test_rejecting_the_last_note_leaves_no_blank_lines(tmp_path: Path) -> None:
    write_files(tmp_path, {"deck.toml": TOML, "a.md": page_of("# A\n", LEAF, GRAPH)})
    assert decided(tmp_path, "What is a graph?", accepts=False)
    assert (tmp_path / "a.md").read_text() == page_of("# A\n", LEAF)


def test_a_draft_with_a_definition_that_others_use_is_not_removed(tmp_path: Path) -> None:
    linked = LEAF.replace("tensor", "[tensor]")
    text = page_of("# A\n", linked, f"{GRAPH}\n[tensor]: https://example.org\n")
    write_files(tmp_path, {"deck.toml": TOML, "a.md": text})
    assert not decided(tmp_path, "What is a graph?", accepts=False)
    assert (tmp_path / "a.md").read_text() == text


@pytest.mark.parametrize("accepts", [True, False])
def test_a_draft_that_has_moved_is_left_alone(tmp_path: Path, *, accepts: bool) -> None:
    text = page_of("# A\n", LEAF, GRAPH)
    write_files(tmp_path, {"deck.toml": TOML, "a.md": text})
    assert not decided(tmp_path, "What is a graph?", accepts=accepts, shift=1)
    assert (tmp_path / "a.md").read_text() == text


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    files = {"deck.toml": TOML, "a.md": page_of("# A\n", LEAF, GRAPH, NODE, HOOK)}
    with serving(write_files(tmp_path / "deck", files)) as started:
        started.state()
        yield started


def opened(browser: Browser, server: Server, address: str = "") -> Page:
    page = watched_page(browser, server.address).page
    page.goto(f"{server.address}#key={server.key}{address}")
    expect(page.locator("#counts")).to_contain_text("note")
    return page


@pytest.mark.browser
def test_drafts_are_filtered_accepted_and_rejected(browser: Browser, server: Server) -> None:
    page = opened(browser, server)
    file = server.folder / "a.md"
    expect(page.locator("#counts")).to_have_text("1 note, 3 drafts in 1 deck")
    page.click("#filter")
    page.select_option("#draft", label="Drafts (3)")
    expect(page.locator("#copy")).to_contain_text("a.md:7")
    expect(page.locator("#tree .note")).to_have_count(3)
    expect(page.locator("#tree .badge.draft")).to_have_count(3)
    expect(page.locator("#chips")).to_contain_text("draft")
    page.click("#accept")
    expect(page.locator("#said")).to_have_text("Accepted: the next build publishes it")
    expect(page.locator("#counts")).to_have_text("2 of 4 notes")
    assert file.read_text() == page_of("# A\n", LEAF, GRAPH.replace("<!-- card: draft -->\n", ""), NODE, HOOK)
    expect(page.locator("#copy")).to_contain_text("a.md:11")
    page.click("#reject")
    expect(page.locator("#rejecting")).to_contain_text("What is a node?")
    page.click("#rejecting button[value='']")
    expect(page.locator("#rejecting")).to_be_hidden()
    assert "What is a node?" in file.read_text()
    page.click("#reject")
    page.click("#rejecting button[value=remove]")
    expect(page.locator("#said")).to_have_text("Removed")
    assert file.read_text() == page_of("# A\n", LEAF, GRAPH.replace("<!-- card: draft -->\n", ""), HOOK)
    expect(page.locator("#counts")).to_have_text("1 of 3 notes")


@pytest.mark.browser
def test_without_the_key_nothing_is_decided(browser: Browser, server: Server) -> None:
    page = watched_page(browser, server.address).page
    page.goto(f"{server.address}#card=what-is-a-graph&draft=only")
    before = (server.folder / "a.md").read_text()
    page.click("#accept")
    expect(page.locator("#said")).to_contain_text("Open the address that ptcards serve printed")
    assert (server.folder / "a.md").read_text() == before


@pytest.mark.browser
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("night", [0, 1])
def test_axe_finds_nothing_wrong_with_drafts(
    browser: Browser, server: Server, width: int, night: int
) -> None:
    page = opened(browser, server, f"&card=what-is-a-graph&draft=only&night={night}")
    page.set_viewport_size({"width": width, "height": 800})
    assert violations(page) == []
    page.click("#reject")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_only_drafts_are_shown_without_being_out_of_date(tmp_path: Path) -> None:
    write_files(tmp_path, {"deck.toml": TOML, "a.md": GRAPH})
    preview = Preview([tmp_path], ReadOptions())
    first = preview.read(identified=True)
    (tmp_path / "a.md").write_text(GRAPH.replace("records", "writes"))
    second = preview.read(identified=True)
    assert [(card.draft, card.stale) for card in (*first.cards, *second.cards)] == [(True, False)] * 2
    assert not preview.lacks_guids
