"""Links with their definitions, footnotes, and pictures, sounds and videos."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.message import Message
from ptcards.lint.note import FILLER, Passage, Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.fences import alt_of, drawing_of
from ptcards.markdown.links import is_played, with_right_scheme
from ptcards.markdown.tree import Span, SpanKind
from ptcards.source.media import MediaFolder


class DefinitionTwice(Message, severity="warning"):
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


class RelativeLink(Message, severity="warning"):
    """A link points to a file by a relative path.

    Why: that file is not in Anki, so the link would lead nowhere. The card shows only the text of the link.

    For instance:

        See [the notes](../notes/autograd.md).

    Fix: use an absolute URL, or remove the link.

        See [the notes](https://docs.pytorch.org/docs/stable/notes/autograd.html).
    """


class UnsafeLink(Message, severity="warning"):
    """A link can run code.

    Why: addresses that begin with `javascript:`, `vbscript:`, `data:` or `file:` can run code or open files
    on the learner's device, so the card shows only the text of the link.

    For instance:

        [Click](javascript:alert(1))

    Fix: use an address with `https://`.

        [Click](https://pytorch.org)
    """


class MisspeltScheme(Rule, severity="warning"):
    """The `https://` or `http://` of a link is misspelt.

    Why: the link leads nowhere. `--fix` corrects `htp://`, `http//`, `https:/` and the like.

    For instance:

        See [the manual](htps://docs.pytorch.org).

    Fix: correct the address.

        See [the manual](https://docs.pytorch.org).
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Correct the scheme."""
        for diagnostic in draft.found(self.name):
            address = diagnostic.message[1:].partition("`")[0]
            written = draft.marked(diagnostic)
            if written.count(address) == 1:
                yield from draft.replace(diagnostic, written.replace(address, with_right_scheme(address)))


class PathWithSpaces(Rule, severity="error"):
    """The path of a picture contains spaces, so Markdown does not recognise the picture.

    Why: in Markdown, a space ends the path, so the card shows the line as text. Screenshots often have such
    names.

    For instance:

        ![](Screenshot 2024-01-02 at 10.11.12.png)

    Fix: put the path between `<` and `>`. `--fix` does this.

        ![](<Screenshot 2024-01-02 at 10.11.12.png>)
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the path between angle brackets."""
        for diagnostic in draft.found(self.name):
            alt, _, path = draft.marked(diagnostic).removesuffix(")").partition("](")
            yield from draft.replace(diagnostic, f"{alt}](<{path}>)" if path else None)


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
        if "][" not in note.prose or not _REFERENCE.search(note.prose):
            return
        for passage in note.passages:
            for found in _REFERENCE.finditer(passage.plain):
                label = found["label"]
                cure = f"add a line `[{label}]: address` to the file"
                fix = f"{cure}, or put the brackets in backticks to show them"
                place = passage.locate(found.start())
                yield self.report(place, f"`[{label}]` is not defined", fix, len(found[0]))


class FootnoteInHeading(Message, severity="warning"):
    """A heading refers to a footnote.

    Why: the heading is the question, and a card has no place for a footnote to its question, so it does not
    show the footnote.

    For instance:

        ## What is Adam?[^1]

        An optimizer.

        [^1]: Kingma and Ba, 2015.

    Fix: move the reference into the text below.

        ## What is Adam?

        An optimizer.[^1]

        [^1]: Kingma and Ba, 2015.
    """


class UnknownFootnote(Message, severity="warning"):
    """A note refers to a footnote that is not defined in its file.

    Why: the card shows the reference literally, as `[^1]`.

    For instance:

        Adam is the default.[^1]

    Fix: define the footnote anywhere in the file. If the text is not meant as a footnote, put it in
    backticks.

        [^1]: Kingma and Ba, 2015.
    """


class UnusedFootnote(Message, severity="warning"):
    """A footnote is defined, but nothing refers to it.

    Why: neither GitHub nor the card shows it, so its text is lost.

    For instance:

        [^adam]: Kingma and Ba, 2015.

    Fix: add a reference to it, or remove it.

        Adam is the default.[^adam]
    """


class EmptyMedia(Message, severity="error"):
    """A media file used by a note is empty.

    Why: learners would see a broken picture.

    For instance, with a file of 0 bytes:

        ![Strides](strides.png)

    Fix: save the file again, and check that it has content.
    """


class MediaNameClash(Message, severity="error"):
    """Two different files would get the same name in Anki.

    Why: Anki keeps all media in one folder, so ptcards adds the first eight digits of a file's SHA-256 digest
    to its name. Here, both the names and these digits are the same, so all cards would show the same one of
    the two files.

    For instance, if the digests of both files begin with `fabcb787`:

        ![Loss](a/plot.png)
        ![Accuracy](b/plot.png)

    Fix: rename one of the two files.

        ![Accuracy](b/accuracy.png)
    """


class MediaTooLarge(Message, severity="error"):
    """A media file is larger than 100 MB.

    Why: AnkiWeb does not accept such a file, so no learner could sync the deck.

    For instance:

        ![Lecture](lecture.mp4)

    Fix: make the file smaller, or link to it.
    """


class MissingMedia(Rule, severity="error or warning"):
    """A media file used by a note or by the CSS of `deck.toml` does not exist.

    Why: learners would see a broken picture. Upper and lower case matter, as they do on phones and on GitHub.
    A file that CSS names must be in `media/` and begin with `_`: otherwise, it would not get to Anki.
    In an imported package, this is only a warning, because learners of the old deck lack the file too.

    For instance, if the file is called `strides.png`:

        ![Strides](Strides.PNG)

    Fix: correct the path, which is relative to the Markdown file's folder. `--fix` does this if only one file
    in the collection has that name.

        ![Strides](strides.png)
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the path of the file with that name, if the collection has only one such file."""
        media = MediaFolder(draft.source.root)
        for diagnostic in draft.found(self.name):
            address = diagnostic.message.removeprefix("no file `").removesuffix("`")
            new = media.elsewhere(draft.source.file, address)
            written = draft.marked(diagnostic)
            if new and written.count(address) == 1:
                yield from draft.replace(diagnostic, written.replace(address, new))


class LinkToDraft(Message, severity="error"):
    """A link leads to a draft.

    Why: no output contains drafts, so whoever reads the link would look for a note that nobody has. Links
    like `[text](#heading)` and `[text](file.md#heading)` are recognised.

    For instance, if the note "What is a graph?" is a draft:

        See [graphs](#what-is-a-graph).

    Fix: accept the draft, or remove the link.
    """


class RemoteMedia(Message, severity="error"):
    """A picture, sound or video is on a remote server.

    Why: learners study offline, and the file may be gone tomorrow. A build downloads nothing, so that it
    always produces the same result.

    For instance:

        ![Logo](https://example.org/logo.png)

    Fix: save the file in the collection and refer to it by its path. `ptcards check --fix --fetch` saves it
    in `media/` and does not change the notes: `media/remote.tsv` maps each address to a file. Make sure that
    you are allowed to share the file.

        ![Logo](logo.png)
    """


class UnsafeMedia(Message, severity="error"):
    """A path leads out of the collection, or to something that is not a file.

    Why: otherwise, building somebody else's deck could pack your own files into it.

    For instance:

        ![Secrets](../../.ssh/id_rsa)

    Fix: put a copy of the file in the collection. A link to the file is not enough.

        ![Secrets](img/secrets.png)
    """


class ImageWithoutAlt(Rule, severity="hint"):
    """A picture has no alternative text.

    Why: a screen reader reads out the file name instead. Alternative text also appears on the card if the
    file is missing, and without it, the list of cards in Anki's browser shows nothing for the picture.

    For instance:

        ![](strides.png)

    Fix: describe the picture. A drawn diagram has its text on the line of its fence, as in
    `mermaid alt="…"`, or in Mermaid's own `accTitle`.

        ![A 2×3 tensor and the six numbers of its storage](strides.png)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each picture and each diagram without alternative text."""
        for passage in note.passages:
            # Most passages have neither a picture nor a tag, so nobody looks at their spans.
            for span in passage.all_spans if "![" in passage.raw or "<" in passage.raw else ():
                if span.kind in _PICTURES and _is_silent(span, passage):
                    fix = "describe the picture: `![what it shows](file)`"
                    length = span.end - span.start
                    yield self.report(
                        passage.locate(span.start), "this picture has no alternative text", fix, length
                    )
        for code in (code for part in note.parts for code in part.fences):
            if drawing_of(code.block) and not alt_of(code.block):
                fix = f'say what it shows: `{code.opening} alt="…"`'
                message = "this diagram has no alternative text"
                yield self.report(code.place, message, fix, len(code.opening))


_PICTURES = frozenset({SpanKind.IMAGE, SpanKind.HTML})


def _is_silent(span: Span, passage: Passage) -> bool:
    if span.kind is SpanKind.IMAGE:
        return not (passage.raw[span.inner : span.inner_end].strip() or is_played(span.destination))
    tag = span.text.lower()
    return tag.startswith("<img") and not re.search(r"\balt\s*=", tag)


class MediaKilobytes(Rule, severity="warning", limits={"media-kilobytes": 2048}):
    """A media file is large.

    Why: every learner downloads it, it takes up space on phones, and AnkiWeb rejects files over 100 MB. More
    than `media-kilobytes` (2048) KB cause a warning.

    For instance, with a screenshot of 6 MB:

        ![The loss](loss.png)

    Fix: scale the file down or compress it. A diagram is smallest as an SVG, or as a PNG with few colours.

        ![The loss](loss.svg)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where the note names each large file."""
        for media in note.note.media:
            size = media.file.stat().st_size // 1024
            if size <= self.limits["media-kilobytes"]:
                continue
            message = f"`{media.written}` is {size} KB, more than {self.limits['media-kilobytes']}"
            fix = "scale it down or compress it"
            yield self.report(note.place_of(media.written), message, fix, len(media.written))


_SIZE = re.compile(r"(\d+)(?:x\d+)?")


class WikiEmbed(Rule, severity="error"):
    """A picture is embedded with Obsidian's syntax.

    Why: in Markdown, this is text, so the card shows the brackets and no picture.

    For instance:

        ![[plot.png]]

    Fix: write a Markdown picture, with the path relative to the Markdown file's folder. `--fix` does this if
    only one file in the collection has that name.

        ![](img/plot.png)
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write each picture as Markdown if only one file matches."""
        diagnostics = list(draft.found(self.name))
        media = MediaFolder(draft.source.root) if diagnostics else None
        for diagnostic in diagnostics:
            name, _, size = draft.marked(diagnostic).removeprefix("![[").removesuffix("]]").partition("|")
            path = media.elsewhere(draft.source.file, name.strip()) if media else ""
            width = _SIZE.fullmatch(size.strip())
            picture = f'<img src="{path}" width="{width[1]}" alt="">' if width else f"![]({path})"
            yield from draft.replace(diagnostic, picture if path else None)


class AmbiguousMedia(Message, severity="error"):
    """A note embeds a file by a name that several files share.

    Why: Obsidian finds an embedded file by its name alone. With two files of that name, the card could show
    the wrong one.

    For instance, in a collection with `week1/plot.png` and `week2/plot.png`:

        ![[plot.png]]

    Fix: write the path from the top of the collection.

        ![[week1/plot.png]]
    """
