"""A desktop Anki without a display, which runs functions from `owner.py` for tests.

Anki's own Python runs it; its arguments are the base folder and the profile. It prints the port on which it
accepts the functions.
"""

import json
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import anki.lang
import aqt
import aqt.profiles
from aqt import gui_hooks
from PyQt6.QtTest import QTest

import desktop_windows
import owner

_closed: list[Any] = []
"""The collection of a closed profile."""


def prepare(base: Path, profile: str) -> None:
    """Create a profile, and answer in advance the questions that Anki asks at its first start."""
    anki.lang.set_lang("en")
    profiles = aqt.profiles.ProfileManager(aqt.profiles.ProfileManager.get_created_base_folder(str(base)))
    profiles.setupMeta()
    profiles.meta.update(
        firstRun=False, defaultLang="en_US", updates=False, check_for_updates=False, suppressUpdate=True
    )
    if profile not in profiles.profiles():
        profiles.create(profile)
    profiles.load(profile)
    profiles.save()
    profiles.db.close()


def show(window: Any, what: str, *about: Any) -> None:
    """Show the last deck, its next card or that card's back, for a picture; each takes a moment."""
    match what:
        case "deck":
            window.resize(*about)
            window.col.decks.select(window.col.decks.all_names_and_ids(skip_empty_default=True)[-1].id)
            window.moveToState("overview")
        case "card":
            window.moveToState("review")
        case "back":
            window.reviewer._showAnswer()
        case _:  # picture
            window.grab().save(*about)


def review(window: Any, deck: str) -> None:
    window.col.decks.select(window.col.decks.id(deck))
    window.moveToState("review")


_shown: dict[str, list[str]] = {}
"""The fields that the page of a window's editor showed when it was last asked."""
_SHOW = """(() => {
    const { instances: [editor] } = require("anki/NoteEditor");
    saveNow(true);
    return editor.fields.map(({ editingArea: { content } }) => {
        let shown;
        content.subscribe((value) => { shown = value; })();
        return shown;
    });
})()"""
_TYPE = """(() => {
    const { instances: [editor] } = require("anki/NoteEditor");
    editor.fields[%d].editingArea.content.set(%s);
    saveNow(true);
})()"""


def shown_by(_: Any, window: str) -> list[str] | None:
    """Let an editor's page save what it has not saved yet, and return the fields that it showed then.

    A page sends each field that it loads back to Anki, half a second later. It takes a moment to answer, so
    this returns its last answer, `None` at first.
    """
    if window not in aqt.dialogs._dialogs or not (opened := aqt.dialogs._dialogs[window][1]):
        return None
    opened.editor.web.evalWithCallback(_SHOW, lambda fields: _shown.update({window: fields}))
    return _shown.get(window)


def type_into(_: Any, window: str, field: str, html: str) -> None:
    """Type in a field of the editor of the browser or of the Edit window, as its page does it."""
    editor = aqt.dialogs._dialogs[window][1].editor
    editor.web.eval(_TYPE % (editor.note.keys().index(field), json.dumps(html)))


def press_keys(_: Any, window: str, field: str, *keys: str) -> None:
    """Press keys in a field of an open editor.

    A key is a shortcut such as `Ctrl+B`, text after `=`, HTML to paste, which begins with `<`, or after `!`
    what a button of the editor's toolbar does.
    """
    editor = aqt.dialogs._dialogs[window][1].editor
    page = editor.web.focusProxy()
    editor.web.setFocus()

    def pressed(_: Any) -> None:
        for key in keys:
            if key.startswith("<"):
                mime = aqt.qt.QMimeData()
                mime.setHtml(key)
                aqt.mw.app.clipboard().setMimeData(mime)
                QTest.keySequence(page, aqt.qt.QKeySequence("Ctrl+V"))
            elif key.startswith("!"):
                editor.web.eval(f"document.execCommand({json.dumps(key[1:])})")
            elif key.startswith("="):
                QTest.keyClicks(page, key[1:])
            else:
                QTest.keySequence(page, aqt.qt.QKeySequence(key))
            QTest.qWait(50)

    editor.web.evalWithCallback(f"focusField({editor.note.keys().index(field)})", pressed)


_PICTURE = """(() => {
    const picture = globalThis.canvas?.getObjects().find(({ fill }) => fill === "transparent");
    if (!picture) return null;
    const { left, top } = canvas.upperCanvasEl.getBoundingClientRect();
    const [across, , , down, x, y] = canvas.viewportTransform;
    return [left + x, top + y, picture.width * across, picture.height * down];
})()"""
_Place = tuple[float, float, float, float]


def draw_boxes(_: Any, window: str, *steps: str | _Place) -> None:
    """Use the keys and the mouse on the picture of an image occlusion that an editor shows.

    A step is a key, such as `R` for the tool that draws rectangles, or a drag of the mouse: from left and top
    to left and top, in percent of the picture.
    """
    opened = aqt.dialogs._dialogs[window][1]
    opened.resize(900, 1000)
    web = opened.editor.web
    page = web.focusProxy()

    def drawn(picture: _Place | None) -> None:
        if picture is None:  # the page still loads it
            aqt.qt.QTimer.singleShot(200, lambda: web.evalWithCallback(_PICTURE, drawn))
            return
        left, top, width, height = picture
        QTest.qWait(500)  # the page takes a moment to fit the picture into the window
        for step in steps:
            if isinstance(step, str):
                QTest.keySequence(page, aqt.qt.QKeySequence(step))
            else:
                points = [
                    aqt.qt.QPoint(round(left + x * width / 100), round(top + y * height / 100))
                    for x, y in (step[:2], step[2:])
                ]
                QTest.mousePress(page, aqt.qt.Qt.MouseButton.LeftButton, pos=points[0])
                for share in (0.5, 1):
                    QTest.qWait(50)
                    QTest.mouseMove(page, points[0] + (points[1] - points[0]) * share)
                QTest.qWait(50)
                QTest.mouseRelease(page, aqt.qt.Qt.MouseButton.LeftButton, pos=points[1])
            QTest.qWait(100)

    web.evalWithCallback(_PICTURE, drawn)


def close_windows(_: Any) -> bool:
    """Close all windows, which may take a moment to save what is in them, and return whether that is done."""
    aqt.dialogs.closeAll(lambda: None)
    return bool(aqt.dialogs.allClosed())


def tag_in(_: Any, window: str, *tags: str) -> None:
    """Do what the editor does when somebody leaves its row of tags."""
    aqt.dialogs._dialogs[window][1].editor.onBridgeCmd(f"saveTags:{json.dumps(tags)}")


WINDOWS: dict[str, Callable[..., Any]] = {
    "review": review,
    "focus": lambda window: window.activateWindow(),
    "edit_current": lambda window: window.onEditCurrent(),
    "shown": shown_by,
    "type": type_into,
    "press_keys": press_keys,
    "close_windows": close_windows,
    "draw_boxes": draw_boxes,
    "tag": tag_in,
    "css_in_cards": lambda window, name: window.col.models.by_name(name)["css"],
    **desktop_windows.ACTIONS,
}
"""What an owner does in Anki's windows."""


def do(what: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    window = aqt.mw
    if what == "set_key":
        config = window.addonManager.getConfig("ankiconnect")
        window.addonManager.writeConfig("ankiconnect", config | {"apiKey": args[0]})
    elif what == "close":
        # Anki's state while it shows the profiles.
        _closed.append(window.col)
        window.col = None
    elif what == "open":
        window.col = _closed.pop() if _closed else window.col
    elif what == "select":
        browser = aqt.dialogs.open("Browser", window, search=tuple(args))
        browser.table.select_all()
    elif what in WINDOWS:
        return WINDOWS[what](window, *args)
    elif what == "show":
        show(window, *args)
    elif what == "reset":
        aqt.dialogs.closeAll(lambda: None)
        _shown.clear()
        window.moveToState("deckBrowser")
        owner.reset(window.col)
        window.reset()
    elif what == "quit":
        aqt.qt.QTimer.singleShot(0, window.unloadProfileAndExit)
    else:
        return getattr(owner, what)(window.col, *args, **kwargs)
    return None


class Control(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        done: Future[Any] = Future()

        def run() -> None:
            try:
                done.set_result({"result": do(**request)})
            except BaseException:  # noqa: BLE001 - otherwise Anki shows a dialog, which nobody answers
                done.set_result({"error": traceback.format_exc()})

        aqt.mw.taskman.run_on_main(run)
        answer = json.dumps(done.result()).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def serve() -> None:
    server = HTTPServer(("127.0.0.1", 0), Control)
    Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)  # noqa: T201 - for the test that started it


if __name__ == "__main__":
    folder, profile, language = sys.argv[1:]
    prepare(Path(folder), profile)
    gui_hooks.profile_did_open.append(serve)
    sys.argv = ["anki", "-b", folder, "-p", profile, "-l", language]
    aqt.run()
