"""All sentences and labels of the add-on: a file for each language, chosen by the language of Anki.

To add a language, add a file with the same keys; a test compares them. `&` is in front of the letter that
opens a menu or presses a button together with Alt.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from anki import lang

ENGLISH = "en"
FOLDER = Path(__file__).parent / "languages"
_THOUSANDS = dict.fromkeys(("de", "es", "it", "nl", "pt"), ".") | dict.fromkeys(("fr", "ru"), "\u202f")
"""What is between thousands, if it is not a comma."""


@cache
def texts_in(language: str) -> Mapping[str, str]:
    """Return the texts in a language such as `pt-BR`, or in English if there are none."""
    tag = language.replace("_", "-")
    name = "zh-Hans" if tag == "zh-CN" else tag.partition("-")[0]  # those in simplified characters
    file = FOLDER / f"{name}.toml"
    return tomllib.loads((file if file.exists() else FOLDER / f"{ENGLISH}.toml").read_text("utf-8"))


def say(key: str, language: str = "", **values: object) -> str:
    """Return a text in a language, by default Anki's, or in English if there is none."""
    tag = language or lang.current_lang
    shown = {name: counted(each, tag) if isinstance(each, int) else each for name, each in values.items()}
    return texts_in(tag)[key].format(**shown)


def counted(number: int, language: str = "") -> str:
    """Return a number as a language writes it, by default Anki's."""
    return f"{number:,}".replace(",", _THOUSANDS.get((language or lang.current_lang)[:2], ","))
