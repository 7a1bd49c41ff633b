"""A real desktop Anki with the real AnkiConnect, for tests marked `desktop`.

DESKTOP_PYTHON is a Python that has `aqt`, ANKICONNECT a folder with the add-on; `make desktop` sets both.
"""

import json
import os
import shutil
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STARTING = 60.0
ENDING = 20.0
"""Seconds; on an idle machine it takes two."""


class DesktopAnki:
    """A desktop Anki whose base folder is `base`; `kill` ends it as a power cut does."""

    def __init__(self, base: Path) -> None:
        addon = base / "addons21/ankiconnect"
        if not addon.exists():
            shutil.copytree(os.environ["ANKICONNECT"], addon)
        self._url = f"http://127.0.0.1:{_free_port()}"
        (addon / "config.json").write_text(json.dumps({"webBindPort": int(self._url.rpartition(":")[2])}))
        (addon / "meta.json").unlink(missing_ok=True)
        self._log = (base / "anki.log").open("a")
        self._process = subprocess.Popen(
            [os.environ["DESKTOP_PYTHON"], HERE / "desktop_anki.py", base],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=os.environ
            | {
                "PYTHONPATH": str(HERE),
                "QT_QPA_PLATFORM": "offscreen",
                "QTWEBENGINE_DISABLE_SANDBOX": "1",
                "QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu",
                "ANKI_SINGLE_INSTANCE_KEY": base.name,
            },
        )
        self._control = f"http://127.0.0.1:{self._port()}"

    def _port(self) -> int:
        """Return the port that it prints.

        What else it prints is read to its end, so that it never waits for a reader.
        """
        assert self._process.stdout is not None
        late = threading.Timer(STARTING, self.kill)
        late.start()
        line = next((line for line in self._process.stdout if line.strip().isdigit()), "")
        late.cancel()
        assert line, "the desktop Anki did not start: see anki.log in its folder"
        self._rest = threading.Thread(target=self._process.stdout.read)
        self._rest.start()
        return int(line)

    def handle(self, request: dict[str, Any]) -> Any:
        return _post(self._url, request)

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        answer = _post(self._control, {"what": what, "args": args, "kwargs": kwargs})
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def quit(self) -> None:
        if self._process.poll() is None:
            self.do("quit")
            try:
                self._process.wait(ENDING)
            except subprocess.TimeoutExpired:
                self.kill()
        self._rest.join()
        self._log.close()
        assert self._process.stdout is not None
        self._process.stdout.close()


def _post(url: str, request: dict[str, Any]) -> Any:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, json.dumps(request).encode(), timeout=STARTING) as answer:
        return json.load(answer)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def desktop_anki(base: Path) -> Iterator[DesktopAnki]:
    """Run one in a base folder."""
    anki = DesktopAnki(base)
    try:
        yield anki
    finally:
        anki.quit()
