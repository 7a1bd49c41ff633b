"""Random edits by an author between releases, compared with a reference of which note is which.

`PYTHONPATH=tests python tests/identity/test_identity_machine.py 10000` runs that many sequences, and
prints how many notes lost their GUID, grouped by what the author changed since the previous release.
"""

import sys
from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from identity_world import DECKS, World, random_sequence

some = st.integers(0, 59)
few = st.integers(0, 11)


class Author(RuleBasedStateMachine):
    """The possible edits of an author; `World` checks every release."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()

    @rule(deck=few, template=few, answer=few)
    def add(self, deck: int, template: int, answer: int) -> None:
        self.world.add(deck, template, answer)

    @rule(which=some, deck=few, answer=few)
    def ask_the_same_elsewhere(self, which: int, deck: int, answer: int) -> None:
        self.world.ask_the_same_elsewhere(which, deck, answer)

    @rule(which=some, answer=few)
    def ask_an_old_wording(self, which: int, answer: int) -> None:
        self.world.ask_an_old_wording(which, answer)

    @rule(which=some, answer=few)
    def edit_answer(self, which: int, answer: int) -> None:
        self.world.edit_answer(which, answer)

    @rule(which=some, tag=few)
    def edit_tags(self, which: int, tag: int) -> None:
        self.world.edit_tags(which, tag)

    @rule(which=some, template=few)
    def reword(self, which: int, template: int) -> None:
        self.world.reword(which, template)

    @rule(which=some, template=few, answer=few)
    def rewrite(self, which: int, template: int, answer: int) -> None:
        self.world.rewrite(which, template, answer)

    @rule(which=some, deck=few)
    def move(self, which: int, deck: int) -> None:
        self.world.move(which, deck)

    @rule(which=some, number=few)
    def set_id(self, which: int, number: int) -> None:
        self.world.set_id(which, number)

    @rule(which=some, kind=few)
    def set_kind(self, which: int, kind: int) -> None:
        self.world.set_kind(which, kind)

    @rule(deck=few, number=few)
    def rename_deck(self, deck: int, number: int) -> None:
        self.world.rename_deck(deck, number)

    @rule(which=some)
    def delete(self, which: int) -> None:
        self.world.delete(which)

    @rule(which=some, answer=few)
    def bring_back(self, which: int, answer: int) -> None:
        self.world.bring_back(which, answer)

    @rule(which=some, to=some)
    def reorder(self, which: int, to: int) -> None:
        self.world.reorder(which, to)

    @rule(refresh=st.booleans())
    def release(self, refresh: bool) -> None:
        self.world.release(refresh=refresh)

    @rule(deck=st.sampled_from(DECKS))
    def release_one_file(self, deck: str) -> None:
        self.world.release(frozenset({deck}))

    def teardown(self) -> None:
        self.world.release()


TestAuthor = Author.TestCase
TestAuthor.settings = settings(deadline=None, max_examples=25, stateful_step_count=40)


def test_no_note_ever_carries_the_guid_of_another() -> None:
    """The edits have the frequencies of a busy author; the test must pass for any seed."""
    for seed in range(40):
        random_sequence(World(), seed)


def main(sequences: int) -> None:
    edits: Counter[str] = Counter()
    needless: Counter[str] = Counter()
    releases = unwarned = 0
    for seed in range(sequences):
        world = World()
        random_sequence(world, seed)
        edits += world.edits
        needless += world.needless
        releases += world.releases
        unwarned += world.unwarned
    lines = [
        f"{sequences} sequences, {releases} releases, {edits.total()} notes released again: no GUID at another's note",
        f"{needless.total()} needless new notes, {unwarned} of them without a warning, by what was changed:",
    ]
    for edit, count in edits.most_common():
        lines.append(f"  {edit:<40} {needless[edit]:>7} of {count:>8}  {needless[edit] / count:.1%}")
    print("\n".join(lines))  # noqa: T201 - run by hand


if __name__ == "__main__":
    main(int(sys.argv[1]))
