"""The real preview in the system's Chromium, for pictures."""

import contextlib
import io
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

_PORT = 8719
_GAP = 16
SCALE = 2
"""The scale of pictures: two pixels for each CSS pixel."""
_ONE_PROCESS = "--disable-features=IsolateSandboxedIframes"
"""Cards are in a sandboxed frame. In a process of its own, Chromium draws it at scale 1, and enlarges it."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Run `ptcards serve` on a folder; yield its address and the `key=…` that lets a page change files."""
    command = [sys.executable, "-m", "ptcards", "serve", folder.name, "--port", str(_PORT)]
    server = subprocess.Popen(command, cwd=folder.parent, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own command
    try:
        assert server.stdout is not None  # noqa: S101 - it is a pipe
        address, _, key = server.stdout.readline().strip().partition("#")
        yield address, key
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium, and yield it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", _ONE_PROCESS]
        )
        yield browser
        browser.close()


def photograph(page: Page, box: tuple[float, float, float, float] | None = None) -> Image.Image:
    """Return a picture of a page, or only of a box: its left, top, width and height."""
    scales = {frame.evaluate("devicePixelRatio") for frame in page.frames}
    assert len(scales) == 1, scales  # noqa: S101 - otherwise, a frame is blurred
    clip = None if box is None else FloatRect(x=box[0], y=box[1], width=box[2], height=box[3])
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Return pictures side by side."""
    return _together(pictures, is_column=False)


def stacked(pictures: list[Image.Image]) -> Image.Image:
    """Return pictures one below the other, for phones."""
    return _together(pictures, is_column=True)


def _together(pictures: list[Image.Image], *, is_column: bool) -> Image.Image:
    gap = _GAP * SCALE
    widths, heights = [each.width for each in pictures], [each.height for each in pictures]
    if is_column:
        size = max(widths), sum(heights) + gap * (len(pictures) - 1)
    else:
        size = sum(widths) + gap * (len(pictures) - 1), max(heights)
    whole = Image.new("RGBA", size)
    at = 0
    for each in pictures:
        whole.paste(each, (0, at) if is_column else (at, 0))
        at += gap + (each.height if is_column else each.width)
    return whole
