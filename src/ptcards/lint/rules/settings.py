"""Settings in card comments, front matter and `deck.toml`."""

from collections.abc import Iterator

from ptcards.diagnostics.suggest import surely
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.notes import DIFFICULTIES, Kind
from ptcards.source.attributes import CARD_KEYS
from ptcards.source.config_keys import known_keys
from ptcards.source.frontmatter import KEYS


class BadTag(Rule, severity="error"):
    """Anki cannot store this tag as written.

    Why: Anki splits tags at white space, cannot search for quotation marks, and reserves `marked` and
    `leech`. `::` makes a hierarchy in which no part may be empty.

    For instance:

        tags: ["loss functions", "::memory"]

    Fix: join words with `-`, and levels with `::`.

        tags: [loss-functions, performance::memory]
    """


class KeyTwice(Rule, severity="error"):
    """A key is set twice in one place.

    Why: only one of the values can apply, and ptcards would have to guess which.

    For instance:

        <!-- card: tags=memory tags=speed -->

    Fix: keep one of them. Separate several tags with commas.

        <!-- card: tags=memory,speed -->
    """


class MalformedId(Rule, severity="error"):
    """An id is too long or contains characters that are not allowed.

    Why: ids are used in card comments, in `deck.lock` and on the command line, so they must consist of 1 to
    80 letters, digits, `-`, `_` or `.`.

    For instance:

        <!-- card: id=what's-autograd -->

    Fix: use only those characters.

        <!-- card: id=what-is-autograd -->
    """


class UnknownDifficulty(Rule, severity="error"):
    """A difficulty is not `easy`, `medium` or `hard`.

    Why: it becomes the tag `difficulty::…` and a label on the card; nobody would select a fourth level.

    For instance:

        <!-- card: difficulty=beginner -->

    Fix: write `easy`, `medium` or `hard`. `--fix` corrects obvious slips.
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the difficulty that was clearly intended."""
        for each in draft.found(self.name):
            yield from draft.replace(each, surely(draft.marked(each), DIFFICULTIES))


class UnknownKey(Rule, severity="error"):
    """A setting has an unknown name.

    Why: a misspelt setting would be silently ignored.

    For instance:

        <!-- card: dificulty=easy -->

    Fix: correct the name; the message suggests the nearest one. In card comments, `--fix` corrects obvious
    slips.

        <!-- card: difficulty=easy -->
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the key that was clearly intended."""
        for each in draft.found(self.name):
            yield from draft.replace(each, surely(draft.marked(each), CARD_KEYS))

    @property
    def explanation(self) -> str:
        """The text, and a list of all keys."""
        tables = known_keys()
        lists = {
            "a card comment": CARD_KEYS,
            "front matter": (*KEYS, "type"),
            "`deck.toml`": tables[""],
            **{f"`[{table}]` in `deck.toml`": keys for table, keys in tables.items() if table},
        }
        lines = [f"- in {where}: {', '.join(f'`{key}`' for key in keys)}" for where, keys in lists.items()]
        return "\n".join([self.text, "", "The keys:", "", *lines, ""])


class UnknownKind(Rule, severity="error"):
    """A note has an unknown kind.

    Why: the kinds are `basic`, `reversed`, `typed`, `choice` and `cloze`. Most notes do not need one, because
    a task list makes a choice, and a deletion makes a cloze.

    For instance:

        <!-- card: kind=quiz -->

    Fix: use one of the five, or remove `kind`. `--fix` corrects obvious slips.

        <!-- card: kind=choice -->
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the kind that was clearly intended."""
        for each in draft.found(self.name):
            yield from draft.replace(each, surely(draft.marked(each), Kind))


class WrongValue(Rule, severity="error"):
    """A setting has an invalid value.

    Why: a wrong guess would change every note that the setting applies to.

    For instance:

        tags = "pytorch"        in `deck.toml`

    Fix: use a value of the kind that the message names.

        tags = ["pytorch"]
    """
