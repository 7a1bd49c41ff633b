"""`ptcards import --reviews-from` takes texts from Markdown, and identities from the learners' package."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer

from anki_backend import answer, import_package, learner, notes_by_guid
from conftest import NEXT, Ran
from packages import add
from studying import export

Run = Callable[..., Ran]
QA = """\
Q: What is the capital of *France*?
A: Paris, on the **Seine**.

Q: How large is it?
A: 551,500 km².

Q: What is asked twice?
A: Once.

Q: What is new?
A: This.

Q: Where is Rome?
A: In Italy.
![map](map.png)
"""


def fill(collection: Collection) -> None:
    basic = collection.models.by_name("Basic")
    collection.models.add_field(basic, collection.models.new_field("Extra"))
    collection.models.update_dict(basic)
    media = Path(collection.media.dir())
    (media / "map.png").write_bytes(b"theirs")
    (media / "old.png").write_bytes(b"old")
    paris = ("What is the capital<br>of <i>France</i>?", "Paris", "<img src=map.png>")
    add(collection, "Basic", "Geo::Europe", *paris)
    add(collection, "Basic", "Geo", "How large is it?", "large")
    add(collection, "Basic", "Geo", "What is asked twice?", "1")
    add(collection, "Basic", "Geo", "<b>What is asked twice?</b>", "2")
    add(collection, "Basic", "Geo", "Where is Rome?", "<img src=old.png>", tags="city")
    add(collection, "Basic", "Geo", "What is gone?", "This.")
    add(collection, "Cloze", "Geo", "{{c1::Rome}} is old.")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reviewed")
    with learner(folder / "author") as collection:
        fill(collection)
        return export(collection, folder / "geo.apkg", scheduling=False)


def state(collection: Collection) -> tuple[list[Sequence[object]], list[Sequence[object]]]:
    columns = "id, nid, did, ord, type, queue, due, ivl, reps, lapses"
    cards = collection.db.all(f"SELECT {columns} FROM cards ORDER BY id")
    return cards, collection.db.all("SELECT * FROM revlog ORDER BY id")


def test_learners_keep_their_reviews_and_get_the_texts_of_the_markdown(
    package: Path, tmp_path: Path, ptcards: Run, write: Callable[..., Path]
) -> None:
    write({"notes.md": QA, "map.png": b"ours"})
    options = ("--from", "qa", "--reviews-from", package)
    assert ptcards("import", tmp_path / "notes.md", tmp_path / "geo", *options) == Ran(
        0,
        "Read notes.md: 5 notes, 1 media file (qa, as requested)\n"
        "Kept the note type Basic: 3 fields, 1 template, 3 notes\n"
        "matched  3 notes with the package, by the text on the front\n"
        "decks    Geo (4 notes), Geo::Europe (1)\n"
        "Wrote geo/: 5 notes in 2 files, deck.lock with their 3 GUIDs\n\n"
        "read     5  notes of the deck that you import\n"
        "written  5  notes as Markdown\n"
        "changed  2  new to learners: not in the package, or more than once\n"
        "            notes.md:7   What is asked twice?\n"
        "            notes.md:10  What is new?\n"
        "left out 4  not in the Markdown, or more than once: learners keep them\n"
        "            What is gone?\n"
        "            {{c1::Rome}} is old.\n"
        "            What is asked twice?\n"
        "            What is asked twice?\n",
        "learners keep their reviews: the first build changes nothing for them, and later edits reach everybody\n"
        "`ptcards build --refresh` sends them the text from the Markdown now\n"
        "Next: ptcards serve geo --open to look at the cards\n",
    )
    with learner(tmp_path / "learner") as collection:
        import_package(collection, package)
        for card in collection.find_cards(""):
            answer(collection, card, CardAnswer.EASY, seconds=5)
        before, theirs = state(collection), notes_by_guid(collection)
        assert ptcards("build", tmp_path / "geo", "-o", tmp_path / "out").status == 0
        assert import_package(collection, tmp_path / "out/geo.apkg") == {"new": 2, "duplicate": 3}
        assert ptcards("build", tmp_path / "geo", "-o", tmp_path / "out", "--refresh").status == 0
        assert import_package(collection, tmp_path / "out/geo.apkg") == {"updated": 5}
        cards, log = state(collection)
        known = {card[0] for card in before[0]}
        assert ([card for card in cards if card[0] in known], log) == before
        now = {note.id: note for note in notes_by_guid(collection).values()}
        fields = {note.fields[0]: [*now[note.id].fields, *now[note.id].tags] for note in theirs.values()}
    assert (tmp_path / "geo/media/map.png").read_bytes() == b"theirs"
    assert (tmp_path / "geo/media/map-2.png").read_bytes() == b"ours"
    assert not (tmp_path / "geo/media/old.png").exists()
    assert fields == {
        "What is the capital<br>of <i>France</i>?": [
            "What is the capital of <em>France</em>?",
            "Paris, on the <strong>Seine</strong>.",
            '<img alt="" src="map.png">',
        ],
        "How large is it?": ["How large is it?", "551,500 km².", ""],
        "What is asked twice?": ["What is asked twice?", "1", ""],
        "<b>What is asked twice?</b>": ["<b>What is asked twice?</b>", "2", ""],
        "Where is Rome?": ["Where is Rome?", 'In Italy.\n<img alt="map" src="map-2.png">', "", "city"],
        "What is gone?": ["What is gone?", "This.", ""],
        "{{c1::Rome}} is old.": ["{{c1::Rome}} is old.", ""],
    }


CHOICE = """\
### What does this print?

```javascript
print(1);
```

- A: `1`
- B: `2`

<details><summary><b>Answer</b></summary>

#### Answer: A

It prints it.

</details>
"""


def test_a_choice_is_found_with_or_without_its_options_on_the_front(
    ptcards: Run, write: Callable[..., Path]
) -> None:
    folder = write({"one/choice.md": CHOICE, "two/choice.md": CHOICE})
    front = "What does this print?<pre>print(1);</pre>"
    for name, more in (("one", ""), ("two", "<ul><li>1</li><li>2</li></ul>")):
        with learner(folder / name / "author") as collection:
            add(collection, "Basic", "Choices", front + more, "1")
            export(collection, folder / name / "a.apkg", scheduling=False)
        options = ("--from", "details:heading", "--reviews-from", folder / name / "a.apkg")
        assert ptcards("import", folder / name / "choice.md", folder / name / "out", *options).status == 0
    found = [(folder / name / "out/choices.md").read_text().partition("-->\n")[2] for name in ("one", "two")]
    right = "- `1`\n\nIt prints it.\n\n### Front\n\nWhat does this print?\n\n```javascript\nprint(1);\n```\n"
    assert [each.lstrip("\n") for each in found] == [right, f"{right}\n- `1`\n- `2`\n"]


OBSIDIAN = """\
---
tags: [flashcards/net]
---
The ==PM== was ==JG==.
"""


def test_a_cloze_is_a_cloze_and_its_extra_stays(ptcards: Run, write: Callable[..., Path]) -> None:
    folder = write({"vault/net.md": OBSIDIAN})
    with learner(folder / "author") as collection:
        add(collection, "Cloze", "Net", "The {{c1::PM::who}} was<br>{{c2::JG}}.", "An <u>extra</u>.")
        add(collection, "Basic", "Net", "The PM was JG.", "no cloze")
        export(collection, folder / "net.apkg", scheduling=False)
    options = ("--from", "obsidian", "--reviews-from", folder / "net.apkg")
    assert ptcards("import", folder / "vault", folder / "out", *options).status == 0
    text = (folder / "out/net.md").read_text()
    assert [line for line in text.splitlines() if line and not line.startswith("<!--")] == [
        "---",
        'deck: ""',
        "---",
        "## The {{c1::PM}} was {{c2::JG}}.",
        "An <u>extra</u>.",
    ]
    assert "type=cloze" in text


def test_a_package_of_ours_gives_its_guids_to_notes_of_our_kinds(
    tmp_path: Path, ptcards: Run, write: Callable[..., Path]
) -> None:
    toml = 'name = "Geo"\nid = "abcdef12"\n'
    write({"old/deck.toml": toml, "old/europe.md": "# Europe\n\n## Where is Rome?\n\nIn Italy.\n"})
    assert ptcards("build", tmp_path / "old", "-o", tmp_path).err.endswith(NEXT)
    write({"notes.md": QA, "map.png": b"ours"})
    options = (
        "--from",
        "qa",
        "--reviews-from",
        tmp_path / "geo.apkg",
        "--id",
        "abcdef12",
        "--format",
        "json",
    )
    without = ptcards("import", tmp_path / "notes.md", tmp_path / "geo", *options[:4])
    assert (without.status, without.err.splitlines()[0]) == (
        1,
        "geo.apkg: error[no-match] ptcards built this package from a collection with another id",
    )
    ran = ptcards("import", tmp_path / "notes.md", tmp_path / "geo", *options)
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["matched"] == 1
    old, new = (
        (tmp_path / name / "deck.lock").read_text().splitlines()[-1].split("\t") for name in ("old", "geo")
    )
    assert new[:4] == old[:4]
    assert sorted(file.name for file in (tmp_path / "geo").glob("*.md")) == ["europe.md", "geo.md"]
    with learner(tmp_path / "learner") as collection:
        import_package(collection, tmp_path / "geo.apkg")
        assert ptcards("build", tmp_path / "geo", "-o", tmp_path / "out").status == 0
        assert import_package(collection, tmp_path / "out/geo.apkg") == {"new": 4, "duplicate": 1}


def test_a_package_of_other_notes_and_a_call_that_means_nothing_are_refused(
    package: Path, tmp_path: Path, ptcards: Run, write: Callable[..., Path]
) -> None:
    write({"notes.md": "Q: What else?\nA: This.\n"})
    options = ("--from", "qa", "--reviews-from", package)
    assert ptcards("import", tmp_path / "notes.md", tmp_path / "geo", *options) == Ran(
        1,
        "",
        f"{package}: error[no-match] none of its cards has the same front as a note in the Markdown\n"
        "  = help: leave out `--reviews-from`, or name the package that learners have\n\n1 error\n",
    )
    shutil.copy(package, tmp_path / "geo.apkg")
    ran = ptcards("import", tmp_path / "geo.apkg", tmp_path / "geo", "--reviews-from", package)
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: invalid value for `--reviews-from`: it only works for Markdown, and not with `--fresh`",
    )
    assert not (tmp_path / "geo").exists()
