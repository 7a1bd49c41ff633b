"""Fenced blocks of code."""

from ptcards.lint.registry import Rule


class CodeTooSlow(Rule, severity="warning", elsewhere=True):
    """A block of code takes too long to colour, so it is shown without colours.

    Why: in a few languages, the time to colour code grows with the square of its length, and a single block
    should not hold up a build.

    For instance:

        ```perl
        (a line of 60,000 characters)
        ```

    Fix: shorten the block, or set its language to `text`.
    """


class LineLeftOfFence(Rule, severity="error"):
    """A line of code is outside the list item or quote that contains its fence.

    Why: on GitHub, such a line ends the list and the code block, so the rest of the code would be text.

    For instance:

        - An example:
          ```python
          x = 1
        y = 2
          ```

    Fix: indent the line as far as the fence.
    """


class UnclosedFence(Rule, severity="error"):
    """A block of code is not closed.

    Why: everything after its opening fence becomes code, as it does on GitHub, including the notes that
    follow.

    For instance:

        ```python
        import torch

    Fix: close it with a line that contains only the same marks.

        ```python
        import torch
        ```
    """


class UnknownFenceWord(Rule, severity="warning"):
    """A word after the opening fence of a code block is unknown.

    Why: only `hl_lines`, `title`, `no-run` and `raises` may follow the language. A misspelt word would be
    silently ignored.

    For instance:

        ```python hl_line="2"

    Fix: correct the word.

        ```python hl_lines="2"
    """


class UnknownLanguage(Rule, severity="warning"):
    """The language of a block of code is unknown.

    Why: the card shows the code without colours. Usually, the name is misspelt. The known names are those of
    Pygments (https://pygments.org/languages/), as well as `output`, `math` and `text`.

    For instance:

        ```pyhton
        import torch
        ```

    Fix: correct the name, or use `text`.

        ```python
        import torch
        ```
    """
