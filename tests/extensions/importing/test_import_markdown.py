"""The HTML of fields becomes Markdown, and no text is ever lost."""

import os
import time
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptcards.extensions.desktop.merge.html_tree import as_html, parse_html, visible
from ptcards.extensions.importing.drafts import as_heading, usable_tag
from ptcards.extensions.importing.html_to_markdown import as_text, is_plain, to_markdown
from ptcards.extensions.importing.package import files_named
from ptcards.markdown.render import render
from ptcards.markdown.render_inlines import Cloze
from ptcards.notes import Text

ADDRESSES = {"a.png": "media/a.png", "b c.png": "media/b%20c.png", "s.mp3": "media/s.mp3"}

_PLAIN_WORDS = st.sampled_from(
    ["a", "12", "www", "http", "Q", "é", "日本", *",;?!'\"%()-–。「.: ", ". ", ": ", "1) ", "- ", "com"]
)
SAME = [
    ("What is <b>2</b>?", "What is **2**?"),
    ("a<br>b<br><br>c", "a\\\nb\n\nc"),
    ("<div>a</div><div>b</div>", "a\n\nb"),
    ("a\nb", "a\nb"),
    ("x<b>y</b>z", "x<b>y</b>z"),
    ("日本<b>語</b>です", "日本<b>語</b>です"),
    ("<i>a</i><b>b</b>", "<i>a</i><b>b</b>"),
    ("<b>a<br>b</b>", "<b>a\\\nb</b>"),
    ("<b> a </b>b", "**a** b"),
    ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"),
    ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
    ("<ul><li><div>a</div><div>b</div></li></ul>", "- a\n\n  b"),
    ('<ol start="3"><li>x</li></ol>', "3. x"),
    ("<ul><li>y</li></ul><ul><li>z</li></ul>", "- y\n\n<!-- -->\n\n- z"),
    ('<img src="a.png">', "![](media/a.png)"),
    ('<img src="b%20c.png" width="30">', '<img src="media/b%20c.png" alt="" width="30">'),
    ("[sound:s.mp3] hi", "![](media/s.mp3) hi"),
    (r"\(x^2 < 3\) and \[y_1\]", "$x^2 < 3$ and $$y_1$$"),
    ("<anki-mathjax>a_1</anki-mathjax>", "$a_1$"),
    ("[$$]a_1[/$$]", "$$a_1$$"),
    (r"<code>\(a\)</code>", r"`\(a\)`"),
    ("snake_case *x* 2*3 # no", r"snake_case \*x\* 2\*3 # no"),
    ("# head", r"\# head"),
    ("- a<br>+ b", "\\- a\\\n\\+ b"),
    ("1. one", r"1\. one"),
    ("a &lt;b&gt; &amp;amp; c", r"a \<b> \&amp; c"),
    ("$5 and $6", r"\$5 and \$6"),
    ("arr[0] [a](b) [x]", r"arr[0] \[a](b) [x]"),
    ("<pre><code>a = 1\n  b</code></pre>", "```\na = 1\n  b\n```"),
    ("<code>a`b</code>", "``a`b``"),
    ("<blockquote>a<br>b</blockquote>", "> a\\\n> b"),
    ('<a href="https://x.org">x</a>', "[x](https://x.org)"),
    ('<a href="https://x.org">https://x.org</a>', "<https://x.org>"),
    ("https://x.org/a_b", r"https:\//x.org/a\_b"),
    ("<h4>x</h4>y", "#### x\n\ny"),
    ('<span data-x="1">x</span>', "x"),
    ("&nbsp;x&nbsp;&nbsp;y", "&nbsp;x&nbsp;&nbsp;y"),
    (
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td></td></tr></table>",
        "| a | b |\n| --- | --- |\n| 1\\|2 |  |",
    ),
]


@pytest.mark.parametrize(("html", "markdown"), SAME)
def test_what_has_markdown_is_written_so(html: str, markdown: str) -> None:
    assert to_markdown(html, ADDRESSES) == (markdown, True)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<span style="color: red">x</span>', "x"),
        ("<table><tr><td>a</td></tr></table>", "| a |\n| --- |"),
        ('<table border="1"><tr><th>a</th></tr></table>', "| a |\n| --- |"),
        ('<table><tr bgcolor="red"><th>a</th></tr></table>', "| a |\n| --- |"),
        ('<table><tr><th width="9">a</th></tr></table>', "| a |\n| --- |"),
        ("<h2>x</h2>y", "#### x\n\ny"),
        ('<h4 style="color: red">x</h4>', "#### x"),
        ('<blockquote class="x">x</blockquote>', "> x"),
        ('x<hr width="9">y', "x\n\n---\n\ny"),
        ("<center>x</center>", "x"),
        ("<big>x</big>", "x"),
        ('<ol type="a"><li>x</li></ol>', "1. x"),
        ('<ul><li value="3">x</li></ul>', "- x"),
        ('<a href="https://x.org" style="color: red">x</a>', "[x](https://x.org)"),
        ('<code style="color: red">x</code>', "`x`"),
        ('<b title="y">x</b>', "**x**"),
        ('<div onclick="y()">x</div>', "x"),
        ("<details><summary>x</summary>y</details>", "x\n\ny"),
        ('<img src="gone.png">', "`gone.png`"),
        ('<img src="https://x.org/a.png" alt="a map">', "[a map](https://x.org/a.png)"),
    ],
)
def test_what_only_html_has_is_not_the_same_without_it(html: str, markdown: str) -> None:
    assert to_markdown(html, ADDRESSES).is_whole is False
    assert to_markdown(html, ADDRESSES, exact=False) == (markdown, False)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("{{c1::<b>x</b>}} and {{c2::y::hint}}", "{{c1::**x**}} and {{c2::y::hint}}"),
        (r"{{c1::\(x\)}}", "{{c1::$x$}}"),
        ("<pre>{{c1::a}}\nb</pre>", "```\n{{c1::a}}\nb\n```"),
    ],
)
def test_deletions_stay_deletions(html: str, markdown: str) -> None:
    assert to_markdown(html, ADDRESSES, is_cloze=True) == (markdown, True)


def test_a_deletion_over_two_paragraphs_has_no_markdown() -> None:
    assert to_markdown("{{c1::a<br><br>b}}", ADDRESSES, is_cloze=True).markdown is None


@pytest.mark.parametrize(
    ("text", "is_its_own_markdown"),
    [
        ("What is the capital of France?", True),
        ("12 cats, “three” dogs: 日本語 - done.", True),
        ("www. is no address", False),
        ("1. one", False),
        ("a  b", False),
        ("e.g.this", False),
        ("a *b*", False),
        ("a\N{COMBINING DIAERESIS}", False),
        ("\N{ANGSTROM SIGN}", False),
    ],
)
def test_words_are_their_own_markdown(text: str, *, is_its_own_markdown: bool) -> None:
    assert is_plain(text) is is_its_own_markdown


@settings(max_examples=int(os.environ.get("PTCARDS_EXAMPLES", "60")), deadline=None)
@given(st.lists(_PLAIN_WORDS, max_size=6).map("".join))
def test_what_is_its_own_markdown_is_rendered_as_itself(text: str) -> None:
    if is_plain(text):
        rendered = f"<p>{escape(text, quote=False)}</p>"
        assert render(Text(text), names={}, prefix="a", cloze=Cloze.CODE) == (rendered, [])


def test_a_field_of_over_64_kb_is_not_looked_into() -> None:
    assert to_markdown("a" * 70_000, ADDRESSES).markdown is None


_WORDS = st.sampled_from(
    [
        *"abц語 \n_*`[]()<>#|~$\\!&-+=.1:^\"'{}/",
        "&amp;",
        "&nbsp;",
        "&lt;",
        "a_b",
        "1. ",
        "- ",
        "> ",
        "# ",
        "http://x.y",
        "\\(",
    ]
)
_TAGS = st.sampled_from(
    [
        "b",
        "i",
        "u",
        "s",
        "code",
        "div",
        "p",
        "br",
        "li",
        "ul",
        "ol",
        "pre",
        "blockquote",
        "span",
        "sub",
        "h2",
        "table",
        "tr",
        "td",
        "th",
        "a",
        "img",
        "hr",
    ]
)


@st.composite
def _fields(draw: st.DrawFn, depth: int = 3) -> str:
    parts: list[str] = []
    for _ in range(draw(st.integers(0, 4))):
        if depth and draw(st.booleans()):
            tag = draw(_TAGS)
            about = {"a": ' href="https://x.org/a_b"', "img": ' src="a.png"'}.get(tag, "")
            inner = "" if tag in ("br", "img", "hr") else draw(_fields(depth - 1))
            parts.append(
                f"<{tag}{about}>{inner}</{tag}>" if inner or tag in ("div", "td") else f"<{tag}{about}>"
            )
        else:
            parts.append("".join(draw(st.lists(_WORDS, max_size=6))))
    return "".join(parts)


def _seen(html: str) -> str:
    return " ".join(visible(parse_html(html)).replace("\\(", "").replace("\\)", "").split())


@settings(max_examples=int(os.environ.get("PTCARDS_EXAMPLES", "60")), deadline=None)
@given(_fields())
def test_the_markdown_of_any_field_shows_its_text(field: str) -> None:
    for exact in (True, False):
        markdown = to_markdown(field, ADDRESSES, exact=exact).markdown
        if markdown is not None:
            names = {address: name for name, address in ADDRESSES.items()}
            rendered, _ = render(Text(markdown), names=names, prefix="a", cloze=Cloze.NONE)
            assert _seen(rendered) == _seen(field)


@settings(max_examples=int(os.environ.get("PTCARDS_EXAMPLES", "60")), deadline=None)
@given(_fields())
def test_the_text_of_any_field_can_be_kept_as_text(field: str) -> None:
    rendered, _ = render(Text(as_text(field)), names={}, prefix="a", cloze=Cloze.NONE)
    assert _seen(rendered) == _seen(field)


@pytest.mark.parametrize(
    "piece", [r"\(", "<pre>", "[sound:", "[$]", "{{c1::", "<a ", "<anki-mathjax>", "url("]
)
def test_no_field_takes_longer_than_its_length_says(piece: str) -> None:
    field = piece * (64_000 // len(piece))
    started = time.process_time()
    as_heading(as_text(field))
    list(files_named(f"url([sound:{field}", {}))
    assert time.process_time() - started < 2
    to_markdown(field, ADDRESSES)
    assert time.process_time() - started < 5


def test_numbers_of_thousands_of_digits_are_text() -> None:
    digits = "9" * 5000
    for field in (f'<ol start="{digits}"><li>x</li></ol>', f"x&#{digits};", f'<img src="&amp;#{digits};">x'):
        to_markdown(field, ADDRESSES)
        assert "x" in as_text(field)


@settings(max_examples=int(os.environ.get("PTCARDS_EXAMPLES", "60")), deadline=None)
@given(
    _fields(),
    st.sampled_from(["", "<br/>", "<hr />", "<script>a<b</script>", '<B Class="x">y</b>', "&#65;", "&amp"]),
)
def test_the_quick_way_to_read_html_gives_the_same_as_the_thorough_one(field: str, more: str) -> None:
    # The quick parser does not read comments.
    assert as_html([parse_html(field + more)]) == as_html([parse_html(f"<!-- -->{field}{more}")])


def test_a_heading_shows_no_deletion() -> None:
    assert as_heading("a {{c1::b {{c2::c::d}} e}} f {{c3::g") == "a … f …"


def test_a_tag_does_not_end_its_comment() -> None:
    assert [usable_tag(tag) for tag in ("--><script>", "a--b", "c-d")] == ["--_<script_", "a--b", "c-d"]
