"""What the menus and buttons of the add-on do; `start` loads it when it is first needed."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from aqt import gui_hooks, mw
from aqt.qt import QInputDialog, QLineEdit, qconnect
from aqt.utils import tr

from addon.changes_window import open_changes
from addon.collection import feed_of, subscriptions
from addon.follow import Finding, Look, forget_lists, memory, read, today
from addon.loading import delete_old_packages, stop_loading
from addon.network import feed_address
from addon.subscriptions_window import check_now, open_subscriptions
from addon.suggestion_window import suggest_edit
from addon.texts import say
from addon.windows import close_windows, show_next, tell
from ptcards.extensions.publish.subscription.state import Subscription
from ptcards.extensions.publish.subscription.update import title_of

_COMMAND = "ptcards_follow"
_ADDRESS = re.compile(r"(?:\w+://)?(?:[^\s/]*[.:][^\s/]*|localhost)(?:/.*)?")
"""Matches what may be an address: a server, then perhaps a path."""
_wrong = [""]
"""What was typed last, as long as it led to no deck: it can be corrected."""


def add_deck() -> None:
    """Ask for the address of a deck, and look at it."""
    window = QInputDialog(mw)
    window.setWindowTitle(say("menu"))
    window.setLabelText(say("address"))
    window.setOkButtonText(say("yes"))
    window.setCancelButtonText(tr.actions_cancel())  # Qt has another word in some languages
    window.setTextValue(_wrong[0])
    field = window.findChild(QLineEdit)
    field.setPlaceholderText("https://example.org/deck/")
    field.selectAll()
    window.resize(min(560, window.screen().availableSize().width()), window.sizeHint().height())
    qconnect(window.textValueSelected, lambda text: _follow(text.strip()))
    window.open()


def _follow(text: str) -> None:
    _wrong[0] = text
    if _ADDRESS.fullmatch(text):
        Look(feed_address(text), by_hand=True, report=_looked)
    elif text:
        tell(say("not_an_address", text=text))


def _looked(found: Finding | None) -> None:
    """Show what an address led to, and forget it unless it was wrong."""
    if found:
        if not found.problem:
            _wrong[0] = ""
        found.show()


ENTRIES: Mapping[str, Callable[[], object]] = {
    "add": add_deck,
    "check": check_now,
    "changes": open_changes,
    "subscriptions": open_subscriptions,
}
"""What the entries of the menu do."""


def by_the_clock() -> None:
    """Look at the decks that were not looked at today."""

    def found(decks: Mapping[str, Subscription]) -> None:
        for feed_id, own in decks.items():
            if memory(own.address).get("day") != today():
                Look(own.address, by_hand=False, followed=(feed_id, own))

    read(subscriptions, found)


def close_profile() -> None:
    """Stop loading, and close the windows, because the profile is closed."""
    stop_loading()
    _wrong[0] = ""
    forget_lists()
    close_windows()


def add_follow_button(
    page: str, handle: Callable[[str], bool], links: list[list[str]]
) -> Callable[[str], bool]:
    """Add a button to the overview of a deck with the page of its releases, unless it is followed already."""
    address = feed_address(page)
    if address.partition("#")[0] in {own.address.partition("#")[0] for own in subscriptions(mw.col).values()}:
        return handle
    links.append(["", _COMMAND, say("follow")])

    def handle_ours(command: str) -> bool:
        if command == _COMMAND:
            Look(address, by_hand=True)
            return False
        return handle(command)

    return handle_ours


def add_to_card_menu(menu: Any, note: Any) -> None:
    """Add the way back to the menu of a card that a deck brought."""
    feed_id = feed_of(mw.col, note)
    if feed_id is not None:
        own = subscriptions(mw.col)[feed_id]
        action = menu.addAction(say("suggest"))
        title = title_of(note.fields)
        qconnect(action.triggered, lambda _: suggest_edit(feed_id, own.address, note.guid, title))


delete_old_packages()  # before a window needs one
gui_hooks.state_did_change.append(lambda *_: show_next())
