"""Collections designed to cost time or memory.

They contain patterns, keys, numbers and files that a cloned collection may contain. Each command runs in a
separate process, whose CPU time and memory are measured.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

SECONDS = 2.0
MEGABYTES = 200

Make = Callable[[Path], None]

_NOTE = "## Why is it so?\n<!-- card: id=one -->\n\nBecause it fits.\n"
_TOML = 'name = "Deck"\nid = "deck"\n'
_LOCK = "ptcards-lock\t3\tdeck\n"


@dataclass(frozen=True)
class Cost:
    """The cost of a command: CPU seconds, megabytes at the peak, its exit status and its output."""

    seconds: float
    megabytes: float
    status: int
    said: str

    @property
    def is_fair(self) -> bool:
        """Whether the command stayed within the limits and ended with a message."""
        is_word = self.status in (0, 1, 2) and "Traceback" not in self.said
        return is_word and self.seconds <= SECONDS and self.megabytes <= MEGABYTES


def cost(folder: Path, *arguments: str) -> Cost:
    """Return the cost of running `ptcards` in a folder."""
    command = [sys.executable, "-m", "ptcards", *arguments]
    env = dict(os.environ) | {"XDG_CACHE_HOME": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", _METER, *command], cwd=folder, env=env, capture_output=True, check=True
    )
    seconds, megabytes, status, said = json.loads(done.stdout)
    return Cost(seconds, megabytes, status, said)


# A small separate process, because a fork starts with the memory of its parent. It limits what a failing
# command can take from the machine, and ends one that hangs.
_METER = """
import json, os, resource, signal, subprocess, sys, tempfile
def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.alarm(120)
with tempfile.TemporaryFile() as said:
    process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=said, stderr=said, preexec_fn=limit)
    _, status, usage = os.wait4(process.pid, 0)
    said.seek(0)
    text = said.read().decode("utf-8", "replace")
seconds = usage.ru_utime + usage.ru_stime
print(json.dumps([seconds, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status), text]))
"""


def _files(files: Mapping[str, str | bytes]) -> Make:
    def make(folder: Path) -> None:
        for name, content in ({"deck.toml": _TOML, "a.md": _NOTE} | dict(files)).items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    return make


def _toml(more: str) -> Make:
    return _files({"deck.toml": _TOML + more})


def _matter(text: str) -> Make:
    return _files({"a.md": f"---\n{text}\n---\n\n{_NOTE}"})


def _dialect(dialect: str, text: str, more: str = "") -> Make:
    """Return a function that makes a source of another program."""
    return _files({"deck.toml": f'{_TOML}dialect = "{dialect}"\n{more}', "a.md": text})


def _plugin(settings: str) -> Make:
    file = ".obsidian/plugins/obsidian-spaced-repetition/data.json"
    return _files(
        {"deck.toml": f'{_TOML}dialect = "obsidian"\n', "a.md": "#flashcards\n\na::b\n", file: settings}
    )


def _note_type(document: str) -> Make:
    return _files({"notetypes/word/notetype.json": document})


def _lock(lines: str, times: int = 1) -> Make:
    """Return a function that writes a lock with these lines, repeated only when it is called."""

    def make(folder: Path) -> None:
        _files({"deck.lock": _LOCK + lines * times})(folder)

    return make


def _excluding(pattern: str, *names: str) -> Make:
    return _files({"deck.toml": f'{_TOML}exclude = ["{pattern}"]\n', **dict.fromkeys(names, _NOTE)})


def _sparse(name: str, size: int, more: str = "") -> Make:
    def make(folder: Path) -> None:
        _toml(more)(folder)
        with (folder / name).open("ab") as file:
            file.truncate(size)

    return make


def _special(name: str, put: Callable[[Path], None], more: str = "") -> Make:
    def make(folder: Path) -> None:
        _toml(more)(folder)
        (folder / name).unlink(missing_ok=True)
        put(folder / name)

    return make


def _zero(place: Path) -> None:
    place.symlink_to("/dev/zero")


def _picture(put: Callable[[Path], None]) -> Make:
    def make(folder: Path) -> None:
        _files({"a.md": f"{_NOTE}\n![p](p.png)\n"})(folder)
        put(folder / "p.png")

    return make


def _grow(file: Path, size: int) -> None:
    with file.open("wb") as stream:
        stream.truncate(size)


_CSS = 'css = "look.css"\n'

INPUTS: Mapping[str, Make] = MappingProxyType(
    {
        "exclude: stars on a long name": _excluding("*a" * 12 + "*b", "a" * 200 + ".md"),
        "exclude: stars on many long names": _excluding(
            "*a*a*a*a*b", *(f"{'a' * 200}{n}.md" for n in range(100))
        ),
        "exclude: double stars in deep folders": _excluding("**/a/" * 8 + "b", "a/" * 120 + "x.md"),
        "exclude: double stars and stars": _excluding(
            "**/*a*a*a/" * 20 + "b", ("a" * 100 + "/") * 30 + "x.md"
        ),
        "exclude: question marks": _excluding("?*" * 400 + "b", "a" * 200 + ".md"),
        "exclude: classes": _excluding("[!b]*" * 150 + "b", "a" * 200 + ".md"),
        "exclude: 10,000 patterns": _toml("exclude = [" + '"*a*b",' * 10_000 + "]\n"),
        "exclude: a pattern of 200 KB": _excluding("*a" * 100_000),
        "deck.toml: a key of 30,000 parts": _toml("a" + ".a" * 30_000 + " = 1\n"),
        "deck.toml: a quoted key of 30,000 parts": _toml('"a"' + '."\\""' * 30_000 + " = 1\n"),
        "deck.toml: a table of 30,000 parts": _toml("[a" + ".a" * 30_000 + "]\n"),
        "deck.toml: an inline key of 30,000 parts": _toml("x = {a" + ".a" * 30_000 + " = 1}\n"),
        "deck.toml: many deep keys": _toml("".join(f"a{n}{'.a' * 15} = 1\n" for n in range(3000))),
        "deck.toml: 30,000 unknown keys": _toml("".join(f"a{n} = 1\n" for n in range(20_000))),
        "deck.toml: an unknown key of 200 KB": _toml("a" * 200_000 + " = 1\n"),
        "deck.toml: 20,000 brackets": _toml("x = " + "[" * 20_000),
        "deck.toml: brackets in a text": _toml('description = """\n' + "[" * 200_000 + '\n"""\nx = 1\n'),
        "deck.toml: spaces in a text": _toml('description = """\n[' + " " * 200_000 + '\n"""\nx = 1\n'),
        "deck.toml: a number of 200,000 digits": _toml("x = " + "1" * 200_000 + "\n"),
        "deck.toml: a limit of 200,000 hex digits": _toml(
            "[check.limits]\ncode-columns = 0x" + "f" * 200_000
        ),
        "deck.toml: a timeout of 200,000 hex digits": _toml("[verify]\ntimeout = 0x" + "f" * 200_000),
        "deck.toml: 20,000 unknown rules": _toml("[check]\nignore = [" + '"nothing",' * 20_000 + "]\n"),
        "deck.toml: 20,000 unknown limits": _toml(
            "[check.limits]\n" + "".join(f"a{n} = 1\n" for n in range(20_000))
        ),
        "deck.toml: 20,000 wrong tags": _toml("tags = [" + '"a b",' * 20_000 + "]\n"),
        "deck.toml: a tag of 200 KB": _toml(f'tags = ["{"a" * 200_000}"]\n'),
        "deck.toml: a name of 200 KB": _files({"deck.toml": f'name = "{"a" * 200_000}"\nid = "deck"\n'}),
        "deck.toml: an id of 200 KB": _files({"deck.toml": f'name = "Deck"\nid = "{"a" * 200_000}"\n'}),
        "deck.toml: 1 GB": _sparse("deck.toml", 1 << 30),
        "deck.toml: a device": _special("deck.toml", _zero),
        "deck.toml: a pipe": _special("deck.toml", os.mkfifo),
        "css: 3 GB": _sparse("look.css", 3 << 30, _CSS),
        "css: a device": _special("look.css", _zero, _CSS),
        "css: a pipe": _special("look.css", os.mkfifo, _CSS),
        "deck.lock: 3 GB": _sparse("deck.lock", 3 << 30),
        "deck.lock: 32 MB of nothing": _sparse("deck.lock", (32 << 20) - 1),
        "deck.lock: 31 MB of line ends": _lock("\n", 31 << 20),
        "deck.lock: 31 MB of short lines": _lock("x\n", 31 << 19),
        "deck.lock: 31 MB on one line": _lock("x", 31 << 20),
        "deck.lock: 31 MB of emoji": _lock("🙂", 31 << 18),
        "deck.lock: a time of 200,000 digits": _lock("type\tqa\t" + "1" * 200_000 + "\tab\n"),
        "deck.lock: a device": _special("deck.lock", _zero),
        "deck.lock: a pipe": _special("deck.lock", os.mkfifo),
        "source: 3 GB": _sparse("b.md", 3 << 30),
        "source: a device": _special("b.md", _zero),
        "source: a pipe": _special("b.md", os.mkfifo),
        "front matter: 1 MB": _matter("x: y\n" * 200_000),
        "front matter: brackets": _matter("tags: " + "[" * 60_000),
        "front matter: aliases": _matter(
            "a0: &a0 [x,x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1},*a{n - 1}]\n" for n in range(1, 1500))
        ),
        "front matter: a deck of 10,000 levels": _matter("deck: " + "a::" * 10_000 + "a"),
        "front matter: a deck of 50 KB": _matter("deck: " + "a" * 50_000),
        "front matter: 10,000 tags": _matter("tags: [" + "a, " * 10_000 + "b]"),
        "front matter: 10,000 tags of 2,000 notes": _files(
            {
                "a.md": f"---\ntags: [{', '.join(f'a{n}' for n in range(8000))}]\n---\n\n"
                + "".join(f"## Why {n}?\n\nSo.\n\n" for n in range(300))
            }
        ),
        "front matter: a tag of 50 KB": _matter("tags: " + "a" * 50_000),
        "front matter: a number of 60,000 digits": _matter("difficulty: " + "1" * 60_000),
        "front matter: 10,000 unknown keys": _matter("".join(f"a{n}: 1\n" for n in range(6000))),
        "card comment: 10,000 tags": _files(
            {
                "a.md": "## Why?\n<!-- card: id=one tags="
                + ",".join(f"a{n}" for n in range(10_000))
                + " -->\n\nSo.\n"
            }
        ),
        "choice: 5,000 options": _files({"a.md": "## Which?\n\n" + "- [ ] a\n" * 5_000 + "- [x] b\n"}),
        "obsidian: 20,000 deletions on a line": _dialect("obsidian", "#flashcards\n\n" + "==a== " * 20_000),
        "obsidian: 50,000 separators on a line": _dialect("obsidian", "#flashcards\n\na" + "::" * 50_000),
        "obsidian: 15,000 separators below each other": _dialect(
            "obsidian", "#flashcards\n\na\n" + "?\n" * 15_000
        ),
        "obsidian: settings of 60,000 brackets": _plugin("[" * 60_000),
        "obsidian: settings of 3 MB": _plugin('{"settings": {"flashcardTags": ["' + "#" * 3_000_000 + '"]}}'),
        "obsidian: 20,000 tags in the settings": _plugin(
            '{"settings": {"flashcardTags": [' + '"#a",' * 20_000 + '"#flashcards"]}}'
        ),
        "details: 20,000 that are never closed": _dialect(
            "details:heading", "## Why?\n\n" + "<details>\n" * 20_000
        ),
        "details: 20,000 nested": _dialect(
            "details:heading", "## Why?\n\n" + "<details>" * 20_000 + "a" + "</details>" * 20_000
        ),
        "details: 3,000 options": _dialect(
            "details:heading",
            "## Which?\n\n" + "- A: a\n- B: b\n" * 3_000 + "\n<details>\n\nAnswer: A\n\n</details>\n",
        ),
        "qa: 20,000 deletions on a line": _dialect("qa", "C: " + "[a] " * 20_000),
        "qa: 15,000 questions without an answer": _dialect("qa", "Q: a\n" * 15_000),
        "qa: blank lines above an id": _dialect(
            "qa", "Q: a\nA: b\n" + "\n" * 100_000 + "c\n", '[qa]\nanswer-ends = "id"\n'
        ),
        "qa: front matter with a key of 8,000 parts": _dialect(
            "qa", '---\nname = "a"\na' + ".a" * 8_000 + " = 1\n---\n\nQ: a\nA: b\n"
        ),
        "notetype.json: 100,000 values": _note_type("[" + "{}," * 80_000 + "{}]"),
        "notetype.json: 100,000 brackets": _note_type("[" * 100_000),
        "remote.tsv: 3 MB": _files({"media/remote.tsv": "https://example.org/a\tb\n" * 100_000}),
        "picture: 3 GB": _picture(lambda place: _grow(place, 3 << 30)),
        "picture: a device": _picture(_zero),
        "picture: a pipe": _picture(os.mkfifo),
    }
)
