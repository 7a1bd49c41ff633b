"""Draw Anki's window before and after a push, at twice its size.

    python pictures/push.py

DESKTOP_PYTHON is a Python that has `aqt`, and ANKICONNECT the folder of the add-on.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from live import beside, stacked
from PIL import Image, ImageOps

from desktop import DesktopAnki, desktop_anki

IMAGES = Path(__file__).parent.parent / "docs" / "img"
WINDOW = (520, 420)
_SHOWN = 2.5
"""Seconds until a page is drawn."""
TOML = 'name = "PyTorch"\nid = "0b1c2d3e"\n'
BEFORE = """\
# Autograd

## Why does evaluation run under `torch.no_grad()`?
<!-- card: id=no-grad difficulty=easy -->

It stops autograd from recording a graph.

```python
with torch.no_grad():
    logits = modle(images)
```
"""
AFTER = BEFORE.replace("a graph.", "a graph, which saves **memory** and time.").replace("modle", "model")


def main() -> None:
    """Push a note, correct it, push again, and photograph its card each time."""
    os.environ["QT_SCALE_FACTOR"] = "2"
    with tempfile.TemporaryDirectory(prefix="ptcards-pictures-") as folder:
        base, cards = Path(folder, "base"), Path(folder, "cards")
        base.mkdir()
        cards.mkdir()
        (cards / "deck.toml").write_text(TOML, "utf-8")
        with desktop_anki(base) as anki:
            pictures = [_pushed(anki, cards, text) for text in (BEFORE, AFTER)]
    for name, whole in (("anki", beside(pictures)), ("anki.narrow", stacked(pictures))):
        whole.save(IMAGES / f"{name}.webp", lossless=True, method=6)


def _pushed(anki: DesktopAnki, cards: Path, text: str) -> Image.Image:
    """Return Anki's window with the card of a note that was just pushed."""
    (cards / "autograd.md").write_text(text, "utf-8")
    env = os.environ | {"PTCARDS_ANKI_URL": anki.url, "XDG_STATE_HOME": str(cards.parent / "state")}
    command = [sys.executable, "-m", "ptcards", "push", str(cards)]
    subprocess.run(command, env=env, check=True)  # noqa: S603 - our own command
    for what in (("deck", *WINDOW), ("card",), ("back",)):
        anki.do("show", *what)
        time.sleep(_SHOWN)
    file = cards.parent / "window.png"
    anki.do("show", "picture", str(file))
    with Image.open(file) as picture:
        return ImageOps.expand(picture.convert("RGB"), 2, "#bbb")


if __name__ == "__main__":
    main()
