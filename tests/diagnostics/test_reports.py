"""Renderings of diagnostics, compared as complete texts."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptcards.diagnostics import Diagnostic, Location, Trait, error, hint, warning
from ptcards.diagnostics.layout import Terminal, width_of
from ptcards.diagnostics.render import Format, render, statistics, summary

SOURCES = {
    "cards/views.md": [
        "## What does `view` share?",
        "",
        "Its\tstorage with 何か and `{{bad}}`.",
        "é\u0301 \x1b[31mred\x1b[0m \u202eover\u2066 \x07",
    ]
}


def source_line(location: Location) -> str | None:
    lines = SOURCES.get(location.path, [])
    return lines[location.line - 1] if location.line <= len(lines) else None


def shown(diagnostics: Sequence[Diagnostic], form: Format = "text", *, color: bool = False) -> str:
    return render(diagnostics, format=form, source_line=source_line, terminal=Terminal(color=color))


QUESTION = error(Location("cards/views.md", 1, 4), "some-error", "wrong `view`", "write `right`", 4)
STORAGE = warning(Location("cards/views.md", 3, 5), "some-warning", "not this", "", 7)
ADVICE = hint(Location("deck.toml", 2), "some-hint", "add a description", "add `description`")


def test_a_full_report_shows_the_line_the_caret_the_help_and_the_count() -> None:
    assert shown([QUESTION, ADVICE]) == (
        "deck.toml:2:1: hint[some-hint] add a description\n"
        "  = help: add `description`\n"
        "\n"
        "cards/views.md:1:4: error[some-error] wrong `view`\n"
        "  |\n"
        "1 | ## What does `view` share?\n"
        "  |    ^^^^\n"
        "  = help: write `right`\n"
        "\n"
        "1 error, 1 hint\n"
    )


def test_nothing_found_is_an_empty_text() -> None:
    assert statistics([]) == ""
    assert [shown([], form) for form in ("text", "concise", "github")] == ["", "", ""]


def test_diagnostics_are_sorted_by_place_and_the_worst_of_one_place_comes_first() -> None:
    here = Location("b.md", 2, 3)
    found = [
        hint(here, "x-hint", "", ""),
        warning(Location("b.md", 10), "later", "", ""),
        error(here, "x-error", "", ""),
        warning(Location("b.md", 2, 1), "first", "", ""),
        warning(Location("a.md", 90), "other-file", "", ""),
    ]
    assert shown(found, "concise") == (
        "a.md:90:1: warning[other-file] \n"
        "b.md:2:1: warning[first] \n"
        "b.md:2:3: error[x-error] \n"
        "b.md:2:3: hint[x-hint] \n"
        "b.md:10:1: warning[later] \n"
        "1 error, 3 warnings, 1 hint\n"
    )


def test_the_caret_stands_under_the_character_after_tabs_and_wide_characters() -> None:
    wide = warning(Location("cards/views.md", 3, 21), "some-warning", "not this", "", 9)
    assert shown([STORAGE, wide]) == (
        "cards/views.md:3:5: warning[some-warning] not this\n"
        "cards/views.md:3:21: warning[some-warning] not this\n"
        "  |\n"
        "3 | Its storage with 何か and `{{bad}}`.\n"
        "  |     ^^^^^^^           ^^^^^^^^^\n"
        "\n"
        "2 warnings\n"
    )


def test_a_line_with_several_findings_of_a_rule_is_shown_once_and_each_part_of_a_long_line_too() -> None:
    found = [error(Location("a.md", 7, column), "x", f"at {column}", "fix it", 2) for column in (1, 5, 301)]
    line = "ab--cd" + "-" * 294 + "ef"
    report = render(found, format="text", source_line=lambda _: line, terminal=Terminal(columns=24))
    assert report == (
        "a.md:7:1: error[x] at 1\n"
        "a.md:7:5: error[x] at 5\n"
        "a.md:7:301: error[x] at\n"
        "    301\n"
        "  |\n"
        "7 | ab--cd------------…\n"
        "  | ^^  ^^\n"
        "7 | …----------------ef\n"
        "  |                  ^^\n"
        "  = help: fix it\n"
        "\n"
        "3 errors\n"
    )
    other = replace(found[1], help="or this")
    assert shown([found[0], other]).count("a.md:7") == shown([found[0], other]).count("help:") == 2


def test_control_and_reordering_characters_are_shown_and_never_sent_to_the_terminal() -> None:
    escape = error(Location("cards/views.md", 4, 4), "some-error", "the word `\x1b[2J\n`", "no \u202e", 5)
    assert shown([escape]) == (
        "cards/views.md:4:4: error[some-error] the word `␛[2J␊`\n"
        "  |\n"
        "4 | é\u0301 ␛[31mred␛[0m <U+202E>over<U+2066> ␇\n"
        "  |   ^^^^^\n"
        "  = help: no <U+202E>\n"
        "\n"
        "1 error\n"
    )


def test_a_lone_surrogate_in_a_path_can_be_printed() -> None:
    report = shown([error(Location("caf\udce9.md", 1), "not-utf8", "not UTF-8", "")])
    assert report.encode() == b"caf<U+DCE9>.md:1:1: error[not-utf8] not UTF-8\n\n1 error\n"


@pytest.mark.parametrize(
    ("column", "length", "expected", "carets"),
    [
        (1, 3, "abc" + "-" * 31 + "…", "^^^"),
        (301, 3, "…" + "-" * 16 + "XYZ" + "-" * 15 + "…", " " * 17 + "^^^"),
        (4000, 1, "…" + "-" * 33 + "!", " " * 34 + "^"),
        (4001, 1, "…" + "-" * 32 + "!", " " * 34 + "^"),
        (1, 4000, "abc" + "-" * 31 + "…", "^" * 34),
    ],
    ids=["start", "middle", "end", "behind the end", "longer than shown"],
)
def test_of_a_long_line_the_part_around_the_caret_is_shown(
    column: int, length: int, expected: str, carets: str
) -> None:
    line = "abc" + "-" * 297 + "XYZ" + "-" * 3696 + "!"
    report = render(
        [error(Location("a.md", 7, column), "x", "long", "", length)],
        format="text",
        source_line=lambda _: line,
        terminal=Terminal(columns=40),
    )
    assert report.split("\n")[2:4] == [f"7 | {expected}", f"  | {carets}"]


def test_outside_a_terminal_a_line_is_whole_unless_it_would_fill_the_disk() -> None:
    def line_of(length: int) -> str:
        line = "x" * length
        found = [error(Location("a.md", 7, 1), "x", "long", "", 1)]
        return render(found, format="text", source_line=lambda _: line).split("\n")[2]

    assert line_of(2000) == "7 | " + "x" * 2000
    assert line_of(2001) == "7 | " + "x" * 1998 + "…"


PIECES = ("word ", "`code`", "何か", "e\u0301", "\t", "👩\u200d🚀", "\u202e", "\x1b", "- ", "ﬁ")


@given(
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.integers(40, 130),
    st.sampled_from((1, 20, 4000)),
)
def test_at_any_width_the_carets_are_under_their_word_and_no_line_is_wider(
    before: list[str], after: list[str], columns: int, number: int
) -> None:
    line = "".join(before) + "WORD" + "".join(after)
    place = Location("a.md", number, len("".join(before)) + 1)
    report = render(
        [error(place, "x", "wrong", "", 4)],
        format="text",
        source_line=lambda _: line,
        terminal=Terminal(columns=columns),
    )
    shown, carets = report.split("\n")[2:4]
    assert carets.lstrip(" |") == "^^^^"
    assert width_of(shown[: shown.index("WORD")]) == carets.index("^")
    assert width_of(shown) <= columns


def test_a_caret_behind_the_end_of_the_line_stands_behind_it() -> None:
    report = shown([error(Location("cards/views.md", 1, 99), "x", "no end", "", 5)])
    assert report.split("\n")[2:4] == ["1 | ## What does `view` share?", "  |" + " " * 27 + "^"]


def test_people_see_hints_then_warnings_then_errors_and_programs_see_the_order_of_the_file() -> None:
    found = [
        hint(Location("a.md", 1), "a-hint", "better", ""),
        warning(Location("a.md", 2), "a-warning", "doubtful", ""),
        error(Location("b.md", 1), "an-error", "wrong", ""),
        error(Location("a.md", 3), "an-error", "wrong", ""),
    ]
    lines = {
        "a.md:1": "a.md:1:1: hint[a-hint] better",
        "a.md:2": "a.md:2:1: warning[a-warning] doubtful",
        "a.md:3": "a.md:3:1: error[an-error] wrong",
        "b.md:1": "b.md:1:1: error[an-error] wrong",
    }
    count = "2 errors, 1 warning, 1 hint"
    assert shown(found).split("\n\n") == [*lines.values(), f"{count}\n"]
    in_file = [lines[place] for place in ("a.md:1", "a.md:2", "a.md:3", "b.md:1")]
    assert shown(found, "concise").splitlines() == [*in_file, count]


def folded(found: Sequence[Diagnostic], columns: int | None = None) -> str:
    layout = Terminal(short=True, columns=columns)
    return render(
        found,
        format="text",
        source_line=source_line,
        terminal=layout,
        listing="`ptcards check --select {}`".format,
    )


def test_a_first_report_of_more_than_three_findings_begins_with_errors_and_counts_hints_by_rule() -> None:
    hints = [hint(Location("a.md", n), f"hint-{n % 2}", f"better {n}", "do") for n in range(1, 12)]
    errors = [error(Location("b.md", 1), "an-error", "wrong", "write `right`")]
    assert folded([*hints, *errors]) == (
        "b.md:1:1: error[an-error] wrong\n"
        "  = help: write `right`\n"
        "     6  hint[hint-1]  a.md:1:1\n"
        "     5  hint[hint-0]  a.md:2:1\n"
        "1 error, 11 hints: -v shows them with their lines\n"
    )
    assert folded(hints[:3]) == shown(hints[:3])


def test_a_first_report_folds_errors_and_warnings_of_a_rule_from_the_third_on() -> None:
    errors = [error(Location("a.md", n), "an-error", f"wrong {n}", "write `right`") for n in range(1, 10)]
    doubtful = [warning(Location("b.md", n), "doubtful", "doubtful", f"try {n}") for n in (1, 2, 3)]
    assert folded([*doubtful, *errors]) == (
        "a.md:1:1: error[an-error] wrong 1\n"
        "  = help: write `right`\n"
        "a.md:2:1: error[an-error] wrong 2\n"
        "  and 7 more like this: `ptcards check --select an-error`\n"
        "b.md:1:1: warning[doubtful] doubtful\n"
        "  = help: try 1\n"
        "b.md:2:1: warning[doubtful] doubtful\n"
        "  = help: try 2\n"
        "  and 1 more like this: `ptcards check --select doubtful`\n"
        "9 errors, 3 warnings: -v shows them with their lines\n"
    )


def test_a_first_report_has_a_dozen_lines_with_all_errors_and_the_most_useful_of_the_rest() -> None:
    errors = [error(Location("a.md", n), f"error-{n}", "wrong", "write `right`") for n in (1, 2, 3)]
    taste = [
        warning(Location("a.md", n), "vague-question", f"vague {n}", "ask", traits=Trait.TASTE)
        for n in range(1, 19)
    ]
    doubtful = [warning(Location("a.md", 4), "doubtful", "doubtful", "try")]
    hints = [hint(Location("a.md", n), f"hint-{n}", "better", "") for n in range(1, 6)]
    assert folded([*hints, *taste, *doubtful, *errors]) == (
        "a.md:1:1: error[error-1] wrong\n"
        "  = help: write `right`\n"
        "a.md:2:1: error[error-2] wrong\n"
        "  = help: write `right`\n"
        "a.md:3:1: error[error-3] wrong\n"
        "  = help: write `right`\n"
        "    18  warning[vague-question]  a.md:1:1\n"
        "     1  warning[doubtful]        a.md:4:1\n"
        "     1  hint[hint-1]             a.md:1:1\n"
        "     4  of 4 other rules\n"
        "3 errors, 19 warnings, 5 hints: -v shows them with their lines\n"
    )
    assert folded([*hints[:3], *taste, *doubtful, errors[0]]) == (
        "a.md:1:1: error[error-1] wrong\n"
        "  = help: write `right`\n"
        "a.md:4:1: warning[doubtful] doubtful\n"
        "  = help: try\n"
        "    18  warning[vague-question]  a.md:1:1\n"
        "     1  hint[hint-1]             a.md:1:1\n"
        "     1  hint[hint-2]             a.md:2:1\n"
        "     1  hint[hint-3]             a.md:3:1\n"
        "1 error, 19 warnings, 3 hints: -v shows them with their lines\n"
    )


def test_a_first_report_begins_with_what_is_about_many_cards() -> None:
    errors = [error(Location("a.md", n), f"error-{n}", "wrong", "write `right`") for n in range(1, 6)]
    many = warning(
        Location("b.md", 1, 0), "unread-cards", "5 cards are not read", "name them", traits=Trait.MANY
    )
    doubtful = [warning(Location("a.md", n), f"doubtful-{n}", "doubtful", "try") for n in (1, 2, 3)]
    assert folded([*doubtful, many, *errors]).splitlines() == [
        "b.md: warning[unread-cards] 5 cards are not read",
        "  = help: name them",
        *(
            line
            for n in range(1, 6)
            for line in (f"a.md:{n}:1: error[error-{n}] wrong", "  = help: write `right`")
        ),
        "     1  warning[doubtful-1]  a.md:1:1",
        "     2  of 2 other rules",
        "5 errors, 4 warnings: -v shows them with their lines",
    ]


def test_long_help_is_printed_once() -> None:
    listed = ", ".join(f"`key-{n}`" for n in range(25))
    found = [
        error(Location("deck.toml", n), "unknown-key", f"unknown key `{key}`", help_text)
        for n, (key, help_text) in enumerate(
            [("a", listed), ("b", listed), ("c", "short"), ("d", "short")], 1
        )
    ]
    text = render(found, format="text", source_line=lambda _: None)
    assert text.splitlines() == [
        "deck.toml:1:1: error[unknown-key] unknown key `a`",
        f"  = help: {listed}",
        "",
        "deck.toml:2:1: error[unknown-key] unknown key `b`",
        "  = help: see the help for deck.toml:1:1 above",
        "",
        "deck.toml:3:1: error[unknown-key] unknown key `c`",
        "  = help: short",
        "",
        "deck.toml:4:1: error[unknown-key] unknown key `d`",
        "  = help: short",
        "",
        "4 errors",
    ]


def test_many_equal_diagnostics_are_shown_once_with_all_their_places() -> None:
    many = [warning(Location("cards/views.md", n), "same", "tab in code", "use spaces") for n in (1, 2, 3, 4)]
    assert shown([*many, QUESTION]) == (
        "cards/views.md:1:1: warning[same] tab in code\n"
        "  |\n"
        "1 | ## What does `view` share?\n"
        "  | ^\n"
        "  = help: use spaces\n"
        "  = also at cards/views.md:2:1, cards/views.md:3:1, cards/views.md:4:1\n"
        "\n"
        "cards/views.md:1:4: error[some-error] wrong `view`\n"
        "  |\n"
        "1 | ## What does `view` share?\n"
        "  |    ^^^^\n"
        "  = help: write `right`\n"
        "\n"
        "1 error, 4 warnings\n"
    )
    assert shown(many[:3]).count("help: use spaces") == 3


def test_prose_is_wrapped_at_words_and_hangs_below_its_beginning() -> None:
    long = error(
        Location("cards/views.md", 1, 4),
        "some-error",
        "a message of many words about `view` and what it shares",
        "write `tensor.view(2, 3)` instead, or say `tensor.reshape(2, 3)` where it may copy",
        4,
    )
    report = render([long], format="text", source_line=source_line, terminal=Terminal(columns=60))
    assert report == (
        "cards/views.md:1:4: error[some-error] a message of many\n"
        "    words about `view` and what it shares\n"
        "  |\n"
        "1 | ## What does `view` share?\n"
        "  |    ^^^^\n"
        "  = help: write `tensor.view(2, 3)` instead, or say\n"
        "          `tensor.reshape(2, 3)` where it may copy\n"
        "\n"
        "1 error\n"
    )


def test_colours_wrap_the_parts_and_change_no_text() -> None:
    colored = shown([QUESTION], color=True)
    assert colored == (
        "\x1b[1mcards/views.md:1:4\x1b[0m: \x1b[1;31merror[some-error]\x1b[0m wrong `view`\n"
        "\x1b[1;94m  |\x1b[0m\n"
        "\x1b[1;94m1 |\x1b[0m ## What does `view` share?\n"
        "\x1b[1;94m  |\x1b[0m \x1b[1;31m   ^^^^\x1b[0m\n"
        "\x1b[1;94m  =\x1b[0m \x1b[1;32mhelp:\x1b[0m write `right`\n"
        "\n"
        "\x1b[1;31m1 error\x1b[0m\n"
    )
    assert shown([QUESTION], "github", color=True) == shown([QUESTION], "github")


def test_github_commands_are_escaped_as_the_runner_reads_them() -> None:
    odd = warning(Location("a,b:c%.md", 3, 2), "some-rule", "100 % of\n`a::b`, all", "stop", 4)
    assert shown([odd, ADVICE], "github") == (
        "::warning file=a%2Cb%3Ac%25.md,line=3,col=2,endColumn=5,title=some-rule::"
        "100 %25 of␊`a::b`, all%0Ahelp: stop\n"
        "::notice file=deck.toml,line=2,col=1,endColumn=1,title=some-hint::"
        "add a description%0Ahelp: add `description`\n"
        "1 warning, 1 hint\n"
    )


def test_the_count_names_only_what_there_is() -> None:
    assert summary([]) == ""
    assert summary([QUESTION]) == "1 error"
    assert summary([ADVICE, QUESTION, ADVICE, STORAGE]) == "1 error, 1 warning, 2 hints"
