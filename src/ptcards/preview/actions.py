"""What the page may request: opening a file in the editor, fixing a file, or ignoring a rule."""

import re
from pathlib import Path
from typing import Protocol

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ptcards.preview.process import Aside
from ptcards.preview.session import Session

_NUMBER = re.compile("[0-9]{1,10}")


class Editor(Protocol):
    """A program that can show a location in a file."""

    @property
    def name(self) -> str:
        """The name by which people know it."""

    def open(self, file: Path, line: int, column: int) -> None:
        """Show a location; raises OSError if the program cannot be started."""


class Actions:
    """Handles requests that have passed the guard; they can only name files that the page shows."""

    def __init__(self, session: Session, aside: Aside, editor: Editor | None) -> None:
        self._session = session
        self._aside = aside
        self._editor = editor

    async def open(self, request: Request) -> Response:
        """Open a location in the editor."""
        file, line = self._place(request)
        column = _number(request, "column")
        if self._editor is None or file is None:
            return _said("nothing_to_open", is_done=False)
        try:
            self._editor.open(Path(file), line, column)
        except OSError as failure:
            return _said("not_opened", is_done=False, reason=failure.strerror or "")
        return _said("opened", is_done=True, editor=self._editor.name)

    async def fix(self, request: Request) -> Response:
        """Fix a rule's findings in a file, as `check --fix` does."""
        return await self._edit(request, "fix", "fixed")

    async def ignore(self, request: Request) -> Response:
        """Make a note ignore a rule by changing its card comment."""
        return await self._edit(request, "ignore", "ignored")

    async def run(self, request: Request) -> Response:
        """Run the code of a note on the page in the sandbox."""
        card = self._session.card(request.query_params.get("card", ""))
        place = f"{card['path']}:{card['line']}" if card else ""
        return JSONResponse(await self._aside.ask("run", place))

    async def changed(self, _request: Request) -> Response:
        """Return how the collections differ from their last release."""
        return JSONResponse(await self._aside.ask("changed"))

    async def verified(self, _request: Request) -> Response:
        """Return the numbers of notes whose code passes, is not run or is not verified."""
        return JSONResponse(await self._aside.ask("verified"))

    async def _edit(self, request: Request, do: str, done: str) -> Response:
        file, line = self._place(request)
        rule = request.query_params.get("rule", "")
        if file is None:
            return _said(f"not_{done}", is_done=False, rule=rule)
        answer = await self._session.ask(do=do, file=file, line=line, rule=rule)
        is_done = bool(answer.get("count"))
        return _said(done if is_done else f"not_{done}", is_done=is_done, rule=rule)

    def _place(self, request: Request) -> tuple[str | None, int]:
        file = request.query_params.get("file", "")
        return file if self._session.shows(file) else None, _number(request, "line")


def _number(request: Request, name: str) -> int:
    """Return a line or column of a request, by default 1.

    Raises HTTPException if it is not a number, or longer than those of the page.
    """
    text = request.query_params.get(name, "1")
    if not _NUMBER.fullmatch(text):
        raise HTTPException(400, f"not a {name}\n")
    return int(text)


def _said(name: str, *, is_done: bool, **values: str) -> Response:
    """Return a sentence of the interface: its name in `notes/labels/interface.json`, and its values."""
    return JSONResponse({"said": name, "values": values, "done": is_done})
