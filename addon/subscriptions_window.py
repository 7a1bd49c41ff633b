"""The decks that are followed: their versions, what the last look found, and what to do about it."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from aqt import gui_hooks
from aqt.qt import (
    QAbstractScrollArea,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    qconnect,
)
from aqt.utils import openLink, tr

from addon.changes_window import open_changes
from addon.collection import subscriptions
from addon.follow import Finding, Look, memory, read, stop_following
from addon.listing import MarkedWords
from addon.network import FEED
from addon.texts import isolated, say
from addon.windows import (
    align,
    ask,
    button,
    button_row,
    day,
    dialog,
    fit,
    go_to_top,
    notice,
    short,
    text_view,
    write,
)
from ptcards.extensions.publish.subscription.state import Subscription

_LONGEST_NAME = 80
_open: "list[SubscriptionsWindow]" = []
"""The window, if it is open."""


def open_subscriptions(found: Sequence[Finding] = ()) -> None:
    """Open the window, or show in it what a check found."""

    def read_(decks: Mapping[str, Subscription]) -> None:
        if _open:
            _open[0].show_findings(found)
        elif decks:
            _open.append(SubscriptionsWindow(decks, found))
        else:
            notice(say("no_decks"))

    read(subscriptions, read_)


def check_now() -> None:
    """Look at all decks; more than one thing to decide about or to know is shown in the window."""
    answers: list[Finding | None] = []

    def checked() -> None:
        found = [each for each in answers if each]
        noteworthy = [each for each in found if each.update or each.problem]
        if _open or len(noteworthy) > 1:
            open_subscriptions(found)
        elif noteworthy:
            noteworthy[0].show()
        if found and not noteworthy:
            notice(say("current", names=", ".join(isolated(each.name) for each in found)))

    def look(decks: Mapping[str, Subscription]) -> None:
        def answered(finding: Finding | None) -> None:
            answers.append(finding)
            if len(answers) == len(decks):
                checked()

        for feed_id, own in decks.items():
            Look(own.address, by_hand=True, followed=(feed_id, own), report=answered)
        if not decks:
            notice(say("no_decks"))

    read(subscriptions, look)


class SubscriptionsWindow:
    """The table of the decks, and below it what the last check found."""

    def __init__(self, decks: Mapping[str, Subscription], found: Sequence[Finding]) -> None:
        self._decks = _by_name(decks)
        self._found = found
        self.dialog = dialog(self, say("subscriptions_title"), self._write)
        qconnect(self.dialog.finished, self._closed)
        gui_hooks.operation_did_execute.append(self._changed)
        layout = QVBoxLayout(self.dialog)
        self._table = QTreeWidget()
        self._table.setRootIsDecorated(False)
        self._table.setHeaderLabels(
            [say(key) for key in ("column_deck", "column_version", "last_look", "state")]
        )
        self._table.setSizeAdjustPolicy(QAbstractScrollArea.SizeAdjustPolicy.AdjustToContents)
        self._table.setStyleSheet("QTreeView::item, QHeaderView::section { padding: 3px 6px }")
        columns = self._table.header()
        columns.setStretchLastSection(False)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._table.setAccessibleName(say("decks").replace("&", ""))
        about = QLabel(say("decks"))
        about.setBuddy(self._table)
        layout.addWidget(about)
        layout.addWidget(self._table, 2)
        self._view = text_view(say("found"), self._write)
        layout.addWidget(self._view, 1)
        self._add_buttons(layout)
        qconnect(self._table.itemActivated, lambda *_: self._show())
        qconnect(self._table.currentItemChanged, lambda *_: self._allow())
        self._fill()
        self._write()
        self._table.setFocus()
        fit(self.dialog)
        self.dialog.show()

    def _add_buttons(self, layout: QVBoxLayout) -> None:
        self._of_deck = [
            button(say("show"), self._show, is_main=True),
            button(say("open_page"), self._open_page),
            button(say("unfollow"), self._unfollow),
        ]
        button_row(layout, self._of_deck)
        changes = button(say("changes"), lambda: open_changes(self._chosen()[0]))
        self._of_deck.append(changes)
        button_row(
            layout, [button(say("check"), check_now), changes], button(say("close"), self.dialog.close)
        )

    def _closed(self, _: int) -> None:
        _open.clear()
        gui_hooks.operation_did_execute.remove(self._changed)

    def _changed(self, changes: Any, _: object) -> None:
        """Read again after an update, an undo or the end of a subscription."""
        if changes.config:
            read(subscriptions, self._read)

    def _read(self, decks: Mapping[str, Subscription]) -> None:
        if _open:
            self._decks = _by_name(decks)
            self._fill()
            self._write()

    def show_findings(self, found: Sequence[Finding]) -> None:
        """Show what a check found."""
        self._found = found
        self._fill()
        self._write()
        fit(self.dialog)
        self.dialog.activateWindow()

    def _fill(self) -> None:
        row = max(0, self._table.indexOfTopLevelItem(self._table.currentItem()))
        self._table.clear()
        for _, own in self._decks:
            known = memory(own.address)
            checked = known.get("day", 0)
            last = day(date.fromordinal(checked)) if checked > 0 else say("never")
            state = [_state(own, known)]
            if own.waiting:
                state.append(say("to_look_at", count=len(own.waiting)))
            cells = (own.name, own.version, last, " · ".join(state))
            item = QTreeWidgetItem([short(cell, _LONGEST_NAME) for cell in cells])
            item.setToolTip(0, short(own.address))
            font = item.font(0)
            font.setBold(_has_update(own, known))
            for column in range(len(cells)):
                item.setFont(column, font)
            self._table.addTopLevelItem(item)
        if self._decks:
            self._table.setCurrentItem(self._table.topLevelItem(min(row, len(self._decks) - 1)))
        self._allow()

    def _allow(self) -> None:
        """Show an update only where there may be one."""
        for each in self._of_deck:
            each.setEnabled(bool(self._decks))
        if self._table.currentItem():
            _, own = self._chosen()
            self._of_deck[0].setEnabled(_state(own, memory(own.address)) != say("is_current"))

    def _write(self) -> None:
        """Write the problems that the last check found; the table has the rest."""
        addresses = {own.address for _, own in self._decks}
        problems = [each.problem for each in self._found if each.problem and each.address in addresses]
        self._view.clear()
        align(self._view)
        self._view.setVisible(bool(problems))
        for line in problems:
            write(self._view, [MarkedWords("", line)])
        go_to_top(self._view)

    def _chosen(self) -> tuple[str, Subscription]:
        row: int = self._table.indexOfTopLevelItem(self._table.currentItem())
        return self._decks[row]

    def _show(self) -> None:
        feed_id, own = self._chosen()
        Look(own.address, by_hand=True, followed=(feed_id, own))

    def _open_page(self) -> None:
        openLink(self._chosen()[1].address.replace(f"/{FEED}", "/"))

    def _unfollow(self) -> None:
        feed_id, own = self._chosen()
        stop = (say("stop"), lambda: stop_following(feed_id, own.name))
        ask(say("ask_unfollow", name=own.name), stop, nothing=tr.actions_cancel())


def _by_name(decks: Mapping[str, Subscription]) -> list[tuple[str, Subscription]]:
    return sorted(decks.items(), key=lambda each: each[1].name.casefold())


def _has_update(own: Subscription, known: Mapping[str, Any]) -> bool:
    return bool(known.get("release", 0) > own.release)


def _state(own: Subscription, known: Mapping[str, Any]) -> str:
    if known.get("problem"):
        return say("failed")
    if "release" not in known:
        return say("not_looked")
    if _has_update(own, known):
        return say("has_update", version=known["version"])
    return say("is_current")
