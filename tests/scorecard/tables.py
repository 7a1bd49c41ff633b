"""Row 18: the CSV files, read by pandas and by the real Anki."""

import shutil
from pathlib import Path

import pandas as pd

from anki_backend import import_package, import_text, learner, notes_by_guid
from scorecard.command import ptcards
from scorecard.row import Effort, Measurement, Result, Row

ROOT = Path(__file__).parents[2]
_CELLS = (
    "# a comment", "#separator:tab", "a;b,c\td|e", '"quoted"', '""', 'a "b" c', "'=1+1", "=1+1", "@x", "+1", "-1", "NULL", "NaN", "None",
    "1.0", "007", "1e5", "true", "a\nb", "\n\na", "  two  ", "\\n", "<b>", "&amp;", "{{c1::x}}", "é", "e\u0301", "\ufeff", "\u2028", "🙂", "ש",
    '```text\n# x,y\n"z"\n```', '| a | b |\n|---|---|\n| 1 | "2" |', "#", '#"', ",", "\t", '"""', "#html:false",
)  # fmt: skip


def _measure(effort: Effort) -> tuple[Result, ...]:
    odd = effort.folder / "odd"
    odd.mkdir()
    (odd / "deck.toml").write_text('name = "Odd"\nid = "odd"\n', "utf-8")
    draw = effort.random("cells")
    answers = [f"~~~~text\n{cell}\n{draw.choice(_CELLS)}\n~~~~" for cell in _CELLS * effort.pick(3, 30)]
    for number, answer in enumerate(answers):
        (odd / f"{number:05}.md").write_text(
            f"## Question {number}\n<!-- card: id=q{number} -->\n\n{answer}\n", "utf-8"
        )
    shutil.copytree(ROOT / "cards", effort.folder / "cards")
    faults: list[str] = []
    rows = fields = 0
    for folder in (odd, effort.folder / "cards"):
        out = effort.folder / f"out-{folder.name}"
        formats = [word for name in ("apkg", "csv", "anki-csv") for word in ("--format", name)]
        ran = ptcards("build", folder, "-o", out, *formats)
        assert ran.status == 0, ran.err
        (table,) = (each for each in out.glob("*.csv") if not each.name.endswith(".anki.csv"))
        frame = pd.read_csv(table, dtype=str, keep_default_na=False).replace("^'", "", regex=True)
        rows += len(frame)
        if folder is odd:
            by_key = dict(zip(frame["key"], frame["answer"], strict=True))
            faults += [
                f"q{number}: {answer!r}"
                for number, answer in enumerate(answers)
                if by_key[f"q{number}"] != answer
            ]
        counted, found = _through_anki(out, effort.folder / f"anki-{folder.name}", set(frame["guid"]))
        fields += counted
        faults += found
    figure = f"{len(faults)} of {rows:,} rows read by pandas and {fields:,} fields imported by Anki"
    return (Result(figure, not faults, tuple(faults)),)


def _through_anki(out: Path, profile: Path, guids: set[str]) -> tuple[int, list[str]]:
    """Import the package, change every field, and let the table restore them."""
    (package,), (table,) = out.glob("*.apkg"), out.glob("*.anki.csv")
    with learner(profile) as anki:
        import_package(anki, package)
        before = {guid: tuple(note.fields) for guid, note in notes_by_guid(anki).items()}
        spoilt = list(notes_by_guid(anki).values())
        for note in spoilt:
            note.fields = ["spoilt"] * len(note.fields)
            note.tags = []
        anki.update_notes(spoilt)
        outcome = import_text(anki, table)
        after = {guid: tuple(note.fields) for guid, note in notes_by_guid(anki).items()}
    faults = (
        []
        if before.keys() == guids and outcome.get("updated") == len(before)
        else [f"{outcome} of {len(before)}"]
    )
    faults += [f"{guid}: {after.get(guid)}" for guid, kept in before.items() if after.get(guid) != kept]
    return sum(map(len, before.values())), faults


MEASUREMENT = Measurement(
    (
        Row(
            18,
            "fields that differ after pandas reads the CSV file, or real Anki imports the CSV file for Anki",
            "0",
        ),
    ),
    _measure,
)
