"""Reads suggestions for notes: a file of the add-on, or the issues of a repository."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.extensions.publish.subscription.suggestion import FORMAT_OF_SUGGESTIONS, KEY
from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json, fits
from ptcards.files.inputs import InputError, read_input, shown

_BLOCK = re.compile(
    rf"^(?P<fence>(?P<mark>[`~])(?P=mark){{2,}})json[ \t]+{KEY}[ \t]*$(?P<json>.*?)"
    r"(?:^(?P=fence)(?P=mark)*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_LIMIT = JsonLimit(64 << 20, 16 << 20, 1_000_000)
MOST_SUGGESTIONS = 1_000
"""How many suggestions of a file are read: for each one, its source is parsed with the new text."""
REPORT = "report"
"""The mark of a suggestion that has a reason, but no new text."""
_SHAPE = {"guid": str, "fields": {str: {"was": str, "is": str}}, "reason": str, "cut": [str]}
"""The shape of a suggestion, as in `fits`."""
_MOST_FIELDS = 100
_LONGEST_REASON = 10_000


class Sender(NamedTuple):
    """Who suggests something: the place where it was found, a name with `@`, and the reason given.

    The last two are empty if they are not known.
    """

    where: str
    who: str = ""
    why: str = ""


class SentEdits(NamedTuple):
    """Fields of a note as their author and as somebody else would have them, both as HTML.

    The author's text is `None` if it is not known. `marks` are what Anki shows at the note, `red flag` and
    `marked`, or `report` for a suggestion without fields. `cut` names the fields that an issue had no room
    for. The files that the fields show came along if they are `in_package`.
    """

    guid: str
    fields: Mapping[str, tuple[str | None, str]]
    sender: Sender
    marks: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    in_package: bool = False


def read_suggestions(file: Path, collection_id: str) -> tuple[list[SentEdits], list[Diagnostic]]:
    """Return the suggestions in a file of the add-on or in a list of issues, and what is wrong with the file.

    The list is what `gh issue list --json number,title,body,author` prints.
    """
    place = Location(shown(file.absolute()), 1, 0)
    try:
        content = read_input(file.absolute(), file.absolute().parent, _LIMIT.size)
        document = build_json(content, _LIMIT)
    except InputError as failure:
        return [], [
            error(place, "no-suggestions", f"the file cannot be read: {failure}", "name another file")
        ]
    except (ValueError, RecursionError, LargeDocumentError) as failure:
        reason = str(failure) if isinstance(failure, LargeDocumentError) else "is not JSON"
        return [], [error(place, "no-suggestions", f"the file {reason}", _WHAT)]
    if isinstance(document, list):
        return _of_issues(document, place, collection_id)
    found = _suggestion(document, collection_id, Sender(file.name))
    if isinstance(found, str):
        return [], [error(place, "no-suggestions", found, _WHAT)]
    return [found], []


_WHAT = (
    "name a `.suggestion` file of the add-on, a package, or the output of `gh issue list --json "
    "number,title,body,author`"
)


def _of_issues(
    issues: Sequence[Any], place: Location, collection_id: str
) -> tuple[list[SentEdits], list[Diagnostic]]:
    """Return the suggestions in issues, and a warning for each block that is none."""
    suggestions: list[SentEdits] = []
    diagnostics: list[Diagnostic] = []
    for issue in issues:
        if not isinstance(issue, dict) or not isinstance(issue.get("body"), str):
            message = "the file has an issue without a body"
            return [], [error(place, "no-suggestions", message, _WHAT)]
        number, author = issue.get("number"), issue.get("author")
        login = author.get("login") if isinstance(author, dict) else None
        who = f"@{login}" if isinstance(login, str) and login.isprintable() else ""
        where = f"issue {number}" if isinstance(number, int) else "an issue"
        for suggestion in in_text(issue["body"], collection_id, Sender(where, who)):
            if isinstance(suggestion, str):
                diagnostics.append(
                    warning(place, "no-suggestions", f"{where}: {suggestion}", "ask its author")
                )
            elif len(suggestions) == MOST_SUGGESTIONS:
                message = f"only the first {MOST_SUGGESTIONS:,} suggestions of the file are read"
                fix = "accept or reject these, then read a list of the other issues"
                return suggestions, [*diagnostics, warning(place, "no-suggestions", message, fix)]
            else:
                suggestions.append(suggestion)
    return suggestions, diagnostics


def in_text(body: str, collection_id: str, sender: Sender) -> Iterator[SentEdits | str]:
    """Yield the suggestions in the text of an issue; a block that is none is yielded as what is wrong."""
    for block in _BLOCK.finditer(body.replace("\r\n", "\n")):
        try:
            document = build_json(block["json"].encode(), _LIMIT)
        except (ValueError, RecursionError):
            yield "the block of the suggestion is not JSON"
        else:
            yield _suggestion(document, collection_id, sender)


def _suggestion(document: Any, collection_id: str, sender: Sender) -> SentEdits | str:
    """Return a suggestion, or what is wrong with it."""
    if not isinstance(document, dict) or KEY not in document:
        return "this is no suggestion"
    if document[KEY] != FORMAT_OF_SUGGESTIONS:
        return "the suggestion has a newer format: update ptcards"
    if document.get("deck") != collection_id:
        return f"the suggestion is for another deck, not for `{collection_id}`"
    document = {"reason": "", "cut": [], **document}
    if not fits(document, _SHAPE):
        return "the suggestion has values of the wrong type"
    guid, fields, why, cut = (document[name] for name in _SHAPE)
    if len(fields) > _MOST_FIELDS:
        return f"the suggestion has more than {_MOST_FIELDS} fields"
    if not (fields or cut or why.strip()):
        return "the suggestion has neither a changed field nor a reason"
    texts = {name: (change["was"], change["is"]) for name, change in fields.items()}
    try:
        "".join([guid, why, *cut, *texts, *(text for change in texts.values() for text in change)]).encode()
    except UnicodeEncodeError:  # JSON can hold half a character
        return "the suggestion has characters that no text can have"
    marks = () if fields else (REPORT,)
    return SentEdits(guid, texts, sender._replace(why=why[:_LONGEST_REASON]), marks, tuple(cut))
