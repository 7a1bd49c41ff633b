"""A process that reads and renders for the preview server, so that a slow card cannot block it.

Requests arrive on standard input, and answers go to standard output in the same order. Both are JSON,
preceded by its length in four bytes. Advice takes longest and waits for everything else. The process ends
when its input ends, so a killed server leaves no process behind.
"""

import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

from ptcards.diagnostics import WrongUseError
from ptcards.extensions.preview.boxes import BoxEdit, change_box
from ptcards.extensions.preview.drafts import decide
from ptcards.extensions.preview.last_fix import LastFix
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.extensions.preview.problems import problems, trouble
from ptcards.files import NoSuchSourceError, OutputError
from ptcards.lint.check import check
from ptcards.lint.fixes import FileFix, fix_file, fix_keys
from ptcards.lint.registry import all_messages
from ptcards.lint.rules.settings import UnknownKey
from ptcards.source.dialects import OWN
from ptcards.workspace import Contents, ReadOptions, Workspace


def explain(rule: str) -> dict[str, Any]:
    """Return the explanation that `ptcards explain` prints for a rule; empty for an unknown rule."""
    found = all_messages().get(rule)
    return {"rule": rule, "severity": found.severity, "text": found.explanation} if found else {}


def _fixes(workspace: Workspace, request: dict[str, Any]) -> list[FileFix]:
    """Fix all of a rule's findings in a file, or change a box of a picture; return what this did."""
    file = request["file"]
    sources = _sources(workspace, file)
    if request["do"] == "box":
        edit = BoxEdit(request["line"], request["number"], request["old"], request["new"])
        return [change_box(contents.collection, each.source, edit) for contents, each in sources]
    rule = request["rule"]
    tomls = [contents.collection.root / "deck.toml" for contents in workspace.contents]
    fixes = [fix_keys(toml) for toml in tomls if rule == UnknownKey.name and str(toml) == file]
    return [*fixes, *(fix_file(contents.collection, each.source, {rule}) for contents, each in sources)]


def _sources(workspace: Workspace, file: str) -> list[tuple[Contents, Any]]:
    """Return the source at this path if it is selected, otherwise nothing.

    Sources written for other programs are left alone.
    """
    return [
        (contents, each)
        for contents in workspace.contents
        for each in contents.selected
        if str(Path(each.source.path).absolute()) == file and each.parsed.dialect == OWN
    ]


def _change(preview: Preview, request: dict[str, Any]) -> bool:
    """Change a file as the page asks; return whether this was possible."""
    do = request["do"]
    if do == "undo":
        return preview.last_fix.undo(request["file"])
    workspace = Workspace.read(preview.paths, preview.options)
    if do in ("fix", "box"):
        changes = [each for each in _fixes(workspace, request) if each.before != each.after]
        for each in changes:
            preview.last_fix = LastFix(request.get("rule", "boxes"), each)
        return bool(changes)
    place = request["line"], request["question"]
    return any(
        decide(contents.collection, each.source, *place, accepts=do == "accept")
        for contents, each in _sources(workspace, request["file"])
    )


Requests = SimpleQueue[dict[str, Any] | None]


_PATIENT = 10
"""How much to lower a patient worker's priority, in steps of `nice`."""


def main(manner: str, dialect: str, paths: Sequence[Path]) -> None:
    """Answer requests until there are no more."""
    if manner and sys.platform != "win32":
        os.nice(_PATIENT)
    # On Windows, Ctrl-C reaches every process of the console. The server decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps the output of libraries out of the answers
    requests: Requests = SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    preview = Preview(paths, ReadOptions.of_user(dialect=dialect))
    for number, request in enumerate(iter(requests.get, None)):
        try:
            _send(answers, _answer(preview, request, requests))
        except BrokenPipeError:  # the server has ended, and closing the stream would write to it again
            os._exit(0)
        if not number:
            # Nearly everything that was read first stays in use. With 600 notes, one save in twenty waited
            # 130 ms while Python searched all of it for garbage.
            gc.freeze()


def _answer(preview: Preview, request: dict[str, Any], requests: Requests) -> dict[str, Any]:
    match request["do"]:
        case "sides":
            return {"sides": preview.sides(request["card"])}
        case "check":
            return _check(preview, requests)
        case "explain":
            return explain(request["rule"])
        case "fix" | "undo" | "box" | "accept" | "reject":
            try:
                return {"done": _change(preview, request)}
            except (NoSuchSourceError, OutputError):
                return {"done": False}
        case _:
            return _read(preview, identified=request["identify"]) | {"undo": preview.last_fix.as_json()}


def _read(preview: Preview, *, identified: bool) -> dict[str, Any]:
    try:
        update = preview.read(identified=identified)
    except NoSuchSourceError as failure:
        return {"gone": trouble(str(failure), "write a Markdown file there")}
    cards = {card.id: card.as_json() for card in update.cards}
    return {**update._asdict(), "cards": cards, "lacks_guids": preview.lacks_guids}


class _Interrupted(Exception):  # noqa: N818 - nothing is wrong
    """A request that is more urgent than advice is waiting."""


def _check(preview: Preview, requests: Requests) -> dict[str, Any]:
    """Return the advice, or `interrupted` as soon as there is another request.

    Finished work remains in the cache.
    """

    def pause(*_: object) -> None:
        if not requests.empty():
            raise _Interrupted

    try:
        checked = check(preview.paths, replace(preview.options, progress=pause))
    except _Interrupted:
        return {"interrupted": True}
    except NoSuchSourceError:
        return {"problems": [], "fixable": []}  # reading reports this too
    except WrongUseError as failure:
        said = trouble(str(failure), "set it to a whole number of seconds, or unset it")
        return {"problems": [said], "fixable": []}
    return {
        "problems": problems(checked.diagnostics),
        "fixable": [*{(place.path, rule) for place, rule in checked.answer.fixable}],
    }


def _receive(stream: BinaryIO, requests: Requests) -> None:
    """Add requests to the queue as they arrive, and `None` after the last one."""
    while length := stream.read(4):
        requests.put(json.loads(stream.read(int.from_bytes(length))))
    requests.put(None)


def _send(stream: BinaryIO, answer: dict[str, Any]) -> None:
    content = json.dumps(answer).encode()
    stream.write(len(content).to_bytes(4) + content)
    stream.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], [Path(argument) for argument in sys.argv[3:]])
