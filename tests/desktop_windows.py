"""What a person sees and does in the windows of the add-on; runs in a desktop Anki for `desktop_anki.py`."""

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import aqt
import aqt.utils
from aqt import gui_hooks
from aqt.import_export.exporting import ApkgExporter, ColpkgExporter, ExportOptions
from aqt.qt import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QKeySequence,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QProgressDialog,
    Qt,
    QTextCharFormat,
    QTextEdit,
    QTreeWidget,
    QWidget,
)
from aqt.theme import Theme
from PyQt6.QtTest import QTest

Shown = dict[str, Any]


def _dialogs() -> Iterator[Any]:
    for each in QApplication.topLevelWidgets():
        if each.isVisible() and isinstance(each, QDialog) and not isinstance(each, QProgressDialog):
            yield each


def _dialog(title: str) -> Any:
    (found,) = [each for each in _dialogs() if title in each.windowTitle()]
    return found


def _plain(text: str) -> str:
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def _has_name(window: Any, widget: Any) -> bool:
    """Whether a screen reader can say what a widget is, if the Tab key goes to it.

    It says the text of a button, the label whose buddy the widget is, or the name that it was given.
    """
    if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return True
    labels = [each.text() for each in window.findChildren(QLabel) if each.buddy() is widget]
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return bool(text or widget.accessibleName() or "".join(labels))


def _describe(window: Any) -> Shown:
    """Return what a window shows, part by part."""
    inside = [each for each in window.findChildren(QWidget) if each.isVisibleTo(window)]
    buttons = [each for each in inside if isinstance(each, QAbstractButton) and each.text()]
    views = [each for each in inside if isinstance(each, QTextEdit | QPlainTextEdit)]
    return {
        "title": window.windowTitle(),
        "labels": [_plain(each.text()) for each in inside if isinstance(each, QLabel) and each.text()],
        "typed": [each.text() for each in inside if isinstance(each, QLineEdit)],
        "texts": [re.sub(r"^\n|\n(?=\n)", "", each.toPlainText()) for each in views],  # lines around tables
        "names": [each.accessibleName() for each in views if each.isReadOnly()],
        "unnamed": [type(each).__name__ for each in inside if not _has_name(window, each)],
        "buttons": [_plain(each.text()) for each in buttons if not isinstance(each, QCheckBox)],
        "off": [_plain(each.text()) for each in buttons if not each.isEnabled()],
        "boxes": {_plain(each.text()): each.isChecked() for each in buttons if isinstance(each, QCheckBox)},
        "choices": [each.currentText() for each in inside if isinstance(each, QComboBox)],
        "lists": [
            [each.item(row).text() for row in range(each.count())]
            for each in inside
            if isinstance(each, QListWidget)
        ],
        "tables": [
            [[row.text(column) for column in range(row.columnCount())] for row in _rows(each)]
            for each in inside
            if isinstance(each, QTreeWidget)
        ],
        "size": [window.width(), window.height()],
    }


def _rows(table: Any) -> list[Any]:
    return [table.topLevelItem(number) for number in range(table.topLevelItemCount())]


def choose_row(_: Any, title: str, text: str) -> None:
    """Select the row of a table that has a text in its first column."""
    (table,) = _dialog(title).findChildren(QTreeWidget)
    table.setCurrentItem(next(each for each in _rows(table) if each.text(0) == text))


def windows(_: Any) -> list[Shown]:
    """Return the dialogs that are open."""
    return [_describe(each) for each in _dialogs()]


def press(_: Any, title: str, text: str) -> None:
    """Click the button or box with a text."""
    buttons = _dialog(title).findChildren(QAbstractButton)
    (found,) = [each for each in buttons if _plain(each.text()) == text]
    assert found.isEnabled(), text
    found.click()


def choose(_: Any, title: str, text: str) -> None:
    """Choose an entry of the combo box that has it."""
    for each in _dialog(title).findChildren(QComboBox):
        if (place := each.findText(text)) >= 0:
            each.setCurrentIndex(place)


def keys(_: Any, *sequences: str) -> str:
    """Press keys, such as `Alt+U` or `Tab`, and return the name of the widget that has the focus then."""
    for each in sequences:
        target = QApplication.focusWidget() or QApplication.activeWindow()
        combination = QKeySequence(each)[0]
        QTest.keyClick(target, combination.key(), combination.keyboardModifiers())
    focus = QApplication.focusWidget()
    return f"{type(focus).__name__} {_plain(focus.text()) if hasattr(focus, 'text') else focus.accessibleName() if focus else ''}"


def write(_: Any, title: str, text: str) -> None:
    """Type a text into the first field of a window that takes one."""
    for each in _dialog(title).findChildren(QLineEdit) + _dialog(title).findChildren(QPlainTextEdit):
        each.setFocus()
        QTest.keyClicks(each, text)
        return


def menu(window: Any, *path: str) -> None:
    """Choose an entry of the menu Tools."""
    entries = window.form.menuTools
    for text in path:
        (found,) = [each for each in entries.actions() if _plain(each.text()) == text]
        entries = found.menu() or entries
    found.trigger()


def tools(window: Any) -> list[str]:
    """Return the entries of the menu Tools."""
    return [_plain(each.text()) for each in window.form.menuTools.actions()]


def describe(window: Any, deck: str, text: str) -> None:
    """Set the description of a deck."""
    found = window.col.decks.by_name(deck)
    found["desc"] = text
    window.col.decks.save(found)


def card_menu(window: Any, text: str) -> list[str]:
    """Choose an entry of the reviewer's menu for a card, and return all entries of add-ons."""
    return _choose_from(gui_hooks.reviewer_will_show_context_menu, window.reviewer, text)


def browser_menu(_: Any, text: str) -> list[str]:
    """Choose an entry of the browser's menu for the selected card, and return all entries of add-ons."""
    return _choose_from(gui_hooks.browser_will_show_context_menu, aqt.dialogs._dialogs["Browser"][1], text)


def _choose_from(hook: Any, parent: Any, text: str) -> list[str]:
    shown = QMenu(aqt.mw)
    hook(parent, shown)
    for each in shown.actions():
        if each.text() == text:
            each.trigger()
    return [each.text() for each in shown.actions()]


def resize(_: Any, title: str, width: int, height: int) -> None:
    _dialog(title).resize(width, height)


def columns(_: Any, title: str) -> list[int]:
    """Return how many texts are beside each other in each table of the texts of a window."""
    views = _dialog(title).findChildren(QTextEdit)
    return [each.columns() for view in views for each in view.document().rootFrame().childFrames()]


def to_left(_: Any, title: str) -> list[str]:
    """Return the lines of the texts of a window that are written from right to left, from the right edge."""
    found = []
    for view in _dialog(title).findChildren(QTextEdit):
        block = view.document().begin()
        while block.isValid():
            form = block.blockFormat()
            is_right = bool(form.alignment() & Qt.AlignmentFlag.AlignRight)
            assert is_right == (form.layoutDirection() == Qt.LayoutDirection.RightToLeft) or not block.text()
            found += [block.text()] if is_right and block.text() else []
            block = block.next()
    return found


def drawn(_: Any, title: str) -> list[str]:
    """Return the pieces of the texts of a window that are scripts or in italics, with their marks."""
    marks = {
        QTextCharFormat.VerticalAlignment.AlignSubScript: "_",
        QTextCharFormat.VerticalAlignment.AlignSuperScript: "^",
    }
    found = []
    for view in _dialog(title).findChildren(QTextEdit):
        block = view.document().begin()
        while block.isValid():
            inside = block.begin()
            while not inside.atEnd():
                style = inside.fragment().charFormat()
                mark = marks.get(style.verticalAlignment(), "*" * style.fontItalic())
                found += [f"{mark}{inside.fragment().text()}"] if mark else []
                inside += 1
            block = block.next()
    return found


def sideways(_: Any, title: str) -> list[int]:
    """Return how far each list of a window, and then each of its texts, can be scrolled to the side."""
    kinds = (QListWidget, QTextEdit)
    return [
        each.horizontalScrollBar().maximum() for kind in kinds for each in _dialog(title).findChildren(kind)
    ]


def picture(_: Any, title: str, file: str) -> None:
    """Save a picture of a window."""
    _dialog(title).grab().save(file)


def install(window: Any, file: str) -> str:
    """Install an add-on as Tools › Add-ons › Install from file does, and return what came of it."""
    found = window.addonManager.install(file)
    return f"{type(found).__name__} {getattr(found, 'compatible', '')}"


def addon(window: Any, name: str) -> list[Any]:
    """Return the name of an add-on, its version, and whether this Anki can load it."""
    found = window.addonManager.addon_meta(name)
    return [found.human_name(), found.human_version, found.compatible()]


def synced(_: Any) -> None:
    """Do what Anki does after a sync."""
    gui_hooks.sync_did_finish()


def remembered(window: Any, change: dict[str, Any] | None = None) -> Any:
    """Return what the profile remembers about feeds, by address, after a change to each."""
    found = window.pm.profile.get("ptcards", {})
    for each in found.values():
        each.update(change or {})
    return found


def night(_: Any, is_night: bool) -> None:
    aqt.mw.set_theme(Theme.DARK if is_night else Theme.LIGHT)


def undo(window: Any) -> str:
    """Undo as Ctrl-Z does, and return what the menu said."""
    text = str(window.form.actionUndo.text())
    window.undo()
    return text


def notices(_: Any) -> list[str]:
    """Return the notices that are shown."""
    shown = [each for each in QApplication.topLevelWidgets() if isinstance(each, QLabel) and each.isVisible()]
    return [each.text() for each in shown]


def state(window: Any, name: str = "") -> str:
    """Return which screen the main window shows, after going to one."""
    if name:
        window.moveToState(name)
    return str(window.state)


def overview(window: Any, deck: str) -> None:
    window.col.decks.select(window.col.decks.id(deck))
    window.moveToState("overview")


def overview_buttons(window: Any, press_: str = "") -> list[str]:
    """Return the buttons that add-ons add to an overview, after pressing one."""
    links: list[list[str]] = []
    handle = gui_hooks.overview_will_render_bottom(window.overview._linkHandler, links)
    for _, command, text in links:
        if text == press_:
            handle(command)
    return [text for _, _, text in links]


def answer(window: Any, ease: int) -> None:
    """Answer the card that is shown in the reviewer."""
    window.reviewer._showAnswer()
    window.reviewer._answerCard(ease)


class _WebBrowser:
    """Takes the pages that a web browser would open."""

    pages: ClassVar[list[str]] = []

    @staticmethod
    def openUrl(url: Any) -> None:  # noqa: N802 - as in Qt
        _WebBrowser.pages.append(url.toString())


def opened_pages(_: Any) -> list[str]:
    """Return the pages that Anki asked the web browser to open, from the first call on."""
    aqt.utils.QDesktopServices = _WebBrowser
    return _WebBrowser.pages


def trouble(_: Any) -> str:
    """Return what Anki's window about a problem says in detail."""
    for each in _dialogs():
        for button in each.findChildren(QAbstractButton):
            if _plain(button.text()) == "Copy Debug Info":
                button.click()
                return str(QApplication.clipboard().text())
    return ""


def save_as(_: Any, file: str) -> None:
    """Choose a file in the dialog that asks where to save."""
    (found,) = [each for each in _dialogs() if isinstance(each, QFileDialog)]
    found.findChild(QLineEdit).setText(file)
    found.accept()


def plain(_: Any) -> bool:
    """Whether all labels of the windows show their text as it is, without markup."""
    labels = [each for window in _dialogs() for each in window.findChildren(QLabel) if each.text()]
    formats = {each.textFormat() for each in labels if "<" in each.text()}
    return formats <= {Qt.TextFormat.PlainText}


def flag_shown(window: Any, flag: int) -> None:
    """Set the flag of the card that is reviewed, as its menu does."""
    window.reviewer.set_flag_on_current_card(flag)


def current_in_browser(_: Any) -> str:
    """Return the first field of the browser's current note; empty until the browser has searched."""
    card = aqt.dialogs._dialogs["Browser"][1].current_card
    return card.note().fields[0] if card else ""


def flag_selected(_: Any, flag: int) -> None:
    """Set the flag of the cards that are selected in the browser, as its menu does."""
    aqt.dialogs._dialogs["Browser"][1].set_flag_of_selected_cards(flag)


_exported: list[str] = []
"""The packages that are complete."""


def exported(_: Any) -> list[str]:
    """Return the packages that Anki has exported."""
    return _exported


def export(window: Any, file: str) -> None:
    """Start what File › Export does for all decks, as a deck package or a collection package."""
    gui_hooks.exporter_did_export.append(lambda options, _: _exported.append(options.out_path))
    exporter = ColpkgExporter() if file.endswith(".colpkg") else ApkgExporter()
    everything = dict.fromkeys(
        ("include_scheduling", "include_media", "include_tags", "include_html", "include_deck"), True
    )
    others = dict.fromkeys(
        ("include_deck_configs", "include_notetype", "include_guid", "legacy_support"), False
    )
    exporter.export(window, ExportOptions(out_path=file, limit=None, **everything, **others))


ACTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        windows, choose_row, resize, columns, to_left, drawn, sideways, press, choose, keys, write, menu, card_menu, browser_menu, picture, install, addon, synced,
        remembered, night, undo, notices, state, overview, overview_buttons, answer, opened_pages, save_as, plain, trouble, tools,
        describe, flag_shown, current_in_browser, flag_selected, export, exported,
    )
}  # fmt: skip
"""What a person sees and does, by name."""
