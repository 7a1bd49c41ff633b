"""Boxes that are drawn on a picture in the preview are written to the source."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browsing import chromium, until, violations, watched_page
from made_pictures import png
from ptcards.extensions.preview.boxes import BoxEdit, change_box
from ptcards.workspace import Workspace
from serving import Server, serving, write_files

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import Browser, Page, expect  # isort: skip

TOML = 'name = "Body"\nid = "6f0c2c0e"\n'
TOP = "# Heart\n\n## Name the parts.\n<!-- card: kind=occlusion -->\n\n![The heart](heart.png)\n"
AORTA, VEIN = "12% 30% 18% 6%: Aorta", "60% 30% 9.5% 6%: Vein"
BELOW = "\n## Another?\n\nYes.\n"
NAMES = "Aorta|Vein|Apex|Septum|Node|Valve|Left atrium|Right atrium|Left ventricle|Right ventricle".split("|")


def folder_with(folder: Path, text: str) -> Path:
    write_files(folder, {"deck.toml": TOML, "heart.md": text})
    (folder / "heart.png").write_bytes(png(400, 300))
    return folder


def edited(folder: Path, text: str, number: int, old: str, new: str) -> str | None:
    """Return the source with an edit of a box of the note on line 3, or `None` if it is refused."""
    folder_with(folder, "").joinpath("heart.md").write_bytes(text.encode())
    (contents,) = Workspace.read([folder]).contents
    fix = change_box(contents.collection, contents.sources[0].source, BoxEdit(3, number, old, new))
    written = (folder / "heart.md").read_bytes().decode()
    assert (written != text) == (fix.before != fix.after)
    return written if written != text else None


@pytest.mark.parametrize(
    ("before", "number", "old", "new", "after"),
    [
        (f"\n- {AORTA}\n- {VEIN}\n", 1, VEIN, "1% 2% 3% 4%: Vein", f"\n- {AORTA}\n- 1% 2% 3% 4%: Vein\n"),
        (f"\n- {AORTA}\n- {VEIN}\n", 0, AORTA, "", f"\n- {VEIN}\n"),
        (f"\n- {AORTA}\n", 1, "", VEIN, f"\n- {AORTA}\n- {VEIN}\n"),
        (f"\n  1) {AORTA}\n", 1, "", VEIN, f"\n  1) {AORTA}\n  1) {VEIN}\n"),
        ("", 0, "", AORTA, f"\n- {AORTA}\n"),
        (f"\n- {AORTA}\n  of the *heart*\n", 1, "", VEIN, f"\n- {AORTA}\n  of the *heart*\n- {VEIN}\n"),
        (f"\n- {AORTA}\n  of it\n", 0, AORTA, "1% 2% 3% 4%: A", "\n- 1% 2% 3% 4%: A\n  of it\n"),
        (f"\n- {AORTA}\n  of it\n- {VEIN}\n", 0, AORTA, "", f"\n- {VEIN}\n"),
        ("\n- 12.0%  30% 18% 6% : Aorta\n", 0, AORTA, VEIN, f"\n- {VEIN}\n"),
    ],
)
@pytest.mark.parametrize("below", ["", BELOW])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_an_edit_changes_only_the_line_of_its_box(
    tmp_path: Path, *, before: str, number: int, old: str, new: str, after: str, below: str, line_end: str
) -> None:
    text, wanted = ((TOP + boxes + below).replace("\n", line_end) for boxes in (before, after))
    assert edited(tmp_path, text, number, old, new) == wanted


def test_a_box_at_the_end_of_a_file_without_a_line_end(tmp_path: Path) -> None:
    assert edited(tmp_path, f"{TOP}\n- {AORTA}", 1, "", VEIN) == f"{TOP}\n- {AORTA}\n- {VEIN}"


@pytest.mark.parametrize(
    ("text", "number", "old", "new"),
    [
        (f"{TOP}\n- {AORTA}\n", 0, VEIN, "1% 2% 3% 4%: Vein"),
        (f"{TOP}\n- {AORTA}\n", 1, VEIN, ""),
        (f"{TOP}\n- {AORTA}\n", 0, "", VEIN),
        (f"{TOP}\n- {AORTA}\n", 1, "", f"{VEIN}\n\n## Mine\n\nText"),
        (f"{TOP}\n- {AORTA}\n", 1, "", "Vein"),
        (f"{TOP}\n- {AORTA}\n", 0, AORTA, "1% 2% 3%: Vein"),
        (f"# Other\n\n{TOP}\n- {AORTA}\n", 0, AORTA, VEIN),
    ],
)
def test_an_edit_that_does_not_fit_the_source_is_refused(
    tmp_path: Path, text: str, number: int, old: str, new: str
) -> None:
    assert edited(tmp_path, text, number, old, new) is None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(folder_with(tmp_path / "body", f"{TOP}{BELOW}")) as started:
        started.state()
        yield started


def opened(browser: Browser, server: Server, *, key: str = "", width: int = 1300) -> Page:
    page = watched_page(browser, server.address, viewport={"width": width, "height": 900}).page
    page.goto(f"{server.address}#card=name-the-parts&panel=boxes&key={key}")
    expect(page.locator(".boxes img")).to_have_js_property("naturalWidth", 400)
    return page


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag with the mouse between two places on the picture, in percent."""
    page.locator(".boxes .picture").scroll_into_view_if_needed()
    box = None
    while box is None or box != page.locator(".boxes .picture").bounding_box():
        box = page.locator(".boxes .picture").bounding_box()
        page.wait_for_timeout(200)  # until what is above it has been drawn
    (x, y), *others = (
        (box["x"] + box["width"] * a / 100, box["y"] + box["height"] * b / 100) for a, b in (start, end)
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for x, y in others:
        page.mouse.move(x, y, steps=3)
    page.mouse.up()


def boxes(server: Server) -> list[tuple[list[float], str]]:
    """Return the boxes in the source: their numbers, rounded to whole percent, and labels."""
    lines = (server.folder / "heart.md").read_text().splitlines()
    found = [line.removeprefix("- ").split(": ") for line in lines if line.startswith("- ")]
    return [([round(float(side.rstrip("%"))) for side in place.split()], label) for place, label in found]


def become(page: Page, server: Server, wanted: list[tuple[list[float], str]]) -> None:
    """Wait until the boxes in the source are these, while the page does its work."""
    until(page, lambda: boxes(server) == wanted, str(wanted))


def drawn(page: Page, count: int) -> None:
    """Wait until a new box is written and read, because the row of cards grows with each."""
    expect(page.locator(".boxes .box")).to_have_count(count)
    expect(page.locator("#said")).to_have_text("Saved the box")
    expect(page.locator("#cards button")).to_have_count(count)


@pytest.mark.browser
def test_ten_boxes_are_drawn_and_named_with_the_mouse_and_then_changed(
    browser: Browser, server: Server
) -> None:
    page = opened(browser, server, key=server.key)
    wanted: list[tuple[list[float], str]] = []
    for n, name in enumerate(NAMES):
        left, top = 5 + 18 * (n % 5), 15 + 40 * (n // 5)
        drag(page, (left, top), (left + 12, top + 10))
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        drawn(page, n + 1)
        wanted.append(([left, top, 12, 10], name))
        become(page, server, wanted)
    drag(page, (7, 17), (17, 47))
    wanted[0] = [15, 45, 12, 10], "Aorta"
    expect(page.locator("#said")).to_have_text("Saved the box")
    become(page, server, wanted)
    drag(page, (35, 25), (31, 35))  # the corner of the second box
    wanted[1] = [23, 15, 8, 20], "Vein"
    become(page, server, wanted)
    page.locator(".boxes input").nth(2).fill("Tip of the heart")
    page.keyboard.press("Enter")
    wanted[2] = wanted[2][0], "Tip of the heart"
    become(page, server, wanted)
    assert violations(page) == []


@pytest.mark.browser
def test_the_keys_draw_move_resize_and_delete_and_undo_brings_a_box_back(
    browser: Browser, server: Server
) -> None:
    page = opened(browser, server, key=server.key)
    page.locator(".boxes button", has_text="Add a box").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Aorta")
    page.keyboard.press("Enter")
    drawn(page, 1)
    assert boxes(server) == [([40, 40, 20, 10], "Aorta")]
    expect(page.locator(".boxes .box")).to_be_focused()
    for key, times in (("ArrowLeft", 10), ("ArrowDown", 4), ("Shift+ArrowRight", 6)):
        for _ in range(times):
            page.keyboard.press(key)
    become(page, server, [([35, 42, 23, 10], "Aorta")])
    expect(page.locator(".boxes .box")).to_be_focused()
    page.keyboard.press("Delete")  # the only box stays
    drag(page, (5, 5), (20, 20))
    page.keyboard.type("Vein")
    page.keyboard.press("Enter")
    drawn(page, 2)
    both: list[tuple[list[float], str]] = [([35, 42, 23, 10], "Aorta"), ([5, 5, 15, 15], "Vein")]
    become(page, server, both)
    expect(page.locator(".boxes .box").last).to_be_focused()
    page.keyboard.press("Delete")
    become(page, server, both[:1])
    expect(page.locator(".boxes .box")).to_have_count(1)
    page.click(".boxes [data-do=undo]")
    become(page, server, both)
    expect(page.locator(".boxes .box")).to_have_count(2)


@pytest.mark.browser
def test_what_an_editor_saved_meanwhile_is_kept(browser: Browser, server: Server) -> None:
    page = opened(browser, server, key=server.key)
    drag(page, (10, 10), (30, 30))
    page.keyboard.type("Aor")
    text = f"{TOP}\n- 50% 50% 9% 9%: Vein\n{BELOW}"
    (server.folder / "heart.md").write_text(text)
    expect(page.locator(".boxes .box").first).to_have_attribute("aria-label", "Box 1: Vein")
    page.wait_for_timeout(1000)
    assert (server.folder / "heart.md").read_text() == text
    page.keyboard.type("ta")
    page.keyboard.press("Enter")
    become(page, server, [([50, 50, 9, 9], "Vein"), ([10, 10, 20, 20], "Aorta")])
    page.wait_for_timeout(1000)
    assert boxes(server) == [([50, 50, 9, 9], "Vein"), ([10, 10, 20, 20], "Aorta")]


@pytest.mark.browser
def test_a_label_stays_with_its_box_when_an_editor_adds_one_above(browser: Browser, server: Server) -> None:
    (server.folder / "heart.md").write_text(f"{TOP}\n- {AORTA}\n{BELOW}")
    page = opened(browser, server, key=server.key)
    page.locator(".boxes input").focus()
    page.keyboard.press("End")
    page.keyboard.type("!")
    (server.folder / "heart.md").write_text(f"{TOP}\n- 50% 50% 9% 9%: Vein\n- {AORTA}\n{BELOW}")
    expect(page.locator(".boxes .box")).to_have_count(2)
    page.keyboard.type("!")
    page.keyboard.press("Enter")
    become(page, server, [([50, 50, 9, 9], "Vein"), ([12, 30, 18, 6], "Aorta!!")])


@pytest.mark.browser
@pytest.mark.parametrize(("has_key", "width"), [(False, 1300), (True, 390)], ids=["no key", "phone"])
def test_without_the_key_or_on_a_phone_boxes_are_only_looked_at(
    browser: Browser, server: Server, width: int, *, has_key: bool
) -> None:
    text = f"{TOP}\n- {AORTA}\n{BELOW}"
    (server.folder / "heart.md").write_text(text)
    page = opened(browser, server, key=server.key if has_key else "", width=width)
    expect(page.locator(".boxes .box")).to_have_count(1)
    drag(page, (15, 33), (60, 60))
    drag(page, (60, 60), (80, 80))
    expect(page.locator(".boxes input")).to_have_attribute("readonly", "")
    expect(page.locator(".boxes .corner")).to_have_count(0)
    assert (server.folder / "heart.md").read_text() == text
