"""Answers slow requests in a separate process, so that a saved file still appears immediately.

Each process answers one request. `run` runs the code of a note in the sandbox, `verified` reports what is
known about the code of all notes, and `changed` compares the collections with their last release. The answer
is JSON on standard output.
"""

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ptcards.diff.update import NoOldError, NoReleaseError, Update, find_update
from ptcards.extensions.preview.preview_cards import PreviewNote
from ptcards.extensions.preview.problems import problems
from ptcards.extensions.verify.judge import INSTALL
from ptcards.extensions.verify.sandbox import RefusedError
from ptcards.extensions.verify.verification import Result, count_remembered, settings_for, verify
from ptcards.extensions.verify.verify_report import all_diagnostics
from ptcards.files import NoSuchSourceError
from ptcards.notes import Note
from ptcards.notes.labels import interface
from ptcards.workspace import Contents, ReadOptions, Workspace


def main(do: str, card: str, paths: Sequence[Path]) -> None:
    """Answer one request; `card` is the path and line of the note to run, or empty."""
    # If this process is terminated, the code of the card must end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # keeps the output of libraries out of the answer
    try:
        with ReadOptions.of_user() as options:
            match do:
                case "run":
                    answer = run(paths, card, options)
                case "verified":
                    answer = verified(paths, options)
                case _:
                    answer = changed(paths, options)
    except RefusedError as failure:
        answer = {"refused": str(failure), "help": failure.help}
    except NoReleaseError:
        answer = {"refused": interface("preview")["refused_no_release"]}
    except (NoOldError, NoSuchSourceError) as failure:
        answer = {"refused": str(failure)}
    json.dump(answer, answers)
    answers.close()


def run(paths: Sequence[Path], place: str, options: ReadOptions) -> dict[str, Any]:
    """Return the output of a note's code, block by block, next to the output that the note shows."""
    path, _, line = place.rpartition(":")
    for contents in Workspace.read(paths, options).contents:
        for note in (*contents.selected_notes, *contents.selected_drafts):
            if (note.location.path, str(note.location.line)) == (path, line):
                return _ran(contents, note)
    return {"refused": interface("preview")["refused_no_note"]}


def _ran(contents: Contents, note: Note) -> dict[str, Any]:
    # There is no cache here, because the code must run now.
    report = verify([note], settings_for(contents.collection), None, lambda *_: None)
    found = problems(all_diagnostics(report))
    blocks = [block for result in report.results for block in _blocks(result)]
    findings = [finding.diagnostic for result in report.results for finding in result.findings]
    status = str(report.results[0].status) if report.results else "no code"
    if any(each.help == INSTALL for each in findings):
        status = "no package"
    reasons = [reason for result in report.results for reason in result.reasons]
    return {"status": status, "blocks": blocks, "reasons": reasons, "problems": found}


def _blocks(result: Result) -> list[dict[str, Any]]:
    wrong = {finding.diagnostic.location.line for finding in result.findings}
    blocks = []
    for block, printed in zip(result.code.run, result.printed, strict=False):
        line, output = block.place.line, block.output
        end = output.place.line + output.size if output else line
        is_wrong = any(line <= each <= end for each in wrong)
        old = output.text.markdown if output else None
        blocks.append({"line": line, "old": old, "new": printed, "wrong": is_wrong})
    return blocks


def verified(paths: Sequence[Path], options: ReadOptions) -> dict[str, int]:
    """Count the notes whose code passes, is not run or is not verified, and those without code."""
    counts = Counter[str]()
    for contents in Workspace.read(paths, options).contents:
        settings = settings_for(contents.collection)
        counts.update(count_remembered(contents.selected_notes, settings, options.cache))
    return counts


def changed(paths: Sequence[Path], options: ReadOptions) -> dict[str, Any]:
    """Return what has changed since the last release: the new notes, and the old version of all others."""
    cards: dict[str, dict[str, Any]] = {}
    names: list[str] = []
    retired: list[dict[str, Any]] = []
    for number, contents in enumerate(Workspace.read(paths, options).contents):
        update, _ = find_update(Workspace.read([contents.collection.root], options), None)
        if update is None:
            return {"refused": interface("preview")["refused_errors"]}
        names.append(interface("preview")["last_commit"] if update.since == "HEAD" else update.since)
        retired += _retired(update, contents, number)
        cards |= _changed(update, contents)
    return {"since": ", ".join(dict.fromkeys(names)), "cards": cards, "retired": retired}


def _changed(update: Update, contents: Contents) -> dict[str, dict[str, Any]]:
    """Return what the cards of each note were, in the order of those that the page has."""
    cards = {}
    for each in update.rendered(update.versions(), contents.note_types):
        pairs = each.pairs(contents.note_types)
        before = {pair.ordinal: pair.before for pair in pairs}
        items = update.numbers_after.get(each.guid, ())
        ordinals = [number - 1 for number in items] or [pair.ordinal for pair in pairs if pair.now]
        cards[_name(each.note)] = {"before": [before.get(one) for one in ordinals] if each.before else None}
    return cards


def _retired(update: Update, contents: Contents, number: int) -> list[dict[str, Any]]:
    """Return the retired notes with their cards, in the format of the page's list."""
    retired = (version for version in update.others() if version[2] is None)
    return [
        PreviewNote(f"retired-{each.guid}", number, each.note, each.note).as_json()
        | {"id": f"retired-{each.guid}", "retired": True, "code": False}
        | {"sides": [pair.before for pair in each.pairs(contents.note_types)]}
        for each in update.rendered(retired, contents.note_types)
    ]


def _name(note: Note) -> str:
    """Return the page's name for the location of a note."""
    return f"{Path(note.location.path).absolute()}:{note.location.line}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], [Path(argument) for argument in sys.argv[3:]])
