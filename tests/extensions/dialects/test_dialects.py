"""Notes of other programs over time: published notes stay published, and their files are not changed."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.anki.fields import render
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.markdown.deadline import deadline
from ptcards.workspace import ReadOptions, Workspace

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]

TOML = 'name = "Deck"\nid = "d"\ndialect = "qa"\n'


def pairs(count: int) -> str:
    """Return this many questions with answers."""
    return "\n".join(f"Q: What is {n}?\nA: The number {n}.\n" for n in range(count))


def test_a_published_card_is_not_retired_by_a_mistake(write: Write, ptcards: Run) -> None:
    root = write({"deck.toml": TOML, "a.md": pairs(3)})
    assert ptcards("build", root, "-o", root / "out").status == 0
    before = (root / "deck.lock").read_bytes()
    (root / "a.md").write_text(pairs(3).replace("The number 1.", ""))
    for command in (("build", root, "-o", root / "out"), ("check", root)):
        ran = ptcards(*command)
        said = "a.md:4:1: error[left-out] a published card is left out: no answer"
        assert (ran.status, said in f"{ran.out}{ran.err}") == (1, True)
    assert (root / "deck.lock").read_bytes() == before
    (root / "a.md").write_text(pairs(3).replace("Q: What is 1?\nA: The number 1.\n", ""))
    assert ptcards("build", root, "-o", root / "out").status == 0


def test_many_notes_are_gone_at_once_only_if_that_is_meant(write: Write, ptcards: Run) -> None:
    root = write({"deck.toml": TOML, "a.md": pairs(30)})
    assert ptcards("build", root, "-o", root / "out").status == 0
    before = (root / "deck.lock").read_bytes()
    (root / "a.md").write_text(pairs(20))
    for command in (("build", root, "-o", root / "out"), ("check", root)):
        ran = ptcards(*command)
        said = "a.md:1:1: error[many-gone] 10 of 30 published notes are missing"
        assert (ran.status, said in f"{ran.out}{ran.err}") == (1, True)
    assert (root / "deck.lock").read_bytes() == before
    assert ptcards("build", root, "-o", root / "out", "--accept").status == 0
    assert ptcards("build", root, "-o", root / "out").status == 0


def test_outputs_in_notes_of_other_programs_are_not_updated(write: Write, ptcards: Run) -> None:
    text = "Q: What does it print?\nA: This:\n\n```python\nprint(1)\n```\n\n```output\n2\n```\n"
    root = write({"deck.toml": TOML, "a.md": text})
    ran = ptcards("verify", root, "--update", "--no-sandbox")
    assert (ran.status, (root / "a.md").read_text()) == (1, text)
    assert ran.err.splitlines()[1] == (
        "not updated: a.md has the dialect qa; ptcards does not change such notes"
    )


def test_the_settings_that_count_are_named_with_where_they_are(write: Write, ptcards: Run) -> None:
    plugin = '{"settings": {"flashcardTags": ["#karten"], "convertFoldersToDecks": true}}'
    root = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\ndialect = "obsidian"\n[obsidian]\nfolders = false\n'
            '[[dialects]]\nfiles = ["list.md"]\ndialect = "details"\nquestion = "bold"\n',
            ".obsidian/plugins/obsidian-spaced-repetition/data.json": plugin,
            "a.md": "#karten\n\nSYN::the first\n",
            "b.md": "#karten\n\nACK::the second\n",
            "list.md": "**What?**\n\nThat.\n",
        }
    )
    file = ".obsidian/plugins/obsidian-spaced-repetition/data.json"
    assert ptcards("check", root, "-v").err.splitlines() == [
        "a.md and 1 more: dialect obsidian",
        "  folders = false  ([obsidian] in deck.toml)",
        f'  tags = ["#karten"]  ({file})',
        "list.md: dialect details",
        '  question = "bold"  ([[dialects]] in deck.toml)',
    ]


def test_the_preview_reads_a_dialect_that_is_named(write: Write) -> None:
    root = write({"a.md": pairs(2)})
    assert len(Preview([root], ReadOptions(dialect="qa")).read(identified=False).order) == 2


def test_a_skip_that_skips_nothing_is_named(write: Write, ptcards: Run) -> None:
    text = "## Prose\n<!-- card: skip -->\n\nText.\n\n## What? #card\n<!-- card: skip -->\n\nNo.\n\n## Why? #card\n\nSo.\n"
    root = write({"deck.toml": 'name = "D"\nid = "d"\ncards = "marked"\n', "a.md": text})
    assert [
        line for line in ptcards("check", root, "--format", "concise").out.splitlines() if "skip" in line
    ] == ["a.md:2:1: warning[unused-skip] only marked headings are cards, so there is nothing to skip"]


@pytest.mark.parametrize("form", ["text", "concise", "github", "json"])
def test_a_line_that_a_reader_rewrote_is_shown_as_a_whole(write: Write, ptcards: Run, form: str) -> None:
    root = write({"deck.toml": TOML, "a.md": "C: It is [fast] and [x].\n\nC: It is [so] $$x.\n"})
    said = ptcards("check", root, "--format", form).out
    shown = {
        "text": (
            "a.md:3: warning[unclosed-math] an unclosed `$$` is shown as text\n"
            "  |\n3 | C: It is [so] $$x.\n  | ^^^^^^^^^^^^^^^^^^\n"
        ),
        "concise": "a.md:3:1: warning[unclosed-math]",
        "github": "::warning file=a.md,line=3,title=unclosed-math::",
        "json": '"column": 1,\n      "end": 19,',
    }
    assert shown[form] in said


def notes_of(root: Path) -> list[str]:
    """Return deck, kind, question and answer of each note of a collection."""
    (contents,) = Workspace.read([root]).contents
    return [
        f"{note.deck} | {note.kind} | {note.title} | {note.answer.markdown}".replace("\n", "⏎")
        for note in contents.notes
    ]


def vault(settings: Mapping[str, object], plugin: str = "obsidian-spaced-repetition") -> dict[str, str]:
    """Return the file with the settings of a plugin."""
    return {f".obsidian/plugins/{plugin}/data.json": json.dumps({"settings": settings})}


def test_a_card_goes_on_to_the_mark_that_ends_it(write: Write) -> None:
    text = "#flashcards\n\nprose\n\nA\nB\n?\n1\n\n2\n+++\nC::c\nThis is ==one==\n\nand two\n+++\n\nD::d\n"
    root = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\ndialect = "obsidian"\n',
            "a.md": text,
            **vault({"multilineCardEndMarker": "+++"}),
        }
    )
    assert notes_of(root) == [
        "D | basic | A | 1⏎⏎2",
        "D | basic | C | c",
        "D | cloze | This is one | This is {{c1::one}}⏎⏎and two",
        "D | basic | D | d",
    ]


def test_what_the_plugin_ignores_is_not_read_wherever_the_vault_is(write: Write) -> None:
    ignored = {"noteFoldersToIgnore": ["private/", "**/*.draw.md"], "flashcardTagsToIgnore": ["#old"]}
    files = {
        "a.md": "#flashcards\n\nA::a\n",
        "private/b.md": "#flashcards\n\nB::b\n",
        "x/c.draw.md": "#flashcards\n\nC::c\n",
        "d.md": "---\ntags: [old/x]\n---\n#flashcards\n\nD::d\n",
        "e.md": "#flashcards #old\n\nE::e\n",
    }
    toml = {"deck.toml": 'name = "D"\nid = "d"\ndialect = "obsidian"\n'}
    root = write({**toml, **{f"vault/{name}": text for name, text in {**files, **vault(ignored)}.items()}})
    assert notes_of(root) == ["D::Vault | basic | A | a"]


def test_expressions_and_curly_clozes_of_obsidian_to_anki_are_read(write: Write) -> None:
    settings = {
        "CUSTOM_REGEXPS": {"Basic": r"^#+(.+)\n*((?:\n(?:^[^\n#].{0,2}$|^[^\n#].{3}(?<!<!--).*))+)"},
        "Defaults": {"CurlyCloze": True, "Scan Directory": "cards"},
    }
    text = (
        "# What is it?\n\nThis,\nall of it.\n<!--ID: 1685112345678-->\n\nprose\n\n## Empty\n\n# Two?\n2\n"
        "\nSTART\nCloze\n{1:One}, {two} and {{c3::three}}.\nEND\n"
    )
    root = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\ndialect = "qa"\n',
            "cards/a.md": text,
            "other/b.md": "Q: No?\nA: No.\n",
            **vault(settings, "obsidian-to-anki-plugin"),
        }
    )
    assert notes_of(root) == [
        "D::Cards | basic | What is it? | This,⏎all of it.",
        "D::Cards | basic | Two? | 2",
        "D::Cards | cloze | One, two and three. | {{c1::One}}, {{c2::two}} and {{c3::three}}.",
    ]


def test_folders_have_the_decks_and_tags_of_obsidian_to_anki(write: Write) -> None:
    settings = {
        "FOLDER_DECKS": {"es": "Spanish", "es/words": "Spanish::Words", "fr": ""},
        "FOLDER_TAGS": {"es": "lang/es"},
        "IGNORED_FILE_GLOBS": ["**/*.draft.md", "old/**"],
    }
    files = {
        "v/es/words/a.md": "Q: A?\nA: a\n\nTARGET DECK: Other\nFILE TAGS: b\n\nQ: B?\nA: b\n",
        "v/es/b.md": "Q: C?\nA: c\n",
        "v/fr/c.md": "Q: D?\nA: d\n",
        "v/fr/d.draft.md": "Q: E?\nA: e\n",
        "v/old/e.md": "Q: F?\nA: f\n",
        **{f"v/{name}": text for name, text in vault(settings, "obsidian-to-anki-plugin").items()},
    }
    toml = 'name = "D"\nid = "d"\ndialect = "qa"\n'
    (contents,) = Workspace.read([write({"deck.toml": toml, **files})]).contents
    assert [(note.title, note.deck, note.tags) for note in contents.notes] == [
        ("C?", "D::Spanish", ("lang::es",)),
        ("A?", "D::Spanish::Words", ("lang::es",)),
        ("B?", "D::Other", ("b", "lang::es")),
        ("D?", "D::V::Fr", ()),
    ]


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (r"^#{4}\s(.+)\n*((?:\n.+)+)", ["Four"]),
        (r"^#{2,3}\s(.+)\n*((?:\n.+)+)", ["Two", "Three"]),
        (r"^##+\s(.+)\n*((?:\n.+)+)", ["Two", "Three", "Four"]),
        (r"^(#[ ].+)\n*((?:\n.+)+)", ["One"]),
        (r"^#(.+)\n*((?:\n.+)+)", ["One", "Two", "Three", "Four"]),
        (r"^#+(.+)\n*((?:\n.+)+)", ["One", "Two", "Three", "Four"]),
        (r"^#{1,}(.+)\n*([\s\S]*?)\nEND$", []),
        (r"^#+(.+)\n*((?:\n(?:^[^\n#].{0,2}$|^[^\n#].{3}(?<!<!--).*|^\s*$))+)", []),
    ],
)
def test_an_expression_finds_the_headings_of_its_levels(
    write: Write, expression: str, found: list[str]
) -> None:
    text = "# One\n1\n\n## Two\n2\n\n### Three\n3\n\n#### Four\n4\n"
    settings = vault({"CUSTOM_REGEXPS": {"Basic": expression}}, "obsidian-to-anki-plugin")
    root = write({"deck.toml": 'name = "D"\nid = "d"\ndialect = "qa"\n', "a.md": text, **settings})
    assert [line.split(" | ")[2] for line in notes_of(root)] == found


def test_a_deck_without_notes_clashes_with_none(write: Write, ptcards: Run) -> None:
    toml = 'name = "X"\nid = "d"\ndialect = "qa"\n'
    root = write({"deck.toml": toml, "Amazon/a.md": "TARGET DECK: AMAZON\n\nQ: What is x?\nA: y\n"})
    assert (ptcards("check", root).status, ptcards("build", root).status) == (0, 0)
    write({"Amazon/b.md": "Q: What is y?\nA: z\n"})
    said = "Amazon/b.md:1:1: error[deck-name-clash] `X::Amazon` and `X::AMAZON` (Amazon/a.md:1) are the same"
    assert said in ptcards("check", root).out


def test_a_line_of_spaces_ends_a_paragraph_of_obsidian_to_anki(write: Write) -> None:
    expression = r"((?:[^\n][\n]?)+) #flashcard ?\n*((?:\n(?:^.{1,3}$|^.{4}(?<!<!--).*))+)"
    text = "Text\n\n\t\nWhat is x? #flashcard\none\n<!--ID: 1600000000001-->\n  \nWhat is y? #flashcard\nb\n"
    settings = vault({"CUSTOM_REGEXPS": {"Basic": expression}}, "obsidian-to-anki-plugin")
    root = write({"deck.toml": 'name = "D"\nid = "d"\ndialect = "qa"\n', "a.md": text, **settings})
    assert [line.split(" | ")[2] for line in notes_of(root)] == ["What is x?", "What is y?"]


def test_each_readme_that_a_pattern_names_is_read(write: Write) -> None:
    text = "## What is it?\n<details><summary>Answer</summary>\n\nThis.\n\n</details>\n"
    entry = (
        '[[dialects]]\nfiles = ["topics/*/README.md", "*.md"]\ndialect = "details"\nquestion = "heading"\n'
    )
    root = write(
        {
            "deck.toml": f'name = "D"\nid = "d"\n{entry}',
            "README.md": text,
            "topics/one/README.md": text,
            "topics/README.md": text,
        }
    )
    assert notes_of(root) == ["D::Topics::One | basic | What is it? | This."]


def test_our_own_notes_may_be_written_as_obsidian_has_lines(write: Write, ptcards: Run) -> None:
    text = (
        "## What is [[UDP|udp]]?\n\n==Fast==, ![[a b.png|300]] and `[[code]]`. %%not said%% ^one\n\n"
        "> [!tip]+ A title\n> text\n\n```text\n[[x]]\n```\n\n![[Other note]]\n\n"
        "%%\n## Not yet?\n\nNo.\n%%\n\nIt is sure. %%a\nb%%\n"
    )
    toml = 'name = "D"\nid = "d"\ninlines = "obsidian"\n[check]\nignore = ["tag-in-text"]\n'
    root = write({"deck.toml": toml, "a.md": text, "img/a b.png": "x"})
    line = '<mark>Fast</mark>, <img src="wiki:a%20b.png" width="300" alt=""> and `[[code]]`. '
    answer = f"{line}⏎⏎> **A title**⏎> text⏎⏎```text⏎[[x]]⏎```⏎⏎It is sure. "
    assert notes_of(root) == [f"D::A | basic | What is udp? | {answer}"]
    ran = ptcards("check", root, "--fix", "--format", "concise")
    said = [line for line in ran.out.splitlines() if "hint" not in line]
    assert (ran.status, said[0], (root / "a.md").read_text()) == (
        0,
        "a.md:12:1: warning[embed-dropped] the embedded `Other note` is left out",
        text,
    )


def test_the_headings_above_a_card_are_on_it_where_that_is_wanted(write: Write, ptcards: Run) -> None:
    text = (
        "# Regularization\n\n## *Lasso* & more\n\nA::a\n\n### Why?\n?\nSo.\n\n"
        "# Other\n\nIt is ==so==.\n#flashcards\n"
    )
    toml = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
    root = write({"deck.toml": toml, "a.md": text})
    assert ptcards("build", root, "-o", root / "out", "--format", "csv").status == 0
    keys = {note.key for note in Workspace.read([root]).contents[0].notes}
    (root / "deck.toml").write_text(f"{toml}context = true\n")
    built = ptcards("build", root, "-o", root / "out", "--format", "csv")
    (contents,) = Workspace.read([root]).contents
    assert [render(note)[0][0] for note in contents.notes] == [
        '<p><em>Regularization › Lasso &amp; more</em></p>\n<p class="heading">A</p>',
        '<p><em>Regularization › Lasso &amp; more</em></p>\n<p class="heading">Why?</p>',
        "<p><em>Other</em></p>",
    ]
    assert ({note.key for note in contents.notes}, "3 changed" in built.err) == (keys, True), built.err


def test_a_list_may_mix_two_shapes(write: Write) -> None:
    text = (
        "1. ### What is it?\n\n   This.\n\n   <details><summary>More</summary>\n\n   no card\n\n   </details>\n\n"
        "# Exercises\n\n#### 1. What is printed?\n\n<details><summary>Answer</summary>\n\n2\n\n</details>\n"
    )
    entry = '[[dialects]]\nfiles = ["*.md"]\ndialect = "details"\nquestion = ["item", "heading"]\n'
    root = write({"deck.toml": f'name = "D"\nid = "d"\n{entry}', "a.md": text})
    assert [line.partition("⏎")[0] for line in notes_of(root)] == [
        "D | basic | What is it? | This.",
        "D | basic | What is printed? | 2",
    ]


@pytest.mark.parametrize("mark", ["{{a", "**a "])
def test_clozes_without_an_end_are_passed_over_in_time(write: Write, mark: str) -> None:
    """Each text would take minutes if each mark searched for its partner up to the end of the line."""
    settings = vault({"clozePatterns": ["{{answer}}", "**answer**"]})
    toml = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
    root = write({"deck.toml": toml, "a.md": f"#flashcards\n\n{mark * 50_000}\n\nA::a\n", **settings})
    with deadline(20):
        assert notes_of(root) == ["D | basic | A | a"]


def test_options_below_a_heading_of_the_level_have_their_key_there_or_stay_as_they_are(write: Write) -> None:
    text = "### 1. Which?\n\n- A) this\n- B) that\n\n**Answer: B**\n\nSo.\n\n### Who?\n\n- A) me\n- B) you\n"
    entry = '[[dialects]]\nfiles = ["*.md"]\ndialect = "details"\nquestion = "heading"\nlevel = 3\n'
    root = write({"deck.toml": f'name = "D"\nid = "d"\n{entry}', "a.md": text})
    assert notes_of(root) == ["D | choice | Which? | So.", "D | basic | Who? | - A) me⏎- B) you"]


def test_tags_in_notes_of_another_program_may_be_one_text_or_be_called_tag(write: Write) -> None:
    toml = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
    fronts = ("tags: flashcards/net unix", "tag: flashcards/net, unix", "tag: [flashcards/net, unix]")
    files = {f"{n}.md": f"---\n{front}\n---\nIs {n}::yes\n" for n, front in enumerate(fronts)}
    (contents,) = Workspace.read([write({"deck.toml": toml, **files})]).contents
    assert [(note.deck, note.tags) for note in contents.notes] == [("D::net", ("unix",))] * 3


def test_cards_that_are_left_out_are_counted_and_listed(write: Write, ptcards: Run) -> None:
    root = write({"deck.toml": TOML, "a.md": "Q: One?\nA:\n\nQ: Two?\nA: 2\n\nC: three\n"})
    built = ptcards("build", root, "-o", root / "out")
    assert built.err.splitlines()[-5].partition(" in ")[0] == "Built Deck: 1 note, 1 card (2 left out)"
    assert ptcards("check", root, "-v").err.splitlines()[1:] == [
        "left out: a.md:1:1: no answer: One?",
        "left out: a.md:7:1: no deletion",
    ]


def test_fixing_says_which_notes_it_leaves_alone(write: Write, ptcards: Run) -> None:
    text = "Q: What is it?\nA: This one, because.\n```python\nx = 1\n\n```\n"
    root = write({"deck.toml": TOML, "a.md": text})
    ran = ptcards("check", root, "--fix")
    said = "not fixed: a.md has the dialect qa; ptcards does not change such notes"
    assert (ran.err.splitlines()[0], (root / "a.md").read_text()) == (said, text)


def test_a_vault_above_the_collection_is_named(write: Write, ptcards: Run) -> None:
    toml = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
    root = write({"notes/deck.toml": toml, "notes/a.md": "#flashcards\n\nA::a\n", ".obsidian/app.json": "{}"})
    said = "warning[vault-above] the vault is above the collection, so its settings are not read"
    for notes, place, fix in (
        ((root / "notes",), "notes/deck.toml", "move `deck.toml` to `.`"),
        ((root / "notes", "--dialect", "obsidian"), "notes/a.md", "pass the vault's folder instead: `.`"),
    ):
        ran = ptcards("check", *notes)
        assert (f"{place}:1:1: {said}" in ran.out, f"  = help: {fix}" in ran.out) == (True, True), ran.out
        (root / "notes/deck.toml").unlink(missing_ok=True)


def test_the_settings_for_files_of_another_dialect_are_said(write: Write, ptcards: Run) -> None:
    entry = '[[dialects]]\nfiles = ["lists/**"]\ndialect = "qa"\n'
    listed = "## Who?\n\n<details>x</details>\n\n" * 3
    bold = "".join(f"**Who is {n}?**\n\nme\n\n" for n in range(5))
    files = {"a.md": "## What is it?\n\nThis.\n", "lists/b.md": listed, "c.md": f"## All?\n\n{bold}"}
    ran = ptcards("check", write({"deck.toml": f'name = "D"\nid = "d"\n{entry}', **files}))
    lines = ran.out.splitlines()
    said = lines.index(
        "lists/b.md:3:1: warning[wrong-dialect] no `qa` cards in 1 file, but 3 questions with `<details>`"
    )
    fix = next(line for line in lines[said:] if "help" in line)
    assert (
        fix == '  = help: set `dialect = "details"`, `question = "heading"` for `lists/b.md` in `deck.toml`'
    )
    fix = '  = help: if they are separate questions, set `dialect = "details"`, `question = "bold"`'
    assert fix in lines


def unread(ran: Ran) -> list[str]:
    """Return the first lines of the reports about cards that are not read."""
    return [line for line in ran.out.splitlines() if "[unread-cards]" in line]


def test_what_only_looks_like_cards_is_said_to_look_so(write: Write, ptcards: Run) -> None:
    bold = "".join(f"**Who is {n}?**\n\nme\n\n" for n in range(5))
    root = write({"a.md": "## What is it?\n\nThis.\n", "c.md": bold, "deck.toml": 'name = "D"\nid = "d"\n'})
    assert unread(ptcards("check", root)) == [
        "c.md:1:1: warning[unread-cards] 1 file contains what looks like 5 questions in bold that are not read"
    ]


def test_cards_are_recognised_by_their_ids_alone(write: Write, ptcards: Run) -> None:
    cards = "".join(f"Word {n}\n\n<!--ID: 172909018413{n}-->\n\n" for n in range(3))
    root = write({"a.md": "## What is it?\n\nThis.\n", "c.md": cards, "deck.toml": 'name = "D"\nid = "d"\n'})
    assert unread(ptcards("check", root)) == [
        "c.md:3:1: warning[unread-cards] 1 file contains 3 cards with ids of Obsidian_to_Anki that are not read"
    ]


def test_an_unknown_dialect_is_the_only_mistake_then(write: Write, ptcards: Run) -> None:
    root = write(
        {"deck.toml": 'name = "D"\nid = "d"\ndialect = "obsidan"\n', "a.md": "#flashcards\n\nA::a\n"}
    )
    said = [line for line in ptcards("check", root, "--format", "concise").out.splitlines() if "[" in line]
    assert said == ["deck.toml:3:1: error[unknown-dialect] unknown dialect `obsidan`"]


def test_schedules_of_all_notes_are_named_once(write: Write, ptcards: Run) -> None:
    toml = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
    files = {f"{n}.md": f"#flashcards\n\nIs it {n}?::yes\n<!--SR:!2024-08-16,51,230-->\n" for n in (1, 2)}
    ran = ptcards("check", write({"deck.toml": toml, **files}), "--format", "concise")
    said = [line for line in ran.out.splitlines() if "schedule" in line]
    assert said == ["1.md:4:1: hint[schedule-dropped] 2 cards have a schedule; Anki starts them as new"]


def test_notes_of_another_program_get_no_advice_and_no_fixes_before_they_are_read(
    write: Write, ptcards: Run
) -> None:
    text = f"{pairs(5)}\n\n"
    root = write({"a.md": text, "b.md": "## What is it?\n\nThis, because.\n"})
    ran = ptcards("check", root, "--fix", "--format", "concise")
    assert (
        ran.status,
        (root / "a.md").read_text(),
        [line for line in ran.out.splitlines() if "a.md" in line],
    ) == (
        0,
        text,
        ["a.md:1:1: warning[unread-cards] 1 file contains 5 cards with `Q:` and `A:` that are not read"],
    )


def test_words_of_a_plugin_that_nothing_can_be_found_by_are_the_default_ones(
    write: Write, ptcards: Run
) -> None:
    file = ".obsidian/plugins/obsidian-to-anki-plugin/data.json"
    syntax = {"Begin Inline Note": "", "End Inline Note": "", "Begin Note": "x" * 1000}
    root = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\ndialect = "qa"\n',
            "a.md": "START\nBasic\nOne?\nBack: 1\nEND\n\nSTARTI [Basic] Two? Back: 2 ENDI\n",
            file: json.dumps({"settings": {"Syntax": syntax}}),
        }
    )
    ran = ptcards("check", root, "--select", "unsupported-notes", "--format", "concise")
    assert (ran.status, ran.out) == (
        0,
        "a.md:7:1: warning[unsupported-notes] 1 note between `STARTI` and `ENDI` is not read\n1 warning\n",
    )


def test_settings_of_a_plugin_with_a_million_values_are_not_built(write: Write, ptcards: Run) -> None:
    file = ".obsidian/plugins/obsidian-spaced-repetition/data.json"
    toml = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
    settings = f'{{"settings": [{"[]," * 1_000_000}[]]}}'
    root = write({"deck.toml": toml, "a.md": "#flashcards\n\nA::a\n", file: settings})
    ran = ptcards("check", root)
    said = f"{file}:1:1: error[plugin-settings] the plugin's `data.json` has over 1,000,000 values"
    assert (ran.status, said in ran.out.splitlines()) == (1, True)


@pytest.mark.parametrize("is_in_front_matter", [False, True])
def test_settings_of_a_plugin_that_cannot_be_read_stop_a_build(
    write: Write, ptcards: Run, is_in_front_matter: bool
) -> None:
    file = ".obsidian/plugins/obsidian-spaced-repetition/data.json"
    toml = 'name = "D"\nid = "d"\n'
    text = "#flashcards\n\nA::a\n"
    if is_in_front_matter:
        text = f"---\ndialect: obsidian\n---\n{text}"
    else:
        toml += 'dialect = "obsidian"\n'
    root = write({"deck.toml": toml, "a.md": text, file: '{"settings": {\n  tags: 1}}'})
    ran = ptcards("build", root, "-o", root / "out")
    assert (ran.status, ran.err.splitlines()[0], (root / "out").exists()) == (
        1,
        f"{file}:2:3: error[plugin-settings] the plugin's `data.json` is not valid JSON",
        False,
    )
    for changed in root / "deck.toml", root / "a.md":
        changed.write_text(changed.read_text().replace("obsidian", "qa"))
    ran = ptcards("check", root)
    line = 6 if is_in_front_matter else 3
    message = f"a.md:{line}:1: error[no-notes] no notes in 1 file, but 1 card of Obsidian Spaced Repetition"
    assert (ran.status, ran.out.splitlines()[0]) == (1, message)


def test_a_note_type_is_reported_once_in_a_file_unless_all_its_fields_are_known(
    write: Write, ptcards: Run
) -> None:
    def noted(*note_types: str) -> str:
        return "".join(
            f"START\n{name}\nWhat is {n}?\nBack: {n}\nEND\n\n" for n, name in enumerate(note_types)
        )

    plugin = {"fields_dict": {"Exam": ["Front", "Back"], "Long": ["Front", "Back", "More"]}}
    files = {
        ".obsidian/plugins/obsidian-to-anki-plugin/data.json": json.dumps(plugin),
        "a.md": noted("Exam", "Exam", "Long", "Long"),
        "b.md": noted("Mine", "Basic", "Mine").replace("What", "Who"),
    }
    ran = ptcards("check", write({"deck.toml": TOML, **files}), "--format", "concise")
    assert [line.partition(" is read")[0] for line in ran.out.splitlines() if "note-type" in line] == [
        "a.md:13:1: warning[other-note-type] the note type `Long`",
        "b.md:1:1: warning[other-note-type] the note type `Mine`",
    ]


def test_notes_that_are_repeated_in_every_detail_keep_their_records(write: Write, ptcards: Run) -> None:
    plugin = ".obsidian/plugins/obsidian-spaced-repetition/data.json"
    files = {f"x/{name}.md": "Source: the ==book== of 1990\n" for name in "abc"}
    toml = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
    root = write({"deck.toml": toml, plugin: '{"settings": {"convertFoldersToDecks": true}}', **files})
    assert ptcards("build", root).status == 0
    published = live_notes(root)
    (root / "x" / "d.md").write_text("Another ==one==\n")
    said = ptcards("build", root).err
    assert ("+1 new" in said, "retired" in said) == (True, False)
    (root / "x" / "d.md").unlink()
    assert ptcards("build", root).status == 0
    assert live_notes(root) == published
    (root / "x" / "b.md").unlink()
    said = ptcards("build", root).err
    assert ("−1 retired" in said, "new" in said) == (True, False)


def live_notes(root: Path) -> list[str]:
    """Return the lines of the published notes in the lock."""
    return [line for line in (root / "deck.lock").read_text().splitlines() if "\tlive\t" in line]
