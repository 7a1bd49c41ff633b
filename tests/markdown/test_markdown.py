"""Markdown to HTML: the cases of `cases/render.md`, deletions, Anki's own syntax, names, headings, limits."""

import gc
import re
import signal
import time
import unicodedata
from collections.abc import Callable
from html import unescape

import html5lib
import pytest

from conftest import Case, case_parameters
from ptcards.markdown.deadline import SIGNAL, DeadlineError, deadline, timer
from ptcards.markdown.render import render, render_inline
from ptcards.markdown.render_inlines import Cloze
from ptcards.notes import Text

NAMES = {
    "graph.png": "graph-01234567.png",
    "a.mp3": "a-01234567.mp3",
    "v.webm": "v-01234567.webm",
    "img/a%20b.svg": "a-b-01234567.svg",
    "img/a%20b.dark.svg": "a-b.dark-01234567.svg",
}


def html_of(markdown: str, cloze: Cloze = Cloze.NONE) -> str:
    html, diagnostics = render(Text(markdown), names=NAMES, prefix="p", cloze=cloze)
    assert diagnostics == []
    return html


def anki_clozes(html: str) -> list[tuple[str, str, str]]:
    """Read deletions as Anki does: the first `}}` ends one, the first `::` begins its hint."""
    found = re.findall(r"\{\{c(\d+)::(.*?)\}\}", html, re.DOTALL)
    return [
        (number, *(unescape(re.sub(r"<[^>]+>", "", each)) for each in (text + "::").split("::")[:2]))
        for number, text in found
    ]


@pytest.mark.parametrize("text", ["x~_a_", "x~~_a_ y", "_a_~x", "_a_~~x y"])
def test_what_stands_beyond_tildes_decides_on_emphasis(text: str) -> None:
    assert html_of(text).strip() == f"<p>{text}</p>"


@pytest.mark.parametrize(("name", "case"), case_parameters("render"))
def test_markdown_becomes_html(name: str, case: Case, expect: Callable[[str, Case, str], None]) -> None:
    html, _ = render(Text(case.source), names=NAMES, prefix="note-1")
    expect(name, case, html + "\n")


def test_deletions_keep_their_braces_and_colons_from_anki() -> None:
    markdown = "{{c1::`{'a': {'b': 1}}`}} {{c2::`std::vector`::a hint}} {{c3::**x:**}} {{c4::a:::b}} {{c5::$\\frac{a}{\\frac{b}{c}}$}}"
    assert anki_clozes(html_of(markdown, Cloze.TEXT)) == [
        ("1", "{'a': {'b': 1}}", ""),
        ("2", "std::vector", "a hint"),
        ("3", "x:", ""),
        ("4", "a", ":b"),
        ("5", "\\(\\frac{a}{\\frac{b}{c}}\\)", ""),
    ]


def test_deletions_hold_markdown_which_does_not_cross_them() -> None:
    assert html_of("*a {{c1::**b** [c](https://d.e)}} f*", Cloze.TEXT) == (
        '<p><em>a {{c1::<strong>b</strong> <a href="https://d.e">c</a>}} f</em></p>'
    )
    assert html_of("*a {{c1::b* c}}", Cloze.TEXT) == "<p>*a {{c1::b* c}}</p>"


def test_deletions_in_formulas_stay_deletions() -> None:
    html = html_of("$x^{ {{c1::2::how much}} }$ and\n\n```math\n{{c2::a}} < b\n```", Cloze.TEXT)
    assert html == "<p>\\(x^{ {{c1::2::how much}} }\\) and</p>\n<p>\\[{{c2::a}} &lt; b\\]</p>"


def test_code_is_literal_unless_its_deletions_count() -> None:
    markdown = "`{{c1::a}}` {{c2::b}}\n\n```\n{{c3::c}}\n```"
    assert [number for number, _, _ in anki_clozes(html_of(markdown, Cloze.TEXT))] == ["2"]
    assert "{{c1::a}}" in unescape(html_of(markdown, Cloze.TEXT))
    assert [number for number, _, _ in anki_clozes(html_of(markdown, Cloze.CODE))] == ["1", "2", "3"]


def test_deletions_in_highlighted_code_keep_the_colours_and_the_lines() -> None:
    html = html_of("```python\nif {{c1::x is None:\n    return 1}}\n```", Cloze.CODE)
    assert html == (
        '<pre class="code" data-lang="python"><code>'
        '<span class="ln"><span class="k">if</span> {{c1::x <span class="ow">is</span> <span class="kc">None</span>:}}\n</span>'
        '<span class="ln" style="--i:4">    {{c1::<span class="k">return</span> <span class="mi">1</span>}}\n</span>'
        "</code></pre>"
    )


def test_a_deletion_inside_a_token_takes_a_part_of_it() -> None:
    assert '<span class="s2">"a</span>{{c1::<span class="s2">b</span>}}<span class="s2">c"</span>' in html_of(
        '```python\nx = "a{{c1::b}}c"\n```', Cloze.CODE
    )


def test_nothing_in_a_field_reads_as_ankis_own_markup() -> None:
    written = "[sound:a.mp3] [latex]x[/latex] [[type:Typed]] [anki:play:q:0]"
    dollars = "[$]x[/$] [$$]x[/$$]"
    html = html_of(f'{written}\n\n`{written} {dollars}`\n\n```\n{written}\n```\n\n<b title="[sound:x]">b</b>')
    assert re.search(r"\[(sound:|/?latex|/?\$|\[type:|anki:)", html) is None
    assert unescape(re.sub(r'<wbr>|<span class="unit">|(?<=])</span>', "", html)).count(written) == 3


def test_literal_tex_delimiters_do_not_start_mathjax() -> None:
    assert "\\(" not in html_of("\\\\(x\\\\) `\\(y\\)`").replace("<code>\\(y\\)</code>", "")
    assert "\\[" not in html_of("\\\\[x\\\\]")


def test_control_characters_go_and_the_rest_is_nfc() -> None:
    html = html_of("a\x1fb\x02c\x03d\x00 e\u0301 `x\x1f` <b>\u0338y</b>\n\n```\nz\x07\n```")
    assert "ab" in html
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", html)
    assert html == unicodedata.normalize("NFC", html)
    assert "<b>&#824;y</b>" in html


def test_entities_are_shown_as_written_where_they_are_literal() -> None:
    assert html_of("&amp;lt; \\&lt; `&lt;` &lt; &copy;") == (
        "<p>&amp;lt; &amp;lt; <code>&amp;lt;</code> &lt; ©</p>"
    )


ATTACKS = (
    "<script>x</script>",
    "<scr\0ipt>x</script>",
    "<SCRIPT/src=//x></SCRIPT>",
    "<img src=x onerror=x>",
    "<img/src=x/onerror=x>",
    '<img src="x"onerror=x>',
    "<div\nonmouseover = x>",
    "<svg/onload=x>",
    "<svg><script>x</script></svg>",
    "<svg><a xlink:href='javascript:x'>y</a></svg>",
    "<svg><animate onbegin=x>",
    "<svg><set attributeName=href to=javascript:x>",
    "<math href='javascript:x'>y</math>",
    "<details open ontoggle=x>",
    "<video><source onerror=x></video>",
    "<a href='javascript:x'>y</a>",
    "<a href='jav&#x09;ascript:x'>y</a>",
    "<a href='&#1;javascript:x'>y</a>",
    "<a href=JaVaScRiPt:x>y</a>",
    "<a href='data:text/html,x'>y</a>",
    "<a href=vbscript:x>y</a>",
    "<iframe src=//x></iframe>",
    "<iframe srcdoc='<script>x</script>'></iframe>",
    "<object data=//x></object>",
    "<embed src=//x>",
    "<form action=//x><button formaction=javascript:x>y</button></form>",
    "<base href=//x>",
    "<meta http-equiv=refresh content='0;javascript:x'>",
    "<link rel=stylesheet href=//x>",
    "<style>@import '//x';</style>",
    "<div style='background:url(//x)'>y</div>",
    "<img src=https://x.example/y.png>",
    "<img srcset='//x 1x'>",
    "<video poster=//x></video>",
    "<!--><script>x</script>-->",
    "<!---><script>x</script>-->",
    "<!-- --!><script>x</script> -->",
    "<!'><script>x</script>",
    "<?><script>x</script>?>",
    "<![CDATA[><script>x</script>]]>",
    '<b a=x" ><script>x</script>">y</b>',
    "<b a='\"><script>x</script>",
    '<b title="<script>x</script>">y</b>',
    '<b"><script>x</script>',
    "<textarea><script>x</script></textarea>",
    '<noscript><p title="</noscript><script>x</script>">',
    "<title><a title='</title><script>x</script>'>",
    "<xmp><script>x</script></xmp>",
    "<plaintext><script>x</script>",
    "[x](javascript:y)",
    "[x](java\\script:y)",
    "[x](&#106;avascript:y)",
    "[x](<java\tscript:y>)",
    "<javascript:x>",
    "![x](javascript:y)",
    "[x]\n\n[x]: javascript:y",
    "![x](https://x.example/y.png)",
    '```" onclick=x\n</code></pre><script>x</script>\n```',
    '```py title="<script>x</script>"\ny\n```',
    "$</p><script>x</script>$",
    "{{c1::<script>x</script>::<script>y</script>}}",
    '[x](https://y "\'><script>x</script>")',
    '!["><script>x</script>](graph.png)',
    '[^"><script>]\n\n[^"><script>]: x',
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_on_a_card_runs_or_is_fetched(attack: str) -> None:
    for markdown in (attack, f"text {attack} text", f"<div>\n{attack}\n</div>", f"a|b\n-|-\n{attack}|x"):
        html, _ = render(Text(markdown), names=NAMES, prefix="p", cloze=Cloze.TEXT)
        for element in html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False).iter():
            if isinstance(element.tag, str):
                assert element.tag not in (
                    "script",
                    "iframe",
                    "object",
                    "embed",
                    "base",
                    "meta",
                    "link",
                    "style",
                    "form",
                )
                for name, value in element.attrib.items():
                    assert not name.startswith("on"), (markdown, html)
                    assert name not in ("srcset", "poster", "srcdoc", "formaction", "action"), (
                        markdown,
                        html,
                    )
                    assert name != "src" or value in NAMES.values(), (markdown, html)
                    assert name != "style" or "url" not in value, (markdown, html)
                    assert not name.endswith("href") or re.match(r"(https?:|mailto:|#p-fn)", value), (
                        markdown,
                        html,
                    )


def test_a_heading_is_inline_whatever_it_begins_with() -> None:
    for heading, expected in (
        ("1. What is `x`?", "1. What is <code>x</code>?"),
        ("- *a*", "- <em>a</em>"),
        ("> $x$", "&gt; \\(x\\)"),
        ("[a][b]?\n\n[b]: https://c.d", '<a href="https://c.d">a</a>?'),
        ("<kbd>Esc</kbd>", "<kbd>Esc</kbd>"),
        ("![g](graph.png)", '<img alt="g" src="graph-01234567.png">'),
    ):
        assert render_inline(Text(heading), names=NAMES) == (expected, [])


def test_one_rendering_leaves_nothing_to_the_next() -> None:
    html_of("a[^1] <b>x</b>\n\n[^1]: y\n\n[r]: https://x.y")
    assert html_of("[r] [^1]") == "<p>[r] [^1]</p>"


def test_a_deadline_breaks_into_a_regular_expression() -> None:
    with pytest.raises(DeadlineError), deadline(0.05):
        re.match(r"(a*)*b", "a" * 40)


def stay_busy(seconds: float = 5) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_a_deadline_that_is_swallowed_strikes_again() -> None:
    swallowed = []

    def swallow() -> None:
        try:
            stay_busy()
        except DeadlineError as error:
            swallowed.append(error)
        stay_busy()

    with pytest.raises(DeadlineError), deadline(0.02):
        swallow()
    assert len(swallowed) == 1


def test_a_deadline_does_not_strike_while_garbage_is_collected() -> None:
    """Nothing could catch an exception there.

    Python would print it to standard error, which fails every test.
    """

    class Garbage:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            end = time.process_time() + 0.1
            while time.process_time() < end:
                pass

    def make_garbage() -> None:
        Garbage()
        made: list[object] = []
        while True:
            made.append([])

    with pytest.raises(DeadlineError), deadline(0.02):
        make_garbage()
    assert gc.isenabled()


def test_a_limit_that_ends_leaves_the_collection_of_garbage_as_it_was() -> None:
    with deadline(60):
        with deadline(30):
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with deadline(60):
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_deadline_inside_another_leaves_the_outer_one_running() -> None:
    def stay_busy_twice() -> None:
        with pytest.raises(DeadlineError), deadline(0.05):
            stay_busy()
        stay_busy()

    with pytest.raises(DeadlineError), deadline(0.2):
        stay_busy_twice()


def test_waiting_for_others_does_not_count() -> None:
    with deadline(0.05):
        time.sleep(0.2)


def test_no_deadline_is_left_behind() -> None:
    before = signal.getsignal(SIGNAL)
    with deadline(60):
        pass
    stay_busy(0.1)  # a timer that still runs would end this process
    assert signal.getsignal(SIGNAL) is before


def test_deadlines_share_a_timer_that_is_running() -> None:
    before = signal.getsignal(SIGNAL)
    with timer():
        looks = signal.getsignal(SIGNAL)
        for _ in range(2):
            with pytest.raises(DeadlineError), deadline(0.05):
                stay_busy()
            stay_busy(0.1)
            assert signal.getsignal(SIGNAL) is looks is not before
    stay_busy(0.1)  # a timer that still runs would end this process
    assert signal.getsignal(SIGNAL) is before


def test_a_deadline_holds_after_one_that_ended() -> None:
    for pause in (0, 0.1):
        with deadline(60):
            stay_busy(pause)
        stay_busy(pause)
        with pytest.raises(DeadlineError), deadline(0.05):
            stay_busy()
