"""Every shortcut of a build, such as cached entries and several processes, has the same result as none."""

import csv
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import identity_notes
import ptcards
from adopted import note_type_folder
from building import build
from conftest import Ran
from ptcards import cache as caching
from ptcards.cache import Cache, Entry
from ptcards.compile import BuildOptions
from ptcards.files import SourceChangedError, locked
from ptcards.notes import Note, Run, Text
from ptcards.packing import CachePart, pack, unpack
from ptcards.processes import POOL_NOTES
from ptcards.workspace import ReadOptions, Workspace
from ptcards.workspace.entries import NOTES
from ptcards.writers import ENDINGS
from ptcards.writers.rows import CSV, FIELDS, RENDERED, rendering_digest, rows

Ptcards = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

DRAWING = f"img/drawn/{hashlib.sha256(b'dot' + bytes(1) + b'graph { a }').hexdigest()[:16]}.svg"
"""The picture of a diagram in `sub/b.md`."""
ALONE = 'name = "D"\nid = "d"\nexclude = ["drafts/**"]\n'
"""The settings of a collection that needs no other file."""
TOML = ALONE + 'css = "own.css"\n[math]\nmacros = "macros.tex"\n'
PICTURE = b"\x89PNG one"
FILES: dict[str, str | bytes] = {
    "deck.toml": TOML,
    "own.css": ".card { color: red }\n",
    "macros.tex": "\\newcommand{\\RR}{\\mathbb{R}}\n",
    "a.md": "# A\n\n## One?\n\n1 with `code`[^f] and ![alt](img/p%20q.png)\n\n[^f]: A foot note.\n\n## Two?\n\n```python\nx = 1\n```\n",
    "sub/b.md": "## Three?\n<!-- card: id=three ignore=control-character -->\n\n3\x07\n\n## Four?\n\n- [ ] a\n- [x] b ![alt](<../img/r s.png>)\n\n  ```dot\n  graph { a }\n  ```\n",
    "sub/c.md": "## Five?\n\nA {{c1::gap $\\RR$}} and\x0b a warning.\n",
    "drafts/d.md": "## Draft?\n\nNot yet.\n",
    "README.md": "Read me.\n",
    "img/p q.png": PICTURE,
    "img/r s.png": PICTURE,
    "img/r s.dark.png": b"\x89PNG dark",
}
# Each edit changes something that a build may depend on; the outputs may or may not change.
EDITS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _: None,
    "answer": lambda root: _replace(root / "a.md", "1 with", "one with"),
    "blank line": lambda root: _replace(root / "a.md", "## Two?", "\n## Two?"),
    "line ends": lambda root: _replace(root / "sub/c.md", "\n", "\r\n"),
    "same time, same size": lambda root: _quietly_replace(root / "sub/b.md", "id=three", "id=three"[::-1]),
    "new note": lambda root: _append(root / "sub/c.md", "\n## Six?\n\n6\n"),
    "new file": lambda root: (root / "sub/e.md").write_text("## Six?\n\n6\n"),
    "new folder": lambda root: _write(root / "new/e.md", "## Six?\n\n6\n"),
    "file gone": lambda root: (root / "sub/c.md").unlink(),
    "file renamed": lambda root: (root / "sub/c.md").rename(root / "sub/z.md"),
    "folder linked": lambda root: (root / "link").symlink_to(root / "sub"),
    "edition": lambda root: _append(root / "deck.toml", '\n[[editions]]\nname = "x"\nsources = ["sub/"]\n'),
    "nested collection": lambda root: (root / "sub/deck.toml").write_text(TOML),
    "picture": lambda root: (root / "img/p q.png").write_bytes(b"\x89PNG two"),
    "picture gone": lambda root: (root / "img/p q.png").unlink(),
    "picture as it is written": lambda root: (root / "img/p%20q.png").write_bytes(b"\x89PNG three"),
    "dark twin": lambda root: (root / "img/p q.dark.png").write_bytes(b"\x89PNG dark"),
    "dark twin as it is written": lambda root: (root / "img/p%20q.dark.png").write_bytes(b"\x89PNG dark"),
    "dark twin empty": lambda root: (root / "img/p q.dark.png").touch(),
    "other dark twin": lambda root: (root / "img/r s.dark.png").write_bytes(b"\x89PNG other"),
    "other dark twin gone": lambda root: (root / "img/r s.dark.png").unlink(),
    "drawing": lambda root: _write(root / DRAWING, "<svg/>"),
    "drawing with a dark twin": lambda root: _write_both(root, DRAWING, DRAWING.replace(".svg", ".dark.svg")),
    "diagram": lambda root: _replace(root / "sub/b.md", "graph { a }", "graph { b }"),
    "picture linked": lambda root: _link_outside(root / "img/p q.png"),
    "name": lambda root: _replace(root / "deck.toml", '"D"', '"E"'),
    "tags": lambda root: _begin(root / "deck.toml", 'tags = ["t"]\n'),
    "order": lambda root: _begin(root / "deck.toml", 'order = ["Sub", "A"]\n'),
    "order with a mistake": lambda root: _begin(root / "deck.toml", 'order = ["Subb"]\n'),
    "description": lambda root: _begin(root / "deck.toml", 'description = "d"\n'),
    "ignore": lambda root: _append(root / "deck.toml", '[check]\nignore = ["control-character"]\n'),
    "exclude": lambda root: _replace(root / "deck.toml", "drafts", "sub"),
    "css": lambda root: (root / "own.css").write_text(".card { color: blue }\n"),
    "css gone": lambda root: (root / "own.css").unlink(),
    "macro": lambda root: _replace(root / "macros.tex", "mathbb", "mathbf"),
    "new macro": lambda root: _append(root / "macros.tex", "\\new = x\n"),
    "macro with a mistake": lambda root: _append(root / "macros.tex", "\\RR = \\RR\n"),
    "macros gone": lambda root: (root / "macros.tex").unlink(),
    "other macros": lambda root: _replace(root / "deck.toml", "macros.tex", "no.tex"),
    "lock gone": lambda root: (root / "deck.lock").unlink(),
    "lock torn": lambda root: _replace(root / "deck.lock", "live", "dead"),
    "lock folded": lambda root: (root / "deck.lock").write_text((root / "deck.lock").read_text() * 2),
    "output gone": lambda root: (root / "out/d.csv").unlink(missing_ok=True),
    "output torn": lambda root: _write(root / "out/d.csv", "x"),
    "error": lambda root: _append(root / "sub/c.md", "\n## Nothing?\n"),
    "README": lambda root: (root / "README.md").write_text("Read it.\n"),
    "draft": lambda root: (root / "drafts/d.md").write_text("## Draft?\n"),
    "unread": lambda root: _write(root / "_x/e.md", "## Six?\n"),
    "environment": lambda root: _write(root / "sub/pyvenv.cfg", ""),
}
OPTIONS = (
    (),
    ("--locked",),
    ("--format", "apkg"),
    [word for name in ENDINGS if name != "apkg" for word in ("--format", name)],
    ("-q",),
    ("--refresh",),
)


BUILD = ("build", "-o", "out")


def _replace(file: Path, old: str, new: str) -> None:
    file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))


def _write_both(root: Path, *names: str) -> None:
    for name in names:
        _write(root / name, "<svg/>")


def _write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


def _append(file: Path, text: str) -> None:
    _write(file, file.read_bytes() + text.encode())


def _begin(file: Path, text: str) -> None:
    _write(file, text.encode() + file.read_bytes())


def _quietly_replace(file: Path, old: str, new: str) -> None:
    status = file.stat()
    _replace(file, old, new)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def _link_outside(file: Path) -> None:
    outside = file.parent.parent.parent / "outside.png"
    file.rename(outside)
    file.symlink_to(outside)


def _outcome(ptcards: Ptcards, root: Path, command: tuple[str, ...]) -> object:
    """Run a command; return all visible results."""
    ran = ptcards(*command, env={"SOURCE_DATE_EPOCH": "1800000000"})
    files = {
        path.relative_to(root): path.read_bytes()
        for path in (*(root / "out").rglob("*"), root / "deck.lock")
        if path.is_file()
    }
    return ran.status, ran.out, ran.err.replace(str(root), "."), files


class Twins:
    """Two equal collections: one uses one cache, the other an empty cache for each command.

    The steps before an edit are the same for all edits, so they are done once per command and restored.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = folder / "now"
        self.commands = 0

    def begin(self, command: tuple[str, ...], ptcards: Ptcards) -> None:
        """Restore both collections to the state after a build and a first run of the command."""
        kept = self.folder / " ".join(command).replace("/", "-")
        shutil.rmtree(self.now, ignore_errors=True)
        if not kept.exists():
            for root in self.roots:
                for name, content in FILES.items():
                    _write(root / name, content)
            self.run(BUILD, ptcards)
            self.run(command, ptcards)
            self.now.rename(kept)
        shutil.copytree(kept, self.now, symlinks=True)

    @property
    def roots(self) -> tuple[Path, Path]:
        return self.now / "short", self.now / "long"

    def run(self, command: tuple[str, ...], ptcards: Ptcards) -> None:
        """Run a command in both collections; the results must be equal."""
        self.commands += 1
        outcomes = []
        with pytest.MonkeyPatch.context() as patch:
            for root, cache in zip(self.roots, ("kept", f"fresh{self.commands}"), strict=True):
                patch.chdir(root)
                patch.setenv("XDG_CACHE_HOME", str(self.now / cache))
                outcomes.append(_outcome(ptcards, root, command))
        assert outcomes[0] == outcomes[1]


@pytest.fixture(scope="session")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    return Twins(tmp_path_factory.mktemp("twins"))


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("edit", EDITS)
def test_the_shortcuts_give_what_the_long_way_gives_with_every_option(
    edit: str, options: tuple[str, ...], ptcards: Ptcards, twins: Twins
) -> None:
    _compare(edit, (*BUILD, *options), ptcards, twins)


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_a_check_reports_what_it_reports_without_a_cache(edit: str, ptcards: Ptcards, twins: Twins) -> None:
    _compare(edit, ("check", "--format", "concise"), ptcards, twins)


def _compare(edit: str, command: tuple[str, ...], ptcards: Ptcards, twins: Twins) -> None:
    """Edit two equal collections, and run a command twice."""
    twins.begin(command, ptcards)
    for root in twins.roots:
        EDITS[edit](root)
    twins.run(command, ptcards)
    twins.run(command, ptcards)


def test_a_check_without_any_change_reads_no_source_and_reports_the_same(write: Write) -> None:
    root = write({**FILES, "sub/c.md": "## Five?\n\nA {{c1::gap}}.\n"})
    command = [sys.executable, "-m", "ptcards"]
    subprocess.run([*command, "build", str(root), "-o", str(root / "out")], check=True, capture_output=True)
    code = (
        "import sys; from ptcards.cli import main\n"
        f"try: main(['check', {str(root)!r}])\n"
        "except SystemExit: pass\n"
        "print('ptcards.readers.parser' in sys.modules)"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert first.stdout.endswith("True\n")
    assert (second.stdout, second.stderr) == (first.stdout.replace("True\n", "False\n"), first.stderr)


def test_an_unchanged_build_loads_nothing_heavy_and_writes_nothing(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    pushes = tmp_path / "state/ptcards/push"  # of another collection
    pushes.mkdir(parents=True)
    (pushes / "other-0123456789ab.json").write_text("{}")
    root = write(FILES)
    command = [sys.executable, "-m", "ptcards", "build", str(root), "-o", str(root / "out")]
    subprocess.run(command, check=True, capture_output=True)
    before = {path: path.stat() for path in root.rglob("*")}
    code = (
        "import sys; from ptcards.cli import main\n"
        f"try: main({command[3:]!r})\n"
        "except SystemExit: pass\n"
        "heavy = ('genanki', 'markdown', 'pygments', 'yaml', 'filelock', 'pathspec', 'multiprocessing', 'tomllib')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "\nUnchanged D: 5 notes, 5 cards in " in done.stderr
    assert done.stdout == "[]\n"
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == {
        path: status.st_mtime_ns for path, status in before.items()
    }


@pytest.mark.slow
def test_one_process_and_several_give_the_same(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    files: dict[str, str | bytes] = {"deck.toml": 'name = "D"\nid = "d"\n'}
    for number in range(8):
        notes = "".join(
            f"## Q {number} {n}?\n\nA[^f] `{n}`\n\n[^f]: F\n\n" for n in range(POOL_NOTES // 8 + 1)
        )
        files[f"{number}.md"] = notes.replace("[^f]: F", "", notes.count("[^f]: F") - 1)
    root = write(files)
    outcomes = []
    for processes in (1, 2, 3):
        out = root / f"out{processes}"
        (root / "deck.lock").unlink(missing_ok=True)
        built, diagnostics = build(
            [root],
            BuildOptions(out),
            ReadOptions(processes=processes),
            waiting=lambda _: None,
        )
        outcomes.append(([file.read_bytes() for file in sorted(out.iterdir())], built[0].notes, diagnostics))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0][1] > POOL_NOTES


def _cache_file(folder: Path) -> Path:
    return folder / "ptcards" / "cache.sqlite"


def test_only_what_changed_is_made_again(write: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    root, file = write(FILES), tmp_path_factory.mktemp("kept") / "cache.sqlite"

    def made() -> list[int]:
        """Build; return the numbers of notes that were rendered."""
        totals: set[int] = set()

        def note(step: str, _: int, total: int) -> None:
            totals.update([total] if step == "Compiling" else [])

        with ReadOptions(Cache(file), progress=note) as options:
            build([root], BuildOptions(root / "out"), options, waiting=lambda _: None)
        return sorted(totals)

    assert made() == [5]
    _replace(root / "a.md", "1 with", "one with")
    assert made() == [2]
    _replace(root / "a.md", "one with", "1 with")  # as it was
    assert made() == []
    (root / "img/p q.png").write_bytes(b"\x89PNG two")
    assert made() == [2]
    assert made() == []


def test_only_notes_that_changed_are_rendered_again(
    ptcards: Ptcards, write: Write, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root, folder = write(FILES), tmp_path_factory.mktemp("marked")

    def kept() -> list[tuple[str, bool]]:
        """Build; return each question, and whether its row is the marked one."""
        ptcards("build", root, "-o", root / "out", env={"XDG_CACHE_HOME": str(folder)})
        rows = sqlite3.connect(_anki_database(root / "out" / "d.apkg")).execute("SELECT flds FROM notes")
        fields = [row.split("\x1f") for (row,) in rows]
        return [(each[0].split("<")[1].partition(">")[2], each[-1] == "marked") for each in fields]

    def mark() -> None:
        """Mark the last field of all rows in the cache."""
        with closing(sqlite3.connect(_cache_file(folder))) as connection:
            keys = connection.execute("SELECT key, slot FROM entries WHERE part = 'fields'").fetchall()
        with closing(Cache(_cache_file(folder))) as cache:
            for key, slot in keys:
                marked = [
                    (note, kept._replace(row=kept.row._replace(after=f"{kept.row.after}marked")))
                    for note, kept in cache.get(key, FIELDS) or ()
                ]
                cache.put([Entry.of(key, FIELDS, slot, marked)])

    kept()
    mark()
    _replace(root / "a.md", "# A\n\n", "# A\n\n## Zero?\n\n0\n\n")  # the other rows move down
    _replace(root / "sub/b.md", "- [x] b", "- [x] c")
    assert kept() == [
        ("Zero?", False),
        ("One?", True),
        ("Two?", True),
        ("Three?", True),
        ("Four?", False),
        ("Five?", True),
    ]
    (root / "img/p q.png").write_bytes(b"\x89PNG two")
    assert kept() == [
        ("Zero?", False),
        ("One?", False),
        ("Two?", True),
        ("Three?", True),
        ("Four?", False),
        ("Five?", True),
    ]


def _anki_database(package: Path) -> Path:
    shutil.unpack_archive(package, package.with_suffix(""), "zip")
    return package.with_suffix("") / "collection.anki2"


def test_an_entry_that_vanished_is_made_again(write: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    root, file = write(FILES), tmp_path_factory.mktemp("emptied") / "cache.sqlite"
    with closing(Cache(file)) as cache:
        (contents,) = Workspace.read([root], ReadOptions(cache), lambda _: (rows(()),)).contents
        parts: list[CachePart[Any]] = [FIELDS, CSV, RENDERED, NOTES]
        values = [list(contents.parts(part)) for part in parts]
        _forget_entries(file)
        assert [list(contents.parts(part)) for part in parts] == values


def test_a_source_that_changed_meanwhile_is_not_taken_for_what_was_read(
    write: Write, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root, file = write(FILES), tmp_path_factory.mktemp("changed") / "cache.sqlite"
    with closing(Cache(file)) as cache:
        (contents,) = Workspace.read([root], ReadOptions(cache), lambda _: (rows(()),)).contents
        _forget_entries(file)
        _replace(root / "a.md", "1 with", "one with")
        with pytest.raises(SourceChangedError, match=r"a\.md"):
            list(contents.parts(FIELDS))


def _forget_entries(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM entries")
    connection.close()


def test_a_rendering_rests_on_all_of_a_note_but_its_places_and_what_it_ignores() -> None:
    note = identity_notes.FULL
    same = [
        name
        for name, values in identity_notes.other_parts(note).items()
        for value in values
        if rendering_digest(note._replace(**{name: value})) == rendering_digest(note)
    ]
    assert same == ["location", "ignore", "unlike", "key", "translated"]
    moved = note._replace(answer=Text("1", "b.md", (Run(0, 7, 3),)))
    assert rendering_digest(moved) == rendering_digest(note)


def test_a_note_comes_back_from_the_cache_with_every_part() -> None:
    note = identity_notes.FULL
    for name, values in identity_notes.other_parts(note).items():
        for value in values:
            other = note._replace(**{name: value})
            assert unpack(pack(other, Note), Note) == other


def test_a_new_picture_of_latex_is_packed_though_no_note_names_it(ptcards: Ptcards, write: Write) -> None:
    root = write({"deck.toml": ALONE, "a.md": "## One?\n\n1\n\n## Two?\n<!-- card: type=geo -->\n\n2\n"})
    note_type_folder(root)
    (root / "media").mkdir()
    ptcards("build", root, "-o", root / "out")
    ptcards("build", root, "-o", root / "out")
    (root / f"media/latex-{'0' * 40}.png").write_bytes(PICTURE)
    ptcards("build", root, "-o", root / "out")
    with zipfile.ZipFile(root / "out/d.apkg") as archive:
        assert f"latex-{'0' * 40}.png" in json.loads(archive.read("media")).values()


@pytest.mark.parametrize("damage", ["text", "torn", "other", "folder", "closed"])
def test_a_damaged_cache_is_no_cache(
    damage: str,
    ptcards: Ptcards,
    write: Write,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = tmp_path_factory.mktemp("damaged")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    root = write(FILES)
    ptcards("build", root, "-o", root / "out")
    apkg = (root / "out" / "d.apkg").read_bytes()
    file = _cache_file(cache)
    match damage:
        case "text":
            file.write_bytes(b"I am no database, and longer than its header of a hundred bytes. " * 9)
        case "torn":
            content = bytearray(file.read_bytes())
            content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
            file.write_bytes(content)
        case "other":
            file.unlink()
            with sqlite3.connect(file) as connection:
                connection.execute("CREATE TABLE entries(key TEXT)")
            connection.close()
        case "folder":
            file.unlink()
            file.mkdir()
        case _:
            monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    (root / "out" / "d.apkg").unlink()
    ran = ptcards("build", root, "-o", root / "out")
    assert (ran.status, (root / "out" / "d.apkg").read_bytes()) == (0, apkg)


def test_the_cache_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "MOST_BYTES", 200_000)
    content, part = os.urandom(20_000), CachePart("part", bytes)
    for number in range(40):
        cache = Cache(tmp_path / "cache.sqlite")
        cache.put([Entry.of(bytes([number]), part, b"slot", content)])
        newest = cache.get(bytes([number]), part)
        cache.close()
    assert newest == content
    assert (tmp_path / "cache.sqlite").stat().st_size < 400_000


def test_what_another_version_of_a_library_made_is_not_found(write: Write, tmp_path: Path) -> None:
    root = write({"deck/deck.toml": 'name = "D"\nid = "d"\n', "deck/a.md": "## One?\n\n1\n"})
    (tmp_path / "libraries" / "genanki-99.dist-info").mkdir(parents=True)
    command = [sys.executable, "-m", "ptcards", "build", str(root / "deck"), "-o", str(root / "out"), "-v"]

    def stages(**env: str) -> list[str]:
        done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=True)
        return re.findall(r"^ +\d+\.\d+ s  (.*)$", done.stderr, re.MULTILINE)

    stages()
    assert stages() == ["look for changes"]
    assert "read" in stages(PYTHONPATH=str(tmp_path / "libraries"))


def test_files_beside_the_package_are_no_part_of_its_version() -> None:
    # It may be installed beside hundreds of others, whose files take longer to list than most builds.
    assert Path(ptcards.__path__[0]) == caching._PACKAGE


def test_a_disk_that_is_full_leaves_a_cache_that_forgets(tmp_path: Path) -> None:
    program = """
import os, resource, signal
from pathlib import Path
from typing import Any
from ptcards.cache import Cache, Entry
from ptcards.packing import CachePart

part = CachePart("part", bytes)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
cache = Cache(Path("cache.sqlite"))
contents = {bytes([number]): os.urandom(500_000) for number in range(20)}
for key, content in contents.items():
    cache.put([Entry.of(key, part, b"slot", content)])
    assert cache.get(key, part) in (content, None)
print(sum(cache.get(key, part) is None for key in contents) > 0)
cache.close()
"""
    said = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (said.stdout, said.stderr) == ("True\n", "")


def test_a_build_that_waited_publishes_what_was_saved_meanwhile(write: Write) -> None:
    root = write({"deck.toml": ALONE, "a.md": "## One?\n\nOld.\n"})
    command = [
        sys.executable,
        "-m",
        "ptcards",
        "build",
        str(root),
        "-o",
        str(root / "out"),
        "--format",
        "csv",
    ]
    with locked(root, waiting=lambda _: pytest.fail("somebody is here")):
        building = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert building.stderr is not None
        assert building.stderr.readline() == f"waiting for another build in `{root}` to end\n"
        (root / "a.md").write_text("## One?\n\nNew.\n")
        (root / "b.md").write_text("## Two?\n\nMore.\n")
    building.communicate()
    with (root / "out" / "d.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["answer"] for row in csv.DictReader(file)] == ["New.", "More."]
    assert building.returncode == 0


@pytest.mark.slow
def test_two_builds_at_once_share_a_fresh_cache(write: Write) -> None:
    root = write({f"{name}/{file}": content for name in "ab" for file, content in FILES.items()})
    building = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "ptcards",
                "build",
                str(root / name),
                "-o",
                str(root / name / "out"),
                "-q",
            ],
            stderr=subprocess.PIPE,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"},
        )
        for name in "ab"
    ]
    said = [process.communicate()[1] for process in building]
    assert ([process.returncode for process in building], said) == ([0, 0], [b"", b""])
    assert (root / "a/out/d.apkg").read_bytes() == (root / "b/out/d.apkg").read_bytes()


def test_what_a_killed_build_left_is_swept_away_though_nothing_changed(
    ptcards: Ptcards, write: Write
) -> None:
    root = write({"c/deck.toml": ALONE, "c/a.md": "## One?\n\n1\n"})
    env = {"XDG_CACHE_HOME": str(root / "cache")}
    for _ in range(2):
        ran = ptcards("build", root / "c", "-o", root / "out", env=env)
    assert ran.err.startswith("Unchanged")
    for left in ("c/.ptcards.lock", "out/.ptcards.lock", "out/.ptcards-0123456789abcdef.tmp"):
        (root / left).touch()
    assert ptcards("build", root / "c", "-o", root / "out", env=env).status == 0
    assert sorted(each.name for folder in ("c", "out") for each in (root / folder).iterdir()) == [
        "a.md",
        "d.apkg",
        "d.csv",
        "deck.lock",
        "deck.toml",
    ]


_WORDS = st.sampled_from(
    [
        "gap",
        "`x = 1`",
        "**bold**",
        "[link](https://e.org)",
        "$x_1$",
        "[^f]",
        "{{c1::gone}}",
        "<b>",
        "&",
        "é\u0301",
        "\x1a",
        "|",
    ]
)
_BLOCKS = st.sampled_from(
    [
        "```python\nx = 1\n```",
        "```nosuch\ny\n```",
        "- one\n- two",
        "- [ ] no\n- [x] yes",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "### Hint\n\nThink.",
    ]
)
_NOTES = st.builds(
    lambda words, blocks: "\n\n".join([" ".join(words), *blocks]),
    st.lists(_WORDS, min_size=1, max_size=5),
    st.lists(_BLOCKS, max_size=2),
)
_VERSIONS = st.lists(
    st.dictionaries(st.sampled_from(["a.md", "b.md", "s/c.md"]), st.lists(_NOTES, max_size=4), min_size=1),
    min_size=2,
    max_size=3,
)


def _build(root: Path, cache: Path | None, processes: int) -> object:
    """Build; return all results."""
    with ReadOptions(Cache(cache), processes) as reading:
        built, diagnostics = build([root], BuildOptions(root / "out"), reading, waiting=lambda _: None)
    files = {file.name: file.read_bytes() for file in (root / "out").glob("*")}
    return files, [(each.notes, each.cards, each.changes) for each in built], diagnostics


def _compare_versions(versions: list[dict[str, list[str]]], folder: Path, processes: tuple[int, int]) -> None:
    """Write versions of a collection in turn; build each with and without the previous cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1800000000")
        patch.setattr("ptcards.processes.POOL_NOTES", 0)
        patch.setattr("ptcards.processes.TASK_NOTES", 1)
        for version in (*versions, versions[0]):
            outcomes = []
            for name, number in zip(("kept", "fresh"), processes, strict=True):
                root = folder / name / "deck"
                for file in root.rglob("*.md"):
                    file.unlink()
                _write(root / "deck.toml", 'name = "D"\nid = "d"\n')
                for file_name, notes in version.items():
                    text = "\n\n".join(f"## {file_name} {n}?\n\n{note}" for n, note in enumerate(notes))
                    _write(root / file_name, f"# {file_name[0]}\n\n{text}\n\n[^f]: Foot.\n")
                patch.chdir(root)
                cache = folder / name / "cache.sqlite" if name == "kept" else None
                outcomes.append(_build(Path(), cache, number))
            assert outcomes[0] == outcomes[1]


@pytest.mark.slow
@given(versions=_VERSIONS)
@settings(deadline=None, max_examples=6)
def test_the_cache_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, list[str]]]
) -> None:
    _compare_versions(versions, tmp_path_factory.mktemp("versions"), (1, 1))


@pytest.mark.slow
@given(versions=_VERSIONS)
@settings(deadline=None, max_examples=4)
def test_neither_cache_nor_processes_change_anything(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, list[str]]]
) -> None:
    _compare_versions(versions, tmp_path_factory.mktemp("versions"), (2, 1))
