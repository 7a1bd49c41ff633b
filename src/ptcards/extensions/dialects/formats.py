"""The dialects of other programs by name, with their options and the settings of their plugins."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ptcards.diagnostics.keys import Key, is_flag, is_one_of, is_text, valid_if
from ptcards.source.dialects import VAULT, Dialect

BOLD_QUESTIONS = "details:bold"
"""The dialect for questions in bold, as named on the command line."""

BETWEEN = "…"
"""What stands for the answer in the name of a cloze pattern with other marks: `__…__`."""
_LONGEST_WORD = 200
_MOST_FIELDS = 200
"""The limits for what a plugin's settings look for: words, and fields of a note type."""

_LINE = "|".join(map(re.escape, (r"^.{1,3}$|^.{4}(?<!<!--).*", r"^[^\n#].{0,2}$|^[^\n#].{3}(?<!<!--).*")))
_LINES = rf"\(\?:\\n(?:\(\?:(?:{_LINE})\)|\.\+)\)[+*]"
"""What the wiki's expressions match the lines of a paragraph with."""
_PARAGRAPH = r"\(\(\?:\[\^\\n\]\[\\n\]\?\)\+(?:\\n[+*]?)?\)"
EXPRESSIONS: Mapping[str, str] = {
    name: rf"\A(?:{pattern})\Z"
    for name, pattern in {
        "question": rf"\^?Q[:：] ?\(\(\?:\.\+\\n\)\*\)\\n\*A[:：] ?\(\.\+(?:{_LINES})?\)",
        "colons": (
            r"\^?\(\.[+*](?:\[\^\\n:\](?:\{1\})?)?\) ?(?:::|:\{2\}) ?"
            r"\((?:\[\^\\n:\](?:\{1\})?)?\.[+*]\)\$?"
        ),
        "heading": (
            r"\^\(?(?P<marks>#+)(?P<times>\+|\{\d(?:,\d?)?\})?(?P<space>\\s[+*]?|\[ \]| )?"
            rf"\(?\.[+*]\)\\n[+*]\({_LINES}\)"
        ),
        "curly": rf"\(\(\?:\.\+\\n\)\*\(\?:\.\*\\?\{{\.\*\){_LINES}\)",
        "mark": rf"\(\(\?:\.\+\\n\)\*\(\?:\.\*==\.\*\){_LINES}\)",
        "tag": rf"{_PARAGRAPH} ?(?P<tag>#[^\s\\()\[\]?*+#]+) ?\??\\n\*\({_LINES}\)",
        "rule": rf"{_PARAGRAPH}(?:\\n[+*])?-\{{3,\}}(?:\\n[+*])?\({_LINES}\)",
        "table": (
            r"\^?\\\|\(\[\^\\n\|\]\+\)\\\|\\n\\\|\(\?:\[\^\\n\|\]\+\)\\\|\\n\\\|\(\[\^\\n\|\]\+\)\\\|"
            r"(?:\\n\?)?"
        ),
    }.items()
}
"""Patterns for the expressions of Obsidian_to_Anki's wiki with the usual variations, by the cards' kind.

Any other expression may end answers elsewhere, so its cards are not known.
"""


def package_from(tool: str) -> str:
    """Return an instruction for getting a package of another tool's cards."""
    if tool == "Logseq":
        return "send the cards to Anki with one of its plugins, export the deck there"
    return "export the deck from Anki" if tool == "yanki" else f"build a package with {tool}"


NEEDS_TAGS: Mapping[str, str] = {
    "obsidian": "write the tag into each file with cards, or run `ptcards init` in the folder and name "
    'your tag in `deck.toml`: `[obsidian]` with `tags = ["#flashcards"]`'
}
"""For each dialect that reads only files with a tag: what to do if none is read."""


def _is_word(value: object) -> bool:
    """Whether a value can be searched for; an empty text would be found everywhere."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_WORD


def _are_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)


def _some_of(*known: str) -> Callable[[object], bool]:
    return lambda value: (
        value in known
        if isinstance(value, str)
        else isinstance(value, list | tuple) and bool(value) and all(each in known for each in value)
    )


def _is_table(*known: str) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, Mapping)
        and all((not known or key in known) and isinstance(each, str) for key, each in value.items())
    )


def _of_spaced_repetition(data: Mapping[str, Any], vault: str) -> Mapping[str, object]:
    """Return the settings of Obsidian's Spaced Repetition plugin, under the names in `deck.toml`."""
    said = _table(data)
    known = (("flashcardTags", "tags"), ("flashcardTagsToIgnore", "ignored-tags"))
    found: dict[str, object] = {ours: said[theirs] for theirs, ours in known if _are_texts(said.get(theirs))}
    if is_flag(said.get("convertFoldersToDecks")):
        found["folders"] = said["convertFoldersToDecks"]
    if _are_texts(said.get("noteFoldersToIgnore")):
        found["ignored"] = [f"{vault}{each}" for each in said["noteFoldersToIgnore"] if each]
    marks = {ours: said.get(theirs) for theirs, ours in _SEPARATORS.items()}
    if separators := {ours: mark for ours, mark in marks.items() if isinstance(mark, str)}:
        found["separators"] = separators
    patterns = said.get("clozePatterns")
    if isinstance(patterns, list) and _are_texts(patterns):
        found["clozes"] = [*dict.fromkeys(filter(None, map(_cloze_name, patterns)))]
    elif any(key in said for key in _CLOZES):
        found["clozes"] = [name for key, name in _CLOZES.items() if said.get(key, name == "mark") is True]
    return found


def _table(data: Mapping[str, Any], key: str = "settings") -> Mapping[str, Any]:
    """Return a table in the settings of a plugin; empty if there is none."""
    said = data.get(key)
    return said if isinstance(said, dict) else {}


def _cloze_name(pattern: str) -> str:
    """Return our name for a cloze pattern such as `==[123;;]answer[;;hint]==`, or its two marks."""
    before, answer, after = pattern.partition("answer")
    begin, end = before.partition("[")[0], after.rpartition("]")[2]
    named = {"==": "mark", "**": "bold", "{{": "curly"}
    return named.get(begin, f"{begin}{BETWEEN}{end}") if answer and begin and end else ""


def _unknown_expressions(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield a problem for each of Obsidian_to_Anki's regular expressions that is of no known kind."""
    for name, each in _expressions(data).items():
        if not any(re.search(known, each) for known in EXPRESSIONS.values()):
            fix = "write these cards as `Q:` and `A:`, or between `START` and `END`"
            yield "unknown-regexp", f"the regular expression of the note type `{name}` is not supported", fix


def _expressions(data: Mapping[str, Any]) -> Mapping[str, str]:
    expressions = _table(_table(data), "CUSTOM_REGEXPS")
    return {str(key): each.strip() for key, each in expressions.items() if each and is_text(each)}


def _of_obsidian_to_anki(data: Mapping[str, Any], vault: str) -> Mapping[str, object]:
    """Return the settings of the plugin Obsidian_to_Anki, under the names in `deck.toml`."""
    said = _table(data)
    found: dict[str, object] = {"answer-ends": "id"}
    if syntax := _table(said, "Syntax"):
        found["words"] = {str(key): each for key, each in syntax.items() if _is_word(each)}
    if defaults := _table(said, "Defaults"):
        found["deck"] = str(defaults.get("Deck", ""))
        found["scan"] = f"{vault}{str(defaults.get('Scan Directory', '')).strip('/')}".strip("/")
        found["curly"] = defaults.get("CurlyCloze") is True
        found["highlights"] = defaults.get("CurlyCloze - Highlights to Clozes") is True
    globs = said.get("IGNORED_FILE_GLOBS")
    if globs and _are_texts(globs):
        found["ignored"] = [f"{vault}{glob}" for glob in globs if glob]
    for theirs, ours in (("FOLDER_DECKS", "folder-decks"), ("FOLDER_TAGS", "folder-tags")):
        folders = _table(said, theirs)
        if any(folders.values()):
            found[ours] = {f"{vault}{name}": str(each) for name, each in folders.items() if each}
    fields = data.get("fields_dict", said.get("fields_dict"))
    if isinstance(fields, dict):
        lists = ((str(key), each) for key, each in fields.items() if _are_texts(each))
        found["fields"] = {key: [*filter(_is_word, each[:_MOST_FIELDS])] for key, each in lists}
    if expressions := _expressions(data):
        found["expressions"] = expressions
    return found


_SEPARATORS: Mapping[str, str] = {
    "singleLineCardSeparator": "single",
    "singleLineReversedCardSeparator": "single-reversed",
    "multilineCardSeparator": "multi",
    "multilineReversedCardSeparator": "multi-reversed",
    "multilineCardEndMarker": "end",
}
_CLOZES: Mapping[str, str] = {
    "convertHighlightsToClozes": "mark",
    "convertBoldTextToClozes": "bold",
    "convertCurlyBracketsToClozes": "curly",
}

_SHAPES = ("heading", "summary", "bold", "item")

DIALECTS: Mapping[str, Dialect] = {
    "obsidian": Dialect(
        reader=f"{__package__}.obsidian",
        inlines=f"{__package__}.obsidian_syntax",
        options={
            "tags": Key(valid_if(_are_texts), 'a list of tags, such as `["#flashcards"]`'),
            "folders": Key(valid_if(is_flag), "`true` or `false`"),
            "separators": Key(
                valid_if(_is_table(*_SEPARATORS.values())),
                f"a table of `{'`, `'.join(_SEPARATORS.values())}`",
            ),
            "clozes": Key(
                valid_if(lambda value: _are_texts(value) and {*value} <= {"mark", "bold", "curly"}),
                "a list of `mark`, `bold`, `curly`",
            ),
        },
        plugin=f"{VAULT}/plugins/obsidian-spaced-repetition/data.json",
        of_plugin=_of_spaced_repetition,
    ),
    "details": Dialect(
        reader=f"{__package__}.details",
        options={
            "question": Key(
                valid_if(_some_of(*_SHAPES)), "`heading`, `summary`, `bold` or `item`, or a list of them"
            ),
            "level": Key(valid_if(is_one_of(1, 2, 3, 4, 5, 6)), "a number from 1 to 6"),
            "difficulty-marks": Key(valid_if(_is_table()), 'a table, such as `{ "⭐️" = "medium" }`'),
        },
        needed="question",
        first_option="question",
        second_option="level",
        shapes=(*_SHAPES, "heading:2"),
    ),
    "qa": Dialect(
        reader=f"{__package__}.qa",
        options={
            "answer-ends": Key(
                valid_if(is_one_of("card", "blank-line", "id")), "`card`, `blank-line` or `id`"
            )
        },
        first_option="answer-ends",
        plugin=f"{VAULT}/plugins/obsidian-to-anki-plugin/data.json",
        of_plugin=_of_obsidian_to_anki,
        unsupported=_unknown_expressions,
    ),
}
