"""The buttons of the pages say what Anki's say in the same language."""

import pytest
from anki.lang import lang_to_disk_lang, set_lang, tr_legacyglobal

from ptcards.notes.labels import ENGLISH, labels_of, languages

ANKIS = {"zh-Hans": "zh-CN", "pt": "pt-BR"}
"""The names that Anki has for languages, if they are others."""
UNREADABLE = "fa"
"""The language whose words Anki itself cannot read, so that it shows English ones."""


@pytest.mark.parametrize("language", [each for each in languages() if each != UNREADABLE])
def test_buttons_say_what_ankis_say(language: str) -> None:
    try:
        set_lang(lang_to_disk_lang(ANKIS.get(language, language)))
        words = tr_legacyglobal
        ankis = (
            words.studying_again(),
            words.studying_hard(),
            words.studying_good(),
            words.studying_easy(),
            words.studying_show_answer(),
        )
    finally:
        set_lang(ENGLISH)
    labels = labels_of(language)
    ours = [labels[name] for name in ("again", "hard", "good", "easy", "show")]
    assert [each.casefold() for each in ours] == [each.casefold() for each in ankis]
