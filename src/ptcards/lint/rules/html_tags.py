"""HTML tags and comments."""

from ptcards.lint.registry import Rule


class ForbiddenTag(Rule, severity="error"):
    """A card contains an HTML tag that is not allowed.

    Why: a card is a web page that Anki opens on the learner's device. Scripts, styles, frames, forms and the
    like could do harm or break the card, so ptcards lets none of them through.

    For instance:

        <script>alert(1)</script>

    Fix: delete the tag. To show it, write `&lt;` for `<`, or use a code block.
    """


class StrayTag(Rule, severity="error"):
    """An HTML tag is closed but was never opened.

    Why: the tag would close something else, such as the box around the card, and break the layout.

    For instance:

        Some text.</div>

    Fix: remove the closing tag, or open the tag in the same block. A blank line ends a block.
    """


class UnclosedComment(Rule, severity="error"):
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

    Fix: close the tag in the same block, or write `\<` if it is text.

        <details><summary>More</summary>It is fast.</details>
    """


class UnfinishedTag(Rule, severity="error"):
    """An HTML tag has no `>`.

    Why: browsers read on to the next `>` and hide everything up to that point.

    For instance:

        <img src="strides.png"

    Fix: add the `>`, or write `&lt;` for a `<` that does not begin a tag.
    """


class UnknownTag(Rule, severity="error"):
    """Text in angle brackets looks like an HTML tag, but there is no such tag.

    Why: browsers, and therefore cards, show nothing in place of such text, as if it had never been there.

    For instance:

        A Dataset<T> returns a T for each index.

    Fix: write the text as code, or put a backslash in front of it.

        A `Dataset<T>` returns a `T` for each index.
    """


class UnsafeAttribute(Rule, severity="error"):
    """An attribute of an HTML tag runs code, loads something or sends data.

    Why: a card is a web page, and scripts in it run on the learner's device.

    For instance:

        <img src="strides.png" onerror="alert(1)">

    Fix: delete the attribute.

        <img src="strides.png">
    """


class UnusualTag(Rule, severity="warning"):
    """An HTML tag is harmless, but GitHub does not support it.

    Why: readers on GitHub would see something different from what learners see in Anki.

    For instance:

        <center>Autograd</center>

    Fix: use Markdown, or a tag that GitHub supports.
    """
