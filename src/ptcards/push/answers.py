"""The types of AnkiConnect's answers; any other program on its port may answer anything."""

from collections.abc import Mapping
from typing import Any

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
"""Types by action: a list, or `str` as a key, stands for any number of values, a tuple for alternatives."""
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
    return _fits(result, _SHAPES.get(action, object))


def _is_time(value: Any) -> bool:
    """Whether a value is the time of a note; an empty object stands for a deleted note."""
    return isinstance(value, dict) and (
        not value or type(value.get("noteId")) is type(value.get("mod")) is int
    )


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, tuple):
        return any(_fits(value, each) for each in shape)
    if isinstance(shape, list) and isinstance(shape[0], type):
        return isinstance(value, list) and {*map(type, value)} <= {shape[0]}  # fast for thousands of ids
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(each, shape[0]) for each in value)
    if not isinstance(shape, dict):
        return isinstance(value, shape) and (shape in (object, bool) or not isinstance(value, bool))
    if not isinstance(value, dict):
        return False
    if str in shape:
        return all(_fits(each, shape[str]) for each in value.values())
    # An empty object stands for a deleted note.
    return bool(shape or not value) and all(
        name in value and _fits(value[name], inner) for name, inner in shape.items()
    )
