"""The texts of the add-on: every language has all of them, and all of them are used."""

import ast
import re
from pathlib import Path
from string import Formatter

from addon.texts import ENGLISH, FOLDER, say, texts_in
from ptcards.extensions.publish.subscription.update import Counts

ADDON = Path(__file__).parents[4] / "addon"
TEXTS = {
    language: texts_in(language.replace("zh-Hans", "zh-CN"))
    for language in sorted(file.stem for file in FOLDER.glob("*.toml"))
}


def parts(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_language_has_the_texts_of_english() -> None:
    english = {key: parts(text) for key, text in texts_in(ENGLISH).items()}
    for texts in TEXTS.values():
        assert {key: parts(text) for key, text in texts.items()} == english


def test_a_text_is_in_the_language_of_anki_or_english() -> None:
    assert say("new", "de_DE", count=3) == "3 neu"
    assert say("new", "de", count=3) == "3 neu"
    assert say("new", "en-GB", count=3) == "3 new"
    assert say("new", "tlh", count=3) == "3 new"
    assert say("new", "zh_TW", count=3) == "3 new"
    assert [say("count_notes", each, count=1_721) for each in ("en_US", "de_DE", "fr_FR", "ar")] == [
        "Notes: 1,721",
        "Notizen: 1.721",
        "Notes\xa0: 1\u202f721",
        "الملحوظات: 1,721",
    ]
    assert say("broken_feed", "en", detail="{0} {x}") == "the feed is damaged: {0} {x}"


def test_a_value_keeps_its_direction_among_words_of_another() -> None:
    """Otherwise an address at the beginning turns an Arabic sentence round."""
    url = "https://example.org/deck.json"
    assert say("status", "ar", status="404 Not Found") == "أجاب الخادم: \u2068404 Not Found\u2069"
    assert say("no_address", "ar", url=url) == f"هذا ليس عنوانًا: \u2068{url}\u2069"
    whole = re.compile("\u2068https://[^\u2069 ]*\u2069")
    assert ["https:" in whole.sub("", text) for text in TEXTS["ar"].values()].count(True) == 0
    assert say("from_to", "en", name="قواعد", old="1", new="2") == "\u2068قواعد\u2069: 1 → 2"


def test_every_text_is_used_and_every_used_text_is_there() -> None:
    sources = "".join(
        file.read_text("utf-8") for file in ADDON.glob("*.py") if file.name not in ("texts.py", "make.py")
    )
    counted = {*Counts._fields}  # said by their names
    unused = {key for key in texts_in(ENGLISH) if not re.search(rf"[\"']{key}[\"']", sources)}
    assert unused - counted == set()
    used = {*re.findall(r'\bsay\("(\w+)"', sources)} | counted
    assert used - texts_in(ENGLISH).keys() == set()


def test_whatever_completes_a_sentence_has_a_place_in_it() -> None:
    """A value without a place is left from an earlier sentence."""
    found = [
        (key.value, {each.arg for each in call.keywords})
        for file in ADDON.glob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args
        if call.func.id in ("say", "NetworkError") and None not in [each.arg for each in call.keywords]
        for key in ast.walk(call.args[0])
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value in texts_in(ENGLISH)
    ]
    assert len(found) > 100
    assert [(key, given) for key, given in found if given != parts(texts_in(ENGLISH)[key])] == []


def test_the_shortcuts_of_a_window_differ() -> None:
    windows = (
        ("move", "removed", "study_again", "adopt", "trust", "skip", "later", "update"),
        ("move", "removed", "study_again", "adopt", "trust", "later", "subscribe"),
        ("deck", "fields", "keep_mine", "take", "suggest_edit", "select_all", "close"),
        ("decks", "check", "changes", "show", "open_page", "unfollow", "close"),
        ("reason", "open_host", "save"),
        ("add", "check", "changes", "subscriptions"),
    )
    for language, texts in TEXTS.items():
        for window in windows:
            letters = [texts[key].partition("&")[2][:1].casefold() for key in window]
            assert len(set(letters)) == len(window), (language, window, letters)
