"""The random edits of `test_identity_machine`, published by the real command to a learner in real Anki."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from identity_release import Author, Learner, studying
from identity_world import World, random_sequence, with_own_id
from ptcards.identity.lock_reading import read_lock
from ptcards.notes import Kind

_OWNERS = re.compile(r"error\[id-of-another\] .* the note at cards/([^:]*)\.md:(\d+):")


class Published(World):
    """A world whose releases are files, packages and imports.

    Every card gets an interval that identifies it.
    """

    def __init__(self, author: Author, learner: Learner) -> None:
        super().__init__()
        self.author = author
        self.learner = learner

    def build(self, selected: frozenset[str] | None, *, refresh: bool) -> tuple[list[str], set[int]]:
        chosen = sorted(
            {each.note.deck for each in self.written if selected is None or each.note.deck in selected}
        )
        if not chosen:
            return [f"none {each.who}" for each in self.written], set()
        sources = [self.author.folder / f"{_stem(name)}.md" for name in chosen]
        arguments: list[str | Path] = [self.author.folder] if selected is None else [*sources]
        arguments += ["--refresh"] if refresh else []
        self.author.write(**self._files())
        while owners := _OWNERS.findall(self.author.attempt(*arguments).err):
            for stem, line in owners:
                self._name(stem, int(line))
            self.author.write(**self._files())
        package = self.author.build(*arguments)
        lock, problems = read_lock(self.author.folder / "deck.lock", shown="", collection_id="6f0c2c0e")
        assert problems == []
        assert lock is not None
        self.lock = lock
        self._import(package)
        return self._known(selected), set(range(len(self.written)))

    def _files(self) -> dict[str, str]:
        """Write each deck as a source, such as `P::Optim 1` as `# Optim 1`.

        Return the texts by the stems of their files.
        """
        files: dict[str, str] = {}
        for each in self.written:
            said = each.note
            answer = said.answer.markdown
            if said.kind is Kind.CLOZE:
                answer = f"{{{{c1::{answer}}}}}"
            comment = f"<!-- card: kind={said.kind}{f' id={said.id}' if said.id else ''} tags=x{''.join(said.tags)} -->"
            stem = _stem(said.deck)
            files.setdefault(stem, f"# {said.deck.partition('::')[2]}\n\n")
            files[stem] += f"## {said.heading.markdown}\n{comment}\n\n{answer}\n\n"
        return files

    def _name(self, stem: str, line: int) -> None:
        """Add an id to the note whose heading is on a line of a source.

        It has the text of a note that has changed.
        """
        headings = [text for text in self._files()[stem].split("\n")[:line] if text.startswith("## ")]
        of_file = [n for n, each in enumerate(self.written) if _stem(each.note.deck) == stem]
        place = of_file[len(headings) - 1]
        self.written[place] = with_own_id(self.written[place])

    def _import(self, package: Path) -> None:
        before = self.learner.progress
        self.learner.get(package)
        after = self.learner.study()
        assert {guid: cards[: len(before[guid])] for guid, cards in after.items() if guid in before} == before

    def _known(self, selected: frozenset[str] | None) -> list[str]:
        """Return the published GUIDs by deck and question in the lock; the others are unknown."""
        live = (record for record in self.lock.records if record.live)
        guids = {(r.fingerprint.note_type, r.fingerprint.deck, r.fingerprint.heading): r.guid for r in live}
        return [
            guids[each.note.note_type, each.note.deck, each.note.heading.markdown]
            if selected is None or each.note.deck in selected
            else f"none {each.who}"
            for each in self.written
        ]


def _stem(deck: str) -> str:
    return deck.replace("::", "-").replace(" ", "-")


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_no_learner_finds_a_schedule_at_another_note(
    seed: int, tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    with studying(tmp_path / "anki") as learner:
        world = Published(Author(tmp_path / "cards", ptcards, name="P"), learner)
        random_sequence(world, seed)
        for guid, who in world.owners.items():
            if guid in learner.progress and world.guids[who] == guid:
                question = re.sub("<[^>]*>", "", learner.questions[guid])
                assert question == world.released[who].note.heading.markdown.replace("`", "")
