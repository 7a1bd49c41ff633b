"""A small AnkiConnect: the actions that `ptcards push` uses, on the real Anki backend and real HTTP.

It treats the collection like the add-on (source: https://git.sr.ht/~foosoft/anki-connect). `make
desktop` runs the same tests against the add-on itself, in a desktop Anki (`desktop.py`).
"""

# ruff: noqa: N802, N803 - names of AnkiConnect's

import base64
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from anki.collection import (
    Collection,
    DeckIdLimit,
    ExportAnkiPackageOptions,
    ImportAnkiPackageOptions,
    ImportAnkiPackageRequest,
)
from anki.errors import NotFoundError

import owner

PROFILE = "User 1"
NO_COLLECTION = "collection is not available"
WRONG_KEY = "valid api key must be provided"
UNKNOWN = "unsupported action"


class Gone(BaseException):
    """Anki ends without a response."""


class RefusedError(Exception):
    """AnkiConnect refuses a request; the message is the add-on's own."""


class Anki(Protocol):
    """An Anki with AnkiConnect, and an owner who can do everything in `owner.py`."""

    def handle(self, request: dict[str, Any]) -> Any:
        """Answer a request to AnkiConnect."""

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        """Let the owner do something.

        `close` and `open` concern the profile, `set_key` sets the required API key.
        """


class AnkiConnect:
    """A small AnkiConnect for the collection in a folder."""

    def __init__(self, folder: Path) -> None:
        self._collection = Collection(str(folder / "collection.anki2"))
        self._is_open = True
        self._key: str | None = None

    @property
    def col(self) -> Collection:
        if not self._is_open:
            raise RefusedError(NO_COLLECTION)
        return self._collection

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        if what == "set_key":
            (self._key,) = args
        elif what in ("close", "open"):
            self._is_open = what == "open"
        elif what == "quit":
            self._collection.close()
        else:
            return json.loads(json.dumps(getattr(owner, what)(self._collection, *args, **kwargs)))
        return None

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        assert request["version"] == 6
        try:
            return {"result": self._result(request), "error": None}
        except Exception as failure:  # noqa: BLE001 - as the add-on does
            return {"result": None, "error": str(failure)}

    def _result(self, request: dict[str, Any]) -> Any:
        action, parameters = request["action"], request.get("params", {})
        if request.get("key") != self._key:
            raise RefusedError(WRONG_KEY)
        if action == "multi":
            return [self.handle(each) for each in parameters["actions"]]
        if not hasattr(self, f"do_{action}"):
            raise RefusedError(UNKNOWN)
        return getattr(self, f"do_{action}")(**parameters)

    def do_getActiveProfile(self) -> str:
        return PROFILE

    def do_getMediaDirPath(self) -> str:
        return str(self.col.media.dir())

    def do_modelNamesAndIds(self) -> dict[str, int]:
        return {each.name: each.id for each in self.col.models.all_names_and_ids()}

    def do_modelFieldNames(self, modelName: str) -> list[str]:
        return [field["name"] for field in self._type(modelName)["flds"]]

    def do_modelTemplates(self, modelName: str) -> dict[str, dict[str, str]]:
        templates = self._type(modelName)["tmpls"]
        return {each["name"]: {"Front": each["qfmt"], "Back": each["afmt"]} for each in templates}

    def do_modelStyling(self, modelName: str) -> dict[str, str]:
        return {"css": self._type(modelName)["css"]}

    def _type(self, name: str) -> Any:
        self.col.models._clear_cache()
        return self.col.models.by_name(name)

    def do_findNotes(self, query: str) -> list[int]:
        return list(self.col.find_notes(query))

    def do_findCards(self, query: str) -> list[int]:
        return list(self.col.find_cards(query))

    def do_notesModTime(self, notes: list[int]) -> list[dict[str, int]]:
        mods = {n: self.col.db.scalar("select mod from notes where id=?", n) for n in notes}
        return [{"noteId": n, "mod": mod} if mod else {} for n, mod in mods.items()]

    def do_notesInfo(self, notes: list[int]) -> list[dict[str, Any]]:
        self.col.models._clear_cache()
        return [self._info(nid) for nid in notes]

    def _info(self, nid: int) -> dict[str, Any]:
        try:
            note = self.col.get_note(nid)
        except NotFoundError:
            return {}
        model = note.note_type()
        fields = {
            each["name"]: {"value": note.fields[each["ord"]], "order": each["ord"]} for each in model["flds"]
        }
        about = {"noteId": nid, "mod": note.mod, "tags": note.tags, "modelName": model["name"]}
        return about | {"fields": fields, "cards": list(note.card_ids())}

    def do_deckNamesAndIds(self) -> dict[str, int]:
        return {each.name: each.id for each in self.col.decks.all_names_and_ids()}

    def do_getDecks(self, cards: list[int]) -> dict[str, list[int]]:
        decks: dict[str, list[int]] = {}
        for card in cards:
            decks.setdefault(self.col.decks.name(self.col.get_card(card).did), []).append(card)
        return decks

    def do_getReviewsOfCards(self, cards: list[int]) -> dict[int, list[Any]]:
        return {card: self.col.db.all("select id from revlog where cid=?", card) for card in cards}

    def do_changeDeck(self, cards: list[int], deck: str) -> None:
        self.col.set_deck(cards, self.col.decks.id(deck))

    def do_updateNoteFields(self, note: dict[str, Any]) -> None:
        there = self.col.get_note(note["id"])
        for name, value in note["fields"].items():
            there[name] = value
        self.col.update_note(there, skip_undo_entry=True)

    def do_setSpecificValueOfCard(self, card: int, keys: list[str], newValues: list[int]) -> list[bool]:
        there = self.col.get_card(card)
        for key, value in zip(keys, newValues, strict=True):
            setattr(there, key, value)
        self.col.update_card(there, skip_undo_entry=True)
        return [True]

    def do_addTags(self, notes: list[int], tags: str) -> None:
        self.col.tags.bulk_add(notes, tags)

    def do_removeTags(self, notes: list[int], tags: str) -> None:
        self.col.tags.bulk_remove(notes, tags)

    def do_deleteNotes(self, notes: list[int]) -> None:
        self.col.remove_notes(notes)

    def do_importPackage(self, path: str) -> bool:
        # The add-on calls Anki's replacement for the old importer, which does this.
        options = ImportAnkiPackageOptions(merge_notetypes=True, with_scheduling=True, with_deck_configs=True)
        self.col.import_anki_package(ImportAnkiPackageRequest(package_path=path, options=options))
        return True

    def do_exportPackage(self, deck: str, path: str, includeSched: bool = False) -> bool:
        options = ExportAnkiPackageOptions(
            with_scheduling=includeSched, with_deck_configs=includeSched, with_media=True, legacy=True
        )
        limit = DeckIdLimit(deck_id=self.col.decks.id_for_name(deck))
        self.col.export_anki_package(out_path=path, options=options, limit=limit)
        return True

    def do_storeMediaFile(self, filename: str, data: str = "", path: str = "") -> str:
        content = base64.b64decode(data) if data else Path(path).read_bytes()
        self.do_deleteMediaFile(filename)
        return str(self.col.media.write_data(filename, content))

    def do_retrieveMediaFile(self, filename: str) -> str | bool:
        file = Path(self.do_getMediaDirPath(), filename)
        return base64.b64encode(file.read_bytes()).decode() if file.exists() else False

    def do_getMediaFilesNames(self, pattern: str = "*") -> list[str]:
        return [file.name for file in Path(self.do_getMediaDirPath()).glob(pattern)]

    def do_deleteMediaFile(self, filename: str) -> None:
        self.col.media.trash_files([filename])


WRITING = frozenset(
    {
        "addTags",
        "changeDeck",
        "deleteMediaFile",
        "deleteNotes",
        "importPackage",
        "removeTags",
        "setSpecificValueOfCard",
        "storeMediaFile",
        "updateNoteFields",
    }
)
"""The actions that change the collection or its media."""
RESET = ("addTags", {"notes": [], "tags": ""})
"""The action that resets Anki's windows and changes nothing."""


class Door:
    """A proxy in front of an Anki, on its own port; `asked` are the actions of `requests` requests.

    `is_stale` is true if Anki's windows showed what they had before a write when a request ended: the add-on
    resets them when an action begins, so only one that writes nothing, after all others, resets them for
    good. After the request, Anki handles what its windows sent meanwhile.

    `before` is called with each action and its parameters; it may raise `Gone` or `RefusedError`. Anki does
    not know the `missing` actions.
    """

    def __init__(self, anki: Anki) -> None:
        self.anki = anki
        self.url = ""
        self.open_again()

    def open_again(self) -> None:
        """Reset what another test changed."""
        self.asked: list[str] = []
        self.requests = 0
        self.is_stale = False
        self.missing: set[str] = set()
        self.before: Callable[[str, dict[str, Any]], None] = lambda *_: None

    @property
    def col(self) -> Collection:
        """The collection of a small AnkiConnect."""
        assert isinstance(self.anki, AnkiConnect)
        return self.anki.col

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        return self.anki.do(what, *args, **kwargs)

    def answer(self, request: dict[str, Any]) -> Any:
        """Answer a request; if Anki ends in the middle of several actions, the earlier ones are done."""
        self.requests += 1
        actions = [request] if request["action"] != "multi" else request["params"]["actions"]
        writes = [(each["action"], each["params"]) for each in actions if each["action"] in WRITING]
        self.is_stale |= bool(writes) and writes[-1] != RESET
        if request["action"] != "multi":
            refused = self._seen(request)
            return refused or self.anki.handle(request)
        refusals = []
        for number, each in enumerate(actions):
            try:
                refusals.append(self._seen(each))
            except Gone:
                if number:
                    self.anki.handle(request | {"params": {"actions": actions[:number]}})
                raise
        if not any(refusals):
            return self.anki.handle(request)
        pairs = zip(refusals, actions, strict=True)
        return {"result": [refused or self.anki.handle(each) for refused, each in pairs], "error": None}

    def _seen(self, request: dict[str, Any]) -> dict[str, Any] | None:
        action = request["action"]
        self.asked.append(action)
        if action in self.missing:
            request["action"] = "unknown"
        try:
            self.before(action, request["params"])
        except RefusedError as failure:
            return {"result": None, "error": str(failure)}
        return None


def server(answer: Callable[[dict[str, Any]], Any]) -> HTTPServer:
    """Return a server on a free port that answers JSON with JSON."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                content = json.dumps(answer(request)).encode()
            except Gone:
                return
            with suppress(ConnectionError):  # the client may be gone
                self.send_response(200)
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return HTTPServer(("127.0.0.1", 0), Handler)


@contextmanager
def door(anki: Anki) -> Iterator[Door]:
    """Serve an Anki on a free port."""
    opened = Door(anki)

    with server(opened.answer) as serve:
        opened.url = f"http://127.0.0.1:{serve.server_port}"
        thread = Thread(target=serve.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield opened
        finally:
            serve.shutdown()
            thread.join()


@contextmanager
def anki_connect(folder: Path) -> Iterator[Door]:
    """Run a small AnkiConnect with a new profile in `folder`."""
    anki = AnkiConnect(folder)
    try:
        with door(anki) as opened:
            yield opened
    finally:
        anki.do("quit")


def _main(folder: Path) -> None:
    """Serve the collection in a folder until its owner quits; print the port."""
    anki = AnkiConnect(folder)

    def answer(request: dict[str, Any]) -> Any:
        if "action" in request:
            return anki.handle(request)
        if request["what"] == "quit":
            Thread(target=serve.shutdown).start()
        return {"result": anki.do(request["what"], *request["args"], **request["kwargs"])}

    with server(answer) as serve:
        print(serve.server_port, flush=True)  # noqa: T201 - for the test that started it
        serve.serve_forever(0.02)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
