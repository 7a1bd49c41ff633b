"""Marks of Obsidian that have no meaning in Markdown."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import Passage
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.source.media import MediaFolder
from ptcards.source.readers.wiki import link_text

_ID = re.compile(r"(?:(?<=\s)|\A)\^(?=[\w-]*[A-Za-z])[A-Za-z0-9-]{3,}\Z")


class BlockId(Rule, severity="warning"):
    """A paragraph ends with a block id of Obsidian's.

    Why: GitHub does not support block ids, so the card would show it as text.

    For instance:

        A path has a cost. ^37066d

    Fix: delete it. `--fix` does so.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the id of each paragraph that has one."""
        for passage, found in _ids(note):
            message = f"`{found[0]}` is shown literally"
            yield self.report(passage.locate(found.start()), message, "delete it", len(found[0]))

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Delete each id with the space above it."""
        for note in draft.notes:
            for passage, found in _ids(note):
                place = passage.locate(found.start())
                line = draft.lines[place.line - 1]
                if line.strip() == found[0]:
                    yield Edit(place.line, 1, line, None)
                else:
                    start = len(line[: place.column - 1].rstrip())
                    yield Edit(place.line, start + 1, line[start:], "")


def _ids(note: Reading) -> Iterator[tuple[Passage, re.Match[str]]]:
    if "^" in note.prose:
        for passage in note.passages:
            if found := _ID.search(passage.plain):
                yield passage, found


_MARK = re.compile(r"(?<![\w=!<>])==(?=[^\s=])(?P<inside>[^=\n]+)(?<=\S)==(?![\w=])")


class MarkSyntax(Rule, severity="warning"):
    """Text is marked with `==`, which GitHub does not support.

    Why: the card would show the equals signs.

    For instance:

        It is ==fast==.

    Fix: write `<mark>`. `--fix` does so.

        It is <mark>fast</mark>.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each piece of marked text."""
        for passage, found in _marks(note):
            written = passage.raw[found.start() : found.end()]
            inside = passage.raw[found.start("inside") : found.end("inside")]
            fix = f"write `<mark>{inside}</mark>`"
            yield self.report(
                passage.locate(found.start()), f"`{written}` is shown literally", fix, len(written)
            )

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write `<mark>` if the text is on one line."""
        for note in draft.notes:
            for passage, found in _marks(note):
                written = passage.raw[found.start() : found.end()]
                place = passage.locate(found.start())
                yield Edit(place.line, place.column, written, f"<mark>{written[2:-2]}</mark>")


def _marks(note: Reading) -> Iterator[tuple[Passage, re.Match[str]]]:
    if "==" in note.prose:
        for passage in note.passages:
            for found in _MARK.finditer(passage.plain):
                yield passage, found


_COMMENT = re.compile(r"%%(?P<inside>[^%\n]+)%%")


class PercentComment(Rule, severity="warning"):
    """A comment is written between `%%`, as in Obsidian.

    Why: GitHub does not support such comments, so learners would see it.

    For instance:

        It is fast. %%check this%%

    Fix: write it as HTML. `--fix` does so.

        It is fast. <!-- check this -->
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each comment."""
        for passage, found in _comments(note):
            written = passage.raw[found.start() : found.end()]
            fix = f"write `{_html(written)}`, or remove it"
            yield self.report(
                passage.locate(found.start()), f"`{written}` is shown literally", fix, len(written)
            )

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write each comment as HTML, if HTML allows its text."""
        for note in draft.notes:
            for passage, found in _comments(note):
                written = passage.raw[found.start() : found.end()]
                place = passage.locate(found.start())
                if "--" not in written and ">" not in written:
                    yield Edit(place.line, place.column, written, _html(written))


def _html(written: str) -> str:
    return f"<!-- {written[2:-2].strip()} -->"


def _comments(note: Reading) -> Iterator[tuple[Passage, re.Match[str]]]:
    if "%%" in note.prose:
        for passage in note.passages:
            for found in _COMMENT.finditer(passage.plain):
                yield passage, found


_TAG = re.compile(r"(?:(?<=\s)|\A)#[^\W\d_][\w/-]*\s*\Z")


class TagInText(Rule, severity="hint"):
    """A heading or paragraph ends with something that is a tag in other programs.

    Why: here `#` and a word are text, which the card shows. Tags for Anki are set in the card comment.

    For instance:

        ## What does TCP promise? #net/tcp

    Fix: move it into the card comment.

        ## What does TCP promise?
        <!-- card: tags=net::tcp -->
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report what looks like a tag at the end of a passage."""
        if "#" not in note.prose:
            return
        for passage in note.passages:
            if found := _TAG.search(passage.plain):
                tag = found[0].strip()
                fix = f"write `tags={tag[1:].replace('/', '::')}` in the card comment"
                yield self.report(passage.locate(found.start()), f"`{tag}` is text here", fix, len(tag))


_SIZE = re.compile(r"(\d+)(?:x\d+)?")


class WikiEmbed(Rule, severity="error"):
    """A picture is embedded in Obsidian's way.

    Why: in Markdown this is text, so the card shows the brackets and no picture.

    For instance:

        ![[plot.png]]

    Fix: write the path from the folder of the Markdown file. `--fix` does so if only one file of the
    collection has that name.

        ![](img/plot.png)
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the picture, where only one file can be meant."""
        found = list(draft.found(self.name))
        media = MediaFolder(draft.source.root) if found else None
        for each in found:
            name, _, size = draft.marked(each).removeprefix("![[").removesuffix("]]").partition("|")
            path = media.elsewhere(draft.source.file, name.strip()) if media else ""
            width = _SIZE.fullmatch(size.strip())
            picture = f'<img src="{path}" width="{width[1]}" alt="">' if width else f"![]({path})"
            yield from draft.replace(each, picture if path else None)


_LINK = re.compile(r"(?<!!)\[\[[^\[\]\n]+\]\]")


class WikiLink(Rule, severity="warning"):
    """A link is written in the syntax of Obsidian and wikis.

    Why: double brackets have no meaning in Markdown, so the card shows them.

    For instance:

        It runs over [[UDP|udp]].

    Fix: write only the text, because there is no page that a card could link to. `--fix` does so.

        It runs over udp.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each link."""
        for passage, written, at in _links(note):
            message = f"`{written}` is shown literally"
            fix = f"write `{link_text(written[2:-2])}`"
            yield self.report(passage.locate(at), message, fix, len(written))

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the text of each link."""
        for note in draft.notes:
            for passage, written, at in _links(note):
                place = passage.locate(at)
                yield Edit(place.line, place.column, written, link_text(written[2:-2]))


def _links(note: Reading) -> Iterator[tuple[Passage, str, int]]:
    """Yield each link as it is written and where it begins in its passage."""
    if "[[" in note.prose:
        for passage in note.passages:
            for found in _LINK.finditer(passage.plain):
                yield passage, passage.raw[found.start() : found.end()], found.start()
