"""Odd clocks, disks, folders and paths cause a clear message, or the right deck is built."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anki_backend import import_package, learner, notes_by_guid
from conftest import Ran

pytestmark = pytest.mark.slow

TOML = 'name = "Deck"\nid = "deck"\n'
SOURCE = "# T\n\n## One?\n<!-- card: id=one -->\n\n![p](p.png) Yes.\n"
FILES = {"c/deck.toml": TOML, "c/a.md": SOURCE, "c/p.png": b"\x89PNG"}


def as_others(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run `ptcards` in a folder as root without the capabilities that ignore file modes."""
    command = [sys.executable, "-m", "ptcards", *arguments]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


# Clocks


@pytest.mark.parametrize("clock", [-3600.0, 0.4, 5.0, 4_115_000_000.0])
def test_a_clock_before_1970_or_in_2100_makes_a_deck_that_anki_takes_and_updates(
    clock: float, ptcards: Callable[..., Ran], write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(FILES)
    package = root / "out" / "deck.apkg"
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    with learner(root / "anki") as anki:
        with monkeypatch.context() as then:
            then.setattr(time, "time", lambda: clock)
            assert ptcards("build", root / "c", "-o", root / "out").status == 0
        assert import_package(anki, package) == {"new": 1}
        write({"c/a.md": f"{SOURCE}\nMore.\n"})
        assert ptcards("build", root / "c", "-o", root / "out").status == 0
        assert import_package(anki, package) == {"updated": 1}
        (note,) = notes_by_guid(anki).values()
        assert "More." in note["Answer"]


# Modes


@pytest.mark.parametrize(
    ("closed", "status", "said"),
    [
        ("c/a.md", 1, "c/a.md:1:1: error[unreadable-source] cannot be read: permission denied"),
        ("c/p.png", 1, "c/a.md:6:1: error[missing-media] `p.png` cannot be read: permission denied"),
        ("c/deck.toml", 2, "c/deck.toml:1:1: error[broken-deck-toml] cannot be read: permission denied"),
        ("c/deck.lock", 2, "c/deck.lock:1:1: error[damaged-lock] cannot be read: permission denied"),
        ("c/sub", 1, "c/sub: error[unreadable-source] the folder cannot be read: permission denied"),
        ("out", 1, "error: cannot write `out/deck.apkg`: permission denied"),
    ],
)
def test_what_is_closed_is_named(
    closed: str, status: int, said: str, write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    root = write({**FILES, "c/sub/b.md": "## Two?\n\n2.\n"})
    assert ptcards("build", root / "c", "-o", root / "out").status == 0
    before = (root / "out" / "deck.apkg").read_bytes()
    write({"c/a.md": f"{SOURCE}\nMore.\n"})
    mode = (root / closed).stat().st_mode
    (root / closed).chmod(0o500 if closed == "out" else 0)
    ran, message = as_others(root, "build", "c", "-o", "out")
    (root / closed).chmod(mode)
    assert (ran, message.split("\n")[0]) == (status, said)
    assert (root / "out" / "deck.apkg").read_bytes() == before


def test_a_collection_that_may_only_be_read_is_built_elsewhere_if_its_lock_is_up_to_date(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    root = write(FILES)
    (root / "c").chmod(0o500)
    ran, message = as_others(root, "build", "c", "-o", "out")
    assert (ran, message) == (1, "error: cannot write `c/deck.lock`: permission denied\n")
    (root / "c").chmod(0o700)
    assert ptcards("build", root / "c", "-o", root / "out").status == 0
    (root / "c").chmod(0o500)
    ran, message = as_others(root, "build", "c", "-o", "out2")
    (root / "c").chmod(0o700)
    assert ran == 0, message
    assert (root / "out" / "deck.apkg").read_bytes() == (root / "out2" / "deck.apkg").read_bytes()


def test_if_the_folder_beside_deck_toml_cannot_be_written_the_error_names_the_option(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    root = write(FILES)
    assert ptcards("build", root / "c").status == 0
    (root / "c" / "build" / "deck.csv").unlink()
    said = "error: cannot write `c/build/deck.apkg`: permission denied; choose another folder with `-o`\n"
    (root / "c" / "build").chmod(0o500)
    assert as_others(root, "build", "c") == (1, said)
    (root / "c" / "build").chmod(0o700)
    shutil.rmtree(root / "c" / "build")
    (root / "c").chmod(0o500)
    assert as_others(root, "build", "c") == (1, said)
    assert as_others(root, "build", "c", "-o", "out")[0] == 0
    (root / "c").chmod(0o700)
    (root / "c" / "build").write_text("a file")
    said = "error: cannot write `c/build`: file exists; choose another folder with `-o`\n"
    assert as_others(root, "build", "c") == (1, said)


# Paths


def test_links_in_circles_and_to_nowhere_are_named(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    root = write(FILES)
    for name, target in (("loop", "."), ("up", "../c"), ("self.md", "self.md"), ("gone.md", "nowhere.md")):
        (root / "c" / name).symlink_to(target)
    ran = ptcards("build", root / "c", "-o", root / "out")
    assert ran.status == 1
    assert [line for line in ran.err.split("\n") if line.startswith("c/")] == [
        "c/gone.md:1:1: error[unreadable-source] cannot be read: no such file or directory",
        "c/self.md:1:1: error[unreadable-source] cannot be read: too many levels of symbolic links",
        "c/loop: warning[linked-folder] the folder `loop` is a link and is not read",
        "c/up: warning[linked-folder] the folder `up` is a link and is not read",
    ]


def test_spaces_umlauts_emoji_and_line_ends_in_paths_change_nothing_and_break_no_line(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    root = write(FILES)
    odd = root / "ein Stück 🙂\nüber\x1b[31m"
    (odd / "ä ö").mkdir(parents=True)
    shutil.copy(root / "c/deck.toml", odd)
    (odd / "ä ö" / "a\nb.md").write_text(SOURCE.replace("p.png", "<p q\u0308.png>"), encoding="utf-8")
    (odd / "ä ö" / "p q\u0308.png").write_bytes(b"\x89PNG")
    (odd / "ä ö" / "c.md").write_text("## Two\n", encoding="utf-8")
    ran = ptcards("build", odd, "-o", odd / "out 🙂\n")
    assert ran.err.startswith(
        "ein Stück 🙂␊über␛[31m/ä ö/c.md:1:4: error[no-answer] this question has no answer"
    )
    (odd / "ä ö" / "c.md").unlink()
    ran = ptcards("build", odd, "-o", odd / "out 🙂\n")
    assert ran.status == 0
    assert (
        "Built Deck: 1 note, 1 card in 0.00 s\n  +1 new\n  ein Stück 🙂␊über␛[31m/out 🙂␊/deck.apkg  1 kB\n"
        in ran.err
    )
    assert sorted(file.name for file in (odd / "out 🙂\n").iterdir()) == ["deck.apkg", "deck.csv"]
    (odd / "out 🙂\n" / "deck.apkg").unlink()
    (odd / "out 🙂\n" / "deck.apkg").mkdir()
    ran = ptcards("build", odd, "-o", odd / "out 🙂\n")
    assert (ran.status, ran.err) == (
        1,
        "error: cannot write `ein Stück 🙂␊über␛[31m/out 🙂␊/deck.apkg`: is a directory\n",
    )


TEXT_FILES = {
    "deck.toml": f'{TOML}css = "look.css"\ndescription = "about.html"\n[math]\nmacros = "m.tex"\n',
    "look.css": ".card {\n  color: red;\n}\n",
    "about.html": "<p>About\nit.</p>\n",
    "m.tex": "\\newcommand{\\R}{\n\\mathbb{R}\n}\n",
    "img/plan.svg": "<svg\n xmlns='http://www.w3.org/2000/svg'>\n</svg>\n",
    "notetypes/gap/notetype.json": """{
  "name": "Gap", "kind": "standard", "fields": ["Word", "Body"], "templates": [{"name": "Gap", "file": "gap"}]
}
""",
    "notetypes/gap/gap.front.html": "<i>{{Word}}{{Body}}</i>\n<script src='_look.js'></script>\n",
    "notetypes/gap/gap.back.html": "{{FrontSide}}\n<hr>\n",
    "notetypes/gap/style.css": "b {\n}\n",
    "media/_look.js": "let a;\nlet b;\n",
    "b.md": """## Word
<!-- card: type=gap -->

### Body

Text with $\\R$, and
![A plan](img/plan.svg)
""",
}
"""all kinds of text files that a collection can have besides sources"""


def test_windows_line_ends_throughout_give_the_same_bytes(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    text = (
        "---\ntags: [a]\n---\n# T\n\nAbout.\n\n## One?\n<!-- card: id=one -->\n\n```python\nx = 1\n\ny\n```\n\n- a\n  - b\n\n"
        "### Details\n\nMore  \nlines.\n\n## Two?\n<!-- card: kind=choice\n  id=two -->\n\n- [ ] a\n- [x] b\n\n## Three?\n\n{{c1::x}}\n"
    )
    written = []
    for name, end in (("lf", "\n"), ("crlf", "\r\n")):
        files = {f"{name}/{file}": content for file, content in {**TEXT_FILES, "a.md": text}.items()}
        root = write({path: content.replace("\n", end).encode() for path, content in files.items()})
        env = {"SOURCE_DATE_EPOCH": "1700000000"}
        formats = [option for form in ("apkg", "csv", "html") for option in ("--format", form)]
        ran = ptcards("build", root / name, "-o", root / f"out-{name}", *formats, env=env)
        assert (ran.status, "no file" in ran.err) == (0, False)
        lock = root / name / "deck.lock"
        outputs = [file.read_bytes() for file in sorted((root / f"out-{name}").iterdir())]
        written.append([lock.read_bytes(), *outputs])
        lock.write_bytes(lock.read_bytes().replace(b"\n", end.encode()))
        assert ptcards("build", root / name, "-o", root / "again", "--locked").status == 0
    assert written[0] == written[1]


# Sizes


def test_a_source_of_50_mb_is_refused_and_a_picture_of_50_mb_packed(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    root = write({**FILES, "c/b.md": b"word " * (10 << 20)})
    ran = ptcards("build", root / "c", "-o", root / "out")
    assert ran.status == 1
    assert ran.err.startswith("c/b.md:1:1: error[source-too-large] the file is larger than 16 MB")
    (root / "c" / "b.md").unlink()
    write({"c/p.png": bytes(50 << 20)})
    assert ptcards("build", root / "c", "-o", root / "out").status == 0


def test_two_thousand_files_are_one_deck(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    (tmp_path / "deck.toml").write_text(TOML, encoding="utf-8")
    for folder in range(20):
        (tmp_path / f"d{folder}").mkdir()
        for file in range(100):
            (tmp_path / f"d{folder}" / f"f{file}.md").write_text(
                f"## Question {folder} {file}?\n\nYes.\n", encoding="utf-8"
            )
    ran = ptcards("build", tmp_path, "-o", tmp_path / "build", "--format", "apkg")
    assert ran.status == 0
    assert "\nBuilt Deck: 2,000 notes, 2,000 cards in " in ran.err
