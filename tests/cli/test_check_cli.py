"""`ptcards check` as users run it: formats, exit codes, colours, selection, ignores."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from pygments.lexers import get_all_lexers

from conftest import Ran
from ptcards.cli import main
from ptcards.lint.check import COMMON

TOML = 'name = "Deck"\nid = "i"\n'
FINE = "## What is autograd?\n\nA tape of operations.\n"
WARNED = "## Explain autograd.\n\nA tape of operations.\n"
HINTED = "## Autograd?\n\nA tape of operations.\n"
WRONG = "## What is it?\n"

Write = Callable[..., Path]
Run = Callable[..., Ran]


@pytest.mark.parametrize(
    ("source", "options", "status"),
    [
        (FINE, [], 0),
        (FINE, ["--strict"], 0),
        (HINTED, ["--strict"], 0),
        (WARNED, [], 0),
        (WARNED, ["--strict"], 1),
        (WARNED, ["--strict", "-q"], 1),
        (WRONG, [], 1),
        (WRONG, ["-q"], 1),
    ],
)
def test_errors_fail_and_warnings_only_with_strict(
    source: str, options: list[str], status: int, ptcards: Run, write: Write
) -> None:
    folder = write({"deck.toml": TOML, "a.md": source})
    assert ptcards("check", folder, *options).status == status


def test_nothing_to_report_is_said_on_standard_error(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": FINE})
    assert ptcards("check", folder) == Ran(0, "", "Checked 1 note: nothing to report\n")
    assert ptcards("check", folder, "-q") == Ran(0, "", "")


def test_quiet_leaves_only_errors(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": f"{WARNED}\n{WRONG}"})
    expected = "a.md:5:4: error[no-answer] this question has no answer\n1 error\n"
    assert ptcards("check", folder, "-q", "--format", "concise") == Ran(1, expected, "")


def test_each_format_says_the_same(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": WARNED})
    assert ptcards("check", folder).out == (
        "a.md:1:4: warning[vague-question] `Explain` does not say what to answer\n"
        "  |\n"
        "1 | ## Explain autograd.\n"
        "  |    ^^^^^^^\n"
        "  = help: ask for one thing: why, how, which, what happens when\n"
        "\n"
        "1 warning\n"
    )
    assert ptcards("check", folder, "--format", "concise").out == (
        "a.md:1:4: warning[vague-question] `Explain` does not say what to answer\n1 warning\n"
    )
    report = json.loads(ptcards("check", folder, "--format", "json").out)
    assert report == {
        "version": 1,
        "counts": {"errors": 0, "warnings": 1, "hints": 0},
        "findings": [
            {
                "path": "a.md",
                "line": 1,
                "column": 4,
                "end": 11,
                "rule": "vague-question",
                "severity": "warning",
                "message": "`Explain` does not say what to answer",
                "help": "ask for one thing: why, how, which, what happens when",
                "key": "explain-autograd",
                "guid": report["findings"][0]["guid"],
                "fixes": [],
            }
        ],
    }
    commands = ptcards("check", folder, "--format", "github").out.splitlines()
    assert commands[0].endswith(
        "line=1,col=4,endColumn=10,title=vague-question::`Explain` does not say what to answer"
        "%0Ahelp: ask for one thing: why, how, which, what happens when"
    )


def test_an_unknown_format_and_a_missing_source_are_wrong_usage(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": FINE})
    assert ptcards("check", folder, "--format", "xml").status == 2
    ran = ptcards("check", folder / "none.md")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "error: no such file or folder: `none.md`\n"


def test_a_file_to_import_that_is_not_there_is_named(ptcards: Run, tmp_path: Path) -> None:
    ran = ptcards("import", tmp_path / "no.apkg")
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: invalid value for 'FILE': Path 'no.apkg' does not exist",
    )


def test_a_misspelt_command_or_option_is_suggested(ptcards: Run) -> None:
    command, option = ptcards("chek"), ptcards("check", "--stric")
    assert (command.status, command.err) == (
        2,
        "error: there is no `ptcards chek`\nhelp: did you mean `check`?\n",
    )
    assert (option.status, option.err.splitlines()[-2:]) == (
        2,
        ["error: no such option '--stric'", "help: did you mean `--strict`?"],
    )


def test_only_what_is_selected_is_reported_but_all_of_it_is_known(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": f"# A\n\n{WARNED}\n{FINE}", "b.md": f"# B\n\n{FINE}"})
    ran = ptcards("check", folder / "b.md", "--format", "concise")
    assert ran.out == (
        "b.md:3:4: hint[question-in-two-decks] this question is also asked in `Deck::A`, at a.md:7:1\n1 hint\n"
    )


@pytest.mark.parametrize(
    ("options", "environ", "colored"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_follow_the_option_then_the_environment(
    options: list[str], environ: dict[str, str | None], colored: bool, ptcards: Run, write: Write
) -> None:
    folder = write({"deck.toml": TOML, "a.md": WARNED})
    unset: dict[str, str | None] = {"NO_COLOR": None, "FORCE_COLOR": None}
    ran = ptcards("check", folder, *options, env=unset | environ)
    assert ("\x1b[" in ran.out) == colored


def test_ignores_of_one_collection_leave_another_alone(ptcards: Run, write: Write) -> None:
    folder = write(
        {
            "a/deck.toml": f'{TOML}\n[check]\nignore = ["vague-question"]\n',
            "a/a.md": WARNED,
            "b/deck.toml": TOML,
            "b/b.md": WARNED,
        }
    )
    ran = ptcards("check", folder / "a", folder / "b", "--format", "concise")
    assert ran.out == "b/b.md:1:4: warning[vague-question] `Explain` does not say what to answer\n1 warning\n"


def test_ignores_silence_what_the_parser_says_too(ptcards: Run, write: Write) -> None:
    source = FINE.replace("?\n", "?\n<!-- card: ignore=misspelt-section -->\n") + "\n### Hints\n\nThink.\n"
    folder = write({"deck.toml": TOML, "a.md": source})
    assert ptcards("check", folder) == Ran(0, "", "Checked 1 note: nothing to report\n")


def test_an_ignore_without_use_is_named_where_it_stands(ptcards: Run, write: Write) -> None:
    comment = '<!-- card:\n  tags=a-rule\n  ignore=" a-rule, long,\n a" -->'
    folder = write({"deck.toml": TOML, "a.md": FINE.replace("?\n", f"?\n{comment}\n")})
    ran = ptcards("check", folder, "--format", "concise")
    assert [line.split(": warning")[0] for line in ran.out.splitlines()[:-1]] == [
        "a.md:4:12",
        "a.md:4:20",
        "a.md:5:2",
    ]


@pytest.mark.extensions
def test_what_only_other_commands_say_may_be_ignored(ptcards: Run, write: Write) -> None:
    folder = write(
        {"deck.toml": f'{TOML}\n[check]\nignore = ["code-warning"]\n', "a.md": FINE},
    )
    assert ptcards("check", folder).status == 0
    assert ptcards("check", folder).out == ""


def test_the_lock_is_asked_and_not_written(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": FINE})
    assert ptcards("build", folder, "-o", folder / "out").status == 0
    lock = (folder / "deck.lock").read_bytes()
    (folder / "a.md").write_text(
        "## What is autograd exactly?\n\nWhat records the operations on tensors.\n", "utf-8"
    )
    ran = ptcards("check", folder, "--format", "concise")
    assert ran.out.splitlines()[0].startswith("a.md:1:4: warning[maybe-reworded]")
    assert (folder / "deck.lock").read_bytes() == lock


def test_a_wrong_epoch_is_wrong_usage(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": FINE})
    assert ptcards("build", folder, "-o", folder / "out").status == 0
    (folder / "b.md").write_text(FINE.replace("autograd", "a leaf"), "utf-8")
    assert ptcards("check", folder, env={"SOURCE_DATE_EPOCH": "yesterday"}).status == 2


def test_a_check_loads_neither_renderer_nor_writers(write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": f"{FINE}\nSo it is:\n\n```python\nx = 1\n```\n"})
    code = (
        "import sys\n"
        "from ptcards.cli import main\n"
        f"try: main(['check', {str(folder)!r}])\n"
        "except SystemExit as done: assert done.code == 0, done.code\n"
        "print(sorted(sys.modules.keys() & {'markdown', 'pygments', 'genanki', 'filelock'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_languages_that_are_not_rendered_to_be_checked_have_colours() -> None:
    uncoloured = {"", "math", "none", "output", "plain", "plaintext", "text", "txt"}
    known = {alias for _, aliases, _, _ in get_all_lexers() for alias in aliases}
    assert COMMON - uncoloured <= known


def test_a_deck_in_an_answer_stops_strict_checks_and_is_named_by_builds(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    root = write({"a.md": "## One?\n\nx = 1\n# a comment\ny = 2\n"})
    place = "a.md:4:1: warning[deck-in-answer] `# a comment` ends the answer above and starts a deck"
    ran = [ptcards("check", "--strict", root), ptcards("build", root, "-o", root / "out")]
    assert [(each.status, place in f"{each.out}{each.err}".splitlines()) for each in ran] == [
        (1, True),
        (0, True),
    ]


BOTH = f"{WARNED}\n## Autograd again?\n\nIt is [there](there.md), because.\n"


def test_only_selected_rules_are_reported_and_ignored_ones_are_not(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": f"{BOTH}\n{WRONG}"})
    vague = "a.md:1:4: warning[vague-question] `Explain` does not say what to answer\n"

    def found(*options: str) -> str:
        return ptcards("check", folder, "--format", "concise", *options).out

    assert found("--select", "vague-question") == f"{vague}1 warning\n"
    assert found("--select", "vague-question,no-answer", "--ignore", "vague-question") == (
        "a.md:9:4: error[no-answer] this question has no answer\n1 error\n"
    )
    assert vague not in found("--ignore", "vague-question")
    assert ptcards("check", folder, "--select", "vague-question", "--strict").status == 1
    assert ptcards("check", folder, "--select", "relative-link").status == 0


def test_a_rule_that_is_off_runs_if_it_is_selected(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": FINE})
    assert ptcards("check", folder, "--select", "missing-id", "--format", "concise").out.startswith(
        "a.md:1:4: hint[missing-id] "
    )
    assert ptcards("check", folder) == Ran(0, "", "Checked 1 note: nothing to report\n")


def test_an_unknown_rule_and_an_error_to_ignore_are_refused(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": FINE})
    assert ptcards("check", folder, "--select", "vage-question") == Ran(
        2, "", "error: there is no rule `vage-question`\nhelp: did you mean `vague-question`?\n"
    )
    assert ptcards("check", folder, "--ignore", "no-answer") == Ran(
        2,
        "",
        "error: `no-answer` is an error and cannot be ignored\n"
        "help: run `ptcards explain no-answer` to see how to fix it\n",
    )


def test_statistics_count_by_rule_and_name_the_worst_files(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": f"# A\n\n{BOTH}", "b.md": f"# B\n\n{WARNED}\n{WRONG}"})
    ran = ptcards("check", folder, "--statistics", "--select", "vague-question,relative-link,no-answer")
    assert ran.out == (
        "4 findings, most in a.md (2), b.md (2)\n"
        "     1  error[no-answer]         b.md:7:4\n"
        "     2  warning[vague-question]  a.md (1)\n"
        "     1  warning[relative-link]   a.md:9:7\n"
        "\n"
        "1 error, 3 warnings\n"
    )


@pytest.mark.extensions
def test_a_first_report_is_folded_and_says_how_to_list_what_it_counts(ptcards: Run, write: Write) -> None:
    many = "".join(f"## Explain number {n}.\n\nIt is {n}, as in\n[it](x.md), always.\n\n" for n in range(51))
    hints = "".join(
        f"## What is {n} minus {n}?\n\nIt is :tada: for number {n}, always.\n\n" for n in range(11)
    )
    wrong = "".join(f"## What is {n}?\n\nIt is <brach{n}> in git, always.\n\n" for n in range(9))
    folder = write({"deck.toml": TOML, "a.md": f"{many}{hints.rstrip()}\n", "b.md": f"# B\n\n{wrong}"})
    ran = ptcards("check", folder, "--ignore", "closing-blank-lines")
    assert ran.out == (
        "b.md:5:7: error[unknown-tag] [fix] `<brach0>` is not an HTML tag: browsers hide it\n"
        "  = help: put it in backticks, or write `\\<` for `<`\n"
        "b.md:9:7: error[unknown-tag] [fix] `<brach1>` is not an HTML tag: browsers hide it\n"
        "  and 7 more like this: `ptcards check --select unknown-tag .`\n"
        "a.md:4:1: warning[relative-link] `x.md` leads nowhere from a card: only the link text is shown\n"
        "  = help: use an absolute URL, `https://…`\n"
        "a.md:9:1: warning[relative-link] `x.md` leads nowhere from a card: only the link text is shown\n"
        "  and 49 more like this: `ptcards check --select relative-link .`\n"
        "    51  warning[vague-question]      a.md:1:4\n"
        "    11  hint[emoji-shortcode] [fix]  a.md:258:7\n"
        "9 errors, 102 warnings, 11 hints: -v shows them with their lines\n"
    )
    assert ptcards("build", folder).err.startswith(ran.out[: ran.out.index("\n  and")])
    one = ("--select", "vague-question")
    for options in (one, ("-v", *one), *((*one, "--format", each) for each in ("concise", "json", "github"))):
        out = ptcards("check", folder, *options).out
        assert len(re.findall(r"a\.md:\d+:4|\"path\": \"a\.md\"|file=a\.md", out)) == 51, options


@pytest.mark.extensions
def test_a_command_without_v_folds_nothing(ptcards: Run, write: Write) -> None:
    wrong = "".join(f"## What is {n}?\n\nIt is <brach{n}> in git.\n\n" for n in range(5))
    folder = write({"deck.toml": TOML, "a.md": wrong.rstrip() + "\n"})
    said = [ptcards(*command, folder).err for command in (("build",), ("release",))]
    assert [(each.count("error[unknown-tag]"), each.count("more like this")) for each in said] == [
        (2, 1),
        (5, 0),
    ]


def test_the_way_to_list_a_rule_names_the_same_sources_and_dialect(ptcards: Run, write: Write) -> None:
    pairs = "".join(f"## What is {n}?\n\nIt is <brach{n}> in git.\n\n" for n in range(5))
    file = write({"a.md": pairs}) / "a.md"
    ran = ptcards("check", file, "--dialect", "headings")
    assert "more like this: `ptcards check --select unknown-tag --dialect headings a.md`" in ran.out


def test_standard_input_is_checked_as_the_file_that_it_stands_for(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"c/deck.toml": f'{TOML}\n[check]\nignore = ["list-items"]\n', "c/a.md": FINE})
    monkeypatch.chdir(root)

    def check(text: str, *options: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "ptcards", "check", "-", *options],
            input=text.encode(),
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    assert check(WARNED, "--stdin-filename", "c/new.md") == (
        0,
        (
            "c/new.md:1:4: warning[vague-question] `Explain` does not say what to answer\n"
            "  |\n"
            "1 | ## Explain autograd.\n"
            "  |    ^^^^^^^\n"
            "  = help: ask for one thing: why, how, which, what happens when\n"
            "\n"
            "1 warning\n"
        ),
    )
    assert check(WRONG, "--format", "concise") == (
        1,
        "stdin.md:1:4: error[no-answer] this question has no answer\n1 error\n",
    )
    assert check(FINE, "--stdin-filename", "c/a.md") == (0, "Checked 1 note: nothing to report\n")
    status, said = check(FINE, "c")
    assert (status, said.splitlines()[-1]) == (
        2,
        "error: `-` cannot be combined with another SOURCE, `--fix` or `--diff`",
    )


def test_rules_are_ignored_by_file(ptcards: Run, write: Write) -> None:
    ignores = '[check.per-file-ignores]\n"old/" = ["vague-question"]\n"b.md" = ["vague-question", "no-such"]\n"c.md" = ["list-items"]\n'
    folder = write(
        {
            "deck.toml": f"{TOML}\n{ignores}",
            "a.md": WARNED,
            "b.md": WARNED.replace("autograd", "it"),
            "c.md": FINE,
            "old/deep/d.md": WARNED.replace("autograd", "them"),
        }
    )
    ran = ptcards("check", folder, "--format", "concise", "--ignore", "list-items,near-duplicate")
    assert ran.out == (
        "a.md:1:4: warning[vague-question] `Explain` does not say what to answer\n"
        "deck.toml:6:30: warning[unknown-rule] there is no rule `no-such`\n"
        "deck.toml:7:12: warning[unused-ignore] ignoring `list-items` has no effect\n"
        "3 warnings\n"
    )


def test_what_can_be_fixed_is_counted_with_the_command_that_does_it(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "it's/a.md": f"{WARNED}\n```\nimport a\nb()\n```\n\n\n"})
    ran = ptcards("check", folder / "it's", "--format", "concise")
    assert ran.err == """2 of 4 can be fixed: ptcards check --fix 'it'"'"'s'\n"""
    assert ptcards("check", folder / "it's", "--fix", "--select", "closing-blank-lines").err == (
        "Fixed 1 finding in it's/a.md: closing-blank-lines\nChecked 1 note: nothing to report\n"
    )
    assert ptcards("check", folder, "--fix").err == "Fixed 1 finding in it's/a.md: fence-without-language\n\n"
    assert ptcards("check", folder).err == ""


DIFF = """\
--- deck.toml
+++ deck.toml
@@ -1,3 +1,3 @@
 name = "Deck"
 id = "i"
-langauge = "de"
\\ No newline at end of file
+language = "de"
\\ No newline at end of file
--- a.md
+++ a.md
@@ -2,9 +2,7 @@
\x20
 A tape of operations.
\x20
-```
+```python
 import a
 b()
 ```
-
-
"""


def test_a_diff_shows_what_would_be_fixed_and_changes_nothing(ptcards: Run, write: Write) -> None:
    text = f"{WARNED}\n```\nimport a\nb()\n```\n\n\n"
    folder = write({"deck.toml": f'{TOML}langauge = "de"', "a.md": text, "b.md": HINTED})
    assert ptcards("check", folder, "--diff") == Ran(
        2,
        DIFF,
        "Would fix 1 finding in deck.toml: unknown-key\n"
        "Would fix 2 findings in a.md: closing-blank-lines, fence-without-language\n",
    )
    assert (folder / "a.md").read_text("utf-8") == text
    assert ptcards("check", folder, "--fix").err == (
        "Fixed 1 finding in deck.toml: unknown-key\n"
        "Fixed 2 findings in a.md: closing-blank-lines, fence-without-language\n"
        "Fixed 3 findings in 2 files\n"
        "\n"
    )
    assert ptcards("check", folder, "--diff") == Ran(0, "", "nothing that `--fix` would change\n")


def test_the_last_line_after_fixing_says_what_is_left(ptcards: Run, write: Write) -> None:
    text = f"{WARNED}\n```\nimport a\nb()\n```\n\n\n"
    folder = write({"deck.toml": TOML, "a.md": text})
    last = ptcards("check", folder, "--fix", "--color", "always").out.splitlines()[-1]
    assert last == "\x1b[1;32mFixed\x1b[0m 2 findings; left: \x1b[1;33m2 warnings\x1b[0m"
    write({"a.md": text})
    assert ptcards("check", folder, "--fix", "-q").out == ""
    write({"a.md": text})
    assert ptcards("check", folder, "--fix", "--format", "concise").out.splitlines()[-1] == "2 warnings"


@pytest.mark.parametrize("tool", [("patch", "-p0", "-s", "--binary"), ("git", "apply", "-p0")])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{FINE}\nEnd.\n\n\n", id="blank lines at the end"),
        pytest.param(f"{FINE}\nOf [[it]].", id="no last line end"),
        pytest.param(f"{FINE}\nOf [[it]].".replace("\n", "\r\n"), id="Windows"),
        pytest.param(f"\ufeff{FINE}\nOf [[it]].\n", id="byte order mark"),
        pytest.param(f"{FINE}\nOf [[it]].\n".replace("\n", "\r"), id="old Macintosh"),
        pytest.param(f"{FINE}\nOf [[it]] \u200b\u2028.\n", id="invisible characters"),
    ],
)
@pytest.mark.extensions
def test_a_diff_is_a_patch_with_the_bytes_of_the_fix(
    text: str, tool: tuple[str, ...], ptcards: Run, write: Write
) -> None:
    folder = write({"deck.toml": TOML, "sub folder/a b.md": text.encode(), "b.md": FINE})
    command = [sys.executable, "-m", "ptcards", "check", str(folder), "--diff"]
    patch = subprocess.run(command, capture_output=True, check=False, cwd=folder).stdout
    subprocess.run(tool, input=patch, check=True, cwd=folder)
    patched = (folder / "sub folder" / "a b.md").read_bytes()
    (folder / "sub folder" / "a b.md").write_bytes(text.encode())
    ptcards("check", folder, "--fix")
    assert patched == (folder / "sub folder" / "a b.md").read_bytes() != text.encode()


@pytest.mark.extensions
def test_exactly_what_check_marks_is_fixed_and_counted(ptcards: Run, write: Write) -> None:
    """An unclosed fence hides advice about its note until it is closed."""
    code = "```python\nx = “a”\ny = “b”\n```\n"
    hidden = "## What is a mark?\n\nIt is ==here== :tada:.\n\n```\nb\n"
    hidden = f"## What is wrong?\n\nThis:\n\n```python\nx =\n```\n\n{hidden}"
    folder = write({"deck.toml": TOML, "a.md": f"## What is it?\n\n==This==:\n\n{code}\n{hidden}"})
    found = ptcards("check", folder, "-v")
    assert [line for line in found.out.splitlines() if "[fix]" in line] == [
        "a.md:3:1: warning[mark-syntax] [fix] `==This==` is shown literally",
        "a.md:6:5: error[smart-quotes-in-code] [fix] `“` is not a quotation mark in code",
    ]
    assert found.err == "2 of 6 can be fixed: ptcards check --fix .\n"
    counts = "2 findings in a.md: mark-syntax, smart-quotes-in-code\n"
    assert ptcards("check", folder, "--diff").err == f"Would fix {counts}"
    assert ptcards("check", folder, "--fix").err == f"Fixed {counts}\n"
    fixed = code.replace("“", '"').replace("”", '"')
    assert (folder / "a.md").read_text("utf-8") == (
        f"## What is it?\n\n<mark>This</mark>:\n\n{fixed}\n{hidden}"
    )


@pytest.mark.parametrize("more", [["--fix"], ["--format", "json"], ["--statistics"]])
def test_a_diff_is_all_that_is_printed(more: list[str], ptcards: Run, write: Write) -> None:
    ran = ptcards("check", write({"a.md": WARNED}), "--diff", *more)
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: `--diff` only shows what `--fix` would change: leave out `--fix`, `--statistics` and `--format`",
    )


def test_each_finding_that_can_be_fixed_is_marked_and_no_other(ptcards: Run, write: Write) -> None:
    comment = "<!-- card: kidn=typed dificulty=easy xyzzy=3 -->"
    folder = write(
        {
            "deck.toml": f'{TOML}langauge = "de"\nfoo = 1\n',
            "a.md": f"## What is it?\n{comment}\n\nIt is `1`, because it was set.\n\n",
        }
    )
    for _ in range(2):  # read, then from the cache
        assert [line for line in ptcards("check", folder, "-v").out.splitlines() if "[" in line[:40]] == [
            "a.md:5:1: hint[closing-blank-lines] [fix] 1 blank line at the end of the file",
            "a.md:2:12: error[unknown-key] unknown key `kidn` in the card comment",
            "a.md:2:23: error[unknown-key] [fix] unknown key `dificulty` in the card comment",
            "a.md:2:38: error[unknown-key] unknown key `xyzzy` in the card comment",
            "deck.toml:3:1: error[unknown-key] [fix] unknown key `langauge`",
            "deck.toml:4:1: error[unknown-key] unknown key `foo`",
        ]
    assert ptcards("check", folder).err == "3 of 6 can be fixed: ptcards check --fix .\n"


def test_a_note_is_compared_with_those_of_sources_that_were_not_asked_for(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    question = (
        "## What does `torch.cat` do with two tensors of shape (2, 3) along dimension {}?\n\nIt joins.\n"
    )
    root = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\n',
            "a.md": question.format(0),
            "b.md": question.format(1),
        }
    )
    ran = ptcards("check", root / "b.md", "--select", "near-duplicate", "--format", "concise")
    found = "b.md:1:4: hint[near-duplicate] 91% of the words are the same as in the question at a.md:1:1"
    assert ran.out == f"{found}\n1 hint\n"


def test_of_two_notes_with_an_id_the_published_one_keeps_it(
    write: Write, ptcards: Run, tmp_path: Path
) -> None:
    leaf = "## What is a leaf?\n<!-- card: id=leaf -->\n\nA tensor that you made.\n"
    write({"deck.toml": 'name = "D"\nid = "abcdefgh"\nlanguage = "en"\n', "b.md": leaf})
    assert ptcards("build", tmp_path, "-o", tmp_path / "out").status == 0
    write({"a.md": leaf.replace("a leaf", "a node"), "c.md": leaf.replace("a leaf", "a tape")})
    found = ptcards("check", tmp_path, "--select", "duplicate-id", "--format", "json")
    assert [
        (each["path"], each["line"], each["column"], each["message"], each["help"])
        for each in json.loads(found.out)["findings"]
    ] == [
        (
            file,
            2,
            15,
            "the id `leaf` belongs to the published note at b.md:1:1",
            "give this note another id",
        )
        for file in ("a.md", "c.md")
    ]


def test_a_note_whose_id_another_one_has_is_not_gone(write: Write, ptcards: Run, tmp_path: Path) -> None:
    """No new note is asked whether it replaces it."""
    leaf, view = ("## What is a leaf?\n<!-- card: id=leaf -->\n\nA.\n\n", "## What is a view?\n\nB.\n\n")
    write({"deck.toml": 'name = "D"\nid = "abcdefgh"\n', "a.md": leaf + view})
    assert ptcards("build", tmp_path, "-o", tmp_path / "out").status == 0
    tape = leaf.replace("a leaf", "a tape").replace("A.", "T.")
    write({"a.md": f"{tape}## How does ReLU work?\n\nC.\n\n{leaf}{view.strip()}\n"})
    found = ptcards("check", tmp_path, "--ignore", "bare-answer", "--format", "concise")
    assert found.out == (
        "a.md:2:15: error[duplicate-id] the id `leaf` belongs to the published note at a.md:10:1\n1 error\n"
    )


def test_bare_answers_and_topics_have_one_line_for_each_file(
    write: Write, ptcards: Run, tmp_path: Path
) -> None:
    note = "## The {}\n\nA view.\n\n"
    listed = "## The last\n\nThey have several:\n\n- no copy\n- less memory\n"
    ignored = note.format("zeroth").replace("\n\n", "\n<!-- card: ignore=nothing-asked -->\n\n", 1)
    write(
        {
            "deck.toml": 'name = "D"\nid = "abcdefgh"\n',
            "a.md": ignored + "".join(map(note.format, ("first", "second"))) + listed,
            "b.md": note.format("third").rstrip() + "\n",
        }
    )
    found = ptcards("check", tmp_path, "--select", "bare-answer,nothing-asked", "--format", "concise").out
    assert found.splitlines() == [
        "a.md:4:1: hint[bare-answer] the answer gives no reason (2 more in this file)",
        "a.md:14:4: warning[nothing-asked] this heading asks nothing (2 more in this file)",
        "b.md:1:4: hint[nothing-asked] this heading asks nothing",
        "b.md:3:1: hint[bare-answer] the answer gives no reason",
        "1 warning, 3 hints",
    ]
    told = CliRunner().invoke(
        main,
        ["check", "-", "--select", "bare-answer", "--format", "concise"],
        input=(tmp_path / "b.md").read_text() * 2,
    )
    assert told.output == (
        "stdin.md:3:1: hint[bare-answer] the answer gives no reason (1 more in this file)\n1 hint\n"
    )
