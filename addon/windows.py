"""What the windows of the add-on share.

Whatever comes from a feed is shown as plain text, never as markup.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

from aqt import gui_hooks, mw
from aqt.qt import (
    QColor,
    QDialog,
    QFont,
    QHBoxLayout,
    QLabel,
    QLocale,
    QMessageBox,
    QPushButton,
    QSize,
    Qt,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextEdit,
    QTextLength,
    QTextOption,
    QTextTableCellFormat,
    QTextTableFormat,
    QTimer,
    qconnect,
)
from aqt.theme import theme_manager
from aqt.utils import MessageBox, disable_help_button, tooltip

from addon.listing import ANOTHER, PICTURE, MarkedWords
from addon.texts import is_right_to_left, say
from ptcards.extensions.desktop.merge.html_tree import CELL
from ptcards.extensions.publish.subscription.plain_text import (
    BOLD,
    HIGH,
    INDENT,
    ITALIC,
    LOW,
    MARKS,
    UNDERLINED,
    written,
)

_WIDTH, _HEIGHT = 640, 560
"""What a window takes at most unless the learner enlarges it: a screen of 800 × 600 has room for it."""
_NARROW = 440
"""The width of a text below which two others are not beside each other in it."""
_SECONDS = 7
_COLOURS = {"+": ("#116329", "#7ee787"), "-": ("#a40e26", "#ff9492")}
"""What an author adds and removes, by day and by night."""
_MUTED = ("#59636e", "#9ba3ad")
"""Labels, by day and by night."""
_SIDES = {
    "yours": (("#e8f1fe", "#19304d"), ("#a9ccfb", "#2f5f9e"), ("#0b4a9e", "#a3caff")),
    "authors": (("#fff4dc", "#3a2f14"), ("#ffd77a", "#7d5f0e"), ("#6f4a00", "#ffd37a")),
    "": (("#f0f2f4", "#34383d"), ("#ffe9a8", "#5e4b12"), _MUTED),
}
"""The colours of the learner's text, of the author's and of others, by day and by night.

They are the background, that of what differs, and the label.
"""
_MAIN_BUTTON = "QPushButton:enabled { background: #0b5fc4; color: #ffffff; font-weight: bold }"
_STYLES = {
    "": (2, 1),
    "sentence": (2, 1),
    "bold": (2, 1),
    "heading": (16, 1.15),
    "title": (8, 1),
    "label": (4, 0.9),
}
"""How much space is above a line in pixels, and how large its letters are."""
_LETTER = re.compile(f"([^{MARKS}])([{MARKS}]*)", re.DOTALL)
_LOOKS: Mapping[str, Callable[[Any], object]] = {
    LOW: lambda style: style.setVerticalAlignment(style.VerticalAlignment.AlignSubScript),
    HIGH: lambda style: style.setVerticalAlignment(style.VerticalAlignment.AlignSuperScript),
    BOLD: lambda style: style.setFontWeight(QFont.Weight.Bold),
    ITALIC: lambda style: style.setFontItalic(True),
    UNDERLINED: lambda style: style.setFontUnderline(True),
}
"""How the letters before a mark are drawn."""
_OURS = ("heading", "label", "sentence")
"""The lines that are ours, which have the direction of our language."""
_LONGEST_LABEL, _LONGEST_MESSAGE, _LONGEST_TEXT = 300, 1_000, 5_000
"""Characters of a feed's that are shown at once: a longer text would fill the screen, or stop Anki."""
_MOST_COLUMNS = 12
"""How many cells of a row have a column of their own; what is in more is in the last one."""
_PATIENCE = 5000
"""Milliseconds until the next try to show a window, if the learner is busy in another one."""
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
    shown = QLabel(_ours(text))
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


def fit(window: Any, *, shrinks: bool = False) -> None:
    """Let a window be as high as what it shows, as far as the screen has room.

    It `shrinks` if it shows something else; otherwise its buttons would move while they are used.
    """
    for view in window.findChildren(QTextEdit):
        view.updateGeometry()
    layout = window.layout()
    layout.activate()
    room = window.screen().availableSize()
    width = window.width() if window.isVisible() else min(_WIDTH, room.width())
    is_wrapped = layout.hasHeightForWidth()
    height = layout.totalHeightForWidth(width) if is_wrapped else layout.totalSizeHint().height()
    now = QSize() if shrinks or not window.isVisible() else window.size()
    window.resize(QSize(width, min(height, _HEIGHT, room.height())).expandedTo(now))


def button_row(layout: Any, first: Sequence[Any], *last: Any) -> None:
    """Add a row with buttons at both ends."""
    row = QHBoxLayout()
    for each in first:
        row.addWidget(each)
    row.addStretch()
    for each in last:
        row.addWidget(each)
    layout.addLayout(row)


class _TextView(QTextEdit):  # type: ignore[misc]
    """A widget for text to read, which wants to be as high as the text."""

    def __init__(self, redraw: Callable[[], object]) -> None:
        super().__init__()
        self._redraw = redraw
        self._was_narrow = False

    def clear(self) -> None:
        super().clear()
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)  # a table changes it

    def sizeHint(self) -> QSize:  # noqa: N802 - as in Qt
        copy = self.document().clone()
        copy.setTextWidth(self.viewport().width() if self.isVisible() else _WIDTH - 28)
        return QSize(_WIDTH, int(copy.size().height()) + 2 * self.frameWidth() + 4)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - as in Qt
        return QSize(200, min(90, self.sizeHint().height()))

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - as in Qt
        super().resizeEvent(event)
        if is_narrow(self) != self._was_narrow:
            self._was_narrow = is_narrow(self)
            QTimer.singleShot(0, self._redraw)


def is_narrow(view: Any) -> bool:
    """Whether a text view has no room for two texts beside each other."""
    return bool(view.width() < _NARROW)


def text_view(name: str, redraw: Callable[[], object]) -> Any:
    """Return a widget for text to read; the arrow keys scroll it, and Tab leaves it.

    `redraw` writes the text again.
    """
    view = _TextView(redraw)
    view.setReadOnly(True)
    view.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)  # without a cursor
    view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    view.setTabChangesFocus(True)
    view.setAccessibleName(name)
    return view


def _is_mirrored() -> bool:
    """Whether our language is written from right to left."""
    return is_right_to_left([say("menu")])


def _ours(text: str, most: int = _LONGEST_LABEL) -> str:
    """Return a text that is not too long, in the direction of our language whatever its lines begin with."""
    mark = "\u200f" if _is_mirrored() else ""
    return mark + short(written(text), most).replace("\n", f"\n{mark}")


def is_written_to_left(language: str, texts: Iterable[str]) -> bool:
    """Whether a deck is written from right to left: its language says so, or else most of its letters."""
    direction = QLocale(language).textDirection()
    return direction == Qt.LayoutDirection.RightToLeft if language else is_right_to_left(texts)


def align(view: Any, *, to_left: bool | None = None) -> None:
    """Let the next lines that are the deck's have its direction, or our own if there is none."""
    view.setProperty("to_left", _is_mirrored() if to_left is None else to_left)


def write(view: Any, words: Sequence[MarkedWords], name: str = "") -> None:
    """Append a line of plain text to a text view: a `heading`, `title`, `label`, in `bold` or as it is.

    A heading, a label and a `sentence` are in our language.
    """
    cursor = view.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    _insert(view, cursor, words, name)
    cursor.insertBlock(_thin(), QTextCharFormat())


def _thin() -> Any:
    """Return the form of a line that takes no room: before a table and at the end, Qt has an empty one."""
    thin = QTextBlockFormat()
    thin.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return thin


def write_beside(view: Any, texts: Sequence[tuple[str, str, Sequence[MarkedWords]]]) -> None:
    """Append texts beside each other, or below each other if there is no room, as for a table.

    Each has its side, which is `yours`, `authors` or empty, its name and its words.
    """
    cursor = view.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.setBlockFormat(_thin())
    shape = QTextTableFormat()
    shape.setBorder(0)
    shape.setBorderCollapse(True)
    shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    shape.setTopMargin(4)
    shape.setBottomMargin(8)
    is_wide = any(CELL in word.text for _, _, words in texts for word in words)
    rows, columns = (len(texts), 1) if is_wide or is_narrow(view) else (1, len(texts))
    shape.setColumnWidthConstraints([QTextLength(QTextLength.Type.PercentageLength, 100 / columns)] * columns)
    table = cursor.insertTable(rows, columns, shape)
    for number, (side, name, words) in enumerate(texts):
        column = columns - 1 - number if _is_mirrored() else number  # Qt does not mirror tables
        cell = table.cellAt(number, 0) if rows > columns else table.cellAt(0, column)
        look = QTextTableCellFormat()
        edge = "Right" if _is_mirrored() else "Left"
        getattr(look, f"set{edge}Border")(3)
        getattr(look, f"set{edge}BorderStyle")(QTextTableFormat.BorderStyle.BorderStyle_Solid)
        getattr(look, f"set{edge}BorderBrush")(QColor(_SIDES[side][2][theme_manager.night_mode]))
        look.setPadding(6)
        look.setBackground(QColor(_SIDES[side][0][theme_manager.night_mode]))
        cell.setFormat(look)
        inside = cell.firstCursorPosition()
        _insert(view, inside, [MarkedWords("", name)], "label" if side else "title", side)
        inside.insertBlock()
        _insert(view, inside, words, "", side)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.setBlockFormat(_thin())


def _insert(view: Any, cursor: Any, words: Sequence[MarkedWords], name: str, side: str = "") -> None:
    """Insert plain text, which has the direction of the deck or of our language; tables are drawn."""
    block = QTextBlockFormat()
    block.setTopMargin(0 if cursor.atStart() else _STYLES[name][0])
    to_left = _is_mirrored() if name in _OURS else view.property("to_left")
    direction, edge = Qt.LayoutDirection.LeftToRight, Qt.AlignmentFlag.AlignLeft
    if to_left:
        direction, edge = Qt.LayoutDirection.RightToLeft, Qt.AlignmentFlag.AlignRight
    block.setLayoutDirection(direction)
    block.setAlignment(edge | Qt.AlignmentFlag.AlignAbsolute)
    for columns, rows in groupby(_lines(words), len):
        lines = list(rows)
        if columns == 1:
            for number, (line,) in enumerate(lines):
                if number:
                    cursor.insertBlock()
                cursor.setBlockFormat(block)
                _insert_words(view, cursor, line, name, side)
            continue
        shape = QTextTableFormat()
        shape.setBorderCollapse(True)
        shape.setBorderStyle(shape.BorderStyle.BorderStyle_Solid)
        shape.setBorderBrush(QColor(_MUTED[theme_manager.night_mode]))
        shape.setCellPadding(3)
        shape.setAlignment(edge)
        if not cursor.block().text():
            cursor.setBlockFormat(_thin())
        view.setWordWrapMode(QTextOption.WrapMode.WordWrap)  # no narrow column breaks a word
        table = cursor.insertTable(len(lines), columns, shape)
        for row, cells in enumerate(lines):
            for column, cell in enumerate(cells[::-1] if to_left else cells):
                inside = table.cellAt(row, column).firstCursorPosition()
                inside.setBlockFormat(block)
                _insert_words(view, inside, cell, name, side)
        cursor.setPosition(table.lastPosition() + 1)
        cursor.setBlockFormat(_thin())


def _lines(words: Sequence[MarkedWords]) -> Sequence[Sequence[list[MarkedWords]]]:
    """Return the lines of a text, each with its cells; what is no row of a table has one."""
    lines: list[list[list[MarkedWords]]] = [[[]]]
    for mark, text in words:
        for number, line in enumerate(short(text, _LONGEST_TEXT).split("\n")):
            if number:
                lines.append([[]])
            for column, cell in enumerate(re.split(f" ?{CELL} ?", line)):
                if column and len(lines[-1]) < _MOST_COLUMNS:
                    lines[-1].append([])
                lines[-1][-1].append(MarkedWords(mark, cell))
    return lines


def _insert_words(view: Any, cursor: Any, words: Sequence[MarkedWords], name: str, side: str) -> None:
    """Insert the words of a line.

    What is new is underlined, what goes is crossed out, and what stays but differs has another background: a
    line below it would hide the dots of Arabic letters.
    """
    for mark, text in words:
        style = QTextCharFormat()
        style.setFontPointSize(view.font().pointSizeF() * _STYLES[name][1])
        if name == "label":
            style.setForeground(QColor(_SIDES[side][2][theme_manager.night_mode]))
        if name in ("bold", "heading", "title") or (side and name):
            style.setFontWeight(QFont.Weight.Bold)
        style.setFontUnderline(mark == "+")
        style.setFontStrikeOut(mark == "-")
        if mark == "~":
            style.setBackground(QColor(_SIDES[side][1][theme_manager.night_mode]))
        if mark in _COLOURS:
            style.setForeground(QColor(_COLOURS[mark][theme_manager.night_mode]))
        shown = text.lstrip(f" {INDENT}")
        cursor.insertText(text.removesuffix(shown), QTextCharFormat())  # a line below a blank looks odd
        shown = shown.replace(ANOTHER, say("another_version")).replace(PICTURE, say("picture_line"))
        for looks, letters in groupby(_LETTER.findall(shown), itemgetter(1)):
            drawn = QTextCharFormat(style)
            for each in looks:
                _LOOKS[each](drawn)
            cursor.insertText("".join(letter for letter, _ in letters), drawn)


def day(shown: date) -> str:
    """Return a day as Anki's language writes it, in one line and with the digits of all our numbers."""
    text = QLocale().toString(shown, QLocale.FormatType.ShortFormat).replace("/", "\u2060/\u2060")
    return re.sub(r"\d", lambda digit: str(int(digit[0])), text)


def go_to_top(view: Any) -> None:
    """Show the beginning of a text."""
    view.moveCursor(QTextCursor.MoveOperation.Start)


def notice(text: str) -> None:
    """Show a sentence that goes away on its own."""
    tooltip(escape(_ours(text)), period=_SECONDS * 1000, parent=mw)


def tell(text: str) -> None:
    """Show a sentence until it is closed."""
    MessageBox(_ours(text, _LONGEST_MESSAGE), parent=mw.app.activeWindow() or mw, title=say("menu"))


def ask(text: str, *answers: tuple[str, Callable[[], object]], nothing: str = "") -> None:
    """Ask a question; each answer is a button with what it does, and `nothing` (`Later`) does nothing."""
    runs = [run for _, run in answers]
    buttons = [(name, QMessageBox.ButtonRole.ActionRole) for name, _ in answers]
    later = (nothing or say("later"), QMessageBox.ButtonRole.RejectRole)

    def answered(number: int) -> None:
        if number < len(runs):
            runs[number]()

    MessageBox(
        _ours(text, _LONGEST_MESSAGE),
        answered,
        parent=mw,
        title=say("menu"),
        icon=QMessageBox.Icon.Question,
        buttons=[*buttons, later],
        default_button=len(buttons),
    )
