"""Converts a note from another dialect to our own format."""

import re
from collections.abc import Mapping

from ptcards.importing.drafts import Draft, as_heading, one_line
from ptcards.importing.inlines import code_span
from ptcards.markdown.blocks import BlockKind, scan
from ptcards.notes import DIFFICULTIES, Choice, Kind, Note

_LOOKS_OTHERWISE = re.compile(r"\{\{c\d|^[ \t]*[-+*] \[[ xX]\] ", re.MULTILINE)
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
    options = "\n".join(_option(each, texts) for each in note.choices)
    typed = f"{code_span(note.typed)}\n\n{answer}".strip() if note.typed else answer
    if options:
        body = [_without_boxes(question), options, _without_boxes(answer)]
    else:
        body = [
            question,
            f"### Answer\n\n{typed}" if question and typed and note.kind is not Kind.CLOZE else typed,
        ]
    for name in ("hint", "details", "sources"):
        text = texts.of(getattr(note, name).markdown)
        body += [f"### {name.capitalize()}\n\n{text}"] if text else []
    difficulty = note.difficulty if note.difficulty in DIFFICULTIES else ""
    tags = [tag for tag in note.tags if tag != f"difficulty::{difficulty}"]
    return Draft(
        note.deck,
        note.title,
        heading,
        "\n\n".join(filter(None, body)),
        question,
        {"id": note.id, "kind": _kind(note), "difficulty": difficulty},
        tags,
        place=f"{note.location.path}:{note.location.line}",
        changed="with a link in place of a picture on a server" if texts.has_links else "",
    )


def _kind(note: Note) -> str:
    """Return the kind to set, or an empty string if the reader would choose it anyway."""
    if note.kind is Kind.CHOICE:
        return ""
    if note.kind is not Kind.BASIC:
        return note.kind.value
    text = f"{note.heading.markdown}\n{note.question.markdown}\n{note.answer.markdown}"
    return "basic" if _LOOKS_OTHERWISE.search(text) else ""


def _without_heading(question: str, answer: str, kind: Kind) -> tuple[str, str, str]:
    """Return the heading, question and answer of a note without a heading.

    The first paragraph of its text becomes the heading.
    """
    text = answer if kind is Kind.CLOZE else question
    first, _, rest = text.partition("\n\n")
    heading = one_line(first)
    if heading is None:
        return as_heading(text) or "…", question, answer
    return (heading, question, rest) if kind is Kind.CLOZE else (heading, rest, answer)


def _without_boxes(text: str) -> str:
    """Return text with its task lists escaped, so that they do not become options of a choice."""
    return re.sub(r"(?m)^([ \t]*[-+*] )(?=\[[ xX]\] )", r"\1\\", text)


def _option(choice: Choice, texts: "Texts") -> str:
    box = "- [x] " if choice.correct else "- [ ] "
    text = box + indented(texts.of(choice.text.markdown))
    comment = texts.of(choice.comment.markdown)
    return f"{text}\n{comment_item(comment)}" if comment else text


def comment_item(text: str) -> str:
    """Return a comment as the nested list below an option."""
    item = text if re.match(r"[-+*] |1[.)] ", text) else f"- {indented(text)}"
    return f"  {indented(item)}"


def indented(text: str) -> str:
    """Return the text of a list item, with all lines after the first indented."""
    return re.sub(r"\n(?=[^\n])", "\n  ", text)


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
