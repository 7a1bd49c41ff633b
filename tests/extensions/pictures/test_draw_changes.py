"""`ptcards diff --pictures`: the cards of an update before and after, in the real Chromium."""

import io
import json
import os
import re
import shutil
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from PIL import Image, ImageChops

import xss
from answering import Quiet, answering
from browsing import chromium
from conftest import Ran
from identity_release import LEAF, Maintainer, author
from ptcards.extensions.pictures.draw_changes import ARGUMENTS
from serving import serving

# After `browsing`, which skips this module if there is no browser.
from playwright.sync_api import FloatRect, Page  # isort: skip

__all__ = ["author"]

pytestmark = pytest.mark.browser
PLANETS = "## Planets\n<!-- card: id=planets kind=cloze -->\n\n{{c1::Venus}} is hot, {{c2::Mars}} is not.\n\n"
GONE = "## Gone?\n\nYes.\n\n"
FORMULA = "## What is `{}`?\n\n$x^2$\n\n"


def draw(author: Maintainer, *options: str, folder: str = "pictures") -> dict[str, bytes]:
    """Draw what has changed; return the pictures by name."""
    assert author.run("diff", *options, "--pictures", author.root / folder).status == 0
    return {file.name: file.read_bytes() for file in (author.root / folder).glob("*.png")}


def size(picture: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def names(key: str, *cards: tuple[int, str]) -> list[str]:
    """Return the names of both sides of cards, each with its `before now`."""
    return [
        f"{key}.{card}.{side}.{when}{night}.png"
        for card, whens in cards
        for side in ("back", "front")
        for when in whens.split()
        for night in ("", ".night")
    ]


def test_each_card_is_drawn_before_and_now_by_day_and_at_night(author: Maintainer) -> None:
    author.write(a=f"# Autograd\n\n{LEAF}{PLANETS}{GONE}{HOOK}").publish("v1.0")
    new = "## What is a step?\n<!-- card: kind=reversed -->\n\nA move.\n\n"
    planets = PLANETS.replace("{{c2::Mars}}", "Mars")
    author.write(a=f"# Autograd\n\n{LEAF.replace('A tensor', 'A new tensor')}{planets}{new}{HOOK}")
    drawn = draw(author)
    assert sorted(drawn) == sorted(
        [
            *names("what-is-a-leaf", (1, "before now")),
            *names("planets", (1, "before now"), (2, "before")),
            *names("what-is-a-step", (1, "now"), (2, "now")),
            *names("gone", (1, "before")),
        ]
    )
    assert {size(picture)[0] for picture in drawn.values()} == {2 * 390}
    listed = json.loads((author.root / "pictures" / "pictures.json").read_text())
    assert sorted(listed) == sorted(drawn)
    guids = author.guids
    assert listed["what-is-a-leaf.1.back.before.night.png"] == {
        "guid": guids["What is a leaf?"],
        "card": 1,
        "side": "back",
        "when": "before",
        "night": True,
    }
    # The question is the same, and the answer, which has its new words marked, is not.
    fronts, backs = (
        [drawn[f"what-is-a-leaf.1.{side}.{when}.png"] for when in ("before", "now")]
        for side in ("front", "back")
    )
    assert (fronts[0] == fronts[1], backs[0] == backs[1]) == (True, False)
    assert draw(author, folder="again") == drawn
    # Nor do they depend on what else has changed.
    author.write(a=f"# Autograd\n\n{LEAF.replace('A tensor', 'A new tensor')}{PLANETS}{GONE}{HOOK}")
    alone = draw(author, folder="alone")
    assert alone == {name: drawn[name] for name in names("what-is-a-leaf", (1, "before now"))}


HOOK = "## What is a hook?\n\nA function.\n\n"


def test_what_is_no_longer_drawn_is_deleted_and_other_files_stay(author: Maintainer) -> None:
    author.write(a=LEAF + HOOK).publish("v1.0")
    author.write(a=LEAF.replace("tensor", "leaf") + HOOK)
    draw(author)
    (author.root / "pictures" / "mine.png").write_text("mine")
    author.write(a=LEAF + HOOK.replace("function", "call"))
    drawn = draw(author)
    assert sorted(drawn) == sorted([*names("what-is-a-hook", (1, "before now")), "mine.png"])
    author.write(a=LEAF + HOOK)
    assert sorted(draw(author)) == ["mine.png"]
    assert (author.root / "pictures" / "pictures.json").read_text() == "{}\n"


@pytest.mark.long
def test_only_the_first_twenty_cards_are_drawn_and_changed_ones_come_first(author: Maintainer) -> None:
    author.write(a=LEAF).publish("v1.0")
    fresh = "".join(FORMULA.format(number) for number in range(30))
    many = "## Many\n<!-- card: kind=cloze -->\n\n" + " ".join(f"{{{{c{n}::{n}}}}}" for n in range(1, 30))
    author.write(a=f"{many}\n\n{fresh}{LEAF.replace('tensor', 'leaf')}")
    drawn = draw(author)
    found = {name.partition(".")[0] for name in drawn}
    assert found == {"what-is-a-leaf", "many", *(f"what-is-{number}" for number in range(18))}
    author.write(a=f"{many}\n\n{LEAF}")
    cards = {name.partition(".back")[0] for name in draw(author) if ".back" in name}
    assert cards == {f"many.{number}" for number in range(1, 21)}


def test_notes_whose_keys_are_the_same_name_of_a_file_have_pictures_of_their_own(author: Maintainer) -> None:
    author.write(a=HOOK).publish("v1.0")
    ids = ("x.y", "x-y", "x_y", "..")
    author.write(a=HOOK + "".join(f"## What is {each}?\n<!-- card: id={each} -->\n\nIt.\n\n" for each in ids))
    ran = author.run("diff", "--pictures", author.root / "pictures")
    found = {file.name.partition(".")[0] for file in (author.root / "pictures").glob("*.png")}
    assert (ran.status, len(found)) == (0, len(ids))
    assert [each for each in found if not re.fullmatch(r"[\w~-]+", each)] == []


@contextmanager
def counting() -> Iterator[tuple[str, list[str]]]:
    """Run a server; yield its address and the paths of all requests."""
    asked: list[str] = []

    class Answer(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

    with answering(Answer) as address:
        yield address, asked


def test_no_request_leaves_the_browser_and_no_script_of_a_deck_runs(author: Maintainer) -> None:
    author.write(a=LEAF).publish("v1.0")
    with counting() as (address, asked):
        attacks = xss.CORPUS[::7]
        for name, text in xss.adopted_files(attacks).items():
            (author.folder / name).parent.mkdir(parents=True, exist_ok=True)
            asking = text.replace(xss.EVIL, address).replace(xss.RUN, f"fetch('{address}/run')")
            (author.folder / name).write_text(asking.replace('id = "evil"', 'id = "6f0c2c0e"'))
        drawn = draw(author)
    # The note that was there has another note type now: it is new, and the old one is retired.
    assert (len(drawn), asked) == (4 * (len(attacks) + 2), [])


def test_a_huge_card_is_cut_off(author: Maintainer) -> None:
    author.write(a=LEAF).publish("v1.0")
    author.write(a=LEAF + "## What is long?\n\n" + "A line.\n\n" * 500)
    drawn = draw(author)
    assert {size(picture) for name, picture in drawn.items() if ".back." in name} == {(780, 4800)}


@pytest.fixture
def only_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave git as the only program in PATH, and nothing where Playwright installs browsers."""
    (tmp_path / "bin").mkdir()
    git = next(Path(folder) / "git" for folder in os.get_exec_path() if (Path(folder) / "git").exists())
    (tmp_path / "bin" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))


@pytest.mark.usefixtures("only_git")
def test_without_chromium_the_message_says_how_to_install_it(author: Maintainer) -> None:
    author.write(a=LEAF).publish("v1.0")
    author.write(a=LEAF + HOOK)
    assert author.run("diff", "--pictures", author.root / "pictures") == Ran(
        2,
        "",
        "error: Chromium does not start\n"
        f"help: install it, or run `{sys.executable} -m playwright install chromium`\n",
    )
    assert not (author.root / "pictures").exists()


def test_without_playwright_the_message_says_how_to_install_it(
    author: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    author.write(a=LEAF).publish("v1.0")
    author.write(a=LEAF + HOOK)
    monkeypatch.setitem(sys.modules, "playwright", None)
    assert author.run("diff", "--pictures", author.root / "pictures") == Ran(
        2,
        "",
        "error: the package `playwright` is not installed\n"
        "help: run `uv tool install '.[browser]'` in the repository of ptcards\n",
    )


def test_pictures_are_of_one_collection(
    tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "deck.toml").write_text(f'name = "{name}"\nid = "6f0c2c0{number}"\n')
        (tmp_path / name / "a.md").write_text(HOOK)
    assert ptcards("diff", "--pictures", "pictures", ".") == Ran(
        2, "", "error: `pictures` is about one collection\nhelp: name one: `a`\n"
    )


CARDS = Path(__file__).parents[3] / "cards"


STYLED = '## Which colour?\n\n<span style="color: red">This</span> one.\n\n'
ALONE = """(frame, height) => Object.assign(frame.style, {
  position: "fixed", inset: 0, zIndex: 99, width: "390px", height: `${height}px`, border: 0, borderRadius: 0,
})"""


def real_notes(mark: str, count: int) -> str:
    """Return some of this repository's own notes whose text contains a mark, from all of its files."""
    notes = [
        note
        for file in sorted(CARDS.glob("*.md"))
        for note in re.split("^(?=## )", file.read_text("utf-8"), flags=re.MULTILINE)[1:]
        if mark in note and ("(img/" in note) == (mark == "(img/")
    ]
    return "".join(notes[len(notes) * place // count] for place in range(count))


def _is_shown(page: Page, picture: Image.Image) -> bool:
    """Whether a page shows a picture; if not, wait a little."""
    clip: FloatRect = {"x": 0, "y": 0, "width": 390, "height": picture.height / 2}
    shown = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
    if ImageChops.difference(shown, picture).getbbox() is None:
        return True
    page.wait_for_timeout(50)
    return False


def differing_from_serve(author: Maintainer, drawn: dict[str, bytes]) -> list[str]:
    """Return the pictures that are not what `ptcards serve` shows of changes on such a screen."""
    listed = json.loads((author.root / "pictures" / "pictures.json").read_text())
    differing = []
    with serving(author.folder) as server, chromium(*ARGUMENTS) as browser:
        server.state(lambda state: state["order"] and state["version"] > 0)
        page = browser.new_page(viewport={"width": 1400, "height": 2500}, device_scale_factor=2)
        page.goto(f"{server.address}#key={server.key}")
        page.click("#changed")
        page.locator('.device[data-of="before"]').wait_for()
        for name, about in listed.items():
            side, shown = about["side"], "before" if about["when"] == "before" else about["side"]
            place = f"c={about['card'] - 1}&side={side}&night={int(about['night'])}&w=390"
            page.goto(f"{server.address}#card={name.partition('.')[0]}&{place}")
            frame = page.locator(f'.device[data-of="{shown}"] iframe')
            picture = Image.open(io.BytesIO(drawn[name])).convert("RGB")
            frame.evaluate(ALONE, max(900, picture.height // 2))
            if not any(_is_shown(page, picture) for _ in range(20)):
                differing.append(name)
            frame.evaluate("frame => frame.removeAttribute('style')")
    return differing


def test_a_picture_is_what_the_preview_shows_of_changes(author: Maintainer) -> None:
    leaf = LEAF.replace("A tensor.", "A *tensor* of $x^2$:\n\n- one\n- two")
    text = f"# Autograd\n\n{leaf}{PLANETS}{STYLED}"
    author.write(a=text).publish("v1.0")
    author.write(a=text.replace("two", "three").replace("hot", "very hot").replace("red", "green"))
    assert differing_from_serve(author, draw(author)) == []


@pytest.mark.long
def test_the_pictures_of_real_cards_with_code_and_pictures_are_what_the_preview_shows(
    author: Maintainer,
) -> None:
    def write(text: str) -> None:
        toml = author.write(a=text).folder / "deck.toml"
        toml.write_text(f'{toml.read_text()}css = "style.css"\n')

    text = real_notes("```python", 3) + real_notes("(img/", 1)
    author.folder.mkdir()
    shutil.copy(CARDS / "style.css", author.folder / "style.css")
    shutil.copytree(CARDS / "img", author.folder / "img")
    write(text)
    author.publish("v1.0")
    write(re.sub(r"^(?=[A-Z][a-z])", "Indeed: ", text, flags=re.MULTILINE))
    drawn = draw(author)
    assert len(drawn) == 4 * 8
    assert differing_from_serve(author, drawn) == []
