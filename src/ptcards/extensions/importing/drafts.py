"""A note that will be written to a source: its heading, its settings and its text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ptcards.extensions.importing.problems import quoted
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import BlockKind
from ptcards.notes import DIFFICULTIES, Kind, Note
from ptcards.source.valid_names import bad_tag

_DELETION = re.compile(r"(\{\{c\d+::|\}\})")


class LeftOutNote(NamedTuple):
    """A note that was changed or left out: the cause, its place and its title.

    The place is empty for a note from a package; `cards` is the number of its cards there.
    """

    cause: str
    place: str
    title: str
    cards: int = 0


@dataclass(slots=True)
class Draft:
    """A note to write; `title` is its name in messages.

    `place` is where it was read, or empty for a note from a package. `written` lists the fields that Markdown
    reproduces, `lost` those that lost formatting, and `verbatim` those kept as HTML.
    """

    deck: str
    title: str
    heading: str
    body: str
    question: str = ""
    """the text between the heading and the answer"""
    settings: Mapping[str, str] = field(default_factory=dict)
    tags: Sequence[str] = ()
    """the tags as they were read"""
    numbers: tuple[int, ...] = ()
    """those of the items of its list or picture"""
    place: str = ""
    written: Sequence[str] = ()
    verbatim: Sequence[str] = ()
    lost: Sequence[str] = ()
    changed: str = ""
    """what the author should know about the note"""
    key: int = 0
    """identifies the note within one import"""

    def markdown(self) -> str:
        """Return the note as Markdown for a source."""
        values = {**self.settings, "tags": ",".join(filter(None, map(usable_tag, self.tags)))}
        settings = " ".join(f"{key}={_value(value)}" for key, value in values.items() if value)
        comment = f"<!-- card: {settings} -->\n" if settings else ""
        return f"## {self.heading}\n{comment}" + (f"\n{self.body}\n" if self.body else "")


class Questions:
    """The questions of a collection, used to detect duplicates."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[str, str, str], list[str]] = {}

    def unique(self, draft: Draft) -> Draft | str:
        """Return a draft, or a reason if another one is identical; a question asked twice gets a number."""
        bodies = self._bodies.setdefault((draft.deck.casefold(), draft.heading, draft.question), [])
        if draft.body in bodies:
            return "that are in their deck twice"
        bodies.append(draft.body)
        if len(bodies) > 1:
            draft.heading += f" ({len(bodies)})"
            draft.changed = "with a number, because another note asks the same question"
        return draft


def _value(text: str) -> str:
    return text if re.fullmatch(r"[^\s\"]+", text) and not text.endswith("--") else f'"{text}"'


def deck_below(name: str, deck: str, *, shares_top: bool) -> str:
    """Return a deck below the name of its collection, which replaces its top level if they share it."""
    levels = deck.split("::") if deck else []
    return "::".join([name, *levels[shares_top:]])


def one_line(markdown: str) -> str | None:
    """Return a paragraph as heading text, or `None` if it cannot be a heading."""
    if "\n\n" in markdown or "\\\n" in markdown or markdown.startswith(("```", "|", "> ", "- ", "#")):
        return None
    text = " ".join(markdown.split())
    # A trailing `#` is not part of a heading's text.
    return None if re.match(r"\d+[.)] |<!--", text) or text.endswith(("#", "\\")) else text or None


def as_heading(text: str) -> str:
    """Return a heading for a note that has none: the first words of its text."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    words = _without_deletions(line).strip()
    return quoted(words)[1:-1] if words else ""


def _without_deletions(line: str) -> str:
    """Return a line with `…` instead of each deletion, even if the deletion ends on a later line."""
    parts, depth = [], 0
    for part in _DELETION.split(line):
        is_begin = part.startswith("{{") and _DELETION.fullmatch(part) is not None
        if depth == 0:
            parts.append("…" if is_begin else part)
        depth += 1 if is_begin else -1 if part == "}}" and depth else 0
    return "".join(parts)


def verbatim(html: str) -> str:
    """Return a fence that keeps a field as HTML."""
    ticks = backticks(html, 3)
    return f"{ticks}{{=html}}\n{html}\n{ticks}"


def usable_tag(tag: str) -> str:
    """Return a tag as it appears in a card comment, or an empty string if it cannot be a tag there."""
    # A tag must not end the comment.
    written = re.sub("[,>]", "_", tag.replace('"', "")).strip(":")
    return "" if bad_tag(written) else written


_LOOKS_OTHERWISE = re.compile(r"\{\{c\d|^[ \t]*[-+*] \[[ xX]\]", re.MULTILINE)
"""Matches what would make a basic note a cloze or a choice."""
_PARAGRAPH_END = re.compile(r"\n(?:\n|(?= {0,3}(?:```|~~~|[-*+] |>|#{1,6} |\$\$)))")
"""Matches the end of a paragraph: a blank line, or the line end before another block."""
_SHALLOW = re.compile(r"#{1,3}(?=\s)")


def draft_of(note: Note, addresses: Mapping[str, str], remote: frozenset[str]) -> Draft:
    """Return a note in our own format.

    `addresses` maps addresses as written to those in the new collection. Pictures in `remote` become links.
    """
    texts = Texts(addresses, remote)
    heading, _, below = texts.of(note.heading.markdown).partition("\n")
    question = "\n\n".join(filter(None, (below.strip("\n"), texts.of(note.question.markdown))))
    answer = texts.of(note.answer.markdown)
    if not heading:
        heading, question, answer = _without_heading(question, answer, note.kind)
    options = "\n".join(
        option(texts.of(each.text.markdown), texts.of(each.comment.markdown), is_right=each.correct)
        for each in note.choices
    )
    if note.typed:
        answer = f"{code_span(note.typed)}\n\n{answer}".strip()
    if options:
        question, answer = _without_boxes(question), _without_boxes(answer)
    sections = {name: texts.of(getattr(note, name.lower()).markdown) for name in SECTIONS}
    difficulty, tags = take_difficulty(note.difficulty, note.tags)
    return Draft(
        note.deck,
        note.title,
        heading,
        body_of(question, answer, note.kind.value, sections, options),
        question,
        {"id": note.id, "kind": _kind(note), "difficulty": difficulty},
        tags,
        place=f"{note.location.path}:{note.location.line}",
        changed="with a link in place of a picture on a server" if texts.has_links else "",
    )


SECTIONS = ("Hint", "Details", "Sources")


def body_of(question: str, answer: str, kind: str, sections: Mapping[str, str], options: str = "") -> str:
    """Return the text of a note of this kind below its heading, without the sections that are empty."""
    is_apart = question and answer and not options and kind != Kind.CLOZE.value
    shown = [question, options, f"### Answer\n\n{answer}" if is_apart else answer]
    shown += [f"### {name}\n\n{text}" for name, text in sections.items() if text]
    return "\n\n".join(filter(None, shown))


def take_difficulty(difficulty: str, tags: Iterable[str]) -> tuple[str, list[str]]:
    """Return a difficulty if it is a valid one, and the tags without it."""
    found = difficulty if difficulty in DIFFICULTIES else ""
    return found, [tag for tag in tags if tag != f"difficulty::{found}"]


def kind_of_text(*texts: str) -> str:
    """Return the kind to set for a basic note, or an empty string if the reader would choose it anyway."""
    return "basic" if _LOOKS_OTHERWISE.search("\n".join(texts)) else ""


def _kind(note: Note) -> str:
    """Return the kind to set, or an empty string if the reader would choose it anyway."""
    if note.kind is Kind.BASIC:
        return kind_of_text(note.heading.markdown, note.question.markdown, note.answer.markdown)
    return "" if note.kind is Kind.CHOICE else note.kind.value


def _without_heading(question: str, answer: str, kind: Kind) -> tuple[str, str, str]:
    """Return the heading, question and answer of a note without a heading.

    The first paragraph of its text becomes the heading.
    """
    text = answer if kind is Kind.CLOZE else question
    end = _PARAGRAPH_END.search(text)
    first, rest = (text[: end.start()], text[end.end() :]) if end else (text, "")
    heading = one_line(first)
    if heading is None:
        return as_heading(text) or "…", question, answer
    return (heading, question, rest) if kind is Kind.CLOZE else (heading, rest, answer)


def _without_boxes(text: str) -> str:
    """Return text with its task lists escaped, so that they do not become options of a choice."""
    return re.sub(r"(?m)^([ \t]*[-+*] )(?=\[[ xX]\] )", r"\1\\", text)


def option(text: str, comment: str, *, is_right: bool) -> str:
    """Return an option of a choice as an item of a task list, with a comment as the nested list below it."""
    made = f"- [{'x' if is_right else ' '}] {indented(text)}"
    if not comment:
        return made
    item = comment if re.match(r"[-*+] |1[.)] ", comment) else f"- {indented(comment)}"
    return f"{made}\n  {indented(item)}"


def indented(text: str, width: int = 2) -> str:
    """Return the text of a list item, with all lines after the first indented."""
    return re.sub(r"\n(?=[^\n])", "\n" + " " * width, text)


class Texts:
    """Rewrites addresses in texts, and headings that would begin a question or a section.

    `has_links` is true if a picture became a link.
    """

    def __init__(self, addresses: Mapping[str, str], remote: frozenset[str]) -> None:
        self._addresses = addresses
        self._remote = remote
        self.has_links = False

    def of(self, text: str) -> str:
        """Return text as it appears in one of our sources."""
        for written, address in self._addresses.items():
            for before in ("](", "](<", 'src="'):
                text = text.replace(f"{before}{written}", f"{before}{address}")
        for written in self._remote:
            text = self._linked(text, written)
        return _lowered(text)

    def _linked(self, text: str, written: str) -> str:
        address = re.escape(written)
        picture = re.compile(
            rf"!\[([^\]\n]{{0,1000}}+)\]\((<?{address}>?(?:\s+\"[^\"\n]*\")?)\)|<img\b[^<>]*\"{address}\"[^<>]*>"
        )

        def link(found: re.Match[str]) -> str:
            self.has_links = True
            return f"[{found[1] or 'picture'}]({found[2] or f'<{written}>'})"

        return picture.sub(link, text)


def _lowered(text: str) -> str:
    """Return text whose headings begin neither a question nor a section."""
    if "#" not in text and "==" not in text and "--" not in text:
        return text
    lines = text.split("\n")
    for block in scan(text).children:
        if block.kind is BlockKind.HEADING and block.level < 4:
            title = " ".join(line.text.strip() for line in block.lines)
            lines[block.start] = f"#### {title}" if title else ""
            lines[block.start + 1 : block.end] = [""] * (block.end - block.start - 1)
    return "\n".join(lines)


def code_span(text: str) -> str:
    """Return one line of text as a code span, and nothing for no text."""
    if not text:
        return ""
    is_padded = text != text.strip(" ") and text[0] == text[-1] == " "
    pad = " " if text.startswith("`") or text.endswith("`") or is_padded else ""
    ticks = backticks(text)
    return f"{ticks}{pad}{text}{pad}{ticks}"


def backticks(text: str, least: int = 1) -> str:
    """Return a run of backticks longer than any in a text, with at least `least` of them."""
    return "`" * max(least, max(map(len, re.findall("`+", text)), default=0) + 1)
