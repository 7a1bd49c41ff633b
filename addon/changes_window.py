"""The learner's own changes: where a field differs from the author's, and what to do about it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aqt import gui_hooks, mw
from aqt.qt import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    Qt,
    QVBoxLayout,
    qconnect,
)

from addon.collection import dangers_of, differences, keep_mine, subscriptions, take_authors
from addon.follow import change, done, explain, read, show_failure
from addon.loading import Loaded, Loading, Then
from addon.suggestion_window import SuggestionWindow
from addon.texts import isolated, say
from addon.update_window import DANGERS, MAIN_FIELD, write_difference
from addon.windows import (
    align,
    ask,
    button,
    button_row,
    dialog,
    fit,
    go_to_top,
    is_written_to_left,
    label,
    notice,
    short,
    text_view,
)
from ptcards.extensions.publish.subscription.plain_text import written
from ptcards.extensions.publish.subscription.state import Subscription
from ptcards.extensions.publish.subscription.update import Difference, RefusedUpdateError

_MOST_SHOWN = 50
"""Fields whose texts are shown together."""
_MOST_MEASURED = 20
"""Fields for whose texts a window has room from the start."""
_FEWEST_ROWS, _MOST_ROWS = 2, 8
"""How many lines the list has room for."""


def open_changes(first: str = "") -> None:
    """Open the window, if a deck is followed, with the one that has the feed with this id."""

    def found(decks: Mapping[str, Subscription]) -> None:
        if decks:
            ChangesWindow(decks, first)
        else:
            notice(say("no_decks"))

    read(subscriptions, found)


class ChangesWindow:
    """The fields of one deck in which learner and author differ, those that wait for the learner first.

    It begins with a deck in which something waits, unless the id of another feed is `first`.
    """

    def __init__(self, decks: Mapping[str, Subscription], first: str) -> None:
        self._decks = sorted(
            decks.items(),
            key=lambda each: (each[0] != first, not each[1].waiting, each[1].name.casefold()),
        )
        self._is_open = True
        self._found: Loaded | None = None
        self._differences: Sequence[Difference] = ()
        self._of_note = Counter[str]()
        self.dialog = dialog(self, say("your_changes"), self._show)
        qconnect(self.dialog.finished, self._closed)
        gui_hooks.operation_did_execute.append(self._changed)
        layout = QVBoxLayout(self.dialog)
        self._list = QListWidget()
        self._all = button(say("select_all"), self._list.selectAll)
        self._add_decks(layout)
        self._about = label("")
        layout.addWidget(self._about)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._list.setWordWrap(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setAccessibleName(say("fields").replace("&", ""))
        heading = QLabel(say("fields"))
        heading.setBuddy(self._list)
        layout.addWidget(heading)
        layout.addWidget(self._list)
        about = label(say("difference"))
        layout.addWidget(about)
        self._view = text_view(say("difference"), self._show)
        layout.addWidget(self._view, 1)
        self._add_buttons(layout)
        self._of_fields = [heading, self._list, about, self._view, *self._of_many, self._of_one]
        layout.addStretch()
        qconnect(self._list.itemSelectionChanged, self._show)
        qconnect(self._deck.currentIndexChanged, self._load)
        self._load()
        self._list.setFocus()
        self.dialog.show()

    def _add_decks(self, layout: QVBoxLayout) -> None:
        row = QHBoxLayout()
        self._deck = QComboBox()
        self._deck.addItems([short(f"{isolated(own.name)} {own.version}") for _, own in self._decks])
        about = QLabel(say("deck"))
        about.setBuddy(self._deck)
        row.addWidget(about)
        row.addWidget(self._deck, 1)
        row.addWidget(self._all)
        layout.addLayout(row)

    def _add_buttons(self, layout: QVBoxLayout) -> None:
        self._of_many = [
            button(say("keep_mine"), lambda: self._settle(self._keep)),
            button(say("take"), lambda: self._settle(self._take)),
        ]
        self._of_one = button(say("suggest_edit"), self._suggest)
        row = QHBoxLayout()
        for each in self._of_many:
            row.addWidget(each, 1)  # each is below the text that it leaves
        layout.addLayout(row)
        button_row(layout, [self._of_one], button(say("close"), self.dialog.close))

    def _closed(self, _: int) -> None:
        self._is_open = False
        gui_hooks.operation_did_execute.remove(self._changed)

    def _changed(self, changes: Any, _: object) -> None:
        """Compare again after an edit, an update or an undo, here or elsewhere in Anki."""
        if changes.note_text or changes.config:
            self._compare()

    def _load(self, _: int = 0) -> None:
        """Load the author's texts of the chosen deck."""
        self._found = None
        self._fill(())
        self._about.setText(say("loading"))
        feed_id, own = self._decks[self._deck.currentIndex()]
        Loading(own.address, Then(self._loaded, self._failed), feed_id=feed_id, is_shown=False)

    def _loaded(self, found: Loaded) -> None:
        if self._is_open and found.source.address == self._decks[self._deck.currentIndex()][1].address:
            self._found = found
            self._compare()

    def _failed(self, failure: Exception) -> None:
        own = self._decks[self._deck.currentIndex()][1]
        if text := explain(failure, own.address, own):
            if self._is_open:
                self._about.setText(short(text))
        else:
            show_failure(failure)

    def _compare(self) -> None:
        """Compare the collection with the author's texts."""
        if found := self._found:
            read(lambda col: differences(col, found.source), self._compared)

    def _compared(self, found: Sequence[Difference]) -> None:
        if not self._is_open or not self._found:
            return
        old, newest = self._decks[self._deck.currentIndex()][1], self._found.source.feed.newest
        is_newer = newest.time != old.release
        about = [
            say("of_version", new=newest.version, old=old.version) if is_newer else "",
            "" if found else say("no_differences"),
            say("waiting_means") if any(each.waits for each in found) else "",
        ]
        self._about.setText("\n".join(filter(None, about)))
        self._about.setVisible(bool(self._about.text()))
        is_other = not (found and self._differences)
        self._fill(found)
        fit(self.dialog, shrinks=is_other)
        # It has room for each, so that nothing moves from one to the next.
        for each in found[:_MOST_MEASURED]:
            self._write([each])
            fit(self.dialog)
        self._show()

    def _fill(self, found: Sequence[Difference]) -> None:
        """Show differences in the list; the current place stays, so that the keys go on to the next one."""
        row = max(0, min(self._list.currentRow(), len(found) - 1))
        self._differences = found
        self._of_note = Counter(each.guid for each in found)
        self._list.clear()
        direction = Qt.LayoutDirection
        self._list.setLayoutDirection(
            direction.RightToLeft if self._to_left(found) else direction.LeftToRight
        )
        for each in found:
            self._list.addItem(_item(each, self._name(each)))
        line = self._list.fontMetrics().height() + 4
        height = sum(self._list.sizeHintForRow(row) for row in range(min(len(found), _MOST_ROWS)))
        height = max(_FEWEST_ROWS * line, min(height, _MOST_ROWS * line))
        self._list.setFixedHeight(height + 2 * self._list.frameWidth() + 4)
        self._list.setCurrentRow(row if found else -1)
        self._all.setEnabled(len(found) > 1)
        for each in self._of_fields:
            each.setVisible(bool(found or not self._found))
        self._show()

    def _to_left(self, differences: Sequence[Difference]) -> bool:
        language = self._found.source.feed.language if self._found else ""
        return is_written_to_left(language, [each.title for each in differences])

    def _chosen(self) -> Sequence[Difference]:
        """Return the differences that are selected."""
        rows = sorted(self._list.row(each) for each in self._list.selectedItems())
        return [self._differences[row] for row in rows if row < len(self._differences)]

    def _show(self) -> None:
        """Show the texts of the selected fields, the learner's above the author's."""
        chosen = self._chosen()
        for each in self._of_many:
            each.setEnabled(bool(chosen))
        self._of_one.setEnabled(len({each.guid for each in chosen}) == 1)
        self._write(chosen)
        go_to_top(self._view)
        fit(self.dialog)

    def _write(self, chosen: Sequence[Difference]) -> None:
        """Write the texts of some fields."""
        self._view.clear()
        align(self._view, to_left=self._to_left(chosen))
        for each in chosen[:_MOST_SHOWN]:
            write_difference(self._view, each, self._name(each) if len(chosen) > 1 else "")

    def _name(self, each: Difference) -> str:
        """Return what a field is called: its note, and its own name unless it is clear."""
        is_clear = each.field == MAIN_FIELD and self._of_note[each.guid] == 1
        return each.title if is_clear else f"{each.title} · {isolated(each.field)}"

    def _settle(self, how: Callable[[Sequence[Difference], Loaded], None]) -> None:
        if self._found and (chosen := self._chosen()):
            how(chosen, self._found)

    def _keep(self, chosen: Sequence[Difference], found: Loaded) -> None:
        title = say("undo_keep")
        change(lambda col: keep_mine(col, found.source.feed.id, chosen, title))

    def _take(self, chosen: Sequence[Difference], found: Loaded, *, trusts: bool = False) -> None:
        title = say("undo_take")

        def refused(failure: Exception) -> None:
            if isinstance(failure, RefusedUpdateError):
                where = ", ".join(dict.fromkeys(each.title for each in chosen if dangers_of(mw.col, [each])))
                kinds = (DANGERS[each.kind] for each in dangers_of(mw.col, chosen))
                about = "\n".join(say(kind, where=where) for kind in kinds)
                ask(about, (say("trust"), lambda: self._take(chosen, found, trusts=True)))
            else:
                show_failure(failure)

        change(
            lambda col: take_authors(col, found.source, found.file, chosen, title, trusts=trusts),
            lambda _: notice(done(found.source.feed)),
            failed=refused,
        )

    def _suggest(self) -> None:
        if self._found:
            chosen = self._chosen()[0]
            SuggestionWindow(self._found.source, chosen.guid, chosen.title, self._differences)


def _item(difference: Difference, name: str) -> Any:
    """Return an item of the list; one that waits has a mark, which a screen reader says in words."""
    name = written(name)
    item = QListWidgetItem(f"● {name}" if difference.waits else name)
    if difference.waits:
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{say('to_decide')}: {name}")
        font = item.font()
        font.setBold(True)
        item.setFont(font)
    return item
