"""If a deck is imported with its identity, learners keep their reviews and receive later changes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection

from anki_backend import assert_healthy, cards_of, import_package, learner, notes_by_guid
from conftest import Ran
from packages import FORMATS, PICTURE, Exported, add, export, id_of, written_files

Run = Callable[..., Ran]

STYLE = '@font-face { font-family: deck; src: url("_font.woff2"); }\n.card { color: black; }\n'
NOTES = 16
FIELDS = ("Country", "Capital", "Capital hint", "Flag", "Map", "Notes")


MINING = (
    *("Expression", "ExpressionFurigana", "ExpressionReading", "ExpressionAudio", "SelectionText"),
    *("MainDefinition", "DefinitionPicture", "Sentence", "SentenceFurigana", "SentenceAudio", "Picture"),
    *("Glossary", "Hint", "IsWordAndSentenceCard", "IsClickCard", "IsSentenceCard", "IsAudioCard"),
    *("PitchPosition", "PitchCategories", "Frequency", "FreqSort", "MiscInfo"),
)
"""The fields of a typical note type for vocabulary from books and films."""
MINING_TEMPLATES = {
    "Mining": ("{{#Expression}}<ruby>{{furigana:ExpressionFurigana}}</ruby>{{/Expression}}", "Sentence"),
    "Click": ("{{#IsClickCard}}<a onclick='show()'>{{kanji:ExpressionFurigana}}</a>{{/IsClickCard}}", "Hint"),
    "Sound": ("{{#IsAudioCard}}{{ExpressionAudio}}{{type:Expression}}{{/IsAudioCard}}", "Picture"),
}
SCRIPT = """
<script>
  // 設定: {=html} ``` and "quotes"
  for (const each of document.querySelectorAll(".glossary li")) { each.onclick = () => alert("<b>") }
</script>
"""
MINING_STYLE = """@import url("_mining.css");
:root { --色: #a52; }
.nightMode { --色: #fc9; }
@media (max-width: 600px) { .card::before { content: "\\201C"; background: url(_paper.png) } }
"""
GLOSSARY = (
    '<style>.g[data-x="y"] > li::marker { content: "①" }</style>\n'
    '<div style="text-align: left" class="glossary"><ol><li data-x="y"><i>(n, JMdict)</i> <ul><li>cat</li>'
    "<li>ネコ &amp; 猫</li></ul></li></ol></div>\n\n```\n"
)


def _add_mining(collection: Collection) -> None:
    """Add two notes of a note type with 22 fields, three templates, scripts and styles."""
    models = collection.models
    mining = models.new("Lapis")
    for name in MINING:
        models.add_field(mining, models.new_field(name))
    for name, (front, shown) in MINING_TEMPLATES.items():
        template = models.new_template(name)
        template["qfmt"] = front + SCRIPT
        template["afmt"] = f"{{{{FrontSide}}}}<hr id=answer>{{{{hint:{shown}}}}}{{{{Tags}}}}{SCRIPT}"
        models.add_template(mining, template)
    mining["css"] = MINING_STYLE
    models.add(mining)
    for name in ("_mining.css", "_paper.png", "neko.webp"):
        collection.media.write_data(name, PICTURE)
    cat = {
        "Expression": "猫",
        "ExpressionFurigana": " 猫[ねこ]",
        "ExpressionAudio": "[sound:a b.mp3]",
        "MainDefinition": '<ol><li style="list-style: none">cat</li></ol>',
        "Sentence": "あの<b>猫</b>は速い。<br>",
        "SentenceFurigana": "あの <b> 猫[ねこ]</b>は 速[はや]い。",
        "Picture": '<img alt="" src="neko.webp" loading="lazy">',
        "Glossary": GLOSSARY,
        "IsAudioCard": "x",
        "PitchCategories": "nakadaka,heiban",
        "Frequency": '<ul style="margin: 0"><li>JPDB: 1,234㋕</li></ul>',
        "FreqSort": "1234",
        "MiscInfo": "本 | 第1章 (00h12m) [a](b)",
    }
    dog = {
        "Expression": "犬",
        "ExpressionFurigana": "犬",
        "IsClickCard": "1",
        "Hint": "<ruby>犬<rt>いぬ</rt></ruby>",
        "FreqSort": "9",
    }
    for fields in (cat, dog):
        add(
            collection,
            "Lapis",
            "Geo::日本語::A::B::C",
            *(fields.get(name, "") for name in MINING),
            tags="本::１",
        )


def _fill(collection: Collection) -> None:
    """Add notes of the author's own note types, of Anki's stock note types, and of a cloze note type."""
    _add_mining(collection)
    collection.media.write_data("flag-fr.png", PICTURE)
    collection.media.write_data("a b.mp3", b"ID3")
    collection.media.write_data("_font.woff2", b"wOF2")
    models = collection.models
    geo = models.new("Ultimate Geography")
    for name in FIELDS:
        models.add_field(geo, models.new_field(name))
    for name, asked, shown in (
        ("Country - Capital", "Country", "Capital"),
        ("Flag - Country", "Flag", "Country"),
    ):
        template = models.new_template(name)
        template["qfmt"] = f"{{{{#{asked}}}}}{{{{{asked}}}}}{{{{/{asked}}}}}"
        template["afmt"] = f"{{{{FrontSide}}}}<hr>{{{{{shown}}}}}<script>alert(1)</script>"
        template["bqfmt"] = f"{{{{{asked}}}}}"
        models.add_template(geo, template)
    geo["css"] = STYLE
    models.add(geo)
    flag = '<img src="flag-fr.png">'
    add(collection, "Ultimate Geography", "Geo::Europe", "France", "Paris", "Not Lyon", flag, tags="EU x::y")
    add(collection, "Ultimate Geography", "Geo::Europe", "Spain", '<span style="color: red">Madrid</span>')
    add(
        collection, "Ultimate Geography", "Geo::Europe", "<p>Italy</p><p>or Italia</p>", "Rome", tags="marked"
    )
    add(collection, "Ultimate Geography", "Geo::Europe", '<div style="x">Malta</div>', "Valletta", "", flag)
    add(
        collection,
        "Ultimate Geography",
        "Geo::Europe",
        "San<b>Marino</b>",
        "",
        "",
        flag,
        "",
        "<pre>a\n\n  b</pre>",
    )
    add(
        collection,
        "Ultimate Geography",
        "Geo",
        "{{c1::No}} cloze",
        "`code` &amp; # ![x](y) <b>z</b>[sound:a b.mp3]",
    )
    add(collection, "Ultimate Geography", "Geo::1::2::3::4::5", "Deep", "<style>b { color: red }</style>x")
    add(collection, "Basic", "Geo::Words", "dog", "Hund<br><br>Tier")
    add(collection, "Basic", "Geo::Words", "dog", "another dog")
    add(collection, "Basic (and reversed card)", "Geo::Words", "Katze", "cat")
    add(collection, "Basic (type in the answer)", "Geo::Words", "猫", "cat")
    add(collection, "Cloze", "Geo::Words", r"{{c1::<b>Paris</b>}} is in {{c2::\(x\)::hint}}", "<i>more</i>")
    add(collection, "Cloze", "Geo::Words", "<ul><li>{{c3::one}}</li><li>{{c1::two}}</li></ul>")
    add(collection, "Basic", "Geo::Words", "gone", '<img src="gone.png"> &lt;b&gt; $5 and $6')
    for name, description, is_markdown in (
        ("Geo", '<div style="color: navy">All & <b>more</b></div>', False),
        ("Geo::Europe", "Only *Europe*", True),
    ):
        deck = collection.decks.by_name(name)
        assert deck is not None
        collection.decks.save(deck | {"desc": description, "md": is_markdown})


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export(tmp_path_factory.mktemp("adopted"), _fill)


def _learn(folder: Path, package: Path) -> None:
    """Import a package, and review each of its cards once."""
    with learner(folder) as collection:
        assert import_package(collection, package)["new"] == NOTES
        collection.sched.set_due_date(collection.find_cards(""), "5!")


def _state(collection: Collection) -> list[list[Any]]:
    """Return all cards and reviews."""
    assert collection.db is not None
    return [list(collection.db.all(f"SELECT * FROM {table} ORDER BY id")) for table in ("cards", "revlog")]


def _descriptions(collection: Collection) -> dict[str, tuple[str, bool]]:
    """Return the descriptions of the decks, and whether they are Markdown."""
    decks = (deck for deck in collection.decks.all() if deck["desc"])
    return {deck["name"]: (deck["desc"], deck.get("md", False)) for deck in decks}


def _schema(collection: Collection) -> int:
    """Return when the schema last changed; a newer time means a full sync."""
    assert collection.db is not None
    return int(collection.db.scalar("SELECT scm FROM col"))


def _import(ptcards: Run, package: Path, folder: Path, *options: str) -> None:
    ran = ptcards("import", package, folder, *options)
    said = [line.partition("] ")[2] for line in ran.err.splitlines() if "[" in line]
    assert (ran.status, said) == (0, ["`gone.png` is missing from the package (used by `gone`)"])


def _build(ptcards: Run, folder: Path) -> Path:
    ran = ptcards("build", folder, "-o", folder / "build")
    assert ran.status == 0, ran.err
    return folder / "build" / "geo.apkg"


@pytest.fixture(scope="module")
def learned(exported: Exported, tmp_path_factory: pytest.TempPathFactory) -> Path:
    profile = tmp_path_factory.mktemp("learned") / "learner"
    _learn(profile, exported.packages["anki21b"])
    return profile


@pytest.fixture
def profile(learned: Path, tmp_path: Path) -> Path:
    """Return the profile of a learner who has reviewed all cards; each test uses a copy."""
    return Path(shutil.copytree(learned, tmp_path / "learner"))


def test_the_report_counts_the_templates_with_scripts(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    ran = ptcards("import", exported.packages["anki21b"], tmp_path / "geo", "--dry-run")
    assert "scripts  in 5 templates: they only run in Anki\n" in ran.out


def test_an_untouched_import_changes_nothing_for_learners(
    ptcards: Run, tmp_path: Path, exported: Exported, profile: Path
) -> None:
    _import(ptcards, exported.packages["anki21b"], tmp_path / "geo")
    package = _build(ptcards, tmp_path / "geo")
    with learner(profile) as collection:
        before, schema, decks = _state(collection), _schema(collection), _descriptions(collection)
        assert import_package(collection, package) == {"duplicate": NOTES}
        assert _state(collection) == before
        assert _descriptions(collection) == decks
        assert _schema(collection) == schema
        assert_healthy(collection)


def test_learners_get_what_the_author_edits_and_nothing_else(
    ptcards: Run, tmp_path: Path, exported: Exported, profile: Path
) -> None:
    folder = tmp_path / "geo"
    _import(ptcards, exported.packages["anki21"], folder)
    europe, style = folder / "europe.md", folder / "notetypes" / "ultimate-geography" / "style.css"
    for file, old, new in (
        ("europe", "Rome", "Roma"),
        ("words", "another dog", "another hound"),
        ("words", "*more*", "*less*"),
        ("c", "nakadaka,heiban", "nakadaka"),
    ):
        text = (folder / f"{file}.md").read_text("utf-8")
        (folder / f"{file}.md").write_text(text.replace(old, new), "utf-8")
    text = europe.read_text("utf-8").replace("Not Lyon", "Not *Lyon*")
    assert text.startswith('---\ndeck: "Europe"\ntype: "ultimate-geography"\n---\n')
    added = "\n## Portugal\n\nLisbon\n\n### Flag\n\n![](media/flag-fr.png)\n"
    europe.write_text(text + added, "utf-8")
    style.write_text(STYLE.replace("black", "navy"), "utf-8")
    package = _build(ptcards, folder)
    with learner(profile) as collection:
        before, schema = _state(collection), _schema(collection)
        assert import_package(collection, package) == {"new": 1, "updated": 5, "duplicate": NOTES - 5}
        assert _schema(collection) == schema
        after = _state(collection)
        known = {card[0] for card in before[0]}
        assert [card for card in after[0] if card[0] in known] == before[0]
        assert after[1] == before[1]
        notes = {note.fields[0]: note for note in notes_by_guid(collection).values()}
        assert notes["France"].fields[2] == "Not <em>Lyon</em>"
        assert notes["Portugal"].fields == [
            "Portugal",
            "Lisbon",
            "",
            '<img alt="" src="flag-fr.png">',
            "",
            "",
        ]
        assert [card.ord for card in cards_of(collection, notes["Portugal"].guid)] == [0, 1]
        assert [each["css"] for each in collection.models.all() if "navy" in each["css"]] == [
            STYLE.replace("black", "navy")
        ]
        assert_healthy(collection)


@pytest.mark.parametrize("name", FORMATS[1:])
def test_all_formats_of_a_collection_give_the_same_folder(
    ptcards: Run, tmp_path: Path, exported: Exported, name: str
) -> None:
    choice = ("--deck", "Geo") if name == "colpkg" else ()
    _import(ptcards, exported.packages["anki2"], tmp_path / "one" / "geo", "--id", "geo1")
    _import(ptcards, exported.packages[name], tmp_path / "geo", "--id", "geo1", *choice)
    assert written_files(tmp_path / "geo") == written_files(tmp_path / "one" / "geo")


def test_every_field_is_built_again_or_was_kept_as_it_is(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    """They differ only in notation: entities, quotes, equivalent tags."""
    _import(ptcards, exported.packages["anki21b"], tmp_path / "geo")
    with learner(tmp_path / "new") as collection:
        import_package(collection, _build(ptcards, tmp_path / "geo"))
        built = {guid: tuple(note.fields) for guid, note in notes_by_guid(collection).items()}
        tags = {guid: note.tags for guid, note in notes_by_guid(collection).items()}
    with learner(tmp_path / "old") as collection:
        import_package(collection, exported.packages["anki21b"])
        notes = notes_by_guid(collection)
    assert built.keys() == notes.keys()
    assert {guid: [tag for tag in note.tags if tag != "marked"] for guid, note in notes.items()} == tags
    pairs = {pair for guid in built for pair in zip(notes[guid].fields, built[guid], strict=True)}
    assert {before: after for before, after in pairs if before != after} == REWRITTEN


REWRITTEN = {
    '<img src="flag-fr.png">': '<img alt="" src="flag-fr.png">',
    "<p>Italy</p><p>or Italia</p>": "<p>Italy</p>\n<p>or Italia</p>",
    "<pre>a\n\n  b</pre>": "<pre><code>a\n\n  b</code></pre>",
    "{{c1::No}} cloze": "{&#123;c1::No}} cloze",
    "Hund<br><br>Tier": "<p>Hund</p>\n<p>Tier</p>",
    r"{{c1::<b>Paris</b>}} is in {{c2::\(x\)::hint}}": r"{{c1::<strong>Paris</strong>}} is in {{c2::\(x\)::hint}}",
    "<i>more</i>": "<em>more</em>",
    " 猫[ねこ]": "猫[ねこ]",
    "あの <b> 猫[ねこ]</b>は 速[はや]い。": "あの <b>猫[ねこ]</b>は 速[はや]い。",
    "あの<b>猫</b>は速い。<br>": "あの<b>猫</b>は速い。",
    "<ul><li>{{c3::one}}</li><li>{{c1::two}}</li></ul>": (
        "<ul>\n<li>{{c3::one}}</li>\n<li>{{c1::two}}</li>\n</ul>"
    ),
}


def test_twice_the_same_package_gives_the_same_bytes_but_for_the_new_id(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    one, two = tmp_path / "1" / "geo", tmp_path / "2" / "geo"
    _import(ptcards, exported.packages["anki21b"], one)
    _import(ptcards, exported.packages["anki21b"], two)
    first, second = id_of(one), id_of(two)
    assert first != second
    assert {
        name: content.replace(first.encode(), second.encode()) for name, content in written_files(one).items()
    } == written_files(two)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_what_a_killed_import_left_is_deleted_by_the_next(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    package = str(exported.packages["anki21b"])
    command = [sys.executable, "-m", "ptcards", "import", package, str(tmp_path / "geo")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as running:
        while running.poll() is None and not any(tmp_path.iterdir()):
            time.sleep(0.002)
        running.kill()
    assert running.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert (left.name[:9], left.suffix) == (".ptcards-", ".import")
    assert ptcards("import", package, tmp_path / "geo").status == 0
    assert [*tmp_path.iterdir()] == [tmp_path / "geo"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end here")
def test_an_import_that_is_asked_to_end_leaves_nothing(tmp_path: Path, exported: Exported) -> None:
    folder, temporary = tmp_path / "decks", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    command = [
        sys.executable,
        "-m",
        "ptcards",
        "import",
        str(exported.packages["anki21b"]),
        str(folder / "geo"),
    ]
    with subprocess.Popen(command, env=os.environ | {"TMPDIR": str(temporary)}) as running:
        while running.poll() is None and not any(folder.iterdir()):
            time.sleep(0.002)
        running.terminate()
    assert (running.returncode, list(folder.iterdir()), list(temporary.iterdir())) == (143, [], [])
