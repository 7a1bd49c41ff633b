"""Composes the comment on a pull request, REPORT, from FOLDER; the pictures it shows go to FOLDER/shown.

FOLDER has `check.json` (of `ptcards check --format json`) and, for each collection, a folder with `diff.json`
(of `ptcards diff --format json`) and `pictures` (of `ptcards diff --pictures`). Strangers may have written
all of it. So the comment is one block of HTML, in which GitHub reads no Markdown; texts are in `<code>`,
where it makes no links and mentions nobody; and all of their characters that could mean anything are escaped.
"""

import json
import os
import re
import struct
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

LONGEST = 59_000
"""The limit of the comment in characters; comment.py adds a mark, and GitHub accepts 65,536."""
LONGEST_TEXT = 240
MOST_CARDS = 20
MOST_FINDINGS = 30
WIDTH = 390
LARGEST_PICTURE = (1200, 8000)
"""The limits of a picture in pixels."""
SENTENCE = re.compile(r"(?:[A-Za-z ,;()'’“”-]|[.:](?= |$)|(?:^|(?<=[ (]))[0-9]{1,5}(?=[ ,)]|$))*")
"""Matches prose without anything that GitHub makes a link, a mention or an emoji of."""
SEVERITIES = ("error", "warning", "hint")
LISTS = ("changed", "returned", "new", "moved", "sent_again", "retired")

Json = dict[str, Any]
Pictures = dict[tuple[str, bool], bytes]
"""Pictures of a card, by `before` or `now` and whether it is night."""


def main() -> None:
    """Write the comment and the pictures."""
    folder = Path(os.environ["FOLDER"])
    run = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))["workflow_run"]
    files = f"{os.environ['GITHUB_SERVER_URL']}/{run['head_repository']['full_name']}/blob/{run['head_sha']}"
    shown = folder / "shown"
    shown.mkdir()
    collections = [_read(folder / str(number) / "diff.json") for number in range(1, 10)]
    pieces = [_changes(each, run["html_url"]) for each in collections if each]
    pieces += [_findings(_read(folder / "check.json"), files)]
    cards = [
        card
        for number, changes in enumerate(collections, 1)
        for card in _cards(folder / str(number) / "pictures", changes)
    ]
    pieces += [_card(*card, files, shown) for card in cards[:MOST_CARDS]]
    Path(os.environ["REPORT"]).write_text(_fitting(pieces, shown), "utf-8")


def _fitting(pieces: Iterable[str], shown: Path) -> str:
    """Return the first pieces that fit into a comment, without the pictures of the others."""
    text = ""
    for piece in pieces:
        if len(text) + len(piece) <= LONGEST:
            text += piece
    for file in shown.iterdir():
        if file.stem not in text:
            file.unlink()
    return text or "<p>There is nothing to show: see the log of the run.</p>\n"


def _changes(changes: Json, run: str) -> str:
    """Return the counts, and what happens to the reviews of learners."""
    lines = [f"<h3>{_text(changes, 'name')}: {_text(changes, 'summary')}</h3>", "<ul>"]
    for kind in _list(changes, "kinds")[:12]:
        steps = [_code(step) for step in kind["steps"][:5]] if isinstance(kind.get("steps"), list) else []
        count = f" ({_number(kind, 'count')})" if _number(kind, "count") else ""
        said = "<br>".join([_text(kind, "effect", 600), *steps])
        lines.append(f"<li><strong>{_text(kind, 'title')}{count}</strong>: {said}</li>")
    lines += ["</ul>", f"<p>Next version: {_text(changes, 'next')}. Compared with {_text(changes, 'since')}."]
    lines.append(f'<a href="{_attribute(run)}">The run</a> has a page with all cards as an artifact.</p>')
    return "\n".join(lines) + "\n"


def _findings(checked: Json, files: str) -> str:
    """Return what `ptcards check` reports, each with a link to its line."""
    findings = _list(checked, "findings")
    found = [each for name in SEVERITIES for each in findings if each.get("severity") == name]
    if not found:
        return ""
    by_name = [(sum(each["severity"] == name for each in found), name) for name in SEVERITIES]
    counts = ", ".join(f"{count} {name}{'s' * (count > 1)}" for count, name in by_name if count)
    lines = [f"<details{' open' * (by_name[0][0] > 0)}><summary>Findings: {counts}</summary>", "<ul>"]
    for each in found[:MOST_FINDINGS]:
        said = _place(each, files), _text(each, "message"), _code(each.get("rule"))
        lines.append(f"<li>{each['severity']} {' '.join(said)}</li>")
    more = len(found) - MOST_FINDINGS
    lines += ["</ul>", f"<p>{more} more</p>" if more > 0 else "", "</details>"]
    return "\n".join(filter(None, lines)) + "\n"


def _cards(folder: Path, changes: Json) -> Iterator[tuple[Json, Pictures]]:
    """Yield the notes in a folder of pictures with the number of a card, and its pictures.

    They show the back, which mostly repeats the front, or the front if only that changed.
    """
    notes: dict[str, Json] = {}
    for kind in LISTS:
        for each in _list(changes, kind):
            notes.setdefault(str(each.get("guid")), each | {"kind": kind})
    found: dict[tuple[str, int], dict[str, Pictures]] = {}
    for name, about in _read(folder / "pictures.json").items():
        if isinstance(about, dict) and (key := (str(about.get("guid")), _number(about, "card")))[0] in notes:
            side, when = (str(about.get(each)) for each in ("side", "when"))
            sides = found.setdefault(key, {"back": {}, "front": {}})
            if side in sides and (content := _picture(folder, name)):
                sides[side][when, about.get("night") is True] = content
    order = {guid: place for place, guid in enumerate(notes)}
    for (guid, card), sides in sorted(found.items(), key=lambda each: (order[each[0][0]], each[0][1])):
        differing = [
            side for side in sides.values() if side.get(("before", False)) != side.get(("now", False))
        ]
        yield notes[guid] | {"card": card}, (differing or [sides["back"]])[0]


def _picture(folder: Path, name: str) -> bytes:
    """Return a picture in a folder; empty if there is none with this name, or it is not a small PNG."""
    file = next((each for each in folder.iterdir() if each.name == name and not each.is_symlink()), None)
    content = file.read_bytes() if file else b""
    if content[:8] + content[12:16] != b"\x89PNG\r\n\x1a\nIHDR" or len(content) < 33:
        return b""
    sizes = struct.unpack(">II", content[16:24])
    return (
        content if all(0 < size <= most for size, most in zip(sizes, LARGEST_PICTURE, strict=True)) else b""
    )


def _card(note: Json, pictures: Pictures, files: str, shown: Path) -> str:
    """Return a card before and after, with its pictures at night folded."""
    number = f" · card {note['card']}" if note["card"] > 1 else ""
    kind = f"<strong>{note['kind'].replace('_', ' ').capitalize()}</strong>{number}"
    place = f"{_place(note, files)} · " if note.get("path") else ""
    table, at_night = (_table(pictures, shown, night=night) for night in (False, True))
    return (
        f"<p>{kind} · {place}{_code(note.get('question'))}</p>\n{table}\n"
        f"<details><summary>At night</summary>\n{at_night}\n</details>\n"
    )


def _table(pictures: Pictures, shown: Path, *, night: bool) -> str:
    """Return a table with one picture, or with two side by side; write them to be published."""
    heads, cells = "", ""
    for when, head in (("before", "Before"), ("now", "After")):
        if content := pictures.get((when, night)):
            name = f"{sha256(content).hexdigest()[:20]}.png"
            (shown / name).write_bytes(content)
            address = f"{os.environ['PICTURES']}/{name}"
            heads += f"<th>{head}</th>"
            cells += f'<td valign="top"><img src="{_attribute(address)}" width="{WIDTH}" alt="{head}"></td>'
    return f"<table><tr>{heads}</tr><tr>{cells}</tr></table>"


def _place(about: Json, files: str) -> str:
    """Return a link to a line of a file, as it is in the pull request."""
    path, line = about.get("path"), _number(about, "line")
    if not isinstance(path, str) or path.startswith("/") or ".." in path.split("/"):
        return ""
    address = _attribute(f"{files}/{quote(_one_line(path))}?plain=1#L{line}")
    return f'<a href="{address}">{_code(f"{path}:{line}")}</a>'


def _text(about: Json, key: str, most: int = LONGEST_TEXT) -> str:
    """Return a text as HTML: as prose, if there is nothing else in it."""
    text = _one_line(about.get(key))[:most]
    return text if SENTENCE.fullmatch(text) else _code(about.get(key))


def _code(text: object) -> str:
    """Return a text as HTML in which nothing has a meaning."""
    line = _one_line(text)
    line = line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"
    return f"<code>{_attribute(line)}</code>" if line else ""


def _attribute(text: str) -> str:
    """Return a text with all characters escaped that could mean anything in HTML or Markdown."""
    return "".join(c if c.isalnum() or c in " …" else f"&#{ord(c)};" for c in text)


def _one_line(text: object) -> str:
    """Return a text without line breaks, and without characters that nobody sees or that turn text around."""
    text = text.encode("utf-8", "replace").decode() if isinstance(text, str) else ""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def _number(about: Json, key: str) -> int:
    found = about.get(key)
    return found if isinstance(found, int) and 0 <= found < 10**6 else 0


def _list(about: Json, key: str) -> list[Json]:
    found = about.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _read(file: Path) -> Json:
    """Return what a file has in JSON; nothing if there is no such file, or something else is in it."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


if __name__ == "__main__":
    main()
