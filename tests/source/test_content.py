"""What `inspect` finds in a text, with locations."""

import pytest

from ptcards.diagnostics import Location, Severity
from ptcards.markdown.fences import FenceInfo, read_info
from ptcards.markdown.links import dark_version, normalise_label
from ptcards.notes import Run, Text
from ptcards.source.content import Content, Deletion, inspect
from ptcards.source.media import Reference


def found(markdown: str) -> list[tuple[str, str, int, int, int]]:
    """Return severity, rule, line, column and length of each diagnostic."""
    return [
        (each.severity.value, each.rule, each.location.line, each.location.column, each.length)
        for each in inspect(Text(markdown, "f.md")).diagnostics
    ]


def test_an_empty_text_holds_nothing() -> None:
    assert inspect(Text()) == Content()


def test_files_are_found_however_they_are_written() -> None:
    markdown = (
        "![a](a.png) ![b][r] <img src='c&amp;d.png'>\n\n"
        '<video poster="p.png">\n<source src="e.webm">\n</video>\n\n[r]: <b c.png>'
    )
    assert inspect(Text(markdown, "f.md")).references == (
        Reference("a.png", Location("f.md", 1, 1), 11),
        Reference("a.dark.png", Location("f.md", 1, 1), 11, optional=True),
        Reference("b c.png", Location("f.md", 1, 13), 7),
        Reference("b c.dark.png", Location("f.md", 1, 13), 7, optional=True),
        Reference("c&d.png", Location("f.md", 1, 26), 17),
        Reference("p.png", Location("f.md", 3, 8), 14),
        Reference("e.webm", Location("f.md", 4, 9), 12),
    )


def test_the_words_of_a_fence_are_read() -> None:
    assert read_info(
        'python title="a b.py" hl_lines="2-3 5" no-run=\'no GPU\' raises=ValueError'
    ) == FenceInfo("python", frozenset({2, 3, 5}), "a b.py", "no GPU", "ValueError")
    assert read_info("title=x") == FenceInfo("", title="x")
    assert read_info(" text no-run ") == FenceInfo("text", no_run="")


def test_files_in_code_and_in_the_text_of_a_picture_do_not_count() -> None:
    assert inspect(Text("`![a](b.png)` ![x ![y](z.png)](a.png)\n\n```\n![c](d.png)\n```")).references == (
        Reference("a.png", Location("", 1, 15), 23),
        Reference("a.dark.png", Location("", 1, 15), 23, optional=True),
    )


@pytest.mark.parametrize(
    ("address", "twin"),
    [
        ("a.svg", "a.dark.svg"),
        ("./img.d/a.b.PNG", "./img.d/a.b.dark.PNG"),
        ("a%20b.svg", "a%20b.dark.svg"),
        ("sound.mp3", ""),
        ("video.WebM", ""),
        ("img.d/plain", ""),
        ("img/.svg", ""),
        ("a.", ""),
    ],
)
def test_only_a_picture_with_an_ending_may_have_a_dark_twin(address: str, twin: str) -> None:
    assert dark_version(address) == twin


def test_places_are_those_of_the_file() -> None:
    text = Text("one\n{{c1::two}}", "f.md", (Run(0, 10, 5), Run(1, 20, 3)))
    assert inspect(text).deletions == (Deletion(1, Location("f.md", 20, 3), 11),)


def test_places_in_a_table_count_escaped_pipes() -> None:
    text = Text("a|b\n-|-\nx \\| {{c1::y}} | `\\| {{c2::z}}`")
    assert inspect(text).deletions == (Deletion(1, Location("", 3, 6), 9),)
    assert inspect(text).code_deletions == (Deletion(2, Location("", 3, 22), 9),)


def test_deletions_in_code_are_kept_apart() -> None:
    content = inspect(Text("{{c1::a}} `{{c2::b::c}}`\n\n```py\n{{c3::d\ne}}\n```\n\n$x^{{c4::2}}$"))
    assert [each.number for each in content.deletions] == [1, 4]
    assert [(each.number, each.length) for each in content.code_deletions] == [(2, 12), (3, 7)]
    assert content.deletion_problems == content.code_deletion_problems == ()


def test_a_formula_is_one_however_its_fence_spells_math() -> None:
    small, large = (inspect(Text(f"```{name}\nx = {{{{c1::y}}}}\n```", "a.md")) for name in ("math", "MATH"))
    assert (large.deletions, large.code_deletions) == (small.deletions, ())


def test_an_empty_deletion_in_code_is_named_whole() -> None:
    content = inspect(Text("x `a {{c1:: }} {{c2::b}}`"))
    assert [each.number for each in content.code_deletions] == [2]
    assert [(each.rule, each.location.column, each.length) for each in content.code_deletion_problems] == [
        ("empty-deletion", 6, len("{{c1:: }}"))
    ]


def test_a_malformed_deletion_in_a_formula_is_named() -> None:
    content = inspect(Text("So $x^{{c1::}} y$."))
    assert [(each.rule, each.location.column, each.length) for each in content.deletion_problems] == [
        ("empty-deletion", 7, len("{{c1::}}"))
    ]
    assert (content.deletions, content.code_deletion_problems) == ((), ())


def test_a_deletion_over_two_blocks_is_not_closed() -> None:
    content = inspect(Text("{{c1::a\n\nb}}\n\n`{{c2::`"))
    assert [(each.rule, each.location.line) for each in content.deletion_problems] == [
        ("unclosed-deletion", 1)
    ]
    assert [(each.rule, each.location.line) for each in content.code_deletion_problems] == [
        ("unclosed-deletion", 5)
    ]
    assert content.diagnostics == ()


def test_labels_are_those_the_text_asks_for() -> None:
    assert inspect(Text("[a][B  c] [d] x[^E]\n\n> [f]")).labels == {"b c", "d", "^e", "f"}
    assert normalise_label("  B \n C ") == "b c"


def test_a_heading_holds_no_blocks() -> None:
    assert inspect(Text("- [a] <b>x</b>\n\n[a]: https://x.example"), heading=True).diagnostics == ()
    footnote = inspect(Text("Why[^1]\n\n[^1]: because"), heading=True).diagnostics
    assert [each.rule for each in footnote] == ["footnote-in-heading"]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("<b>x", [("error", "unclosed-tag", 1, 1, 3)]),
        ("x</b>", [("error", "stray-tag", 1, 2, 4)]),
        ("<b><i>x</b></i>", [("error", "unclosed-tag", 1, 4, 3), ("error", "stray-tag", 1, 12, 4)]),
        ("a List<T>", [("error", "unknown-tag", 1, 7, 3)]),
        ("x <script>y</script>", [("error", "forbidden-tag", 1, 3, 8)]),
        ("<a href='https://x' onclick=y>z</a>", [("error", "unsafe-attribute", 1, 21, 9)]),
        ("<img src=a.png srcset=b.png>", [("error", "unsafe-attribute", 1, 16, 12)]),
        ("<div style='background:url(x)'>\n</div>", [("error", "unsafe-attribute", 1, 6, 25)]),
        ("<div\n", [("error", "unfinished-tag", 1, 1, 4)]),
        ('<div a=b"c">\n</div>', [("error", "unfinished-tag", 1, 1, 12)]),
        ("<div>\n\n- a\n\n  </div>", [("error", "stray-tag", 5, 3, 6), ("error", "unclosed-tag", 1, 1, 5)]),
        ("<u>x</u>", [("warning", "unusual-tag", 1, 1, 3)]),
        ("- <!-- x", [("error", "unclosed-comment", 1, 3, 4)]),
        ("<div>\n<!-- ->", [("error", "unclosed-tag", 1, 1, 5), ("error", "unclosed-comment", 2, 1, 4)]),
        ("<pre>\na <![b\n\nc", [("error", "unclosed-tag", 1, 1, 5), ("error", "unclosed-comment", 2, 3, 2)]),
        ("<p>\n<? a\n\nb", [("error", "unclosed-comment", 2, 1, 2)]),
        ("<p>\n</ a\n\nb", [("error", "unclosed-comment", 2, 1, 2)]),
        ("<p>\na <! b > c", []),
        ("[a](JavaScript:b)", [("warning", "unsafe-link", 1, 1, 17)]),
        ("<javascript:x>", [("warning", "unsafe-link", 1, 1, 14)]),
        ("[a]()", [("warning", "relative-link", 1, 1, 5)]),
        ("[a](b.md)", [("warning", "relative-link", 1, 1, 9)]),
        ("[a](htp://x.org/a)", [("warning", "misspelt-scheme", 1, 1, 18)]),
        ("<a href='https:/x.org'>z</a>", [("warning", "misspelt-scheme", 1, 4, 19)]),
        ("[a](http/x.org/b.md)", [("warning", "relative-link", 1, 1, 20)]),
        ("[a](https://x.org) <ftp://x.org> [b](sftp://x.org) [c](obsidian://x.org)", []),
        ("```py\nx", [("error", "unclosed-fence", 1, 1, 3)]),
        ("- ```\n  x\ny", [("error", "line-left-of-fence", 3, 1, 1)]),
        ("```py hl_lins=2\nx\n```", [("warning", "unknown-fence-word", 1, 1, 15)]),
        ("```py hl_lines=2\nx\n```", [("warning", "unknown-fence-word", 1, 1, 16)]),
        ("```mermaid alt=b\nx\n```", []),
        ("```py alt=b\nx\n```", [("warning", "unknown-fence-word", 1, 1, 11)]),
        ("##x", [("warning", "heading-without-space", 1, 1, 2)]),
        ("a|b\n-|-\n1|2|three", [("warning", "table-row-too-long", 3, 5, 5)]),
        ("- [ ] a [x]", [("warning", "second-box", 1, 9, 3)]),
        ("> [!NOET]\n> x", [("warning", "unknown-alert", 1, 3, 7)]),
        ("- > [!NOTE]\n  > x", [("warning", "unknown-alert", 1, 5, 7)]),
        ("$$\n\nx\n\n$$", [("warning", "unclosed-math", 1, 1, 2), ("warning", "unclosed-math", 5, 1, 2)]),
        ("x[^1]", [("warning", "unknown-footnote", 1, 2, 4)]),
        ("x\n\n[^1]: y[^1]", [("warning", "unused-footnote", 3, 1, 5)]),
        ("> " * 51 + "x", [("error", "nested-too-deep", 1, 101, 1)]),
        ("x" * 65_537, [("error", "field-too-large", 1, 1, 1)]),
        ("```{=html}\n" + "x" * 65_537 + "\n```", []),
        ("~~~~ {=html} \n" + "x" * 65_537 + "\n~~~~", []),
        ("```{=html}\n" + "x" * 2**20 + "\n```", [("error", "field-too-large", 1, 1, 1)]),
        ("```{=html}\n" + "x" * 65_537 + "\n```\n\nx", [("error", "field-too-large", 1, 1, 1)]),
        ("<details>\n<summary>a</summary>\n\nb\n\n</details>", []),
        ("<p>a\n\n<ul><li>b</ul>", []),
        ("[^a-z] and x[0] and <https://x.example> and `<T>` and \\<T>", []),
    ],
)
def test_what_would_not_come_out_is_named(
    markdown: str, expected: list[tuple[str, str, int, int, int]]
) -> None:
    assert sorted(found(markdown)) == sorted(expected)


def test_every_diagnostic_says_what_to_do() -> None:
    content = inspect(Text("<b> $$ [a](b) {{c1:: `{{c1::`\n\n```x y\n"))
    everything = content.diagnostics + content.deletion_problems + content.code_deletion_problems
    assert len(everything) == 7
    for each in everything:
        assert each.message.rstrip(".") == each.message != "", each
        assert each.help != "", each
        assert each.severity in (Severity.ERROR, Severity.WARNING)
