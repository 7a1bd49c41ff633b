"""Draws the diagrams of a collection, and removes the drawings that no diagram has any more."""

import re
from collections.abc import Callable, Container
from functools import cached_property
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, error, errors_in
from ptcards.extensions.drawing.svg import DrawingError, clean
from ptcards.extensions.drawing.tools import COLOURED, run
from ptcards.extensions.verify.sandbox import RefusedError, Sandbox, find_sandbox
from ptcards.files import locked, replacing_together
from ptcards.markdown.fences import DRAWINGS, read_info
from ptcards.markdown.links import dark_version
from ptcards.markdown.tree import Block
from ptcards.source.code_blocks import diagrams_in
from ptcards.source.media import media_folder
from ptcards.workspace import Contents

_OURS = re.compile(r"[0-9a-f]{16}(?:\.dark)?\.svg")


class Artist:
    """Draws the diagrams of collections; `tell` is called for each picture that is drawn or deleted.

    `drawn` and `kept` are numbers of diagrams.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.drawn = self.kept = 0
        self._tell = tell
        self._failed: set[str] = set()

    @cached_property
    def _sandbox(self) -> Sandbox | None:
        """The sandbox that programs run in, or `None` if this system has none."""
        try:
            return find_sandbox()
        except RefusedError:
            self._tell("no sandbox here: the programs can read your files and use the network")
            return None

    def draw(self, contents: Contents) -> list[Diagnostic]:
        """Draw the requested diagrams of a collection, and delete the drawings that no diagram has any more.

        Return what is wrong with diagrams. One that is wrong is left alone from then on.

        Raises:
            OutputError: a drawing cannot be written, or their folder is outside the collection.

        """
        folder = media_folder(contents.collection.root, DRAWINGS)
        drafts = (draft for source in contents.sources for draft in contents.drafts_of(source))
        used: set[str] = set()
        wanted: dict[str, tuple[Location, Block]] = {}
        for note in (*contents.notes, *drafts):
            for text, fence, address in diagrams_in(note.all_texts):
                name, place = address.rpartition("/")[2], text.location(fence.start, fence.column)
                used.update((name, dark_version(name)))
                if contents.collection.is_selected(place.path):
                    wanted.setdefault(name, (place, fence))
        problems = []
        for name, (place, fence) in wanted.items():
            if (folder / name).is_file():
                self.kept += 1
            elif name not in self._failed:
                try:
                    self._draw(folder / name, fence, place)
                except DrawingError as failure:
                    self._failed.add(name)
                    length, fix = len(fence.marker + fence.info), failure.help or "correct the diagram"
                    problems.append(error(place, "drawing-failed", str(failure), fix, length))
        # A note that cannot be read may have a diagram.
        if not errors_in(contents.diagnostics) and not any(contents.left_out):
            self._delete(folder, used)
        return problems

    def _draw(self, file: Path, fence: Block, place: Location) -> None:
        """Draw a diagram by day and, if it sets no colours, at night; raises DrawingError if that fails."""
        language = read_info(fence.info).language
        names = [file.name, *(() if COLOURED.search(fence.text) else [dark_version(file.name)])]
        pictures = {
            name: clean(run(language, fence.text, self._sandbox, night=name != file.name)) for name in names
        }
        with locked(file.parent, waiting=lambda _: None), replacing_together() as files:
            for name, picture in pictures.items():
                with files.replacing(file.with_name(name)) as stream:
                    stream.write(picture)
        self.drawn += 1
        self._tell(f"drew {place} ({language}): {DRAWINGS}/{', '.join(names)}")

    def _delete(self, folder: Path, used: Container[str]) -> None:
        for file in sorted(folder.glob("*.svg")):
            if _OURS.fullmatch(file.name) and file.name not in used:
                file.unlink()
                self._tell(f"deleted {DRAWINGS}/{file.name}: no diagram has this drawing")
