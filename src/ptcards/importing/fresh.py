"""Converts the texts of a package's notes to our own note types, for a new deck."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from ptcards.importing.drafts import Draft, Questions, as_heading, one_line
from ptcards.importing.html import parse_html, visible
from ptcards.importing.markdown import Likeness, as_text, to_markdown
from ptcards.importing.values import Note, NoteType

_REPLACED = re.compile(r"\{\{\s*+(?![#^/!])([^{}]+)\}\}")
_EXTRA = frozenset({"extra", "back extra", "details", "notes", "note", "explanation"})


@dataclass(frozen=True, slots=True)
class Roles:
    """The role of each field of a note type, by its number."""

    question: int
    answer: int
    others: tuple[int, ...]
    kind: str


def roles_of(note_type: NoteType) -> Roles:
    """Return the roles of a note type's fields, derived from its templates."""
    numbers = {field.name: number for number, field in enumerate(note_type.fields)}
    fronts = [_shown(template.front, numbers) for template in note_type.templates]
    backs = [_shown(template.back, numbers) for template in note_type.templates]
    first = fronts[0] if fronts else []
    if note_type.is_cloze:
        text = next(iter(first), 0)
        return Roles(text, text, tuple(number for number in numbers.values() if number != text), "cloze")
    question = next(iter(first), 0)
    behind = [number for number in backs[0] if number not in first] if backs else []
    rest = [number for number in numbers.values() if number != question]
    answer = next(iter(behind or rest), question)
    kind = ""
    if re.search(r"\{\{\s*type:", note_type.templates[0].front if note_type.templates else ""):
        kind = "typed"
    elif len(fronts) == 2 and answer in fronts[1] and question not in fronts[1]:
        kind = "reversed"
    return Roles(question, answer, tuple(number for number in rest if number != answer), kind)


def _shown(template: str, numbers: Mapping[str, int]) -> list[int]:
    """Return the numbers of the fields that a template shows, in order."""
    names = [found.rstrip().rpartition(":") for found in _REPLACED.findall(template)]
    shown = [numbers[name] for before, _, name in names if name in numbers and not before.startswith("type")]
    return list(dict.fromkeys(shown))


class Fresh:
    """Makes drafts of our own types for a new deck."""

    outcome = "fresh"

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = addresses
        self._roles: dict[int, Roles] = {}
        self._questions = Questions()

    def draft(self, note: Note, note_type: NoteType, plainness: int) -> Draft | str:
        """Return a note of a package as one of ours, or the reason why it cannot be converted.

        If `plainness` is not 0, only its text is kept.
        """
        roles = self._roles.setdefault(note_type.id, self._roles.get(note_type.id) or roles_of(note_type))
        writer = FieldWriter(self._addresses, is_cloze=note_type.is_cloze, as_plain_text=plainness > 0)
        names = note_type.fields
        question = writer.field(names[roles.question].name, note.fields[roles.question])
        details = (writer.detail(names[number].name, note.fields[number]) for number in roles.others)
        shown = "\n\n".join(filter(None, details))
        kind, changed = roles.kind, ""
        if kind == "cloze":
            heading, body = writer.cloze(question, note.fields[roles.question])
            question = ""
        else:
            answer = ""
            if roles.answer != roles.question:
                answer = writer.field(names[roles.answer].name, note.fields[roles.answer])
            if not answer and shown:
                answer, shown, kind, changed = shown, "", "", "with its other fields as the answer"
            if not answer:
                return "without a question or an answer"
            heading, body = writer.asked(question, note.fields[roles.question], answer)
            kind = _kind(kind, question, answer)
        if not heading:
            return "without a question or an answer"
        if shown:
            body = f"{body}\n\n### Details\n\n{shown}".lstrip("\n")
        draft = Draft(
            note.deck,
            title_of(note),
            heading,
            body,
            question,
            {"kind": kind},
            note.tags,
            written=writer.written,
            lost=writer.lost,
            changed=changed,
            key=note.id,
        )
        return draft if self._questions.is_new(draft) else "that are in their deck twice"


def _kind(kind: str, question: str, answer: str) -> str:
    """Return the kind to set, or an empty string if the reader would choose it anyway."""
    if kind == "typed" and one_line(answer) is None:
        kind = ""
    return kind or ("basic" if "{{c" in question + answer else "")


def title_of(note: Note) -> str:
    """Return the title of a note for messages: the first line of its first field."""
    return visible(parse_html(note.fields[0][:1000])).partition("\n")[0] or f"note {note.id}"


class FieldWriter:
    """Writes fields as our Markdown.

    `written` lists the fields that Markdown reproduces, and `lost` those that lost formatting.
    """

    def __init__(self, addresses: Mapping[str, str], *, is_cloze: bool, as_plain_text: bool) -> None:
        self._addresses = addresses
        self._is_cloze = is_cloze
        self._as_plain_text = as_plain_text
        self.written: list[str] = []
        self.lost: list[str] = []

    def field(self, name: str, html: str) -> str:
        """Return a field as Markdown."""
        if not html.strip():
            return ""
        found = to_markdown(html, self._addresses, is_cloze=self._is_cloze, exact=False)
        if found.markdown is None or self._as_plain_text:
            self.lost.append(name)
            return as_text(html)
        (self.written if found.likeness is Likeness.ALL else self.lost).append(name)
        return found.markdown

    def asked(self, question: str, html: str, answer: str) -> tuple[str, str]:
        """Return the heading and body for a question and its answer."""
        first, _, rest = question.partition("\n\n")
        heading = one_line(first)
        if heading is None:
            heading, rest = as_heading(as_text(html)), question
        return heading, f"{rest}\n\n### Answer\n\n{answer}" if rest else answer

    def cloze(self, text: str, html: str) -> tuple[str, str]:
        """Return the heading and body for a text with deletions; its first paragraph is the heading."""
        first, _, rest = text.partition("\n\n")
        heading = one_line(first)
        if heading is None or ("{{c" not in heading and "{{c" not in rest):
            return as_heading(as_text(html)), text
        return heading, rest

    def detail(self, name: str, html: str) -> str:
        """Return a field that is neither question nor answer, labelled with its name."""
        text = self.field(name, html)
        if not text or name.casefold() in _EXTRA:
            return text
        label = as_heading(as_text(escape(name)))
        return f"**{label}** {text}" if one_line(text) else f"**{label}**\n\n{text}"
