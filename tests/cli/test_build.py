"""`ptcards build` end to end: the real command on real files."""

import csv
import hashlib
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pandas as pd
import pytest

from conftest import NEW_LOCK, NEXT, Ran
from ptcards.files.inputs import has_home

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "My deck"\nid = "d"\n'
NOTE = "## One?\n\n1\n"
KINDS = """\
---
tags: [all]
---
# Kinds

## Basic?
<!-- card: id=basic difficulty=easy -->

Yes.

### Hint

Think.

### Details

More.

### Sources

- <https://example.org>

## Both ways?
<!-- card: id=both kind=reversed -->

And back.

## Type it?
<!-- card: id=type kind=typed -->

`x.numel()`

It counts.

## Which?
<!-- card: id=which -->

- [ ] a
    - No.
- [x] b, "quoted"

Because.

## What is missing?
<!-- card: id=gap -->

A {{c1::gap}} and {{c2::another::hint}}.
"""


def _packed(apkg: Path) -> tuple[list[tuple[str, ...]], dict[str, str]]:
    """Return the notes of a package (GUID, tags, fields) in order, and the names of its media."""
    with zipfile.ZipFile(apkg) as archive:
        connection = sqlite3.connect(":memory:")
        connection.deserialize(archive.read("collection.anki2"))
        rows = connection.execute("select guid, tags, flds from notes order by id").fetchall()
        connection.close()
        return [(guid, tags.strip(), *fields.split("\x1f")) for guid, tags, fields in rows], json.loads(
            archive.read("media")
        )


def test_a_collection_is_built(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "kinds.md": KINDS})
    ran = ptcards("build", root, "-o", root / "out")
    assert ran == Ran(
        0,
        "",
        NEW_LOCK
        + "Built My deck: 5 notes, 7 cards in 0.00 s\n  +5 new\n  out/my-deck.apkg  1 kB\n  out/my-deck.csv   1 kB\n"
        + NEXT,
    )
    assert sorted(path.name for path in root.rglob("*") if path.is_file()) == [
        "deck.lock",
        "deck.toml",
        "kinds.md",
        "my-deck.apkg",
        "my-deck.csv",
    ]
    assert [row[2].count("?") for row in _packed(root / "out" / "my-deck.apkg")[0]] == [1, 1, 1, 1, 1]


def test_building_again_gives_the_same_bytes_and_says_so(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "kinds.md": KINDS})
    ptcards("build", root, "-o", root / "out")
    files = [root / "deck.lock", root / "out" / "my-deck.apkg", root / "out" / "my-deck.csv"]
    before = [file.read_bytes() for file in files]
    ran = ptcards("build", root, "-o", root / "out")
    assert (
        ran.err
        == "Unchanged My deck: 5 notes, 7 cards in 0.00 s\n  out/my-deck.apkg  1 kB\n  out/my-deck.csv   1 kB\n"
    )
    assert [file.read_bytes() for file in files] == before


def test_environment_does_not_show_in_the_outputs(write: Write) -> None:
    root = write({"deck.toml": TOML, "kinds.md": KINDS, "b/more.md": NOTE})
    built = set()
    for number, changes in enumerate(
        (
            {"TZ": "Asia/Tokyo", "LANG": "C", "PYTHONHASHSEED": "1"},
            {"TZ": "UTC", "LANG": "C.UTF-8", "PYTHONHASHSEED": "2"},
        )
    ):
        out = root / f"out{number}"
        environment = {**os.environ, **changes, "SOURCE_DATE_EPOCH": "1700000000"}
        (root / "deck.lock").unlink(missing_ok=True)
        subprocess.run(
            [sys.executable, "-m", "ptcards", "build", root, "-o", out, "-q"],
            check=True,
            env=environment,
            umask=number * 0o77,
        )
        built.add(
            tuple(
                file.read_bytes() for file in (out / "my-deck.apkg", out / "my-deck.csv", root / "deck.lock")
            )
        )
    assert len(built) == 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("## \n\nNothing.\n", "a.md:1:1: error[empty-question]"),
        ("## The {{c1:cat}} sits.\n\nBecause it is tired.\n", "a.md:1:8: error[malformed-deletion]"),
    ],
    ids=["no-question", "wrong-deletion"],
)
def test_a_line_with_an_error_is_not_also_without_a_card(
    text: str, wanted: str, ptcards: Run, write: Write
) -> None:
    ran = ptcards("build", write({"deck.toml": TOML, "a.md": text}))
    assert re.findall(r"^\S+: error\[.*?\]", ran.err, re.MULTILINE) == [wanted]


def test_formats_choose_the_outputs(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    ran = ptcards("build", root, "-o", root / "out", "--format", "csv")
    assert (
        ran.err == NEW_LOCK + "Built My deck: 1 note, 1 card in 0.00 s\n  +1 new\n  out/my-deck.csv  1 kB\n"
    )
    assert [path.name for path in (root / "out").iterdir()] == ["my-deck.csv"]


def test_a_first_build_of_a_page_says_to_open_it(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    ran = ptcards("build", root, "-o", root / "out", "--format", "html")
    assert ran.err.splitlines()[-1] == "Next: open out/my-deck.html in a browser"


def test_a_selection_is_written_under_its_own_name_and_retires_nothing(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE, "sub/b.md": "## Two?\n\n2\n"})
    ptcards("build", root, "-o", root / "out")
    lock = (root / "deck.lock").read_text()
    ran = ptcards("build", root / "sub", "-o", root / "out")
    assert (
        ran.err
        == "Built My deck: 1 note, 1 card in 0.00 s\n  out/my-deck-sub.apkg  1 kB\n  out/my-deck-sub.csv   1 kB\n"
    )
    assert (root / "deck.lock").read_text() == lock


def test_errors_outside_the_selection_do_not_count(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "good.md": NOTE, "bad.md": "## Two?\n"})
    assert ptcards("build", root / "good.md", "-o", root / "out").status == 0


def test_a_single_file_builds_with_its_heading_as_deck(ptcards: Run, write: Write) -> None:
    root = write({"my-notes.md": "# Notes of mine\n\n" + NOTE})
    ran = ptcards("build", root / "my-notes.md", "-o", root / "out")
    assert ran == Ran(
        0,
        "",
        "my-notes.md:1:1: warning[no-deck-toml] without a `deck.toml`, reworded questions become new notes\n"
        "  |\n"
        "1 | # Notes of mine\n"
        "  | ^\n"
        "  = help: run `ptcards init` in this folder before you share the deck\n"
        "\n"
        "1 warning\n"
        "Built My notes: 1 note, 1 card in 0.00 s\n  out/my-notes.apkg  1 kB\n  out/my-notes.csv   1 kB\n",
    )
    with (root / "out" / "my-notes.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["deck"] for row in csv.DictReader(file)] == ["Notes of mine"]


def test_a_plain_folder_builds_under_its_name(ptcards: Run, write: Write) -> None:
    root = write({"loss-functions/a.md": "# A\n\n" + NOTE, "loss-functions/b.md": "# B\n\n" + NOTE})
    ptcards("build", root / "loss-functions", "-o", root / "out")
    with (root / "out" / "loss-functions.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["deck"] for row in csv.DictReader(file)] == ["Loss functions::A", "Loss functions::B"]
    assert not (root / "loss-functions" / "deck.lock").exists()


def test_several_collections_make_one_output_each(ptcards: Run, write: Write) -> None:
    root = write(
        {"a/deck.toml": TOML, "a/x.md": NOTE, "b/deck.toml": 'name = "Other"\nid = "o"\n', "b/x.md": NOTE}
    )
    ran = ptcards("build", root / "a", root / "b", "-o", root / "out", "--format", "csv")
    assert ran.err == (
        NEW_LOCK + "Built My deck: 1 note, 1 card in 0.00 s\n  +1 new\n  out/my-deck.csv  1 kB\n"
        "Built Other: 1 note, 1 card in 0.00 s\n  +1 new\n  out/other.csv  1 kB\n"
    )


def test_two_collections_of_one_name_do_not_overwrite_each_other(ptcards: Run, write: Write) -> None:
    root = write({"a/deck.toml": TOML, "a/x.md": NOTE, "b/deck.toml": TOML, "b/x.md": NOTE})
    ran = ptcards("build", root / "a", root / "b", "-o", root / "out")
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: two collections would both be written to `my-deck`: rename one of them, or build them into two folders with `-o`",
    )


def test_all_mistakes_of_all_files_come_in_one_run_and_nothing_is_written(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    ptcards("build", root, "-o", root / "out")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.suffix != ".md"}
    write(
        {"b.md": "## Two?\n\n## Three?\n<!-- card: id=x difficulty=meduim -->\n\n3\n", "c.md": b"## F\xff\n"}
    )
    ran = ptcards("build", root, "-o", root / "out", "--color", "never")
    assert ran == Ran(
        1,
        "",
        "b.md:1:4: error[no-answer] this question has no answer\n"
        "  |\n"
        "1 | ## Two?\n"
        "  |    ^^^^\n"
        "  = help: write the answer below the heading, or `<!-- card: draft -->` to leave it out\n"
        "\n"
        "b.md:4:28: error[unknown-difficulty] [fix] unknown difficulty `meduim`\n"
        "  |\n"
        "4 | <!-- card: id=x difficulty=meduim -->\n"
        "  |                            ^^^^^^\n"
        "  = help: did you mean `medium`?\n"
        "\n"
        "c.md:1:5: error[not-utf8] the byte `0xff` is not valid UTF-8\n"
        "  |\n"
        "1 | ## F\ufffd\n"
        "  |     ^\n"
        "  = help: save the file as UTF-8\n"
        "\n"
        "3 errors\n"
        "nothing was written; --skip-broken leaves out notes with an error\n"
        "1 of 3 can be fixed: ptcards check --fix .\n",
    )
    assert {
        path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.suffix != ".md"
    } == before


@pytest.mark.parametrize("home", [".", "deep/home"])
def test_a_folder_with_the_home_folder_is_not_read_as_a_deck(
    write: Write, ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    write({"a.md": NOTE, "sub/b.md": NOTE, "deep/home/c.md": NOTE})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / home))
    for command in ("check", "build", "find leaf", "serve"):
        assert ptcards(*command.split()) == Ran(
            2,
            "",
            "error: `.` is not the folder of a deck, and to read all of it would take too long\n"
            "help: run this in the folder of your cards, or name that folder\n",
        )
    assert ptcards("init") == Ran(
        2,
        "",
        "error: `.` cannot be a collection: it would include your home folder\n"
        "help: name a folder for your cards: `ptcards init my-deck`\n",
    )
    assert [ptcards("check", source).status for source in ("a.md", "sub")] == [0, 0]
    assert (has_home(tmp_path), has_home(tmp_path / "sub")) == (True, False)
    assert has_home(Path("/"))


@pytest.mark.parametrize(
    ("files", "arguments", "said"),
    [
        (
            {"a.md": NOTE},
            ["nowhere"],
            "error: no such file or folder: `nowhere`\nhelp: run `ptcards init nowhere` to start a collection there\n",
        ),
        (
            {"sub/a.md": NOTE},
            ["sbu"],
            "error: no such file or folder: `sbu`\nhelp: did you mean `sub`?\n",
        ),
        (
            {"a.txt": ""},
            ["."],
            "error: no Markdown files in `.`\nhelp: run `ptcards init .` to start a collection there\n",
        ),
        (
            {"deck.toml": TOML},
            ["."],
            "error: no Markdown files in `.`\nhelp: run `ptcards init .` to add a first file\n",
        ),
        (
            {"a.md": NOTE},
            [".", "--format", "pdf"],
            (
                "Usage: main build [OPTIONS] [SOURCE]...\nTry `main build --help`.\n\n"
                "error: invalid value for '--format': 'pdf' is not one of 'apkg', 'csv', 'html', 'anki-csv'\n"
            ),
        ),
    ],
)
def test_what_cannot_be_built_exits_with_2_and_says_what_to_do(
    files: dict[str, str], arguments: list[str], said: str, ptcards: Run, write: Write
) -> None:
    root = write(dict(files))
    paths = [
        str(root / argument) if not argument.startswith("-") and argument != "pdf" else argument
        for argument in arguments
    ]
    ran = ptcards("build", *paths)
    assert ran == Ran(2, "", said)


@pytest.mark.parametrize("broken", [{"deck.toml": 'name = "A\n'}, {"deck.lock": "<<<<<<< ours\n"}])
def test_an_unreadable_deck_toml_or_lock_exits_with_2(
    broken: dict[str, str], ptcards: Run, write: Write
) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE, **broken})
    assert ptcards("build", root, "-o", root / "out").status == 2
    assert not (root / "out").exists() or list((root / "out").iterdir()) == []


def test_locked_fails_when_the_lock_would_change(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    ran = ptcards("build", root, "-o", root / "out", "--locked")
    assert (ran.status, ran.err.splitlines()) == (
        1,
        [
            "error: `deck.lock` is out of date",
            "  a.md:1:1: One?: new",
            "  deck.lock: note type cloze: new",
            "  deck.lock: note type qa: new",
            "help: build without `--locked`, then commit `deck.lock`",
        ],
    )
    assert not (root / "deck.lock").exists()
    ptcards("build", root, "-o", root / "out")
    assert ptcards("build", root, "-o", root / "out", "--locked").status == 0


def test_refresh_stamps_every_note(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    ptcards("build", root, "-o", root / "out", env={"SOURCE_DATE_EPOCH": "1700000000"})
    ran = ptcards("build", root, "-o", root / "out", "--refresh", env={"SOURCE_DATE_EPOCH": "1700000000"})
    assert (
        ran.err
        == "Built My deck: 1 note, 1 card in 0.00 s\n  ~1 sent again\n  out/my-deck.apkg  1 kB\n  out/my-deck.csv   1 kB\n"
    )
    assert "\t1700000001\tlive\t" in (root / "deck.lock").read_text()


BROKEN = "# T\n\n## What does it print?\n\nThe loss, with its name:\n\n```python\nprint('loss:' loss)\n```\n"


def test_every_error_that_check_reports_about_a_note_stops_a_build(ptcards: Run, write: Write) -> None:
    notes = {
        "second-output": "# T\n\n## What is it?\n\n```python\nx\n```\n\n```output\n1\n```\n\n```output\n1\n```\n",
        "duplicate-option": "# T\n\n## Which is it?\n\n- [x] a\n- [ ] a\n",
    }
    for rule, text in notes.items():
        folder = write({"deck.toml": TOML, "a.md": text})
        checked, built = ptcards("check", folder), ptcards("build", folder, "-o", folder / "out")
        assert (checked.status, built.status) == (1, 1)
        assert f"error[{rule}]" in checked.out
        assert f"error[{rule}]" in built.err
        assert not (folder / "deck.lock").exists()


@pytest.mark.extensions
def test_python_that_does_not_parse_stops_no_build_and_may_be_ignored(ptcards: Run, write: Write) -> None:
    ignoring = TOML + '[check]\nignore = ["broken-python"]\n'
    folder = write({"deck.toml": ignoring, "a.md": BROKEN})
    for _ in range(2):
        ran = ptcards("build", folder, "-o", folder / "out")
        assert (ran.status, "broken-python" in ran.err) == (0, False)
    assert ran.err.startswith("Unchanged")
    assert ptcards("check", folder).status == 0
    card = "Q: What does it print?\nA: The loss:\n```python\nprint('loss:' loss)\n```\n"
    (folder / "deck.toml").write_text(TOML + 'dialect = "qa"\n', "utf-8")
    (folder / "a.md").write_text(card, "utf-8")
    ran = ptcards("build", folder, "-o", folder / "out", "--accept")
    assert (ran.status, "broken-python" in ran.err) == (0, False)  # a build does not parse all code
    assert "warning[broken-python]" in ptcards("check", folder).out


def test_source_date_epoch_must_be_a_time(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    ran = ptcards("build", root, "-o", root / "out", env={"SOURCE_DATE_EPOCH": "soon"})
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: SOURCE_DATE_EPOCH must be a whole number of seconds, 1 or more, not `soon`",
    )


def test_a_clock_after_2100_is_a_warning_each_time_it_dates_something(ptcards: Run, write: Write) -> None:
    def warned(*options: str) -> list[str]:
        late = {"SOURCE_DATE_EPOCH": "999999999999"}
        ran = ptcards("build", root, "-o", root / "out", *options, env=late)
        assert ran.status == 0
        return [line for line in ran.err.splitlines() if "far-future-clock" in line]

    root = write({"deck.toml": TOML, "a.md": NOTE})
    told = ["deck.lock:1:1: warning[far-future-clock] the clock is past the year 2100"]
    assert [warned("--dry-run"), warned(), warned(), warned("--refresh")] == [told, told, [], told]
    assert ptcards("check", root, "--strict", env={"SOURCE_DATE_EPOCH": "999999999999"}).status == 0


def test_an_output_that_cannot_be_written_exits_with_1(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE, "out/my-deck.apkg/in-the-way": ""})
    ran = ptcards("build", root, "-o", root / "out")
    assert (ran.status, ran.err) == (1, "error: cannot write `out/my-deck.apkg`: is a directory\n")


def test_media_travel_under_the_name_of_their_content(ptcards: Run, write: Write) -> None:
    root = write(
        {
            "deck.toml": TOML,
            "img/a pic.png": b"\x89PNG",
            "sub/a.md": '## One?\n\n![alt](../img/a%20pic.png "title") <img src="../img/a pic.png">\n',
        }
    )
    assert ptcards("build", root, "-o", root / "out").status == 0
    (note,), media = _packed(root / "out" / "my-deck.apkg")
    assert media == {"0": "a-pic-0f4636c7.png"}
    assert re.findall(r'src="([^"]*)"', note[3]) == ["a-pic-0f4636c7.png"] * 2


def test_a_dark_twin_that_comes_changes_or_goes_changes_its_note_alone(ptcards: Run, write: Write) -> None:
    root = write(
        {
            "deck.toml": TOML,
            "plot.svg": "<svg/>",
            "a.md": "## One?\n\n![p](plot.svg)\n\n" + NOTE.replace("One", "Two"),
        }
    )

    def built() -> tuple[str, list[str], set[str]]:
        said = ptcards("build", root, "-o", root / "out").err
        notes, media = _packed(root / "out" / "my-deck.apkg")
        return said.split("\n  ")[1], [note[3] for note in notes], set(media.values())

    day = "plot-d4dc5666.svg"
    img = '<p><img alt="p" src="plot-d4dc5666.svg"></p>'
    twins = '<p><img alt="p" class="day-only" src="plot-d4dc5666.svg"><img alt="p" class="night-only" src="{}"></p>'
    assert built() == ("+2 new", [img, "<p>1</p>"], {day})
    for content, name in (
        (b"<svg>1</svg>", "plot.dark-efb22151.svg"),
        (b"<svg>2</svg>", "plot.dark-9d04b70d.svg"),
    ):
        (root / "plot.dark.svg").write_bytes(content)
        assert built() == ("~1 changed", [twins.format(name), "<p>1</p>"], {day, name})
    (root / "plot.dark.svg").unlink()
    assert built() == ("~1 changed", [img, "<p>1</p>"], {day})


def test_a_dark_twin_that_cannot_be_used_is_an_error_and_one_without_its_picture_is_not_looked_at(
    ptcards: Run, write: Write
) -> None:
    files = {"b.svg": "<svg/>", "b.dark.svg": "", "c.dark.svg": ""}
    root = write({"deck.toml": TOML, "a.md": "## One?\n\n![p](a.svg) ![p](b.svg)\n", **files})
    ran = ptcards("build", root, "-o", root / "out")
    assert (ran.status, [line for line in ran.err.splitlines() if line.startswith("a.md")]) == (
        1,
        [
            "a.md:3:1: error[missing-media] no file `a.svg`",
            "a.md:3:13: error[empty-media] `b.dark.svg` is empty",
        ],
    )


def test_the_csv_reads_back_equal_by_csv_and_pandas(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "kinds.md": KINDS})
    ptcards("build", root, "-o", root / "out", "--format", "csv")
    file = root / "out" / "my-deck.csv"
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = list(csv.DictReader(opened))
    guids = [row.pop("guid") for row in rows]
    assert len(set(guids)) == 5
    common = {
        "deck": "My deck::Kinds",
        "difficulty": "",
        "tags": "all",
        "hint": "",
        "details": "",
        "choices": "",
        "sources": "",
    }
    assert rows == [
        {
            **common,
            "key": "basic",
            "kind": "basic",
            "difficulty": "easy",
            "tags": "all difficulty::easy",
            "question": "Basic?",
            "answer": "Yes.",
            "hint": "Think.",
            "details": "More.",
            "sources": "'- <https://example.org>",
        },
        {**common, "key": "both", "kind": "reversed", "question": "Both ways?", "answer": "And back."},
        {
            **common,
            "key": "type",
            "kind": "typed",
            "question": "Type it?",
            "answer": "x.numel()\n\nIt counts.",
        },
        {
            **common,
            "key": "which",
            "kind": "choice",
            "question": "Which?",
            "answer": 'b, "quoted"\n\nBecause.',
            "choices": '\'- [ ] a\n    - No.\n- [x] b, "quoted"',
        },
        {
            **common,
            "key": "gap",
            "kind": "cloze",
            "question": "What is missing?",
            "answer": "A {{c1::gap}} and {{c2::another::hint}}.",
        },
    ]
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    assert frame.drop(columns="guid").to_dict("records") == rows
    assert list(frame.columns) == [
        "guid",
        "key",
        "deck",
        "kind",
        "difficulty",
        "tags",
        "question",
        "answer",
        "hint",
        "details",
        "choices",
        "sources",
    ]
    content = file.read_bytes()
    assert (content[:3], content.endswith(b"\r\n"), content.count(b"\r\n")) == (b"\xef\xbb\xbf", True, 6)


def test_a_closed_stream_stops_nothing(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": "## One?\n"})
    command = f"{shlex.quote(sys.executable)} -m ptcards check >&-"
    closed = subprocess.run(command, shell=True, cwd=root, capture_output=True, check=False)
    assert (closed.returncode, closed.stderr) == (1, b"")


def test_a_full_disk_behind_the_output_is_named(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": "## One?\n"})
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "ptcards", "check"],
            cwd=root,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (1, b"error: no space left on device\n")


def test_a_link_to_itself_as_output_is_named(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    (root / "loop").symlink_to("loop")
    ran = ptcards("build", root, "-o", root / "loop")
    assert (ran.status, ran.err) == (1, "error: cannot write `loop`: file exists\n")


def test_two_pictures_with_one_name_in_anki_are_refused_by_every_build(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    pictures: dict[str, bytes] = {}
    for number in count():
        picture = b"<svg>%d</svg>" % number
        twin = pictures.setdefault(hashlib.sha256(picture).hexdigest()[:8], picture)
        if twin != picture:
            break
    folder = write(
        {
            "cards/deck.toml": 'name = "Deck"\nid = "i"\n',
            "cards/a.md": "## One?\n\n![p](a/plot.svg)\n",
            "cards/b.md": "## Two?\n\n![p](b/plot.svg)\n",
            "cards/a/plot.svg": twin,
            "cards/b/plot.svg": b"<svg/>",
        }
    )
    assert ptcards("build", folder / "cards", "-o", folder / "out").status == 0
    before = (folder / "out/deck.apkg").read_bytes()
    (folder / "cards/b/plot.svg").write_bytes(picture)
    # The second build finds the first source as the previous one left it.
    for _ in range(2):
        ran = ptcards("build", folder / "cards", "-o", folder / "out")
        assert ran.status == 1
        assert (
            ran.err
            == """\
cards/b.md:3:1: error[media-name-clash] `cards/b/plot.svg` and `cards/a/plot.svg` (cards/a.md:3:1) have the same name in Anki
  |
3 | ![p](b/plot.svg)
  | ^^^^^^^^^^^^^^^^
  = help: rename one of the two files

1 error
nothing was written
"""
        )
        assert (folder / "out/deck.apkg").read_bytes() == before


def test_the_outputs_of_a_collection_called_con_are_files_on_windows_too(write: Write, ptcards: Run) -> None:
    root = write({"cards/deck.toml": 'name = "CON"\nid = "c"\n', "cards/nul.md": NOTE})
    assert ptcards("build", root / "cards", "-o", root / "out").status == 0
    assert ptcards("build", root / "cards/nul.md", "-o", root / "out").status == 0
    assert sorted(file.name for file in (root / "out").iterdir()) == [
        "con-deck.apkg",
        "con-deck.csv",
        "con-nul.apkg",
        "con-nul.csv",
    ]


def test_two_collections_whose_outputs_differ_in_case_only_are_refused(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    root = write(
        {
            "a/deck.toml": 'name = "Maß"\nid = "a"\n',
            "a/a.md": "## One?\n\n1\n",
            "b/deck.toml": 'name = "MASS"\nid = "b"\n',
            "b/b.md": "## Two?\n\n2\n",
        }
    )
    ran = ptcards("build", root / "a", root / "b", "-o", root / "out")
    message = "two collections would both be written to `maß`: rename one of them, or build them into two folders with `-o`"
    assert (ran.status, ran.err.split("\n")[-2]) == (2, f"error: {message}")


def test_a_build_in_a_work_tree_looks_for_no_temporary_folder(write: Write) -> None:
    """To test a temporary folder, Python writes a random file there, which a kill may leave behind."""
    root = write({"deck.toml": TOML, "a.md": NOTE})
    program = (
        "import subprocess, sys, tempfile\n"
        "from ptcards.cli import main\n"
        "def build(*options):\n"
        "    try: main(['build', '-q', *options])\n"
        "    except SystemExit as end: assert not end.code\n"
        "build()\n"
        "git = ['git', '-c', 'user.name=a', '-c', 'user.email=a@b.example']\n"
        "for command in (['init', '-q'], ['add', '.'], ['commit', '-q', '-m', 'one']):\n"
        "    subprocess.run([*git, *command], check=True)\n"
        "build('--refresh')\n"
        "sys.exit(tempfile.tempdir is not None)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_dry_run_says_what_would_be_built_and_writes_nothing(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    said = "Would build My deck: 1 note, 1 card\n  +1 new\n  out/my-deck.apkg\n  out/my-deck.csv\n"
    assert ptcards("build", root, "-o", root / "out", "--dry-run") == Ran(0, "", said)
    assert sorted(path.name for path in root.iterdir()) == ["a.md", "deck.toml"]
    (root / "a.md").write_text("## One?\n")
    assert ptcards("build", root, "-o", root / "out", "--dry-run").status == 1


def test_several_outputs_do_not_fit_into_standard_output(ptcards: Run, write: Write) -> None:
    ran = ptcards("build", write({"a.md": NOTE}), "-o", "-")
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: outputs are files: name a folder instead of `-`",
    )
