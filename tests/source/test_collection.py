"""Which files are sources, and the errors for those that cannot be read."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.files import NoSuchSourceError
from ptcards.files.inputs import in_other_case, in_words, one_file, slug
from ptcards.source.collection import find_collections

Write = Callable[[dict[str, str | bytes]], Path]
TOML = 'name = "Deck"\nid = "d"\n'
NOTE = "## One?\n\n1\n"
DIALECT = '{ files = ["a/**"], dialect = "none" },'


def _names(path: Path, *more: Path) -> list[str]:
    (collection,), diagnostics = find_collections([path, *more])
    assert diagnostics == []
    return [source.name for source in collection.sources if collection.is_selected(source.path)]


def test_every_markdown_file_below_the_root_is_a_source_in_path_order(write: Write) -> None:
    root = write({"deck.toml": TOML, "b.md": NOTE, "a/z.md": NOTE, "a/B.MD": NOTE, "a.md": NOTE})
    assert _names(root) == ["a.md", "a/B.MD", "a/z.md", "b.md"]


def test_readmes_hidden_and_excluded_files_are_not_sources(write: Write) -> None:
    names = [
        "x.md",
        "README.md",
        "sub/ReadMe.md",
        "_draft.md",
        ".hidden.md",
        "_drafts/a.md",
        ".git/a.md",
        "build/a.md",
        "drafts/deep/a.md",
        "a.txt",
    ]
    root = write({"deck.toml": TOML + 'exclude = ["drafts/**"]\n', **dict.fromkeys(names, NOTE)})
    assert _names(root) == ["x.md"]


def test_a_selection_keeps_the_whole_collection(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE, "sub/b.md": NOTE, "sub/c.md": NOTE})
    assert _names(root / "sub") == ["sub/b.md", "sub/c.md"]
    assert _names(root / "a.md", root / "sub" / "c.md") == ["a.md", "sub/c.md"]
    (collection,), _ = find_collections([root / "sub"])
    assert [source.name for source in collection.sources] == ["a.md", "sub/b.md", "sub/c.md"]


def test_a_folder_and_a_file_without_deck_toml_are_collections_too(write: Write) -> None:
    root = write({"loss-functions/a.md": NOTE, "loss-functions/b.md": NOTE})
    (folder, file), _ = find_collections([root / "loss-functions", root / "loss-functions" / "a.md"])
    assert (folder.config.name, folder.configured, [s.name for s in folder.sources]) == (
        "Loss functions",
        False,
        ["a.md", "b.md"],
    )
    assert (file.config.name, file.configured, [s.name for s in file.sources]) == ("A", False, ["a.md"])


@pytest.mark.parametrize("missing", ["nowhere", "empty"])
def test_a_source_that_is_none_is_wrong_usage(missing: str, write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE, "README.md": NOTE, "empty/x.txt": ""})
    with pytest.raises(NoSuchSourceError):
        find_collections([root / missing])


def test_a_folder_without_markdown_is_wrong_usage(write: Write) -> None:
    with pytest.raises(NoSuchSourceError, match="no Markdown files"):
        find_collections([write({"a.txt": ""})])


def _problems(root: Path) -> list[str]:
    _, diagnostics = find_collections([root])
    return [
        f"{each.location.path.removeprefix(f'{root}/')}:{each.location.line}:{each.location.column} {each.rule}"
        for each in diagnostics
    ]


def test_bytes_that_are_not_utf8_are_named_with_their_place(write: Write) -> None:
    root = write(
        {"deck.toml": TOML, "a.md": "## Fräge?\r\n\r\nähm ".encode() + b"\xff\n", "b.md": b"\xef\xbb\xbf\xff"}
    )
    assert _problems(root) == ["a.md:3:5 not-utf8", "b.md:1:1 not-utf8"]


def test_control_characters_are_named(write: Write) -> None:
    assert _problems(write({"deck.toml": TOML, "a.md": "## One?\n\na\x1fb\tc\x00\n"})) == [
        "a.md:3:2 control-character",
        "a.md:3:6 control-character",
    ]


def test_line_ends_and_a_byte_order_mark_do_not_show(write: Write) -> None:
    (collection,), diagnostics = find_collections(
        [write({"deck.toml": TOML, "a.md": b"\xef\xbb\xbfa\r\nb\rc\n\xe2\x80\xa8\xc2\x85"})]
    )
    assert (collection.sources[0].text, diagnostics) == ("a\nb\nc\n\u2028\x85", [])


def test_a_pipe_is_no_source(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    os.mkfifo(root / "pipe.md")
    assert _problems(root) == ["pipe.md:1:1 unreadable-source"]


def test_a_linked_folder_is_not_followed_but_named(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    (root / "loop").symlink_to(root)
    assert _problems(root) == ["loop:1:0 linked-folder"]


def test_a_collection_inside_a_collection_is_an_error(write: Write) -> None:
    assert _problems(write({"a.md": NOTE, "inner/deck.toml": TOML, "inner/b.md": NOTE})) == [
        "inner/deck.toml:1:1 nested-collection"
    ]


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ("", ["1:1 missing-key `name` is missing", "1:1 missing-key `id` is missing"]),
        ('name = "A"\nid = "a b"\n', ["2:1 malformed-id `a b` cannot be an id"]),
        ('name = "A::B"\nid = "a"\n', ["1:1 bad-deck-name `A::B` cannot be a deck name"]),
        ('name = "A"\nid = "a"\ntag = ["x"]\n', ["3:1 unknown-key unknown key `tag`"]),
        (
            'name = "A"\nid = "a"\n[verify]\ntimout = 3\n',
            ["4:1 unknown-key unknown key `timout` in `[verify]`"],
        ),
        (
            'name = "A"\nid = "a"\ntags = "x"\n',
            ["3:1 wrong-value `tags` must be a list of at most 100 strings"],
        ),
        *[
            (
                f'name = "A"\nid = "a"\nreport = "{report}"\n',
                ["3:1 wrong-value `report` must be a web address with `{guid}` in it"],
            )
            for report in (
                "https://example.org/",
                "javascript:alert(1)//{guid}",
                "https://example.org/{{GUID}}{guid}",
                "https://a'{guid}",
                "https://example.org/{guid}{Version}",
                "https://example.org/{question}",
            )
        ],
        *[
            (f'name = "A"\nid = "a"\nreport = "{report}"\n', [])
            for report in (
                "https://example.org/{guid}",
                "https://a/?{deck}&g={guid}&{version}{question}{guid}",
            )
        ],
        (
            'name = "A"\nid = "a"\n[release]\nissues = "https://github.com/a/b/issues/new?q={question}&{guid}"\n',
            [],
        ),
        ('name = "A"\nid = "a"\n[release]\naddon = "https://example.org/a?b#c"\n', []),
        (
            'name = "A"\nid = "a"\n[release]\naddon = "subscribe.ankiaddon"\n',
            ["4:1 wrong-value `addon` must be an `https://` address"],
        ),
        *[
            (
                f'name = "A"\nid = "a"\nquestion-level = {level}\n',
                ["3:1 wrong-value `question-level` must be a number from 2 to 6"],
            )
            for level in (1, 7, "true", '"2"')
        ],
        *[(f'name = "A"\nid = "a"\nquestion-level = {level}\n', []) for level in (2, 6)],
        *[
            (
                f'name = "A"\nid = "a"\ndialects = {value}\n',
                ["3:1 wrong-value `dialects` must be tables with `files` and `dialect`"],
            )
            for value in ("1", '"qa"', "{}", f"[{DIALECT * 101}]")
        ],
        (f'name = "A"\nid = "a"\ndialects = [{DIALECT * 100}]\n', []),
        ('name = "A"\nid = "a"\ncheck = 1\n', ["3:1 wrong-value `check` must be a table"]),
        (
            'name = "A"\nid = "a"\n[check.limits]\nanswer-words = "x"\n',
            ["4:1 wrong-value `answer-words` must be a positive whole number"],
        ),
        ('name = "A"\nid = "a"\ncss = "no.css"\n', ["3:1 missing-css no file `no.css` in the collection"]),
        (
            'name = "A"\nid = "a"\n[math]\nmacros = "no.tex"\n',
            ["4:1 missing-macros no file `no.tex` in the collection"],
        ),
        ('name = "A"\nid = "a"\nmath = "m.tex"\n', ["3:1 wrong-value `math` must be a table"]),
        ('nam = "A"\nid = "a"\n', ["1:1 unknown-key unknown key `nam`"]),
        (
            'naem = "A"\nidd = "a"\n',
            ["1:1 unknown-key unknown key `naem`", "2:1 unknown-key unknown key `idd`"],
        ),
        (
            'topic = "A"\nid = "a"\n',
            ["1:1 unknown-key unknown key `topic`", "1:1 missing-key `name` is missing"],
        ),
        ('name = "A\nid = "a"\n', ["1:10 broken-deck-toml this text has no closing quote"]),
    ],
)
def test_what_is_wrong_in_deck_toml_is_named(toml: str, expected: list[str], write: Write) -> None:
    _, diagnostics = find_collections([write({"deck.toml": toml, "a.md": NOTE})])
    assert [
        f"{each.location.line}:{each.location.column} {each.rule} {each.message}" for each in diagnostics
    ] == expected


@pytest.mark.parametrize(
    ("setting", "fix"),
    [
        ('difficulty = "easy"', "write `difficulty` in front matter or a card comment"),
        ('dificulty = "easy"', "did you mean `difficulty`? Write it in front matter or a card comment"),
        ('deck = "x"', "write `deck` in front matter"),
        ('kind = "typed"', "write `kind` in a card comment"),
        ("timeout = 3", "write `timeout` in `[verify]`"),
        ("enabel = []", "did you mean `enable`? Write it in `[check]`"),
        ('langage = "de"', "did you mean `language`?"),
        ('[check]\nlanguage = "de"', "write `language` above the first table"),
    ],
)
def test_a_key_of_another_place_is_recognised(setting: str, fix: str, write: Write) -> None:
    _, diagnostics = find_collections([write({"deck.toml": f"{TOML}{setting}\n", "a.md": NOTE})])
    assert [(each.rule, each.help) for each in diagnostics] == [("unknown-key", fix)]


def test_names_become_words_and_words_file_names() -> None:
    assert [in_words(name) for name in ("loss-functions", "torch_compile", "GPU")] == [
        "Loss functions",
        "Torch compile",
        "GPU",
    ]
    assert [slug(name) for name in ("PyTorch", "C++ & more", "Für Ärzte", "日本語", "!")] == [
        "pytorch",
        "c-more",
        "für-ärzte",
        "日本語",
        "deck",
    ]


def test_a_folder_that_cannot_be_read_is_named(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    deep = os.open(root, os.O_RDONLY)
    for _ in range(25):  # beyond the longest path that Linux accepts
        os.mkdir("x" * 200, dir_fd=deep)
        below = os.open("x" * 200, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    assert [problem.rpartition("x:")[2] for problem in _problems(root)] == ["1:0 unreadable-source"]


@pytest.mark.parametrize(
    ("setting", "rule"),
    [
        ("x = " + "[" * 5000, "4:1 broken-deck-toml"),
        ("x = " + "1" * 5000, "4:1 broken-deck-toml"),
        (f'css = "{"a" * 300}"', "3:1 missing-css"),
    ],
    ids=["brackets", "digits", "a long name"],
)
def test_settings_beyond_the_limits_of_the_machine_are_errors(setting: str, rule: str, write: Write) -> None:
    root = write({"deck.toml": f"{TOML}{setting}\n", "a.md": NOTE})
    assert _problems(root) == [f"deck.toml:{rule}"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("cats", "Cats", True),
        ("ma\u00df", "MASS", True),
        ("\u03c3\u03b1\u03c2", "\u03a3\u0391\u03a3", True),
        ("caf\u00e9", "CAFE\u0301", True),
        ("cats", "cat", False),
        ("cafe", "caf\u00e9", False),
    ],
)
def test_names_that_some_system_takes_for_one_file(one: str, other: str, expected: bool) -> None:
    assert (one_file(one) == one_file(other)) == expected


def test_names_that_are_deck_toml_only_to_some_systems() -> None:
    names = ["deck.toml", "Deck.toml", "DECK.LOCK", "deck.lock", "deck.toml~", "decks.toml"]
    assert in_other_case(names) == {"Deck.toml": "deck.toml", "DECK.LOCK": "deck.lock"}


def test_a_deck_toml_in_capitals_is_an_error_everywhere(write: Write) -> None:
    assert _problems(write({"deck.toml": TOML, "a.md": NOTE, "DECK.lock": ""})) == [
        "DECK.lock:1:1 other-case"
    ]
    assert _problems(write({"b/Deck.toml": TOML, "b/a.md": NOTE}) / "b")[0].endswith(":1:1 other-case")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


def test_what_a_package_manager_installed_is_never_a_source(write: Write) -> None:
    installed = ("node_modules/x/a.md", "sub/node_modules/b.md", "env/pyvenv.cfg", "env/lib/c.md")
    root = write({"deck.toml": TOML, "a.md": NOTE, "sub/b.md": NOTE, **dict.fromkeys(installed, NOTE)})
    assert _names(root) == ["a.md", "sub/b.md"]


IGNORED = "/drafts/\n/tracked.md\n"
REPOSITORY: dict[str, str | bytes] = {
    "deck.toml": f'{TOML}include = ["drafts/wanted.md"]\n',
    ".gitignore": IGNORED,
    "a.md": "## What is a?\n\nIt is the first.\n",
    "tracked.md": "## What is tracked?\n\nIt is in git.\n",
    "drafts/b.md": "## What is b?\n\nIt is the second.\n",
    "drafts/wanted.md": "## What is wanted?\n\nIt is named.\n",
    "sub/.gitignore": "c.md\n",
    "sub/c.md": "## What is c?\n\nIt is the third.\n",
    "sub/CHANGELOG.md": "## What changed?\n\nAll of it.\n",
    "CHANGELOG.md": "## What is new?\n\nAll of it.\n",
    "Contributing.md": "## What is a fork?\n\nA copy.\n",
}
READ = ["Contributing.md", "a.md", "drafts/wanted.md", "sub/CHANGELOG.md", "tracked.md"]


@pytest.fixture
def repository(write: Write) -> Path:
    root = write(REPOSITORY)
    _git(root, "init", "--quiet")
    _git(root, "add", "--force", "tracked.md")
    return root


def test_files_that_git_ignores_and_files_about_a_repository_are_not_read(
    repository: Path, ptcards: Callable[..., Ran]
) -> None:
    assert _names(repository) == READ
    what = "Built Deck: 5 notes, 5 cards (3 files not read: check -v)"
    built = [ptcards("build", repository, "-o", repository / "out").err for _ in range(2)]
    assert [what in built[0], what.replace("Built", "Unchanged") in built[1]] == [True, True]
    checked = ptcards("check", repository, "--select", "no-answer")
    assert checked.err == "Checked 5 notes (3 files not read: check -v): nothing to report\n"
    lines = [
        line for line in ptcards("check", repository, "-v").err.splitlines() if line.startswith("not read")
    ]
    assert [line.replace(f"{repository}/", "") for line in lines] == [
        "not read: CHANGELOG.md: it is about the repository; name it in `include` to read it",
        "not read: drafts/b.md: git ignores it; name it in `include` to read it",
        "not read: sub/c.md: git ignores it; name it in `include` to read it",
    ]


def test_a_file_with_published_notes_is_read_whatever_git_ignores(
    repository: Path, ptcards: Callable[..., Ran]
) -> None:
    (repository / ".gitignore").write_text("/tracked.md\n", "utf-8")
    assert "6 notes" in ptcards("build", repository, "-o", repository / "out").err
    (repository / ".gitignore").write_text(IGNORED, "utf-8")
    assert _names(repository) == sorted([*READ, "drafts/b.md"])
    (repository / "deck.lock").unlink()
    assert _names(repository) == READ


@pytest.mark.extensions
def test_if_git_ignores_every_source_or_the_format_is_another_one_all_are_read(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.md\n", "utf-8")
    _git(repository, "rm", "--cached", "--quiet", "tracked.md")
    (repository / "CHANGELOG.md").unlink()
    everything = sorted([*READ, "drafts/b.md", "sub/c.md"])
    assert _names(repository) == everything
    (repository / ".gitignore").write_text(IGNORED, "utf-8")
    (repository / "deck.toml").write_text(f'{TOML}dialect = "qa"\n', "utf-8")
    assert _names(repository) == everything


def test_a_named_file_is_read(repository: Path) -> None:
    (collection,), _ = find_collections([repository / "drafts" / "b.md"])
    assert "drafts/b.md" in [source.name for source in collection.sources]


def test_git_is_asked_once_a_run(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = repository.parent / "log"
    program = repository.parent / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec {shutil.which("git")} "$@"\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    subprocess.run([sys.executable, "-m", "ptcards", "build", repository, "-q"], check=True, cwd=repository)
    assert sum("check-ignore --no-index -z" in line for line in log.read_text("utf-8").splitlines()) == 1
