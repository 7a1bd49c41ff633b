"""Draws the diagrams of a collection, and removes the drawings that no diagram has any more."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error, errors_in
from ptcards.extensions.drawing.svg import UnsafeError, clean
from ptcards.extensions.drawing.tools import TOOLS, ToolError, can_be_dark, run
from ptcards.extensions.verify.sandbox import RefusedError, Sandbox, find_sandbox
from ptcards.files import locked, replacing_together
from ptcards.files.programs import find_program
from ptcards.markdown.blocks import scan
from ptcards.markdown.fences import DRAWINGS, drawing_of, read_info
from ptcards.markdown.links import dark_version
from ptcards.source.code_blocks import fences_in
from ptcards.source.media import media_folder
from ptcards.workspace import Contents

_OURS = re.compile(r"(?P<name>[0-9a-f]{16})(?:\.dark)?\.svg")


class Diagram(NamedTuple):
    """A diagram that is written as text: its place, the length of its first line, and its picture's name."""

    place: Location
    length: int
    language: str
    text: str
    name: str


def diagrams_in(contents: Contents) -> Mapping[str, Diagram]:
    """Return all diagrams of a collection by the names of their pictures, even those of drafts."""
    drafts = (draft for source in contents.sources for draft in contents.drafts_of(source))
    found: dict[str, Diagram] = {}
    for note in (*contents.notes, *drafts):
        for text in note.all_texts:
            if "```" not in text.markdown and "~~~" not in text.markdown:
                continue
            for fence in fences_in(scan(text.markdown)):
                if address := drawing_of(fence):
                    name, place = address.rpartition("/")[2], text.location(fence.start, fence.column)
                    length, language = len(fence.marker + fence.info), read_info(fence.info).language
                    found.setdefault(name, Diagram(place, length, language, fence.text, name))
    return found


class Artist:
    """Draws the diagrams of collections; `tell` is called with each step, unless `quiet` for those to keep.

    `drawn` and `kept` are numbers of diagrams, `deleted` of pictures. `problems` says what is wrong with
    diagrams, by the names of their pictures.
    """

    def __init__(self, tell: Callable[[str], None], *, quiet: bool = False) -> None:
        self.drawn = self.kept = self.deleted = 0
        self.problems: dict[str, Diagnostic] = {}
        self._tell, self._quiet = tell, quiet
        self._missing: set[str] = set()

    @property
    def could_do_nothing(self) -> bool:
        """Whether all programs that were needed are missing."""
        return bool(self._missing) and not (self.drawn or self.kept or self.problems)

    @cached_property
    def _sandbox(self) -> Sandbox | None:
        """The sandbox that programs run in, or `None` if this system has none."""
        try:
            return find_sandbox()
        except RefusedError:
            self._tell("no sandbox here: the programs can read your files and use the network")
            return None

    def draw(self, contents: Contents) -> None:
        """Draw the requested diagrams of a collection, and delete the drawings that no diagram has any more.

        Raises:
            OutputError: a drawing cannot be written, or their folder is outside the collection.

        """
        folder = media_folder(contents.collection.root, DRAWINGS)
        diagrams = diagrams_in(contents)
        for name, diagram in diagrams.items():
            where = f"{diagram.place} ({diagram.language})"
            if not contents.collection.is_selected(diagram.place.path) or name in self.problems:
                continue
            if (folder / name).is_file():
                self.kept += 1
                if not self._quiet:
                    self._tell(f"kept {where}: {DRAWINGS}/{name}")
            elif names := self._draw(diagram, folder):
                self.drawn += 1
                self._tell(f"drew {where}: {DRAWINGS}/{', '.join(names)}")
        # A note that cannot be read may have a diagram.
        if not errors_in(contents.diagnostics) and not any(contents.left_out):
            self._delete(folder, diagrams)

    def _draw(self, diagram: Diagram, folder: Path) -> Sequence[str]:
        """Draw a diagram and return the names of its pictures; if there are none, tell or remember why."""
        tool = TOOLS[diagram.language]
        program = find_program(tool.program)
        if program is None:
            if diagram.language not in self._missing:
                what = f"`{diagram.language}` is not drawn: `{tool.program}` is not on PATH"
                self._tell(f"{what}; get it with {tool.get}")
            self._missing.add(diagram.language)
            return ()
        names = [diagram.name, *([dark_version(diagram.name)] if can_be_dark(diagram.text) else ())]
        try:
            pictures = [
                clean(
                    run(diagram.language, program, diagram.text, self._sandbox, night=night),
                    f"d{name.partition('.')[0][:8]}{'n' * night}-",
                )
                for name, night in zip(names, (False, True), strict=False)
            ]
        except ToolError as failure:
            problem = "drawing-failed", f"{tool.program}: {failure}", "correct the diagram"
        except UnsafeError as failure:
            problem = "unsafe-drawing", f"the drawing {failure}", "leave it out of the diagram"
        else:
            with locked(folder, waiting=lambda _: None), replacing_together() as files:
                for name, picture in zip(names, pictures, strict=True):
                    with files.replacing(folder / name) as file:
                        file.write(picture)
            return names
        self.problems[diagram.name] = error(diagram.place, *problem, diagram.length)
        return ()

    def _delete(self, folder: Path, used: Container[str]) -> None:
        for file in sorted(folder.glob("*.svg")):
            found = _OURS.fullmatch(file.name)
            if found and f"{found['name']}.svg" not in used:
                file.unlink()
                self.deleted += 1
                self._tell(f"deleted {DRAWINGS}/{file.name}: no diagram has this drawing")
