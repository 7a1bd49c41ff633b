"""Converts the notes of a package: as new notes, unchanged, or back to the sources that they came from.

New notes get our own note types. Unchanged notes keep their GUIDs and note types.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path, PurePosixPath

from ptcards.anki.built_in_notetypes import FIELDS, OCCLUSION_FIELDS, note_types
from ptcards.anki.cards import card_ordinals
from ptcards.extensions.desktop.merge.html_tree import Element, as_html, parse_html, visible
from ptcards.extensions.desktop.merge.item_lists import find_list
from ptcards.extensions.importing.drafts import (
    SECTIONS,
    Draft,
    Questions,
    as_heading,
    body_of,
    code_span,
    kind_of_text,
    one_line,
    option,
    take_difficulty,
    verbatim,
)
from ptcards.extensions.importing.html_to_markdown import as_text, is_ankis_header, to_markdown
from ptcards.extensions.importing.occlusions import FoundBoxes, find_boxes, with_places
from ptcards.extensions.importing.package import PackageNote, PackageNoteType
from ptcards.identity.lock import guid_as_id
from ptcards.source.own_notetypes import about_extras

_REPLACED = re.compile(r"\{\{\s*+(?![#^/!])([^{}]+)\}\}")
_SECTION = re.compile(r"\{\{\s*[#^]\s*([^{}]+?)\s*\}\}")
_EXTRA = frozenset({"extra", "back extra", "details", "notes", "note", "explanation"})


@dataclass(frozen=True, slots=True)
class Roles:
    """The role of each field of a note type, by its number."""

    question: int
    answer: int
    others: tuple[int, ...]
    kind: str


def roles_of(note_type: PackageNoteType) -> Roles:
    """Return the roles of a note type's fields, derived from its templates."""
    numbers = {field.name: number for number, field in enumerate(note_type.fields)}
    fronts = [_shown(template.front, numbers) for template in note_type.templates]
    backs = [_shown(template.back, numbers) for template in note_type.templates]
    first = fronts[0] if fronts else []
    if note_type.is_occlusion:  # Anki numbers the fields of boxes, picture and header, and what follows
        tags = [number if field.tag is None else field.tag for number, field in enumerate(note_type.fields)]
        _, picture, header, *extra = sorted(range(len(tags)), key=tags.__getitem__)
        return Roles(header, picture, tuple(extra), "occlusion")
    question = next(iter(first), 0)
    rest = [number for number in numbers.values() if number != question]
    if note_type.is_cloze:
        return Roles(question, question, tuple(rest), "cloze")
    behind = [number for number in backs[0] if number not in first] if backs else []
    answer = next(iter(behind or rest), question)
    kind = ""
    if re.search(r"\{\{\s*type:", note_type.templates[0].front if note_type.templates else ""):
        kind = "typed"
    elif len(fronts) == 2 and answer in fronts[1] and question not in fronts[1]:
        kind = "reversed"
    # A field that is only the condition of a section, such as `Add Reverse`, is not for people.
    sides = [side for template in note_type.templates for side in (template.front, template.back)]
    switches = {numbers.get(name) for side in sides for name in _SECTION.findall(side)}
    switches.difference_update(*fronts, *backs)
    others = tuple(number for number in rest if number != answer and number not in switches)
    return Roles(question, answer, others, kind)


def _shown(template: str, numbers: Mapping[str, int]) -> list[int]:
    """Return the numbers of the fields that a template shows, in order."""
    names = [found.rstrip().rpartition(":") for found in _REPLACED.findall(template)]
    shown = [numbers[name] for before, _, name in names if name in numbers and not before.startswith("type")]
    return list(dict.fromkeys(shown))


class ConvertedNotes:
    """Makes drafts of our own types for a new deck."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = addresses
        self._roles: dict[int, Roles] = {}
        self._questions = Questions()

    def draft(self, note: PackageNote, note_type: PackageNoteType, fallback: int) -> Draft | str:
        """Return a note of a package as one of ours, or the reason why it cannot be converted.

        If `fallback` is not 0, only its text is kept.
        """
        if is_own(note_type):
            draft = own_draft(self._addresses, note, note_type, fallback)
            if isinstance(draft, str):
                return draft
            draft.settings = {**draft.settings, "id": ""}
            return self._questions.unique(draft)
        roles, boxes = self._roles_of(note, note_type), None
        if note_type.is_occlusion:
            boxes = find_boxes(next((html for html in note.fields if _SHAPE in html), ""))
            picture = _ONLY_PICTURE.fullmatch(note.fields[roles.answer])
            if fallback or boxes is None or picture is None:
                return HIDDEN
            note = _as_question(note, roles, with_places("", picture[1], boxes))
        return self.written(note, [field.name for field in note_type.fields], roles, fallback, boxes)

    def written(
        self,
        note: PackageNote,
        names: Sequence[str],
        roles: Roles,
        fallback: int,
        boxes: FoundBoxes | None = None,
    ) -> Draft | str:
        """Return a note whose fields have these names and roles as one of ours, or why that is impossible."""
        writer = FieldWriter(self._addresses, is_cloze=roles.kind == "cloze", as_plain_text=fallback > 0)
        question = writer.field(names[roles.question], note.fields[roles.question])
        details = (writer.detail(names[number], note.fields[number]) for number in roles.others)
        shown = "\n\n".join(filter(None, details))
        kind, changed = roles.kind, ""
        answer = ""
        if kind == "cloze":
            heading, rest = writer.asked(question, note.fields[roles.question], needs_deletion=True)
            question = ""
        else:
            if roles.answer != roles.question:
                answer = writer.field(names[roles.answer], note.fields[roles.answer])
            if not answer and shown:
                answer, shown, kind, changed = shown, "", "", "with its other fields as the answer"
            if not answer:
                return "without a question or an answer"
            heading, rest = writer.asked(question, note.fields[roles.question])
            kind = _kind(kind, question, answer)
            changed = "with numbers as the labels of their boxes" if boxes else changed
        if not heading:
            return "without a question or an answer"
        draft = Draft(
            note.deck,
            title_of(note),
            heading,
            body_of(rest, answer, kind, {"Details": shown}),
            question,
            {"kind": kind, "hide": "one" if boxes and not boxes.hides_all else ""},
            note.tags,
            written=writer.written,
            lost=writer.lost,
            changed=changed,
            key=note.id,
        )
        return self._questions.unique(draft)

    def _roles_of(self, note: PackageNote, note_type: PackageNoteType) -> Roles:
        """Return the roles of a note's fields; it is only reversed if Anki makes both its cards."""
        roles = self._roles.setdefault(note_type.id, self._roles.get(note_type.id) or roles_of(note_type))
        if roles.kind == "reversed" and 1 not in card_ordinals(note_type, note.fields):
            return replace(roles, kind="")
        return roles


def _kind(kind: str, question: str, answer: str) -> str:
    """Return the kind to set, or an empty string if the reader would choose it anyway."""
    if kind == "typed" and one_line(answer) is None:
        kind = ""
    return kind or ("basic" if "{{c" in question + answer else "")


def _as_question(note: PackageNote, roles: Roles, answer: str) -> PackageNote:
    """Return an image occlusion with another answer; without a text above the picture, it asks its title."""
    fields = [*note.fields]
    fields[roles.question] = fields[roles.question] or escape(title_of(note))
    fields[roles.answer] = answer
    return replace(note, fields=tuple(fields))


def title_of(note: PackageNote) -> str:
    """Return the title of a note for messages: the first line of its first field.

    If Anki hides parts of a picture for the note, it is the text above the picture or the picture's name.
    """
    field = note.fields[0][:1000]
    if _SHAPE in field and len(note.fields) > 2:
        tree = parse_html(note.fields[1][:1000])
        names = [each.attributes.get("src", "") for each in tree.inside() if each.tag == "img"]
        field = note.fields[2][:1000] or escape("".join(names[:1]))
    return visible(parse_html(field)).partition("\n")[0] or f"note {note.id}"


_SHAPE = "::image-occlusion:"
_ONLY_PICTURE = re.compile(r"(?:\s|</?(?:div|p|br) ?/?>)*(<img [^<>]*>)(?:\s|</?(?:div|p|br) ?/?>)*")
HIDDEN = "that hide parts of a picture, which only keeps its note type without `--fresh`"
"""Why a note is left out of a new deck."""
_MASKS = frozenset({"question mask", "answer mask"})
"""Fields of the add-on Image Occlusion Enhanced, whose notes show a picture below a mask."""


def hides_pictures(note_type: PackageNoteType) -> bool:
    """Whether the notes of a note type hide parts of a picture, with Anki itself or an add-on."""
    return note_type.is_occlusion or {field.name.casefold() for field in note_type.fields} >= _MASKS


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
        converted = to_markdown(html, self._addresses, is_cloze=self._is_cloze, exact=False)
        if converted.markdown is None or self._as_plain_text:
            self.lost.append(name)
            return as_text(html)
        (self.written if converted.is_whole else self.lost).append(name)
        return converted.markdown

    def asked(self, text: str, html: str, *, needs_deletion: bool = False) -> tuple[str, str]:
        """Return the heading for a text, and what is left of it; its first paragraph is the heading."""
        first, _, rest = text.partition("\n\n")
        heading = one_line(first)
        if heading is None or (needs_deletion and "{{c" not in heading and "{{c" not in rest):
            return as_heading(as_text(html)), text
        return heading, rest

    def detail(self, name: str, html: str) -> str:
        """Return a field that is neither question nor answer, labelled with its name."""
        text = self.field(name, html)
        if not text or name.casefold() in _EXTRA:
            return text
        label = as_heading(as_text(escape(name)))
        return f"**{label}** {text}" if one_line(text) else f"**{label}**\n\n{text}"


_LONGEST_ID = 80
_LONGEST_NAME = 60


class AdoptedNotes:
    """Makes drafts that keep the identity of their notes.

    `names` are those of the note types in the sources.
    """

    def __init__(self, addresses: Mapping[str, str], names: Mapping[int, str]) -> None:
        self._addresses = addresses
        self._names = names
        self._ids: set[str] = set()

    def draft(self, note: PackageNote, note_type: PackageNoteType, fallback: int) -> Draft | str:
        """Return a note with one section per field; the fields stay HTML unless `fallback` is 0."""
        written, kept = [], []
        texts: dict[str, str] = {}
        for field, html in zip(note_type.fields, note.fields, strict=True):
            if not html:
                continue
            converted = to_markdown(
                html,
                self._addresses,
                is_cloze=note_type.is_cloze,
                has_own_latex=not is_ankis_header(note_type.extras),
            )
            is_html = fallback or note_type.is_occlusion or not converted.is_whole
            if converted.markdown and not is_html:
                texts[field.name] = converted.markdown
                written.append(field.name)
            else:
                texts[field.name] = verbatim(html)
                kept.append(field.name)
        heading, sections = self._heading(note, note_type, texts)
        settings = {
            "type": self._names[note_type.id] if len(self._names) > 1 else "",
            "id": self._id(note.guid),
        }
        return Draft(
            note.deck,
            title_of(note),
            heading,
            "\n\n".join(sections),
            settings=settings,
            tags=note.tags,
            written=written,
            verbatim=kept,
            key=note.id,
        )

    @staticmethod
    def _heading(
        note: PackageNote, note_type: PackageNoteType, texts: Mapping[str, str]
    ) -> tuple[str, list[str]]:
        """Return the heading of a note, and the text below it.

        The text begins with the second field, followed by a section for each remaining field.
        """
        first, *others = [field.name for field in note_type.fields]
        heading = one_line(texts.get(first, ""))
        sections = []
        # The second field has no section heading of its own, so it must come before all sections.
        if others and others[0] in texts:
            sections.append(texts[others[0]])
        if heading is None and first in texts:
            sections.append(f"### {first}\n\n{texts[first]}")
        sections += [f"### {name}\n\n{texts[name]}" for name in others[1:] if name in texts]
        shown = escape(title_of(note)) if note_type.is_occlusion else note.fields[0][:1000]
        return heading or as_heading(as_text(shown)) or title_of(note), sections

    def _id(self, guid: str) -> str:
        """Return the id to write in a source for a GUID; no two ids differ only in case."""
        name = guid_as_id(guid)
        if len(name) > _LONGEST_ID or name.casefold() in self._ids:
            name = guid_as_id(f"{guid} ")
        self._ids.add(name.casefold())
        return name


def default_type(names: Mapping[int, str]) -> str:
    """Return the `type` setting for `deck.toml`: the only note type, or nothing if there are several."""
    return f"type = {json.dumps(*names.values())}\n" if len(names) == 1 else ""


def write_note_types(note_types: Sequence[PackageNoteType], folder: Path) -> Mapping[int, str]:
    """Write a folder for each note type, and return the folders' names by the note types' ids."""
    names = type_names(note_types)
    for note_type in note_types:
        _write_note_type(folder / "notetypes" / names[note_type.id], note_type)
    return names


def type_names(note_types: Sequence[PackageNoteType]) -> dict[int, str]:
    """Return the name of each note type in the sources, by its id."""
    names = _file_names([note_type.name for note_type in note_types])
    return {note_type.id: name for note_type, name in zip(note_types, names, strict=True)}


def _file_names(names: Iterable[str]) -> Iterator[str]:
    """Yield a unique file name for each name, made of ASCII letters, digits and `-`."""
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    for each in names:
        letters = unicodedata.normalize("NFKD", each).encode("ascii", "ignore").decode().lower()
        name = "-".join(re.findall(r"[a-z0-9]+", letters))[:_LONGEST_NAME].strip("-") or "notes"
        found = name
        while found in taken:
            numbers[name] += 1
            found = f"{name}-{numbers[name] + 1}"
        taken.add(found)
        yield found


def _write_note_type(folder: Path, note_type: PackageNoteType) -> None:
    """Write a note type as the files that `source.own_notetypes` reads."""
    folder.mkdir(parents=True)
    templates = []
    files = _file_names([each.name for each in note_type.templates])
    for template, file in zip(note_type.templates, files, strict=True):
        more = _given(
            id=template.id, browser_front=template.browser_front, browser_back=template.browser_back
        )
        templates.append({"name": template.name, "file": file, **more})
        for side, html in (("front", template.front), ("back", template.back)):
            (folder / f"{file}.{side}.html").write_text(html, "utf-8", newline="")
    (folder / "style.css").write_text(note_type.css, "utf-8", newline="")
    about = {
        "name": note_type.name,
        "kind": "cloze" if note_type.is_cloze else "standard",
        "id": note_type.id,
        "fields": [
            {"name": each.name, **_given(id=each.id, tag=each.tag, prevent_deletion=each.is_kept)}
            for each in note_type.fields
        ],
        "templates": templates,
        **about_extras(note_type.extras),
    }
    text = json.dumps(about, ensure_ascii=False, indent=2)
    (folder / "notetype.json").write_text(f"{text}\n", "utf-8", newline="\n")


def _given(**values: int | str | None) -> dict[str, object]:
    """Return the values that say something: neither `None` nor empty nor `False`."""
    return {name: value for name, value in values.items() if value not in (None, "") and value is not False}


_HASHED = re.compile(r"(.+)-[0-9a-f]{8}(\.[^.]+)")
_HEADING = re.compile(r'<p class="heading">(.*?)</p>\n?', re.DOTALL)


def is_own(note_type: PackageNoteType) -> bool:
    """Whether a note type has the fields of our own note types."""
    return tuple(field.name for field in note_type.fields) in (FIELDS, OCCLUSION_FIELDS)


def is_of(note_type: PackageNoteType, collection_id: str) -> bool:
    """Whether a note type is one of a collection's built-in ones."""
    return is_own(note_type) and note_type.id in {
        each.id for each in note_types(collection_id, "", "", occlusions=True)
    }


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


def own_draft(
    addresses: Mapping[str, str], note: PackageNote, note_type: PackageNoteType, fallback: int
) -> Draft | str:
    """Return a note as its author wrote it; if `fallback` is not 0, only its text is kept."""
    writer = FieldWriter(addresses, is_cloze=note_type.is_cloze, as_plain_text=fallback > 0)
    fields = dict(zip((field.name for field in note_type.fields), note.fields, strict=True))
    boxes = find_boxes(fields["Occlusion"]) if note_type.is_occlusion else None
    if note_type.is_occlusion:
        if boxes is None:
            return "with a shape that is neither a rectangle nor an ellipse"
        fields |= {
            "Answer": with_places(fields["Answer"], fields["Image"], boxes),
            "Choices": "",
            "Typed": "",
        }
    heading, html = _cut_heading(fields["Question"])
    asked, question = " ".join(writer.field("Question", heading).split()), writer.field("Question", html)
    if not asked and question:  # somebody typed it
        asked, question = writer.asked(question, html)
    tree = parse_html(fields["Answer"])
    lists = (each for each in tree.elements if each.tag == "ol" and "choices" in each.classes)
    options = next(lists, None) if fields["Choices"] else None
    listed = find_list(fields["Answer"]) if note_type.is_cloze else None
    answer_html = listed.plain if listed else fields["Answer"]
    answer = writer.field("Answer", answer_html) if options is None else ""
    kind = task_list = ""
    if note_type.is_cloze:
        kind = "occlusion" if boxes else listed.kind if listed else "cloze"
        if not asked:
            asked, _, answer = answer.partition("\n\n")
    elif options is not None:
        task_list, answer = _choices(tree, options, writer)
    else:
        kind = "typed" if fields["Typed"] else "reversed" if fields["Reversed"] else ""
        typed = code_span(parse_html(fields["Typed"]).text())
        answer = "\n\n".join(filter(None, [typed, answer]))
        kind = kind or kind_of_text(asked, answer)
    sections = {name: writer.field(name, fields[name]) for name in SECTIONS}
    difficulty, tags = take_difficulty(fields["Difficulty"], note.tags)
    settings = {
        "id": guid_as_id(note.guid),
        "kind": kind,
        "before": str(listed.before) if listed and listed.before else "",
        "hide": "one" if boxes and not boxes.hides_all else "",
        "difficulty": difficulty,
    }
    return Draft(
        note.deck,
        title_of(note),
        asked,
        body_of(question, answer, kind, sections, task_list),
        question,
        settings,
        tags,
        numbers=listed.numbers if listed else tuple(boxes.boxes) if boxes else (),
        written=writer.written,
        lost=writer.lost,
        key=note.id,
    )


def _cut_heading(question: str) -> tuple[str, str]:
    """Return the heading of a question and the text below it."""
    found = _HEADING.match(question)
    return (found[1], question[found.end() :]) if found else ("", question)


def _choices(tree: Element, listed: Element, writer: FieldWriter) -> tuple[str, str]:
    """Return the options of a choice as a task list, and the explanation below them."""
    items = []
    for each in (element for element in listed.elements if element.tag == "li"):
        comment = next((element for element in each.elements if "comment" in element.classes), None)
        rest = [node for node in each.children if not _is_part(node)]
        text = writer.field("Answer", as_html(rest)) or "&nbsp;"
        said = writer.field("Answer", as_html(comment.children)) if comment else ""
        items.append(option(text, said, is_right="right" in each.classes))
    where = tree.children.index(listed)
    return "\n".join(items), writer.field("Answer", as_html(tree.children[where + 1 :]))


def _is_part(node: Element | str) -> bool:
    return isinstance(node, Element) and bool({"mark", "comment"} & {*node.classes})


Maker = Callable[[PackageNote, PackageNoteType, int], Draft | str]
"""Converts a note of a package, or returns the reason why it is left out.

With a higher last argument, the `fallback`, the note is plainer.
"""
