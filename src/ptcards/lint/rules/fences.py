"""Fenced blocks of code."""

from ptcards.lint.registry import Rule


class CodeTooSlow(Rule, severity="warning", elsewhere=True):
    """A block of code takes too long to colour, so it is shown plain.

    Why: a few languages are coloured in a time that grows with the square of the length; a build should not
    wait for that.

    For instance:

        ```perl
        (a line of 60,000 characters)
        ```

    Fix: shorten it, or give it the language `text`.
    """


class LineLeftOfFence(Rule, severity="error"):
    """A line of code is left of the list item, or outside the quote, that its fence is in.

    Why: on GitHub it ends the list and the code, so half of the code would be text.

    For instance:

        - An example:
          ```python
          x = 1
        y = 2
          ```

    Fix: indent the line like the fence.
    """


class UnclosedFence(Rule, severity="error"):
    """A block of code has no end.

    Why: everything after it is code, here as on GitHub, with all the notes in it.

    For instance:

        ```python
        import torch

    Fix: close it with a line of the same marks.

        ```python
        import torch
        ```
    """


class UnknownFenceWord(Rule, severity="warning"):
    """A word after the opening marks of a code block means nothing.

    Why: only `hl_lines`, `title`, `no-run` and `raises` follow the language; a misspelt one would be silently
    ignored.

    For instance:

        ```python hl_line="2"

    Fix: correct it.

        ```python hl_lines="2"
    """


class UnknownLanguage(Rule, severity="warning"):
    """The language of a block of code is not known.

    Why: the card shows it without colours; most often the name is misspelt. Known are the names of Pygments
    (https://pygments.org/languages/), and `output`, `math` and `text`.

    For instance:

        ```pyhton
        import torch
        ```

    Fix: correct it, or use `text`.

        ```python
        import torch
        ```
    """
