"""Links and their definitions."""

from ptcards.lint.registry import Rule


class DefinitionTwice(Rule, severity="warning"):
    """A link or a footnote is defined a second time in one file.

    Why: GitHub takes the first definition of a label for the whole file, and so do the cards; what the second
    one says is lost.

    For instance:

        [docs]: https://pytorch.org/docs
        [docs]: https://docs.python.org

    Fix: give one of the two another label, or delete it.

        [docs]: https://pytorch.org/docs
        [python]: https://docs.python.org
    """


class RelativeLink(Rule, severity="warning"):
    """A link leads to a file beside the source.

    Why: the file is not in Anki, so the link would lead nowhere; only its text is shown.

    For instance:

        See [the notes](../notes/autograd.md).

    Fix: write the whole address, or leave out the link.

        See [the notes](https://docs.pytorch.org/docs/stable/notes/autograd.html).
    """


class UnsafeLink(Rule, severity="error"):
    """A link can run code.

    Why: addresses that begin with `javascript:`, `vbscript:` or `data:` run on the learner's device.

    For instance:

        [Click](javascript:alert(1))

    Fix: use an address with `https://`.
    """
