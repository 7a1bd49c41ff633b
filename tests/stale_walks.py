"""Random walks of an author who edits files and runs commands: no cache may change what a build writes.

Each walk has one kind of collection. After each step, a build with the cache of all earlier commands is
compared with a build without one, from a copy of the sources and of the lock as they were before.
"""

import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from ptcards.cli import main
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.extensions.preview.problems import Problem
from ptcards.workspace import ReadOptions

KINDS = ("own", "types", "obsidian", "details", "qa")
"""Our own format, our own note types, and the dialects."""

_REMOTE = ("https://example.org/r0.png", "https://example.org/r1.png")
_PICTURES = ("p0.png", "p1.png", "sub/p0.png", "p 2.png", "s0.mp3", *_REMOTE)
_FILES = (
    "p0.png",
    "p0.dark.png",
    "p1.png",
    "p1.dark.png",
    "sub/p0.png",
    "sub/p0.dark.png",
    "p 2.png",
    "s0.mp3",
)
_NAMES = ("a.md", "b.md", "sub/c.md", "sub/deep/d.md")
_SETTINGS = {
    "tags": 'tags = ["t"]',
    "order": 'order = ["Sub", "B"]',
    "language": 'language = "de"',
    "css": 'css = "own.css"',
    "description": 'description = "What it is."',
    "exclude": 'exclude = ["sub/**"]',
    "report": 'report = "https://example.org/{guid}"',
}
_TABLES = {"check": '[check]\nignore = ["nothing-asked"]', "math": '[math]\nmacros = "macros.tex"'}
_OPTIONS = {
    "own": "",
    "types": "",
    "obsidian": 'dialect = "obsidian"',
    "details": '[[dialects]]\nfiles = ["**"]\ndialect = "details"\nquestion = "summary"',
    "qa": 'dialect = "qa"',
}
_CARDS = {
    "own": "## What is {}?\n\n{}\n\n",
    "types": "## What is {}?\n<!-- card: type=word -->\n\n{}\n\n",
    "obsidian": "What is {}?\n?\n{}\n\n",
    "details": "<details>\n<summary>What is {}?</summary>\n\n{}\n\n</details>\n\n",
    "qa": "Q: What is {}?\nA: {}\n\n",
}
_WORD = {
    "name": "Word",
    "fields": ["Word", "Meaning"],
    "templates": [{"name": "Card", "file": "card"}, {"name": "Back", "file": "back"}],
}


@dataclass
class _Card:
    name: str
    answer: str
    picture: str = ""
    is_draft: bool = False


@dataclass
class Walk:
    """One author's collection below `folder`; `url` is the address of an Anki to push to."""

    folder: Path
    kind: str
    seed: object
    url: str = ""
    has_git: bool = False
    builds: int = 0
    steps: list[str] = field(default_factory=list)
    """what was done, for the report of a failure"""

    def __post_init__(self) -> None:
        self._random = random.Random(repr((self.seed, self.kind)))
        self._deck = self.folder / "deck"
        self._cache = self.folder / "cache"
        self._cards: dict[str, list[_Card]] = {}
        self._made = 0
        self._is_broken = False
        self._settings: set[str] = set()
        self._fetched: set[str] = set()
        self._preview: Preview | None = None
        self._deck.mkdir(parents=True)
        self._setting()
        if self.kind == "types":
            folder = self._deck / "notetypes/word"
            folder.mkdir(parents=True)
            (folder / "notetype.json").write_text(json.dumps(_WORD))
            for file, front in (("card", "{{Word}}"), ("back", "{{#Meaning}}{{Meaning}}{{/Meaning}}")):
                (folder / f"{file}.front.html").write_text(front)
                (folder / f"{file}.back.html").write_text("{{Word}}<hr>{{Meaning}}")
        if self.has_git:
            self._git("init", "-q")
            (self._deck / "sub").mkdir()
        for name in _NAMES[:2]:
            self._write(name, [self._card() for _ in range(3)])

    def run(self, steps: int) -> Iterator[str]:
        """Yield a description of each difference that the walk finds in so many steps."""
        with chdir(self._deck):
            for _ in range(steps):
                self.steps.append("-")
                if self._is_broken and self._random.random() < 0.7:
                    self._heal()
                for _ in range(self._random.randint(1, 3)):
                    self._edit()
                for _ in range(self._random.randint(0, 2)):
                    yield from self._command()
                yield from self._build()

    # Edits.

    def _edit(self) -> None:
        edits: list[Callable[[], object]] = [
            self._text,
            self._add,
            self._remove,
            self._move,
            self._rename,
            self._draft,
            self._show,
            self._show,
            self._media,
            self._media,
            self._media,
            self._setting,
            self._fetch,
            self._macro,
        ]
        if self.kind == "types":
            edits += [self._template, self._template]
        if self.has_git:
            edits += [self._commit, self._ignore, self._track]
        edit = self._random.choice(edits)
        self.steps.append(edit.__name__)
        edit()

    def _card(self) -> _Card:
        self._made += 1
        return _Card(f"number {self._made}", f"It is {self._made}, `x = {self._made}`.")

    def _write(self, name: str, cards: list[_Card]) -> None:
        file = self._deck / name
        if not cards:
            self._cards.pop(name, None)
            file.unlink(missing_ok=True)
            return
        self._cards[name] = cards
        file.parent.mkdir(parents=True, exist_ok=True)
        head = "#flashcards\n\n" if self.kind == "obsidian" else f"# {file.stem}\n\n"
        texts = []
        for card in cards:
            up = "" if "://" in card.picture else os.path.relpath(self._deck, file.parent) + "/"
            shown = f"![p](<{up}{card.picture}>)" if card.picture else ""
            text = _CARDS[self.kind].format(card.name, f"{card.answer} {shown}".strip())
            texts.append(_as_draft(text) if card.is_draft else text)
        file.write_text(head + "".join(texts))

    def _pick(self) -> tuple[str, int]:
        name = self._random.choice(sorted(self._cards))
        return name, self._random.randrange(len(self._cards[name]))

    def _text(self) -> None:
        name, place = self._pick()
        self._made += 1
        # An empty answer leaves a card out in dialects.
        self._cards[name][place].answer = self._random.choice(
            [f"Now {self._made}.", f"*{self._made}*", f"$\\N{{{self._made}}}$", ""]
        )
        self._write(name, self._cards[name])

    def _add(self) -> None:
        name = self._random.choice(_NAMES)
        cards = self._cards.get(name, [])
        card = self._card()
        card.is_draft = self._has_drafts and self._random.random() < 0.3
        cards.insert(self._random.randint(0, len(cards)), card)
        self._write(name, cards)

    def _remove(self) -> None:
        if sum(map(len, self._cards.values())) > 3:
            name, place = self._pick()
            del self._cards[name][place]
            self._write(name, self._cards[name])

    def _move(self) -> None:
        name, place = self._pick()
        card = self._cards[name].pop(place)
        self._write(name, self._cards[name])
        other = self._random.choice(_NAMES)
        self._write(other, [card, *self._cards.get(other, [])])

    @property
    def _has_drafts(self) -> bool:
        return self.kind in ("own", "types")

    def _draft(self) -> None:
        """Accept a draft, or make a note a draft, which is an error if the note is published."""
        name, place = self._pick()
        self._cards[name][place].is_draft ^= self._has_drafts
        self._write(name, self._cards[name])

    def _rename(self) -> None:
        name = self._random.choice(sorted(self._cards))
        free = [each for each in _NAMES if each not in self._cards]
        if free:
            cards = self._cards[name]
            self._write(name, [])
            self._write(self._random.choice(free), cards)

    def _show(self) -> None:
        name, place = self._pick()
        self._cards[name][place].picture = self._random.choice(("", *_PICTURES))
        self._write(name, self._cards[name])

    def _media(self) -> None:
        file = self._deck / self._random.choice(_FILES)
        file.parent.mkdir(parents=True, exist_ok=True)
        match self._random.choice(("write", "write", "write", "remove", "move", "link", "empty")):
            case "write":
                file.unlink(missing_ok=True)
                file.write_bytes(b"%d" % self._random.randrange(5))
            case "remove":
                file.unlink(missing_ok=True)
            case "empty":
                file.unlink(missing_ok=True)
                file.touch()
            case "move":
                other = self._deck / self._random.choice(_FILES)
                if file.exists() and other.parent.exists():
                    file.rename(other)
            case _:
                target = self._random.choice([self._deck / "p0.png", self.folder / "outside.png"])
                (self.folder / "outside.png").write_bytes(b"outside")
                file.unlink(missing_ok=True)
                if file != target:
                    file.symlink_to(target)

    def _fetch(self) -> None:
        folder = self._deck / "media"
        folder.mkdir(exist_ok=True)
        address = self._random.choice(_REMOTE)
        self._fetched ^= {address}
        (folder / Path(address).name).write_bytes(b"%d" % self._random.randrange(3))
        lines = (f"{each}\tmedia/{Path(each).name}\n" for each in sorted(self._fetched))
        (folder / "remote.tsv").write_text("".join(lines))

    def _heal(self) -> None:
        """Remove what stops a build, as an author would: unusable pictures, empty answers, and drafts."""
        for name, cards in list(self._cards.items()):
            for card in cards:
                file = (self._deck / card.picture).resolve()
                is_there = card.picture in self._fetched or (
                    file.is_file() and file.stat().st_size and file.is_relative_to(self._deck)
                )
                card.picture = card.picture if is_there else ""
                card.answer = card.answer or "Now again."
                card.is_draft = False
            self._write(name, cards)
        (self._deck / "macros.tex").write_text("\\N = x\n")

    def _commit(self) -> None:
        self._git("add", "-A")
        self._git("commit", "-qm", "A step")

    def _ignore(self) -> None:
        lines = self._random.choice(("", "deck.lock\n", "*.md\n", "build/\n", f"{min(self._cards)}\n"))
        (self._deck / self._random.choice((".gitignore", "sub/.gitignore", ".git/info/exclude"))).write_text(
            lines
        )

    def _track(self) -> None:
        self._git(*self._random.choice((("add", "-f", "deck.lock"), ("rm", "-q", "--cached", "deck.lock"))))

    def _git(self, *words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=self._deck, check=False, capture_output=True)

    def _setting(self) -> None:
        if self._made:
            self._settings ^= {self._random.choice([*_SETTINGS, *_TABLES])}
        css = self._random.choice(("red", "blue"))
        (self._deck / "own.css").write_text(f".card {{ color: {css} }}\n")
        chosen = [text for name, text in (_SETTINGS | _TABLES).items() if name in self._settings]
        tables = [each for each in chosen if each.startswith("[")]
        lines = ['name = "Walk"', 'id = "12345678"', *(each for each in chosen if each not in tables)]
        options = _OPTIONS[self.kind]
        lines = [*lines, *tables, options] if options.startswith("[") else [*lines, options, *tables]
        (self._deck / "deck.toml").write_text("\n".join(lines) + "\n")

    def _macro(self) -> None:
        file = self._deck / "macros.tex"
        if file.exists() and self._random.random() < 0.1:
            file.unlink()
            return
        body = self._random.choice(("x", "y", "#1^2", "\\N{#1}", "\\href{#1}{x}"))
        file.write_text(f"\\N = {body}\n" + self._random.choice(("", "\\new = z\n", "no macro\n")))

    def _template(self) -> None:
        folder = self._deck / "notetypes/word"
        match self._random.choice(("front", "back", "style", "look")):
            case "front":
                extra = self._random.choice(("", "<b>?</b>", "{{#Meaning}}+{{/Meaning}}"))
                (folder / "card.front.html").write_text("{{Word}}" + extra)
            case "back":
                (folder / "card.back.html").write_text(f"{{{{Meaning}}}} {self._random.randrange(3)}")
            case "style":
                (folder / "style.css").write_text("@font-face { src: url(_font.woff) }\n")
            case _:
                (self._deck / "media").mkdir(exist_ok=True)
                look = self._deck / "media/_font.woff"
                if look.exists() and self._random.random() < 0.5:
                    look.unlink()
                else:
                    look.write_bytes(b"%d" % self._random.randrange(3))

    # Commands.

    def _command(self) -> Iterator[str]:
        commands: list[tuple[str, ...]] = [
            ("check",),
            ("check",),
            ("check", "--fix"),
            ("check", "--format", "json"),
            ("diff", "../old"),
            ("verify", "--no-sandbox"),
            ("verify", "--no-sandbox", "--drafts"),
            ("build", "-o", "out", "--format", "html"),
            ("build", "-o", "out", "--format", "anki-csv"),
            ("build", "-o", "out", "--dry-run"),
            ("build", "-o", "out", "--locked"),
            ("build", "-o", "out", min(self._cards)),
            ("serve",),
            ("serve",),
        ]
        if self.url:
            commands += [("push",), ("push",), ("pull",)]
        command = self._random.choice(commands)
        self.steps.append(" ".join(command))
        if command == ("serve",):
            yield from self._serve()
        elif command[0] == "check" and "--fix" not in command:
            shared = self._ran(*command)
            fresh = self._ran(*command, cache=self._new_cache())
            if shared != fresh:
                yield f"{self}: {shared} is not {fresh}"
        else:
            self._ran(*command)
        if command[-1] == "--fix":
            self._read_again()
        if not (self.folder / "old").exists():
            shutil.copytree(self._deck, self.folder / "old", symlinks=True)

    def _read_again(self) -> None:
        """Forget edits to the files of which a command has changed the text."""
        for name, cards in self._cards.items():
            self._write(name, cards)

    def _serve(self) -> Iterator[str]:
        """Compare a preview that has been running since the first step with a new one."""
        with _environment(self._environ(self._cache)), ReadOptions.of_user() as options:
            if self._preview is None:
                self._preview = Preview([self._deck], ReadOptions(options.cache))
            self._preview.options = options
            shown = _shown(self._preview)
        with _environment(self._environ(self._cache)):
            fresh = _shown(Preview([self._deck], ReadOptions()))
        # While a source has errors, a preview keeps the last good version of its cards.
        is_broken = any(each["severity"] == "error" for each in fresh[1])
        if shown[1] != fresh[1] or (not is_broken and shown != fresh):
            yield f"{self}: the preview shows {shown}, not {fresh}"

    def _build(self) -> Iterator[str]:
        """Build with the cache and without it; yield how the results differ."""
        twin = self.folder / "twin"
        shutil.rmtree(twin, ignore_errors=True)
        shutil.copytree(self._deck, twin, symlinks=True)
        outside = [each for each in twin.rglob("*") if each.is_symlink()]
        for link in outside:
            if link.readlink().is_relative_to(self._deck):
                target = twin / link.readlink().relative_to(self._deck)
                link.unlink()
                link.symlink_to(target)
        self.builds += 1
        words = ("build", "-o", "out")
        shared = self._ran(*words)
        with chdir(twin):
            fresh = self._ran(*words, cache=self._new_cache())
        self._is_broken = bool(shared[0])
        if shared != fresh:
            yield f"{self}: {shared} is not {fresh}"
        mine, theirs = _outputs(self._deck), _outputs(twin)
        if mine != theirs:
            names = [name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)]
            yield f"{self}: other {names}"

    def _new_cache(self) -> Path:
        fresh = self.folder / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        return fresh

    def _ran(self, *words: str, cache: Path | None = None) -> tuple[int, str, str]:
        environ = self._environ(cache or self._cache)
        result = CliRunner().invoke(main, list(words), env=environ, catch_exceptions=False)
        said = (result.stdout, result.stderr)
        out, err = (re.sub(r"\b\d+\.\d\d s\b", "0 s", text.replace(str(Path.cwd()), ".")) for text in said)
        return result.exit_code, out, err

    def _environ(self, cache: Path) -> dict[str, str]:
        return {
            "XDG_CACHE_HOME": str(cache),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "SOURCE_DATE_EPOCH": str(1_700_000_000 + 10 * self.builds),
            "PTCARDS_ANKI_URL": self.url or "http://127.0.0.1:9",
        }

    def __str__(self) -> str:
        return f"{self.kind} {self.seed!r} after {self.builds} builds ({', '.join(self.steps[-24:])})"


@dataclass
class _environment:  # noqa: N801 - used like a function
    """Set variables of the environment in a block."""

    values: dict[str, str]
    _before: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> None:
        self._before = dict(os.environ)
        os.environ.update(self.values)

    def __exit__(self, *_: object) -> None:
        os.environ.clear()
        os.environ.update(self._before)


def _as_draft(text: str) -> str:
    """Return a card of ours with the mark of a draft."""
    if "<!-- card: " in text:
        return text.replace("<!-- card: ", "<!-- card: draft ")
    return text.replace("\n\n", "\n<!-- card: draft -->\n\n", 1)


def _shown(preview: Preview) -> tuple[object, tuple[Problem, ...], object]:
    """Return what a preview shows now: its cards, what it reports, and both sides of each card."""
    read = preview.read(identified=True)
    return read.order, read.problems, [preview.sides(card) for card in read.order]


def _outputs(deck: Path) -> dict[str, bytes]:
    folder = deck / "out"
    files = [*(folder.iterdir() if folder.exists() else ()), deck / "deck.lock"]
    return {file.name: file.read_bytes() for file in files if file.is_file()}
