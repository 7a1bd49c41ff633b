"""Links and their definitions."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import FILLER
from ptcards.lint.registry import Draft, Edit, Rule


class DefinitionTwice(Rule, severity="warning"):
    """A link or a footnote is defined twice in one file.

    Why: GitHub and the cards use the first definition of a label throughout the file, so the second one has
    no effect.

    For instance:

        [docs]: https://pytorch.org/docs
        [docs]: https://docs.python.org

    Fix: give one of them another label, or remove it.

        [docs]: https://pytorch.org/docs
        [python]: https://docs.python.org
    """


class RelativeLink(Rule, severity="warning"):
    """A link points to a file by a relative path.

    Why: that file is not in Anki, so the link would lead nowhere. The card shows only the text of the link.

    For instance:

        See [the notes](../notes/autograd.md).

    Fix: use an absolute URL, or remove the link.

        See [the notes](https://docs.pytorch.org/docs/stable/notes/autograd.html).
    """


class UnsafeLink(Rule, severity="error"):
    """A link can run code.

    Why: addresses that begin with `javascript:`, `vbscript:` or `data:` can run code on the learner's device.

    For instance:

        [Click](javascript:alert(1))

    Fix: use an address with `https://`.
    """


class PathWithSpaces(Rule, severity="error"):
    """The path of a picture contains spaces, so Markdown does not recognise the picture.

    Why: in Markdown, a space ends the path, so the card shows the line as text. Screenshots often have such
    names.

    For instance:

        ![](Screenshot 2024-01-02 at 10.11.12.png)

    Fix: put the path between `<` and `>`. `--fix` does this.

        ![](<Screenshot 2024-01-02 at 10.11.12.png>)
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the path between angle brackets."""
        for each in draft.found(self.name):
            alt, _, path = draft.marked(each).removesuffix(")").partition("](")
            yield from draft.replace(each, f"{alt}](<{path}>)" if path else None)


# A label must contain a letter, so that indexing such as x[0][1] does not match.
_REFERENCE = re.compile(
    rf"!?\[[^\[\]{FILLER}][^\[\]]*\]\[(?=[^\[\]{FILLER}]*?[^\W\d_])(?P<label>[^\[\]{FILLER}]*+)\]"
)


class UndefinedReference(Rule, severity="warning"):
    """A link or picture refers to a definition that the file does not contain.

    Why: the card shows the brackets instead of the link or picture.

    For instance:

        See [the manual][docs].

    Fix: define the label anywhere in the file, or write the address instead. If you want to show the
    brackets, put them in backticks.

        [docs]: https://docs.pytorch.org/docs/stable/
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each reference without a definition."""
        if not _REFERENCE.search(note.prose):
            return
        for passage in note.passages:
            for found in _REFERENCE.finditer(passage.plain):
                label = found["label"]
                cure = f"add a line `[{label}]: address` to the file"
                fix = f"{cure}, or put the brackets in backticks to show them"
                place = passage.locate(found.start())
                yield self.report(place, f"`[{label}]` is not defined", fix, len(found[0]))
