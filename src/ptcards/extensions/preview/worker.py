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
from ptcards.extensions.preview.drafts import accept, reject
from ptcards.extensions.preview.last_fix import LastFix
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.extensions.preview.problems import problems, trouble
from ptcards.files import NoSuchSourceError, OutputError
from ptcards.lint.check import check
from ptcards.lint.fixes import fix_file, fix_keys
from ptcards.lint.registry import all_messages
from ptcards.lint.rules.settings import UnknownKey
from ptcards.source.dialects import OWN
from ptcards.workspace import Contents, ReadOptions, Workspace


def explain(rule: str) -> dict[str, Any]:
    """Return the explanation that `ptcards explain` prints for a rule; empty for an unknown rule."""
    found = all_messages().get(rule)
    return {"rule": rule, "severity": found.severity, "text": found.explanation} if found else {}


def _fix(workspace: Workspace, last_fix: LastFix, request: dict[str, Any]) -> bool:
    """Fix all of a rule's findings in a file; return whether this changed it."""
    file, rule = request["file"], request["rule"]
    tomls = [contents.collection.root / "deck.toml" for contents in workspace.contents]
    fixes = [fix_keys(toml) for toml in tomls if rule == UnknownKey.name and str(toml) == file]
    fixes += [
        fix_file(contents.collection, each.source, {rule}) for contents, each in _sources(workspace, file)
    ]
    changes = [each for each in fixes if each.before != each.after]
    for each in changes:
        last_fix.remember(rule, each)
    return bool(changes)


def _change_box(workspace: Workspace, last_fix: LastFix, request: dict[str, Any]) -> bool:
    """Change a box of a picture; return whether this was possible."""
    edit = BoxEdit(request["line"], request["number"], request["old"], request["new"])
    for contents, each in _sources(workspace, request["file"]):
        fix = change_box(contents.collection, each.source, edit)
        if fix.before != fix.after:
            last_fix.remember("boxes", fix)
            return True
    return False


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


def _change(
    do: str, last_fix: LastFix, paths: Sequence[Path], options: ReadOptions, request: dict[str, Any]
) -> bool:
    """Change a file as the page asks; return whether this was possible."""
    if do == "undo":
        return last_fix.undo(request["file"])
    workspace = Workspace.read(paths, options)
    if do == "fix":
        return _fix(workspace, last_fix, request)
    if do == "box":
        return _change_box(workspace, last_fix, request)
    change = accept if do == "accept" else reject
    return any(
        change(contents.collection, each.source, request["line"], request["question"])
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
    options = ReadOptions.of_user(dialect=dialect)
    preview = Preview(paths, options)
    for number, request in enumerate(iter(requests.get, None)):
        try:
            _send(answers, _answer(preview, paths, options, request, requests))
        except BrokenPipeError:  # the server has ended, and closing the stream would write to it again
            os._exit(0)
        if not number:
            # Nearly everything that was read first stays in use. With 600 notes, one save in twenty waited
            # 130 ms while Python searched all of it for garbage.
            gc.freeze()


def _answer(
    preview: Preview,
    paths: Sequence[Path],
    options: ReadOptions,
    request: dict[str, Any],
    requests: Requests,
) -> dict[str, Any]:
    match request["do"]:
        case "sides":
            return {"sides": preview.sides(request["card"])}
        case "check":
            return _check(paths, options, requests)
        case "explain":
            return explain(request["rule"])
        case "fix" | "undo" | "box" | "accept" | "reject" as do:
            try:
                return {"done": _change(do, preview.last_fix, paths, options, request)}
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


def _check(paths: Sequence[Path], options: ReadOptions, requests: Requests) -> dict[str, Any]:
    """Return the advice, or `interrupted` as soon as there is another request.

    Finished work remains in the cache.
    """

    def pause(*_: object) -> None:
        if not requests.empty():
            raise _Interrupted

    try:
        checked = check(paths, replace(options, progress=pause))
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
