"""Draw the windows of the add-on Subscribe in a desktop Anki, at twice their size.

    python pictures/subscribe.py

DESKTOP_PYTHON is a Python that has `aqt`, and ANKICONNECT the folder of the add-on AnkiConnect.
"""

import os
import shutil
import tempfile
from pathlib import Path

from learner_windows import Learner, publishing, with_addon
from PIL import Image, ImageOps

from conftest import runner
from releasing import Publisher
from shown_pictures import IMAGES, IN_ANKI, record

WINDOWS = {
    "subscribe-list": (("", (620, 470)), (".narrow", (390, 560))),
    "subscribe-changes": (("", (620, 470)), (".narrow", (490, 560))),
}
"""The ends of a picture's names with the sizes of its window, which is narrow for phones."""
OLD = """\
# Autograd

## What is a leaf tensor?
<!-- card: id=leaf -->

A tensor that requires grad and has no parents in the graph.

## What does `detach()` return?
<!-- card: id=detach -->

A copy of the tensor without its history.

## Why does evaluation run under `torch.no_grad()`?
<!-- card: id=no-grad -->

It stops autograd from recording a graph.

## What does `retain_grad()` do?
<!-- card: id=retain -->

It keeps the gradient of a tensor that is not a leaf.

## What is `Variable`?
<!-- card: id=variable -->

A wrapper around tensors, which PyTorch no longer needs.
"""
NEW = (
    OLD.replace(
        "requires grad and has no parents in the graph", "no recorded operation made, such as a parameter"
    )
    .replace(
        "A copy of the tensor without its history",
        "A tensor that shares the data and is cut off from the graph",
    )
    .partition("## What is `Variable`?")[0]
    + "## What clears gradients?\n<!-- card: id=zero -->\n\n`optimizer.zero_grad()` does.\n"
)
MINE = "<p>A tensor that shares the data but has no history: my own words.</p>"


def main() -> None:
    """Follow a deck, edit a note, and photograph the list of the next release and *Your Changes*."""
    os.environ["QT_SCALE_FACTOR"] = "2"
    with tempfile.TemporaryDirectory(prefix="ptcards-pictures-") as name:
        folder = Path(name)
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        publisher = Publisher(folder / "cards", runner(folder))
        publisher.settings = '[release]\nissues = "https://github.com/owner/deck/issues/new"\n'
        publisher.write(autograd=OLD).publish_release("1.3", "--first")
        shutil.copytree(publisher.dist, folder / "live")
        publisher.write(autograd=NEW).publish_release("1.4", date=86_400)
        with publishing(folder / "live") as server, with_addon(folder / "base") as learner:
            learner.follow(server.url)
            learner.window("subscribe to 1.3")
            learner.do("press", "subscribe to 1.3", "Subscribe")
            learner.notice("1.3: done")
            learner.do("edit", "Question:*detach*", {"Answer": MINE})
            shutil.rmtree(folder / "live")
            shutil.copytree(publisher.dist, folder / "live")
            _draw(learner, folder / "window.png")
    record(IN_ANKI)


def _draw(learner: Learner, file: Path) -> None:
    learner.do("menu", "Subscribe", "Check Now")
    learner.window("1.3 → 1.4")
    _draw_window(learner, "subscribe-list", "1.3 → 1.4", file)
    learner.do("press", "1.3 → 1.4", "Update")
    learner.notice("1.4: done")
    learner.do("menu", "Subscribe", "Your Changes…")
    learner.settled("Your Changes", lambda each: any(each["lists"]))
    _draw_window(learner, "subscribe-changes", "Your Changes", file)


def _draw_window(learner: Learner, name: str, title: str, file: Path) -> None:
    """Draw a window in its sizes, by day and at night."""
    for ending, size in WINDOWS[name]:
        learner.do("resize", title, *size)
        learner.wait(lambda size=size: learner.window(title)["size"] == [*size])
        for night, is_night in (("", False), (".dark", True)):
            learner.do("night", is_night)
            learner.do("picture", title, str(file))
            with Image.open(file) as picture:
                framed = ImageOps.expand(picture.convert("RGB"), 2, "#555" if is_night else "#bbb")
            framed.save(IMAGES / f"{name}{ending}{night}.webp", lossless=True, method=6)
    learner.do("night", False)  # noqa: FBT003 - an argument of a request


if __name__ == "__main__":
    main()
