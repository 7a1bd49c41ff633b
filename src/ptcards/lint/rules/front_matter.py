"""Front matter."""

from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule


class BrokenFrontMatter(Rule, severity="error"):
    """The lines between the two `---` at the top of a file are not valid YAML.

    Why: front matter sets defaults for every note in the file, so a mistake in it would affect all of them.

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
    """A key in the front matter looks like a misspelt setting.

    Why: other programs' keys (`title`, `aliases`, `date`) are ignored, so a misspelt setting would be too. A
    key with one wrong letter is a warning, and so is one of eight letters or more with two wrong letters.
    `ptcards check --fix` corrects it.

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
        """Write the intended key."""
        for each in draft.found(self.name):
            place = each.location
            written = draft.lines[place.line - 1][place.column - 1 :][: each.length]
            yield Edit(place.line, place.column, written, each.help.split("`")[1])


class UnclosedFrontMatter(Rule, severity="error"):
    """The front matter is not closed.

    Why: a `---` on the first line opens the front matter, so the complete file would be settings, without any
    notes.

    For instance:

        ---
        tags: [autograd]

        # Autograd

    Fix: close it with the line `---`. If you meant a horizontal rule, put a blank line above it.
    """
