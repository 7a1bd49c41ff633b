"""Renders an update for programs."""

import json
from typing import Any

from ptcards.diff.update import Update
from ptcards.identity.changes import Pair
from ptcards.identity.lock import Record

SCHEMA = 1
"""The version of the JSON, raised when a key changes its meaning or is removed, not when one is added."""


def as_json(update: Update) -> str:
    """Return an update as JSON, with the notes of each kind of change; a note can be in several."""
    changes = update.changes
    reworded = {pair.after.guid for pair in changes.reworded}
    document = {
        "version": SCHEMA,
        "name": update.name,
        "renamed": update.renamed,
        "since": update.since,
        "step": update.step,
        "new": [_note(update, record) for record in changes.new],
        "changed": [
            _edited(update, pair) | {"reworded": pair.after.guid in reworded} for pair in changes.changed
        ],
        "moved": [
            _note(update, pair.after) | {"from": pair.before.fingerprint.deck} for pair in changes.moved
        ],
        "retired": [_note(update, record) for record in changes.retired],
        "returned": [_edited(update, pair) for pair in changes.returned],
        "sent_again": [_note(update, pair.after) for pair in changes.stamped],
        "new_look": bool(changes.types),
        "remarks": list(update.remarks),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _note(update: Update, record: Record) -> dict[str, Any]:
    note = update.after.get(record.guid)
    return {
        "guid": record.guid,
        "deck": record.fingerprint.deck,
        "question": record.fingerprint.heading,
        "path": note.location.path if note else None,
        "line": note.location.line if note else None,
    }


def _edited(update: Update, pair: Pair) -> dict[str, Any]:
    parts = [{"name": part.name, "diff": part.diff} for part in update.parts(pair)]
    return _note(update, pair.after) | {"cards": update.cards(pair), "parts": parts}
