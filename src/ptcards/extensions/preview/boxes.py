"""Writes a box that was drawn on a picture into its line of the source.

A file is only written if the box is there as the page showed it, and if every other note stays as it is.
"""

from typing import NamedTuple

from ptcards.extensions.importing.box_lines import with_boxes
from ptcards.lint.fixes import FileFix
from ptcards.notes import Note
from ptcards.readers.parser import parse_lines
from ptcards.source.attributes import Lines
from ptcards.source.collection import Collection
from ptcards.source.source import ParsedSource, Source, joined, rewrite, split_lines


def boxes_of(note: Note) -> dict[str, object] | None:
    """Return the boxes of a picture as the page draws them, with its name in Anki, or `None` without one."""
    if note.occlusion is None:
        return None
    picture = next((each.name for each in note.media if each.written == note.occlusion.picture), "")
    boxes = zip(note.occlusion.boxes, _texts(note), strict=True)
    drawn = [{**box._asdict(), "label": text.partition(": ")[2], "text": text} for box, text in boxes]
    return {"picture": picture, "boxes": drawn} if picture else None


class BoxEdit(NamedTuple):
    """An edit of a box of the note on line `line`; boxes are counted from 0.

    `old` and `new` are its place and the first line of its label. A new box, after the last one, has no old
    text, and one to delete has no new one.
    """

    line: int
    number: int
    old: str
    new: str


def change_box(collection: Collection, source: Source, edit: BoxEdit) -> FileFix:
    """Write an edit into its source, and return what this did to the file.

    Raises OutputError if the file cannot be written.
    """

    def change(content: bytes) -> bytes:
        lines = split_lines(content)
        before = parse_lines(collection, source, lines)
        place = next((n for n, each in enumerate(before.all_notes) if each.location.line == edit.line), -1)
        changed = _changed(lines, before.all_notes[place], edit) if place >= 0 else None
        if changed and _keeps_others(before, parse_lines(collection, source, changed), place, edit):
            return joined(content, changed)
        return content

    return FileFix(source.file, source.root, *rewrite(source.file, source.root, change))


def _keeps_others(before: ParsedSource, after: ParsedSource, place: int, edit: BoxEdit) -> bool:
    """Whether only the note at a place changed, which has the new box and as many others as before."""
    notes = [[*parsed.all_notes] for parsed in (before, after)]
    if len(notes[0]) != len(notes[1]):
        return False
    mine = [_texts(each.pop(place)) for each in notes]
    contents = [[(each.deck, each.heading.markdown, each.answer.markdown) for each in some] for some in notes]
    wanted = mine[0][: edit.number] + ([edit.new] if edit.new else []) + mine[0][edit.number + 1 :]
    return contents[0] == contents[1] and mine[1] == wanted


def _texts(note: Note) -> list[str]:
    """Return each box of a note as an edit has it."""
    boxes = note.occlusion.boxes if note.occlusion else ()
    labels = (label.markdown.partition("\n")[0] for label in note.items)
    return [f"{box.written}: {label}" for box, label in zip(boxes, labels, strict=True)]


def _changed(lines: Lines, note: Note, edit: BoxEdit) -> Lines | None:
    """Return the lines with an edit, or `None` if the box is not as it was."""
    texts = _texts(note)
    if texts[edit.number : edit.number + 1] != ([edit.old] if edit.old else []):
        return None
    label = edit.old.partition(": ")[2]
    if edit.old and not lines[note.items[edit.number].rows[0]][0].endswith(label):
        return None
    boxes = [(number, "") for number in range(len(texts))]
    boxes[edit.number : edit.number + 1] = [(edit.number, edit.new)] if edit.new else []
    return with_boxes(lines, note, boxes)
