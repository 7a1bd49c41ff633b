"""What the windows of the add-on share.

Whatever comes from a feed is shown as plain text, never as markup.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from aqt import gui_hooks, mw
from aqt.qt import (
    QColor,
    QDialog,
    QFont,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QSize,
    Qt,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextEdit,
    QTimer,
    qconnect,
)
from aqt.theme import theme_manager
from aqt.utils import MessageBox, disable_help_button, tooltip

from addon.texts import say
from ptcards.extensions.publish.subscription.listing import MarkedWords

_SIZE = QSize(640, 520)
"""Fits a screen of 800 × 600 with its bars."""
_SECONDS = 7
_COLOURS = {"+": ("#116329", "#7ee787"), "-": ("#a40e26", "#ff9492")}
"""What an author adds and removes, by day and by night."""
_MARKED = ("#ffe9a8", "#5e4b12")
"""The background of what differs, by day and by night."""
_MUTED = ("#59636e", "#9ba3ad")
"""Labels, by day and by night."""
_MAIN_BUTTON = "QPushButton:enabled { background: #0b5fc4; color: #ffffff; font-weight: bold }"
_STYLES = {"": (0, 0), "heading": (16, 1.15), "title": (8, 1), "label": (4, 0.9)}
"""How much space is above a line in pixels, and how large its letters are."""
_LONGEST_LABEL, _LONGEST_MESSAGE, _LONGEST_TEXT = 300, 1_000, 5_000
"""Characters of a feed's that are shown at once: a longer text would fill the screen, or stop Anki."""
_PATIENCE = 5000
"""Milliseconds until the next try to show a window, if the learner is busy in another one."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")
_open: set[Any] = set()
"""Windows that are shown; Qt would not keep their Python part."""
_waiting: list[Callable[[], object]] = []
"""What opens the windows that wait until the learner is at the list of decks."""
_reading: set[object] = set()
"""Whoever reads the collection now to open a window."""


def dialog(window: Any, title: str, redraw: Callable[[], object] = lambda: None) -> Any:
    """Return an empty dialog for a window of ours, which lives as long as the dialog is shown.

    `redraw` is called when day and night mode change.
    """
    shown = QDialog(mw)
    shown.setWindowTitle(short(title))
    disable_help_button(shown)
    shown.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    shown.resize(_SIZE)
    _open.add(window)
    gui_hooks.theme_did_change.append(redraw)
    qconnect(shown.finished, lambda _: _closed(window, redraw))
    return shown


def _closed(window: Any, redraw: Callable[[], object]) -> None:
    _open.discard(window)
    gui_hooks.theme_did_change.remove(redraw)
    QTimer.singleShot(0, show_next)


def wait_for_decks(show: Callable[[], object]) -> None:
    """Show a window as soon as the learner is at the list of decks, and no other one of ours is open."""
    _waiting.append(show)
    if len(_waiting) == 1:
        _try_again()


def _try_again() -> None:
    show_next()
    if _waiting:
        QTimer.singleShot(_PATIENCE, _try_again)


def show_next() -> None:
    """Show the next window that waits, if it would not disturb the learner."""
    is_busy = _open or _reading or mw.app.activeWindow() not in (mw, None)
    if _waiting and mw.state == "deckBrowser" and not is_busy:
        _waiting.pop(0)()


def begin_reading(reader: object) -> None:
    """Let other windows wait while the collection is read for one."""
    _reading.add(reader)


def end_reading(reader: object) -> None:
    """Go on with the windows that wait, unless one is open now."""
    _reading.discard(reader)
    QTimer.singleShot(0, show_next)


def close_windows() -> None:
    """Close the windows, and forget those that wait, because the profile is closed."""
    _waiting.clear()
    _reading.clear()
    for each in list(_open):
        each.dialog.close()


def short(text: str, most: int = _LONGEST_LABEL) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= most else f"{text[:most]}…"


def label(text: str, *, bold: float = 0) -> Any:
    """Return a label with plain text, which a screen reader reads too; `bold` is how large a heading is."""
    shown = QLabel(short(text))
    shown.setTextFormat(Qt.TextFormat.PlainText)
    shown.setWordWrap(True)
    if bold:
        font = shown.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * bold)
        shown.setFont(font)
    return shown


def button(text: str, run: Callable[[], object], *, is_main: bool = False) -> Any:
    """Return a button that is only pressed on purpose: the Return key elsewhere does not press it.

    The main one of a window has another colour.
    """
    shown = QPushButton(text)
    shown.setAutoDefault(False)
    if is_main:
        shown.setStyleSheet(_MAIN_BUTTON)
    qconnect(shown.clicked, lambda _: run())
    return shown


def button_row(layout: Any, first: Sequence[Any], *last: Any) -> None:
    """Add a row with buttons at both ends."""
    row = QHBoxLayout()
    for each in first:
        row.addWidget(each)
    row.addStretch()
    for each in last:
        row.addWidget(each)
    layout.addLayout(row)


def text_view(name: str) -> Any:
    """Return a widget for text to read; the arrow keys scroll it, and Tab leaves it."""
    view = QTextEdit()
    view.setReadOnly(True)
    view.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)  # without a cursor
    view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    view.setTabChangesFocus(True)
    view.setAccessibleName(name)
    return view


def isolated(text: str) -> str:
    """Return a text of a deck that keeps its direction among our words."""
    return text if is_right_to_left([text]) == _is_mirrored() else f"\u2068{text}\u2069"


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most of the letters are written from right to left."""
    letters = _LETTER.findall("".join(texts))
    return 2 * len(_RIGHT_TO_LEFT.findall("".join(letters))) > len(letters)


def _is_mirrored() -> bool:
    """Whether Anki's own language is written from right to left."""
    return bool(mw.app.layoutDirection() == Qt.LayoutDirection.RightToLeft)


def align(view: Any, texts: Sequence[str] = ()) -> None:
    """Let the next lines begin where these texts do, or Anki's own if there are none: they have one edge."""
    view.setProperty("to_left", is_right_to_left(texts) if any(texts) else _is_mirrored())


def write(view: Any, words: Sequence[MarkedWords], name: str = "", *, is_bold: bool = False) -> None:
    """Append a line of plain text to a text view: a `heading`, a `title`, a `label` or just text.

    Each line has its own direction. What is new is underlined, what goes is crossed out, and what stays but
    differs has another background: a line below it would hide the dots of Arabic letters.
    """
    cursor = view.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    above, size = _STYLES[name]
    block = QTextBlockFormat()
    block.setTopMargin(above if cursor.position() else 0)
    direction = Qt.LayoutDirection
    to_left = is_right_to_left(text for _, text in words)
    block.setLayoutDirection(direction.RightToLeft if to_left else direction.LeftToRight)
    edge = Qt.AlignmentFlag.AlignRight if view.property("to_left") else Qt.AlignmentFlag.AlignLeft
    block.setAlignment(edge | Qt.AlignmentFlag.AlignAbsolute)
    cursor.setBlockFormat(block)
    for mark, text in words:
        style = QTextCharFormat()
        style.setFontPointSize(view.font().pointSizeF() * size)
        if name == "label":
            style.setForeground(QColor(_MUTED[theme_manager.night_mode]))
        if is_bold or name in ("heading", "title"):
            style.setFontWeight(QFont.Weight.Bold)
        style.setFontUnderline(mark == "+")
        style.setFontStrikeOut(mark == "-")
        if mark == "~":
            style.setBackground(QColor(_MARKED[theme_manager.night_mode]))
        if mark in _COLOURS:
            style.setForeground(QColor(_COLOURS[mark][theme_manager.night_mode]))
        shown = text.lstrip(" ")
        cursor.insertText(" " * (len(text) - len(shown)), QTextCharFormat())  # a line below a blank looks odd
        cursor.insertText(short(shown, _LONGEST_TEXT), style)
    cursor.insertText("\n", QTextCharFormat())


def go_to_top(view: Any) -> None:
    """Show the beginning of a text."""
    view.moveCursor(QTextCursor.MoveOperation.Start)


def notice(text: str) -> None:
    """Show a sentence that goes away on its own."""
    tooltip(escape(short(text)), period=_SECONDS * 1000, parent=mw)


def tell(text: str) -> None:
    """Show a sentence until it is closed."""
    MessageBox(short(text, _LONGEST_MESSAGE), parent=mw.app.activeWindow() or mw, title=say("menu"))


def ask(text: str, *answers: tuple[str, Callable[[], object]]) -> None:
    """Ask a question; each answer is a button with what it does, and `Later` does nothing."""
    runs = [run for _, run in answers]
    buttons = [(name, QMessageBox.ButtonRole.ActionRole) for name, _ in answers]
    later = (say("later"), QMessageBox.ButtonRole.RejectRole)

    def answered(number: int) -> None:
        if number < len(runs):
            runs[number]()

    MessageBox(
        short(text, _LONGEST_MESSAGE),
        answered,
        parent=mw,
        title=say("menu"),
        icon=QMessageBox.Icon.Question,
        buttons=[*buttons, later],
        default_button=len(buttons),
    )
