"""Draw docs/img/demo.webp: an editor on the left, the live preview on the right.

    python pictures/demo.py [FILE]

The preview is the real `ptcards serve` in the system's Chromium. The editor is a page that types a script and
saves the file. Each frame waits until the page shows its content, so a slow machine draws the same
picture.
"""

import html
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from live import chromium, photograph, served
from PIL import Image
from playwright.sync_api import Page
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import MarkdownLexer

TARGET = Path(__file__).parent.parent / "docs" / "img" / "demo.webp"
EDITOR, PREVIEW, HEIGHT, SCALE = 540, 680, 580, 1.5

QUESTION = "## Why does evaluation run under `torch.no_grad()`?\n"
COMMENT = "<!-- card: id=eval-no-grad difficulty=easy -->\n"
ANSWER = """
It stops autograd from recording a graph:
less memory, less time.

```python
model.eval()
with torch.no_grad():
    loss = criterion(model(x), y)
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
  padding: 16px 18px; background: #4458d6; color: #fff; font: 500 18px/1.3 Inter, "DejaVu Sans", sans-serif }}
.cursor {{ border-left: 2px solid #fff; margin-right: -2px }}
{style}
body pre {{ background: none }}
pre .gh, pre .gu {{ color: #a9b8ff; font-weight: 700 }} pre .sb {{ color: #ffcb6b }}
</style><header><b>autograd.md</b> {state}</header><pre>{text}</pre><footer>{caption}</footer>"""


@dataclass
class Film:
    """The pages to photograph, and the frames so far, each with its duration in milliseconds."""

    editor: Page
    preview: Page
    source: Path
    text: str = "# Autograd\n\n"
    caption: str = ""
    frames: list[tuple[Image.Image, int]] = field(default_factory=list)
    right: Image.Image | None = None

    def show(self, milliseconds: int, *, cursor: int | None = None, is_saved: bool = False) -> None:
        """Add a frame with the current text and the last picture of the preview."""
        assert self.right is not None  # noqa: S101 - `see` comes first
        place = len(self.text) if cursor is None else cursor
        self.editor.set_content(_page(self.text, place, self.caption, is_saved=is_saved))
        left = photograph(self.editor)
        frame = Image.new("RGB", (left.width + self.right.width, left.height))
        frame.paste(left, (0, 0))
        frame.paste(self.right, (left.width, 0))
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

        `unfold` is a text that a click on the error line reveals before the picture is taken.
        """
        self.source.write_text(self.text, "utf-8")
        self.see(until)
        if unfold:
            self.preview.click("#unfold")
            self.see(unfold)
        self.show(milliseconds, is_saved=True)

    def see(self, words: str) -> None:
        """Wait until the preview shows some words and take its picture."""
        for _ in range(400):
            if any(words in frame.locator("body").inner_text() for frame in self.preview.frames):
                break
            self.preview.wait_for_timeout(50)
        else:
            message = f"the preview does not show {words!r}"
            raise TimeoutError(message)
        self.preview.wait_for_timeout(700)  # animations have ended
        self.right = photograph(self.preview)


def main(target: Path) -> None:
    """Serve an empty collection, play the script and write the animation."""
    world = Path(tempfile.mkdtemp(prefix="ptcards-demo-"))
    folder = world / "cards"
    folder.mkdir()
    (folder / "deck.toml").write_text('name = "PyTorch"\nid = "demo"\n', "utf-8")
    try:
        with served(folder) as address, chromium() as browser:
            editor, preview = (
                browser.new_page(viewport={"width": width, "height": HEIGHT}, device_scale_factor=SCALE)
                for width in (EDITOR, PREVIEW)
            )
            film = Film(editor, preview, folder / "autograd.md")
            film.preview.goto(f"{address}#side=back")
            _play(film)
    finally:
        shutil.rmtree(world)
    _write(film.frames, target)


def _play(film: Film) -> None:
    """Write a note, misspell a value, correct it."""
    film.caption = "Write questions and answers in Markdown"
    film.see("No questions yet")
    film.show(500)
    film.type(QUESTION, step=4)
    film.type(COMMENT, step=12)
    film.type(ANSWER, step=7)
    film.caption = "Save: this is the card that Anki will show"
    film.save("It stops autograd", 1500)
    film.caption = "Mistakes come with the line and the fix"
    _change(film, "easy", "meduim")
    film.save("1 error", 1800, unfold="did you mean")
    film.caption = "Reword, move, correct: learners keep their reviews"
    _change(film, "meduim", "medium")
    film.save("medium", 1400)
    poster, _ = film.frames[-1]
    film.frames.insert(0, (poster, 600))  # viewers without animation show the first frame


def _change(film: Film, old: str, new: str) -> None:
    """Delete a word and type another in its place."""
    place = film.text.index(old)
    film.text = film.text.replace(old, "", 1)
    film.show(150, cursor=place)
    film.type(new, at=place, step=2)


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
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
