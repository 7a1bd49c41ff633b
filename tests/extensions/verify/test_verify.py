"""`ptcards verify` end to end: real files, real processes."""

import json
import os
import shlex
import sys
import sysconfig
import venv
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from unsandboxed import verify_unsandboxed

from conftest import Ran

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "D"\nid = "d"\n'


@pytest.fixture
def verify(ptcards: Run, write: Write, tmp_path: Path) -> Run:
    """Write one source with these notes and verify it; results are remembered in the test's own folder."""

    def run(source: str, *options: str, toml: str = TOML) -> Ran:
        write({"cards/deck.toml": toml, "cards/a.md": f"# A\n\n{source}"})
        return verify_unsandboxed(ptcards, tmp_path / "cards", *options, cache=tmp_path / "cache")

    return run


def found(ran: Ran) -> list[tuple[str, int, int, str]]:
    """Return location, rule and message of each diagnostic in a JSON report."""
    report = json.loads(ran.out)
    listed = [*report["diagnostics"], *(each for note in report["notes"] for each in note["diagnostics"])]
    return [(each["rule"], each["line"], each["column"], each["message"]) for each in listed]


def test_code_that_prints_what_the_card_says_passes(verify: Run) -> None:
    ran = verify("## One?\n\n```python\nprint(1 + 1)\n```\n\n```output\n2\n```\n\n## Prose?\n\nOnly.\n")
    assert ran.err == (
        f"1 note with code run on Python {sys.version.split()[0]}: 1 passed, 0 failed; 0 not run, 1 without code\n"
    )
    assert (ran.status, ran.out) == (0, "")


def test_other_output_is_an_error_with_a_diff(verify: Run) -> None:
    ran = verify("## One?\n\n```python\nprint(1)\nprint(2)\n```\n\n```output\n1\n3\n```\n")
    assert ran.status == 1
    assert ran.err == (
        "cards/a.md:12:1: error[wrong-output] the code prints `2`, but the `output` block says `3`\n"
        "   |\n"
        "12 | 3\n"
        "   | ^\n"
        "   = help: fix the code or the output, or run `ptcards verify --update`\n"
        "   | --- expected\n"
        "   | +++ printed\n"
        "   |  1\n"
        "   | -3\n"
        "   | +2\n"
        "\n"
        "1 error\n"
        f"1 note with code run on Python {sys.version.split()[0]}: 0 passed, 1 failed; 0 not run, 0 without code\n"
    )


def test_a_diff_with_several_hunks_numbers_their_lines(verify: Run) -> None:
    lines = [*map(str, range(20))]
    ran = verify(
        "## One?\n\n```python\nfor i in range(20):\n    print(i % 19 + i // 19 + (i == 0))\n```\n\n"
        f"```output\n{chr(10).join(lines)}\n```\n"
    )
    assert [line for line in ran.err.splitlines() if line.startswith("   | ")][1:] == [
        "   | --- expected",
        "   | +++ printed",
        "   | @@ -1,4 +1,4 @@",
        "   | -0",
        "   | +1",
        "   |  1",
        "   |  2",
        "   |  3",
        "   | @@ -17,4 +17,4 @@",
        "   |  16",
        "   |  17",
        "   |  18",
        "   | -19",
        "   | +1",
    ]


def test_front_and_back_run_in_one_namespace_and_options_do_not_run(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python\nx = 1\n```\n\n### Answer\n\n```python\nx += 1\n```\n\n### Details\n\n- in a list\n\n  ```python\n"
        "  print(x)\n  ```\n\n  ```output\n  2\n  ```\n\n"
        "## Two?\n\n- [x] right\n\n  ```python\n  1 / 0\n  ```\n\n- [ ] wrong\n\n```python\nprint('x' in globals())\n```\n\n"
        "```output\nFalse\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (0, [])
    assert [(note["status"], note["blocks"]) for note in json.loads(ran.out)["notes"]] == [
        ("passed", 3),
        ("passed", 1),
    ]


def test_deletions_are_replaced_by_their_text(verify: Run) -> None:
    ran = verify(
        "## Fill in?\n<!-- card: kind=cloze -->\n\n```python\nx = {{c1::{'a': {'b': 1}}}}\nfor i in {{c2::range(2):\n"
        "    print(i)\n}}\n```\n\n```output\n0\n{{c3::1}}\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (0, [])


def test_an_output_may_stand_behind_text_and_belongs_to_the_nearest_code(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python\nprint(1)\n```\n\n```python\nprint(2)\n```\n\nText.\n\n### Answer\n\nMore text.\n\n```output\n2\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (0, [])


def test_an_exception_is_shown_at_its_own_line(verify: Run) -> None:
    ran = verify(
        "## One?\n\n> ```python\n> def f():\n>     return {}['k']\n> ```\n\n```python\nf()\n```\n\n```python\nnever = 1\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (1, [("code-raises", 7, 7, "the code raises `KeyError: 'k'`")])


def test_code_that_is_no_python_is_shown_at_its_own_line(verify: Run) -> None:
    ran = verify("## One?\n\n```python\nx = 1\nif x\n    pass\n```\n", "--format", "json")
    assert (ran.status, found(ran)) == (
        1,
        [("code-raises", 7, 1, "the code raises `SyntaxError: expected ':'`")],
    )


@pytest.fixture
def releases(tmp_path: Path) -> list[str]:
    """Return the Pythons of two environments, which hold two releases of a library."""
    pythons = []
    for release in ("old", "new"):
        venv.create(tmp_path / release, symlinks=os.name != "nt")
        found = sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / release)})
        Path(found, "library.py").write_text(f"RELEASE = {release!r}\nSIDE = 4\n", "utf-8")
        pythons.append(
            str(Path(sysconfig.get_path("scripts", "venv", {"base": str(tmp_path / release)}), "python"))
        )
    return pythons


SIDES = "## How many?\n\n```python\nimport library\nprint(library.SIDE)\n```\n\n```output\n{side}\n```\n\n"
RELEASED = (
    "## Which?\n\n```python\nimport library\nprint(library.RELEASE)\n```\n\n```output\n{release}\n```\n"
)


def test_several_pythons_are_compared(verify: Run, releases: list[str], tmp_path: Path) -> None:
    """What all of them print is reported once, and everything else with the Python that prints it."""
    old, new = releases
    ran = verify(SIDES.format(side=5) + RELEASED.format(release="new"), "--python", old, "--python", new)
    version = sys.version.split()[0]
    shown = [os.path.relpath(python, tmp_path) for python in releases]
    assert [line for line in ran.err.splitlines() if "[wrong-output]" in line or "with code" in line] == [
        "cards/a.md:11:1: error[wrong-output] the code prints `4`, but the `output` block says `5`",
        f"cards/a.md:22:1: error[wrong-output] the code prints `old`, but the `output` block says `new` (on `{shown[0]}`)",
        f"2 notes with code run on Python {version} of `{shown[0]}`: 0 passed, 2 failed; 0 not run, 0 without code",
        f"2 notes with code run on Python {version} of `{shown[1]}`: 1 passed, 1 failed; 0 not run, 0 without code",
    ]
    assert ran.status == 1
    ran = verify(RELEASED.format(release="..."), "--python", old, "--python", new)
    assert (ran.status, ran.err.count("1 passed")) == (0, 2)


def test_the_json_of_several_pythons_names_the_python_of_each_run(verify: Run, releases: list[str]) -> None:
    options = ["--format", "json", *(f"--python={python}" for python in releases)]
    report = json.loads(verify(RELEASED.format(release="new"), *options).out)
    assert [(note["python"], note["status"]) for note in report["notes"]] == [
        (each["executable"], status)
        for each, status in zip(report["pythons"], ("failed", "passed"), strict=True)
    ]


def test_outputs_are_not_rewritten_for_several_pythons(verify: Run, releases: list[str]) -> None:
    ran = verify(RELEASED.format(release="new"), "--update", *(f"--python={python}" for python in releases))
    assert (ran.status, ran.err) == (
        2,
        "error: `--update` writes what one Python prints, but `--python` names several\nhelp: name one Python\n",
    )


ANNOUNCED = [
    ("raises=ValueError", "int('x')", "ValueError: ...", None),
    ("raises=ValueError", "int('x')", "ValueError: invalid literal for int() with base 10: 'x'", None),
    ("raises=ValueError", "print(1); int('x')", "1\nValueError: ...", None),
    ("raises=AssertionError", "assert 0", "AssertionError", None),
    ("raises=json.JSONDecodeError", "import json; json.loads('')", "json.JSONDecodeError: ...", None),
    ("raises=SystemExit", "exit(3)", "SystemExit: 3", None),
    ("raises=KeyError", "int('x')", "...", "wrong-exception"),
    ("raises=Exception", "int('x')", "...", "wrong-exception"),
    ("raises=os.JSONDecodeError", "import json; json.loads('')", "...", "wrong-exception"),
    ("raises=ValueError", "pass", "", "missing-exception"),
    ("raises=ValueError", "int('x')", "ValueError", "wrong-output"),
    ("", "int('x')", "ValueError: ...", "code-raises"),
]


def test_an_announced_exception_must_come_exactly(verify: Run) -> None:
    notes = [
        f"## Number {number}?\n\n```python {fence}\n{code}\n```\n\n```output\n{output}\n```\n"
        for number, (fence, code, output, _) in enumerate(ANNOUNCED)
    ]
    report = json.loads(verify("\n".join(notes), "--format", "json").out)
    got = [[each["rule"] for each in note["diagnostics"]] for note in report["notes"]]
    assert got == [[rule] if rule else [] for *_, rule in ANNOUNCED]


def test_code_behind_an_announced_exception_runs_on(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python raises=KeyError\nx = 1\n{}['a']\n```\n\n```python\nprint(x)\n```\n\n```output\n1\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (0, [])


def test_a_session_is_compared_with_what_it_shows(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```pycon\n>>> def f(x):\n...     return x\n...\n>>> f([1, 2])\n[1, 2]\n>>> print('a\\n\\nb')\na\n\nb\n"
        ">>> {}['k']\nTraceback (most recent call last):\n  ...\nKeyError: 'k'\n>>> f(3)\n4\n>>> f(5)\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (
        1,
        [
            ("wrong-output", 19, 1, "Python prints `3`, but the session shows `4`"),
            ("wrong-output", 21, 1, "Python prints `5`, but the session shows ``"),
        ],
    )


def test_a_session_may_have_an_output_block_instead(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```pycon\n>>> x = 1\n>>> x\n>>> x + 1\n```\n\n```output\n1\n2\n```\n", "--format", "json"
    )
    assert (ran.status, found(ran)) == (0, [])


def test_what_children_and_c_print_counts_in_order(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python\nimport os, subprocess, ctypes\nprint('a')\nos.write(1, b'b\\n')\nsubprocess.run(['echo', 'c'])\n"
        "ctypes.CDLL(None).puts(b'd')\n```\n\n```output\na\nb\nc\nd\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (0, [])


def test_classes_of_a_card_can_be_pickled_and_sources_read(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python\nimport inspect, pickle\nclass A: x = 1\nclass B(A): pass\nb = pickle.loads(pickle.dumps(B()))\n"
        "def f(): return 1\nprint(b.x, inspect.getsource(f), __name__)\n```\n\n```output\n1 def f(): return 1\n __main__\n```\n",
        "--format",
        "json",
    )
    assert (ran.status, found(ran)) == (0, [])


def test_warnings_are_shown_at_the_line_that_leads_to_them_and_fail_only_when_strict(verify: Run) -> None:
    source = (
        "## One?\n\n```python\nimport warnings\ndef old():\n    warnings.warn('gone soon', DeprecationWarning, 2)\nold()\nold()\n```\n\n"
        "## Two?\n<!-- card: ignore=code-warning -->\n\n```python\nimport warnings\nwarnings.warn('x')\n```\n"
    )
    warned = [
        ("code-warning", 9, 1, "the code triggers `DeprecationWarning: gone soon`"),
        ("code-warning", 10, 1, "the code triggers `DeprecationWarning: gone soon`"),
    ]
    relaxed, strict = verify(source, "--format", "json"), verify(source, "--format", "json", "--strict")
    assert (relaxed.status, found(relaxed)) == (0, warned)
    assert (strict.status, found(strict)) == (1, warned)


def test_code_that_is_not_run_is_counted_with_its_reason(verify: Run) -> None:
    ran = verify(
        '## One?\n\n```python no-run="needs a GPU"\n1 / 0\n```\n\n```output\nx\n```\n\n'
        '## Two?\n\n```python\nx = 1\n```\n\n```python no-run="needs a GPU"\n1 / 0\n```\n'
    )
    assert (ran.status, ran.err) == (
        0,
        (
            f"1 note with code run on Python {sys.version.split()[0]}: 1 passed, 0 failed; 1 not run, 0 without code\n"
            "not run: 2 × needs a GPU\n"
        ),
    )


def test_single_quotes_on_a_fence_say_the_same_as_double_ones(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python no-run='needs a GPU'\n1 / 0\n```\n\n"
        "## Two?\n\n```python raises='ValueError'\nint('x')\n```\n"
    )
    assert (ran.status, ran.err) == (
        0,
        (
            f"1 note with code run on Python {sys.version.split()[0]}: 1 passed, 0 failed; 1 not run, 0 without code\n"
            "not run: 1 × needs a GPU\n"
        ),
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("```python no-run\nx\n```", ("no-run-without-reason", 5, 1, "`no-run` without a reason")),
        ("```output\nx\n```", ("output-without-code", 5, 1, "an `output` block without code above it")),
        (
            "```python\nprint(1)\n```\n\n```output\n1\n```\n\n```output\n1\n```",
            ("second-output", 13, 1, "a second `output` block for the same code"),
        ),
        ("```pycon\n1 + 1\n```", ("session-without-prompt", 5, 1, "a `pycon` block without `>>>`")),
    ],
)
def test_blocks_that_make_no_sense_are_named(
    verify: Run, source: str, expected: tuple[str, int, int, str]
) -> None:
    ran = verify(f"## One?\n\n{source}\n", "--strict", "--format", "json")
    assert (ran.status, found(ran)) == (1, [expected])


def test_leaving_before_the_end_is_no_pass(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python\nimport sys\nsys.exit(0)\n```\n\n```output\n```\n\n"
        "## Two?\n\n```python\nimport os\nos._exit(0)\n```\n\n```output\n```\n\n"
        "## Three?\n\n```python\nimport os\nos.kill(os.getpid(), 9)\n```\n\n"
        "## Four?\n\n```python\nprint('still here')\n```\n\n```output\nstill here\n```\n",
        "--format",
        "json",
    )
    assert found(ran) == [
        ("code-raises", 7, 1, "the code raises `SystemExit: 0`"),
        ("code-died", 15, 1, "the code exits with status 0 before its last line"),
        ("code-died", 25, 1, "the code ends its process with signal SIGKILL"),
    ]


def test_a_crash_is_shown_at_its_line(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python\nimport ctypes\ndef f():\n    ctypes.string_at(0)\nf()\n```\n",
        "--format",
        "json",
    )
    assert found(ran) == [("code-died", 8, 5, "the code ends its process with signal SIGSEGV")]


@pytest.mark.slow
def test_an_endless_loop_is_shown_at_its_line(verify: Run) -> None:
    ran = verify(
        "## One?\n\n```python\nx = 1\nwhile x:\n    pass\n```\n", "--timeout", "0.3", "--format", "json"
    )
    rule, line, _, message = found(ran)[0]
    assert (ran.status, rule, message) == (1, "code-timeout", "the code is still running after 0.3 s")
    assert line in (7, 8)


def test_setup_runs_in_front_of_each_note(verify: Run) -> None:
    toml = TOML + '[verify]\nsetup = "import math\\nx = 1"\n'
    source = "## One?\n\n```python\nx += 1\nprint(x, math.floor(1.5))\n```\n\n```output\n2 1\n```\n"
    ran = verify(source + source.replace("One", "Two"), "--format", "json", toml=toml)
    assert (ran.status, found(ran)) == (0, [])


def test_a_broken_setup_is_one_error_in_deck_toml(verify: Run) -> None:
    toml = TOML + '[verify]\nsetup = """\nx = 1\ny\n"""\n'
    ran = verify("## One?\n\n```python\n1\n```\n\n## Two?\n\n```python\n2\n```\n", toml=toml)
    assert ran.status == 2
    assert ran.err.splitlines()[0] == (
        "cards/deck.toml:4:1: error[setup-failed] `setup` fails: line 2 raises `NameError: name 'y' is not defined`"
    )
    assert ran.err.splitlines()[-1] == "not run: 2 × `setup` fails"


def test_a_set_up_that_cannot_import_is_named_in_deck_toml(verify: Run) -> None:
    toml = TOML + '[verify]\nrequires = ["PyYAML"]\nsetup = "import yaml.nothing"\n'
    ran = verify("## One?\n\n```python\n1\n```\n", toml=toml)
    message = "`setup` fails: line 1 raises `ModuleNotFoundError: No module named 'yaml.nothing'`"
    assert (ran.status, ran.err.splitlines()[0]) == (2, f"cards/deck.toml:5:1: error[setup-failed] {message}")


def test_k_runs_one_note_and_knows_the_others(verify: Run) -> None:
    source = "## One?\n<!-- card: id=first -->\n\n```python\n1 / 0\n```\n\n## Two?\n<!-- card: id=second -->\n\n```python\n2\n```\n"
    assert verify(source, "-k", "second").status == 0
    assert verify(source, "-k", "first").status == 1
    unknown = verify(source, "-k", "frist")
    assert (unknown.status, unknown.err.splitlines()[-2:]) == (
        2,
        ["error: no note has the key `frist`", "help: did you mean `first`?"],
    )


def test_what_is_required_and_missing_is_one_message_and_nothing_runs(verify: Run, tmp_path: Path) -> None:
    toml = TOML + '[verify]\nrequires = ["click>=99", "no-such-thing-at-all", "genanki"]\n'
    ran = verify(f"## One?\n\n```python\nopen({str(tmp_path / 'ran')!r}, 'w')\n```\n", toml=toml)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        f"error: `{sys.executable}` (Python {sys.version.split()[0]}) lacks packages that the cards require: "
        f"`click>=99` ({version('click')} is installed), `no-such-thing-at-all` (not installed)\n"
        f"help: run `{shlex.quote(sys.executable)} -m pip install 'click>=99' no-such-thing-at-all`, "
        "or name another Python with `--python PATH`\n"
    )


def test_a_required_distribution_can_be_imported(verify: Run) -> None:
    toml = TOML + '[verify]\nrequires = ["PyYAML", "click"]\n'
    ran = verify(
        "## One?\n\n```python\nimport yaml, click\nprint(yaml.safe_load('1'))\n```\n\n```output\n1\n```\n",
        toml=toml,
    )
    assert ran.status == 0


def test_another_python_can_be_named(verify: Run, tmp_path: Path) -> None:
    link = tmp_path / "py" / "python"
    link.parent.mkdir()
    link.symlink_to(os.path.realpath(sys.executable))
    source = "## One?\n\n```python\nimport sys\nprint(sys.prefix == sys.base_prefix)\n```\n\n```output\nTrue\n```\n"
    assert verify(source, "--python", str(link)).status == 0
    assert verify(source, toml=TOML + '[verify]\npython = "../py/python"\n').status == 0
    nowhere = verify(source, "--python", str(tmp_path / "nowhere"))
    assert (nowhere.status, nowhere.err) == (
        2,
        (
            "error: `nowhere` does not run: No such file or directory\n"
            "help: name a Python 3.8 or newer with `--python PATH` or `python` in `[verify]` of `deck.toml`\n"
        ),
    )


def test_what_is_no_python_is_told_so(verify: Run) -> None:
    ran = verify("## One?\n\n```python\n1\n```\n", "--python", "/bin/ls")
    assert ran.status == 2
    assert ran.err.startswith("error: `/bin/ls` is not a Python that can run cards: ")


def test_without_code_no_python_is_asked_for(verify: Run) -> None:
    ran = verify("## One?\n\nNothing.\n", "--python", "/nowhere")
    assert (ran.status, ran.err) == (
        0,
        "No code to run (1 note without code).\n",
    )


def test_mistakes_in_the_sources_are_shown_and_the_rest_runs(verify: Run) -> None:
    ran = verify(
        "## One?\n<!-- card: knid=basic -->\n\n```python\nprint(1)\n```\n\n```output\n2\n```\n",
        "--format",
        "json",
    )
    assert ran.status == 1
    assert [rule for rule, *_ in found(ran)] == ["unknown-key", "wrong-output"]


@pytest.mark.slow
def test_several_notes_at_once_give_the_same_report(verify: Run) -> None:
    source = "".join(
        f"## Number {number}?\n\n```python\nprint({number})\n```\n\n```output\n{number % 7}\n```\n\n"
        for number in range(20)
    )
    one, three = (
        verify(source, "--format", "json", "--jobs", "1"),
        verify(source, "--format", "json", "--jobs", "3"),
    )
    assert found(one) == found(three)
    assert len(found(one)) == 13


def test_the_json_report_is_whole(verify: Run) -> None:
    ran = verify(
        '## One?\n<!-- card: id=one -->\n\n```python\nprint(1)\n```\n\n```output\n2\n```\n\n## Two?\n\n```python no-run="why"\n```\n',
        "--format",
        "json",
    )
    report = json.loads(ran.out)
    assert ran.err == ""
    assert report == {
        "version": 1,
        "counts": {"passed": 0, "failed": 1, "not_run": 1, "without_code": 0, "rewritten": 0},
        "summary": "1 error",
        "pythons": [
            {"executable": sys.executable, "version": sys.version.split()[0], "unsandboxed": "--no-sandbox"}
        ],
        "notes": [
            {
                "key": "one",
                "path": "cards/a.md",
                "line": 3,
                "python": sys.executable,
                "status": "failed",
                "unchanged": False,
                "blocks": 1,
                "not_run": [],
                "diagnostics": [
                    {
                        "path": "cards/a.md",
                        "line": 11,
                        "column": 1,
                        "length": 1,
                        "rule": "wrong-output",
                        "severity": "error",
                        "message": "the code prints `1`, but the `output` block says `2`",
                        "help": "fix the code or the output, or run `ptcards verify --update`",
                        "diff": "--- expected\n+++ printed\n@@ -1 +1 @@\n-2\n+1",
                    }
                ],
            },
            {
                "key": "two",
                "path": "cards/a.md",
                "line": 14,
                "python": sys.executable,
                "status": "not run",
                "unchanged": False,
                "blocks": 1,
                "not_run": ["why"],
                "diagnostics": [],
            },
        ],
        "diagnostics": [],
    }
