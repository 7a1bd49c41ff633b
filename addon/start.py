"""Connects the add-on with Anki. Everything else is loaded when it is needed, so that Anki starts quickly."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from aqt import gui_hooks, mw
from aqt.qt import QMenu, QTimer, qconnect
from aqt.utils import tooltip

from addon.texts import say

_AFTER_OPENING = 2_000
_HOURS = 6
_WELCOME = 15_000
"""Milliseconds for which a new user sees where the menu is."""
_ENTRIES = ("add", "check", "changes", "subscriptions")
"""The entries of the menu; `actions` has what they do."""
_TOLD = "ptcards_told"
"""Where a profile remembers that it was told where the menu is."""
_PAGE = re.compile(r"https?://[^\s\"'<>()\\]+/(?=#v=)")
"""The page of a deck's releases, to which its description has a link."""


@cache
def _actions() -> Any:
    from addon import actions  # noqa: PLC0415 - 60 ms

    return actions


def _by_the_clock() -> None:
    if mw.col:
        _actions().by_the_clock()


def _opened() -> None:
    if not mw.pm.profile.get(_TOLD):
        mw.pm.profile[_TOLD] = True
        tooltip(say("installed"), period=_WELCOME, parent=mw)
    # After the sync, because another computer may have brought the update.
    if not (mw.pm.auto_syncing_enabled() and mw.pm.sync_auth()):
        QTimer.singleShot(_AFTER_OPENING, _by_the_clock)


def _closing() -> None:
    if _actions.cache_info().currsize:
        _actions().close_profile()


def _overview(handle: Callable[[str], bool], links: list[list[str]]) -> Callable[[str], bool]:
    page = _PAGE.search(mw.col.decks.current().get("desc", ""))
    ours: Callable[[str], bool] = _actions().add_follow_button(page[0], handle, links) if page else handle
    return ours


def _card_menu(place: Any, menu: Any) -> None:
    if place.card:
        _actions().add_to_card_menu(menu, place.card.note())


def _add_menu() -> None:
    menu = QMenu(say("menu"), mw)
    for key in _ENTRIES:
        qconnect(menu.addAction(say(key)).triggered, lambda _, key=key: _actions().ENTRIES[key]())
    mw.form.menuTools.addMenu(menu)


_add_menu()
gui_hooks.profile_did_open.append(_opened)
gui_hooks.profile_will_close.append(_closing)
gui_hooks.sync_did_finish.append(_by_the_clock)
gui_hooks.overview_will_render_bottom.append(_overview)
gui_hooks.reviewer_will_show_context_menu.append(_card_menu)
gui_hooks.browser_will_show_context_menu.append(_card_menu)
mw.progress.timer(_HOURS * 3600 * 1000, _by_the_clock, True, parent=mw)  # noqa: FBT003 - Anki's own parameter
