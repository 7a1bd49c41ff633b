"""Spans of a text: their kinds and positions."""

import pytest

from ptcards.markdown.deletions import numbers
from ptcards.markdown.inlines import find_edges, read_inlines
from ptcards.markdown.tree import LinkTarget, Span, SpanKind

TARGETS = {"d": LinkTarget("https://d.example", "D")}


def kinds(text: str, *, deletions: bool = True) -> list[tuple[str, str]]:
    """Return each span's kind and its text."""
    found = read_inlines(text, TARGETS, {"1"}, deletions_too=deletions)
    return [(span.kind.value, text[span.start : span.end]) for span in found.spans]


def one(text: str) -> Span:
    (span,) = read_inlines(text, TARGETS, {"1"}, deletions_too=True).spans
    return span


def test_code_wins_over_everything_that_begins_in_it() -> None:
    assert kinds("`[a](b)` `$x$` `{{c1::y}}` `<b>`") == [
        ("code", "`[a](b)`"),
        ("code", "`$x$`"),
        ("code", "`{{c1::y}}`"),
        ("code", "`<b>`"),
    ]


def test_code_spans_lose_one_space_on_each_side() -> None:
    span = one("``  a ` b  ``")
    assert (span.text, span.inner, span.inner_end) == (" a ` b ", 3, 10)


def test_math_needs_tight_dollars_and_no_digit_behind() -> None:
    assert kinds(r"$x$, $ x$, $a$5, \$b, $a\$b$") == [
        ("math", "$x$"),
        ("text", r"\$"),
        ("math", r"$a\$b$"),
    ]
    assert kinds("$$\na\n$$") == [("display math", "$$\na\n$$")]
    assert kinds("$`a$b`$") == [("math", "$`a$b`$")]
    assert read_inlines("a $$ b", {}, (), deletions_too=False).lone_math == (2,)


def test_money_and_shell_variables_are_no_math() -> None:
    assert kinds("It costs $5, or US$6. Set $HOME and $PATH, $1 and $2.") == []


def test_links_hold_no_links_but_pictures_may_stand_in_links() -> None:
    assert kinds("[a [b](c) d](e)") == [("link", "[b](c)")]
    link = one("[![a](b.png)](c)")
    assert (link.kind, link.destination, link.children[0].destination) == (SpanKind.LINK, "c", "b.png")


def test_reference_links_are_looked_up_by_their_normalised_label() -> None:
    found = read_inlines("[x][ D ] [d][] [d] [no]", TARGETS, (), deletions_too=False)
    assert [(span.destination, span.title) for span in found.spans] == [("https://d.example", "D")] * 3
    assert found.labels == {"d", "no"}


def test_footnotes_are_labels_with_a_caret() -> None:
    found = read_inlines("a[^1] b[^2]", {}, {"1"}, deletions_too=False)
    assert [(span.kind, span.text) for span in found.spans] == [(SpanKind.FOOTNOTE, "1")]
    assert (found.labels, found.lone_footnotes) == (frozenset({"^1", "^2"}), (7,))


def test_bare_addresses_end_before_punctuation() -> None:
    assert kinds("(see https://a.b/c_(d)). www.x.y, nothttp://a") == [
        ("bare link", "https://a.b/c_(d)"),
        ("bare link", "www.x.y"),
    ]


def test_a_deletion_ends_at_the_first_balanced_braces() -> None:
    span = one("{{c12::{'a': {'b': 1}}::a hint}}")
    assert (span.number, span.text, span.end) == (12, "a hint", 32)
    assert one("{{c1::`}}` and `a::b`::h}}").text == "h"
    assert one(r"{{c1::$\frac{a}{b}$}}").children[0].kind is SpanKind.MATH


def test_links_do_not_cross_deletions() -> None:
    assert kinds("[a {{c1::b](c) d}}") == [("deletion", "{{c1::b](c) d}}")]
    assert kinds("[a {{c1::b}}](c)") == [("link", "[a {{c1::b}}](c)")]


def test_braces_mean_nothing_where_deletions_do_not_count() -> None:
    assert kinds("{{c1::[a](b)}}", deletions=False) == [("link", "[a](b)")]


def test_malformed_deletions_are_named() -> None:
    text = "{{c1::}} {{c0::x}} {{c100::x}} {{C1::x}} {{c1:x}} {{c1::a {{c2::b}} }} {{c3::x"
    found = read_inlines(text, {}, (), deletions_too=True)
    assert [
        (problem.rule, text[problem.start :][: problem.length]) for problem in sorted(found.problems)
    ] == [
        ("empty-deletion", "{{c1::}}"),
        ("deletion-number", "{{c0::"),
        ("deletion-number", "{{c100::"),
        ("malformed-deletion", "{{C1::"),
        ("malformed-deletion", "{{c1:"),
        ("nested-deletion", "{{c2::"),
        ("unclosed-deletion", "{{c3::"),
    ]


@pytest.mark.parametrize(
    ("text", "single"),
    [
        ("{c1::Paris} is in France.", ["{c1::Paris}"]),
        ("A {{b}} and {c12::Paris::city}!", ["{c12::Paris::city}"]),
        ("`{c1::a}` \\{c1::b} {c1::} {c1: c} {c1} {cd::e} ${c1::f}$", []),
        ("{{c1::a {c2::b} c}}", []),
    ],
)
def test_a_deletion_in_single_braces_is_named(text: str, single: list[str]) -> None:
    found = read_inlines(text, {}, (), deletions_too=True)
    assert [(problem.rule, text[problem.start :][: problem.length]) for problem in found.problems] == [
        ("malformed-deletion", each) for each in single
    ]


@pytest.mark.parametrize("digits", ["0", "100", "000000001" + "0" * 5_000])
def test_the_number_of_a_deletion_is_1_to_99_however_many_digits_it_has(digits: str) -> None:
    found = read_inlines(f"{{{{c{digits}::x}}}}", {}, (), deletions_too=True)
    assert [each.rule for each in found.problems] == ["deletion-number"]
    assert (numbers(f"{{{{c{digits}::x}}}}"), numbers("{{c07::x}} `{{c12::y}}`")) == (set(), {7, 12})


def test_links_and_pictures_nest_to_a_limit() -> None:
    """Pictures are nested as the text of pictures; beyond the limit, the marks are text."""
    for depth, begins_at in ((50, 0), (51, len("![")), (60, 10 * len("!["))):
        text = "![" * depth + "x" + "](a)" * depth
        assert kinds(text) == [("image", text[begins_at : len(text) - begins_at * 2])]


def test_emphasis_pairs_as_on_github() -> None:
    text = "***a* b** x_y_z ~c~ ~~~d~~~"
    assert [
        (text[edge.start : edge.end], edge.tag, edge.opening) for edge in find_edges(text, [(0, len(text))])
    ] == [
        ("**", "strong", True),
        ("*", "em", True),
        ("*", "em", False),
        ("**", "strong", False),
        ("~", "del", True),
        ("~", "del", False),
    ]


def test_pictures_nest_only_so_deep() -> None:
    read_inlines("![" * 5_000 + "](x)" * 5_000, {}, (), deletions_too=False)
