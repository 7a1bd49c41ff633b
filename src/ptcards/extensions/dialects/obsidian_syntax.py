"""Finds Obsidian's inline syntax outside code, and translates it into Markdown that GitHub understands.

A piece of a line that a reader rewrote keeps its line number, but not its columns: its column is 0.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple
from urllib.parse import quote

from ptcards.diagnostics import Diagnostic, Location, warning
from ptcards.markdown.inlines import read_inlines
from ptcards.markdown.tree import ALERTS, Block, BlockKind, SpanKind
from ptcards.notes import Line, Text
from ptcards.source.media import BY_NAME

MARK = "%%"
TAG = re.compile(r"(?<!\S)#[^\W\d_][\w/-]*")
_COMMENT = re.compile(r"%%.*?%%")


def outside_comments(
    lines: Sequence[str], seen: Sequence[str | None], *, to_end: bool
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the part of each line outside comments; 0 and 0 if there is none.

    `seen` are the lines without their code. A comment on one line with other text is kept. A comment that
    begins after other text must end in the same paragraph. A comment that never ends is text, but with
    `to_end`, one that begins a line hides the rest, as in Obsidian.
    """
    is_open = False
    for line, bare, (closes, is_near) in zip(lines, seen, _closings(seen), strict=True):
        start, end = 0, len(line)
        marks = [found.start() for found in re.finditer(MARK, bare or "")]
        if is_open:
            if not marks:
                yield 0, 0
                continue
            start = marks.pop(0) + len(MARK)
        is_open = False
        if len(marks) % 2:
            begins_line = not line[start : marks[-1]].strip()
            is_open = (closes and (is_near or begins_line)) or (to_end and begins_line)
        end = marks[-1] if is_open else end
        is_left = bare is None or not line.strip() or _COMMENT.sub("", bare[start:end]).strip()
        yield (start, end) if is_left else (0, 0)


def _closings(seen: Sequence[str | None]) -> list[tuple[bool, bool]]:
    """Return, for each line, whether a mark is below it, and whether one is below it in its paragraph."""
    found = []
    is_below = is_near = False
    for line in reversed(seen):
        found.append((is_below, is_near))
        if line is None:
            continue
        if MARK in line:
            is_below = is_near = True
        elif not line.strip():
            is_near = False
    return found[::-1]


BLANK = "\0"
"""The character that replaces each character of a code span or a formula."""

_new = tuple.__new__
_HIDDEN = frozenset({SpanKind.CODE, SpanKind.MATH, SpanKind.DISPLAY_MATH})
_TAGS = 6
"""The first of CommonMark's numbered conditions for HTML blocks whose tags surround text."""
_NOT_PLAIN = re.compile(r"[$\\<]")
_CODE_SPAN = re.compile(r"(`(?<!``)`*)(?!`).*?(?<!`)\1(?!`)")
"""Matches a code span; it begins with a backtick, so that a search can skip to the next one."""


def outside_code(document: Block, lines: Iterable[str]) -> list[str | None]:
    """Return each line with its code spans and formulas blanked out.

    Lines of code blocks and comments become `None`.
    """
    seen: list[str | None] = list(lines)
    for block in leaves(document):
        if block.kind in (BlockKind.FENCE, BlockKind.CODE) or (
            block.kind is BlockKind.HTML and block.html < _TAGS
        ):
            seen[block.start : block.end] = [None] * (block.end - block.start)
        elif block.kind is BlockKind.HTML:
            for index in range(block.start, block.end):
                seen[index] = _without_spans(seen[index] or "")
        else:
            _blank_spans(block, seen)
    return seen


def comment_lines(document: Block) -> frozenset[int]:
    """Return the indices of the lines in comments."""
    blocks = (leave for leave in leaves(document) if leave.kind is BlockKind.HTML and leave.html < _TAGS)
    return frozenset(at for block in blocks for at in range(block.start, block.end))


def indented_lines(document: Block) -> frozenset[int]:
    """Return the indices of the lines in indented code."""
    blocks = (leave for leave in leaves(document) if leave.kind is BlockKind.CODE)
    return frozenset(at for block in blocks for at in range(block.start, block.end))


def leaves(block: Block) -> Iterator[Block]:
    """Yield the blocks that contain no others, in order."""
    waiting = [block]
    while waiting:
        block = waiting.pop()
        if block.children:
            waiting += reversed(block.children)
        else:
            yield block


def _blank_spans(block: Block, seen: list[str | None]) -> None:
    """Blank out code spans and formulas line by line, because a lone backtick must not hide the next card."""
    marked = [line for line in block.lines if "`" in line.text or "$" in line.text]
    for text, index, column in marked:
        line = seen[index] or ""
        bare = line[: column - 1] + _without_spans(line[column - 1 :])
        if not _NOT_PLAIN.search(bare, column - 1):  # only these characters can hide a backtick
            seen[index] = bare
            continue
        chars = list(line)
        for start, end in _hidden(text):
            chars[column - 1 + start : column - 1 + end] = BLANK * (end - start)
        seen[index] = "".join(chars)
    if len(marked) > 1:
        for index in _formula_lines(block):
            seen[index] = None


def _formula_lines(block: Block) -> Iterator[int]:
    """Yield the indices of the lines of each formula in `$$` that spans several lines."""
    formula: list[int] = []
    for text, index, _ in block.lines:
        if formula or (text.lstrip().startswith("$$") and text.count("$$") == 1):
            formula.append(index)
            if len(formula) > 1 and "$$" in text:
                yield from formula
                formula = []


def _without_spans(line: str) -> str:
    return _CODE_SPAN.sub(lambda found: BLANK * len(found[0]), line)


def _hidden(line: str) -> Iterator[tuple[int, int]]:
    """Yield where the code spans and formulas of a line begin and end."""
    spans = list(read_inlines(line, {}, (), deletions_too=False).spans)
    while spans:
        span = spans.pop()
        spans += span.children
        if span.kind in _HIDDEN:
            yield span.start, span.end


def cuts_of(lines: Sequence[str], first: int, last: int) -> list[Line]:
    """Return whole lines as pieces, in a fraction of the time that `Line` takes."""
    return [_new(Line, each) for each in zip(lines[first:last], range(first, last), repeat(1))]


def next_lines(lines: Sequence[str], is_wanted: Callable[[str], bool]) -> Sequence[int]:
    """Return for each line, and the end, the index of the first line at or below it that is wanted."""
    found = [len(lines)] * (len(lines) + 1)
    for at in range(len(lines) - 1, -1, -1):
        found[at] = at if is_wanted(lines[at]) else found[at + 1]
    return found


def stripped(cut: Line) -> Line:
    """Return a piece without white space at its ends."""
    text = cut.text.lstrip()
    return Line(text.rstrip(), cut.index, cut.column + len(cut.text) - len(text) if cut.column else 0)


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
    made, problems = list[Line](), list[Diagnostic]()
    bare = outside_code(document, lines)
    parts = outside_comments(lines, bare, to_end=False)
    for at, (line, seen, part) in enumerate(zip(lines, bare, parts, strict=True)):
        shown = slice(*part)
        again = rewrite(line[shown], None if seen is None else seen[shown])
        made.append(Line(again.text, at, int(again.text == line)))
        problems += (embed_dropped(text.location(at), lost) for lost in again.lost)
    return text.cut(made), problems


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
            file = found["file"].partition("#")[0].strip()  # themes give pictures anchors: `p.png#invert`
            if _SHOWN.search(file):
                yield _picture(file, found["size"] or "")
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


_ANCHOR_LINK = re.compile(
    r"\s*(?:\*\*)?(?:\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\)){1,300}\]\(#[^)]*\)"
    r"|<a\s[^<>]*href=[\"']#[^<>]*>[^<>]*</a>)(?:\*\*)?\s*\Z"
)


def is_anchor_link(line: str) -> bool:
    """Whether a line is only a link to a heading of the same file."""
    return _ANCHOR_LINK.match(line) is not None
