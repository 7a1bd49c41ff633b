"""All sentences and labels of the add-on: a file for each language, chosen by the language of Anki.

To add a language, add a file with the same keys; a test compares them. `&` is in front of the letter that
opens a menu or presses a button together with Alt.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from anki import lang

ENGLISH = "en"
FOLDER = Path(__file__).parent / "languages"
_THOUSANDS = dict.fromkeys(("de", "es", "it", "nl", "pt"), ".") | dict.fromkeys(("fr", "ru"), "\u202f")
"""What is between thousands, if it is not a comma."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")


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
    shown = {
        name: counted(each, tag) if isinstance(each, int) else isolated(str(each), tag)
        for name, each in values.items()
    }
    return texts_in(tag)[key].format(**shown)


def counted(number: int, language: str = "") -> str:
    """Return a number as a language writes it, by default Anki's."""
    return f"{number:,}".replace(",", _THOUSANDS.get((language or lang.current_lang)[:2], ","))


def isolated(text: str, language: str = "") -> str:
    """Return a text that keeps its direction among words in a language, by default Anki's."""
    to_left = is_right_to_left([texts_in(language or lang.current_lang)["menu"]])
    return text if is_right_to_left([text]) == to_left else f"\u2068{text}\u2069"


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most of the letters are written from right to left."""
    letters = _LETTER.findall("".join(texts))
    return 2 * len(_RIGHT_TO_LEFT.findall("".join(letters))) > len(letters)
