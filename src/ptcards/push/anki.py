"""Talks to the Anki that is open on this computer, through its add-on AnkiConnect."""

import ipaddress
import json
import re
import socket
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ptcards.push.answers import is_expected

DEFAULT_URL = "http://127.0.0.1:8765"
_VERSION = 6
_SECONDS = 60.0
_LONG = 600.0
"""The time limit in seconds for requests that block Anki; a package of 10,000 notes takes three seconds."""
_SLOW = frozenset({"importPackage", "exportPackage", "multi", "notesInfo"})
_EVERY = 0.5
"""Seconds between two attempts to reach Anki."""
# AnkiConnect reads a request in chunks of one kilobyte, starts again from the beginning for each chunk, and
# blocks Anki meanwhile.
_MOST_ACTIONS = 50
_MOST_BYTES = 1 << 20
_MOST_IDS = 5000
_LONGEST_ANSWER = 1 << 28
"""The maximum size of an answer in bytes; 5,000 notes of 10 kB take up a fifth of it."""
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


class WrongUrlError(AnkiError):
    """`PTCARDS_ANKI_URL` is not an address on this computer. This is a usage error, with exit status 2."""


class ChangedMeanwhileError(AnkiError):
    """A note was edited in Anki after the comparison; nothing was written."""


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


class Anki:
    """Sends requests to AnkiConnect at `url`, and retries for `wait` seconds if there is no answer.

    Raises:
        WrongUrlError: the address is not on this computer.

    """

    def __init__(self, url: str = DEFAULT_URL, key: str = "", *, wait: float = 0) -> None:
        self._host, self._port = _loopback(url)
        self._key = key
        self._wait = wait

    @property
    def address(self) -> str:
        """The address of AnkiConnect, for messages."""
        return f"{self._host}:{self._port}"

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
        waiting = [self._request(action) for action in actions]
        results: list[Any] = []
        while waiting:
            some = self._few(waiting)
            waiting = waiting[len(some) :]
            answers = self.ask("multi", actions=some)
            if len(answers) != len(some):
                raise self._something_else()
            results += [
                self._result(each["action"], answer) for each, answer in zip(some, answers, strict=True)
            ]
        return results

    def ask_about(self, action: str, name: str, ids: Iterable[int]) -> list[Any]:
        """Return the results of an action that takes many ids as a list, in the parameter `name`."""
        found: list[Any] = []
        rest = iter(ids)
        while some := list(islice(rest, _MOST_IDS)):
            found += self.ask(action, **{name: some})
        return found

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
    def _few(waiting: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        some: list[dict[str, Any]] = []
        size = 0
        for request in waiting[:_MOST_ACTIONS]:
            size += len(json.dumps(request))
            if some and size > _MOST_BYTES:
                break
            some.append(request)
        return some

    def _send(self, action: str, request: Mapping[str, Any]) -> Any:
        seconds = _LONG if action in _SLOW else _SECONDS
        connection = HTTPConnection(self._host, self._port, timeout=seconds)
        try:
            connection.connect()
        except OSError as failure:
            raise self._not_there() from failure
        try:
            content = _exchange(connection, json.dumps(request).encode(), seconds)
        except (OSError, HTTPException) as failure:
            message = f"Anki stopped answering during `{action}`"
            help_text = "check Anki, then push again: nothing is left half-written"
            raise AnkiError(message, help_text) from failure
        finally:
            connection.close()
        try:
            answer = json.loads(content)
            if _HALF.search(content):
                json.dumps(answer, ensure_ascii=False).encode()
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

    def _not_there(self) -> AnkiError:
        return NotThereError(
            f"nothing answers at {self.address}",
            "start Anki, and install AnkiConnect in it (Tools › Add-ons › Get Add-ons, 2055492159)",
        )

    def _something_else(self) -> AnkiError:
        message = f"the program at {self.address} is not AnkiConnect"
        return AnkiError(message, "stop it (perhaps it is `ptcards serve --port`), and restart Anki")


def _exchange(connection: HTTPConnection, body: bytes, seconds: float) -> bytes:
    """Return the answer to a request, cut off if it is too long.

    Raises:
        TimeoutError: the answer is not complete in time, even if data keeps arriving.

    """
    is_late, there = threading.Event(), connection.sock

    def end() -> None:
        is_late.set()
        with suppress(OSError):
            there.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        connection.request("POST", "/", body, {"Content-Type": "application/json"})
        with closing(connection.getresponse()) as response:
            content = response.read(_LONGEST_ANSWER)
    finally:
        timer.cancel()
    if is_late.is_set():
        raise TimeoutError
    return content


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
        raise WrongUrlError(message, f"set `PTCARDS_ANKI_URL` to an address such as `{DEFAULT_URL}`")
    return host, port
