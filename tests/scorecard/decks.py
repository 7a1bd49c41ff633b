"""Rows 14 to 16: every deck in the repository, in the current Anki and in those of earlier years."""

import csv
import json
import re
import shutil
import subprocess
import sys
import time
import venv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anki.collection import Collection

from anki_backend import deck_counts, import_package, learner
from conftest import read_cases
from scorecard.command import ptcards
from scorecard.row import Effort, Measurement, Result, Row
from test_bad import _files as files_of_case

ROOT = Path(__file__).parents[2]
OLDER = ("24.11", "25.2.7", "25.9.2")
# Imports packages and then edited ones; the Python of an older backend runs it, where ptcards is not
# installed.
_OLDER_LEARNER = """
import json, sys, tempfile
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
collection = Collection(tempfile.mkdtemp() + "/collection.anki2")
said = []
for package in json.load(sys.stdin):
    request = ImportAnkiPackageRequest(package_path=package, options=ImportAnkiPackageOptions())
    log = collection.import_anki_package(request).log
    said.append({name: len(getattr(log, name)) for name in ("new", "updated", "duplicate", "conflicting") if len(getattr(log, name))})
bare = collection.db.scalar("select count() from notes where id not in (select nid from cards)")
print(json.dumps([said, collection.card_count(), collection.fix_integrity()[1], bare, len(collection._backend.get_empty_cards().notes)]))
"""

# The learner of the first package adds a field to its note type, and imports the second as usual and with
# note types merged.
_LEARNER_WITH_A_FIELD = """
import json, sys, tempfile
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
collection = Collection(tempfile.mkdtemp() + "/collection.anki2")
def get(package, merge=False):
    options = ImportAnkiPackageOptions(merge_notetypes=merge)
    log = collection.import_anki_package(ImportAnkiPackageRequest(package_path=package, options=options)).log
    collection.models._clear_cache()
    return {name: len(getattr(log, name)) for name in ("new", "updated", "duplicate", "conflicting") if len(getattr(log, name))}
first, second = json.load(sys.stdin)
said = [get(first)]
note_type = collection.models.by_name("Own")
collection.models.add_field(note_type, collection.models.new_field("Mine"))
collection.models.update_dict(note_type)
print(json.dumps([*said, get(second), get(second, merge=True)]))
"""


@dataclass(frozen=True)
class Deck:
    """A collection built twice: unchanged, and with its last note edited.

    `cards` are the numbers of cards by deck, from the table next to the package.
    """

    name: str
    notes: int
    cards: int
    decks: frozenset[str]
    package: Path
    edited: Path | None


def _corpus() -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """Return the sources of every deck in `tests/` and `cards/`."""
    shipped = ROOT / "cards"
    kept = [file for file in shipped.rglob("*") if file.is_file() and file.name != "deck.lock"]
    yield "cards", {file.relative_to(shipped).as_posix(): file.read_bytes() for file in kept}
    for name in ("bad", "cases"):
        for file in sorted((ROOT / "tests" / name).glob("*.md")):
            for case in read_cases(f"../{name}/{file.stem}"):
                source = case.source if file.stem != "render" else f"## A question?\n\n{case.source}"
                files = files_of_case(source)
                yield (
                    f"{file.stem}: {case.title}",
                    {
                        path: content.encode() if isinstance(content, str) else content
                        for path, content in files.items()
                    },
                )
    snippets = (ROOT / "tests/gfm/snippets.md").read_text("utf-8").split("\n.\n")
    for title, markdown in zip(snippets[::3], snippets[1::3], strict=False):
        yield f"snippet: {title.strip()}", {"a.md": f"## A question?\n\n{markdown}\n".encode()}


def _built(effort: Effort) -> Iterator[Deck]:
    """Build the decks without errors, each as a separate collection."""
    shipped, *others = _corpus()
    if not effort.long:
        others = effort.random("decks").sample(others, 60)
    for number, (name, files) in enumerate([shipped, *others]):
        folder = effort.folder / f"deck{number}"
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        (folder / "deck.toml").write_text(f'name = "Deck {number}"\nid = "deck{number}"\n', "utf-8")
        first = _build(folder, folder / "out1", 1_700_000_000)
        if first is None:
            continue
        (table,) = (folder / "out1").glob("*.csv")
        with table.open(encoding="utf-8-sig", newline="") as file:
            decks = frozenset(row["deck"] for row in csv.DictReader(file, strict=True))
        (package,) = (folder / "out1").glob("*.apkg")
        edited = _edited(folder)
        yield Deck(name, *first, decks, package, edited)


def _edited(folder: Path) -> Path | None:
    """Add a line at the end of the last source; return None if there is no answer to add it to."""
    last = max(
        file for file in folder.rglob("*.md") if file.name[0] not in "_." and file.name.lower() != "readme.md"
    )
    headings = re.findall(rb"^#{1,2} ", last.read_bytes(), re.MULTILINE)
    if headings and headings[-1] == b"# ":  # the line would be part of a deck
        return None
    if b"\ndialect:" in last.read_bytes():  # the line may not be part of a card
        return None
    with last.open("ab") as file:
        file.write(b"\n\nOne more line.\n")
    if _build(folder, folder / "out2", 1_700_086_400) is None:
        return None
    (package,) = (folder / "out2").glob("*.apkg")
    return package


def _build(folder: Path, out: Path, clock: int) -> tuple[int, int] | None:
    """Build; return the numbers of notes and cards, or None if there are errors."""
    ran = ptcards("build", folder, "-o", out, SOURCE_DATE_EPOCH=str(clock))
    counts = re.search(r": (\d+) notes?, (\d+) cards?\b", ran.err)
    return (int(counts[1]), int(counts[2])) if ran.status == 0 and counts else None


def _measure(effort: Effort) -> tuple[Result, ...]:
    decks = list(_built(effort))
    first: list[str] = []
    with learner(effort.folder / "anki") as anki:
        for deck in decks:
            first += [f"{deck.name}: {fault}" for fault in _import(anki, deck)]
        bare = _bare(anki)
        again = [(deck, import_package(anki, deck.package), {"duplicate": deck.notes}) for deck in decks]
        edited = [
            (deck, import_package(anki, deck.edited), Counter(updated=1, duplicate=deck.notes - 1))
            for deck in decks
            if deck.edited
        ]
        second = [
            f"{deck.name}: {outcome}, not {dict(wanted)}"
            for deck, outcome, wanted in (*again, *edited)
            if Counter(outcome) != Counter(wanted)
        ]
        bare += _bare(anki)
        report, healthy = anki.fix_integrity()
        first += [] if healthy else [report]
        missing = list(anki.media.check().missing)
        first += [f"missing {name}" for name in missing]
    notes = sum(deck.notes for deck in decks)
    older = _in_older(decks, effort) if effort.long else []
    first += older
    backends = f" and {', '.join(OLDER)}" if effort.long else ""
    return (
        Result(
            f"{len(decks)} decks, {notes:,} notes in Anki 26.9.3{backends}: {len(first)} that differ from what was built",
            not first and len(decks) > 20,
            tuple(first),
        ),
        Result(
            f"{len(decks)} decks imported again, {len(edited)} with one note edited: {len(second)} wrong",
            not second,
            tuple(second),
        ),
        Result(f"{bare} of {notes:,}", bare == 0),
    )


def _import(anki: Collection, deck: Deck) -> list[str]:
    before, cards = deck_counts(anki), anki.card_count()
    outcome = import_package(anki, deck.package)
    faults = [] if Counter(outcome) == Counter(new=deck.notes) else [f"{outcome} of {deck.notes} notes"]
    if anki.card_count() - cards != deck.cards:
        faults.append(f"{anki.card_count() - cards} of {deck.cards} cards")
    filled = {name for name, count in deck_counts(anki).items() if count and name not in before}
    if filled != deck.decks:
        faults.append(f"decks {sorted(filled)}, not {sorted(deck.decks)}")
    return faults


def _bare(anki: Collection) -> int:
    bare = (
        anki.db.scalar("select count() from notes where id not in (select nid from cards)") if anki.db else 0
    )
    return int(bare or 0) + len(anki._backend.get_empty_cards().notes)


def _in_older(decks: list[Deck], effort: Effort) -> list[str]:
    """Import everything, then again, and then edited, into each older backend in a separate environment."""
    packages = [deck.package for deck in decks]
    changed = [deck for deck in decks if deck.edited]
    expected = [{"new": deck.notes} for deck in decks] + [{"duplicate": deck.notes} for deck in decks]
    # 24.11 stamps a note with the time of the import, so an edit of 2023 comes too late (docs/anki.md,
    # Updates).
    faults = _with_a_field(sys.executable, "26.9.3", effort.folder / "own")
    for version in OLDER:
        environment = effort.folder / f"anki-{version}"
        venv.create(environment, with_pip=True)
        python = str(environment / "bin" / "python")
        install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"anki=={version}"]
        subprocess.run(install, check=True, capture_output=True)
        asked = json.dumps(
            [str(path) for path in packages + packages + [deck.edited for deck in changed if deck.edited]]
        )
        ran = subprocess.run(
            [python, "-c", _OLDER_LEARNER], input=asked, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            faults.append(f"{version}: {ran.stderr[-500:]}")
            continue
        # On a busy machine, Anki first prints that it blocked the main thread.
        said, _, healthy, bare, empty = json.loads(ran.stdout.splitlines()[-1])
        updates = [
            {"updated": 1} | ({"duplicate": deck.notes - 1} if deck.notes > 1 else {}) for deck in changed
        ]
        named = [deck.name for deck in (*decks, *decks, *changed)]
        faults += [
            f"{version}: {name}: {got}, not {wanted}"
            for name, got, wanted in zip(named, said, [*expected, *updates], strict=True)
            if got != {key: count for key, count in wanted.items() if count}
        ]
        faults += (
            []
            if healthy and not bare and not empty
            else [f"{version}: integrity {healthy}, {bare} bare, {empty} empty"]
        )
        faults += _with_a_field(python, version, effort.folder / "own")
        shutil.rmtree(environment)
    return faults


def _with_a_field(python: str, version: str, folder: Path) -> list[str]:
    """Let a learner who added a field to the note type import an update.

    The result must match docs/deck-lock.md.
    """
    (folder / "cards").mkdir(parents=True, exist_ok=True)
    (folder / "cards/deck.toml").write_text('name = "Own"\nid = "own"\n', "utf-8")
    packages = []
    for day, answer in enumerate(("One.", "One, and better.")):
        (folder / "cards/a.md").write_text(f"## First?\n\n{answer}\n\n## Second?\n\nTwo.\n", "utf-8")
        out = folder / f"{version}-{day}"
        # The update is dated tomorrow, because Anki only accepts a note that is newer than the learner's.
        _build(folder / "cards", out, int(time.time()) + day * 86_400)
        packages.append(str(out / "own.apkg"))
    command = [python, "-c", _LEARNER_WITH_A_FIELD]
    ran = subprocess.run(command, input=json.dumps(packages), capture_output=True, text=True, check=False)
    wanted = [{"new": 2}, {"conflicting": 2}, {"updated": 1, "duplicate": 1}]
    said = json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 else ran.stderr[-500:]
    (folder / "cards/deck.lock").unlink()
    return [] if said == wanted else [f"{version}: a learner's own field: {said}, not {wanted}"]


MEASUREMENT = Measurement(
    (
        Row(
            14,
            "decks of tests/ and cards/ in real Anki: notes, cards and decks are as built, the database is sound, no media is missing",
            "all",
        ),
        Row(15, "importing the same deck again changes nothing; after one edit, one note is updated", "all"),
        Row(16, "notes without a card", "0"),
    ),
    _measure,
)
