"""Ankis in separate processes; for tests marked `desktop`, a desktop Anki with the real AnkiConnect.

DESKTOP_PYTHON is a Python that has `aqt`, ANKICONNECT a folder with the add-on; `make desktop` sets both.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STARTING = 60.0
ENDING = 20.0
"""Seconds that an Anki may take to start; it takes two on an idle machine."""


class AnkiProcess:
    """An Anki in a separate process, which prints the port on which `owner.py` is available."""

    def __init__(self, command: Sequence[str | Path], log: Path, env: Mapping[str, str]) -> None:
        self._log = log.open("a")
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=os.environ | {"PYTHONPATH": str(HERE), **env},
        )
        self._control = f"http://127.0.0.1:{self._port()}"
        self.url = self._control
        """the address of AnkiConnect"""

    def _port(self) -> int:
        """Return the port that the process prints.

        Its other output is read to the end, so that it never blocks.
        """
        assert self._process.stdout is not None
        late = threading.Timer(STARTING, self._process.kill)
        late.start()
        line = next((line for line in self._process.stdout if line.strip().isdigit()), "")
        late.cancel()
        assert line, f"Anki did not start: see {self._log.name}"
        self._rest = threading.Thread(target=self._process.stdout.read)
        self._rest.start()
        return int(line)

    def handle(self, request: dict[str, Any]) -> Any:
        return _post(self.url, request)

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        answer = _post(self._control, {"what": what, "args": args, "kwargs": kwargs})
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def kill(self) -> None:
        """Kill the process, as a power cut would."""
        self._process.kill()
        self._wait()

    def quit(self) -> None:
        if self._process.poll() is None:
            self.do("quit")
            self._wait()

    def _wait(self) -> None:
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._rest.join()
        self._log.close()
        assert self._process.stdout is not None
        self._process.stdout.close()


class DesktopAnki(AnkiProcess):
    """A desktop Anki with the base folder `base`; `kill` ends it as a power cut would."""

    def __init__(self, base: Path, profile: str = "User 1", language: str = "en_US") -> None:
        addon = base / "addons21/ankiconnect"
        if not addon.exists():
            shutil.copytree(os.environ["ANKICONNECT"], addon)
        port = _free_port()
        (addon / "config.json").write_text(json.dumps({"webBindPort": port}))
        (addon / "meta.json").unlink(missing_ok=True)
        env = {
            "QT_QPA_PLATFORM": "offscreen",
            "QTWEBENGINE_DISABLE_SANDBOX": "1",
            "QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu",
            "ANKI_SINGLE_INSTANCE_KEY": f"{base.parent.name}-{base.name}",
        }
        command = (os.environ["DESKTOP_PYTHON"], HERE / "desktop_anki.py", base, profile, language)
        super().__init__(command, base / "log", env)
        self.url = f"http://127.0.0.1:{port}"


class SmallAnki(AnkiProcess):
    """The small AnkiConnect with the profile in `base`."""

    def __init__(self, base: Path) -> None:
        super().__init__([sys.executable, HERE / "ankiconnect.py", base], base / "log", {})


def _post(url: str, request: dict[str, Any]) -> Any:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, json.dumps(request).encode(), timeout=STARTING) as answer:
        return json.load(answer)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def desktop_anki(base: Path, profile: str = "User 1", language: str = "en_US") -> Iterator[DesktopAnki]:
    """Run a desktop Anki in a base folder."""
    anki = DesktopAnki(base, profile, language)
    try:
        yield anki
    finally:
        anki.quit()


def anki_of(version: str, base: Path, folder: Path) -> AnkiProcess:
    """Return a version of the real Anki with the profile in `base`, which is installed into `folder`."""
    if version and not folder.exists():
        # The newest version has brought everything else that it needs.
        options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--target", folder)
        subprocess.run([sys.executable, "-m", "pip", "install", *options, f"anki=={version}"], check=True)
    path = f"{folder}{os.pathsep}{HERE}" if version else str(HERE)
    return AnkiProcess([sys.executable, HERE / "ankiconnect.py", base], base / "log", {"PYTHONPATH": path})
