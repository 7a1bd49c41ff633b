"""HTML tags and comments."""

from ptcards.lint.registry import Rule


class ForbiddenTag(Rule, severity="error"):
    """An HTML tag does not belong on a card.

    Why: Anki runs what a card holds on the learner's device. Scripts, styles, frames, forms and the like
    could do harm or break the card, so none is let through.

    For instance:

        <script>alert(1)</script>

    Fix: delete it. To show it, write `&lt;` for `<`, or use a code block.
    """


class StrayTag(Rule, severity="error"):
    """An HTML tag is closed that is not open.

    Why: it would close something else, such as the box around the card, and break the card.

    For instance:

        Some text.</div>

    Fix: delete it, or open the tag in the same block; a blank line ends a block.
    """


class UnclosedComment(Rule, severity="error"):
    """A comment has no end. In raw HTML, `<!`, `<?` and `</` in front of anything but a letter begin one too.

    Why: everything after it is hidden, here as on GitHub, with all the notes in it.

    For instance:

        <!-- TODO: check this

    Fix: close it with `-->`, and write `&lt;` for a `<` that is to be seen.

        <!-- TODO: check this -->
    """


class UnclosedTag(Rule, severity="error"):
    r"""An HTML tag is not closed.

    Why: it would go on through the rest of the card: bold, folded away or gone.

    For instance:

        <details><summary>More</summary>

    Fix: close it in the same block, or write `\<` if it is text.

        <details><summary>More</summary>It is fast.</details>
    """


class UnfinishedTag(Rule, severity="error"):
    """An HTML tag has no `>`.

    Why: browsers then read on to the next `>` and hide everything up to there.

    For instance:

        <img src="strides.png"

    Fix: close it, or write `&lt;` for a `<` that begins no tag.
    """


class UnknownTag(Rule, severity="error"):
    """Something in angle brackets is taken for an HTML tag that does not exist.

    Why: browsers, and so cards, show nothing for it; the sentence then reads as if the word had never been
    there.

    For instance:

        A Dataset<T> returns a T for each index.

    Fix: write it as code, or put a backslash in front.

        A `Dataset<T>` returns a `T` for each index.
    """


class UnsafeAttribute(Rule, severity="error"):
    """An attribute of an HTML tag runs code, loads something or sends data.

    Why: Anki runs what a card holds on the learner's device.

    For instance:

        <img src="strides.png" onerror="alert(1)">

    Fix: delete the attribute.

        <img src="strides.png">
    """


class UnusualTag(Rule, severity="warning"):
    """An HTML tag is harmless, but GitHub does not show it.

    Why: readers on GitHub would see something different from learners in Anki.

    For instance:

        <center>Autograd</center>

    Fix: use Markdown, or a tag that GitHub knows.
    """
