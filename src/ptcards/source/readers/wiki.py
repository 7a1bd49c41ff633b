"""Translates Obsidian's inline syntax into Markdown that GitHub understands."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from ptcards.diagnostics import Diagnostic, Location, warning
from ptcards.markdown.blocks import Block
from ptcards.markdown.starts import ALERTS
from ptcards.notes import Run, Text
from ptcards.source.media import BY_NAME
from ptcards.source.readers.comments import outside_comments
from ptcards.source.readers.lines import outside_code

_SHOWN = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp3|wav|m4a|ogg|flac|3gp|webm|mp4|ogv|mov|mkv)\Z", re.IGNORECASE
)
_CALLOUT = re.compile(
    r"(?P<quote>\s*(?:>\s*){1,1000})\[!(?P<kind>[\w-]+)(?:\|[^\]]*)?\][+-]?[ \t]*(?P<title>.*)"
)
_BLOCK_ID = re.compile(r"(?:^|\s)\^(?P<id>[A-Za-z0-9-]+)\s*\Z")
_MARKS = re.compile(
    r"(?P<embed>!\[\[(?P<file>[^\[\]|\n]+)(?:\|(?P<size>[^\[\]\n]*))?\]\])"
    r"|(?P<link>\[\[(?P<to>[^\[\]|\n]+)(?:\\?\|(?P<alias>[^\[\]\n]*))?\]\])"
    r"|(?P<comment>%%.*?%%)"
    r"|(?P<mark>==(?! )(?P<marked>[^=].{0,500}?)(?<! )==)"
)


class Rewritten(NamedTuple):
    """A line in GitHub's Markdown, the block id at its end, and the embedded notes that were removed."""

    text: str
    block_id: str = ""
    lost: tuple[str, ...] = ()


def rewrite(line: str, seen: str | None) -> Rewritten:
    """Return a rewritten line; `seen` is the line without its code, or `None` if it is all code."""
    if seen is None:
        return Rewritten(line)
    block_id = ""
    if "^" in seen and (found := _BLOCK_ID.search(seen)):
        line, seen, block_id = line[: found.start()], seen[: found.start()], found["id"]
    if not any(mark in seen for mark in ("[[", "==", "%%", "[!")):
        return Rewritten(line, block_id)
    if "[!" in seen and (callout := _CALLOUT.match(seen)):
        line, seen = _alert(line, callout)
    lost: list[str] = []
    pieces = list(_pieces(line, seen, lost.append))
    return Rewritten("".join(pieces), block_id, tuple(lost))


def rewrite_page(text: Text, lines: Sequence[str], document: Block) -> tuple[Text, list[Diagnostic]]:
    """Return a source with GitHub's marks instead of Obsidian's, and diagnostics.

    A changed line has no columns.
    """
    made, runs, problems = [], [Run(0, 1, 1)], list[Diagnostic]()
    bare = outside_code(document, lines)
    parts = outside_comments(lines, bare, to_end=False)
    for at, (line, seen, part) in enumerate(zip(lines, bare, parts, strict=True)):
        shown = slice(*part)
        again = rewrite(line[shown], None if seen is None else seen[shown])
        made.append(again.text)
        problems += (embed_dropped(text.location(at), lost) for lost in again.lost)
        column = int(again.text == line)
        if column != runs[-1].column:
            runs.append(Run(at, at + 1, column))
    return Text(
        "\n".join(made), text.path, tuple(runs if runs[1:2] != [Run(0, 1, 0)] else runs[1:])
    ), problems


def embed_dropped(place: Location, name: str) -> Diagnostic:
    """Return the warning about an embedded note that is left out."""
    message = f"the embedded `{name}` is left out"
    return warning(place, "embed-dropped", message, "copy what you need into the card")


def link_text(inside: str) -> str:
    """Return the text of a link, given the text between its brackets."""
    target, _, alias = inside.replace("\\|", "|").partition("|")
    return (alias or target.strip("#^").replace("#^", "#").replace("#", " > ")).strip()


def _alert(line: str, callout: re.Match[str]) -> tuple[str, str]:
    """Return the first line of a callout as a GitHub alert, or as a quote with a title."""
    kind, title = callout["kind"], line[callout.start("title") :].strip()
    own = kind.upper() in ALERTS and not title
    made = f"{callout['quote']}{f'[!{kind.upper()}]' if own else f'**{title or kind.capitalize()}**'}"
    return made, made


def _pieces(line: str, seen: str, lose: Callable[[str], None]) -> Iterator[str]:
    at = 0
    for found in _MARKS.finditer(seen):
        yield line[at : found.start()]
        at = found.end()
        if found["embed"]:
            if _SHOWN.search(found["file"].strip()):
                yield _picture(found["file"].strip(), found["size"] or "")
            else:
                lose(found["file"].strip())
        elif found["link"]:
            yield link_text(line[found.start() + 2 : found.end() - 2])
        elif found["mark"]:
            yield f"<mark>{line[found.start('marked') : found.end('marked')]}</mark>"
    yield line[at:]


def _picture(file: str, size: str) -> str:
    address = BY_NAME + quote(file, safe="/")
    width = re.search(r"(?<!\d)(\d+)(?:x\d+)?\s*\Z", size)
    if width:
        return f'<img src="{address}" width="{width[1]}" alt="">'
    alt = size.replace("[", "").replace("]", "").replace("\\", "")
    return f"![{alt}]({address})"
