"""The words that cards show next to the author's text, one file per language, and those on the five pages.

To add a language, add its file; a test compares its keys with those of the others. The texts of the preview,
the study page, the report on reviews, the page of a release and that of changes are in one table,
`interface.json`. Those of the page of a release are also in the table `release` of a language's file, because
learners read it.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

ENGLISH = "en"
TRADITIONAL = ("hant", "tw", "hk", "mo")
"""The subtags of Chinese for which there are no labels: those in simplified characters would be wrong."""
RIGHT_TO_LEFT = ("ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi")
"""The languages that are written from right to left."""

Labels = Mapping[str, str]


@cache
def labels_of(language: str) -> Labels:
    """Return the labels in a language, or in English if there are none."""
    return MappingProxyType({name: word for name, word in _file(language).items() if isinstance(word, str)})


def release_words(language: str) -> Labels:
    """Return the words on the page of a release in a language, or in English if there are none."""
    own = _file(language).get("release", {})
    return MappingProxyType({**interface("changes"), **interface("release"), **own})


def release_language(language: str) -> str:
    """Return the language of these words."""
    return labelled(language) if "release" in _file(language) else ENGLISH


def _file(language: str) -> dict[str, Any]:
    file = resources.files(__name__).joinpath(f"{labelled(language) or ENGLISH}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def interface(page: str) -> Labels:
    """Return the English words on a page (`preview`, `study`, `reviews`, `release` or `changes`)."""
    file = resources.files(__name__).joinpath("interface.json")
    return MappingProxyType(json.loads(file.read_text(encoding="utf-8"))[page])


@cache
def labelled(language: str) -> str:
    """Return the language of the labels to use for a language; empty if there are none."""
    known = {each.casefold(): each for each in languages()}
    return next((known[each] for each in _broader(language) if each in known), "")


def direction(language: str) -> str:
    """Return the value of HTML's `dir` for texts in a language: `rtl`, or `auto` for all others."""
    return "rtl" if language.partition("-")[0] in RIGHT_TO_LEFT else "auto"


@cache
def languages() -> tuple[str, ...]:
    """Return the languages with labels."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@cache
def section_words() -> Mapping[str, str]:
    """Return the English names of a note's sections, by their lower-case names in all languages."""
    words = {
        labels_of(language)[name].casefold(): labels_of(ENGLISH)[name]
        for language in languages()
        for name in ("answer", "hint", "details", "sources")
    }
    return MappingProxyType(words)


def _broader(language: str) -> Iterator[str]:
    """Yield a language and its broader ones: `de-AT`, then `de`."""
    subtags = language.casefold().split("-")
    if subtags[0] == "zh" and not {*TRADITIONAL} & {*subtags}:
        subtags = ["zh", "hans"]
    while subtags:
        yield "-".join(subtags)
        subtags = subtags[:-1]
