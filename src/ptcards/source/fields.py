"""Reads the fields of a note with one of the collection's own note types.

Fields come from the heading, the body, and the sections named after fields.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.markdown.blocks import Block
from ptcards.notes import Media, Text
from ptcards.notes.notetypes import NoteType
from ptcards.source.content import Content, Verbatim
from ptcards.source.findings import Reference
from ptcards.source.sections import NoteBlocks

_NO_TEXT = Text()


def read_fields(
    note: NoteBlocks, note_type: NoteType, cut: Callable[[Sequence[Block]], Text], text: Text
) -> tuple[tuple[tuple[str, Text], ...], list[Diagnostic]]:
    """Return all fields with their names, in order, and diagnostics.

    The first field is empty if its text is the heading.
    """
    names = note_type.field_names
    texts = {name: cut(blocks) for name, blocks in note.sections.items()}
    body = cut(note.body)
    diagnostics = []
    if body and (len(names) == 1 or texts.get(names[1])):
        field = names[1] if len(names) > 1 else names[0]
        place = text.location(note.body[0].start, note.body[0].column)
        message = "this text belongs to no field" if len(names) == 1 else f"`{field}` is written twice"
        fix = f"move it below `### {field}`" if len(names) == 1 else f"merge it into `### {field}`"
        diagnostics.append(error(place, "text-without-field", message, fix))
    elif body:
        texts[names[1]] = body
    return tuple((name, texts.get(name, _NO_TEXT)) for name in names), diagnostics


def under_own_name(media: Media) -> Media:
    """Return a media file under its own name, because names in imported decks must not change."""
    return Media(media.written, media.file, media.digest, media.file.name)


def verbatim_references(contents: Iterable[Content], name: str) -> Iterator[Reference]:
    """Yield references to the files in `media` that HTML fences show; `name` is the name of the source."""
    above = "../" * name.count("/")
    for content in contents:
        for fence in content.verbatim:
            for file in fence.files:
                yield Reference(f"{above}media/{file}", fence.location, fence.length, optional=True)


def refuse_verbatim(contents: Iterable[Content]) -> Iterator[Diagnostic]:
    """Yield an error for each HTML fence in a note with one of ptcards' note types."""
    for content in contents:
        for fence in content.verbatim:
            message = "an HTML fence needs a note type of your own"
            fix = "write it as Markdown, or give the note a note type of your own"
            yield error(fence.location, "verbatim-html", message, fix, fence.length)


def count_verbatim(fences: Sequence[Verbatim]) -> Iterator[Diagnostic]:
    """Yield one warning for all HTML fences in a source."""
    if fences:
        active = sum(fence.is_active for fence in fences)
        what = "1 HTML fence is" if len(fences) == 1 else f"{len(fences)} HTML fences are"
        scripts = f", {active} with scripts" if active else ""
        message = f"{what} passed on unchecked{scripts}"
        fix = "write them as Markdown where you can"
        yield warning(_first(fences), "verbatim-html", message, fix, fences[0].length)


def _first(fences: Sequence[Verbatim]) -> Location:
    return min(fence.location for fence in fences)
