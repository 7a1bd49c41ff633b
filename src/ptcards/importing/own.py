"""Converts notes back to sources if ptcards built their package."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from ptcards.anki.notetypes import FIELDS, note_types
from ptcards.identity.lock import guid_as_id
from ptcards.importing.drafts import Draft, Origin
from ptcards.importing.fresh import FieldWriter, title_of
from ptcards.importing.html import Element, as_html, parse_html
from ptcards.importing.inlines import code_span
from ptcards.importing.native import comment_item, indented
from ptcards.importing.values import Note, NoteType
from ptcards.notes import DIFFICULTIES

_HASHED = re.compile(r"(.+)-[0-9a-f]{8}(\.[^.]+)")
_HEADING = re.compile(r'<p class="heading">(.*?)</p>\n?', re.DOTALL)
_LOOKS_OTHERWISE = re.compile(r"\{\{c\d|^[^\S\n]*- \[[ x]\]", re.MULTILINE)
"""Matches what would make a basic note a cloze or a choice."""
_DIFFICULTY = "difficulty::"


def is_own(note_type: NoteType) -> bool:
    """Whether a note type has the fields of our own note types."""
    return tuple(field.name for field in note_type.fields) == FIELDS


def is_of(note_type: NoteType, collection_id: str) -> bool:
    """Whether a note type is one of a collection's two built-in ones."""
    return is_own(note_type) and note_type.id in {each.id for each in note_types(collection_id, "", "")}


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Return a path for each file of a package, such that a build derives the same name from the path.

    The path does not contain the digest.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    for name in sorted(names):
        hashed = _HASHED.fullmatch(name)
        plain = f"{hashed[1]}{hashed[2]}" if hashed else name
        place = PurePosixPath("media", plain)
        while str(place).casefold() in taken:
            numbers[plain.casefold()] += 1
            place = PurePosixPath("media", str(numbers[plain.casefold()] + 1), plain)
        taken.add(str(place).casefold())
        found[name] = str(place)
    return found


class Own:
    """Makes drafts of our own kinds that keep the identity of their notes."""

    outcome = "adopted"

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = addresses

    def draft(self, note: Note, note_type: NoteType, plainness: int) -> Draft | str:
        """Return a note as its author wrote it; if `plainness` is not 0, only its text is kept."""
        writer = FieldWriter(self._addresses, is_cloze=note_type.is_cloze, as_plain_text=plainness > 0)
        fields = dict(zip(FIELDS, note.fields, strict=True))
        heading, question = _cut_heading(fields["Question"])
        asked = " ".join(writer.field("Question", heading).split())
        body = [writer.field("Question", question)]
        tree = parse_html(fields["Answer"])
        options = next(
            (each for each in tree.elements if each.tag == "ol" and "choices" in each.classes), None
        )
        if not fields["Choices"]:
            options = None
        answer = writer.field("Answer", fields["Answer"]) if options is None else ""
        kind = ""
        if note_type.is_cloze:
            kind = "cloze"
            if not asked:
                asked, _, answer = answer.partition("\n\n")
            body.append(answer)
        elif options is not None:
            body += _choices(tree, options, writer)
        else:
            kind = "typed" if fields["Typed"] else "reversed" if fields["Reversed"] else ""
            answer = "\n\n".join(filter(None, [_typed(fields["Typed"]), answer]))
            body.append(f"### Answer\n\n{answer}" if question else answer)
            kind = kind or ("basic" if _LOOKS_OTHERWISE.search(f"{asked}\n{answer}") else "")
        for name in ("Hint", "Details", "Sources"):
            text = writer.field(name, fields[name])
            body += [f"### {name}\n\n{text}"] if text else []
        difficulty = fields["Difficulty"] if fields["Difficulty"] in DIFFICULTIES else ""
        tags = [tag for tag in note.tags if tag != f"{_DIFFICULTY}{difficulty}"]
        settings = {
            "id": guid_as_id(note.guid),
            "kind": kind,
            "difficulty": difficulty,
        }
        return Draft(
            note.deck,
            title_of(note),
            asked,
            "\n\n".join(filter(None, body)),
            settings=settings,
            tags=tags,
            origin=Origin(note.guid, max(1, note.mod), note.id),
            written=writer.written,
            lost=writer.lost,
            key=note.id,
        )


def _cut_heading(question: str) -> tuple[str, str]:
    """Return the heading of a question and the text below it."""
    found = _HEADING.match(question)
    return (found[1], question[found.end() :]) if found else ("", question)


def _typed(field: str) -> str:
    """Return the text to type as written in a source, in backticks if it was a code span."""
    text = parse_html(field).text()
    if not text:
        return ""
    return code_span(text)


def _choices(tree: Element, listed: Element, writer: FieldWriter) -> tuple[str, str]:
    """Return the options of a choice as a task list, and the explanation below them."""
    items = []
    for option in (each for each in listed.elements if each.tag == "li"):
        comment = next((each for each in option.elements if "comment" in each.classes), None)
        rest = [each for each in option.children if not _is_part(each)]
        text = writer.field("Answer", as_html(rest)) or "&nbsp;"
        mark = "- [x] " if "right" in option.classes else "- [ ] "
        items.append(mark + indented(text))
        if comment is not None and (said := writer.field("Answer", as_html(comment.children))):
            items.append(comment_item(said))
    where = tree.children.index(listed)
    return "\n".join(items), writer.field("Answer", as_html(tree.children[where + 1 :]))


def _is_part(node: Element | str) -> bool:
    return isinstance(node, Element) and bool({"mark", "comment"} & {*node.classes})
