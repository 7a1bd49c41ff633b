"""Settings: what card comments, front matter and `deck.toml` say."""

from ptcards.lint.registry import Rule


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

    Fix: write `easy`, `medium` or `hard`.
    """


class UnknownKey(Rule, severity="error"):
    """A setting has a name that means nothing there.

    Why: a misspelt setting would be silently ignored.

    For instance:

        <!-- card: dificulty=easy -->

    Fix: correct the name; the message suggests the nearest one.

        <!-- card: difficulty=easy -->
    """


class UnknownKind(Rule, severity="error"):
    """A kind of note does not exist.

    Why: the kinds are `basic`, `reversed`, `typed`, `choice` and `cloze`; most notes need none, because a
    task list makes a choice and a deletion a cloze.

    For instance:

        <!-- card: kind=quiz -->

    Fix: write one of the five, or leave it out.

        <!-- card: kind=choice -->
    """


class WrongValue(Rule, severity="error"):
    """A setting has a value that it cannot have.

    Why: guessing what was meant would change every note it counts for.

    For instance:

        tags = "pytorch"        in `deck.toml`

    Fix: write the kind of value that the message asks for.

        tags = ["pytorch"]
    """
