"""Front matter."""

from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule


class BrokenFrontMatter(Rule, severity="error"):
    """The lines between the two `---` at the top of a file are not YAML.

    Why: front matter sets defaults for every note of the file; read wrongly it would change all of them.

    For instance:

        ---
        tags: [autograd
        ---

    Fix: write one `key: value` on each line; put values with `:`, `#` or quotation marks in quotes.

        ---
        tags: [autograd]
        ---
    """


class MisspeltKey(Rule, severity="warning"):
    """A key of the front matter looks like one of ours and is not.

    Why: keys of other programs (`title`, `aliases`, `date`) are ignored, so a misspelt one of ours would be too. One
    letter off is a warning, two in a key of eight letters or more. `ptcards check --fix` corrects it.

    For instance:

        ---
        tag: [autograd]
        ---

    Fix: correct the name; the message suggests it.

        ---
        tags: [autograd]
        ---
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the key that was meant."""
        for each in draft.found(self.name):
            place = each.location
            written = draft.lines[place.line - 1][place.column - 1 :][: each.length]
            yield Edit(place.line, place.column, written, each.help.split("`")[1])


class UnclosedFrontMatter(Rule, severity="error"):
    """The front matter has no end.

    Why: a `---` on the first line begins it, so the whole file would be settings and no note would be left.

    For instance:

        ---
        tags: [autograd]

        # Autograd

    Fix: close it with a line `---`. If a rule was meant, put a blank line above it.
    """
