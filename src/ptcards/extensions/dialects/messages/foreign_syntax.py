"""Syntax of Obsidian, Anki and other programs that has no meaning in Markdown."""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from ptcards.diagnostics import Diagnostic, Location
from ptcards.extensions.dialects.obsidian_syntax import is_anchor_link, link_text
from ptcards.lint.note import Passage, Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.tree import BlockKind

_ID = re.compile(r"(?:(?<=\s)|\A)\^(?=[\w-]*[A-Za-z])[A-Za-z0-9-]{3,}\Z")


class BlockId(Rule, severity="warning"):
    """A paragraph ends with an Obsidian block id.

    Why: GitHub does not support block ids, so the card shows the id as text.

    For instance:

        A path has a cost. ^37066d

    Fix: delete the id. `--fix` does this.

        A path has a cost.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each block id."""
        for passage, found in _ids(note):
            message = f"`{found[0]}` is shown literally"
            yield self.report(passage.locate(found.start()), message, "delete it", len(found[0]))

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Delete each id and the space before it."""
        for note in draft.notes:
            for passage, found in _ids(note):
                place = passage.locate(found.start())
                line = draft.lines[place.line - 1]
                if line.strip() == found[0]:
                    yield LineEdit(place.line, 1, line, None)
                else:
                    start = len(line[: place.column - 1].rstrip())
                    yield LineEdit(place.line, start + 1, line[start:], "")


def _ids(note: Reading) -> Iterator[tuple[Passage, re.Match[str]]]:
    if "^" in note.prose:
        for passage in note.passages:
            if found := _ID.search(passage.plain):
                yield passage, found


_MARK = re.compile(r"(?<![\w=!<>])==(?=[^\s=])[^=\n]+(?<=\S)==(?![\w=])")


class MarkSyntax(Rule, severity="warning"):
    """Text is highlighted with `==`, which GitHub does not support.

    Why: the card shows the equals signs.

    For instance:

        It is ==fast==.

    Fix: use `<mark>`. `--fix` does this.

        It is <mark>fast</mark>.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each highlighted piece of text."""
        for place, written in _written(note, "==", _MARK):
            yield _literal(self, place, written, f"write `<mark>{written[2:-2]}</mark>`")

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write `<mark>` around text that is on one line."""
        for note in draft.notes:
            for place, written in _written(note, "==", _MARK):
                yield LineEdit(place.line, place.column, written, f"<mark>{written[2:-2]}</mark>")


def _written(note: Reading, mark: str, pattern: re.Pattern[str]) -> Iterator[tuple[Location, str]]:
    """Yield the location and text of each match of the pattern; all matches contain `mark`."""
    if mark in note.prose:
        for passage in note.passages:
            for found in pattern.finditer(passage.plain):
                yield passage.locate(found.start()), passage.raw[found.start() : found.end()]


def _literal(rule: Rule, place: Location, written: str, fix: str) -> Diagnostic:
    return rule.report(place, f"`{written}` is shown literally", fix, len(written))


_SHORTCODE = re.compile(r"(?<![\w:\\]):[a-z0-9_+-]{1,40}:(?![\w:])")


class EmojiShortcode(Rule, severity="hint"):
    r"""An emoji is written by its name.

    Why: GitHub shows the emoji, but Anki, the preview and the study page show the name between colons.

    For instance:

        It works :tada:

    Fix: write the character. `--fix` does this. To show the name, write `\:tada:` or put it in backticks.

        It works 🎉
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each name of an emoji that GitHub knows."""
        for place, written, emoji in _shortcodes(note):
            message = f"`{written}` is an emoji on GitHub and text in Anki"
            yield self.report(place, message, f"write {emoji}, or put it in backticks", len(written))

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the character instead of each name."""
        for note in draft.notes:
            for place, written, emoji in _shortcodes(note):
                yield LineEdit(place.line, place.column, written, emoji)


def _shortcodes(note: Reading) -> Iterator[tuple[Location, str, str]]:
    """Yield the location and text of each emoji's name, and its character."""
    for place, written in _written(note, ":", _SHORTCODE):
        if emoji := _emoji().get(written.strip(":")):
            yield place, written, emoji


@cache
def _emoji() -> dict[str, str]:
    """Return the emoji that GitHub shows, by name; `tests/gfm/emoji_names.py` names the source."""
    names: dict[str, str] = json.loads(
        resources.files("ptcards.extensions.dialects").joinpath("emoji.json").read_text("utf-8")
    )
    return names


_COMMENT = re.compile(r"%%[^%\n]+%%")


class PercentComment(Rule, severity="warning"):
    """A comment is written between `%%`, as in Obsidian.

    Why: GitHub does not support such comments, so learners would see the text.

    For instance:

        It is fast. %%check this%%

    Fix: write the comment as HTML. `--fix` does this.

        It is fast. <!-- check this -->
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each comment."""
        for place, written in _written(note, "%%", _COMMENT):
            yield _literal(self, place, written, f"write `{_html(written)}`, or remove it")

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write each comment as HTML, if HTML allows its text."""
        for note in draft.notes:
            for place, written in _written(note, "%%", _COMMENT):
                if "--" not in written and ">" not in written:
                    yield LineEdit(place.line, place.column, written, _html(written))


def _html(written: str) -> str:
    return f"<!-- {written[2:-2].strip()} -->"


_TAG = re.compile(r"(?:(?<=\s)|\A)#[^\W\d_][\w/-]*\s*\Z")


class TagInText(Rule, severity="hint"):
    """A heading or paragraph ends with something that is a tag in other programs.

    Why: in ptcards, `#` followed by a word is text, so the card shows it. Tags for Anki belong in the card
    comment.

    For instance:

        ## What does TCP promise? #net/tcp

    Fix: move the tag to the card comment.

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
                yield self.report(passage.locate(found.start()), f"`{tag}` is plain text here", fix, len(tag))


_LINK = re.compile(r"(?<!!)\[\[[^\[\]\n]+\]\]")


class WikiLink(Rule, severity="warning"):
    """A link is written in the syntax of Obsidian and wikis.

    Why: double brackets have no meaning in Markdown, so the card shows them.

    For instance:

        It runs over [[UDP|udp]].

    Fix: write only the text, because there is no page that a card could link to. `--fix` does this.

        It runs over udp.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each wiki link."""
        for place, written in _written(note, "[[", _LINK):
            yield _literal(self, place, written, f"write `{link_text(written[2:-2])}`")

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Replace each wiki link with its text."""
        for note in draft.notes:
            for place, written in _written(note, "[[", _LINK):
                yield LineEdit(place.line, place.column, written, link_text(written[2:-2]))


_MARKUP = re.compile(r"\[sound:[^\]\n]{1,1000}+\]|\[(?P<tex>latex|\$\$?)\]|\[\[type:[^\]\n]{1,1000}+\]\]")


class AnkiMarkup(Rule, severity="warning", own_types=True):
    """The text contains markup from Anki's editor.

    Why: sources are Markdown, where Anki's own markup has no meaning: the card shows `[sound:…]` or `[latex]`
    as plain text.

    For instance:

        Listen: [sound:c-major.mp3]

    Fix: use Markdown that GitHub understands. In a note with a note type of its own, write the field's HTML
    in a fence that begins with three backticks and `{=html}`: Anki gets it unchanged.

        Listen: ![C major](c-major.mp3)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each piece of Anki markup."""
        if not _MARKUP.search(note.prose):
            return
        for passage in note.passages:
            for found in _MARKUP.finditer(passage.plain):
                if found["tex"] and f"[/{found['tex']}]" not in note.prose:
                    continue
                if note.note.own_type:
                    fix = "put it in a fence that begins with three backticks and `{=html}`"
                elif found["tex"]:
                    fix = "write the formula between dollar signs: `$x^2$`"
                elif found[0].startswith("[sound"):
                    fix = f"write `![what it is]({found[0][7:-1].strip()})`"
                else:
                    fix = "write the expected text as the answer, and set `kind=typed` in the card comment"
                message = f"`{found[0]}` is shown literally"
                yield self.report(passage.locate(found.start()), message, fix, len(found[0]))


_LINE = re.compile(r"^[ ]{0,3}(?P<mark>%|\?\??|\. \. \.)[ \t]*$", re.MULTILINE)


class LoneSeparator(Rule, severity="warning"):
    """A line in an answer contains only `%`, `?`, `??` or `. . .`.

    Why: in other programs, such a line separates question and answer. In ptcards, it is text, and everything
    above it belongs to the answer.

    For instance:

        ## Variables

        What is unknown?
        ?
        Their values.

    Fix: if it separates question and answer, replace it with `### Answer`; otherwise delete it.

        ## Variables

        What is unknown?

        ### Answer

        Their values.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each line of the answer that contains only a separator."""
        answer = note.part("answer")
        if not any(map(answer.text.markdown.__contains__, ("%", "?", ". . ."))):
            return
        for passage in answer.passages:
            for found in _LINE.finditer(passage.raw):
                mark = found["mark"]
                message = f"`{mark}` on a line of its own is plain text here"
                fix = "write `### Answer` if it separates question and answer, or remove it"
                yield self.report(passage.locate(found.start("mark")), message, fix, len(mark))


_ANCHOR = re.compile(r"\s*\{#[\w.:-]{1,200}\}\s*\Z")
_QUESTION_NUMBER = re.compile(r"(?:Q\d*[.):]|Question\s+\d+[.):]|\d+\))\s+(?=\S)", re.IGNORECASE)


class HeadingAnchor(Rule, severity="warning"):
    """A heading ends with an anchor in braces, which GitHub does not support.

    Why: Google Docs and pandoc write such anchors, and the card shows them on its front.

    For instance:

        ## What is a leaf? {#what-is-a-leaf}

    Fix: delete the anchor.

        ## What is a leaf?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the anchor."""
        if found := _ANCHOR.search(note.heading.raw):
            written = found[0].strip()
            place = note.heading.locate(note.heading.raw.index(written))
            yield self.report(place, f"`{written}` is shown literally", "delete it", len(written))


class QuestionNumber(Rule, severity="warning"):
    """A question begins with its number in a list.

    Why: the card shows the number, which says nothing outside the list, and may give the card away.

    For instance:

        ## Q7. What is a leaf?

    Fix: delete the number.

        ## What is a leaf?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the number."""
        if found := _QUESTION_NUMBER.match(note.heading.raw):
            written = found[0].rstrip()
            message = f"the card shows `{written}` before the question"
            yield self.report(note.heading.locate(), message, "delete it", len(written))


class BackLink(Rule, severity="warning"):
    """An answer ends with a link to a heading of the file.

    Why: lists of questions often end each answer with a link to their top. On a card, it leads nowhere.

    For instance:

        A tensor that no operation made.

        [back to top](#questions)

    Fix: delete the link. `--fix` does this.

        A tensor that no operation made.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the link."""
        for place, written in _back_links(note):
            message = "the answer ends with a link to a heading of the file"
            yield self.report(place, message, "delete it", len(written))

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Delete the line of the link."""
        for note in draft.notes:
            for place, written in _back_links(note):
                if draft.lines[place.line - 1] == written:
                    yield LineEdit(place.line, 1, written, None)


def _back_links(note: Reading) -> Iterator[tuple[Location, str]]:
    """Yield the last paragraph of an answer if it is only a link to a heading of the same file."""
    blocks = note.part("answer").blocks
    last = blocks[-1] if len(blocks) > 1 else None
    if last is not None and last.kind is BlockKind.PARAGRAPH and len(last.lines) == 1:
        written = last.lines[0].text
        if is_anchor_link(written):
            yield note.note.answer.location(last.start, last.column), written
