"""The learner's own changes: where a field differs from the author's, and what to do about it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aqt import gui_hooks
from aqt.qt import QComboBox, QHBoxLayout, QLabel, QListWidget, QVBoxLayout, qconnect

from addon.collection import dangers_of, differences, keep_mine, subscriptions, take_authors
from addon.follow import change, explain, read, show_failure, stop_following
from addon.loading import Loaded, Loading, Then
from addon.suggestion_window import SuggestionWindow
from addon.texts import say
from addon.update_window import DANGERS
from addon.windows import ask, button, dialog, go_to_top, label, notice, short, text_view, write
from ptcards.extensions.publish.subscription.state import Subscription
from ptcards.extensions.publish.subscription.update import Difference, RefusedUpdateError, marked_words


def open_changes() -> None:
    """Open the window, if a deck is followed."""

    def found(decks: Mapping[str, Subscription]) -> None:
        if decks:
            ChangesWindow(decks)
        else:
            notice(say("no_decks"))

    read(subscriptions, found)


class ChangesWindow:
    """The fields of one deck in which learner and author differ, those that wait for the learner first."""

    def __init__(self, decks: Mapping[str, Subscription]) -> None:
        self._decks = list(decks.items())
        self._is_open = True
        self._found: Loaded | None = None
        self._differences: Sequence[Difference] = ()
        self.dialog = dialog(self, say("your_changes"), self._show_again)
        qconnect(self.dialog.finished, self._closed)
        gui_hooks.operation_did_execute.append(self._changed)
        layout = QVBoxLayout(self.dialog)
        self._add_decks(layout)
        self._about = label("")
        layout.addWidget(self._about)
        self._list = QListWidget()
        self._list.setAccessibleName(say("fields").replace("&", ""))
        heading = QLabel(say("fields"))
        heading.setBuddy(self._list)
        layout.addWidget(heading)
        layout.addWidget(self._list, 2)
        layout.addWidget(label(say("difference")))
        self._view = text_view(say("difference"))
        layout.addWidget(self._view, 3)
        self._add_buttons(layout)
        qconnect(self._list.currentRowChanged, self._show)
        qconnect(self._deck.currentIndexChanged, self._load)
        self._load()
        self._list.setFocus()
        self.dialog.show()

    def _add_decks(self, layout: QVBoxLayout) -> None:
        row = QHBoxLayout()
        self._deck = QComboBox()
        self._deck.addItems([short(f"{own.name} {own.version}") for _, own in self._decks])
        about = QLabel(say("deck"))
        about.setBuddy(self._deck)
        row.addWidget(about)
        row.addWidget(self._deck, 1)
        row.addWidget(button(say("unfollow"), self._unfollow))
        layout.addLayout(row)

    def _add_buttons(self, layout: QVBoxLayout) -> None:
        row = QHBoxLayout()
        self._buttons = [
            button(say("keep_mine"), lambda: self._settle(self._keep)),
            button(say("take"), lambda: self._settle(self._take)),
            button(say("suggest_edit"), self._suggest),
        ]
        for each in (*self._buttons, button(say("close"), self.dialog.close)):
            row.addWidget(each)
        layout.addLayout(row)

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
        if text := explain(failure):
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
        about = say("of_version", new=newest.version, old=old.version) if is_newer else ""
        self._about.setText("\n".join(filter(None, (about, "" if found else say("no_differences")))))
        self._about.setVisible(bool(self._about.text()))
        self._fill(found)

    def _fill(self, found: Sequence[Difference]) -> None:
        """Show differences in the list; the selected place stays, so that the keys go on to the next one."""
        row = max(0, min(self._list.currentRow(), len(found) - 1))
        self._differences = found
        self._list.clear()
        self._list.addItems(map(_line, found))
        self._list.setCurrentRow(row if found else -1)
        self._show(self._list.currentRow())

    def _show(self, row: int) -> None:
        self._view.clear()
        is_one = 0 <= row < len(self._differences)
        for each in self._buttons:
            each.setEnabled(is_one)
        if is_one:
            write(self._view, marked_words(self._differences[row].authors, self._differences[row].mine))
            go_to_top(self._view)

    def _show_again(self) -> None:
        self._show(self._list.currentRow())

    def _settle(self, how: Callable[[Difference, Loaded], None]) -> None:
        if self._found:
            how(self._differences[self._list.currentRow()], self._found)

    def _keep(self, difference: Difference, found: Loaded) -> None:
        title = say("undo_keep")
        change(lambda col: keep_mine(col, found.source.feed.id, difference, title))

    def _take(self, difference: Difference, found: Loaded, *, trusts: bool = False) -> None:
        title = say("undo_take")

        def refused(failure: Exception) -> None:
            if isinstance(failure, RefusedUpdateError):
                kinds = (DANGERS[each.kind] for each in dangers_of(difference))
                about = "\n".join(say(kind, where=difference.title) for kind in kinds)
                ask(about, (say("trust"), lambda: self._take(difference, found, trusts=True)))
            else:
                show_failure(failure)

        change(
            lambda col: take_authors(col, found.source, found.file, difference, title, trusts=trusts),
            failed=refused,
        )

    def _suggest(self) -> None:
        if self._found:
            chosen = self._differences[self._list.currentRow()]
            of_note = [each for each in self._differences if each.guid == chosen.guid]
            SuggestionWindow(self._found.source, chosen.guid, chosen.title, of_note)

    def _unfollow(self) -> None:
        feed_id, own = self._decks[self._deck.currentIndex()]

        def stop() -> None:
            self.dialog.close()
            stop_following(feed_id, own.name)

        ask(say("ask_unfollow", name=own.name), (say("stop"), stop))


def _line(difference: Difference) -> str:
    waits = f"[{say('to_decide')}] " if difference.waits else ""
    return f"{waits}{difference.title} · {difference.field}"
