"""Random sequences of `ptcards add`, edits and builds: nothing is lost, and no draft is published.

Every note has a word of its own in its question, so it is known where it is: in the sources, as a note or as
a draft, and in the outputs.
"""

import random
import re
import sqlite3
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from building import build
from ptcards.compile import BuildOptions
from ptcards.diagnostics import WrongUseError
from ptcards.extensions.models.adding import Addition, AddRequest, add
from ptcards.extensions.preview.drafts import decide
from ptcards.workspace import ReadOptions, Workspace

_FILES = ("a.md", "b.md", "sub/c.md")
_WORDS = "tensor graph leaf node hook tape loss step batch layer weight bias seed epoch model token".split()
_BAD = (
    "## What is {word}?\n\n```python\nx = 1\n",
    "## What is {word}?\n\n<!-- never closed\n",
    "## What is {word}?\n<!-- card: difficulty=hrad -->\n\nIt shows {word}.\n",
    "## What is {word}?\n<!-- card: skip -->\n\nIt shows {word}.\n",
    "Some text about {word}.\n",
    "---\ndraft: true\n---\n\n## What is {word}?\n\nIt shows {word}.\n",
    "## What is {word}?\n\n",
)
_TOKEN = re.compile(r"w\d+x")
_ASKED = re.compile(r"What (?:does|is) (w\d+x)")


@dataclass
class AddingWalk:
    """A collection below `folder`; `notes` and `drafts` are the words of what is in it."""

    folder: Path
    seed: object
    notes: set[str] = field(default_factory=set)
    drafts: set[str] = field(default_factory=set)
    published: set[str] = field(default_factory=set)
    steps: list[str] = field(default_factory=list)
    added: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(repr(self.seed))
        self._made = 0
        self._options = ReadOptions()
        self.folder.mkdir(parents=True)
        (self.folder / "deck.toml").write_text('name = "Deck"\nid = "abcdefgh"\n')
        for name in _FILES:
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(f"# {Path(name).stem.upper()}\n\n{self._note()}\n{self._note()}")

    def run(self, steps: int) -> str:
        """Return what went wrong in so many steps, or nothing."""
        actions = [self._add] * 4 + [
            self._add_bad,
            self._add_bad,
            self._text,
            self._remove,
            self._accept,
            self._reject,
            self._mark,
        ]
        for number in range(steps):
            action = self._random.choice(actions)
            self.steps.append(action.__name__)
            found = action() or self._compare()
            if not found and (number % 3 == 2 or number == steps - 1):
                found = self._build()
            if found:
                return f"{self.seed!r} after {', '.join(self.steps[-12:])}: {found}"
        return ""

    def _word(self) -> str:
        self._made += 1
        return f"w{self._made}x"

    def _note(self, *, draft: bool = False) -> str:
        """Return a new note, and remember its word."""
        word = self._word()
        (self.drafts if draft else self.notes).add(word)
        return self._text_of(word, self._random.choice(("", "tags=new")) if not draft else "draft")

    def _text_of(self, word: str, settings: str) -> str:
        ask = " ".join(self._random.sample(_WORDS, 4))
        say = " ".join(self._random.sample(_WORDS, 7))
        comment = f"<!-- card: {settings} -->\n" if settings else ""
        return f"## What does {word} do to {ask}?\n{comment}\nIt has {say}, because of {word}.\n"

    # What is done.

    def _add(self) -> str:
        """Add some notes; after a refusal, nothing has changed."""
        drafts, count = self._random.random() < 0.5, self._random.randint(1, 4)
        words = [self._word() for _ in range(count)]
        texts = [self._text_of(word, self._random.choice(("", "tags=new"))) for word in words]
        to = self._random.choice((None, *_FILES))
        if to is None:
            texts.insert(0, f"# {self._random.choice('ABC')}\n")
        before = self._files()
        added = self._added("\n".join(texts), to, draft=drafts)
        if added is None or added.is_refused:
            return self._unchanged(before)
        self.added += count
        (self.drafts if drafts else self.notes).update(words)
        places = {_TOKEN.findall(note.question)[0]: note.text.draft for note in added.notes}
        if places != dict.fromkeys(words, drafts):
            return f"added {places} instead of {words}"
        return self._kept_lines(before)

    def _add_bad(self) -> str:
        texts = [self._text_of(self._word(), "") for _ in range(self._random.randint(0, 2))]
        bad = self._random.choice(_BAD).format(word=self._word())
        texts.insert(self._random.randint(0, len(texts)), bad)
        before = self._files()
        added = self._added("\n".join(texts), self._random.choice(_FILES), draft=self._random.random() < 0.5)
        if added and not added.is_refused:
            # A text that is in another note is no mistake of its own.
            words = {_TOKEN.findall(note.question)[0]: note.text.draft for note in added.notes}
            self.drafts |= {word for word, is_draft in words.items() if is_draft}
            self.notes |= {word for word, is_draft in words.items() if not is_draft}
            return self._kept_lines(before)
        return self._unchanged(before)

    def _added(self, text: str, to: str | None, *, draft: bool) -> Addition | None:
        file = self.folder / to if to else None
        try:
            added = add(AddRequest(self.folder, text.encode(), file, draft=draft), self._options)
        except WrongUseError:
            self.refused += 1
            return None
        self.refused += added.is_refused
        return added

    def _pick(self, words: set[str]) -> tuple[Path, str, int]:
        """Return the file, text and position of the heading of a note with one of these words."""
        word = self._random.choice(sorted(words))
        for name in _FILES:
            text = (self.folder / name).read_text()
            if (at := text.find(f"## What does {word} ")) >= 0:
                return self.folder / name, text, at
        raise AssertionError(word)

    def _text(self) -> str:
        """Reword an answer."""
        file, text, at = self._pick(self.notes | self.drafts)
        file.write_text(text[:at] + text[at:].replace("It has", "Now it has", 1))
        return ""

    def _remove(self) -> str:
        if len(self.notes) > 5:
            file, text, at = self._pick(self.notes)
            ends = [found for mark in ("\n## ", "\n# ") if (found := text.find(mark, at)) >= 0]
            end = min(ends, default=len(text) - 1) + 1
            word = _TOKEN.findall(text[at:])[0]
            file.write_text(text[:at] + text[end:])
            self.notes.discard(word)
            self.published.discard(word)
        return ""

    def _mark(self) -> str:
        """Make a note that was never built a draft."""
        if fresh := self.notes - self.published:
            file, text, at = self._pick(fresh)
            word = _TOKEN.findall(text[at:])[0]
            head, _, below = text[at:].partition("\n")
            below = (
                below.replace("card: ", "card: draft ", 1)
                if below.startswith("<!--")
                else f"<!-- card: draft -->\n{below}"
            )
            file.write_text(f"{text[:at]}{head}\n{below}")
            self.notes.discard(word)
            self.drafts.add(word)
        return ""

    def _accept(self) -> str:
        return self._decide(is_accepted=True)

    def _reject(self) -> str:
        return self._decide(is_accepted=False)

    def _decide(self, *, is_accepted: bool) -> str:
        if not self.drafts:
            return ""
        contents = Workspace.read([self.folder], self._options).contents[0]
        note = self._random.choice(contents.selected_drafts)
        source = next(each.source for each in contents.sources if each.source.path == note.location.path)
        word = _TOKEN.findall(note.title)[0]
        place = source, note.location.line, note.title
        if not decide(contents.collection, *place, accepts=is_accepted):
            return f"{word} was not {'accepted' if is_accepted else 'rejected'}"
        self.drafts.discard(word)
        self.notes |= {word} if is_accepted else set()
        return ""

    # What must hold.

    def _files(self) -> dict[str, str]:
        return {name: (self.folder / name).read_text() for name in _FILES}

    def _unchanged(self, before: dict[str, str]) -> str:
        return "" if self._files() == before else "a refusal has changed a file"

    def _kept_lines(self, before: dict[str, str]) -> str:
        """Whether every line of the files is still there, in order."""
        for name, text in self._files().items():
            lines = iter(text.split("\n"))
            if not all(line in lines for line in before[name].split("\n")):
                return f"{name} has lost a line"
        return ""

    def _compare(self) -> str:
        """Compare the sources with what should be in them."""
        contents = Workspace.read([self.folder], self._options).contents[0]
        notes = sorted(_TOKEN.findall(note.title)[0] for note in contents.notes)
        drafts = sorted(_TOKEN.findall(note.title)[0] for note in contents.selected_drafts)
        if (notes, drafts) != (sorted(self.notes), sorted(self.drafts)):
            return f"{notes} and drafts {drafts}, not {sorted(self.notes)} and drafts {sorted(self.drafts)}"
        return ""

    def _build(self) -> str:
        out = self.folder / "build"
        formats = ("apkg", "csv", "html", "anki-csv")
        built, diagnostics = build(
            [self.folder],
            BuildOptions(out, formats),
            self._options,
            waiting=lambda _: None,
        )
        if not built:
            return f"not built: {diagnostics}"
        self.published |= self.notes
        for file in (*out.iterdir(), self.folder / "deck.lock"):
            words = _words_in(file)
            live = self.notes if file.name != "deck.lock" else words - self.drafts
            if words != live or not self.notes <= words:
                return f"{file.name} has {sorted(words ^ self.notes)} besides or not at all"
        return ""


def _words_in(file: Path) -> set[str]:
    """Return the words of the notes in an output or a lock."""
    if file.suffix != ".apkg":
        return set(_ASKED.findall(file.read_text("utf-8")))
    with zipfile.ZipFile(file) as package:
        database = file.with_suffix(".database")
        database.write_bytes(package.read("collection.anki2"))
    try:
        with sqlite3.connect(database) as connection:
            rows = connection.execute("SELECT flds FROM notes").fetchall()
        connection.close()
    finally:
        database.unlink()
    return {word for (fields,) in rows for word in _ASKED.findall(fields)}
