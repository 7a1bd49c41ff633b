"""Follows a deck: looks at its feed, shows what it changes, and applies it.

Only the learner's buttons change anything.
"""

import tempfile
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from anki.collection import Collection
from aqt import mw
from aqt.errors import show_exception
from aqt.operations import CollectionOp, QueryOp
from aqt.utils import shortcut, tr

from addon.collection import Applied, Choices, apply_update, change_address, look, unfollow
from addon.listing import ListedLine, lines_of
from addon.loading import Loaded, Loading, Then
from addon.network import NetworkError
from addon.texts import isolated, say
from addon.update_window import MOST_LISTED, Decisions, UpdateWindow
from addon.windows import ask, begin_reading, end_reading, notice, tell, wait_for_decks
from ptcards.extensions.publish.subscription.feed import (
    BrokenFeedError,
    Feed,
    NewerFeedError,
    NotAFeedError,
)
from ptcards.extensions.publish.subscription.package import RefusedPackageError
from ptcards.extensions.publish.subscription.state import Subscription
from ptcards.extensions.publish.subscription.update import DeckUpdate, Refusal, RefusedUpdateError

_DAYS_GONE = 14
_GONE = ("404 Not Found", "410 Gone")
_ELSEWHERE = frozenset("status other_page redirects no_answer broke_off too_slow not_secure".split())
"""What goes wrong if an address is wrong, or the network wants a login."""
_lists: dict[str, UpdateWindow] = {}
"""The lists that are open, by address; there is at most one."""
_next: "list[Look]" = []
"""The looks whose lists the learner asked for while another one was open."""


class Finding(NamedTuple):
    """What a look at a deck found: a version to decide about, a problem, or neither if it is up to date.

    `show` opens the list, or says what the problem is.
    """

    name: str
    address: str
    show: Callable[[], object]
    update: str = ""
    problem: str = ""


def explain(failure: Exception, address: str, own: Subscription | None = None) -> str:
    """Return what to do about what went wrong at an address, then what it is, or an empty text for a bug.

    `own` is the subscription, if the deck is followed.
    """
    text = _reason(failure, own.version if own else "")
    text = text[:1].upper() + text[1:]
    if not text or isinstance(failure, OSError):
        return text
    is_elsewhere = isinstance(failure, NotAFeedError) or getattr(failure, "key", "") in _ELSEWHERE
    lines = (
        isolated(own.name) if own and own.name else "",
        f"{say('check_page')}\n" if is_elsewhere else "",
        text,
        isolated(address),
    )
    return "\n".join(filter(None, lines))


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


def show_failure(failure: Exception, address: str = "", own: Subscription | None = None) -> None:
    """Show what went wrong."""
    if text := explain(failure, address, own):
        tell(text)
    else:
        show_exception(parent=mw, exception=failure)


def memory(address: str) -> dict[str, Any]:
    """Return what only this profile on this computer remembers about a feed; it is never synced.

    `day` is the day of the last look, `etag` belongs to the feed whose newest release has the time `release`
    and the version `version`, `settled` is the time of the release about which there is nothing left to
    decide, and `gone` is the first day on which the address led nowhere. `problem` is what the last look said
    if it failed.
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


def done(feed: Feed) -> str:
    """Return the sentence that what was asked for is done, and how to take it back."""
    return say("done", name=feed.name, version=feed.newest.version, keys=shortcut("Ctrl+Z"))


def today() -> int:
    """Return the number of the learner's own day."""
    return date.today().toordinal()  # noqa: DTZ011 - the learner's own day


class Look:
    """A look at a feed, from its loading to the learner's decision.

    `followed` is the subscription with the id of its feed, if there is one. If somebody takes the `report`,
    nothing is shown until they say so; it is `None` if the learner stopped the look.
    """

    def __init__(
        self,
        address: str,
        *,
        by_hand: bool,
        followed: tuple[str, Subscription] | None = None,
        report: Callable[[Finding | None], object] | None = None,
    ) -> None:
        self._address = address
        self._by_hand = by_hand
        self._feed_id, self._own = followed or ("", Subscription(address))
        self._report = report
        self._restore = self._adopt = False
        if shown := _lists.get(address):
            if by_hand:
                self._found(shown.dialog.activateWindow, update=shown.version)
            return
        known = memory(address) if followed else {}
        is_known = known.get("release", -1) in (self._own.release, known.get("settled"))
        then = Then(self._loaded, self._failed, self._unchanged, self._stopped)
        etag = "" if by_hand or not is_known else known.get("etag", "")
        Loading(address, then, feed_id=self._feed_id, etag=etag, is_shown=by_hand)

    def _found(self, show: Callable[[], object], *, update: str = "", problem: str = "") -> None:
        """Report what was found or, if nobody takes the report, show it."""
        report, self._report = self._report, None
        if report:
            report(Finding(self._own.name, self._address, show, update, problem))
        else:
            show()

    def _stopped(self) -> None:
        if self._report:
            self._report(None)

    def _unchanged(self) -> None:
        if not self._feed_id:
            return
        known = memory(self._address)
        known["day"] = today()
        known.pop("gone", None)
        known.pop("problem", None)

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
        newest = self._source.feed.newest
        memory(self._address).update(etag=self._etag, release=newest.time, version=newest.version)

    def _failed(self, failure: Exception) -> None:
        text = explain(failure, self._address, self._own)
        if self._feed_id and text:
            memory(self._address)["problem"] = text
        if self._by_hand or not text:
            self._found(
                partial(show_failure, failure, self._address, self._own), problem=text or str(failure)
            )
        elif isinstance(failure, NewerFeedError):
            memory(self._address)["day"] = today()
            wait_for_decks(partial(tell, text))
        elif isinstance(failure, NetworkError) and failure.values.get("status") in _GONE:
            self._led_nowhere()

    def _led_nowhere(self) -> None:
        """Count the days on which the address leads nowhere; say so after two weeks, then begin again."""
        known = memory(self._address)
        known["day"] = today()
        if known.setdefault("gone", today()) <= today() - _DAYS_GONE:
            del known["gone"]
            wait_for_decks(partial(tell, say("address_gone", name=self._own.name)))

    def _decide(self) -> None:
        def decide(col: Collection) -> tuple[DeckUpdate, Sequence[ListedLine]]:
            update = look(col, self._source, restore=self._restore, adopt=self._adopt)
            return update, list(lines_of(update, MOST_LISTED))

        def decided(found: tuple[DeckUpdate, Sequence[ListedLine]]) -> None:
            self._decided(*found)
            end_reading(self)

        def refused(failure: Exception) -> None:
            self._refused(failure)
            end_reading(self)

        begin_reading(self)
        read(decide, decided, refused)

    def _refused(self, failure: Exception) -> None:
        refused = failure if isinstance(failure, RefusedUpdateError) else None
        text = explain(failure, self._address, self._own)
        if refused and refused.reason is Refusal.OTHER_ADDRESS and self._by_hand:
            self._found(
                partial(self._ask_about_address, refused.detail), update=self._source.feed.newest.version
            )
        elif (
            refused and refused.reason is Refusal.DANGER
        ):  # what the learner edited while the list was open made it one
            self._decide()
        elif self._by_hand or not (refused or text):
            self._found(
                partial(show_failure, failure, self._address, self._own), problem=text or str(failure)
            )

    def _ask_about_address(self, address: str) -> None:
        feed_id = self._source.feed.id
        follow = partial(change, lambda col: change_address(col, feed_id, self._address), self._again)
        text = say("other_address", address=address, new=self._address)
        ask(text, (say("follow_new"), follow))

    def _again(self, _: object) -> None:
        self._decide()

    def _decided(self, update: DeckUpdate, listed: Sequence[ListedLine]) -> None:
        feed = self._source.feed
        is_current = update.subscription.release == feed.newest.time
        self._own = update.subscription
        if update.is_whole_deck_deleted and not self._restore:
            self._found(self._ask_about_deleted, update=feed.newest.version)
        elif (
            update.is_empty
            and not update.is_first
            and (is_current or not self._by_hand)
            and not (self._by_hand and update.by_hand)
            and not update.adopted
        ):
            memory(self._address)["settled"] = feed.newest.time
            if self._by_hand:
                self._found(lambda: notice(say("current", names=feed.name)))
        elif self._by_hand or self._adopt or memory(self._address).get("settled") != feed.newest.time:
            self._found(partial(self._show, update, listed), update=feed.newest.version)

    def _ask_about_deleted(self) -> None:
        feed = self._source.feed

        def bring_back() -> None:
            self._restore = True
            self._decide()

        stop = partial(stop_following, feed.id, feed.name)
        ask(say("deleted", name=feed.name), (say("stop"), stop), (say("bring_back"), bring_back))

    def _show(self, update: DeckUpdate, listed: Sequence[ListedLine]) -> None:
        """Open the list; if another one is open, that one comes first."""
        if _lists:
            if self._address not in _lists and self not in _next:
                _next.append(self)
            next(iter(_lists.values())).dialog.activateWindow()
            return
        window = UpdateWindow(update, listed, Decisions(self._apply, self._skip, self._adopt_more))
        _lists[self._address] = window
        window.when_closed(self._closed)

    def _closed(self) -> None:
        _lists.pop(self._address, None)
        if _next:
            _next.pop(0)._decide()  # noqa: SLF001 - the collection may have changed since

    def _skip(self) -> None:
        memory(self._address)["settled"] = self._source.feed.newest.time

    def _adopt_more(self) -> None:
        self._adopt = True
        self._decide()

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
        waiting = applied.update.to_look_at
        path = (tr.qt_accel_tools().replace("&", ""), say("menu"), say("your_changes"))
        where = f"\n{say('to_look_at', count=waiting)}: {' › '.join(path)}"
        notice(done(feed) + (where if waiting else ""))


def forget_lists() -> None:
    """Forget the lists that wait for the one that is open, because the profile is closed."""
    _next.clear()


def stop_following(feed_id: str, name: str) -> None:
    """Forget a subscription; its notes stay."""
    change(lambda col: unfollow(col, feed_id), lambda _: notice(say("unfollowed", name=name)))
