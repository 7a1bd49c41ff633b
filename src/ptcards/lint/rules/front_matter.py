"""The front matter of a file."""

from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule


class BrokenFrontMatter(Rule, severity="error"):
    """The lines between the two `---` at the top of a file are not valid YAML.

    Why: front matter sets defaults for every note in the file, so a mistake in it would affect all of them.

    For instance:

        ---
        tags: [autograd
        ---

    Fix: write one `key: value` on each line. Put values that contain `:`, `#` or quotation marks in quotes.

        ---
        tags: [autograd]
        ---
    """


class MisspeltKey(Rule, severity="warning"):
    """A key in the front matter looks like a misspelt setting.

    Why: keys of other programs (`title`, `aliases`, `date`) are ignored, so a misspelt setting would be
    ignored too. A key with one wrong letter causes a warning, and so does a key of eight or more letters with
    two wrong ones. `ptcards check --fix` corrects the key.

    For instance:

        ---
        tag: [autograd]
        ---

    Fix: correct the name; the message suggests the right one.

        ---
        tags: [autograd]
        ---
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the key that was intended."""
        for each in draft.found(self.name):
            place = each.location
            written = draft.lines[place.line - 1][place.column - 1 :][: each.length]
            yield Edit(place.line, place.column, written, each.help.split("`")[1])


class UnclosedFrontMatter(Rule, severity="error"):
    """The front matter is not closed.

    Why: a `---` on the first line opens the front matter, so the entire file would be read as settings and
    contain no notes.

    For instance:

        ---
        tags: [autograd]

        # Autograd

    Fix: close it with the line `---`. If you meant a horizontal rule, put a blank line above it.
    """
