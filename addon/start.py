"""What Anki shows of the add-on: the menu, the button in a deck's overview, and the entries for a card."""

import re
from collections.abc import Callable, MutableSequence
from functools import partial
from typing import Any

from aqt import gui_hooks, mw
from aqt.qt import QInputDialog, QMenu, QTimer, qconnect

from addon.changes_window import open_changes
from addon.collection import feed_of, subscriptions
from addon.follow import Look, look_at_all
from addon.loading import delete_old_packages, stop_loading
from addon.network import feed_address
from addon.suggestion_window import suggest_edit
from addon.texts import say
from addon.windows import forget_waiting, show_next

_AFTER_OPENING = 2_000
_HOURS = 6
_COMMAND = "ptcards_follow"
_LINK = re.compile(r"https?://[^\s\"'<>()\\]+/(?=#v=)")


def add_deck() -> None:
    """Ask for the address of a deck, and look at it."""
    window = QInputDialog(mw)
    window.setWindowTitle(say("menu"))
    window.setLabelText(say("address"))
    window.resize(560, window.sizeHint().height())
    qconnect(window.textValueSelected, lambda text: text.strip() and Look(feed_address(text), by_hand=True))
    window.open()


def followed_by(description: str) -> str:
    """Return the address of the feed whose page a deck's description leads to, or an empty text."""
    found = _LINK.search(description)
    return feed_address(found[0]) if found else ""


def add_follow_button(
    handle: Callable[[str], bool], links: MutableSequence[list[str]]
) -> Callable[[str], bool]:
    """Add a button to the overview of a deck that can be followed, and is not yet."""
    address = followed_by(mw.col.decks.current().get("desc", ""))
    if not address or address in {own.address for own in subscriptions(mw.col).values()}:
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
        title = re.sub(r"<[^>]*>", " ", note.fields[0]).strip()
        qconnect(action.triggered, lambda _: suggest_edit(own.address, note.guid, title))


def _reviewer_menu(reviewer: Any, menu: Any) -> None:
    if reviewer.card:
        add_to_card_menu(menu, reviewer.card.note())


def _browser_menu(browser: Any, menu: Any) -> None:
    if browser.card:
        add_to_card_menu(menu, browser.card.note())


def _opened() -> None:
    delete_old_packages()
    if not (mw.pm.auto_syncing_enabled() and mw.pm.sync_auth()):
        QTimer.singleShot(_AFTER_OPENING, _by_the_clock)


def _by_the_clock() -> None:
    if mw.col:
        look_at_all()


def _closed() -> None:
    stop_loading()
    forget_waiting()


def _add_menu() -> None:
    menu = QMenu(say("menu"), mw)
    for key, run in (
        ("add", add_deck),
        ("check", partial(look_at_all, by_hand=True)),
        ("changes", open_changes),
    ):
        qconnect(menu.addAction(say(key)).triggered, lambda _, run=run: run())
    mw.form.menuTools.addMenu(menu)


_add_menu()
gui_hooks.profile_did_open.append(_opened)
gui_hooks.profile_will_close.append(_closed)
# After the sync, because another computer may have brought the update.
gui_hooks.sync_did_finish.append(_by_the_clock)
gui_hooks.state_did_change.append(lambda *_: show_next())
gui_hooks.overview_will_render_bottom.append(add_follow_button)
gui_hooks.reviewer_will_show_context_menu.append(_reviewer_menu)
gui_hooks.browser_will_show_context_menu.append(_browser_menu)
mw.progress.timer(_HOURS * 3600 * 1000, _by_the_clock, True, parent=mw)  # noqa: FBT003 - Anki's own parameter
