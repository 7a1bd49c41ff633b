"""Settings: what card comments, front matter and `deck.toml` say."""

from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.notes import DIFFICULTIES, Kind
from ptcards.source.attributes import CARD_KEYS
from ptcards.source.config import known_keys
from ptcards.source.frontmatter import KEYS
from ptcards.suggest import surely


class BadTag(Rule, severity="error"):
    """Anki cannot keep a tag as it is written.

    Why: Anki splits tags at white space, cannot search for quotation marks, and uses `marked` and `leech`
    itself. `::` makes a tree, and no part of it may be empty.

    For instance:

        tags: ["loss functions", "::memory"]

    Fix: join words by `-`, levels by `::`.

        tags: [loss-functions, performance::memory]
    """


class KeyTwice(Rule, severity="error"):
    """A key is set twice in one place.

    Why: only one of the values can count, and which one would be a guess.

    For instance:

        <!-- card: tags=memory tags=speed -->

    Fix: keep one of them; several tags are separated by commas.

        <!-- card: tags=memory,speed -->
    """


class MalformedId(Rule, severity="error"):
    """An id has characters that it cannot have, or is too long.

    Why: ids are used in card comments, in `deck.lock` and on the command line, so they are 1 to 80 letters,
    digits, `-`, `_` or `.`.

    For instance:

        <!-- card: id=what's-autograd -->

    Fix: use only those characters.

        <!-- card: id=what-is-autograd -->
    """


class UnknownDifficulty(Rule, severity="error"):
    """A difficulty is not easy, medium or hard.

    Why: it becomes the tag `difficulty::…` and a label on the card; a fourth level would be in nobody's
    selection.

    For instance:

        <!-- card: difficulty=beginner -->

    Fix: write `easy`, `medium` or `hard`. `--fix` corrects a slip.
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the difficulty that was surely meant."""
        for each in draft.found(self.name):
            yield from draft.replace(each, surely(draft.marked(each), DIFFICULTIES))


class UnknownKey(Rule, severity="error"):
    """A setting has a name that means nothing there.

    Why: a misspelt setting would be silently ignored.

    For instance:

        <!-- card: dificulty=easy -->

    Fix: correct the name; the message suggests the nearest one. In a card comment `--fix` corrects a slip.

        <!-- card: difficulty=easy -->
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the key that was surely meant."""
        for each in draft.found(self.name):
            yield from draft.replace(each, surely(draft.marked(each), CARD_KEYS))

    @property
    def explanation(self) -> str:
        """The text, and all keys."""
        tables = known_keys()
        lists = {
            "a card comment": CARD_KEYS,
            "front matter": KEYS,
            "`deck.toml`": tables[""],
            **{f"`[{table}]` in `deck.toml`": keys for table, keys in tables.items() if table},
        }
        lines = [f"- in {where}: {', '.join(f'`{key}`' for key in keys)}" for where, keys in lists.items()]
        return "\n".join([self.text, "", "The keys:", "", *lines, ""])


class UnknownKind(Rule, severity="error"):
    """A kind of note does not exist.

    Why: the kinds are `basic`, `reversed`, `typed`, `choice` and `cloze`; most notes need none, because a
    task list makes a choice and a deletion a cloze.

    For instance:

        <!-- card: kind=quiz -->

    Fix: write one of the five, or leave it out. `--fix` corrects a slip.

        <!-- card: kind=choice -->
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the kind that was surely meant."""
        for each in draft.found(self.name):
            yield from draft.replace(each, surely(draft.marked(each), Kind))


class WrongValue(Rule, severity="error"):
    """A setting has a value that it cannot have.

    Why: guessing what was meant would change every note it counts for.

    For instance:

        tags = "pytorch"        in `deck.toml`

    Fix: write the kind of value that the message asks for.

        tags = ["pytorch"]
    """
