"""Links and their definitions."""

from ptcards.lint.registry import Rule


class DefinitionTwice(Rule, severity="warning"):
    """A link or a footnote is defined a second time in one file.

    Why: GitHub and the cards use the first definition of a label throughout the file, so the second one is
    lost.

    For instance:

        [docs]: https://pytorch.org/docs
        [docs]: https://docs.python.org

    Fix: give one of them another label, or remove it.

        [docs]: https://pytorch.org/docs
        [python]: https://docs.python.org
    """


class RelativeLink(Rule, severity="warning"):
    """A link leads to a file next to the source.

    Why: that file is not in Anki, so the link would lead nowhere; the card shows only its text.

    For instance:

        See [the notes](../notes/autograd.md).

    Fix: use an absolute URL, or remove the link.

        See [the notes](https://docs.pytorch.org/docs/stable/notes/autograd.html).
    """


class UnsafeLink(Rule, severity="error"):
    """A link can run code.

    Why: addresses that begin with `javascript:`, `vbscript:` or `data:` run on the learner's device.

    For instance:

        [Click](javascript:alert(1))

    Fix: use an address with `https://`.
    """
