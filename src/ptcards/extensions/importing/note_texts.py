"""Where the texts of a note are in its source, and how lines of the source are replaced."""

import re
from collections.abc import Iterator, Sequence

from ptcards.extensions.desktop.merge.html_tree import Element, as_html, parse_html
from ptcards.extensions.importing.drafts import SECTIONS, code_span
from ptcards.notes import Kind, Note, Text
from ptcards.source.attributes import Lines, with_setting

PARTS = {
    "Question": "heading",
    "Answer": "answer",
    "Hint": "hint",
    "Details": "details",
    "Sources": "sources",
}
"""The attribute of a note that each field comes from."""
_ENDS_FIRST_PART = {"Question": "heading", "Answer": "choices"}
"""The class of the element that ends the first part of a field with several parts."""
_HEADING = re.compile(r"#{1,6}(?=[ \t])")
SAME_OPTIONS = ("Answer", "Choices")
"""The fields that both show the options of a choice."""


def text_of(note: Note, field: str) -> Text:
    """Return the text of a field, or an empty string if the field consists of several parts."""
    if note.own_type:
        names = [name for name, _ in note.fields]
        return note.first_field if field == names[0] else dict(note.fields)[field]
    is_mixed = {"Question": bool(note.question), "Answer": bool(note.choices)}.get(field, False)
    text: Text = getattr(note, PARTS[field]) if field in PARTS and not is_mixed else Text()
    return text


def parts_of(note: Note, field: str, html: str) -> Sequence[tuple[Text, str]]:
    """Return the texts that a field consists of, the last one first, each with its part of the field's HTML.

    The options of a choice are left out: they are in two fields.
    """
    text = text_of(note, field)
    if text and not _is_below_a_cloze(note, text):
        return [(text, html)]
    root = parse_html(html)
    if note.language and len(root.elements) == 1:
        root = root.elements[0]
    if text:
        return _below_a_cloze(text, root) or [(text, html)]
    first = _ENDS_FIRST_PART.get(field, "")
    head = next((each for each in root.elements if first in each.classes), None)
    rest = root.children[root.children.index(head) + 1 :] if head else root.children
    if field == "Question" and note.question:
        shown = as_html(head.children) if head else ""
        return [(note.question, as_html(rest)), *([(note.heading, shown)] if note.heading else [])]
    return [(note.answer, as_html(rest))] if field == "Answer" and note.answer and head else []


def is_heading(note: Note, text: Text) -> bool:
    """Whether a text is the heading of a note."""
    return bool(text) and text.location().line == note.location.line


def _is_below_a_cloze(note: Note, text: Text) -> bool:
    """Whether a text begins with the heading of a cloze note and has more below it."""
    return note.kind is Kind.CLOZE and len(text.runs) == 2 and is_heading(note, text)


def _below_a_cloze(text: Text, root: Element) -> Sequence[tuple[Text, str]]:
    """Return the text below the heading of a cloze note, and the heading, each with its HTML."""
    cut = next((n for n, each in enumerate(root.children) if isinstance(each, Element)), -1)
    heading = root.children[cut]
    if not isinstance(heading, Element) or heading.tag != "p":
        return []
    first, second = text.runs
    lines = text.markdown.split("\n")
    below = Text("\n".join(lines[second.index :]), text.path, (second._replace(index=0),))
    above = Text("\n".join(lines[: second.index - 1]), text.path, (first,))
    return [(below, as_html(root.children[cut + 1 :])), (above, as_html(heading.children))]


def replaced(lines: Lines, text: Text, markdown: str, *, is_heading: bool) -> Iterator[Lines]:
    """Yield the lines with a new text in place of an old one, unless parts of the old text are elsewhere."""
    if len(text.runs) > 1:
        return
    old, start = text.markdown.split("\n"), text.location()
    first, end = start.line - 1, start.line - 1 + len(old)
    there = [line for line, _ in lines[first:end]]
    new = markdown.split("\n")
    # The text does not include comments or link definitions, so their lines must not be replaced.
    if is_heading:
        if len(new) > 1 or there[0][start.column - 1 :] != old[0]:
            return
        new = [there[0][: start.column - 1] + markdown]
        end = first + 1
    elif there != old:
        return
    yield replaced_lines(lines, first, end, new)


def with_typed(lines: Lines, note: Note, answer: str) -> Iterator[Lines]:
    """Yield the lines with another text to type, which is on a line of its own below the heading."""
    for number in range(note.location.line, len(lines)):
        line, line_end = lines[number]
        if line.strip(" \t`") == note.typed:
            for text in (line.replace(note.typed, answer), code_span(answer)):
                yield [*lines[:number], (text, line_end), *lines[number + 1 :]]
            return


def with_question(lines: Lines, note: Note, markdown: str) -> Iterator[Lines]:
    """Yield the lines with text below the heading of a note: above the options, or above `### Answer`."""
    heading, at = _HEADING.match(lines[note.location.line - 1][0]), _end_of_comment(lines, note)
    if heading:
        yield _inserted(lines, at, markdown.split("\n"))
        yield _inserted(lines, at, [*markdown.split("\n"), "", f"{heading[0]}# Answer"])


def with_difficulty(lines: Lines, note: Note, value: str) -> Lines:
    """Return the lines with another difficulty of a note, or without one if the value is empty."""
    start, end = note.location.line, _end_of_comment(lines, note)
    if value:
        return with_setting(lines, start, end, "difficulty", value)
    without = (
        (line.replace(f" difficulty={note.difficulty}", ""), ending) for line, ending in lines[start:end]
    )
    return [*lines[:start], *without, *lines[end:]]


def _end_of_comment(lines: Lines, note: Note) -> int:
    """Return the index of the first line after a note's heading and comments that is not blank."""
    at, is_inside = note.location.line, False
    while at < len(lines) and (is_inside or lines[at][0].lstrip()[:4] in ("", "<!--")):
        is_inside = "-->" not in lines[at][0] and (is_inside or bool(lines[at][0].strip()))
        at += 1
    return at


def with_section(lines: Lines, note: Note, name: str, markdown: str) -> Iterator[Lines]:
    """Yield the lines with a new section in a note for each possible place, best place first."""
    heading = _HEADING.match(lines[note.location.line - 1][0])
    if name not in _names(note) or heading is None:
        return
    section = [f"{heading[0]}# {name}", "", *markdown.split("\n")]
    for at in _places(lines, note, name, heading.end()):
        yield _inserted(lines, at, section)


def _inserted(lines: Lines, at: int, section: Sequence[str]) -> Lines:
    """Return the lines with others before the one at this index, between blank lines."""
    line_end = lines[0][1] or "\n"
    above, below = lines[:at], lines[at:]
    text, end = above[-1]
    above[-1] = (text, end or line_end)
    new = [("", line_end)] if text.strip() else []
    new += [(line, line_end) for line in section]
    if not below:
        new[-1] = (section[-1], end)
    elif below[0][0].strip():
        new.append(("", line_end))
    return [*above, *new, *below]


def without_section(lines: Lines, text: Text, name: str) -> Iterator[Lines]:
    """Yield the lines without the section that contains this text."""
    first, end = text.rows
    at = _heading_above(lines, first)
    if lines[at][0].strip("# \t") == name:
        while end < len(lines) - 1 and not lines[end][0].strip():
            end += 1
        yield [*lines[:at], *lines[end:]]


def line_of(note: Note, field: str) -> int:
    """Return the line of a field's text, or the line above the place where it would be."""
    text = text_of(note, field)
    above = _texts(note, before=field)
    return text.location().line if text else max(each.rows[1] if each else 0 for each in above)


def _names(note: Note) -> Sequence[str]:
    """Return the names of the sections that a note can have, in their usual order."""
    return [name for name, _ in note.fields[1:]] if note.own_type else SECTIONS


def _texts(note: Note, *, before: str) -> Iterator[Text]:
    """Yield the texts of a note that come before a section."""
    yield note.heading
    if not note.own_type:
        yield from (note.question, note.answer)
        yield from (text for choice in note.choices for text in (choice.text, choice.comment))
    for name in _names(note):
        if name == before:
            return
        yield text_of(note, name)


def places_of(note: Note, field: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of the texts that a field consists of, then those of the whole note.

    A reader that rewrites a text may know only the line where its note begins.
    """
    options = note.choices if field in SAME_OPTIONS else ()
    texts = [text for each in options for text in (each.text, each.comment)]
    if note.own_type:
        texts.append(text_of(note, field))
    elif field == "Question":
        texts += [note.heading, note.question]
    elif field in PARTS:
        texts.append(getattr(note, PARTS[field]))
    every = [*_texts(note, before=""), *(() if note.own_type else (note.sources,))]
    for some in (texts, every):
        if lines := [line for text in some if text for line in _all_lines(text)]:
            yield min(lines), max(lines)


def _all_lines(text: Text) -> Iterator[int]:
    return (text.location(index).line for index in range(text.markdown.count("\n") + 1))


def _places(lines: Lines, note: Note, name: str, level: int) -> Iterator[int]:
    names = list(_names(note))
    later = [text for each in names[names.index(name) + 1 :] if (text := text_of(note, each))]
    if later:
        yield _heading_above(lines, later[0].location().line - 1)
        return
    end = start = line_of(note, name)
    while end < len(lines) and lines[end][0].strip() and not _HEADING.match(lines[end][0]):
        end += 1
    yield end
    while start < len(lines) and not ((head := _HEADING.match(lines[start][0])) and head.end() <= level):
        start += 1
    while not lines[start - 1][0].strip():
        start -= 1
    if start != end:
        yield start


def _heading_above(lines: Lines, at: int) -> int:
    while at > 0 and not _HEADING.match(lines[at][0]):
        at -= 1
    return at


def replaced_lines(lines: Lines, first: int, end: int, new: Sequence[str]) -> Lines:
    """Return lines with others in place of those from `first` to `end`, which is excluded."""
    line_end = lines[first][1] or "\n"
    return [
        *lines[:first],
        *((line, line_end) for line in new[:-1]),
        (new[-1], lines[end - 1][1]),
        *lines[end:],
    ]
