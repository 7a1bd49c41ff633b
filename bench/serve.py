"""Measures how long a saved change takes to appear on the card.

The time is measured from the write of the file to the change in the card's DOM, in Chromium.

    python bench/serve.py [NOTES] [SAVES]

Prints milliseconds (median, 95th percentile and worst), and the processor time that a save takes, in the
server with the worker that reads, and in the page. Runs the real `ptcards serve` and the system's
Chromium.
"""

import functools
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import CDPSession, Frame, expect, sync_playwright

_PER_FILE = 25
_WAIT = """mark => new Promise(done => {
  const box = document.getElementById("qa");
  const look = () => box.textContent.includes(mark) && (watcher.disconnect(), done(Date.now()));
  const watcher = new MutationObserver(look);
  watcher.observe(box, { childList: true, subtree: true, characterData: true });
  look();
})"""
_NOTE = """\
## What does operation {n} of a tensor give?
<!-- card: id=note-{n} difficulty=easy -->

It gives a *view* of the {mark} memory, so `x` changes too:

```python
import torch

x = torch.arange({n})
y = x.view(-1)
```

### Details

A view shares storage. See `torch.Tensor.view` and \\(n \\times {n}\\).

"""


def main(notes: int, saves: int) -> None:
    """Write a collection, serve it, and save repeatedly."""
    folder = Path(tempfile.mkdtemp(prefix="ptcards-bench-"))
    (folder / "deck.toml").write_text('name = "Bench"\nid = "bench"\n', "utf-8")
    for first in range(0, notes, _PER_FILE):
        _write(folder, first, {}, notes)
    command = [sys.executable, "-m", "ptcards", "serve", str(folder), "--port", "8700"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own command
    try:
        assert server.stdout is not None  # noqa: S101 - it is a pipe
        _measure(server, server.stdout.readline().strip().partition("#")[0], folder, notes, saves)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)
        shutil.rmtree(folder)


def _write(folder: Path, first: int, marks: dict[int, str], notes: int) -> None:
    numbers = range(first, min(first + _PER_FILE, notes))
    text = "".join(_NOTE.format(n=n, mark=marks.get(n, "same")) for n in numbers)
    (folder / f"part-{first:05}.md").write_text(f"# Part {first}\n\n{text}", "utf-8")


def _measure(server: subprocess.Popen[str], address: str, folder: Path, notes: int, saves: int) -> None:
    chosen = random.Random(1)  # noqa: S311 - the same notes each time
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{address}#side=back")
        counts = page.locator("#counts")
        expect(counts).to_have_text(re.compile(f"^{notes:,} notes"), timeout=120_000)
        page.wait_for_selector("iframe")
        frame = next(each for each in page.frames if each.url.endswith("/card"))
        page.wait_for_timeout(3000)
        marks: dict[int, str] = {}  # by note: each save changes only one
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable")
        took, server_took, page_took = [], 0.0, 0.0
        for save in range(saves + 3):
            before = _cpu(server), _busy(metrics)
            note = chosen.randrange(notes)
            marks[note] = f"mark{save}end"
            write = functools.partial(_write, folder, note // _PER_FILE * _PER_FILE, marks, notes)
            changed = _save(frame, marks[note], write)
            if save >= 3:
                took.append(changed)
                server_took += _cpu(server) - before[0]
                page_took += _busy(metrics) - before[1]
            time.sleep(chosen.uniform(0.5, 1.5))
        browser.close()
    took.sort()
    print(
        f"{notes} notes, {saves} saves: median {statistics.median(took):.0f} ms, "
        f"p95 {took[int(len(took) * 0.95)]:.0f} ms, worst {took[-1]:.0f} ms; "
        f"processor per save: server {server_took / saves * 1000:.0f} ms, page "
        f"{page_took / saves * 1000:.0f} ms"
    )


def _cpu(server: subprocess.Popen[str]) -> float:
    """Return the processor seconds of the server and of its reading worker, which it starts first."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text("ascii").split()
    ticks = 0
    for process in (str(server.pid), min(children, key=int)):
        fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _busy(metrics: CDPSession) -> float:
    """Return the seconds that the page's main thread has worked, including its frames."""
    found = metrics.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def _save(frame: Frame, mark: str, write: Callable[[], None]) -> float:
    """Write a file, and return the milliseconds until the mark appears on the card."""
    frame.evaluate("mark => { window.waiting = (" + _WAIT + ")(mark) }", mark)
    begun = time.time()
    write()
    return float(frame.evaluate("window.waiting")) - begun * 1000


if __name__ == "__main__":
    main(*(int(argument) for argument in (sys.argv[1:] + ["500", "100"][len(sys.argv) - 1 :])))
