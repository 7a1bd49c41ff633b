"""Labels on cards are in the deck's language, and the language of texts is recognised."""

import re
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from conftest import Ran
from handmade import a_note, choice
from html_files import render_all, written
from ptcards.anki.built_in_notetypes import WORDS, note_types
from ptcards.anki.fields import render
from ptcards.identity.hashes import content_hash
from ptcards.notes import Kind
from ptcards.notes.labels import (
    ENGLISH,
    labelled,
    labels_of,
    languages,
    release_language,
    release_words,
    section_words,
)
from ptcards.source.config import Config
from ptcards.source.sections import SECTIONS
from ptcards.workspace import Workspace

Write = Callable[[dict[str, str]], Path]

CHOICE = """## Welche sind Zahlen?

- [x] eins
- [x] zwei
- [ ] rot
"""


SLOT = re.compile(r"\{\w+\}")


def test_every_language_has_every_label() -> None:
    assert " ".join(languages()) == "ar de en es fa fr he it ja ko nl pl pt ru tr uk zh-Hans"
    for language in languages():
        labels = labels_of(language)
        assert [*labels] == [*labels_of(ENGLISH)]
        words = "".join(labels.values()).replace("\u200c", "")  # it joins the parts of Persian words
        assert (words.isprintable(), [each for each in labels.values() if each != each.strip()]) == (True, [])


@pytest.mark.parametrize(
    ("language", "found"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("pt-BR", "pt"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh-Hant", ""),
        ("zh-TW", ""),
        ("sv", ""),
        ("", ""),
    ],
)
def test_a_language_is_served_by_the_one_that_it_is_a_part_of(language: str, found: str) -> None:
    assert (labelled(language), labels_of(language)) == (found, labels_of(found or ENGLISH))


@pytest.mark.parametrize(
    ("language", "direction"), [("de", "auto"), ("ar", "rtl"), ("fa-AF", "rtl"), ("ja", "auto")]
)
def test_templates_are_in_the_decks_language_and_direction(language: str, direction: str) -> None:
    plain, other = (
        note_types("d", "Deck", "", "https://example.org/{guid}", each) for each in ("", language)
    )
    for before, after in zip(plain, other, strict=True):
        for one, template in zip(before.templates, after.templates, strict=True):
            for unknown, shown in ((one.front, template.front), (one.back, template.back)):
                said = re.sub('(?<=class="ptc)( back)?" dir="auto"', rf'\g<0> lang="{language}"', unknown)
                labels = labels_of(language)
                said = said.replace("Report a mistake", labels["report"]).replace(
                    ">Details<", f">{labels['details']}<"
                )
                assert said.replace('dir="auto"', f'dir="{direction}"') == shown
    assert "[" not in "".join(each.front + each.back for kind in plain for each in kind.templates)


@pytest.mark.parametrize("name", ["card.css", "code.css"])
def test_a_style_sheet_shows_no_words_of_its_own(name: str) -> None:
    """They would be English on every card: words are `--ptc-word-…`, which come from the labels."""
    css = resources.files("ptcards.anki").joinpath(name).read_text("utf-8")
    contents = re.findall(r"(?<![-\w])content:([^;}]*)", css)
    assert contents
    texts = [
        re.sub(r"\\[0-9a-f]+ ?", "", each) for content in contents for each in re.findall(r'"[^"]*"', content)
    ]
    assert [each for each in texts if re.search(r"\w", each)] == []


def test_templates_show_no_words_of_their_own() -> None:
    files = [each for each in resources.files("ptcards.anki").iterdir() if each.name.endswith(".html")]
    # A script only speaks in an Anki that is too old for it.
    texts = [
        re.sub(
            r"<script>(?s:.*?)</script>|<[^>]*>|\{\{[^}]*\}\}|\[\w+\]", " ", each.read_text("utf-8")
        ).split()
        for each in files
    ]
    assert (len(texts), [text for text in texts if text]) == (9, [["◐"]])  # the sign of a button


def test_the_words_on_a_card_are_all_labels_of_its_language() -> None:
    css = note_types("d", "Deck", "", language="de-AT")[0].css
    used = {*re.findall(r"var\(--ptc-word-([-a-z]+)\)", css)}
    assert used == {name.replace("_", "-") for name in WORDS}
    german = re.findall(r"^\.ptc \{\n((?:  --ptc-[^\n]*\n)+)\}", css, re.MULTILINE)
    (lines,) = german
    assert lines.splitlines() == [
        "  --ptc-letters: upper-alpha;",
        '  --ptc-word-choose: "Wählen Sie alle zutreffenden Antworten.";',
        '  --ptc-word-choose-one: "Wählen Sie eine Antwort.";',
        '  --ptc-word-type-answer: "Geben Sie die Antwort ein.";',
        '  --ptc-word-listed-sources: "Quellen:";',
        '  --ptc-word-difficulty-easy: "leicht";',
        '  --ptc-word-difficulty-medium: "mittel";',
        '  --ptc-word-difficulty-hard: "schwer";',
        "  --ptc-word-right: none;",
        "  --ptc-word-wrong: none;",
        "  --ptc-word-details: none;",
        "  --ptc-word-report: none;",
        '  --ptc-word-hint: "Hinweis";',
        '  --ptc-word-alert-note: "Hinweis";',
        '  --ptc-word-alert-tip: "Tipp";',
        '  --ptc-word-alert-important: "Wichtig";',
        '  --ptc-word-alert-warning: "Warnung";',
        '  --ptc-word-alert-caution: "Vorsicht";',
    ]


def test_the_letters_of_options_are_those_of_the_language() -> None:
    """By name, if CSS has them; else they are listed."""
    for language, own, listed in (
        ("de", "upper-alpha", ""),
        ("he", "hebrew", ""),
        ("ja", "katakana", ""),
        ("ar", "ptc-abjad", "أ ب ج د هـ و ز ح ط ي"),
    ):
        css = note_types("d", "Deck", "", language=language)[0].css
        style = f"@counter-style {own} {{ system: alphabetic; symbols: {listed}; }}\n" if listed else ""
        assert f"\n{style}.ptc {{\n  --ptc-letters: {own};\n" in css


def test_a_page_of_a_release_has_all_words_of_its_language_or_none() -> None:
    names = {*release_words(ENGLISH)} - {"heading", "next", "front", "back", "phone", "no_pictures"}
    for language in languages():
        if release_language(language) == language != ENGLISH:
            file = resources.files("ptcards.notes.labels") / f"{language}.toml"
            own = tomllib.loads(file.read_text("utf-8"))["release"]
            assert {*own} == names
            for name, word in own.items():
                slots = [{*SLOT.findall(each)} for each in (word, release_words(ENGLISH)[name])]
                assert slots[0] == slots[1] or (name.endswith("_one") and not slots[0])


def test_a_choice_shows_the_words_of_the_decks_language(write: Write) -> None:
    root = write({"deck.toml": 'name = "D"\nid = "d"\nlanguage = "de"\n', "a.md": CHOICE})
    (contents,) = Workspace.read([root]).contents
    fields, _ = render(contents.notes[0])
    assert fields[1].splitlines()[1:4] == [
        '<li class="right"><span class="mark">✓ richtig</span><p>eins</p></li>',
        '<li class="right"><span class="mark">✓ richtig</span><p>zwei</p></li>',
        '<li class="wrong"><span class="mark">✗ falsch</span><p>rot</p></li>',
    ]
    assert fields[2].splitlines()[0] == '<p class="choose">Wählen Sie alle zutreffenden Antworten.</p>'


def test_a_file_in_another_language_says_so_in_its_fields(write: Write) -> None:
    toml = 'name = "D"\nid = "d"\nlanguage = "de"\n'
    text = "## Qu'est-ce que TCP ?\n\nUn protocole.\n"
    root = write(
        {"deck.toml": toml, "a.md": f"---\nlanguage: fr\n---\n{text}", "b.md": text.replace("TCP", "UDP")}
    )
    (contents,) = Workspace.read([root]).contents
    french, german = contents.notes
    assert render(french)[0][1] == '<div lang="fr">\n<p>Un protocole.</p>\n</div>'
    assert render(german)[0][1] == "<p>Un protocole.</p>"


def test_a_language_changes_only_notes_that_show_it() -> None:
    """Otherwise, every learner would get every note again as soon as an author sets the language."""
    options = (choice("one", right=True), choice("two"))
    notes = [a_note("What?", "That."), a_note("Which?", kind=Kind.CHOICE, choices=options)]
    # As before languages were supported.
    assert list(map(content_hash, notes)) == ["a4fb4d7f789a", "8c4144d8fe9c"]


def test_a_page_is_in_the_decks_language(tmp_path: Path) -> None:
    config = Config(name="D", id="d", language="ja")
    text = written(tmp_path / "a.html", render_all(a_note("何？", "これ。")), config=config).read_text(
        "utf-8"
    )
    assert '<html lang="ja">' in text
    assert '<button type="button" id="show" class="primary">解答を表示 <kbd' in text
    assert "{{" not in text.partition("<script")[0]


def test_a_section_in_another_language_is_told_its_english_name(
    write: Write, ptcards: Callable[..., Ran]
) -> None:
    assert sorted({*section_words().values()}) == sorted(SECTIONS)
    toml = 'name = "D"\nid = "d"\nlanguage = "de"\n'
    text = "## Was ist TCP?\n\nEin Protokoll.\n\n### Quellen\n\nRFC 9293\n"
    ran = ptcards("check", write({"deck.toml": toml, "a.md": text}), "--format", "concise")
    assert ran.out.splitlines()[0].startswith(
        "a.md:5:1: warning[misspelt-section] `### Quellen` is part of the text"
    )
