"""Talks to the Anki that is open on this computer, through its add-on AnkiConnect.

Any other program on its port may answer anything, so the types of all answers are checked.
"""

import ipaddress
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from itertools import chain, islice
from selectors import EVENT_READ, DefaultSelector
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ptcards.diagnostics import WrongUseError
from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json, fits
from ptcards.files.inputs import MAX_MEDIA_BYTES

_NAMES = [str]
_IDS = [int]
_SHAPES: dict[str, Any] = {
    "getActiveProfile": str,
    "getMediaDirPath": str,
    "getMediaFilesNames": _NAMES,
    "retrieveMediaFile": (str, bool),
    "modelNamesAndIds": {str: int},
    "modelFieldNames": _NAMES,
    "modelTemplates": {str: {"Front": str, "Back": str}},
    "modelStyling": {"css": str},
    "findNotes": _IDS,
    "findCards": _IDS,
    "notesInfo": [
        (
            {
                "noteId": int,
                "mod": int,
                "modelName": str,
                "fields": {str: {"value": str}},
                "tags": _NAMES,
                "cards": _IDS,
            },
            {},
        )
    ],
    "deckNamesAndIds": {str: int},
    "getDecks": {str: _IDS},
    "getReviewsOfCards": {str: list},
    "multi": [{"result": object, "error": object}],
}
"""The shapes of results by action, as in `fits`."""
_READING = _SHAPES.keys() - {"multi"} | {"notesModTime"}
"""The actions that change nothing."""


def is_reading(request: Mapping[str, Any]) -> bool:
    """Whether a request only reads, with all its actions if it has several."""
    several = [request] if request["action"] != "multi" else request["params"]["actions"]
    return all(each["action"] in _READING for each in several)


def is_expected(action: str, result: Any) -> bool:
    """Whether a result has the type that AnkiConnect returns for an action; unused parts may be anything."""
    if action == "notesModTime":  # fast for thousands of note times
        return isinstance(result, list) and all(map(_is_time, result))
    return fits(result, _SHAPES.get(action, object))


def _is_time(value: Any) -> bool:
    """Whether a value is the time of a note; an empty object stands for a deleted note."""
    return isinstance(value, dict) and (
        not value or type(value.get("noteId")) is type(value.get("mod")) is int
    )


def few_ids(action: str, ids: Iterable[int]) -> list[int]:
    """Return the first of some ids, as many as an action takes together."""
    return list(islice(ids, _MOST_NOTES if action == "notesInfo" else _MOST_IDS))


DEFAULT_URL = "http://127.0.0.1:8765"
_VERSION = 6
_FIRST = 60.0
_WHOLE = 120.0
"""The time limits in seconds for the first byte of an answer, and for all of it, if a request only reads."""
_LONG = 600.0
"""The time limit for other requests, which may block Anki; a package of 10,000 notes takes three seconds."""
_STILL = 10.0
"""After how many seconds to say that there is no answer yet."""
_EVERY = 0.5
"""Seconds between two attempts to reach Anki."""
# AnkiConnect reads a request in chunks of one kilobyte, starts again from the beginning for each chunk, and
# blocks Anki meanwhile.
_MOST_ACTIONS = 50
_MOST_QUESTIONS = 500
"""The maximum number of actions in a request that changes nothing."""
_MOST_BYTES = 1 << 20
_MOST_IDS = 5000
_MOST_NOTES = 1000
"""The maximum number of ids in a request for the content of notes."""
_ANSWER = JsonLimit(64 << 20, 64 << 20, 2_000_000)
"""The limit for an answer; 1,000 notes of 10 kB take up a sixth of it."""
_FILE = _ANSWER._replace(size=MAX_MEDIA_BYTES // 3 * 4 + 1000, wide_size=_ANSWER.size, values=10)
"""The limit for the content of a media file, which is in Base64."""
_PIECE = 1 << 16
_LONGEST_REFUSAL = 300
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""A lone surrogate: half a character, which cannot be encoded."""


class AnkiError(Exception):
    """Anki is not running or refused a request; `help` says what to do."""

    def __init__(self, message: str, help: str) -> None:  # noqa: A002 - the word that people read
        super().__init__(message)
        self.help = help


class NotThereError(AnkiError):
    """Nothing answers, or Anki has no collection open; waiting may help."""


class ChangedMeanwhileError(AnkiError):
    """A note was edited in Anki after the comparison; nothing was written."""


class TypingError(AnkiError):
    """Somebody edits notes in Anki. A push would drop what the editor has not saved yet; waiting helps."""


class ActionError(AnkiError):
    """Anki refused an action, mostly in its own words, and still answers."""


class Profile(NamedTuple):
    """The profile that is open in Anki. Its media folder identifies the collection."""

    name: str
    media_folder: str


class Action(NamedTuple):
    """A request to AnkiConnect."""

    name: str
    parameters: Mapping[str, Any]


_REFRESH = Action("addTags", {"notes": [], "tags": ""})
"""Refreshes Anki's open windows and does nothing else: it adds no tag to no note."""


class Anki:
    """Sends requests to AnkiConnect at `url`, and retries for `wait` seconds if nothing is there.

    `waiting` is called with the name of an action that has had no complete answer for a while.

    Raises:
        WrongUseError: the address is not on this computer.

    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        key: str = "",
        *,
        wait: float = 0,
        waiting: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._host, self._port = _loopback(url)
        self._address = f"{self._host}:{self._port}"
        self._key = key
        self._wait = wait
        self._waiting = waiting

    def wait(self) -> Profile:
        """Return the open profile as soon as Anki answers with one.

        Raises:
            AnkiError: there is no answer in time, or it is not from AnkiConnect.

        """
        end = time.monotonic() + self._wait
        while True:
            try:
                return self.profile()
            except NotThereError:
                if time.monotonic() >= end:
                    raise
                time.sleep(_EVERY)

    def profile(self) -> Profile:
        """Return the profile that is open.

        Raises:
            AnkiError: Anki is not running or refused the request.

        """
        # A profile may have no collection open, for example during a sync; then there is no media folder.
        name, media = self.ask_all(Action(each, {}) for each in ("getActiveProfile", "getMediaDirPath"))
        return Profile(name, media)

    def ask(self, action: str, **parameters: Any) -> Any:
        """Return the result of an action.

        Raises:
            AnkiError: Anki is not running or refused the action.

        """
        return self._result(action, self._send(action, self._request(Action(action, parameters))))

    def ask_all(self, actions: Iterable[Action]) -> list[Any]:
        """Return the results of actions, which are sent in batches.

        Raises:
            AnkiError: Anki refused one of them; earlier ones were carried out.

        """
        return self._in_batches(actions, [])

    def ask_groups(self, *groups: Sequence[Action]) -> Iterator[list[Any]]:
        """Yield the results of each group of actions; all are sent together, in batches.

        AnkiConnect looks for a request only every 25 ms, so few requests save time.

        Raises:
            AnkiError: Anki refused one of them; earlier ones were carried out.

        """
        results = iter(self.ask_all(chain.from_iterable(groups)))
        return (list(islice(results, len(group))) for group in groups)

    def write(self, actions: Iterable[Action]) -> None:
        """Carry out actions that change something, in batches, and refresh Anki's open windows.

        AnkiConnect refreshes the windows before it writes, never afterwards. A window that still has the old
        note saves all of its old fields with the next edit. So each batch itself ends with a refresh:
        between two requests, Anki handles what its editor has sent meanwhile.

        Raises:
            AnkiError: Anki refused one of them; the others of its batch, and earlier ones, were carried out.

        """
        self._in_batches(actions, [self._request(_REFRESH)])

    def _in_batches(self, actions: Iterable[Action], closing_requests: Sequence[dict[str, Any]]) -> list[Any]:
        """Return the results of actions; each batch of them ends with the closing requests."""
        waiting = [self._request(action) for action in actions]
        results: list[Any] = []
        while waiting:
            some = self._few(waiting, _MOST_ACTIONS if closing_requests else _MOST_QUESTIONS)
            waiting = waiting[len(some) :]
            batch = [*some, *closing_requests]
            request = self._request(Action("multi", {"actions": batch}))
            # Messages name the first step of a batch that writes, which may take long.
            name = some[0]["action"] if closing_requests else "multi"
            answers = self._result("multi", self._send(name, request))
            if len(answers) != len(batch):
                raise self._something_else()
            results += [
                self._result(each["action"], answer) for each, answer in zip(batch, answers, strict=True)
            ][: len(some)]
        return results

    def ask_about(self, action: str, notes: Iterable[int]) -> list[Any]:
        """Return the results of an action about many notes, given by id."""
        found: list[Any] = []
        rest = iter(notes)
        while some := few_ids(action, rest):
            found += self.ask(action, notes=some)
        return found

    def times(self, notes: Iterable[int]) -> dict[int, int]:
        """Return the times of those of these notes that there are."""
        return {each["noteId"]: each["mod"] for each in self.ask_about("notesModTime", notes) if each}

    def _request(self, action: Action) -> dict[str, Any]:
        # Even inside `multi`, each request needs its own key and its own version, which determines the format
        # of errors.
        request: dict[str, Any] = {
            "action": action.name,
            "version": _VERSION,
            "params": dict(action.parameters),
        }
        return request | ({"key": self._key} if self._key else {})

    @staticmethod
    def _few(waiting: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
        some: list[dict[str, Any]] = []
        size = 0
        for request in waiting[:most]:
            size += len(json.dumps(request))
            if some and size > _MOST_BYTES:
                break
            some.append(request)
        return some

    def _send(self, action: str, request: Mapping[str, Any]) -> Any:
        first, whole = (_FIRST, _WHOLE) if is_reading(request) else (_LONG, _LONG)
        limit = _FILE if action == "retrieveMediaFile" else _ANSWER
        connection = HTTPConnection(self._host, self._port, timeout=first)
        try:
            connection.connect()
        except OSError as failure:
            fix = "start Anki, and install AnkiConnect in it (Tools › Add-ons › Get Add-ons, 2055492159)"
            raise NotThereError(f"nothing answers at {self._address}", fix) from failure
        headers = {"Content-Type": "application/json"}
        try:
            with _ended_after(whole, connection.sock):
                connection.request("POST", "/", json.dumps(request).encode(), headers)
                content = _read(connection, first, limit.size, lambda: self._waiting(action))
        except (OSError, HTTPException) as failure:
            message = f"Anki stopped answering during `{action}`"
            raise AnkiError(message, "check Anki, then push again: nothing is left half-written") from failure
        finally:
            connection.close()
        try:
            answer = build_json(content, limit)
            if _HALF.search(content):
                json.dumps(answer, ensure_ascii=False).encode()
        except LargeDocumentError as failure:
            message = f"the answer of {self._address} to `{action}` {failure}"
            raise AnkiError(message, "check which program this is; it should be Anki") from failure
        except (ValueError, RecursionError) as failure:
            raise self._something_else() from failure
        return answer

    def _result(self, action: str, answer: Any) -> Any:
        if not isinstance(answer, dict) or not {"result", "error"} <= answer.keys():
            raise self._something_else()
        if answer["error"] is not None:
            raise _refusal(str(answer["error"])[:_LONGEST_REFUSAL])
        if not is_expected(action, answer["result"]):
            raise self._something_else()
        return answer["result"]

    def _something_else(self) -> AnkiError:
        message = f"the program at {self._address} is not AnkiConnect"
        return AnkiError(message, "stop it (perhaps it is `ptcards serve --port`), and restart Anki")


@contextmanager
def _ended_after(seconds: float, connected: socket.socket) -> Iterator[None]:
    """Shut a socket down if the block takes longer, even if data keeps arriving; then raise TimeoutError."""
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if is_late.is_set():
        raise TimeoutError


def _read(connection: HTTPConnection, first: float, most: int, waiting: Callable[[], None]) -> bytes:
    """Return an answer that begins within `first` seconds, cut off soon after `most` bytes.

    `waiting` is called once if it takes long.
    """
    begun = time.monotonic()
    is_told = not _has_begun(connection, _STILL)
    if is_told:
        waiting()
        if not _has_begun(connection, first - _STILL):
            raise TimeoutError
    content = bytearray()
    with closing(connection.getresponse()) as response:
        while len(content) <= most and (piece := response.read1(_PIECE)):
            content += piece
            if not is_told and time.monotonic() - begun > _STILL:
                is_told = True
                waiting()
    return bytes(content)


def _has_begun(connection: HTTPConnection, seconds: float) -> bool:
    """Whether the answer begins within some seconds."""
    with DefaultSelector() as selector:
        selector.register(connection.sock, EVENT_READ)
        return bool(selector.select(seconds))


def _refusal(said: str) -> AnkiError:
    if "valid api key" in said:
        return AnkiError(
            "AnkiConnect requires its API key",
            "set `PTCARDS_ANKI_KEY` to the `apiKey` of AnkiConnect's configuration",
        )
    if "unsupported action" in said:
        return AnkiError(
            "this AnkiConnect is too old",
            "update it in Anki to a version from July 2024 or later",
        )
    if "collection is not available" in said:
        message = "Anki has no collection open: it shows its profiles, or is syncing"
        return NotThereError(message, "open a profile in Anki")
    return ActionError(f"Anki refused: {said}", "push again; completed steps are not repeated")


def _loopback(url: str) -> tuple[str, int]:
    """Return the host and port of an address on this computer."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
        is_ours = parts.scheme == "http" and (host == "localhost" or ipaddress.ip_address(host).is_loopback)
    except ValueError:
        is_ours = False
    if not is_ours:
        message = f"`{url}` is not an address on this computer"
        raise WrongUseError(message, f"set `PTCARDS_ANKI_URL` to an address such as `{DEFAULT_URL}`")
    return host, port
