"""Follows decks: looks at a feed, shows what it changes, and applies it.

Only the learner's buttons change anything.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from anki.collection import Collection
from aqt import mw
from aqt.errors import show_exception
from aqt.operations import CollectionOp, QueryOp
from aqt.utils import shortcut

from addon.collection import Applied, Choices, apply_update, change_address, look, subscriptions, unfollow
from addon.loading import Loaded, Loading, Then
from addon.network import NetworkError
from addon.texts import say
from addon.update_window import MOST_LISTED, Decisions, UpdateWindow
from addon.windows import ask, notice, tell, wait_for_decks
from ptcards.extensions.publish.subscription.feed import BrokenFeedError, NewerFeedError, NotAFeedError
from ptcards.extensions.publish.subscription.package import RefusedPackageError
from ptcards.extensions.publish.subscription.state import Subscription
from ptcards.extensions.publish.subscription.update import (
    DeckUpdate,
    ListedField,
    Refusal,
    RefusedUpdateError,
)

_DAYS_GONE = 14
_GONE = ("404 Not Found", "410 Gone")
_lists: dict[str, UpdateWindow] = {}
"""The lists that are open, by address."""


def explain(failure: Exception, own: str = "") -> str:
    """Return a sentence about what went wrong, or an empty text for a bug; `own` is the learner's version."""
    text = _reason(failure, own)
    return text[:1].upper() + text[1:]


def _reason(failure: Exception, own: str) -> str:
    match failure:
        case NetworkError():
            return say(failure.key, **failure.values)
        case NotAFeedError():
            return say("not_a_feed")
        case NewerFeedError():
            return say("newer_feed")
        case BrokenFeedError():
            return say("broken_feed", detail=failure)
        case RefusedPackageError():
            return say("broken_package", detail=failure)
        case RefusedUpdateError(reason=Refusal.WENT_BACK):
            return say("went_back", version=failure.detail, own=own)
        case OSError():
            return say("cannot_write", detail=failure)
        case _:
            return ""


def show_failure(failure: Exception, own: str = "") -> None:
    """Show what went wrong."""
    if text := explain(failure, own):
        tell(text)
    else:
        show_exception(parent=mw, exception=failure)


def memory(address: str) -> dict[str, Any]:
    """Return what only this profile on this computer remembers about a feed; it is never synced.

    `day` is the day of the last look, `etag` belongs to the feed whose newest release has the time `release`,
    `settled` is the time of the release about which there is nothing left to decide, and `gone` is the first
    day on which the address led nowhere.
    """
    found: dict[str, Any] = mw.pm.profile.setdefault("ptcards", {}).setdefault(address, {})
    return found


def read(
    op: Callable[[Collection], Any],
    then: Callable[[Any], object],
    failed: Callable[[Exception], object] = show_failure,
) -> None:
    """Read the collection in the background, then go on, unless the profile was closed meanwhile."""

    def found(result: Any) -> None:
        if mw.col:
            then(result)

    QueryOp(parent=mw, op=op, success=found).failure(failed).run_in_background()


def change(
    op: Callable[[Collection], Any],
    then: Callable[[Any], object] = lambda _: None,
    failed: Callable[[Exception], object] = show_failure,
) -> None:
    """Change the collection in the background, then go on."""
    CollectionOp(parent=mw, op=op).success(then).failure(failed).run_in_background()


def look_at_all(*, by_hand: bool = False) -> None:
    """Look at all decks: by the clock once a day, by hand always."""

    def found(decks: Mapping[str, Subscription]) -> None:
        current: list[str] = []
        if by_hand and not decks:
            notice(say("no_decks"))
        for feed_id, own in decks.items():
            if by_hand or memory(own.address).get("day") != _today():
                Look(own.address, by_hand=by_hand, followed=(feed_id, own), current=current)

    read(subscriptions, found)


def _today() -> int:
    return date.today().toordinal()  # noqa: DTZ011 - the learner's own day


class Look:
    """A look at a feed, from its loading to the learner's decision.

    `followed` is the subscription with the id of its feed, if there is one. `current` collects the names of
    decks that are up to date, so that several looks end in one notice.
    """

    def __init__(
        self,
        address: str,
        *,
        by_hand: bool,
        followed: tuple[str, Subscription] | None = None,
        current: list[str] | None = None,
    ) -> None:
        self._address = address
        self._by_hand = by_hand
        self._feed_id, self._own = followed or ("", Subscription(address))
        self._current = [] if current is None else current
        self._restore = False
        if address in _lists:
            if by_hand:
                _lists[address].dialog.activateWindow()
            return
        known = memory(address) if followed else {}
        is_known = known.get("release", -1) in (self._own.release, known.get("settled"))
        then = Then(self._loaded, self._failed, self._unchanged)
        etag = "" if by_hand or not is_known else known.get("etag", "")
        Loading(address, then, feed_id=self._feed_id, etag=etag, is_shown=by_hand)

    def _unchanged(self) -> None:
        if not self._feed_id:
            return
        known = memory(self._address)
        known["day"] = _today()
        known.pop("gone", None)

    def _loaded(self, loaded: Loaded) -> None:
        self._source, self._file, self._etag = loaded
        if self._feed_id:
            self._remember()
        if self._by_hand:
            self._decide()
        else:
            wait_for_decks(self._decide)

    def _remember(self) -> None:
        self._unchanged()
        memory(self._address).update(etag=self._etag, release=self._source.feed.newest.time)

    def _failed(self, failure: Exception) -> None:
        text = explain(failure)
        if self._by_hand or not text:
            show_failure(failure, self._own.version)
        elif isinstance(failure, NewerFeedError):
            self._unchanged()
            wait_for_decks(partial(tell, text))
        elif isinstance(failure, NetworkError) and failure.values.get("status") in _GONE:
            self._led_nowhere()

    def _led_nowhere(self) -> None:
        """Count the days on which the address leads nowhere; say so after two weeks, then begin again."""
        known = memory(self._address)
        known["day"] = _today()
        if known.setdefault("gone", _today()) <= _today() - _DAYS_GONE:
            del known["gone"]
            wait_for_decks(partial(tell, say("address_gone", name=self._own.name)))

    def _decide(self) -> None:
        def decide(col: Collection) -> tuple[DeckUpdate, Sequence[ListedField]]:
            update = look(col, self._source, restore=self._restore)
            return update, list(islice(update.listed(), MOST_LISTED))

        read(decide, lambda found: self._decided(*found), self._refused)

    def _refused(self, failure: Exception) -> None:
        refused = failure if isinstance(failure, RefusedUpdateError) else None
        if refused and refused.reason is Refusal.OTHER_ADDRESS and self._by_hand:
            self._ask_about_address(refused.detail)
        elif (
            refused and refused.reason is Refusal.DANGER
        ):  # what the learner edited while the list was open made it one
            self._decide()
        elif self._by_hand or not (refused or explain(failure)):
            show_failure(failure, self._own.version)

    def _ask_about_address(self, address: str) -> None:
        feed_id = self._source.feed.id
        follow = partial(change, lambda col: change_address(col, feed_id, self._address), self._again)
        text = say("other_address", address=address, new=self._address)
        ask(text, (say("follow_new"), follow))

    def _again(self, _: object) -> None:
        self._decide()

    def _decided(self, update: DeckUpdate, listed: Sequence[ListedField]) -> None:
        feed = self._source.feed
        is_current = update.subscription.release == feed.newest.time
        self._own = update.subscription
        if update.is_whole_deck_deleted and not self._restore:
            self._ask_about_deleted()
        elif self._by_hand and update.by_hand and is_current:
            self._show(update, listed)
        elif update.is_empty and not update.is_first and (is_current or not self._by_hand):
            memory(self._address)["settled"] = feed.newest.time
            if self._by_hand:
                self._current.append(feed.name)
                notice(say("current", names=", ".join(self._current)))
        elif self._by_hand or memory(self._address).get("settled") != feed.newest.time:
            self._show(update, listed)

    def _ask_about_deleted(self) -> None:
        feed = self._source.feed

        def bring_back() -> None:
            self._restore = True
            self._decide()

        stop = partial(stop_following, feed.id, feed.name)
        ask(say("deleted", name=feed.name), (say("stop"), stop), (say("bring_back"), bring_back))

    def _show(self, update: DeckUpdate, listed: Sequence[ListedField]) -> None:
        if self._address in _lists:
            return
        window = UpdateWindow(update, listed, Decisions(self._apply, self._skip))
        _lists[self._address] = window
        window.when_closed(lambda: _lists.pop(self._address, None))

    def _skip(self) -> None:
        memory(self._address)["settled"] = self._source.feed.newest.time

    def _apply(self, choices: Choices) -> None:
        self._by_hand = True  # whoever presses Update hears if it fails
        feed = self._source.feed
        key = "undo_update" if self._own.release else "undo_subscribe"
        title = say(key, name=feed.name, version=feed.newest.version)
        wanted = choices._replace(restore=self._restore)
        backups = mw.pm.backupFolder()

        def apply(col: Collection) -> Applied:
            col.create_backup(backup_folder=backups, force=True, wait_for_completion=True)
            with tempfile.TemporaryDirectory() as folder:
                work = Path(folder, "work.apkg")
                return apply_update(col, self._source, self._file, wanted, work=work, title=title)

        change(apply, self._applied, self._refused)

    def _applied(self, applied: Applied) -> None:
        feed = self._source.feed
        self._feed_id = feed.id
        self._remember()
        done = say("done", name=feed.name, version=feed.newest.version, keys=shortcut("Ctrl+Z"))
        waiting = applied.update.to_look_at
        notice(done + (f"\n{say('to_look_at', count=waiting)}" if waiting else ""))


def stop_following(feed_id: str, name: str) -> None:
    """Forget a subscription; its notes stay."""
    change(lambda col: unfollow(col, feed_id), lambda _: notice(say("unfollowed", name=name)))
