"""Blocks and HTML: alerts, tables, fences, tags, and content that is too large for a card."""

import re
from collections.abc import Iterator

from ptcards.lint.message import Message
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.tree import BlockKind


class FieldTooLarge(Message, severity="error or warning"):
    """A field has more than 64 KB of text.

    Why: this is far more than a card can show, and rendering so much Markdown could take minutes. In an
    imported package, such a field only causes a warning, but a field of more than 1 MB prevents the import.

    When:

        an answer that contains a log of 5,000 lines

    Fix: split the note, or shorten the text.
    """


class NestedTooDeep(Message, severity="error"):
    """Lists and quotes are nested more than fifty levels deep.

    Why: no card can show so many levels. They are most likely a slip, or an attack on whoever builds the
    deck.

    For instance:

        > > > > > > > > …

    Fix: remove levels of nesting.
    """


class NoteTooSlow(Message, severity="error"):
    """A note takes longer than two seconds to render.

    Why: for some texts, the rendering time grows with the square of the length, and a single note should not
    hold up a build.

    For instance:

        ## Which of these?

        (60,000 opening brackets)

    Fix: shorten the note, or split it into several.
    """


class TableRowTooLong(Message, severity="warning"):
    r"""A row of a table has more cells than the table has columns.

    Why: GitHub and the card both drop the extra cells. Usually, a `|` inside a cell is not escaped.

    For instance:

        | code     | means |
        | -------- | ----- |
        | `a | b`  | or    |

    Fix: write `\|` inside a cell, even in backticks.

        | `a \| b` | or    |
    """


class UnknownAlert(Message, severity="warning"):
    """A quote begins with an unknown alert.

    Why: GitHub and the card support only NOTE, TIP, IMPORTANT, WARNING and CAUTION, and show any other word
    as text.

    For instance:

        > [!INFO]
        > It is fast.

    Fix: use one of the five alerts.

        > [!NOTE]
        > It is fast.
    """


class CodeTooSlow(Message, severity="warning", elsewhere=True):
    """A block of code takes too long to colour, so it is shown without colours.

    Why: in a few languages, the time to colour code grows with the square of its length, and a single block
    should not hold up a build.

    For instance:

        ```perl
        (a line of 60,000 characters)
        ```

    Fix: shorten the block, or set its language to `text`.

        ```text
        (a line of 60,000 characters)
        ```
    """


class LineLeftOfFence(Message, severity="error"):
    """A line of code is outside the list item or quote that contains its fence.

    Why: on GitHub, such a line ends the list and the code block, so the rest of the code would be text.

    For instance:

        - An example:
          ```python
          x = 1
        y = 2
          ```

    Fix: indent the line as far as the fence.

        - An example:
          ```python
          x = 1
          y = 2
          ```
    """


class UnclosedFence(Message, severity="error"):
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


class NotDrawn(Message, severity="warning"):
    """A diagram that is written as text has not been drawn yet.

    Why: the card shows the picture of a `mermaid`, `dot`, `d2`, `typst` or `vega-lite` block if there is one,
    and its source otherwise. Only `ptcards draw` starts the program that draws it.

    For instance:

        ```mermaid
        flowchart LR
          forward --> backward
        ```

    Fix: run `ptcards draw`, and commit what it writes to `img/drawn`. To show the source, say so.

        ```mermaid no-run="shows the syntax"
        flowchart LR
          forward --> backward
        ```
    """


class UnknownFenceWord(Message, severity="warning"):
    """A word after the opening fence of a code block is unknown.

    Why: only `hl_lines`, `title`, `no-run` and `raises` may follow the language, and `alt` that of a diagram.
    A misspelt word would be silently ignored.

    For instance:

        ```python hl_line="2"
        import torch
        torch.ones(2)
        ```

    Fix: correct the word.

        ```python hl_lines="2"
        import torch
        torch.ones(2)
        ```
    """


_FIRST_WORD = re.compile(r"[ \t]*(\S+)")


class UnknownLanguage(Rule, severity="warning"):
    """The language of a block of code is unknown.

    Why: the card shows the code without colours. Usually, the name is misspelt. The known names are those of
    Pygments (https://pygments.org/languages/), as well as `output`, `math` and `text`.

    For instance:

        ```pyhton
        import torch
        ```

    Fix: correct the name, or use `text`. `--fix` corrects obvious slips.

        ```python
        import torch
        ```
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the language that was clearly intended."""
        from ptcards.markdown.code import meant_language  # noqa: PLC0415 - a check loads no renderer

        for code in draft.codes:
            if code.block.kind is BlockKind.FENCE and (meant := meant_language(code.language)):
                line, start = code.place.line, code.place.column - 1 + len(code.block.marker)
                written = _FIRST_WORD.match(draft.lines[line - 1], start)
                if written and written[1].lower() == code.language:
                    yield LineEdit(line, written.start(1) + 1, written[1], meant)


class ForbiddenTag(Message, severity="error"):
    """A card contains an HTML tag that is not allowed.

    Why: a card is a web page that Anki opens on the learner's device. Scripts, styles, frames, forms and the
    like could do harm or break the card, so ptcards lets none of them through.

    For instance:

        <script>alert(1)</script>

    Fix: delete the tag. To show it, write `&lt;` for `<`, or use a code block.

        `<script>alert(1)</script>`
    """


class StrayTag(Message, severity="error"):
    """An HTML tag is closed but was never opened.

    Why: the tag would close something else, such as the box around the card, and break the layout.

    For instance:

        Some text.</div>

    Fix: remove the closing tag, or open the tag in the same block. A blank line ends a block.

        <div>Some text.</div>
    """


class UnclosedComment(Message, severity="error"):
    """A comment is not closed.

    Why: everything after its opening mark is hidden, as it is on GitHub, including the notes that follow. In
    raw HTML, `<!`, `<?`, and `</` before anything but a letter also open a comment.

    For instance:

        <!-- TODO: check this

    Fix: close it with `-->`, or write `&lt;` for a `<` that should be visible.

        <!-- TODO: check this -->
    """


class UnclosedTag(Rule, severity="error"):
    r"""An HTML tag is not closed.

    Why: the tag would affect the rest of the card: everything after it could be bold, folded away or missing.

    For instance:

        <details><summary>More</summary>

    Fix: close the tag in the same block, or write `\<` if it is text, as `--fix` does in `a<b and b>c`.

        <details><summary>More</summary>It is fast.</details>
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write `&lt;` where words follow that are no attributes; it is text in HTML, too."""
        for found in draft.found(self.name):
            if _SENTENCE.fullmatch(draft.marked(found)):
                yield LineEdit(found.location.line, found.location.column, "<", "&lt;")


_SENTENCE = re.compile(
    r"<[a-z]+(?:\s+(?!open\b|hidden\b|controls\b|loop\b|muted\b|reversed\b)[a-z]+)+>", re.IGNORECASE
)
"""Matches a comparison or a phrase that HTML takes for a tag with attributes without values."""


class UnfinishedTag(Message, severity="error"):
    """An HTML tag has no `>`.

    Why: browsers read on to the next `>` and hide everything up to that point.

    For instance:

        <div align="center"

    Fix: add the `>`, or write `&lt;` for a `<` that does not begin a tag.

        <div align="center">Some text.</div>
    """


class UnknownTag(Rule, severity="error"):
    """Text in angle brackets looks like an HTML tag, but there is no such tag.

    Why: browsers, and therefore cards, show nothing in place of such text, as if it had never been there.

    For instance:

        A Dataset<T> returns a T for each index.

    Fix: write the text as code, or put a backslash in front of it. `--fix` writes `&lt;` for the `<`.

        A `Dataset<T>` returns a `T` for each index.
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write `&lt;`, which is text in HTML, too."""
        for found in draft.found(self.name):
            yield LineEdit(found.location.line, found.location.column, "<", "&lt;")


class UnsafeAttribute(Message, severity="error"):
    """An attribute of an HTML tag runs code, loads something or sends data.

    Why: a card is a web page, and scripts in it run on the learner's device.

    For instance:

        <img src="strides.png" onerror="alert(1)">

    Fix: delete the attribute.

        <img src="strides.png">
    """


class UnusualTag(Message, severity="warning"):
    """An HTML tag is harmless, but GitHub does not support it.

    Why: readers on GitHub would see something different from what learners see in Anki.

    For instance:

        <center>Autograd</center>

    Fix: use Markdown, or a tag that GitHub supports.

        **Autograd**
    """
