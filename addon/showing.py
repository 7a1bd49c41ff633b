"""Shows notes as cards without changing the learner's collection: in an empty one, which is then deleted."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from anki._backend import RustBackend
from anki.errors import BackendError
from anki.notes_pb2 import Note

from ptcards.extensions.publish.subscription.dangers import Show, ShownNote
from ptcards.extensions.publish.subscription.package import AnkiNoteType


@contextmanager
def showing() -> Iterator[Show]:
    """Yield what shows a note with any note type, also with one that no collection has yet."""
    backend = RustBackend()
    with TemporaryDirectory() as folder:
        path = Path(folder, "collection.anki2")
        backend.open_collection(collection_path=str(path), media_folder_path="", media_db_path="")
        try:
            yield _show_in(backend)
        finally:
            backend.close_collection(downgrade_to_schema11=False)


def _show_in(backend: RustBackend) -> Show:
    @cache
    def added(kind: AnkiNoteType) -> tuple[int, list[bytes]]:
        """Return the id of a note type with the same fields, and the templates as Anki wants them."""
        model = kind.in_anki(0)
        first = model["flds"][0]["name"]
        # Anki refuses to add templates with mistakes, but a package may bring some.
        side = f"{{{{cloze:{first}}}}}" if kind.is_cloze else f"{{{{{first}}}}}"
        plain = {**model["tmpls"][0], "qfmt": side, "afmt": side}
        identity = backend.add_notetype_legacy(json.dumps({**model, "tmpls": [plain]}).encode()).id
        return identity, [json.dumps(each).encode() for each in model["tmpls"]]

    def show(note: ShownNote) -> str:
        identity, templates = added(note.note_type)
        message = Note(notetype_id=identity, tags=note.tags.split(), fields=note.fields)
        sides = []
        for number in note.numbers:
            template = templates[0 if note.note_type.is_cloze else number]
            try:
                shown = backend.render_uncommitted_card_legacy(
                    note=message, card_ord=number, template=template, fill_empty=False, partial_render=False
                )
            except BackendError as failure:  # a mistake in the template, which Anki shows instead
                sides.append(str(failure))
                continue
            nodes = (*shown.question_nodes, "\n", *shown.answer_nodes)
            sides.append("".join(each if isinstance(each, str) else each.text for each in nodes))
        return "\n".join(sides)

    return show
