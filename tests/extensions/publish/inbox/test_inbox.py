"""`ptcards inbox` lists corrections that others send, and writes accepted ones into the Markdown."""

import json
from pathlib import Path

import pytest

from conftest import Ran
from made_pictures import png
from ptcards.identity.lock_reading import read_lock
from pushing import Run

TOML = 'name = "Mini"\nid = "m1"\nlicense = "MIT"\n'
SOURCE = """\
# Alpha

## What is a leaf?
<!-- card: id=leaf -->

A tensor that was created by you.

## What is a view?
<!-- card: id=view -->

A tensor that copies its data.

### Hint

Think.
"""


@pytest.fixture
def deck(tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a built collection of two notes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deck").mkdir()
    (tmp_path / "deck/deck.toml").write_text(TOML)
    (tmp_path / "deck/a.md").write_text(SOURCE)
    assert ptcards("build", "deck", "-o", "out").status == 0
    return tmp_path / "deck"


def guid(deck: Path, key: str) -> str:
    """Return the GUID of the note with this id."""
    lock, _ = read_lock(deck / "deck.lock", shown="", collection_id="m1")
    assert lock is not None
    (found,) = [record.guid for record in lock.records if record.fingerprint.id == key]
    return found


def suggestion(deck: Path, key: str, **fields: tuple[str, str]) -> dict[str, object]:
    """Return a suggestion as the add-on writes it."""
    return {
        "ptcards-suggestion": 1,
        "deck": "m1",
        "version": "1.4",
        "guid": guid(deck, key),
        "reason": "see the docs",
        "fields": {name: {"was": was, "is": new} for name, (was, new) in fields.items()},
    }


def issue(number: int, *blocks: object, who: str = "ann") -> dict[str, object]:
    """Return an issue as `gh` prints it, with blocks of suggestions."""
    texts = [f"```json ptcards-suggestion\n{json.dumps(block)}\n```\n" for block in blocks]
    return {"number": number, "title": "?", "author": {"login": who}, "body": "Hello.\n\n" + "\n".join(texts)}


VIEW = ("<p>A tensor that copies its data.</p>", "<p>A tensor that <b>shares</b> its data.</p>")


def test_an_accepted_suggestion_is_written_and_named(deck: Path, ptcards: Run) -> None:
    Path("fix.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=VIEW)))
    listed = ptcards("inbox", "deck", "fix.suggestion")
    name = listed.out.split()[0]
    assert listed == Ran(
        0,
        f"{name}  deck/a.md:8: What is a view?\n"
        '      from fix.suggestion: "see the docs"\n'
        "      Answer: A tensor that [-copies-] {+shares+} its data.\n",
        "",
    )
    assert ptcards("inbox", "deck", "fix.suggestion", "--accept", name) == Ran(
        0, listed.out, "Wrote 1 of 1 entries into the Markdown; build, then commit them\n"
    )
    assert (deck / "a.md").read_text() == SOURCE.replace("copies", "**shares**")
    ran = ptcards("inbox", "deck", "fix.suggestion")
    assert ran == Ran(
        0, listed.out.split("\n")[0] + ' [already so]\n      from fix.suggestion: "see the docs"\n', ""
    )


def test_a_box_that_was_moved_in_anki_changes_only_its_line(deck: Path, ptcards: Run) -> None:
    """Anki's editor rounds all boxes to its pixels."""
    boxes = "- 10% 20% 30% 40%: Aorta\n- 50% 60% 7% 8%: Vein\n"
    text = f"# Alpha\n\n## Name it.\n<!-- card: id=heart kind=occlusion -->\n\n![](heart.png)\n\n{boxes}"
    (deck / "a.md").write_text(text)
    (deck / "heart.png").write_bytes(png(80, 60))
    assert ptcards("build", "deck", "-o", "out").status == 0
    box = "{{{{c{}::image-occlusion:rect:left={}:top={}:width={}:height={}:oi=1}}}}<br>"
    was = box.format(1, ".1", ".2", ".3", ".4") + box.format(2, ".5", ".6", ".07", ".08")
    now = box.format(2, ".4994", ".5", ".07", ".08") + box.format(1, ".0999", ".2004", ".3", ".3997")
    Path("fix.suggestion").write_text(json.dumps(suggestion(deck, "heart", Occlusion=(was, now))))
    assert ptcards("inbox", "deck", "fix.suggestion", "--all-clean").status == 0
    assert (deck / "a.md").read_text() == text.replace("50% 60%", "49.94% 50%")
    assert "[already so]" in ptcards("inbox", "deck", "fix.suggestion").out


def test_issues_are_listed_once_each_and_several_fields_are_one_edit(deck: Path, ptcards: Run) -> None:
    hint = ("<p>Think.</p>", "<p>Think <em>twice</em>.</p>")
    both = suggestion(deck, "view", Answer=VIEW, Hint=hint)
    stale = suggestion(deck, "leaf", Answer=("<p>An older text.</p>", "<p>A newer text.</p>"))
    issues = [
        issue(7, both, stale),
        issue(9, both, who="ben"),
        {"number": 11, "body": "No block", "author": None},
    ]
    Path("issues.json").write_text(json.dumps(issues))
    listed = ptcards("inbox", "deck", "issues.json")
    old, new = (line.split()[0] for line in listed.out.split("\n") if line[:1].strip())
    out = (
        f"{old}  deck/a.md:3: What is a leaf? [it also changed here]\n"
        '      from @ann (issue 7): "see the docs"\n'
        "      Answer: A [-tensor that was created by you.-] {+newer text.+}\n"
        f"{new}  deck/a.md:8: What is a view?\n"
        '      from @ann (issue 7): "see the docs"\n'
        '      from @ben (issue 9): "see the docs"\n'
        "      Answer: A tensor that [-copies-] {+shares+} its data.\n"
        "      Hint: [-Think.-]{+Think twice.+}\n"
    )
    assert listed == Ran(0, out, "")
    assert ptcards("inbox", "deck", "issues.json", "--accept", "zzzz") == Ran(
        2,
        "",
        "error: no single entry is called `zzzz`\nhelp: run `ptcards inbox` again, and copy the name from the list\n",
    )
    assert ptcards("inbox", "deck", "issues.json", "--accept", old, "--all-clean") == Ran(
        1,
        out + "Suggested-by: @ann\nSuggested-by: @ben\n",
        f"left unchanged: {old}: deck/a.md:3: it also changed here\n"
        "Wrote 1 of 2 entries into the Markdown; build, then commit them\n",
    )
    assert (deck / "a.md").read_text() == SOURCE.replace("copies", "**shares**").replace(
        "Think.", "Think *twice*."
    )


def test_fields_are_written_together_or_not_at_all(deck: Path, ptcards: Run) -> None:
    script = ("<p>Think.</p>", "<p>Think</p><script>alert(1)</script>")
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=VIEW, Hint=script)))
    ran = ptcards("inbox", "deck", "a.suggestion", "--all-clean")
    assert (
        ran.out.split("\n")[0][4:]
        == "  deck/a.md:8: What is a view? [Markdown has nothing that looks like `<script>`]"
    )
    assert (deck / "a.md").read_text() == SOURCE


def test_a_rejected_entry_is_not_listed_again(deck: Path, ptcards: Run) -> None:
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=VIEW)))
    listed = ptcards("inbox", "deck", "a.suggestion")
    assert ptcards("inbox", "deck", "a.suggestion", "--reject", listed.out.split()[0]) == listed
    assert ptcards("inbox", "deck", "a.suggestion") == Ran(0, "", "nothing is in the inbox\n")


REASON = "It is wrong:\nsee page 3"


def test_a_report_without_a_new_text_is_an_entry_until_it_is_done_or_rejected(
    deck: Path, ptcards: Run
) -> None:
    report = suggestion(deck, "view") | {"reason": REASON}
    Path("a.suggestion").write_text(json.dumps(report))
    issues = [issue(7, report, who="cat"), issue(8, report | {"reason": "A typo."}, who="dan")]
    Path("issues.json").write_text(json.dumps(issues))
    listed = ptcards("inbox", "deck", "a.suggestion", "issues.json")
    document = json.loads(ptcards("inbox", "deck", "issues.json", "--format", "json").out)
    by_reason = {each["from"][0]["why"]: each for each in document["entries"]}
    wrong, typo = by_reason[REASON]["name"], by_reason["A typo."]["name"]
    heads = {
        wrong: f"{wrong}  deck/a.md:8: What is a view? [report]\n"
        '      from a.suggestion: "It is wrong: see page 3"\n'
        '      from @cat (issue 7): "It is wrong: see page 3"\n',
        typo: f'{typo}  deck/a.md:8: What is a view? [report]\n      from @dan (issue 8): "A typo."\n',
    }
    assert listed == Ran(0, "".join(heads[name] for name in sorted(heads)), "")
    assert by_reason["A typo."] == {
        "name": typo,
        "guid": guid(deck, "view"),
        "path": "deck/a.md",
        "line": 8,
        "question": "What is a view?",
        "state": "mark",
        "reason": "",
        "marks": ["report"],
        "from": [{"where": "issue 8", "who": "@dan", "why": "A typo."}],
        "remark": "",
        "edits": [],
        "new": {},
    }
    assert ptcards("inbox", "deck", "issues.json", "--all-clean").status == 0
    assert ptcards("inbox", "deck", "issues.json", "--accept", typo).err == (
        f"left unchanged: {typo}: deck/a.md:8: it has no text: correct the note, then use `--done`\n"
    )
    ran = ptcards("inbox", "deck", "a.suggestion", "issues.json", "--done", wrong)
    assert ran == Ran(0, f"{heads[wrong]}Suggested-by: @cat\n", "")
    assert ptcards("inbox", "deck", "issues.json", "--reject", typo) == Ran(0, heads[typo], "")
    assert ptcards("inbox", "deck", "issues.json") == Ran(0, "", "nothing is in the inbox\n")
    assert (deck / "a.md").read_text() == SOURCE


def test_a_report_about_a_note_that_is_gone_and_one_whose_text_was_cut_say_so(
    deck: Path, ptcards: Run
) -> None:
    gone = suggestion(deck, "view") | {"guid": "nowhere"}
    cut = suggestion(deck, "view") | {"cut": ["Answer"]}
    Path("issues.json").write_text(json.dumps([issue(7, gone), issue(8, cut)]))
    listed = ptcards("inbox", "deck", "issues.json").out.split("\n")
    assert sorted(line.partition("  ")[2] for line in listed if line[:1].strip()) == [
        "deck/a.md:8: What is a view? [report] [`Answer` was too long for the issue: ask for the file]",
        "note nowhere [report] [the collection has no note with its GUID]",
    ]


def test_a_file_that_changed_meanwhile_is_left(deck: Path, ptcards: Run) -> None:
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=VIEW)))
    name = ptcards("inbox", "deck", "a.suggestion").out.split()[0]
    changed = SOURCE.replace("copies its", "copies all of its")
    (deck / "a.md").write_text(changed)
    ran = ptcards("inbox", "deck", "a.suggestion", "--accept", name)
    assert (ran.status, ran.err) == (1, f"left unchanged: {name}: deck/a.md:8: it also changed here\n")
    assert (deck / "a.md").read_text() == changed


@pytest.mark.usefixtures("deck")
@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("{", "the file is not JSON"),
        ('{"ptcards-suggestion": 2}', "the suggestion has a newer format: update ptcards"),
        ('{"ptcards-suggestion": 1, "deck": "other"}', "the suggestion is for another deck, not for `m1`"),
        ('{"ptcards-suggestion": 1, "deck": "m1"}', "the suggestion has values of the wrong type"),
        (
            '{"ptcards-suggestion": 1, "deck": "m1", "guid": "a", "fields": {"Answer": {"is": "b"}}}',
            "the suggestion has values of the wrong type",
        ),
        (
            '{"ptcards-suggestion": 1, "deck": "m1", "guid": "a", "reason": " ", "fields": {}}',
            "the suggestion has neither a changed field nor a reason",
        ),
        (
            '{"ptcards-suggestion": 1, "deck": "m1", "guid": "a", "reason": "x", "fields": {}, "cut": [1]}',
            "the suggestion has values of the wrong type",
        ),
        ('{"a": 1}', "this is no suggestion"),
        ("[1]", "the file has an issue without a body"),
        ("[" * 100_000, "the file is not JSON"),
    ],
)
def test_a_file_that_is_no_suggestion_is_refused_with_a_sentence(
    ptcards: Run, document: str, reason: str
) -> None:
    Path("a.suggestion").write_text(document)
    ran = ptcards("inbox", "deck", "a.suggestion")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.split("\n")[0] == f"a.suggestion: error[no-suggestions] {reason}"


def test_json_is_all_of_standard_output_when_an_entry_is_accepted(deck: Path, ptcards: Run) -> None:
    Path("issues.json").write_text(json.dumps([issue(7, suggestion(deck, "view", Answer=VIEW))]))
    ran = ptcards("inbox", "deck", "issues.json", "--all-clean", "--format", "json")
    assert [entry["state"] for entry in json.loads(ran.out)["entries"]] == ["clean"]
    assert ran.err == "Wrote 1 of 1 entries into the Markdown; build, then commit them\nSuggested-by: @ann\n"


def test_usage_that_cannot_be_meant_is_refused(deck: Path, ptcards: Run) -> None:
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=VIEW)))
    name = ptcards("inbox", "deck", "a.suggestion").out.split()[0]
    assert ptcards("inbox", "deck/a.md", "a.suggestion") == Ran(
        2,
        "",
        "error: `deck/a.md` is Markdown, not something that others sent\n"
        "help: name the collection's folder, then the files\n",
    )
    assert ptcards("inbox", "deck", "a.suggestion", "--accept", name, "--reject", name) == Ran(
        2,
        "",
        f"error: `{name}` is named by two of `--accept`, `--reject` and `--done`\n"
        "help: leave out one of the two options\n",
    )
    assert (deck / "a.md").read_text() == SOURCE


def test_a_note_whose_question_is_all_new_keeps_its_guid_by_the_lock(deck: Path, ptcards: Run) -> None:
    source = "# Alpha\n\n## What is a *leaf* tensor?\n\nOne that you created.\n"
    (deck / "a.md").write_text(source)
    assert ptcards("build", "deck", "-o", "out", "--accept").status == 0
    lock, _ = read_lock(deck / "deck.lock", shown="", collection_id="m1")
    assert lock is not None
    (note,) = [record.guid for record in lock.records if record.live]
    heading = '<p class="heading">{}</p>'
    was, new = heading.format("What is a <em>leaf</em> tensor?"), heading.format("Who made it?")
    sent = {
        "ptcards-suggestion": 1,
        "deck": "m1",
        "guid": note,
        "fields": {"Question": {"was": was, "is": new}},
    }
    Path("a.suggestion").write_text(json.dumps(sent))
    before = (deck / "deck.lock").read_bytes()
    (deck / "deck.lock").rename("deck.lock")
    ran = ptcards("inbox", "deck", "a.suggestion", "--all-clean")
    assert (ran.out.split("\n")[0].partition("? ")[2], ran.err) == ("[build the collection first]", "")
    Path("deck.lock").rename(deck / "deck.lock")
    assert ptcards("inbox", "deck", "a.suggestion").status == 0
    assert ((deck / "a.md").read_text(), (deck / "deck.lock").read_bytes()) == (source, before)
    ran = ptcards("inbox", "deck", "a.suggestion", "--all-clean")
    assert (ran.status, ran.err) == (
        0,
        "Wrote 1 of 1 entries into the Markdown; build, then commit them\n",
    ), ran
    assert (deck / "a.md").read_text() == source.replace("What is a *leaf* tensor?", "Who made it?")
    ran = ptcards("build", "deck", "-o", "out")
    assert (ran.status, ran.err.split("\n")[1]) == (0, "  ~1 changed")
    lock, _ = read_lock(deck / "deck.lock", shown="", collection_id="m1")
    assert lock is not None
    assert [record.guid for record in lock.records if record.live] == [note]


def guids(deck: Path) -> list[str]:
    """Return the GUIDs of all live notes."""
    lock, _ = read_lock(deck / "deck.lock", shown="", collection_id="m1")
    assert lock is not None
    return sorted(record.guid for record in lock.records if record.live)


def accept(ptcards: Run, *changes: tuple[str, str, str, str]) -> None:
    """Accept suggestions, each with a GUID, a field, and its text before and after."""
    some = [
        issue(
            number,
            {**suggestion_of(note), "fields": {field: {"was": was, "is": new}}},
        )
        for number, (note, field, was, new) in enumerate(changes)
    ]
    Path("issues.json").write_text(json.dumps(some))
    ran = ptcards("inbox", "deck", "issues.json", "--all-clean")
    count = len(changes)
    assert (ran.status, ran.err.splitlines()[-1]) == (
        0,
        f"Wrote {count} of {count} entries into the Markdown; build, then commit them",
    )


def suggestion_of(note: str) -> dict[str, object]:
    return {"ptcards-suggestion": 1, "deck": "m1", "version": "1.4", "guid": note, "reason": ""}


def heading(text: str) -> str:
    return f'<p class="heading">{text}</p>'


def test_edits_in_two_files_keep_both_guids(deck: Path, ptcards: Run) -> None:
    """Either note would be recognised if only one of them changed."""
    museums = ("Louvre", "Orsay")
    for name, museum in zip("ab", museums, strict=True):
        text = f"---\ndeck: X\n---\n\n## Which city hosts the {museum} museum?\n\nParis\n"
        (deck / f"{name}.md").write_text(text)
    assert ptcards("build", "deck", "-o", "out").status == 0
    before = guids(deck)
    lock, _ = read_lock(deck / "deck.lock", shown="", collection_id="m1")
    assert lock is not None
    by_heading = {record.fingerprint.heading: record.guid for record in lock.records}
    pairs = [(f"Which city hosts the {each} museum?", each) for each in museums]
    changes = [
        (by_heading[old], "Question", heading(old), heading(old.replace(each, f"famous {each}")))
        for old, each in pairs
    ]
    accept(ptcards, *changes)
    assert ptcards("build", "deck", "-o", "out").status == 0
    assert guids(deck) == before


def test_two_edits_of_a_note_without_a_build_between_keep_its_guid(deck: Path, ptcards: Run) -> None:
    old, new = "What is the capital city of the country France?", "Which town is the capital of France today?"
    answers = (
        "The city of Paris is the capital of this country, with two million people inside.",
        "The metropolis on river Seine with the Louvre, also known as Lutetia.",
    )
    (deck / "a.md").write_text(f"## {old}\n\n{answers[0]}\n")
    assert ptcards("build", "deck", "-o", "out").status == 0
    before = guids(deck)
    (note,) = [each for each in before if each not in (guid(deck, "leaf"), guid(deck, "view"))]
    accept(ptcards, (note, "Answer", f"<p>{answers[0]}</p>", f"<p>{answers[1]}</p>"))
    accept(ptcards, (note, "Question", heading(old), heading(new)))
    assert ptcards("build", "deck", "-o", "out").status == 0
    assert guids(deck) == before


HUGE = "x" * (10 << 20)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fields": {"Answer": {"was": VIEW[0], "is": HUGE}}}, "its field `Answer` is longer than 64 kB"),
        ({"fields": {"Answer": {"was": HUGE, "is": VIEW[1]}}}, "its field `Answer` is longer than 64 kB"),
        ({"fields": {HUGE: {"was": "", "is": "x"}}}, f"its note type has no field `{'x' * 40}`"),
        ({"guid": HUGE}, "the collection has no note with its GUID"),
    ],
    ids=["is", "was", "field", "guid"],
)
def test_a_suggestion_of_ten_megabytes_is_listed_with_a_reason(
    deck: Path, ptcards: Run, change: dict[str, object], said: str
) -> None:
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=VIEW) | change))
    ran = ptcards("inbox", "deck", "a.suggestion", "--all-clean")
    assert (ran.status, ran.err, len(ran.out) < 1_000, f"[{said}]" in ran.out) == (0, "", True, True)
    assert (deck / "a.md").read_text() == SOURCE


NO_END = (
    "a note needs an answer]",
    "Markdown has nothing that looks like",
    "no Markdown renders to exactly that]",
    "a build would refuse it",
)


@pytest.mark.parametrize(
    "html",
    [
        "<b>" * 20_000,
        "<div>" * 12_000,
        "<!--" * 16_000,
        "<p " * 20_000,
        "<ul><li>" * 8_000,
        "<table><tr><td>" * 4_000,
        "*_" * 32_000,
        "`" * 65_000,
    ],
    ids=["b", "div", "comment", "attributes", "ul", "table", "stars", "backticks"],
)
def test_html_without_end_is_left_with_a_reason(deck: Path, ptcards: Run, html: str) -> None:
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=(VIEW[0], html))))
    ran = ptcards("inbox", "deck", "a.suggestion", "--all-clean")
    reason = ran.out.split("\n")[0].partition(" [")[2]
    assert (ran.status, reason.startswith(NO_END)) == (0, True)
    assert (deck / "a.md").read_text() == SOURCE


@pytest.mark.parametrize("key", ["guid", "reason", "fields"])
def test_half_a_character_is_refused_with_a_sentence(deck: Path, ptcards: Run, key: str) -> None:
    document = suggestion(deck, "view", Answer=VIEW)
    document[key] = {"Answer": {"was": VIEW[0], "is": "<p>a\ud800</p>"}} if key == "fields" else "a\ud800"
    Path("a.suggestion").write_text(json.dumps(document))
    ran = ptcards("inbox", "deck", "a.suggestion")
    assert (ran.status, ran.out, ran.err.splitlines()[0]) == (
        2,
        "",
        "a.suggestion: error[no-suggestions] the suggestion has characters that no text can have",
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 1_000_000, "the file is not JSON"),
        (b'{"a":' * 200_000, "the file is not JSON"),
        (b'{"ptcards-suggestion": 1, "deck"', "the file is not JSON"),
        (b'[{"number": ' + b"9" * 5_000 + b"}]", "the file is not JSON"),
        (b"[" + b"1," * 1_000_001 + b"1]", "the file has over 1,000,000 values"),
    ],
    ids=["deep-list", "deep-table", "cut-off", "number", "values"],
)
def test_json_that_would_take_too_much_is_refused_with_a_sentence(
    ptcards: Run, deck: Path, content: bytes, said: str
) -> None:
    Path("a.suggestion").write_bytes(content)
    ran = ptcards("inbox", deck, "a.suggestion")
    assert (ran.status, ran.out, ran.err.splitlines()[0]) == (
        2,
        "",
        f"a.suggestion: error[no-suggestions] {said}",
    )


def test_a_file_of_two_hundred_megabytes_is_not_read(ptcards: Run, deck: Path) -> None:
    with Path("a.suggestion").open("wb") as file:
        file.truncate(200 << 20)
    ran = ptcards("inbox", deck, "a.suggestion")
    said = "a.suggestion: error[no-suggestions] the file cannot be read: is larger than 64 MB"
    assert (ran.status, ran.out, ran.err.splitlines()[0]) == (2, "", said)


@pytest.mark.slow
def test_of_very_many_suggestions_the_first_thousand_are_read(deck: Path, ptcards: Run) -> None:
    some = [issue(n, suggestion(deck, "view", Answer=(VIEW[0], f"<p>{n}</p>"))) for n in range(5_000)]
    Path("issues.json").write_text(json.dumps(some))
    ran = ptcards("inbox", "deck", "issues.json", "--format", "json")
    assert len(json.loads(ran.out)["entries"]) == 1_000
    assert ran.err.splitlines()[0] == (
        "issues.json: warning[no-suggestions] only the first 1,000 suggestions of the file are read"
    )


def left_with(deck: Path, ptcards: Run, key: str, **fields: tuple[str, str]) -> str:
    """Return why a suggestion is left; it is, and the source does not change."""
    before = (deck / "a.md").read_text()
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, key, **fields)))
    (entry,) = json.loads(ptcards("inbox", "deck", "a.suggestion", "--format", "json").out)["entries"]
    assert ptcards("inbox", "deck", "a.suggestion", "--all-clean").status == 0
    assert (entry["state"], (deck / "a.md").read_text()) == ("left", before)
    return str(entry["reason"])


def test_an_edit_with_which_no_deck_would_be_built_is_left_with_that_as_the_reason(
    deck: Path, ptcards: Run
) -> None:
    (deck / "a.md").write_text(SOURCE + "\n## How?\n<!-- card: id=how -->\n\nSo.\n")
    assert ptcards("build", "deck", "-o", "out").status == 0
    assert left_with(deck, ptcards, "view", Question=(heading("What is a view?"), heading("How?"))) == (
        "a build would refuse it: deck/a.md:17:4: this question is already asked at deck/a.md:8:1"
    )
    assert left_with(deck, ptcards, "view", Answer=(VIEW[0], "<!--" * 16_000)) == (
        "a build would refuse it: deck/a.md:11:1: this field is 78 KB; the maximum is 64 KB"
    )


def test_a_new_format_is_shown_as_markdown(deck: Path, ptcards: Run) -> None:
    bold = "<p>A tensor that <b>copies</b> its data.</p>"
    Path("a.suggestion").write_text(json.dumps(suggestion(deck, "view", Answer=(VIEW[0], bold))))
    shown = ptcards("inbox", "deck", "a.suggestion").out.split("\n")[2]
    assert shown == "      Answer: A tensor that [-copies-] {+**copies**+} its data."
