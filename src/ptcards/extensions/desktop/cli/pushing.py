"""Pushes saved files to the running Anki while `ptcards serve` runs."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ptcards.cli.messages import tell
from ptcards.extensions.desktop.push import Pushed, PushOptions, in_short, push
from ptcards.extensions.desktop.push.ankiconnect import Anki, AnkiError, NotThereError, TypingError
from ptcards.files import SourceChangedError
from ptcards.workspace import ReadOptions

_AGAIN = 2.0
"""Seconds between two attempts to push."""


class SavedPusher:
    """Pushes the collections of the sources when called, and prints each message only once."""

    def __init__(self, sources: Sequence[Path], anki: Anki, state: Path) -> None:
        self._sources, self._anki = sources, anki
        self._options = PushOptions(state, yields=True)
        self._told = ""
        self._left: set[str] = set()

    async def __call__(self) -> None:
        """Wait until Anki is running, and push."""
        while True:
            try:
                pushed = await asyncio.to_thread(self._push)
            except NotThereError as failure:
                self._tell(f"{failure}: {failure.help}; your changes are pushed as soon as Anki answers")
                await asyncio.sleep(_AGAIN)
            except TypingError as failure:
                self._tell(f"{failure}; your changes are pushed a few seconds after the last edit there")
                await asyncio.sleep(_AGAIN)
            except SourceChangedError:
                continue  # a newer save is pushed instead
            except AnkiError as failure:
                self._tell(f"{failure}: {failure.help}")
                return
            else:
                self._told = ""
                for each in pushed:
                    self._report(each)
                return

    def _push(self) -> tuple[Pushed, ...]:
        """Return the results of one push; empty while the sources have errors, which the page shows."""
        with ReadOptions.of_user() as reading:
            return push(
                self._sources,
                self._options,
                self._anki,
                reading,
                waiting=lambda _: None,
                confirm=lambda _: False,
            )[0]

    def _report(self, pushed: Pushed) -> None:
        if pushed.plan:
            tell(in_short(pushed, dry_run=False))
        conflicts = sorted({*pushed.plan.unresolved})
        reversals = sorted({reversal.ours.key for reversal in pushed.plan.reversals})
        left = [f"`{key}` changed in Anki and here: run `ptcards push` to see both" for key in conflicts]
        left += [f"`{key}` has an earlier text in Anki: run `ptcards push` to see it" for key in reversals]
        for message in left:
            if message not in self._left:
                tell(message)
        self._left = {*left}

    def _tell(self, message: str) -> None:
        if message != self._told:
            self._told = message
            tell(message)
