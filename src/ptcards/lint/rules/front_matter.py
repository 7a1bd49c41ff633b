"""Front matter."""

from ptcards.lint.registry import Rule


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


class UnclosedFrontMatter(Rule, severity="error"):
    """The front matter has no end.

    Why: a `---` on the first line begins it, so the whole file would be settings and no note would be left.

    For instance:

        ---
        tags: [autograd]

        # Autograd

    Fix: close it with a line `---`. If a rule was meant, put a blank line above it.
    """
