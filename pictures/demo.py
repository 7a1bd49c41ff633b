"""Draw docs/img/demo.webp, an editor beside the live preview: wide and narrow, for day and night.

    python pictures/demo.py [NAME]…

NAME is the end of a form's name: `.webp`, `.dark.webp`, `.narrow.webp` or `.narrow.dark.webp`. If there is
none, all forms are drawn. In the narrow ones, for phones, the preview is below the editor.

Three things happen: a saved answer appears on its card, on a desktop and on a phone; one click fixes a typing
error; a reworded question keeps its reviews. The preview is the real `ptcards serve` in the system's
Chromium, and the last picture is what `ptcards diff` prints. The editor is a page that types a script and
saves the file. Each frame waits until the page shows its content, so a slow machine draws the same picture.
"""

import html
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from live import chromium, photograph, served
from PIL import Image
from playwright.sync_api import Page
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import MarkdownLexer

from terminal import type_session, without_progress
from terminal_picture import picture_of

IMAGES = Path(__file__).parent.parent / "docs" / "img"


@dataclass(frozen=True)
class Form:
    """A form of the film: the sizes of its windows, and the colours of the preview."""

    ending: str
    editor: tuple[int, int]
    preview: tuple[int, int]
    scheme: Literal["light", "dark"]
    columns: int
    """How many columns the terminal has."""
    scale: float

    @property
    def is_narrow(self) -> bool:
        """Whether the preview is below the editor."""
        return self.editor[0] == self.preview[0]


_WIDE, _NARROW = ((540, 600), (680, 600)), ((400, 330), (400, 560))
FORMS = (
    Form(".webp", *_WIDE, "light", 72, 1.5),
    Form(".dark.webp", *_WIDE, "dark", 72, 1.5),
    Form(".narrow.webp", *_NARROW, "light", 46, 2),
    Form(".narrow.dark.webp", *_NARROW, "dark", 46, 2),
)
PHONE, PHONE_HEIGHT = 320, 560
AROUND_PHONE = {"light": (226, 229, 238), "dark": (20, 20, 20)}

QUESTION = "## Why does evaluation run under `torch.no_grad()`?\n"
COMMENT = "<!-- card: id=eval-no-grad difficulty=easy -->\n"
ANSWER = """
It stops autograd from recording a graph:
less memory, less time.
"""
CODE = """
```python
model.eval()
with torch.no_grad():
    loss = loss_fn(model(x), y)
```
"""
_CURSOR = "\ue000"  # a character that is not in the text

_EDITOR = """<!doctype html><meta charset="utf-8"><style>
* {{ box-sizing: border-box; margin: 0 }}
body {{ background: #1e2030; color: #d8dcea; height: 100vh;
  font: 15.5px/1.55 "JetBrains Mono", "DejaVu Sans Mono", monospace }}
header {{ background: #171926; color: #9aa3bd; height: 44px; padding: 0 18px;
  font: 14px/44px Inter, "DejaVu Sans", sans-serif }}
header b {{ color: #d8dcea; font-weight: 500 }} header i {{ font-style: normal; color: #ffcb6b }}
pre {{ font: inherit; padding: 18px; white-space: pre-wrap; overflow-wrap: break-word }}
footer {{ position: absolute; bottom: 0; left: 0; right: 0;
  padding: 16px 18px; background: #0969da; color: #fff; font: 500 18px/1.3 Inter, "DejaVu Sans", sans-serif }}
.cursor {{ border-left: 2px solid #fff; margin-right: -2px }}
@media (max-width: 450px) {{
  body {{ font-size: 13px }} header {{ height: 34px; line-height: 34px }} pre {{ padding: 10px 18px }}
  footer {{ padding: 12px 18px; font-size: 16px }}
}}
{style}
body pre {{ background: none }}
pre .gh, pre .gu {{ color: #a9b8ff; font-weight: 700 }} pre .sb {{ color: #ffcb6b }}
</style><header><b>autograd.md</b> {state}</header><pre>{text}</pre><footer>{caption}</footer>"""


_TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ background: #1e2030; height: 100vh; margin: 0; display: grid; align-content: center }}
svg {{ width: 100%; height: auto; max-height: 100vh }}
</style>{picture}"""


@dataclass
class Film:
    """The pages to photograph, and the frames so far, each with its duration in milliseconds."""

    form: Form
    editor: Page
    preview: Page
    phone: Page
    source: Path
    text: str = f"# Autograd\n\n{QUESTION}{COMMENT}{ANSWER}"
    caption: str = ""
    frames: list[tuple[Image.Image, int]] = field(default_factory=list)
    shown: Image.Image | None = None

    def show(self, milliseconds: int, *, cursor: int | None = None, is_saved: bool = False) -> None:
        """Add a frame with the current text and the last picture of the preview."""
        assert self.shown is not None  # noqa: S101 - `see` comes first
        place = len(self.text) if cursor is None else cursor
        self.editor.set_content(_page(self.text, place, self.caption, is_saved=is_saved))
        editor = photograph(self.editor)
        x, y = (0, editor.height) if self.form.is_narrow else (editor.width, 0)
        frame = Image.new("RGB", (x + self.shown.width, y + self.shown.height))
        frame.paste(editor, (0, 0))
        frame.paste(self.shown, (x, y))
        self.frames.append((frame, milliseconds))

    def type(self, words: str, *, at: int | None = None, step: int = 5) -> None:
        """Type words at a place or at the end, with `step` characters in each frame."""
        place = len(self.text) if at is None else at
        for first in range(0, len(words), step):
            piece = words[first : first + step]
            self.text = self.text[:place] + piece + self.text[place:]
            place += len(piece)
            self.show(70, cursor=place)

    def save(self, until: str, milliseconds: int, *, unfold: str = "") -> None:
        """Save, wait until the preview shows some words, and hold the picture.

        `unfold` is a button that a click on the error line reveals, on a phone below what is seen first.
        """
        self.source.write_text(self.text, "utf-8")
        self.see(until)
        if unfold:
            self.preview.click("#unfold")
            self.see(unfold)
            if self.form.is_narrow:
                self.show(milliseconds, is_saved=True)
                self.preview.get_by_role("button", name=unfold, exact=True).scroll_into_view_if_needed()
                self.shown = photograph(self.preview)
        self.show(milliseconds, is_saved=True)

    def see(self, words: str) -> None:
        """Wait until the preview shows some words and take its picture."""
        _wait_for(self.preview, words)
        self.shown = photograph(self.preview)

    def show_phone(self, address: str, words: str, milliseconds: int) -> None:
        """Add a frame with the same card on a phone, in the middle of the place of the preview."""
        assert self.shown is not None  # noqa: S101 - `see` comes first
        self.phone.goto(address)
        _wait_for(self.phone, words)
        picture = photograph(self.phone)
        edge = 6
        phone = Image.new("RGB", (picture.width + 2 * edge, picture.height + 2 * edge), (40, 44, 60))
        phone.paste(picture, (edge, edge))
        size = self.shown.size
        self.shown = Image.new("RGB", size, AROUND_PHONE[self.form.scheme])
        self.shown.paste(phone, ((size[0] - phone.width) // 2, (size[1] - phone.height) // 2))
        self.show(milliseconds, is_saved=True)

    def fix(self, milliseconds: int) -> None:
        """Click Fix in the open panel, close it, and read the file again, as an editor does."""
        self.preview.get_by_role("button", name="Fix", exact=True).click()
        self.preview.locator("#errors").wait_for(state="hidden")
        self.preview.click("#close-panel")
        self.text = self.source.read_text("utf-8")
        self.preview.wait_for_timeout(700)
        self.shown = photograph(self.preview)
        self.show(milliseconds, is_saved=True)

    def show_printed(self, printed: str, milliseconds: int) -> None:
        """Add a frame with what a command prints on a terminal, instead of the preview."""
        self.preview.goto("about:blank")  # the preview does not allow other styles on its page
        self.preview.set_content(_TERMINAL.format(picture=picture_of(printed, "", always_dark=True)))
        self.shown = photograph(self.preview)
        self.show(milliseconds, is_saved=True)


def _wait_for(page: Page, words: str) -> None:
    """Wait until a preview shows some words and its animations have ended."""
    for _ in range(1000):
        if any(words in frame.locator("body").inner_text() for frame in page.frames):
            break
        page.wait_for_timeout(50)
    else:
        message = f"the preview does not show {words!r}"
        raise TimeoutError(message)
    page.wait_for_timeout(700)


def main(endings: list[str]) -> None:
    """Draw the forms whose names have these endings, or all of them."""
    for form in FORMS:
        if not endings or form.ending in endings:
            _draw(form)


def _draw(form: Form) -> None:
    """Serve a collection, play the script and write the animation."""
    world = Path(tempfile.mkdtemp(prefix="ptcards-demo-"))
    folder = world / "cards"
    folder.mkdir()
    (folder / "deck.toml").write_text('name = "PyTorch"\nid = "demo"\nlicense = "CC BY 4.0"\n', "utf-8")
    source = folder / "autograd.md"
    source.write_text(Film.text, "utf-8")
    try:
        with served(folder) as (address, key), chromium() as browser:
            editor, preview, phone = (
                browser.new_page(
                    viewport={"width": width, "height": height},
                    device_scale_factor=form.scale,
                    color_scheme=form.scheme,
                )
                for width, height in (form.editor, form.preview, (PHONE, PHONE_HEIGHT))
            )
            film = Film(form, editor, preview, phone, source)
            film.preview.goto(f"{address}#side=back&{key}")
            _play(film)
    finally:
        shutil.rmtree(world)
    target = IMAGES / f"demo{form.ending}"
    _write(film.frames, target)
    if form.is_narrow:  # for those who want no motion; wide ones show serve.webp
        film.frames[0][0].save(target.with_suffix(".still.webp"), lossless=True, method=6)


def _play(film: Film) -> None:
    """Finish a card, fix a typing error, reword the question."""
    film.caption = "Save your text, and see the card"
    film.see("It stops autograd")
    film.show(900, is_saved=True)
    film.type(CODE, step=7)
    film.save("model.eval()", 1000)
    poster, _ = film.frames[-1]
    if not film.form.is_narrow:
        film.caption = "The same card on a phone"
        film.show_phone(film.preview.url, "It stops autograd", 1500)
    film.caption = "A typing error is shown with its line"
    _change(film, "difficulty", "dificulty")
    film.save("1 error", 900, unfold="Fix")
    film.caption = "One click fixes it"
    film.fix(1100)
    project = film.source.parent.parent
    _publish(project)
    film.caption = "Reword a question: learners keep their reviews"
    _change(film, "Why does evaluation run", "Why do you evaluate a model")
    film.source.write_text(film.text, "utf-8")
    film.show_printed(_printed(project, "diff", columns=film.form.columns), 2200)
    film.frames.insert(0, (poster, 600))  # viewers without animation show the first frame


def _printed(project: Path, *command: str, columns: int = 80) -> str:
    """Return a `ptcards` command and what it prints on a terminal."""
    cache = {"XDG_CACHE_HOME": str(project / "cache")}
    text = type_session((({}, command),), columns=columns, folder=project, env=cache)
    return without_progress(text).partition("exit status")[0]


def _publish(project: Path) -> None:
    """Build the deck and tag it, as its first release."""
    _printed(project, "build", "-q")
    for command in (
        ["init", "-q"],
        ["add", "cards"],
        ["-c", "user.name=A", "-c", "user.email=author@example.org", "commit", "-qm", "1.0"],
        ["tag", "v1.0"],
    ):
        subprocess.run(["git", *command], cwd=project, check=True)  # noqa: S603, S607 - our own commands


def _change(film: Film, old: str, new: str) -> None:
    """Delete a word and type another in its place."""
    place = film.text.index(old)
    film.text = film.text.replace(old, "", 1)
    film.show(150, cursor=place)
    film.type(new, at=place, step=5)


def _page(text: str, cursor: int, caption: str, *, is_saved: bool) -> str:
    """Return the editor as a page: coloured Markdown with a cursor."""
    marked = f"{text[:cursor]}{_CURSOR}{text[cursor:]}"
    coloured = highlight(marked, MarkdownLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True))
    style = HtmlFormatter(style="one-dark").get_style_defs("pre")
    state = "" if is_saved else "<i>●</i>"
    body = coloured.replace(_CURSOR, "" if is_saved else '<span class="cursor"></span>')
    return _EDITOR.format(style=style, state=state, text=body, caption=html.escape(caption))


def _write(frames: list[tuple[Image.Image, int]], target: Path) -> None:
    """Write the frames as one animated picture, and print its duration and size."""
    pictures, times = zip(*frames, strict=True)
    pictures[0].save(
        target, save_all=True, append_images=pictures[1:], duration=times, loop=0, lossless=True, method=4
    )
    print(
        f"{target.name}: {len(frames)} frames, {sum(times) / 1000:.1f} s, "
        f"{target.stat().st_size / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
