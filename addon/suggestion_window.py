"""The way back: a learner suggests an edit, as an issue that a page is filled in with, or as a file."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aqt import mw
from aqt.qt import QFileDialog, QLabel, QPlainTextEdit, Qt, QVBoxLayout, qconnect
from aqt.utils import openLink

from addon.collection import differences
from addon.follow import read, show_failure
from addon.loading import Loaded, Loading, Then
from addon.texts import isolated, say
from addon.update_window import write_difference
from addon.windows import (
    align,
    button,
    button_row,
    dialog,
    fit,
    go_to_top,
    is_written_to_left,
    label,
    short,
    tell,
    text_view,
)
from ptcards.extensions.publish.subscription.package import media_in
from ptcards.extensions.publish.subscription.plain_text import written
from ptcards.extensions.publish.subscription.suggestion import Suggestion, as_file, as_issue, suggestion_of
from ptcards.extensions.publish.subscription.update import Difference, FeedSource

_SUFFIX = ".suggestion"
_GITHUB = "github.com"
_REASON = 90
"""The height of the reason in pixels if there are texts below it."""


def suggest_edit(feed_id: str, address: str, guid: str, title: str) -> None:
    """Load the author's text of a note, then open the window."""

    def loaded(found: Loaded) -> None:
        def open_window(differing: Sequence[Difference]) -> None:
            SuggestionWindow(found.source, guid, title, differing)

        if guid in found.source.package.notes:
            read(lambda col: differences(col, found.source), open_window)
        else:
            tell(say("not_in_release"))

    failed = partial(show_failure, address=address)
    Loading(address, Then(loaded, failed), feed_id=feed_id, is_shown=True)


class SuggestionWindow:
    """What a learner writes to an author about a note, with the fields in which they differ."""

    def __init__(self, source: FeedSource, guid: str, title: str, differing: Sequence[Difference]) -> None:
        self._source = source
        self._guid = guid
        self._title = written(title)
        self._differing = [each for each in differing if each.guid == guid]
        heading = say("suggestion", name=source.feed.name)
        self.dialog = dialog(self, heading, self._fill)
        layout = QVBoxLayout(self.dialog)
        layout.addWidget(label(heading, bold=1.2))
        layout.addWidget(label(isolated(title), bold=1))
        self._reason = QPlainTextEdit()
        self._reason.setTabChangesFocus(True)
        self._to_left = is_written_to_left(source.feed.language, [title])
        if self._to_left:  # before anything is written, too
            option = self._reason.document().defaultTextOption()
            option.setTextDirection(Qt.LayoutDirection.RightToLeft)
            option.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
            self._reason.document().setDefaultTextOption(option)
        about = QLabel(say("reason"))
        about.setBuddy(self._reason)
        layout.addWidget(about)
        layout.addWidget(self._reason, 1)
        names = ", ".join(each.field for each in self._differing)
        layout.addWidget(label(say("with_fields", names=names) if names else say("without_fields")))
        self._view = text_view(say("difference"), self._fill)
        if self._differing:
            self._reason.setFixedHeight(_REASON)
            layout.addWidget(self._view, 1)
        self._fill()
        pictures = {
            name for each in self._differing for name in {*media_in(each.mine)} - {*media_in(each.authors)}
        }
        if pictures:
            layout.addWidget(
                label(say("pictures_stay", count=len(pictures), names=", ".join(sorted(pictures))))
            )
        layout.addWidget(label(say("you_send" if self._host() else "you_send_file")))
        self._saved = label("")
        self._saved.setVisible(False)
        layout.addWidget(self._saved)
        self._ways: list[Any] = []
        if host := self._host():
            text = say("open_host", host="GitHub" if host == _GITHUB else host.replace("&", "&&"))
            self._ways.append(button(text, self._open, is_main=True))
        self._ways.append(button(say("save"), self._save, is_main=not self._ways))
        button_row(layout, [button(say("close"), self.dialog.close)], *reversed(self._ways))
        qconnect(self._reason.textChanged, self._allow)
        self._allow()
        self._reason.setFocus()
        fit(self.dialog)
        self.dialog.show()

    def _fill(self) -> None:
        self._view.clear()
        align(self._view, to_left=self._to_left)
        for each in self._differing:
            write_difference(self._view, each, each.field if len(self._differing) > 1 else "")
        go_to_top(self._view)

    def _allow(self) -> None:
        """Let the suggestion go only if it says something."""
        for each in self._ways:
            each.setEnabled(bool(self._differing or self._reason.toPlainText().strip()))

    def _host(self) -> str:
        """Return where the author takes suggestions, or an empty text if only files can be sent."""
        try:
            parts = urlsplit(self._source.feed.issues)
        except ValueError:  # a bad IPv6 address
            return ""
        return parts.hostname or "" if parts.scheme == "https" else ""

    def _suggestion(self) -> Suggestion:
        return suggestion_of(self._source.feed, self._guid, self._reason.toPlainText(), self._differing)

    def _open(self) -> None:
        deck = self._source.package.notes[self._guid].deck
        address, is_complete = as_issue(self._suggestion(), self._source.feed.issues, self._title, deck)
        openLink(address)
        if not is_complete:
            tell(say("cut"))

    def _save(self) -> None:
        folder = Path.home() / f"{self._source.feed.id}-{self._guid_as_name()}{_SUFFIX}"
        chosen = QFileDialog(
            mw, say("suggestion_file"), str(folder), f"{say('suggestion_file')} (*{_SUFFIX})"
        )
        chosen.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chosen.setDefaultSuffix(_SUFFIX.removeprefix("."))
        chosen.fileSelected.connect(self._write)
        chosen.open()

    def _guid_as_name(self) -> str:
        return "".join(letter for letter in self._guid if letter.isalnum())

    def _write(self, file: str) -> None:
        try:
            Path(file).write_bytes(as_file(self._suggestion()))
        except OSError as failure:
            show_failure(failure)
            return
        self._saved.setText(short(say("saved", file=file)))
        self._saved.setVisible(True)
