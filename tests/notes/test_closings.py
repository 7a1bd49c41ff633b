"""What replaced quadratic regular expressions finds the same as they did, in all short texts."""

import itertools
import re
from collections.abc import Iterator

import pytest

from ptcards.anki import cards
from ptcards.anki.mathml import with_math
from ptcards.diff.words import _coloured
from ptcards.markdown.fences import files_in
from ptcards.notes.closings import Closings, with_hidden_text, without
from ptcards.notes.notetypes import _tags


def texts(*tokens: str, length: int = 5) -> Iterator[str]:
    """Yield all texts of up to `length` tokens."""
    for count in range(length + 1):
        yield from map("".join, itertools.product(tokens, repeat=count))


def test_a_closing_is_searched_for_only_once() -> None:
    closings = Closings("a) b) c")
    end = re.compile(r"\)")
    found = [closings.find(end, at) for at in (0, 1, 2, 4, 5, 0)]
    assert [each and each.start() for each in found] == [1, 1, 4, 4, None, 1]
    assert found[0] is found[1]
    assert closings.end((end, end), 0) == 5
    assert closings.end((end, end), 2) is None


@pytest.mark.parametrize(
    ("opening", "whole", "on_one_line"),
    [
        (r"\{\{c\d{1,2}::", re.compile(r"\{\{c\d{1,2}::(.*?)(?:::[^{}]*)?\}\}"), True),
        (r"\{\{c\d+::", re.compile(r"\{\{c\d+::(.*?)(?:::[^{}]*)?\}\}", re.DOTALL), False),
    ],
)
def test_deletions_are_replaced_by_what_they_hide(
    opening: str, whole: re.Pattern[str], *, on_one_line: bool
) -> None:
    begin = re.compile(opening)
    for text in texts("{{c1::", "}}", "}", "{", "::", "a", "\n"):
        shown = with_hidden_text(text, begin, on_one_line=on_one_line)
        assert (text, shown) == (text, whole.sub(r"\1", text))


def test_tags_are_removed_as_anki_does() -> None:
    anki = re.compile(
        r"<!--.*?-->|<style.*?>.*?</style>|<script.*?>.*?</script>|<.*?>", re.DOTALL | re.IGNORECASE
    )
    for text in texts("<!--", "-->", "<style", "</STYLE>", "<script>", "</script>", "<", ">", "a", length=4):
        assert (text, without(text, cards._TAG, cards._TAGS)) == (text, anki.sub("", text))
    filter_text = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)
    for text in texts("<!--", "-->", "<", ">", "a", "\n"):
        assert (text, without(text, cards._TAG, cards._TAGS_AND_COMMENTS)) == (
            text,
            filter_text.sub("", text),
        )


def test_formulas_lose_their_tags() -> None:
    maths = re.compile(r"(\\[(\[])(.*?)(\\[\])])", re.DOTALL)
    for text in texts("\\(", "\\)", "\\[", "\\]", "<b>", "a"):
        bare = maths.sub(lambda found: found[1] + found[2].replace("<b>", "") + found[3], text)
        assert (text, cards._with_bare_math(text)) == (text, bare)


def test_readings_are_found_after_their_words() -> None:
    reading = re.compile(r" ?([^ >\[]+)\[(?!sound:)([^\]]+)\]")
    for text in texts("字", " ", ">", "[", "]", "[sound:"):
        assert (text, cards._with_readings(text, "<{0}|{1}>")) == (text, reading.sub(r"<\1|\2>", text))


def test_tags_of_templates_are_those_outside_comments() -> None:
    tag = re.compile(r"<!--.*?-->|\{\{(.*?)\}\}", re.DOTALL)
    for text in texts("<!--", "-->", "-", "{{", "}}", "{", "}", "a", length=4):
        found = [each.span() for each in tag.finditer(text) if each[1] is not None]
        assert (text, list(_tags(text))) == (text, found)


def test_changes_are_coloured_up_to_their_marks() -> None:
    change = re.compile(r"(\[-.*?-\])|(\{\+.*?\+\})", re.DOTALL)
    for text in texts("[-", "-]", "{+", "+}", "a", "[", "-", length=4):
        coloured = change.sub(lambda found: f"\x1b[{'31' if found[1] else '32'}m{found[0]}\x1b[0m", text)
        assert (text, _coloured(text)) == (text, coloured)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        (r"\(x\) <code>\(x\)</code> \[x\]", ["inline", "block"]),
        (r"<code>\(x\) <!-- \(x\) --> \(x\)", ["inline", "inline"]),
        (r"<!-- \(x\)", ["inline"]),
        (r"\(a<b>\) \(a<br>b\)", ["inline"]),
        (r"\(a \[x\]", ["block"]),
        (r'<i title="\(x\)">\(x\)</i>', ["inline"]),
        (r'<i title="\(x\)>', ["inline"]),
        (r"<STYLE>\(x\)</style >\(x\)", ["inline"]),
        (r"\(\) \(x", []),
    ],
)
def test_formulas_outside_code_and_tags_become_mathml(html: str, shown: list[str]) -> None:
    assert re.findall(r'<math [^>]*display="(\w+)"', with_math(html)) == shown


@pytest.mark.parametrize(
    ("html", "files"),
    [
        ('<img src="a.png">', ("a.png",)),
        ("<img alt='a<b' src=a.png> src=b.png", ("a.png",)),
        ('<video poster="p.jpg" src="v.mp4"></video>', ("p.jpg", "v.mp4")),
        ('src = <img src="a.png">', ("a.png",)),
        ('<p>the attribute src="</p><img src="a.png">', ("a.png",)),
        ('<object\ndata="a&amp;b.svg" src="x/y.png">', ("a&b.svg",)),
        ("[sound:a.mp3] <b>[sound:b.mp3]</b> [sound:c\n.mp3]", ("a.mp3", "b.mp3")),
        (f"[sound:{'a' * 1001}]", ()),
        ('<img src="a.png"> <img src="a.png">', ("a.png",)),
    ],
)
def test_files_of_html_are_those_in_tags_and_sounds(html: str, files: tuple[str, ...]) -> None:
    assert files_in(html) == files
