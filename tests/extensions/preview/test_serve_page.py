"""The page of `ptcards serve` in a browser: updates after a save, keys, addresses, filters, accessibility."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ptcards
from browsing import Watched, browser, until, violations, wait_until, watched_page
from card_pages import LOW_CONTRAST
from conftest import Ran
from ptcards.extensions.verify.judge import INSTALL
from ptcards.writers.html import ICON
from serving import KINDS, PATIENCE, Server, problems, serving, write_files
from terminal import press_ctrl_c

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import APIResponse, Browser, FloatRect, FrameLocator, Locator, Page, Route, expect  # isort: skip

__all__ = ["browser"]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a collection that no test changes."""
    with serving(write_files(tmp_path_factory.mktemp("serve") / "kinds", KINDS)) as started:
        started.state(lambda state: bool(state["problems"]))
        yield started


@pytest.fixture(scope="module")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a collection for one test after another: a preview takes two seconds to start its processes."""
    with serving(write_files(tmp_path_factory.mktemp("lent") / "kinds", KINDS)) as started:
        yield started


@pytest.fixture
def own(lent: Server) -> Server:
    """Serve a collection for one test to change, as it was at first."""
    marker = {"marker.md": "## Is all of this read?\n<!-- card: id=marker -->\n\nYes.\n"}
    for file in lent.folder.iterdir():
        if file.name not in KINDS:
            shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
    write_files(lent.folder, KINDS | marker)
    lent.state(lambda state: len(state["order"]) == 7 and "marker" in keys_of(state))
    (lent.folder / "marker.md").unlink()
    lent.state(lambda state: len(state["order"]) == 6)
    return lent


def keys_of(state: dict[str, Any]) -> list[str]:
    return [each["key"] for each in state["cards"].values()]


def opened(browser: Browser, server: Server, address: str = "", **context: Any) -> Watched:
    """Open the page with a mark that a reload would remove."""
    watched = watched_page(browser, server.address, **context)
    watched.page.goto(f"{server.address}{address}")
    expect(watched.page.locator("#counts")).to_contain_text("notes")
    watched.page.evaluate("window.marked = true")
    return watched


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    watched = opened(browser, server)
    yield watched.page
    assert (watched.complaints, watched.strays, watched.dialogs) == ([], [], [])


def frame(page: Page, side: str = "Front") -> FrameLocator:
    return page.frame_locator(f'iframe[title="{side} of the card"]')


def card(page: Page, side: str = "Front") -> Locator:
    return frame(page, side).locator("#qa")


def choose(page: Page, question: str) -> None:
    """Open every deck in the tree and click a question."""
    closed = page.locator("#tree details:not([open]) > summary")
    while closed.count():
        closed.first.click()
    page.click(f"#tree .note:has-text('{question}')")


def decks(page: Page) -> list[str]:
    return [" ".join(each.split()) for each in page.locator("#tree summary .name").all_inner_texts()]


COLOUR = "each => getComputedStyle(each).color"


def put(server: Server, name: str, text: str) -> None:
    """Save a file in one step, as editors do: a file that is empty for a moment loses its cards."""
    saved = server.folder.parent / "saved"
    saved.write_text(text, "utf-8")
    saved.replace(server.folder / name)


def save(server: Server, name: str, old: str, new: str) -> None:
    """Change a text of a file in one step."""
    text = (server.folder / name).read_text("utf-8")
    assert old in text
    put(server, name, text.replace(old, new))


def assert_not_reloaded(watched: Watched) -> None:
    assert watched.page.evaluate("window.marked") is True
    assert (watched.complaints, watched.strays, watched.dialogs) == ([], [], [])


# Saved changes


def test_a_saved_change_is_shown_without_a_reload_where_the_reader_was(browser: Browser, own: Server) -> None:
    write_files(
        own.folder, {"long.md": "# Long\n\n## Long?\n<!-- card: id=long -->\n\n" + "A paragraph.\n\n" * 200}
    )
    own.state(lambda state: len(state["order"]) == 7)
    watched = opened(browser, own, "#card=long&side=back")
    page = watched.page
    expect(card(page, "Back")).to_contain_text("A paragraph.")
    inside = next(each for each in page.frames if each.url.endswith("/card"))
    inside.evaluate("scrollTo(0, 900)")
    (own.folder / "long.md").write_text(
        "# Long\n\n## Long?\n<!-- card: id=long -->\n\n" + "A paragraph.\n\n" * 200 + "The end.\n", "utf-8"
    )
    expect(card(page, "Back")).to_contain_text("The end.")
    wait_until(inside, "scrollY === 900")
    assert_not_reloaded(watched)


def test_an_answer_that_comes_late_does_not_hide_a_save(browser: Browser, own: Server) -> None:
    """The answer about a card requested before the save was still being read when the save was reported."""
    watched = watched_page(browser, own.address)
    page = watched.page
    page.add_init_script(
        """{
            const json = Response.prototype.json;
            Response.prototype.json = async function () {
                const answer = await json.call(this);
                if (this.url.includes("/sides/")) {
                    document.documentElement.dataset.asked = "true";
                    await new Promise((done) => window.addEventListener("late", done));
                }
                return answer;
            };
        }"""
    )
    page.goto(f"{own.address}#card=backward&side=back")
    expect(page.locator("html")).to_have_attribute("data-asked", "true")
    save(own, "autograd.md", "It walks", "It runs over")
    expect(card(page, "Back")).to_contain_text("It runs over the graph.")
    page.evaluate("window.dispatchEvent(new Event('late'))")
    page.evaluate("new Promise((done) => setTimeout(done, 200))")
    page.keyboard.press("n")
    expect(page.locator("html")).to_have_attribute("data-night", re.compile("true|false"))
    expect(card(page, "Back")).to_contain_text("It runs over the graph.")


def test_the_card_that_was_edited_last_comes_into_view(browser: Browser, own: Server) -> None:
    watched = opened(browser, own, "#card=backward&difficulty=easy")
    page = watched.page
    expect(card(page)).to_contain_text("What does backward() do?")
    save(own, "tensors.md", "Which one moves", "Which call moves")
    expect(card(page)).to_contain_text("Which call moves a tensor?")
    expect(page.locator("[aria-current=true]")).to_contain_text("Which call moves a tensor?")
    expect(page.locator("#counts")).to_have_text("6 notes in 2 decks")  # the filter would hide it
    save(own, "autograd.md", "It walks", "It runs over")
    expect(card(page)).to_contain_text("What does backward() do?")
    page.keyboard.press(" ")
    expect(card(page, "Back")).to_contain_text("It runs over the graph.")
    assert_not_reloaded(watched)


def test_an_edit_far_away_is_seen_and_its_row_is_in_view(browser: Browser, own: Server) -> None:
    question = "What does a long question ask that takes more than one line of the narrow list on the left"
    notes = [f"## {question}, number {n}?\n<!-- card: id=n{n} -->\n\nAnswer {n}.\n" for n in range(120)]
    write_files(own.folder, {"many.md": "# Many\n\n" + "\n".join(notes)})
    own.state(lambda state: len(state["order"]) == 126)
    watched = opened(browser, own, "#card=backward", viewport={"width": 1400, "height": 900})
    page = watched.page
    save(own, "many.md", "Answer 110.", "An edited answer.")
    expect(card(page, "Back")).to_contain_text("An edited answer.")
    expect(card(page, "Back")).to_be_visible()
    expect(page.locator("[aria-current=true]")).to_contain_text("number 110?")
    expect(page.locator("[aria-current=true]")).to_be_in_viewport(ratio=1)
    page.wait_for_timeout(300)  # the list is drawn again a little later
    expect(page.locator("[aria-current=true]")).to_be_in_viewport(ratio=1)
    assert_not_reloaded(watched)


def test_where_one_side_is_shown_an_edit_turns_to_the_side_that_changed(
    browser: Browser, own: Server
) -> None:
    watched = opened(browser, own, "#card=backward", viewport={"width": 640, "height": 800})
    page = watched.page
    side = page.locator("#sides [aria-pressed=true]")
    expect(side).to_have_text("Front")
    save(own, "tensors.md", "It copies.", "It copies if it must.")
    expect(card(page, "Back")).to_contain_text("It copies if it must.")
    expect(side).to_have_text("Back")
    save(own, "autograd.md", "## Gradient", "## The gradient")
    expect(card(page)).to_contain_text("The gradient")
    expect(side).to_have_text("Front")
    assert_not_reloaded(watched)


def test_a_row_that_differs_is_drawn_again_and_the_others_stay(browser: Browser, own: Server) -> None:
    page = opened(browser, own, "#card=move").page
    row = page.locator("#tree .note", has_text="Which one moves a tensor?")
    expect(row).to_be_visible()
    row.focus()
    page.evaluate("document.querySelectorAll('#tree .note').forEach(row => { row.kept = true })")
    save(own, "tensors.md", "Which one moves a tensor?", "What moves a tensor?")
    expect(page.locator("#tree .note", has_text="What moves a tensor?")).to_be_focused()
    rows = page.evaluate(
        "Array.from(document.querySelectorAll('#tree .note'), row => [row.textContent, row.kept ?? null])"
    )
    # If advice appears or disappears in the meantime, the rows of its notes are drawn again.
    assert ["hardWhat moves a tensor?", None] in rows
    assert any(kept for _, kept in rows)


def test_lines_that_only_moved_are_no_edit(browser: Browser, own: Server) -> None:
    watched = opened(browser, own, "#card=move")
    page = watched.page
    expect(page.locator("#copy")).to_have_text("kinds/tensors.md:3")
    save(own, "autograd.md", "# Autograd\n", "# Autograd\n\nA description.\n")
    save(own, "tensors.md", "# Tensors\n", "# Tensors\n\n\n")
    expect(page.locator("#copy")).to_have_text("kinds/tensors.md:5")
    expect(card(page)).to_contain_text("Which one moves a tensor?")


def test_files_come_go_and_move(browser: Browser, own: Server) -> None:
    watched = opened(browser, own)
    page = watched.page
    expect(page.locator("#counts")).to_have_text("6 notes in 2 decks")
    write_files(own.folder, {"deep/new.md": "# New\n\n## Is it here?\n\nYes.\n"})
    expect(page.locator("#counts")).to_have_text("7 notes in 3 decks")
    expect(card(page)).to_contain_text("Is it here?")
    assert decks(page) == ["Kinds", "Autograd", "Deep", "New", "Tensors"]
    (own.folder / "deep" / "new.md").rename(own.folder / "moved.md")
    expect(page.locator("#copy")).to_have_text("kinds/moved.md:3")
    assert decks(page) == ["Kinds", "Autograd", "New", "Tensors"]
    (own.folder / "moved.md").unlink()
    (own.folder / "tensors.md").unlink()
    expect(page.locator("#counts")).to_have_text("3 notes in 1 deck")
    expect(card(page)).to_contain_text("What does backward() do?")
    assert_not_reloaded(watched)


def test_a_formula_that_mathjax_refuses_is_marked_with_the_message_of_check(
    browser: Browser, own: Server
) -> None:
    """A command that another formula of the card defines is known."""
    watched = opened(browser, own, "#card=move")
    inline = r"$\alhpa$ and $x^2$, $\newcommand{\own}{y} \own$ and $\own$"
    save(own, "tensors.md", "- [x] `to`", f"{inline}\n\n$$\n\\left( n\n$$\n\n- [x] `to`")
    marked = card(watched.page).locator(".ptcards-broken")
    expect(marked).to_have_count(2)
    found = marked.evaluate_all(
        "all => all.map(each => [each.dataset.problem, getComputedStyle(each).borderTopStyle])"
    )
    assert found == [
        ["MathJax does not know `\\alhpa`", "dashed"],
        ["`\\left` without `\\right` in a formula", "dashed"],
    ]


def test_pictures_come_change_and_go(browser: Browser, own: Server) -> None:
    picture = "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='9'></svg>"
    watched = opened(browser, own, "#card=move&panel=advice")
    page = watched.page
    image = card(page).locator("img")
    save(own, "tensors.md", "- [x] `to`", "![a picture](img/a%20b.svg)\n\n- [x] `to`")
    expect(page.locator("#panel")).to_contain_text("missing-media")
    write_files(own.folder, {"img/a b.svg": picture.format(width=40)})
    expect(page.locator("#errors")).to_be_hidden()
    expect(image).to_have_js_property("naturalWidth", 40)
    write_files(own.folder, {"img/a b.svg": picture.format(width=60)})
    expect(image).to_have_js_property("naturalWidth", 60)
    (own.folder / "img" / "a b.svg").unlink()
    expect(page.locator("#panel")).to_contain_text("missing-media")
    assert_not_reloaded(watched)
    page.goto("about:blank")
    page.goto(f"{own.address}#card=move")
    expect(image).to_have_css("border-top-style", "dashed")
    write_files(own.folder, {"img/a b.svg": picture.format(width=50)})
    expect(image).to_have_js_property("naturalWidth", 50)
    expect(image).to_have_css("border-top-style", "none")


def test_a_dark_twin_that_comes_is_shown_at_night(browser: Browser, own: Server) -> None:
    picture = "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='9'></svg>"
    write_files(own.folder, {"plot.svg": picture.format(width=10)})
    watched = opened(browser, own, "#card=move&night=1")
    shown = card(watched.page).locator("img:visible")
    save(own, "tensors.md", "- [x] `to`", "![a plot](plot.svg)\n\n- [x] `to`")
    expect(shown).to_have_js_property("naturalWidth", 10)
    write_files(own.folder, {"plot.dark.svg": picture.format(width=20)})
    expect(shown).to_have_js_property("naturalWidth", 20)
    watched.page.keyboard.press("n")
    expect(shown).to_have_js_property("naturalWidth", 10)
    assert_not_reloaded(watched)


@pytest.mark.parametrize("name", ["autograd.md", "deck.toml"])
def test_the_last_good_cards_stay_while_something_is_broken(
    browser: Browser, own: Server, ptcards: Callable[..., Ran], name: str
) -> None:
    """The errors above them have the same wording as in the terminal."""
    watched = opened(browser, own, "#card=backward")
    page = watched.page
    file = own.folder / name
    good = file.read_text("utf-8")
    put(own, name, "name = [\n" if name == "deck.toml" else f"---\ntags: [\n---\n{good}")
    errors = page.locator("#errors")
    count = "versions of 6 notes" if name == "deck.toml" else "versions of 3 notes"
    expect(errors).to_contain_text(f"1 error in kinds/{name} · showing the last good {count}")
    page.click("#unfold")
    said = page.locator("#panel pre").first.text_content() or ""
    said = said.replace(f"{own.folder.parent}/", "")
    ran = ptcards("check", own.folder)
    assert said in ran.out + ran.err
    expect(card(page)).to_contain_text("What does backward() do?")
    expect(page.locator("#counts")).to_have_text("6 notes in 2 decks")
    expect(page.locator("#chips")).to_contain_text("last good version")
    expect(page.locator("#live")).to_have_text("1 error")
    assert page.locator("#live").evaluate(COLOUR) == page.locator("#unfold").evaluate(COLOUR)
    put(own, name, good.replace("It walks", "It runs over"))
    expect(errors).to_be_hidden()
    expect(page.locator("#chips")).not_to_contain_text("last good version")
    expect(page.locator("#live")).to_have_text("live")
    assert_not_reloaded(watched)


def test_an_error_in_one_note_leaves_the_others_live(browser: Browser, own: Server) -> None:
    watched = opened(browser, own, "#card=backward")
    page = watched.page
    save(own, "autograd.md", "difficulty=easy", "difficulty=easyy")
    expect(page.locator("#errors")).to_contain_text("1 error in kinds/autograd.md")
    save(own, "autograd.md", "The slope", "The *steepest* slope")
    expect(card(page)).to_contain_text("Gradient")
    page.keyboard.press(" ")
    expect(card(page, "Back")).to_contain_text("The steepest slope")
    expect(page.locator("#live")).to_have_text("1 error")
    expect(page.locator(".note.stale .question")).to_have_text(["What does backward() do?"])
    save(own, "autograd.md", "difficulty=easyy", "difficulty=easy")
    expect(page.locator("#errors")).to_be_hidden()
    expect(page.locator(".note.stale")).to_have_count(0)
    assert_not_reloaded(watched)


def test_a_new_note_with_an_error_has_no_last_good_version(browser: Browser, own: Server) -> None:
    watched = opened(browser, own)
    page = watched.page
    write_files(own.folder, {"new.md": "# New\n\n## Fill\n<!-- card: id=new kind=cloze -->\n\nNo gap.\n"})
    expect(page.locator("#wait")).to_have_text("This note has errors, so it has no card yet.")
    own.state(
        lambda state: any(each["draft"] is False and each["key"] == "new" for each in state["cards"].values())
    )
    page.wait_for_timeout(1000)  # by then, it is read again for its GUID
    expect(page.locator("#unfold")).to_have_text(re.compile(r"^\d errors? in kinds/new.md$"))
    expect(page.locator("#chips .stale")).to_have_count(0)
    save(own, "new.md", "No gap", "No {{c1::gap}}")
    expect(card(page)).to_contain_text("No [...]")
    expect(page.locator("#live")).to_have_text("live")
    assert_not_reloaded(watched)


def test_what_editors_leave_half_written_is_no_obstacle(browser: Browser, own: Server) -> None:
    watched = opened(browser, own, "#card=backward&panel=advice")
    page = watched.page
    text = KINDS["autograd.md"].replace("It walks", "It *slowly* walks")
    for end in range(0, len(text), 25):
        (own.folder / "autograd.md").write_text(text[:end], "utf-8")
        page.wait_for_timeout(30)
    (own.folder / "autograd.md").write_bytes(b"\xff\xfe")
    expect(page.locator("#panel")).to_contain_text("not-utf8")
    (own.folder / "autograd.md").write_text(text, "utf-8")
    expect(page.locator("#errors")).to_be_hidden()
    choose(page, "backward")
    page.keyboard.press(" ")
    expect(card(page, "Back")).to_contain_text("It slowly walks the graph.")
    expect(page.locator("#counts")).to_have_text("6 notes in 2 decks")
    assert_not_reloaded(watched)


def test_every_way_of_saving_is_seen(browser: Browser, own: Server) -> None:
    watched = opened(browser, own, "#card=backward&side=back")
    page = watched.page
    file = own.folder / "autograd.md"
    beside = own.folder / "autograd.md.tmp"

    def replace(text: str) -> None:
        beside.write_text(text, "utf-8")
        beside.replace(file)

    def with_backup(text: str) -> None:
        file.rename(own.folder / "autograd.md~")
        file.write_text(text, "utf-8")

    def again(text: str) -> None:
        file.unlink()
        file.write_text(text, "utf-8")

    def in_place(text: str) -> None:
        file.write_text(text, "utf-8")

    ways: tuple[Callable[[str], None], ...] = (in_place, replace, with_backup, again, in_place)
    for number, way in enumerate(ways):
        word = f"by way {number}"
        way(KINDS["autograd.md"].replace("It walks", f"It walks {word}"))
        expect(card(page, "Back")).to_contain_text(word)
        expect(page.locator("#counts")).to_have_text("6 notes in 2 decks")
    assert_not_reloaded(watched)


def test_many_saves_a_second_are_shown_in_their_order(browser: Browser, own: Server) -> None:
    watched = opened(browser, own, "#card=backward&side=back")
    page = watched.page
    expect(card(page, "Back")).to_contain_text("It walks")
    inside = next(each for each in page.frames if each.url.endswith("/card"))
    inside.evaluate(
        """() => { window.seen = []; new MutationObserver(() => {
        const found = document.getElementById("qa").textContent.match(/save (\\d+) /);
        if (found && seen.at(-1) !== Number(found[1])) seen.push(Number(found[1]));
        }).observe(document.getElementById("qa"), { childList: true }) }"""
    )
    for n in range(60):
        (own.folder / "autograd.md").write_text(
            KINDS["autograd.md"].replace("It walks", f"save {n} walks"), "utf-8"
        )
        page.wait_for_timeout(10)
    expect(card(page, "Back")).to_contain_text("save 59 walks")
    seen = inside.evaluate("seen")
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert_not_reloaded(watched)


def test_a_folder_that_goes_and_comes_back_is_shown_again(browser: Browser, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "kinds", KINDS)
    with serving(folder) as server:
        watched = opened(browser, server)
        page = watched.page
        shutil.rmtree(folder)
        expect(page.locator("#unfold")).to_have_text("1 error")
        page.click("#unfold")
        expect(page.locator("#panel")).to_contain_text("no such file or folder")
        write_files(folder, KINDS | {"autograd.md": "# Autograd\n\n## Is it back?\n\nYes.\n"})
        expect(page.locator("#counts")).to_have_text("4 notes in 2 decks")
        expect(page.locator("#errors")).to_be_hidden()
        assert_not_reloaded(watched)


def test_a_preview_that_was_ended_says_so_and_goes_on_when_it_is_started_again(
    browser: Browser, tmp_path: Path
) -> None:
    folder = write_files(tmp_path / "kinds", KINDS)
    with serving(folder) as server:
        watched = opened(browser, server, "#card=move")
        page = watched.page
        expect(page.locator("#live")).to_have_text("live")
        press_ctrl_c(server.process)
        assert server.process.wait(PATIENCE) == 130
    expect(page.locator("#live")).to_have_text("stopped")
    save(server, "tensors.md", "Which one moves", "Which call moves")
    with serving(folder, port=server.port):
        expect(page.locator("#live")).to_have_text("live")
        expect(card(page)).to_contain_text("Which call moves a tensor?")
        assert page.evaluate("window.marked") is True


def test_health_without_a_note_says_so_and_leads_on(browser: Browser, tmp_path: Path) -> None:
    with serving(write_files(tmp_path / "kinds", {"deck.toml": KINDS["deck.toml"]})) as server:
        server.state()
        page = watched_page(browser, server.address).page
        page.goto(f"{server.address}#show=health")
        expect(page.locator("#health")).to_have_text("There are no notes yet.Show where to begin")
        page.click("#health button")
        expect(page.locator("#first")).to_be_visible()
        page.context.close()


def test_a_collection_without_a_note_says_how_to_begin(browser: Browser, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "kinds", {"deck.toml": KINDS["deck.toml"]})
    with serving(folder) as server:
        watched = opened(browser, server, permissions=["clipboard-read", "clipboard-write"])
        page = watched.page
        expect(page.locator("#first")).to_be_visible()
        assert page.inner_text("#first-file") == str(folder / "first.md")
        page.click("#copy-sample")
        expect(page.locator("#said")).to_have_text("Copied")
        (folder / "first.md").write_text(page.evaluate("navigator.clipboard.readText()"), "utf-8")
        expect(card(page)).to_contain_text("What does backward() do?")
        expect(page.locator("#first")).to_be_hidden()
        expect(page.locator("#counts")).to_have_text("1 note in 1 deck")
        (folder / "first.md").unlink()
        expect(page.locator("#first")).to_be_visible()
        assert_not_reloaded(watched)


# Keys, address, filters


def test_every_key_does_what_the_help_says(page: Page) -> None:
    expect(card(page)).to_contain_text("What does backward() do?")
    page.keyboard.press(" ")
    expect(card(page, "Back")).to_contain_text("It walks the graph.")
    page.keyboard.press(" ")
    expect(page.locator("figure:has-text('Back')")).to_be_hidden()
    page.keyboard.press("b")
    expect(card(page)).to_be_visible()
    expect(card(page, "Back")).to_be_visible()
    page.keyboard.press("b")
    page.keyboard.press("ArrowRight")
    expect(card(page)).to_contain_text("Gradient")
    expect(page.locator("#cards button[aria-pressed=true]")).to_have_text("Question")
    page.keyboard.press("c")
    expect(card(page)).to_contain_text("The slope")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#cards button")).to_have_text(["Deletion 1", "Deletion 2"])
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(card(page)).to_contain_text("What does backward() do?")
    for width in ("360", "390", "768", "full"):
        page.keyboard.press("w")
        expect(page.locator("#width")).to_have_value(width)
        assert width == "full" or page.locator("iframe").first.bounding_box()["width"] == int(width) + 2  # type: ignore[index] # it is visible
    for night in ("true", "false"):
        page.keyboard.press("n")
        expect(page.locator("#night")).to_have_attribute("aria-pressed", night)
        shown = frame(page).locator("body").get_attribute("class") or ""
        assert ("nightMode" in shown) == (night == "true")
    page.keyboard.press("/")
    page.keyboard.type("tensor moves")
    expect(page.locator("#counts")).to_have_text("1 of 6 notes")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_escape_clears_the_search_with_its_filter(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("tensor moves")
    expect(page.locator("#counts")).to_have_text("1 of 6 notes")
    page.keyboard.press("Escape")
    expect(page.locator("#counts")).to_have_text("6 notes in 2 decks")
    assert (page.input_value("#q"), "q=" in page.url) == ("", False)
    page.keyboard.press(" ")
    expect(page.locator("#sides [aria-pressed=true]")).to_have_text("Back")


def test_enter_in_the_search_leads_to_the_first_match(page: Page) -> None:
    """What is pressed while the server still searches is no part of the words."""
    page.keyboard.press("/")
    page.keyboard.type("tensor move")
    expect(page.locator("#counts")).to_have_text("1 of 6 notes")
    held: list[Route] = []
    page.route("**/find?*", lambda route: held.append(route))  # noqa: PLW0108 (Playwright takes no built-in)
    page.keyboard.type("s")
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    assert page.input_value("#q") == "tensor moves"
    held.pop().continue_()
    page.unroute("**/find?*")
    expect(card(page)).to_contain_text("Which one moves a tensor?")


def test_a_search_ranks_as_find_does_and_marks_the_words(
    browser: Browser, tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    asked = {
        "What is `attn`?": "A *mask* for attention.",
        "What is a masked tensor?": "One for attention.",
        "What is an attention mask?": "A tensor.",
        "What is autograd?": "Gradients.",
    }
    text = "".join(f"## {question}\n\n{answer}\n\n" for question, answer in asked.items())
    tagged = f"# Notes\n\n{text}## What is left out?\n<!-- card: id=left tags=attention-mask -->\n\nTokens.\n"
    with serving(write_files(tmp_path / "kinds", KINDS | {"notes.md": tagged})) as server:
        server.state()
        watched = opened(browser, server)
        page = watched.page
        page.fill("#q", "Attention mask")
        found = page.locator("#tree .note .question")
        expect(found).to_have_count(4)
        lines = ptcards("find", "Attention", "mask", "--in", server.folder).out.splitlines()
        titles = [*(line.partition(": ")[2] for line in lines), "What is left out?"]
        assert titles[0] == "What is an attention mask?"
        expect(found).to_have_text([f"{title.replace('`', '')}Notes" for title in titles])
        expect(found.first.locator("mark")).to_have_text(["attention", "mask"])
        page.keyboard.press("Enter")
        expect(card(page)).to_contain_text("What is an attention mask?")
        page.keyboard.press("j")
        expect(page.locator("#tree [aria-current=true]")).to_contain_text(titles[1].replace("`", ""))
        lit = "[...CSS.highlights.get('found')].map((at) => at.startContainer.data.slice(at.startOffset, at.endOffset))"
        inside = [each for each in page.frames if each.url.endswith("/card")]
        assert {word for each in inside for word in each.evaluate(lit)} == {"mask", "attention"}
        page.fill("#q", "")
        expect(page.locator("#tree summary")).to_have_count(4)
        expect(page.locator("#tree mark")).to_have_count(0)
        assert_not_reloaded(watched)
        page.context.close()


TCP = "It carries a stream of bytes, resends lost packets, and keeps their order."
ALIKE = (
    f"# Net\n\n## What is TCP?\n\n{TCP}\n\n## Who made it?\n\nPeople.\n\n## Define `TCP` streams\n\n{TCP}\n"
)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")], ids=str)
def test_the_closest_other_card_is_below_the_card_and_leads_there(
    browser: Browser, tmp_path: Path, width: int, scheme: Any
) -> None:
    with serving(
        write_files(tmp_path / "kinds", {"deck.toml": KINDS["deck.toml"], "net.md": ALIKE})
    ) as server:
        server.state()
        watched = opened(
            browser,
            server,
            viewport={"width": width, "height": 844},
            color_scheme=scheme,
            bypass_csp=True,
        )
        page = watched.page
        line = page.locator("#closest")
        link = line.get_by_role("button")
        expect(link).to_have_text("Define TCP streams")
        expect(link.locator("mark")).to_have_text("TCP")  # and not the whole of `streams`
        expect(line.get_by_text("% alike")).to_be_visible(visible=width > 700)
        assert violations(page) == []
        top = line.evaluate("each => each.getBoundingClientRect().top")
        link.click()
        expect(card(page)).to_contain_text("Define TCP streams")
        expect(link).to_have_text("What is TCP?")
        page.click("#previous")  # to a card that is like no other
        expect(card(page)).to_contain_text("Who made it?")
        expect(link).to_have_count(0)
        assert line.evaluate("each => each.getBoundingClientRect().top") == top
        page.click("#previous")
        expect(link).to_have_text("Define TCP streams")
        save(server, "net.md", "Define `TCP` streams", "Define the stream")
        expect(card(page)).to_contain_text("Define the stream")  # what was edited is shown
        page.click("#previous")
        page.click("#previous")
        expect(link).to_have_text("Define the stream")
        assert_not_reloaded(watched)
        page.context.close()


@pytest.fixture
def masks(browser: Browser, tmp_path: Path) -> Iterator[tuple[Server, Page]]:
    """A preview of a deck with a note on masks, and its page."""
    notes = "# Notes\n\n## What is a mask?\n\nA tensor.\n"
    with serving(write_files(tmp_path / "kinds", KINDS | {"notes.md": notes})) as server:
        server.state()
        page = opened(browser, server).page
        yield server, page
        page.context.close()


def test_a_search_stays_when_a_note_that_matches_is_added_and_ends_for_another(
    masks: tuple[Server, Page],
) -> None:
    server, page = masks
    page.fill("#q", "mask")
    found = page.locator("#tree .note .question")
    expect(found).to_have_text(["What is a mask?Notes"])
    more = "\n## Which mask hides padding?\n\nThat of the keys.\n"
    save(server, "notes.md", "A tensor.\n", f"A tensor.\n{more}")
    expect(found).to_have_text(["What is a mask?Notes", "Which mask hides padding?Notes"])
    expect(card(page)).to_contain_text("Which mask hides padding?")
    assert page.input_value("#q") == "mask"
    save(server, "notes.md", more, f"{more}\n## What is a leaf?\n\nGreen.\n")
    expect(card(page)).to_contain_text("What is a leaf?")
    expect(page.locator("#q")).to_have_value("")


def hold_searches(page: Page, count: int) -> list[tuple[Route, APIResponse]]:
    """Keep the answers to the next searches from arriving; they are in the list."""
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if len(held) < count:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    page.route("**/find?*", hold)
    return held


def release(held: tuple[Route, APIResponse]) -> None:
    route, answer = held
    route.fulfill(response=answer)


def test_a_search_under_way_does_not_decide_about_a_note_that_was_added_since(
    masks: tuple[Server, Page],
) -> None:
    server, page = masks
    page.fill("#q", "mask")
    found = page.locator("#tree .note .question")
    expect(found).to_have_text(["What is a mask?Notes"])
    held = hold_searches(page, 1)
    save(server, "notes.md", "# Notes\n", "# Notes\n\n<!-- none of the cards -->\n")
    until(page, lambda: len(held) == 1)
    save(server, "notes.md", "A tensor.\n", "A tensor.\n\n## Which mask hides padding?\n\nOne of keys.\n")
    expect(card(page)).to_contain_text("Which mask hides padding?")
    release(held[0])
    expect(found).to_have_text(["What is a mask?Notes", "Which mask hides padding?Notes"])
    assert page.input_value("#q") == "mask"


def test_a_search_shows_its_result_while_another_one_for_a_saved_file_is_under_way(
    masks: tuple[Server, Page],
) -> None:
    server, page = masks
    held = hold_searches(page, 2)
    page.fill("#q", "mask")
    until(page, lambda: len(held) == 1)
    save(server, "notes.md", "# Notes\n", "# Notes\n\n<!-- none of the cards -->\n")
    until(page, lambda: len(held) == 2)
    release(held[0])
    found = page.locator("#tree .note .question")
    expect(found).to_have_text(["What is a mask?Notes"])
    expect(card(page)).to_contain_text("What is a mask?")
    release(held[1])
    expect(found).to_have_text(["What is a mask?Notes"])


def test_both_sides_have_type_of_the_same_size(browser: Browser, server: Server) -> None:
    page = opened(browser, server, "#card=backward&side=both", viewport={"width": 1440, "height": 900}).page
    looks = [
        card(page, side)
        .locator(".ptc")
        .evaluate("each => [getComputedStyle(each).fontSize, each.getBoundingClientRect().top]")
        for side in ("Front", "Back")
    ]
    assert looks[0] == looks[1]


def test_the_stage_has_a_ring_only_for_those_who_reach_it_by_tab(page: Page) -> None:
    style = "getComputedStyle(document.querySelector('#stage:focus')).outlineStyle"
    page.click("#night")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(style) == "none"
    page.keyboard.press("Tab")
    page.focus("#stage")
    assert page.evaluate(style) != "none"


def test_below_one_another_the_front_is_as_high_as_its_content_up_to_half(
    browser: Browser, own: Server
) -> None:
    lines = "".join(f"\n- [{'x' if n < 1 else ' '}] Option {n}" for n in range(2))
    long = "".join(f"\n- [{'x' if n < 2 else ' '}] Option {n}" for n in range(30))
    write_files(
        own.folder,
        {
            "a.md": f"# A\n\n## Two?\n<!-- card: id=two -->\n{lines}\n\n## Long?\n<!-- card: id=long -->\n{long}\n"
        },
    )
    own.state(lambda state: len(state["order"]) == 8)
    overflows = "document.scrollingElement.scrollHeight > innerHeight"
    for address, viewport in (("#card=two&panel=advice", (1280, 800)), ("#card=two", (1024, 768))):
        size = {"width": viewport[0], "height": viewport[1]}
        page = opened(browser, own, address, viewport=size).page
        expect(card(page)).to_contain_text("Option 1")
        front, back = (page.locator(f".device[data-of={side}]") for side in ("front", "back"))
        inside = front.locator("iframe").element_handle().content_frame()
        assert inside
        wait_until(inside, f"() => !({overflows})")
        assert _box(front)["height"] < _box(back)["height"]
        page.goto(f"{own.address}#card=long{address.partition('two')[2]}")
        expect(card(page)).to_contain_text("Option 29")
        wait_until(inside, overflows)
        wait_until(
            page,
            """() => {
                const [front, back] = ["front", "back"].map(
                    (side) => document.querySelector(`.device[data-of=${side}]`).getBoundingClientRect().height)
                return Math.abs(front - back) < 1
            }""",
        )
        page.context.close()


def test_keys_work_inside_the_card_too(page: Page) -> None:
    frame(page).locator("body").click()
    page.keyboard.press("ArrowRight")
    expect(card(page)).to_contain_text("Gradient")
    page.keyboard.press("n")
    expect(page.locator("#night")).to_have_attribute("aria-pressed", re.compile("true|false"))
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()


def test_what_is_typed_into_the_card_are_no_keys(page: Page) -> None:
    choose(page, "Type it")
    box = card(page).locator("#typeans")
    box.focus()
    page.keyboard.type("n w b? /c")
    expect(box).to_have_value("n w b? /c")
    expect(card(page)).to_contain_text("Type it")


def test_the_address_holds_what_is_seen(browser: Browser, server: Server, page: Page) -> None:
    choose(page, "Gradient")
    expect(card(page)).to_contain_text("Gradient")
    for key in (" ", "w", "c"):
        page.keyboard.press(key)
    night = page.locator("#night").get_attribute("aria-pressed")
    page.keyboard.press("n")
    page.click("#filter")
    page.select_option("#kind", "reversed")
    page.fill("#q", "slope")
    expect(page.locator("#counts")).to_have_text("1 of 6 notes")
    before = page.url
    assert (
        before
        == f"{server.address}#card=gradient&c=1&side=back&w=360&night={int(night == 'false')}&q=slope&kind=reversed"
    )
    other = opened(browser, server, before.removeprefix(server.address)).page
    expect(card(other, "Back")).to_contain_text("The slope")
    expect(other.locator("#cards button[aria-pressed=true]")).to_have_text("Reversed")
    expect(other.locator("#width")).to_have_value("360")
    expect(other.locator("#night")).to_have_attribute("aria-pressed", "true" if night == "false" else "false")
    expect(other.locator("#kind")).to_have_value("reversed")
    assert other.locator("#q").input_value() == "slope"
    assert other.url == before
    other.reload()
    expect(card(other, "Back")).to_contain_text("The slope")
    other.click("#clear")
    choose(other, "Type it")
    other.go_back()
    expect(page.locator("[aria-current=true]")).to_contain_text("Gradient")


def test_a_link_to_a_card_that_is_not_there_says_so(browser: Browser, server: Server) -> None:
    watched = opened(browser, server, "#card=nope")
    said = watched.page.locator("#said")
    expect(said).to_have_text("The card in this link is not in this collection.")
    expect(card(watched.page)).to_contain_text("What does backward() do?")
    assert_not_reloaded(watched)


def test_the_keys_of_the_help_lead_where_it_says(page: Page) -> None:
    rows = page.locator("#keys dl div")
    texts = [" ".join(each.split()) for each in rows.all_text_contents()]
    assert texts[1:3] == ["← Kprevious question", "→ Jnext question"]


FILTERS = (
    ("q", "GRAPH", 2),
    ("q", "graph gradients", 2),
    ("q", "nothingness", 0),
    ("q", "Kinds::Tensors", 3),
    ("difficulty", "easy", 1),
    ("difficulty", "none", 4),
    ("kind", "cloze", 1),
    ("kind", "basic", 2),
    ("tag", "graph", 1),
    ("rule", "bare-answer", 2),
)


def test_filters_leave_what_they_say(page: Page) -> None:
    page.click("#filter")
    for name, value, left in FILTERS:
        if name == "q":
            page.fill("#q", value)
        else:
            page.select_option(f"#{name}", value)
        expect(page.locator("#counts")).to_have_text(f"{left} of 6 notes")
        expect(page.locator("#tree .note")).to_have_count(left)
        if name == "q":
            page.fill("#q", "")
        else:
            page.click("#clear")
        expect(page.locator("#counts")).to_have_text("6 notes in 2 decks")


def test_tags_are_below_their_first_levels_which_select_all_of_them(browser: Browser, own: Server) -> None:
    tags = ("path::10", "path::2", "path::2::a", "pathb", "gpu::memory", "gpu")
    notes = [f"## Question {n}?\n<!-- card: id=n{n} tags={tag} -->\n\nYes." for n, tag in enumerate(tags)]
    write_files(own.folder, {"many.md": "# Many\n\n" + "\n\n".join(notes) + "\n"})
    own.state(lambda state: len(state["order"]) == 12)
    watched = opened(browser, own)
    page = watched.page
    page.click("#filter")
    levels = ["gpu (2)", ">memory (1)", "path (3)", ">2 (2)", ">>a (1)", ">10 (1)", "pathb (1)"]
    names = page.locator("#tag option").all_text_contents()
    assert [each for each in names if not each.startswith(("gra", "Any"))] == [
        each.replace(">", "\N{EM SPACE}") for each in levels
    ]
    page.select_option("#tag", "path")
    expect(page.locator("#counts")).to_have_text("3 of 12 notes")
    page.select_option("#tag", "path::2")
    expect(page.locator("#counts")).to_have_text("2 of 12 notes")
    expect(page.locator("#chosen-chips .chip")).to_have_text(["path::2 ✕"])
    assert_not_reloaded(watched)


def test_filters_are_folded_and_those_in_use_are_counted_and_removed_one_by_one(page: Page) -> None:
    chips = page.locator("#chosen-chips .chip")
    expect(page.locator("#selects")).to_be_hidden()
    expect(page.locator("#active")).to_be_hidden()
    page.click("#filter")
    expect(page.locator("#filter")).to_have_attribute("aria-expanded", "true")
    page.select_option("#difficulty", "hard")
    page.select_option("#rule", "any")
    page.click("#filter")
    expect(page.locator("#selects")).to_be_hidden()
    expect(page.locator("#active")).to_have_text("2")
    expect(chips).to_have_text(["hard ✕", "with findings ✕"])
    expect(page.locator("#counts")).to_have_text("0 of 6 notes")
    chips.nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#filter")).to_be_focused()
    expect(chips).to_have_text(["hard ✕"])
    expect(page.locator("#counts")).to_have_text("1 of 6 notes")
    page.click("#clear")
    expect(page.locator("#chosen")).to_be_hidden()
    expect(page.locator("#difficulty")).to_have_value("")


def test_the_tree_shows_counts_difficulty_and_findings(page: Page) -> None:
    counts = dict(zip(decks(page), page.locator("#tree .count").all_inner_texts(), strict=True))
    assert counts == {"Kinds": "6", "Autograd": "3", "Tensors": "3"}
    choose(page, "moves a tensor")
    expect(page.locator(".note:has-text('backward') .mark")).to_have_attribute("title", "easy")
    expect(page.locator(".note:has-text('moves a tensor') .mark")).to_have_attribute("title", "hard")
    expect(page.locator(".note:has-text('Gradient') .badge.hint")).to_have_count(1)
    choose(page, "Gradient")
    page.click("#advice")
    expect(page.locator("#panel .finding:has-text('hint[bare-answer]')")).to_be_visible()


def test_the_list_writes_formulas_as_text(browser: Browser, own: Server) -> None:
    formulas = {
        "Why is $QK^T$ divided by $\\sqrt{d_k}$?": "Why is QKᵀ divided by √dₖ?",
        "What is $\\frac{\\partial L}{\\partial w_{ij}}$?": "What is ∂ L/∂ wᵢⱼ?",
        "Does `$x` cost $5 or $6?": "Does $x cost $5 or $6?",
        "Is $`\\alpha \\le \\mathrm{max}(x)`$?": "Is α ≤ max(x)?",
    }
    write_files(
        own.folder, {"math.md": "# Math\n\n" + "\n".join(f"## {asked}\n\nYes.\n" for asked in formulas)}
    )
    own.state(lambda state: len(state["order"]) == 10)
    page = opened(browser, own).page
    page.click("#tree summary:has-text('Math')")
    expect(page.locator("#tree .note .question").last).to_have_text("Is α ≤ max(x)?")
    assert page.locator("#tree .note .question").all_inner_texts()[-4:] == list(formulas.values())


def test_a_place_can_be_copied_and_opened(browser: Browser, server: Server) -> None:
    watched = opened(browser, server, "#card=move", permissions=["clipboard-read", "clipboard-write"])
    page = watched.page
    page.click("#copy")
    expect(page.locator("#said")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "kinds/tensors.md:3"
    expect(page.locator("#editor")).to_have_text("Open in VS Code")
    assert page.locator("#editor").get_attribute("href") == f"vscode://file{server.folder}/tensors.md:3"


def test_hints_details_and_math_are_shown(page: Page) -> None:
    hint = card(page).locator("div.hint")
    expect(hint).to_be_hidden()
    card(page).locator("a.hint").click()
    expect(hint).to_have_text("Think of a graph.")
    page.keyboard.press(" ")
    card(page, "Back").locator("summary").click()
    expect(card(page, "Back").locator("details")).to_contain_text("More on graphs.")
    page.keyboard.press("ArrowRight")
    expect(card(page)).to_contain_text("Gradient")
    page.keyboard.press(" ")
    expect(card(page, "Back").locator("math mo")).to_have_text("<")


# Actions on findings

# Whether the findings cover the card, and the first shows what is marked.
SHOWN = """() => {
  const [panel, stage] = ['#panel', '#stage'].map((query) => document.querySelector(query).getBoundingClientRect());
  const covered = panel.left < stage.right && panel.right > stage.left && panel.top < stage.bottom
    && panel.bottom > stage.top;
  const pre = document.querySelector('#panel pre');
  const marks = pre.firstChild.data.match(/\\^+/);
  const range = document.createRange();
  range.setStart(pre.firstChild, marks.index);
  range.setEnd(pre.firstChild, marks.index + marks[0].length);
  const [marked, view] = [range, pre].map((each) => each.getBoundingClientRect());
  return [covered, marked.left >= view.left && marked.right <= view.right];
}"""


def test_findings_are_explained_fixed_and_opened_in_the_editor(browser: Browser, tmp_path: Path) -> None:
    """Real keys and clicks change the files. Without the terminal's key, the page can only show cards."""
    editor = tmp_path / "bin" / "zed"
    editor.parent.mkdir()
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n', "utf-8")
    editor.chmod(0o755)
    slip = "## A slip?\n<!-- card: tags=one-with-a-long-name,another-one dificulty=easy -->\n\nYes.\n"
    folder = write_files(tmp_path / "kinds", KINDS | {"slip.md": f"# Slip\n\n{slip}"})
    with serving(folder, "--editor", str(editor)) as server:
        server.state(lambda state: any(each["fixable"] for each in problems(state)))
        looking = opened(browser, server).page
        looking.click("#unfold")
        looking.click("#panel [data-do=fix]")
        expect(looking.locator("#said")).to_contain_text("Open the address that ptcards serve printed")
        looking.context.close()
        watched = opened(browser, server, f"#card=gradient&key={server.key}")
        page = watched.page
        assert server.key not in page.url
        expect(page.locator("#unfold")).to_have_text("1 error in kinds/slip.md")
        expect(page.locator("#panel")).to_be_hidden()
        for width in (1400, 768, 390):
            page.set_viewport_size({"width": width, "height": 760})
            page.click("#unfold")
            assert (width, *page.evaluate(SHOWN)) == (width, False, True)
            if width != 390:
                page.click("#unfold")
        page.click("#panel .error [data-do=explain]")
        expect(page.locator("#explained")).to_contain_text("A setting has an unknown name.")
        keys = page.locator("#explanation li")
        expect(keys.first).to_have_text(re.compile("^in a card comment: id, kind,"))
        assert keys.count() > 5
        page.keyboard.press("Escape")
        page.click("#panel [data-do=fix]")
        expect(page.locator("#errors")).to_be_hidden()
        assert "difficulty=easy" in (folder / "slip.md").read_text("utf-8")
        page.goto(f"{server.address}#card=gradient")
        page.keyboard.press("e")
        expect(page.locator("#said")).to_have_text("Opened in zed")
        asked = tmp_path / "asked"
        until(
            page, lambda: asked.exists() and asked.stat().st_size > 0
        )  # the shell creates it before it writes
        assert asked.read_text("utf-8") == f"{folder}/autograd.md:16:1\n"
        assert_not_reloaded(watched)


# The source, the last release, the wall, health, and code that runs


CODE = "```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a collection in git that was released and edited since."""
    folder = tmp_path_factory.mktemp("released") / "kinds"
    write_files(
        folder, KINDS | {"code.md": f"# Code\n\n## What is printed?\n<!-- card: id=code -->\n\n{CODE}"}
    )
    ran = partial(subprocess.run, cwd=folder, check=True, capture_output=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    gone = "# Old\n\n## What was a Variable?\n<!-- card: id=old -->\n\nA *tensor* with a history.\n"
    write_files(folder, {"old.md": gone})
    for command in (["init"], ["add", "."], [*identity, "commit", "-m", "a"], ["tag", "v1.3"]):
        ran(["git", *command])
    (folder / "old.md").unlink()
    write_files(folder, {"autograd.md": KINDS["autograd.md"].replace("It walks", "It quickly runs over")})
    with serving(folder) as started:
        started.state(lambda state: bool(state["problems"]))
        yield started


def test_the_source_is_beside_the_card_and_a_line_is_lit_in_both(browser: Browser, released: Server) -> None:
    watched = opened(browser, released, "#card=backward&side=back", viewport={"width": 1400, "height": 900})
    page = watched.page
    page.keyboard.press("s")
    lines = page.locator("#panel .source li")
    expect(lines).to_have_text(
        [
            line or " "
            for line in KINDS["autograd.md"].replace("It walks", "It quickly runs over").split("\n")[2:14]
        ]
    )
    card(page, "Back").locator(".answer p").hover()
    expect(page.locator("#panel .lit")).to_have_text("It quickly runs over the *graph*.")
    expect(card(page, "Back").locator(".ptcards-lit")).to_have_text("It quickly runs over the graph.")
    lines.first.hover()
    expect(card(page, "Back").locator(".ptcards-lit")).to_have_text("What does backward() do?")
    assert "panel=source" in page.url
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    assert_not_reloaded(watched)


def test_what_changed_since_the_release_is_beside_what_it_was(browser: Browser, released: Server) -> None:
    watched = opened(
        browser, released, f"#side=both&key={released.key}", viewport={"width": 1400, "height": 900}
    )
    page = watched.page
    page.keyboard.press("d")
    expect(page.locator("#said")).to_have_text("1 changed, 1 retired since v1.3")
    expect(page.locator("#counts")).to_have_text("2 of 7 notes")
    rows = page.locator("#tree .note")
    expect(rows).to_have_text(["easyWhat does backward() do?changed", "What was a Variable?retired"])
    expect(page.locator("figcaption:visible")).to_have_text(["Before (v1.3)", "After"])
    before = page.frame_locator('iframe[title="The card before"]').locator("#qa")
    expect(before).to_contain_text("It walks the graph.")
    expect(before.locator(".ptcards-changed")).to_have_text(["walks"])
    expect(card(page, "Back").locator(".ptcards-changed")).to_have_text(["quickly runs over"])
    page.keyboard.press("j")
    expect(page.locator(".note[aria-current=true]")).to_have_text("What was a Variable?retired")
    expect(page.locator("#chips .stale")).to_have_text("retired since v1.3")
    expect(page.locator("figcaption:visible")).to_have_text(["Before (v1.3)"])
    expect(before).to_contain_text("A tensor with a history.")
    expect(page.locator("#editor")).to_be_hidden()
    page.keyboard.press("d")
    expect(page.locator("#counts")).to_have_text("7 notes in 3 decks")
    expect(before).to_be_hidden()
    assert_not_reloaded(watched)


def test_on_a_phone_a_question_before_leaves_room_for_the_one_after_it(
    browser: Browser, released: Server
) -> None:
    page = opened(
        browser,
        released,
        f"#card=backward&side=front&key={released.key}",
        viewport={"width": 390, "height": 844},
    ).page
    page.keyboard.press("d")
    expect(page.locator("figcaption:visible")).to_have_text(["Before (v1.3)", "After"])
    heights = "[...document.querySelectorAll('.device:not([hidden])')].map(each => each.clientHeight)"
    wait_until(page, f"new Set({heights}).size === 1")


def test_what_cannot_be_compared_is_said_in_words_for_the_page(browser: Browser, own: Server) -> None:
    page = opened(browser, own, f"#card=backward&key={own.key}").page
    said = page.locator("#said")
    page.keyboard.press("d")
    expect(said).to_have_text("No release to compare with yet")
    ran = partial(subprocess.run, cwd=own.folder, check=True, capture_output=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for command in (["init"], ["add", "."], [*identity, "commit", "-m", "a"]):
        ran(["git", *command])
    save(own, "autograd.md", "It walks", "It runs over")
    expect(card(page, "Back")).to_contain_text("It runs over")
    page.keyboard.press("d")
    expect(said).to_have_text("1 changed since your last commit")
    expect(page.locator("figcaption:visible").first).to_have_text("Before (your last commit)")
    page.keyboard.press("d")
    save(
        own,
        "tensors.md",
        "## A bare question?",
        "## What is a stride?\n\nA step in memory.\n\n## A bare question?",
    )
    expect(page.locator("#counts")).to_have_text("7 notes in 2 decks")
    page.keyboard.press("d")
    badges = page.locator("#tree .note > .badge")
    expect(badges).to_have_text(["changed", "new"])


def test_what_cannot_be_compared_for_errors_leads_to_them_and_stays_until_they_are_gone(
    browser: Browser, own: Server
) -> None:
    page = opened(browser, own, f"#card=backward&key={own.key}").page
    ran = partial(subprocess.run, cwd=own.folder, check=True, capture_output=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for command in (["init"], ["add", "."], [*identity, "commit", "-m", "a"]):
        ran(["git", *command])
    save(own, "tensors.md", "- [x] `to`", "![a picture](none.svg)\n\n- [x] `to`")
    expect(page.locator("#errors")).to_be_visible()
    page.clock.install()
    page.keyboard.press("d")
    said = page.locator("#said")
    expect(said).to_have_text("Not compared: first correct the errors in Findings", timeout=PATIENCE * 1000)
    expect(page.locator("#panel")).to_contain_text("missing-media")
    page.clock.run_for(10_000)
    expect(said).to_be_visible()
    expect(said).to_have_text("Not compared: first correct the errors in Findings")
    save(own, "tensors.md", "![a picture](none.svg)\n\n", "")
    expect(page.locator("#errors")).to_be_hidden()
    expect(said).to_have_text("")


def test_addresses_in_an_explanation_are_links(browser: Browser, server: Server) -> None:
    page = opened(browser, server).page
    page.evaluate(
        """() => { const ask = document.createElement("button");
        Object.assign(ask.dataset, { do: "explain", rule: "answer-words" });
        document.body.append(ask); ask.click(); }"""
    )
    links = page.locator("#explanation a")
    expect(links).not_to_have_count(0)
    found = [
        (
            each.get_attribute("href"),
            each.inner_text(),
            each.get_attribute("target"),
            each.get_attribute("rel"),
        )
        for each in links.all()
    ]
    address = "https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge"
    assert found == [(address, address, "_blank", "noopener")]


@pytest.mark.parametrize("height", [760, 1024])
def test_on_a_tablet_both_sides_stay_in_sight_above_the_source(
    browser: Browser, server: Server, height: int
) -> None:
    page = opened(
        browser, server, "#card=backward&panel=source", viewport={"width": 768, "height": height}
    ).page
    expect(page.locator("#panel .source li").first).to_be_visible()
    for side in ("Front", "Back"):
        expect(card(page, side)).to_be_visible()
        expect(page.locator(f'iframe[title="{side} of the card"]')).to_be_in_viewport(ratio=1)
    below = """document.querySelector("#panel").getBoundingClientRect().top
        - document.querySelector('.device[data-of="back"]').getBoundingClientRect().bottom"""
    assert page.evaluate(below) >= 0


COLOURED = """Object.fromEntries([...document.querySelectorAll("#panel-body .source li")]
  .filter(each => each.className).map(each => [each.textContent, each.className]))"""


ROWS = """each => [...new Set([...each.children].filter(e => e.checkVisibility())
  .map(e => Math.round(e.getBoundingClientRect().top + e.getBoundingClientRect().height / 2)))].length"""
# The parts of a row that are cut off, or that cover another part.
CROWDED = """row => {
  const parts = [...row.querySelectorAll("button, a, select, .chips, .deck, .position")]
    .filter(e => e.checkVisibility() && getComputedStyle(e).position !== "fixed" && !e.closest(".group, .segments"))
    .concat([...row.querySelectorAll(".group, .segments")].filter(e => e.checkVisibility() && getComputedStyle(e).position !== "fixed"));
  const boxes = parts.map(e => [e.id || e.className, e.getBoundingClientRect()]);
  const whole = row.getBoundingClientRect();
  const cut = boxes.filter(([, box]) => box.left < whole.left || box.right > whole.right + 1).map(([name]) => name);
  const covered = boxes.flatMap(([one, a], n) => boxes.slice(n + 1)
    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => `${one} ${other}`));
  return [...cut, ...covered];
}"""
WAYS = {
    "wall": ("#views [data-show=wall]", "g"),
    "health": ("#views [data-show=health]", "h"),
    "source": ("#source", "s"),
    "run": ("#run", "r"),
    "editor": ("#editor", "e"),
    "changed": ("#changed", "d"),
    "width": ("#width", "w"),
    "night": ("#night", "n"),
    "keys": ("#help", "?"),
}
"""What the page can do: a control, and the key of an entry in the menu with the same effect."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("width", [320, 390, 700])
@pytest.mark.parametrize("key", ["backward", "fill", "gradient"])
def test_on_a_phone_facts_and_the_choice_of_a_card_are_in_one_row(
    browser: Browser, server: Server, width: int, key: str
) -> None:
    page = opened(browser, server, f"#card={key}", viewport={"width": width, "height": 800}).page
    expect(page.locator("iframe").first).to_be_visible()
    about = page.locator("#about")
    assert (about.evaluate(ROWS), about.evaluate(CROWDED), _box(about)["height"]) == (1, [], 48)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "width", [320, 390, 520, 521, 700, 768, 820, 899, 900, 960, 1023, 1024, 1099, 1100, 1280, 1440]
)
def test_controls_are_in_one_row_and_none_is_out_of_reach(
    browser: Browser, released: Server, width: int
) -> None:
    page = opened(browser, released, "#card=code", viewport={"width": width, "height": 800}).page
    expect(page.locator("iframe").first).to_be_visible()
    assert page.locator(".bar").evaluate(ROWS) == 1 + (width <= 520)  # on a phone, ‹ and › are below the card
    if width >= 900:
        assert page.locator("#about").evaluate(ROWS) == 1
    assert [page.locator(row).evaluate(CROWDED) for row in (".bar", "#about")] == [[], []]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if page.locator("#more").is_visible():
        page.click("#more")
        expect(page.locator("#menu")).to_be_visible()
    missing = [
        name
        for name, (control, key) in WAYS.items()
        if not page.locator(control).is_visible()
        and not page.locator(f"#menu [data-press='{key}']").is_visible()
    ]
    # A phone is as narrow as the narrowest width.
    assert missing == (["width"] if width <= 700 else [])


def test_the_menu_of_a_narrow_window_works_with_fingers_and_with_keys(
    browser: Browser, released: Server
) -> None:
    watched = opened(browser, released, "#card=code", viewport={"width": 390, "height": 844}, bypass_csp=True)
    page = watched.page
    menu = page.locator("#menu")
    expect(card(page)).to_contain_text("What is printed?")  # axe complains of a frame that still loads
    page.click("#more")
    assert violations(page) == []
    page.click("#menu [data-press=g]")
    expect(menu).to_be_hidden()
    expect(page.frame_locator('iframe[title="All cards"]').locator(".tile")).to_have_count(7)
    page.click("#views [data-show=cards]")
    expect(card(page)).to_contain_text("What is printed?")
    page.focus("#more")
    page.keyboard.press("Enter")
    for key, name in (
        ("ArrowDown", "h"),
        ("ArrowDown", "s"),
        ("ArrowUp", "h"),
        ("ArrowUp", "g"),
        ("ArrowUp", "?"),
    ):
        page.keyboard.press(key)
        expect(menu.locator(":focus")).to_have_attribute("data-press", name)
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.locator("#more")).to_be_focused()
    page.keyboard.press("Enter")
    page.click("#menu [data-press=s]")
    expect(page.locator("#panel-body .source li")).to_have_count(10)
    page.set_viewport_size({"width": 960, "height": 800})
    page.click("#more")
    for width in ("AnkiDroid, 360", "iPhone, 390"):
        page.click("#menu [data-press=w]")
        expect(page.locator("#width-name")).to_have_text(width)
    page.keyboard.press("g")
    expect(menu).to_be_hidden()
    page.click("#more")
    expect(page.locator("#menu [data-press=s]")).to_be_hidden()  # the wall has no single card
    assert_not_reloaded(watched)


def test_tags_that_do_not_fit_are_counted_and_can_be_shown(browser: Browser, tmp_path: Path) -> None:
    tags = [f"a-tag-with-a-long-name-{n}" for n in range(5)]
    note = f"# Tags\n\n## Untagged?\n\nYes.\n\n## Tagged?\n<!-- card: id=tagged tags={','.join(tags)} -->\n\nYes.\n"
    with serving(write_files(tmp_path / "kinds", {"deck.toml": KINDS["deck.toml"], "a.md": note})) as server:
        server.state()
        page = opened(browser, server, "#card=tagged", viewport={"width": 390, "height": 844}).page
        shown = page.locator("#chips .chip:visible")
        expect(shown).to_have_text(["basic", tags[0]])
        expect(page.locator("#rest")).to_have_text("+4")
        page.click("#rest")
        expect(shown).to_have_text(["basic", *tags])
        expect(page.locator("#rest")).to_be_hidden()
        page.context.close()


def test_every_empty_state_has_words(browser: Browser, released: Server) -> None:
    watched = opened(browser, released, f"#card=code&key={released.key}", bypass_csp=True)
    page = watched.page
    expect(page.locator("iframe").first).to_be_visible()
    page.fill("#q", "zzzqq")
    expect(page.locator("#no-match-said")).to_have_text("No card matches “zzzqq”.")
    expect(page.locator("#unlisted")).to_have_text("not listed · show all")
    assert violations(page) == []
    page.click("#show-all")
    expect(page.locator("#no-match")).to_be_hidden()
    expect(page.locator("#position")).to_have_text(re.compile(r"\d+ / 7"))
    page.keyboard.press("s")
    expect(page.locator("#panel-body .source li")).to_have_count(10)
    assert page.evaluate(COLOURED) == {
        "## What is printed?": "heading",
        "<!-- card: id=code -->": "comment",
        "```python": "fence",
        "print(1 + 1)": "code",
        "```": "fence",
        "```output": "fence",
        "3": "code",
    }
    wide = page.locator("#panel").bounding_box()
    page.focus("#edge")
    page.keyboard.press("ArrowLeft")
    wider = page.locator("#panel").bounding_box()
    assert wide
    assert wider
    assert round(wider["width"] - wide["width"]) == 32
    assert violations(page) == []
    page.click("#close-panel")
    page.evaluate("location.hash = 'card=gradient'")
    page.click("#advice")
    page.click("#panel [data-do=explain] >> nth=0")
    expect(page.locator("#explanation p").first).to_be_visible()
    assert (
        page.locator("#explanation").evaluate(
            "each => [...each.querySelectorAll('p')].some(p => p.textContent.includes('\\n'))"
        )
        is False
    )
    assert page.locator("#explanation strong").all_inner_texts() == ["Why:", "For instance:", "Fix:"]
    assert violations(page) == []
    page.click("#explained button")
    expect(page.locator("#explained")).to_be_hidden()
    assert_not_reloaded(watched)


@pytest.mark.sandbox
def test_a_missing_package_comes_with_the_command_that_installs_it(browser: Browser, tmp_path: Path) -> None:
    toml = KINDS["deck.toml"] + '[verify]\nrequires = ["ptcards-no-such-package"]\n'
    code = f"# Code\n\n## What is printed?\n<!-- card: id=code -->\n\n{CODE}"
    with serving(write_files(tmp_path / "kinds", KINDS | {"deck.toml": toml, "code.md": code})) as server:
        server.state()
        page = opened(browser, server, f"#card=code&key={server.key}").page
        page.keyboard.press("r")
        expect(page.locator("#panel-body .command")).to_contain_text(
            "-m pip install ptcards-no-such-package", timeout=60_000
        )
        expect(page.locator("#panel-body")).to_contain_text(
            "Or name another Python in deck.toml: python under [verify]."
        )
        page.context.close()


@pytest.mark.sandbox
def test_code_that_lacks_a_package_did_not_run(browser: Browser, tmp_path: Path) -> None:
    code = f"# Code\n\n## What is printed?\n<!-- card: id=code -->\n\n{CODE}".replace(
        "print(", "import ptcards_no_such_package\nprint("
    )
    with serving(write_files(tmp_path / "kinds", KINDS | {"code.md": code})) as server:
        server.state()
        page = opened(
            browser, server, f"#card=code&key={server.key}", viewport={"width": 1280, "height": 800}
        ).page
        page.keyboard.press("r")
        expect(page.locator("#panel-body > p")).to_have_text(
            "The code could not run: a package is missing.", timeout=60_000
        )
        help_ = page.locator("#panel .help")
        assert help_.text_content() == f"help: {INSTALL}".replace("`", "")
        outputs, found = (_box(page.locator(each)) for each in (".outputs", "#panel .finding"))
        assert found["y"] - outputs["y"] - outputs["height"] == 12
        page.context.close()


@pytest.mark.sandbox
def test_code_runs_in_the_sandbox_and_its_output_is_beside_that_of_the_card(
    browser: Browser, released: Server
) -> None:
    watched = opened(browser, released, f"#card=code&key={released.key}")
    page = watched.page
    page.keyboard.press("r")
    expect(page.locator("#panel .outputs pre")).to_have_text(["3", "2"])
    expect(page.locator("#panel-body > p").first).to_have_text("The code does not do what the card says.")
    expect(page.locator("#panel .finding")).to_contain_text("wrong-output")
    assert CODE in (released.folder / "code.md").read_text("utf-8")
    assert_not_reloaded(watched)


def test_the_wall_shows_every_card_and_health_what_the_deck_lacks(browser: Browser, released: Server) -> None:
    watched = opened(
        browser, released, f"#key={released.key}", viewport={"width": 1400, "height": 900}, bypass_csp=True
    )
    page = watched.page
    page.keyboard.press("g")
    wall = page.frame_locator('iframe[title="All cards"]')
    expect(wall.locator(".tile")).to_have_count(7)
    expect(wall.locator(".tile").first).to_contain_text("It quickly runs over")
    expect(page.locator("#sides [aria-pressed=true]:visible")).to_have_text(["Back"])
    stage, tiles = (_box(page.locator(each)) for each in (".work", "iframe >> visible=true"))
    assert tiles["y"] + tiles["height"] == stage["y"] + stage["height"]
    assert violations(page) == []
    wall.locator(".tile:has-text('moves a tensor')").click()
    expect(card(page)).to_contain_text("Which one moves a tensor?")
    page.keyboard.press("h")
    expect(page.locator("#health figure").nth(5)).to_contain_text("not verified yet")
    texts = page.locator("#health figure").all_inner_texts()
    plots = {each.split("\n")[0]: each.replace("\u202f", "").split("\n")[1:] for each in texts}
    assert list(plots) == ["Findings", "Words in the answer", "Kinds", "Difficulty", "Sources", "Code"]
    assert plots["Sources"][:6] == ["with a source", "0", "0%", "without", "7", "100%"]
    assert plots["Code"] == [
        *("passes", "0", "0%", "not verified yet", "1", "14%"),
        *("not run", "0", "0%", "without code", "6", "86%"),
    ]
    rails = page.locator("#health figure >> nth=5 >> .rail").all()
    parts = [_box(each.locator("span"))["width"] / _box(each)["width"] for each in (rails[1], rails[3])]
    assert [round(100 * part) for part in parts] == [14, 86]
    rows = page.locator("#health tbody tr").all_inner_texts()
    assert [row.split("\t")[:2] for row in rows] == [
        ["Kinds › Autograd", "3"],
        ["Kinds › Code", "1"],
        ["Kinds › Tensors", "3"],
    ]
    assert violations(page) == []
    page.click("#health [data-filter='kind=cloze']")
    expect(page.locator("#counts")).to_have_text("1 of 7 notes")
    expect(card(page)).to_contain_text("holds")
    page.keyboard.press("h")
    page.click("#health [data-filter='rule=bare-answer']")
    expect(page.locator("#counts")).to_have_text("2 of 7 notes")
    page.keyboard.press("h")
    page.click("#health .decks button:has-text('Tensors')")
    expect(page.locator("#counts")).to_have_text("3 of 7 notes")
    expect(page.locator("#chosen-chips .chip")).to_have_text(["Tensors ✕"])
    for bar, group in (
        ("Words in the answer: 0–10", "words:0-10"),
        ("without a source", "sourced:no"),
    ):
        page.keyboard.press("h")
        count = page.locator(f"#health [data-filter='group={group}'] .count").first.inner_text()
        page.click(f"#health [data-filter='group={group}']")
        expect(page.locator("#counts")).to_have_text(
            "7 notes in 3 decks" if count == "7" else f"{count} of 7 notes"
        )
        expect(page.locator("#chosen-chips .chip")).to_have_text([f"{bar} ✕"])
    page.click("#clear")
    expect(page.locator("#chosen")).to_be_hidden()


@pytest.fixture
def new_note(released: Server) -> Iterator[None]:
    """Have one more note since the release."""
    write_files(released.folder, {"new.md": "# New\n\n## New?\n<!-- card: id=new -->\n\nYes.\n"})
    released.state(lambda state: len(state["order"]) == 8)
    yield
    (released.folder / "new.md").unlink()
    released.state(lambda state: len(state["order"]) == 7)


@pytest.mark.usefixtures("new_note")
def test_the_wall_says_what_is_new_changed_or_retired_since_the_release(
    browser: Browser, released: Server
) -> None:
    watched = opened(browser, released, f"#show=wall&key={released.key}", bypass_csp=True)
    page = watched.page
    tiles = page.frame_locator('iframe[title="All cards"]').locator(".tile")
    expect(tiles).to_have_count(8)
    page.keyboard.press("d")
    expect(page.locator("#counts")).to_have_text("3 of 8 notes", timeout=1000 * PATIENCE)
    expect(page.locator("#main")).to_have_attribute("data-show", "wall")
    expect(tiles).to_have_count(3)
    for tile, text in enumerate(("It quickly runs over", "Yes.", "history")):
        expect(tiles.nth(tile)).to_contain_text(text)
    marks = """tiles => tiles.map(tile => [tile.ariaLabel, getComputedStyle(tile, "::before").content,
      tile.shadowRoot.firstElementChild.getBoundingClientRect().top - tile.getBoundingClientRect().top])"""
    named = {"What does `backward()` do?": "changed", "New?": "new", "What was a Variable?": "retired"}
    assert tiles.evaluate_all(marks) == [[f"{name}, {mark}", f'"{mark}"', 25] for name, mark in named.items()]
    assert violations(page) == []
    page.keyboard.press("d")
    expect(tiles).to_have_count(8)
    marked = "tiles => tiles.filter(tile => tile.dataset.mark).map(tile => tile.ariaLabel)"
    assert tiles.evaluate_all(marked) == ["What is printed?, 1 warning"]
    assert_not_reloaded(watched)


def test_the_wall_says_which_cards_have_errors_or_warnings_or_are_drafts(
    browser: Browser, own: Server
) -> None:
    draft = "# Draft\n\n## A draft?\n<!-- card: id=draft draft -->\n\nYes.\n"
    write_files(own.folder, {"draft.md": draft, "code.md": f"# Code\n\n## What is printed?\n\n{CODE}"})
    save(own, "tensors.md", "difficulty=hard", "dificulty=hard")
    own.state(lambda state: {each["severity"] for each in problems(state)} == {"error", "warning", "hint"})
    watched = opened(browser, own, "#show=wall", bypass_csp=True)
    page = watched.page
    tiles = page.frame_locator('iframe[title="All cards"]').locator(".tile")
    expect(tiles).to_have_count(8)
    expect(tiles.nth(0)).to_contain_text("It walks")
    marked = "tiles => tiles.filter(tile => tile.dataset.mark).map(tile => [tile.ariaLabel, tile.className])"
    assert sorted(tiles.evaluate_all(marked)) == [
        ["A draft?, draft", "tile"],
        ["What is printed?, 1 warning", "tile"],
        ["Which one moves a tensor?, 1 error", "tile wrong"],
    ]
    assert violations(page) == []
    assert_not_reloaded(watched)


# The cards that are marked, and whether they are in sight with their ring.
MARKED = """() => [...document.querySelectorAll(".tile[aria-current]")].map((tile) => {
  const { top, bottom } = tile.getBoundingClientRect();
  return [tile.ariaLabel, top >= 5 && bottom <= innerHeight - 5];
})"""


def test_the_wall_marks_the_card_that_arrows_select_and_enter_opens(browser: Browser, own: Server) -> None:
    notes = [f"## Question {n}?\n<!-- card: id=n{n} -->\n\n" + f"Line {n}.\n\n" * (n % 5) for n in range(120)]
    write_files(own.folder, {"many.md": "# Many\n\n" + "\n".join(notes)})
    own.state(lambda state: len(state["order"]) == 126)
    watched = opened(browser, own, "#show=wall&card=n90&side=back", viewport={"width": 1280, "height": 800})
    page = watched.page
    wall = page.frame_locator('iframe[title="All cards"]')
    expect(wall.locator(".tile[aria-current]")).to_contain_text("Question 90?")
    inside = next(each for each in page.frames if each.url.endswith("/card"))
    wait_until(inside, f"() => JSON.stringify(({MARKED})()) === '[[\"Question 90?, 1 error\",true]]'")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wait_until(inside, f"() => JSON.stringify(({MARKED})()) === '[[\"Question 92?\",true]]'")
    expect(page.locator("#tree [aria-current=true]")).to_contain_text("Question 92?")
    expect(page.locator("#sides [aria-pressed=true]:visible")).to_have_text("Back")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_have_attribute("data-show", "cards")
    expect(page.locator("#copy")).to_contain_text("many.md")
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    expect(page.locator("#main")).to_have_attribute("data-show", "wall")
    wait_until(inside, f"() => JSON.stringify(({MARKED})()) === '[[\"Question 93?\",true]]'")
    page.keyboard.press("Escape")
    expect(page.locator("#main")).to_have_attribute("data-show", "cards")
    page.keyboard.press("Escape")
    expect(page.locator("#main")).to_have_attribute("data-show", "cards")
    assert_not_reloaded(watched)


# How much of each cell is its card and how much is blank, and whether the card fades out at the end.
CELLS = """() => [...document.querySelectorAll(".tile")].filter(tile => tile.shadowRoot).map(tile => {
  const blank = tile.clientHeight - tile.shadowRoot.firstElementChild.getBoundingClientRect().height;
  return [tile.classList.contains("long"), blank >= 0, blank < 5];
})"""


def test_a_cell_of_the_wall_is_as_high_as_its_card(browser: Browser, own: Server) -> None:
    write_files(own.folder, {"long.md": "# Long\n\n## Long?\n\n" + "A paragraph.\n\n" * 60})
    own.state(lambda state: len(state["order"]) == 7)
    page = opened(browser, own, "#show=wall", viewport={"width": 1400, "height": 900}).page
    wall = page.frame_locator('iframe[title="All cards"]')
    expect(wall.locator(".tile.long")).to_have_count(1)
    inside = next(each for each in page.frames if each.url.endswith("/card"))
    expect(wall.locator(".tile").last).to_contain_text("An answer.")
    wanted = [[False, True, True]] * 6 + [[True, False, True]]
    # The observer reports sizes after the next frame, and findings that arrive fill the wall again.
    until(page, lambda: sorted(inside.evaluate(CELLS)) == wanted)


# Scrolls to the end, a screen and a half in each frame; then waits for the last tile.
TO_THE_END = """async () => {
  const end = () => document.scrollingElement.scrollHeight - innerHeight;
  while (scrollY < end() - 1) {
    scrollBy(0, 1.5 * innerHeight);
    await new Promise(requestAnimationFrame);
  }
}"""
OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll(".tile")].map((tile) => tile.getBoundingClientRect());
  return boxes.flatMap((one, n) => boxes.slice(n + 1).filter((other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length;
}"""


def test_a_wall_that_scrolls_fast_loads_only_what_stays_in_sight(browser: Browser, own: Server) -> None:
    notes = [f"## Question {n}?\n\n" + f"Paragraph {n}.\n\n" * (1 + n % 7) for n in range(400)]
    write_files(own.folder, {"many.md": "# Many\n\n" + "\n".join(notes)})
    own.state(lambda state: len(state["order"]) == 406)
    page = opened(browser, own, "#show=wall", viewport={"width": 1400, "height": 900}).page
    wall = page.frame_locator('iframe[title="All cards"]')
    expect(wall.locator(".tile").first).to_contain_text(re.compile(r"\w"))
    inside = next(each for each in page.frames if each.url.endswith("/card"))
    inside.evaluate(TO_THE_END)
    expect(wall.locator(".tile").last).to_contain_text(re.compile(r"\w"))
    filled = inside.evaluate(
        "[...document.querySelectorAll('.tile')].filter(({ shadowRoot }) => shadowRoot).length"
    )
    assert filled < 200
    assert inside.evaluate(OVERLAPS) == 0
    # Whatever draws the page again leaves the wall where it is, unless another card is selected.
    page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    page.wait_for_timeout(300)
    expect(wall.locator(".tile").last).to_be_in_viewport()
    for width, columns in ((1400, 4), (900, 2), (390, 1)):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(200)
        lefts = inside.evaluate(
            "[...new Set([...document.querySelectorAll('.tile')].map(tile => tile.getBoundingClientRect().left))].length"
        )
        assert (width, lefts, inside.evaluate(OVERLAPS)) == (width, columns, 0)


def test_the_keys_are_in_two_columns(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.locator("#keys div", has_text="both sides")).to_have_text(re.compile(r"^\s*B\s*both sides$"))
    for column in ("dt", "dd"):
        assert len({_box(each)["x"] for each in page.locator(f"#keys {column}").all()}) == 1


def test_what_was_said_is_above_the_controls_and_goes_with_the_view(browser: Browser, own: Server) -> None:
    """A key without an effect says why."""
    page = opened(browser, own, "#card=backward", viewport={"width": 390, "height": 844}).page
    page.keyboard.press("r")
    said = page.locator("#said")
    expect(said).to_have_text("No code on this card")
    text, controls = (_box(page.locator(each)) for each in ("#said", ".bar > .group"))
    assert text["y"] + text["height"] <= controls["y"]
    save(own, "tensors.md", "difficulty=hard", "difficulty=hardd")
    errors = _box(page.locator("#errors"))
    page.keyboard.press("r")
    text = _box(said)
    assert text["y"] + text["height"] <= errors["y"]
    page.keyboard.press("g")
    expect(said).to_have_text("")


def test_a_long_question_has_three_lines_in_the_list_and_a_title(browser: Browser, own: Server) -> None:
    question = " ".join(["What does a long question ask that takes many lines of the narrow list"] * 3)
    write_files(own.folder, {"long.md": f"# Long\n\n## {question}?\n\nYes.\n"})
    own.state(lambda state: len(state["order"]) == 7)
    page = opened(browser, own, viewport={"width": 1000, "height": 800}).page
    choose(page, "What does a long question")
    row = page.locator("#tree .note .question", has_text="What does a long question")
    assert row.get_attribute("title") == f"{question}?"
    page.wait_for_function(  # a row that was just replaced has no height
        "() => { const each = document.querySelector('#tree [aria-current=true] .question');"
        " return each && Math.round(each.clientHeight / parseFloat(getComputedStyle(each).lineHeight)) === 3; }"
    )


FONTS = re.compile(r"--(?:ptc-)?sans: ([^;]*);")


def test_the_preview_has_the_fonts_of_the_cards() -> None:
    room = Path(ptcards.__file__).parent
    page, cards = (
        FONTS.findall((room / name).read_text("utf-8"))
        for name in ("extensions/preview/page/app.css", "anki/card.css")
    )
    assert page == cards[:1]


def test_the_ends_of_the_list_are_seen(page: Page) -> None:
    for selected, ends in (("backward", ["true", "false"]), ("A bare question", ["false", "true"])):
        choose(page, selected)
        buttons = [page.locator(each) for each in ("#previous", "#next")]
        assert [each.get_attribute("aria-disabled") for each in buttons] == ends
        assert len({each.evaluate("each => getComputedStyle(each).borderColor") for each in buttons}) == 1


ACCENT = re.compile(r"--accent: (#\w+);")
NIGHT = re.compile(r"<svg[^>]*(?:moon|sun)[^>]*>(.*?)</svg>")


def test_the_preview_has_the_accents_and_icons_of_the_study_page(page: Page) -> None:
    room = Path(ptcards.__file__).parent
    study, preview = room / "writers" / "study", room / "extensions" / "preview" / "page"
    for pattern, names in ((ACCENT, ("page.css", "app.css")), (NIGHT, ("page.html", "index.html"))):
        found = [
            pattern.findall((folder / name).read_text("utf-8"))
            for folder, name in zip((study, preview), names, strict=True)
        ]
        assert len(found[0]) == 2
        assert found[0] == found[1]
    assert page.locator("link[rel=icon]").get_attribute("href") == ICON


# Accessibility


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")], ids=str
)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    browser: Browser, server: Server, width: int, scheme: Any
) -> None:
    watched = opened(
        browser, server, viewport={"width": width, "height": 844}, color_scheme=scheme, bypass_csp=True
    )
    page = watched.page

    def inspect() -> None:
        expect(page.locator("iframe").first).to_be_visible()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for each in page.frames[1:]:
            assert each.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert each.evaluate(LOW_CONTRAST) == []

    inspect()
    page.keyboard.press("b")
    page.click("#next")
    inspect()
    if width == 390:
        page.click("#open")
    else:
        page.click("#advice")
    inspect()
    page.click("#filter")
    inspect()
    if width == 390:
        page.click("#close")
    page.keyboard.press("?")
    inspect()


LONG = "# Long\n\n" + "".join(
    f"## What is {number}?\n<!-- card: id=n{number} difficulty=hard tags=a -->\n\nA number.\n\n"
    for number in range(60)
)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve one deck whose list is much higher than a window."""
    with serving(write_files(tmp_path_factory.mktemp("long") / "long", {"long.md": LONG})) as started:
        started.state()
        yield started


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("width", "address"),
    [
        *((width, "") for width in (390, 1024, 1280, 1440)),
        *(
            (1280, f"#{part}")
            for part in ("panel=advice", "panel=source", "q=What", "show=wall", "show=health")
        ),
    ],
)
def test_the_page_is_as_high_as_the_window(browser: Browser, long: Server, width: int, address: str) -> None:
    """Texts for screen readers were placed on the page, so a wheel moved everything out of sight."""
    watched = opened(browser, long, address, viewport={"width": width, "height": 900})
    page = watched.page
    if width == 390:
        page.click("#open")
    expect(page.locator("#tree .note")).to_have_count(60)
    assert page.evaluate("document.documentElement.scrollHeight") == 900
    page.mouse.move(width - 100, 450)
    page.mouse.wheel(0, 2000)
    page.wait_for_timeout(100)
    assert page.evaluate("scrollY") == 0
    assert_not_reloaded(watched)


@pytest.mark.parametrize("width", [390, 768, 1000, 1280])
def test_the_line_of_errors_has_a_row_of_its_own_at_the_end(
    browser: Browser, own: Server, width: int
) -> None:
    page = opened(browser, own, "#card=gradient", viewport={"width": width, "height": 844}).page
    save(own, "tensors.md", "difficulty=hard", "difficulty=hardd")
    bar = 56 if width == 390 else 0  # previous and next
    for panel in ("hidden", "open"):
        errors, work = (_box(page.locator(each)) for each in ("#errors", ".work"))
        assert (panel, errors["y"] >= work["y"] + work["height"]) == (panel, True)
        assert round(errors["y"] + errors["height"]) == 844 - bar
        page.click("#unfold")
        expect(page.locator("#panel")).to_be_visible(visible=panel == "hidden")


def test_findings_about_the_note_are_in_one_panel_above_all_other_errors(
    browser: Browser, own: Server
) -> None:
    own.state(lambda state: bool(state["problems"]))
    watched = opened(browser, own, "#show=wall&card=bare")
    page = watched.page
    save(own, "autograd.md", "difficulty=easy", "difficulty=easyy")
    save(own, "tensors.md", "difficulty=hard", "difficulty=hardd")
    expect(page.locator("#unfold")).to_contain_text("2 errors in 2 files")
    page.click("#unfold")
    expect(page.locator("#panel-title")).to_have_text("Findings")
    choose(page, "A bare question")
    parts = page.locator("#panel-body").locator("h3, .kind, > .link")
    bare, others = ["This note", "hint[bare-answer]"], ["error[unknown-difficulty]"] * 2
    asked = ["Which one moves a tensor?", "What does backward() do?"]
    expect(parts).to_have_text([*bare, "Other errors", asked[0], others[0], asked[1], others[1]])
    expect(page.locator("#advice")).to_have_text("1 finding")
    choose(page, "Gradient")
    expect(parts).to_have_text([*bare, "Other errors", asked[1], others[0], asked[0], others[1]])
    page.click("#panel-body > .link >> nth=0")
    expect(card(page)).to_contain_text("What does backward() do?")
    expect(parts).to_have_text(["This note", others[0], "Other errors", asked[0], others[1]])
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    assert_not_reloaded(watched)


def test_a_fix_elsewhere_keeps_the_card_and_findings_elsewhere_are_counted(
    browser: Browser, own: Server
) -> None:
    own.state(lambda state: bool(state["problems"]))
    watched = opened(browser, own, f"#card=backward&panel=advice&key={own.key}")
    page = watched.page
    here = page.locator("#panel-body > p")
    expect(here).to_have_text("No findings here; 2 in the deck ›")
    save(own, "tensors.md", "difficulty=hard", "dificulty=hard")
    expect(card(page)).to_contain_text("What does backward() do?")
    expect(here).to_have_text("No findings here; 3 in the deck ›")
    page.click("#panel [data-do=fix]")
    expect(page.locator("#errors")).to_be_hidden()
    expect(here).to_have_text("No findings here; 2 in the deck ›")
    assert "difficulty=hard" in (own.folder / "tensors.md").read_text("utf-8")
    expect(page.locator("#copy")).to_have_text("kinds/autograd.md:3")
    here.get_by_role("button").click()
    expect(page.locator("#counts")).to_have_text("2 of 6 notes")
    expect(page.locator("#advice")).to_have_text("1 finding")
    save(own, "tensors.md", "It copies.", "It always copies.")  # an edit is shown again
    expect(card(page, "Back")).to_contain_text("It always copies.")
    assert_not_reloaded(watched)


def test_the_keys_stay_at_the_findings_after_a_fix_and_return_to_the_opener(
    browser: Browser, own: Server
) -> None:
    save(own, "autograd.md", "difficulty=easy", "dificulty=easy")
    save(own, "tensors.md", "difficulty=hard", "dificulty=hard")
    own.state(lambda state: sum(each["fixable"] for each in problems(state)) == 2)
    watched = opened(browser, own, f"#card=fill&key={own.key}")
    page = watched.page
    page.focus("#unfold")
    page.keyboard.press("Enter")
    findings = page.locator("#panel .finding")
    expect(findings).to_have_count(2)
    fixes = page.locator("#panel [data-do=fix]")
    fixes.first.focus()
    page.keyboard.press("Enter")
    expect(findings).to_have_count(1)
    expect(findings.first).to_be_focused()
    fixes.first.focus()
    page.keyboard.press("Enter")
    expect(findings).to_have_count(0)
    expect(page.locator("#panel-body")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#stage")).to_be_focused()  # the line of errors has gone
    page.focus("#source")
    page.keyboard.press("Enter")
    page.focus("#close-panel")
    page.keyboard.press("Escape")
    expect(page.locator("#source")).to_be_focused()
    page.keyboard.press("Enter")
    page.focus("#close-panel")
    page.keyboard.press("Enter")
    expect(page.locator("#source")).to_be_focused()
    assert_not_reloaded(watched)


def test_a_button_that_holds_the_keys_keeps_them_while_other_findings_change(
    browser: Browser, own: Server
) -> None:
    save(own, "autograd.md", "difficulty=easy", "dificulty=easy")
    own.state(lambda state: sum(each["fixable"] for each in problems(state)) == 1)
    watched = opened(browser, own, f"#card=backward&panel=advice&key={own.key}")
    page = watched.page
    findings, fix = page.locator("#panel .finding"), page.locator("#panel [data-do=fix]")
    expect(findings).to_have_count(1)
    fix.focus()
    button = fix.element_handle()
    save(own, "tensors.md", "difficulty=hard", "dificulty=hard")
    expect(findings).to_have_count(2)
    assert button.evaluate("button => button.isConnected && button === document.activeElement")
    page.keyboard.press("Enter")
    expect(page.locator("#panel .last-fix p")).to_have_text("Fixed unknown-key in kinds/autograd.md")
    assert_not_reloaded(watched)


def test_a_fix_is_undone_where_it_was_asked_for(browser: Browser, own: Server) -> None:
    slips = {name: own.folder / name for name in ("autograd.md", "tensors.md")}
    save(own, "autograd.md", "difficulty=easy", "dificulty=easy")
    save(own, "tensors.md", "difficulty=hard", "dificulty=hard")
    own.state(lambda state: sum(each["fixable"] for each in problems(state)) == 2)
    before = {name: file.read_bytes() for name, file in slips.items()}
    watched = opened(browser, own, f"#card=backward&panel=advice&key={own.key}")
    page = watched.page
    findings, last = page.locator("#panel .finding"), page.locator("#panel .last-fix p")
    fixes, undo = (page.locator(f"#panel [data-do={name}]") for name in ("fix", "undo"))
    expect(findings).to_have_count(2)
    expect(undo).to_have_count(0)
    fixes.first.click()
    expect(last).to_have_text("Fixed unknown-key in kinds/autograd.md")
    expect(findings).to_have_count(1)
    undo.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text("Undone: the file is as it was")
    expect(findings).to_have_count(2)
    expect(undo).to_have_count(0)
    expect(findings.first).to_be_focused()
    assert {name: file.read_bytes() for name, file in slips.items()} == before
    # A second fix replaces the first.
    expect(fixes).to_have_count(2)  # what can be fixed is known a little later than what is wrong
    fixes.first.click()
    expect(last).to_have_text("Fixed unknown-key in kinds/autograd.md")
    fixes.first.click()
    expect(last).to_have_text("Fixed unknown-key in kinds/tensors.md")
    expect(findings).to_have_count(0)
    page.reload()
    undo.click()
    expect(findings).to_have_count(1)
    assert slips["tensors.md"].read_bytes() == before["tensors.md"]
    assert slips["autograd.md"].read_bytes() != before["autograd.md"]
    assert (watched.complaints, watched.strays, watched.dialogs) == ([], [], [])


def test_a_fix_whose_file_has_changed_since_cannot_be_undone(browser: Browser, own: Server) -> None:
    save(own, "tensors.md", "difficulty=hard", "dificulty=hard")
    own.state(lambda state: any(each["fixable"] for each in problems(state)))
    watched = opened(browser, own, f"#card=move&panel=advice&key={own.key}")
    page = watched.page
    undo = page.locator("#panel [data-do=undo]")
    page.click("#panel [data-do=fix]")
    expect(undo).to_be_visible()
    file = undo.get_attribute("data-file")
    save(own, "tensors.md", "It copies.", "It always copies.")
    expect(undo).to_have_count(0)
    edited = (own.folder / "tensors.md").read_bytes()
    asked = """async ([file, key]) => (await fetch(`/do/undo?${new URLSearchParams({ file })}`,
      { method: "POST", headers: { "X-Ptcards-Key": key } })).json()"""
    answer = page.evaluate(asked, [file, own.key])
    assert answer == {"said": "not_undone", "values": {}, "done": False}
    assert (own.folder / "tensors.md").read_bytes() == edited
    assert_not_reloaded(watched)


def test_findings_are_in_the_order_of_the_file(browser: Browser, own: Server) -> None:
    page = opened(browser, own, "#card=move&panel=advice").page
    text = KINDS["tensors.md"].replace("It copies.", "It copies. ![A copy](no.png)")
    (own.folder / "tensors.md").write_text(text.replace("id=type", "id=type tag=x"), "utf-8")
    places = page.locator("#panel .finding.error a")
    expect(places).to_have_text(["kinds/tensors.md:9", "kinds/tensors.md:12"])


def test_axe_finds_nothing_in_errors(browser: Browser, own: Server) -> None:
    watched = opened(browser, own, bypass_csp=True)
    save(own, "autograd.md", "difficulty=easy", "difficulty=easyy")
    watched.page.click("#unfold")
    expect(watched.page.locator("#panel pre").first).to_be_visible()
    assert violations(watched.page) == []


def test_every_control_is_reached_by_tab_and_used_by_enter(page: Page) -> None:
    page.click("#filter")
    page.focus(".skip")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "() => { const e = document.activeElement; return e.id || e.dataset.card && 'row' || e.localName }"
            )
        )
    wanted = {
        "q", "filter", "difficulty", "kind", "tag", "rule", "row", "previous", "next", "button", "width", "changed", "night",
        "help", "copy", "editor", "source", "iframe",
    }  # fmt: skip
    assert wanted <= set(reached)


def test_the_list_is_one_stop_for_tab_and_arrows_move_in_it(page: Page) -> None:
    page.focus("#filter")
    page.keyboard.press("Tab")
    focused = page.locator("#tree :focus")
    expect(focused).to_contain_text("backward()")
    page.keyboard.press("ArrowDown")
    expect(focused).to_contain_text("Gradient")
    page.keyboard.press("Enter")
    expect(card(page)).to_contain_text("Gradient")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_contain_text("Autograd")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tree .note:visible")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(focused).to_contain_text("backward()")
    page.keyboard.press("j")
    expect(card(page)).to_contain_text("Fill in")
    page.keyboard.press("k")
    expect(card(page)).to_contain_text("Gradient")
    page.keyboard.press("Tab")
    expect(focused).to_have_count(0)


def _box(element: Locator) -> FloatRect:
    element.wait_for()
    box = element.bounding_box()
    assert box is not None
    return box


def test_the_controls_of_a_narrow_phone_are_in_one_row(browser: Browser, server: Server) -> None:
    watched = opened(browser, server, viewport={"width": 320, "height": 640})
    tops = {_box(each)["y"] for each in watched.page.locator(".bar > .plain:visible").all()}
    assert len(tops) == 1


def test_the_filters_have_room_for_their_words_and_the_source_does_not_touch_the_facts(
    browser: Browser, server: Server
) -> None:
    for width in (1024, 1120, 1440):
        watched = opened(browser, server, viewport={"width": width, "height": 800})
        page = watched.page
        page.click("#filter")
        assert min(_box(each)["width"] for each in page.locator(".selects select:visible").all()) >= 160
        page.keyboard.press("s")
        links, panel = (_box(page.locator(each)) for each in ("#source", "#panel"))
        assert panel["y"] - links["y"] - links["height"] >= 6
        page.context.close()


def test_on_a_phone_cards_on_the_wall_have_their_own_size_and_both_sides(
    browser: Browser, server: Server
) -> None:
    for width in (320, 390):
        page = opened(
            browser, server, "#show=wall&side=front", viewport={"width": width, "height": 844}, has_touch=True
        ).page
        bar = page.locator(".bar")
        assert (bar.evaluate(ROWS), bar.evaluate(CROWDED)) == (1, [])
        tile = page.frame_locator('iframe[title="All cards"]').locator(".tile").first
        expect(tile).to_contain_text("What does backward() do?")
        assert tile.locator(".card").evaluate("each => each.currentCSSZoom") == 1
        assert tile.locator(".heading").evaluate("each => getComputedStyle(each).paddingTop") == "0px"
        page.tap("#sides [data-side=back]")
        expect(tile).to_contain_text("It walks the graph.")
        page.tap("#views [data-show=cards]")
        expect(page.locator("#main")).to_have_attribute("data-show", "cards")
        page.context.close()


SMALL = """() => [...document.querySelectorAll("button, select, input, summary, a.link")]
  .filter(each => each.checkVisibility() && each.id !== "rest")
  .map(each => [each.id || each.textContent.trim(), each.getBoundingClientRect().height])
  .filter(([, height]) => height < 40)"""


def test_fingers_find_everything_on_a_phone(browser: Browser, released: Server) -> None:
    for show in ("cards", "wall", "health"):
        watched = opened(
            browser,
            released,
            f"#card=gradient&show={show}&panel=advice",
            viewport={"width": 390, "height": 844},
        )
        page = watched.page
        expect(page.locator("#panel .finding")).to_have_count(int(show == "cards"))
        assert page.evaluate(SMALL) == []
        page.click("#more")
        assert page.evaluate(SMALL) == []
        page.keyboard.press("Escape")
        page.click("#open")
        page.click("#filter")
        assert page.evaluate(SMALL) == []
        page.context.close()


def test_it_is_usable_on_a_phone(browser: Browser, server: Server) -> None:
    watched = opened(browser, server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = watched.page
    expect(page.locator("#tree")).to_be_hidden()
    page.tap("#open")
    expect(page.locator("#close")).to_be_focused()  # the search would open the keyboard
    page.tap("#tree details:not([open]) > summary")
    page.tap("#tree .note:has-text('moves a tensor')")
    expect(page.locator("#tree")).to_be_hidden()
    expect(card(page)).to_contain_text("Which one moves a tensor?")
    page.keyboard.press("b")  # there is room for one side
    expect(page.locator("#sides [aria-pressed=true]")).to_have_text("Front")
    expect(page.locator("iframe >> visible=true")).to_have_count(1)
    expect(page.locator("kbd:visible")).to_have_count(0)
    page.tap("#more")
    expect(page.locator("#menu")).to_be_visible()
    expect(page.locator("kbd:visible")).to_have_count(0)
    page.keyboard.press("Escape")
    page.tap("#sides button[data-side=back]")
    expect(card(page, "Back")).to_contain_text("It copies.")
    assert page.locator("iframe >> visible=true").bounding_box()["height"] > 300  # type: ignore[index] # it is visible
    assert watched.complaints == []
