"""The PyTorch deck is complete, well formed, and imported into the real Anki."""

import csv
import itertools
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

import verify_gpu
from anki_backend import assert_healthy, deck_counts, import_package, learner, notes_by_guid, sides
from colours import contrast
from conftest import Ran
from identity_release import studying
from ptcards.anki.built_in_notetypes import FIELDS
from ptcards.diagnostics import Diagnostic
from ptcards.notes import Kind, Note
from ptcards.workspace import Contents, Workspace

CARDS = Path(__file__).parent.parent / "cards"

Run = Callable[..., Ran]


@pytest.fixture(scope="module")
def loaded() -> tuple[Contents, list[Diagnostic]]:
    workspace = Workspace.read([CARDS])
    (contents,) = workspace.contents
    return contents, workspace.diagnostics


@pytest.fixture(scope="module")
def notes(loaded: tuple[Contents, list[Diagnostic]]) -> dict[str, Note]:
    return {note.id: note for note in loaded[0].notes}


def _table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened, delimiter="\t"))


def _asked() -> list[dict[str, str]]:
    """Return what public lists ask, each with the note that answers it and the sentence that does."""
    return _table(CARDS / "lists.tsv")


def _shown(note: Note) -> str:
    """Return what the learner of a note sees before the details, with single spaces."""
    options = [choice.text.markdown for choice in note.choices]
    parts = [note.heading.markdown, note.question.markdown, note.answer.markdown, note.typed, *options]
    return " ".join(" ".join(parts).split())


def _prose(note: Note) -> str:
    """Return the words of a note's question and answer, without code blocks and addresses."""
    parts = [note.heading.markdown, note.question.markdown, note.answer.markdown]
    words = re.sub(r"^```.*?^```", "", "\n".join(parts), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", words)


def _path(notes: dict[str, Note], tag: str) -> list[Note]:
    """Return the notes with a tag in the order in which Anki shows their cards."""
    return sorted((note for note in notes.values() if tag in note.tags), key=lambda note: note.deck)


def test_the_deck_has_nothing_wrong(loaded: tuple[Contents, list[Diagnostic]]) -> None:
    assert loaded[1] == []


def test_every_question_of_the_lists_is_answered_before_the_details(notes: dict[str, Note]) -> None:
    """The sentence is in the question or the answer of its note; only there does a learner recall it."""
    asked = _asked()
    assert [row["key"] for row in asked if row["sentence"] not in _shown(notes[row["note"]])] == []
    assert len({row["key"] for row in asked}) == len(asked)


def test_notes_of_the_lists_have_their_tag(notes: dict[str, Note]) -> None:
    tagged = {key for key, note in notes.items() if "source::lists" in note.tags}
    assert tagged == {row["note"] for row in _asked()}


def test_the_first_path_has_each_question_that_several_lists_ask(notes: dict[str, Note]) -> None:
    several = [row for row in _asked() if row["lists"] != "1"]
    assert [row["key"] for row in several if "path::1" not in notes[row["note"]].tags] == []


@pytest.mark.parametrize("goal", ["goal::general", "goal::llm"])
def test_the_path_of_a_goal_takes_eleven_days(notes: dict[str, Note], goal: str) -> None:
    """A day has 20 new cards."""
    cards = sum(_cards(note) for note in _path(notes, goal))
    assert 200 < cards <= 220


def test_the_first_path_is_that_of_the_general_goal(notes: dict[str, Note]) -> None:
    first = {note.id for note in _path(notes, "path::1")}
    assert first == {note.id for note in _path(notes, "goal::general")}


@pytest.mark.parametrize("goal", ["goal::general", "goal::llm"])
def test_no_term_is_used_before_the_note_that_teaches_it(notes: dict[str, Note], goal: str) -> None:
    """`deck_terms.tsv` names the note that teaches a term and how to recognise the term in prose."""
    path = _path(notes, goal)
    place = {note.id: at for at, note in enumerate(path)}
    early = [
        (note.id, term["term"], term["note"])
        for term in _table(Path(__file__).parent / "deck_terms.tsv")
        for note in path
        if note.id != term["note"]
        and re.search(rf"(?<![\w.])(?:{term['words']})(?!\w)", _prose(note), re.IGNORECASE)
        and place.get(term["note"], len(path)) > place[note.id]
    ]
    assert early == []


def test_every_term_has_a_note_that_teaches_it(notes: dict[str, Note]) -> None:
    terms = _table(Path(__file__).parent / "deck_terms.tsv")
    assert [
        term["term"]
        for term in terms
        if not re.search(term["words"], _prose(notes[term["note"]]), re.IGNORECASE)
    ] == []


def test_thirty_cards_of_the_first_path_show_code_first(notes: dict[str, Note]) -> None:
    """To find a bug or predict an output is what coding rounds ask; `verify` runs their code."""
    shown = [note.id for note in _path(notes, "path::1") if "```python" in note.question.markdown]
    assert len(shown) >= 30


def test_what_a_release_can_change_is_tagged_with_the_release_that_was_checked(
    notes: dict[str, Note],
) -> None:
    """`make verify-newest` lists the notes with the tag, for somebody to read them again."""
    changing = re.compile(r"\b(prototype|experimental|deprecat\w+|FutureWarning|since 2\.\d+|in 2\.\d+)\b")
    odd = []
    for key, note in notes.items():
        parts = [note.answer.markdown, note.details.markdown]
        words = re.sub(r"^```.*?^```", "", "\n".join(parts), flags=re.MULTILINE | re.DOTALL)
        if changing.search(re.sub("`[^`]*`", "", words)) and "volatile::2.13" not in note.tags:
            odd.append(key)
    assert odd == []


@pytest.mark.extensions
def test_the_code_for_a_gpu_runs_once_its_mark_is_gone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Here the code needs no GPU: its first note prints what its card says, the second something else."""
    note = '## What is the {0} sum?\n<!-- card: id={0} -->\n\nIt is:\n\n```python no-run="needs a GPU"\nprint(2)\n```\n\n```output\n{1}\n```\n'
    source = tmp_path / "cards" / "deck.md"
    source.parent.mkdir()
    source.write_text(f"# Sums\n\n{note.format('right', 2)}\n{note.format('wrong', 3)}", "utf-8")
    assert verify_gpu.main(source.parent, sys.executable) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "1 failed"


def test_every_note_is_tagged_by_topic_path_and_source(notes: dict[str, Note]) -> None:
    """A quiz note also has the tag of the topic that it repeats."""
    topics = {file.stem for file in CARDS.glob("*.md")} - {"quiz"}
    paths = {"path::1", "path::2", "path::3"}
    sources = {"source::lists", "source::extra"}
    free = paths | sources | {"goal::general", "goal::llm", "volatile::2.13"}
    expected = {
        key: {"pytorch", Path(note.location.path).stem, f"difficulty::{note.difficulty}"}
        for key, note in notes.items()
    }
    assert {
        key: set(note.tags) - free - (topics if note.kind is Kind.CHOICE else set())
        for key, note in notes.items()
    } == expected
    for one in (paths, sources):
        assert [key for key, note in notes.items() if len(one.intersection(note.tags)) != 1] == []


def test_the_quiz_has_all_choices_and_nothing_else(notes: dict[str, Note]) -> None:
    quiz = {key for key, note in notes.items() if Path(note.location.path).stem == "quiz"}
    assert quiz == {key for key, note in notes.items() if note.kind is Kind.CHOICE}
    topics = {file.stem for file in CARDS.glob("*.md")} - {"quiz"}
    assert [key for key in quiz if len(topics & set(notes[key].tags)) != 1] == []


def test_code_fits_a_phone() -> None:
    """At 390 px a line wraps from 47 columns on; these few are imports and names that cannot be broken."""
    blocks = re.compile(r"^```python[^\n]*\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
    wide = [
        line
        for file in sorted(CARDS.glob("*.md"))
        for block in blocks.findall(file.read_text("utf-8"))
        for line in block.splitlines()
        if len(line) > 46
    ]
    assert [line for line in wide if "  #" in line] == []
    assert len(wide) <= 19


def test_every_option_says_why(notes: dict[str, Note]) -> None:
    assert [key for key, note in notes.items() if not all(choice.comment for choice in note.choices)] == []


def test_text_in_drawings_can_be_read_on_a_small_phone() -> None:
    """A phone of 360 px shows them 328 px wide, and text below 11 px is too small."""
    smallest = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        drawing = file.read_text("utf-8")
        (width,) = re.findall(r'<svg [^>]*viewBox="0 0 (\d+) ', drawing)
        sizes = re.findall(r'font-size="([\d.]+)"', drawing)
        assert ("<style" in drawing, re.search(r'transform="[^"]*scale', drawing)) == (False, None), file.name
        smallest[file.name] = min(map(float, sizes)) * 328 / int(width)
    assert {name: size for name, size in smallest.items() if size < 11} == {}


def test_drawings_have_one_width_and_three_families_of_fonts() -> None:
    """Words, code, and symbols, whose indices are in the same font: no device has to have a named font."""
    drawings = "".join(file.read_text("utf-8") for file in sorted((CARDS / "img").glob("*.svg")))
    assert set(re.findall(r'<svg [^>]*viewBox="0 0 (\d+) ', drawings)) == {"360"}
    assert set(re.findall(r'font-family="([^"]+)"', drawings)) == {
        "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif",
        "'STIX Two Text', 'Times New Roman', Times, serif",
        "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    }


def test_arrows_in_drawings_have_heads_in_their_own_colour() -> None:
    odd = []
    for file in sorted((CARDS / "img").glob("*.svg")):
        drawing = file.read_text("utf-8")
        heads = dict(re.findall(r'<marker id="(\w+)".*?<path [^>]*fill="([^"]+)"', drawing))
        for shaft in re.findall(r"<[^>]*marker-[^>]*>", drawing):
            (colour,) = re.findall(r' stroke="([^"]+)"', shaft)
            odd += [file.name for head in re.findall(r"url\(#(\w+)\)", shaft) if heads[head] != colour]
    assert odd == []


def test_symbols_in_drawings_have_indices_as_formulas_have() -> None:
    """A symbol is an italic letter, and its index a smaller one below it: no `c(t)`, `w0` or `g₁`."""
    odd = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        texts = re.findall(r"<text[^>]*>(.*?)</text>", file.read_text("utf-8"))
        shown = [re.sub(r"<[^>]*>", "\0", text) for text in texts]
        if found := [each for each in shown if re.search(r"\b[a-zA-Z](\((t|0)\b|\d\b)|[₀-₉ᵀ]", each)]:
            odd[file.name] = found
    assert odd == {}


class _Run(NamedTuple):
    """A piece of text in a drawing, with its family of fonts and its size."""

    text: str
    family: str
    size: float

    @property
    def is_word(self) -> bool:
        return "sans-serif" in self.family and re.search("[A-Za-z]{2}", self.text) is not None


def _runs(element: ET.Element, family: str = "", size: float = 0) -> Iterator[_Run]:
    """Yield each piece of text in an element of a drawing."""
    family, size = element.get("font-family", family), float(element.get("font-size", size))
    if element.text and not element.tag.endswith("title"):
        yield _Run(element.text, family, size)
    for child in element:
        yield from _runs(child, family, size)
        if child.tail:
            yield _Run(child.tail, family, size)


def _texts(file: Path) -> list[list[_Run]]:
    """Return the texts of a drawing, each as its runs."""
    drawing = ET.fromstring(file.read_text("utf-8"))
    return [list(_runs(text, drawing.attrib["font-family"])) for text in drawing.iterfind(".//{*}text")]


def test_formulas_in_drawings_have_one_font() -> None:
    """A formula that stands alone is in the font of symbols.

    It is 16.5 high, or 14.3 under a root in a sentence; an index is always 12.1.
    """
    formula = re.compile(r"[=≈·√]|\S [+−] ")
    odd = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        alone = itertools.chain(*(text for text in _texts(file) if not any(run.is_word for run in text)))
        if found := [
            run
            for run in alone
            if ("sans-serif" in run.family and formula.search(run.text))
            or ("STIX" in run.family and run.size not in {16.5, 14.3, 12.1})
        ]:
            odd[file.name] = found
    assert odd == {}


def test_of_a_line_with_words_in_a_drawing_only_variables_have_the_font_of_symbols() -> None:
    """Digits and operators look like the words beside them; a variable is a letter, with its index.

    The font of symbols looks smaller than that of words, so it gets a tenth more; an index is always 12.1.
    """
    odd = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        found = []
        for text in _texts(file):
            words = {round(run.size * 1.1 + 1e-9, 1) for run in text if run.is_word}
            symbols = [run for run in text if words and "STIX" in run.family and run.size != 12.1]
            found += [
                run for run in symbols if run.size not in words or not re.fullmatch("[A-Za-z]", run.text)
            ]
        if found:
            odd[file.name] = found
    assert odd == {}


def test_drawings_lie_on_the_ground_of_the_card_without_a_box_of_their_own() -> None:
    """In light mode they bring its white with them, for those who read the Markdown on a dark page."""
    grounds = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        drawing = ET.fromstring(file.read_text("utf-8"))
        first = drawing.find("{*}rect")
        assert first is not None
        size = {key: drawing.attrib[key] for key in ("width", "height")}
        fill = "none" if file.name.endswith(".dark.svg") else "#ffffff"
        if first.attrib != {**size, "fill": fill}:
            grounds[file.name] = first.attrib
    assert grounds == {}


def test_text_in_drawings_has_enough_contrast_with_the_ground_of_the_card() -> None:
    """WCAG asks for 4.5."""
    low = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        ground = "#1e1e1e" if file.name.endswith(".dark.svg") else "#ffffff"
        colours = set(re.findall(r'<(?:svg|text|tspan)[^>]* fill="(#\w+)"', file.read_text("utf-8")))
        if found := {colour for colour in colours if contrast(colour, ground) < 4.5}:
            low[file.name] = found
    assert low == {}


def test_keys_of_drawings_show_a_sample_and_do_not_name_a_colour() -> None:
    key = re.compile(r"(blue|green|grey|orange|purple|red|solid|dashed)\b.*:", re.IGNORECASE)
    odd = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        texts = ["".join(run.text for run in text) for text in _texts(file)]
        if found := [text for text in texts if key.match(text)]:
            odd[file.name] = found
    assert odd == {}


def test_drawings_have_the_colours_of_the_table_in_contributing() -> None:
    """The dark version is the light one with the second colour of each pair, and without a ground."""
    table = (CARDS.parent / "docs" / "extending.md").read_text("utf-8").partition("## Add a drawing")[2]
    night = dict(re.findall("`(#[0-9a-f]{6})` `(#[0-9a-f]{6})`", table))
    odd = {}
    for file in sorted((CARDS / "img").glob("*.dark.svg")):
        light = file.with_name(file.name.replace(".dark", "")).read_text("utf-8")
        dark = re.sub("#[0-9a-f]{6}", lambda colour: night.get(colour[0], "?"), light)
        ground = f'fill="{night["#ffffff"]}"'
        if dark.replace(ground, 'fill="none"', 1) != file.read_text("utf-8"):
            odd[file.name] = sorted(set(re.findall("#[0-9a-f]{6}", light)) - set(night))
    assert odd == {}


def test_every_note_names_its_source(notes: dict[str, Note]) -> None:
    assert [key for key, note in notes.items() if "https://" not in note.sources.markdown] == []


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the collection, to edit, without its lock."""
    folder = tmp_path_factory.mktemp("release")
    shutil.copytree(CARDS, folder / "cards", ignore=shutil.ignore_patterns("deck.lock"))
    return folder


def _build(release: Path, name: str) -> Path:
    from click.testing import CliRunner  # noqa: PLC0415 - a module's fixture cannot use that of a test

    from ptcards.cli import main  # noqa: PLC0415

    result = CliRunner().invoke(
        main, ["build", str(release / "cards"), "-o", str(release / name), "-q"], catch_exceptions=False
    )
    assert (result.exit_code, result.output) == (0, "")
    return release / name / "pytorch.apkg"


@pytest.mark.slow
def test_the_deck_lives_in_the_real_anki(release: Path, notes: dict[str, Note], tmp_path: Path) -> None:
    """A learner's view of two releases: import, import again, edit one answer, import."""
    first = _build(release, "first")
    assert _build(release, "again").read_bytes() == first.read_bytes()
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, first) == {"new": len(notes)}
        assert_healthy(collection)
        in_anki = notes_by_guid(collection)
        cards = Counter(note.deck for note in notes.values() for _ in range(_cards(note)))
        assert {deck: count for deck, count in deck_counts(collection).items() if count} == cards
        assert sorted(" ".join(note.tags) for note in in_anki.values()) == sorted(
            " ".join(sorted(note.tags, key=str.lower)) for note in notes.values()
        )
        for note in in_anki.values():
            for card in note.cards():
                question, answer = sides(card)
                assert "{{" not in re.sub(r"<(pre|code).*?</\1>", "", question + answer, flags=re.DOTALL)
                assert '<hr id="answer">' in answer or "<hr id=answer>" in answer
        for deck in ("PyTorch", "PyTorch::01 Tensors"):
            assert collection.decks.by_name(deck)["desc"]
        shown = {
            name for note in in_anki.values() for name in re.findall(r'src="([^"]+)"', "".join(note.fields))
        }
        assert shown == set(
            collection.media.dir() and [file.name for file in Path(collection.media.dir()).iterdir()]
        )
        assert import_package(collection, first) == {"duplicate": len(notes)}
        guid, kept = sorted(in_anki)[:2]
        note = in_anki[kept]
        note.add_tag("mine")
        collection.update_note(note)
        _edit(
            release / "cards", in_anki[guid].fields[FIELDS.index("GUID")], release / "first" / "pytorch.csv"
        )
        assert import_package(collection, _build(release, "second")) == {
            "updated": 1,
            "duplicate": len(notes) - 1,
        }
        assert "mine" in notes_by_guid(collection)[kept].tags
        assert "An edit." in notes_by_guid(collection)[guid].fields[FIELDS.index("Details")]


@pytest.mark.long
@pytest.mark.slow
def test_a_learner_of_the_decks_without_numbers_keeps_reviews(
    notes: dict[str, Note], tmp_path: Path, ptcards: Run
) -> None:
    """The decks got numbers; the learner renames them before importing, as `ptcards diff` says."""
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(CARDS, old)
    for file in old.glob("*.md"):
        text = file.read_text("utf-8")
        file.write_text(re.sub(r"^# \d\d ", "# ", text, count=1, flags=re.MULTILINE), "utf-8")
    settings = (old / "deck.toml").read_text("utf-8")
    (old / "deck.toml").write_text(re.sub(r"order = \[[^]]*\]\n", "", settings), "utf-8")
    assert ptcards("build", old, "-o", tmp_path / "first", "-q").status == 0
    shutil.copytree(CARDS, new)
    shutil.copy(old / "deck.lock", new)
    assert ptcards("build", new, "-o", tmp_path / "second", "-q").status == 0
    renames = dict(
        re.findall(r"before importing, rename (.+) to (.+) in Anki", ptcards("diff", new, old).out)
    )
    decks = {note.deck for note in notes.values()}
    assert renames == {re.sub(r"::\d\d ", "::", deck): deck for deck in decks}
    with studying(tmp_path / "anki") as anki:
        assert anki.get(tmp_path / "first" / "pytorch.apkg") == {"new": len(notes)}
        anki.study()
        schedules = anki.schedules
        for before, after in renames.items():
            anki.rename_deck(before, after)
        assert anki.get(tmp_path / "second" / "pytorch.apkg") == {"duplicate": len(notes)}
        assert anki.schedules == schedules
        assert set(anki.decks()) == decks


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["goal::general", "goal::llm"])
def test_the_paths_of_the_page_lead_through_eleven_days(release: Path, tmp_path: Path, goal: str) -> None:
    """A learner with Anki's default options gets all cards of a goal in order, 20 a day."""
    page = (CARDS.parent / "docs" / "pytorch-deck.md").read_text("utf-8")
    searches = re.findall(r"search `(deck:[^`]+)`", page)
    assert searches == [f"deck:PyTorch -tag:{each}" for each in ("goal::general", "goal::llm")]
    (later,) = re.findall(r"unsuspend `(deck:[^`]+)`", page)
    with learner(tmp_path / "anki") as collection:
        import_package(collection, _build(release, f"path-{goal[6:]}"))
        collection.sched.suspend_cards(collection.find_cards(f"deck:PyTorch -tag:{goal}"))
        decks = collection.decks
        planned = sorted(
            (decks.name(card.did), card.due, card.id)
            for card in map(collection.get_card, collection.find_cards("is:new -is:suspended"))
        )
        assert 10 * 20 < len(planned) <= 11 * 20
        decks.select(decks.id("PyTorch"))
        queue = collection.sched.get_queued_cards(fetch_limit=100)
        assert [each.card.id for each in queue.cards] == [card for _, _, card in planned[:20]]
        collection.sched.unsuspend_cards(collection.find_cards(later))
        assert collection.find_cards(f"({later}) is:suspended") == []


def _cards(note: Note) -> int:
    if note.items:
        return len(note.items)
    if note.kind is Kind.CLOZE:
        return len(set(re.findall(r"\{\{c(\d+)::", note.answer.markdown)))
    return 2 if note.kind is Kind.REVERSED else 1


def _edit(cards: Path, guid: str, table: Path) -> None:
    """Add a sentence to the details of the note with this GUID."""
    with table.open(encoding="utf-8-sig", newline="") as opened:
        key = next(row["key"] for row in csv.DictReader(opened) if row["guid"] == guid)
    for file in cards.glob("*.md"):
        head, mark, tail = file.read_text("utf-8").partition(f"id={key} ")
        if mark:
            body, sources, rest = tail.partition("### Sources")
            details = "" if "### Details" in body else "### Details\n\n"
            file.write_text(f"{head}{mark}{body}{details}An edit.\n\n{sources}{rest}", "utf-8")
            return
    pytest.fail(f"no note {key}")
