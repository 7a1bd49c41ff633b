"""The settings in card comments and front matter: reads them with their locations, and writes new ones."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.diagnostics.keys import unknown_key
from ptcards.diagnostics.suggest import one_of, slip_of
from ptcards.notes import DIFFICULTIES, Kind
from ptcards.source.valid_names import CARD_KEYS, FRONT_MATTER_KEYS, ID, LANGUAGE, bad_tag, tag_fix

_BEGUN = 4
"""How many letters of a key name it in front matter, such as `lang`."""
_ABOVE = {key: "in the front matter of the file" for key in FRONT_MATTER_KEYS if key not in CARD_KEYS}

_KINDS = tuple(Kind)
_FEW = re.compile(r"[1-9][0-9]?")
_CARD = re.compile(r"<!--\s*card:(?P<body>.*?)-->", re.DOTALL)
_BARE = re.compile(r"<!--\s*card\s*-->")
_SKIP = re.compile(r"<!--\s*card:\s*skip\s*-->")
_PAIR = re.compile(
    r'\s*(?:(?P<spaced>[^\s="]+(?:[ \t]+=[ \t]*|=[ \t]+)(?:"[^"]*"|[^\s"=]+)(?=\s|$))'
    r'|(?P<key>[^\s="]+)=(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]*))(?=\s|$)|(?P<junk>\S+))'
)


class Attributes(NamedTuple):
    """The settings of a file or a note; a setting with an empty value is not set.

    `places` maps keys to the locations of their values. `ignored` are the locations of the names in `ignore`.
    """

    deck: str = ""
    id: str = ""
    kind: Kind | None = None
    before: int = 0
    hide: str = ""
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignored: tuple[Location, ...] = ()
    unlike: tuple[str, ...] = ()
    translated: str = ""
    """the digest of the text of which the note is the translation"""
    skip: bool = False
    """whether the author marked this with `skip`, so that it is not a note"""
    draft: bool = False
    """whether the author marked this with `draft`, so that no output contains it"""
    dialect: str = ""
    question_level: int = 0
    language: str = ""
    type: str = ""
    places: Mapping[str, Location] = MappingProxyType({})


UNSET = Attributes()


def is_card_comment(comment: str, *, bare: bool = False) -> bool:
    """Whether an HTML comment is a card comment.

    With `bare`, `<!-- card -->`, which sets nothing, also counts.
    """
    return (comment.startswith("<!--") and comment[4:].lstrip().startswith("card:")) or (
        bare and is_bare_comment(comment)
    )


def is_bare_comment(comment: str) -> bool:
    """Whether an HTML comment is `<!-- card -->`, which marks a card without setting anything."""
    return _BARE.fullmatch(comment.strip()) is not None


def is_skip(line: str) -> bool:
    """Whether a line is `<!-- card: skip -->`, which means that what follows is not a note."""
    return _SKIP.fullmatch(line.strip()) is not None


def misspelt_card_comment(comment: str) -> str:
    """Return the word that should probably be `card:`, or an empty string for an ordinary comment."""
    found = re.match(r"<!--\s*([\w-]+)\s*([:=]?)", comment)
    if not found or is_card_comment(comment):
        return ""
    word = found[1]
    settings = re.search(rf"\b(?:{'|'.join(CARD_KEYS)})=", comment)
    near = word.casefold() in ("card", "cards", "crad", "cad", "car", "caard", "carrd")
    # Many ordinary comments begin with `note:`.
    is_meant = settings if word.casefold() == "note" else near and (found[2] == ":" or settings)
    return word + found[2] if is_meant else ""


def settings_alone(comment: str) -> str:
    """Return the settings in a comment that has nothing else, not even `card:`, or an empty string."""
    body = comment.strip().removeprefix("<!--").removesuffix("-->").strip()
    pairs = [*_pairs(body)]
    is_all = pairs and pairs[-1].end() == len(body) and all(pair["key"] in CARD_KEYS for pair in pairs)
    return body if is_all else ""


def without_spaces(pair: str) -> str:
    """Return `key = value` without the spaces around its first `=`."""
    key, _, value = pair.partition("=")
    return f"{key.rstrip()}={value.lstrip()}"


def read_card_comment(text: str, locate: Callable[[int], Location]) -> tuple[Attributes, list[Diagnostic]]:
    """Return the settings in a card comment, and diagnostics.

    `locate` returns the location of an offset in `text`.
    """
    found = _CARD.fullmatch(text.rstrip())
    reader = AttributeReader(locate(0).path, CARD_KEYS, "card comment")
    if not found:
        fix = "move the text after `-->` to the next line"
        reader.malformed(locate(0), "text follows the card comment", fix)
        return reader.attributes(), reader.diagnostics
    for pair in _pairs(found["body"]):
        offset = found.start("body")
        if spaced := pair["spaced"]:
            place = locate(offset + pair.start("spaced"))
            fix = f"write `{without_spaces(spaced)}`"
            reader.malformed(place, f"`{spaced}` has spaces around `=`", fix, len(spaced))
            continue
        if pair["junk"] == "skip":
            reader.skip = locate(offset + pair.start("junk"))
            continue
        if pair["junk"] == "draft":
            reader.draft = True
            continue
        if pair["junk"] is not None:
            fix = "write `key=value`, with quotes around values that contain spaces"
            place = locate(offset + pair.start("junk"))
            reader.malformed(place, f"`{pair['junk']}` is not `key=value`", fix, len(pair["junk"]))
            continue
        group = "plain" if pair["quoted"] is None else "quoted"
        reader.set(
            pair["key"], pair[group], locate(offset + pair.start("key")), locate(offset + pair.start(group))
        )
    return reader.attributes(), reader.diagnostics


def _pairs(body: str) -> Iterator[re.Match[str]]:
    position = 0
    body = body.rstrip()
    while position < len(body) and (pair := _PAIR.match(body, position)):
        yield pair
        position = pair.end()


class AttributeReader:
    """Collects the values in front matter or a card comment, and reports problems."""

    def __init__(
        self, path: str, keys: tuple[str, ...], where: str, *, shared: bool = False, foreign: bool = False
    ) -> None:
        self.path = path
        self.keys = keys
        self.where = where
        self.shared = shared
        """whether other programs may set keys in the same place"""
        self.foreign = foreign
        """whether the notes were written for another program, which may use `tag` for tags"""
        self.skip: Location | None = None
        self.draft = False
        self.values: dict[str, str] = {}
        self.places: dict[str, Location] = {}
        self.diagnostics: list[Diagnostic] = []

    def refuse(self, place: Location, rule: str, message: str, fix: str, length: int = 1) -> None:
        """Report an error."""
        self.diagnostics.append(error(place, rule, message, fix, length))

    def malformed(self, place: Location, message: str, fix: str, length: int = 1) -> None:
        """Report an error in the form of the comment."""
        self.refuse(place, "malformed-card-comment", message, fix, length)

    def set(
        self, key: str, value: str, place: Location, value_place: Location, *, quoted: bool = False
    ) -> None:
        """Set the value of a key, or report why it is invalid.

        Only `deck` may be empty, and only in quotes.
        """
        if self.foreign and key == "tag":
            key = "tags"
        if key not in self.keys and self.shared:
            begun = (each for each in self.keys if len(key) >= _BEGUN and each.startswith(key))
            if near := slip_of(key, self.keys) or next(begun, None):
                message = f"unknown key `{key}` in the {self.where} is ignored"
                fix = f"did you mean `{near}`?"
                self.diagnostics.append(warning(place, "misspelt-key", message, fix, len(key)))
        elif key not in self.keys:
            rule, message, fix = unknown_key(key, self.keys, where=f" in the {self.where}", elsewhere=_ABOVE)
            self.refuse(place, rule, message, fix, len(key))
        elif key in self.values:
            self.refuse(place, "key-twice", f"`{key}` is set twice", "keep one of them", len(key))
        elif not value.strip() and self.shared and key == "tags":
            return  # note editors often leave `tags` empty
        elif not value.strip() and not (key == "deck" and quoted):
            fix = "add a value, or remove the key"
            self.refuse(place, "wrong-value", f"`{key}` has no value", fix, len(key))
        else:
            spaces = len(value) - len(value.lstrip(" "))
            self.values[key] = value.strip()
            path, line, column = value_place
            self.places[key] = Location(path, line, column + spaces)

    def attributes(self) -> Attributes:
        """Return the valid values; report invalid ones and leave them out."""
        kind = self._one_of("kind", _KINDS, "unknown-kind")
        if kind and "type" in self.values:
            fix = "remove one of them: your own note types have no kinds"
            self.refuse(
                self.places["kind"],
                "wrong-value",
                "a note cannot have both `kind` and `type`",
                fix,
                len(kind),
            )
        if self.skip and (self.values or self.draft):
            fix = "remove the other keys, or remove `skip`"
            self.refuse(
                self.skip, "skip-with-keys", "`skip` cannot be used with other keys", fix, len("skip")
            )
        return Attributes(
            deck=self.values.get("deck", ""),
            id=self._id(),
            kind=Kind(kind) if kind else None,
            before=self._before(kind),
            hide=self._hide(kind),
            difficulty=self._one_of("difficulty", DIFFICULTIES, "unknown-difficulty"),
            tags=self._tags() if "tags" in self.values else (),
            ignore=_parts(self.values.get("ignore", "")),
            ignored=tuple(self._ignored()) if "ignore" in self.values else (),
            unlike=_parts(self.values.get("unlike", "")),
            translated=self.values.get("translated", ""),
            skip=self.skip is not None,
            draft=self.draft,
            dialect=self.values.get("dialect", ""),
            question_level=int(self._one_of("question-level", ("2", "3", "4", "5", "6"), "wrong-value") or 0),
            language=self._language(),
            type=self.values.get("type", ""),
            places=self.places,
        )

    def _id(self) -> str:
        value = self.values.get("id", "")
        # In the lock, a single dash means that there is no id.
        if value == "-" or (value and not ID.fullmatch(value)):
            fix = "use 1 to 80 letters, digits, `-`, `_` or `.`" + (
                ", but not `-` alone" if value == "-" else ""
            )
            self.refuse(self.places["id"], "malformed-id", f"`{value}` cannot be an id", fix, len(value))
            return ""
        return value

    def _before(self, kind: str) -> int:
        value = self.values.get("before", "")
        if not value or (kind == Kind.SEQUENCE and _FEW.fullmatch(value)):
            return int(value or 0)
        message, fix = f"`{value}` is not a number of items", "use a number from 1 to 99"
        if kind != Kind.SEQUENCE:
            message, fix = "`before` needs `kind=sequence`", "remove it: other kinds have no items before"
        self.refuse(self.places["before"], "wrong-value", message, fix, len(value))
        return 0

    def _hide(self, kind: str) -> str:
        value = self._one_of("hide", ("all", "one"), "wrong-value")
        if value and kind != Kind.OCCLUSION:
            message, fix = "`hide` needs `kind=occlusion`", "remove it: other kinds hide no part of a picture"
            self.refuse(self.places["hide"], "wrong-value", message, fix, len(value))
        return value

    def _language(self) -> str:
        value = self.values.get("language", "")
        languages = _parts(value)
        if value and not (1 <= len(languages) <= 2 and all(map(LANGUAGE.fullmatch, languages))):
            fix = "use a language code, such as `de`, or two: `es,de` for question and answer"
            self.refuse(
                self.places["language"], "wrong-value", f"`{value}` is not a language code", fix, len(value)
            )
            return ""
        return ",".join(languages)

    def _one_of(self, key: str, known: tuple[str, ...], rule: str) -> str:
        value = self.values.get(key, "")
        if value and value not in known:
            fix = one_of(value, known)
            self.refuse(self.places[key], rule, f"unknown {key} `{value}`", fix, len(value))
            return ""
        return value

    def _tags(self) -> tuple[str, ...]:
        written = self.values["tags"]
        tags = _parts(",".join(written.split()) if self.foreign else written)
        if self.shared:
            tags = tuple(tag.lstrip("#").replace("/", "::") for tag in tags if tag.strip("#"))
        for tag in tags:
            if why := bad_tag(tag):
                self.refuse(
                    self.places["tags"],
                    "bad-tag",
                    f"`{tag}` cannot be a tag: {why}",
                    tag_fix(tag),
                )
        return tuple(tag for tag in tags if not bad_tag(tag))

    def _ignored(self) -> Iterator[Location]:
        value, at, line_end = self.values["ignore"], 0, -1
        place = self.places["ignore"]
        for name in _parts(value):
            before, at = at, value.index(name, at)
            if above := value.count("\n", before, at):
                line_end = value.rfind("\n", before, at)
                place = place._replace(line=place.line + above)
            yield place._replace(column=at - line_end if line_end >= 0 else place.column + at)
            at += len(name)


def _parts(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if value else ()


_CARD_BEGINS = re.compile(r"<!--\s*card\b")

Lines = list[tuple[str, str]]
"""The lines of a source, each with its line end."""


def with_setting(lines: Sequence[tuple[str, str]], heading: int, end: int, key: str, value: str) -> Lines:
    """Return the lines with a setting in the card comment of the note from line `heading` to line `end`.

    If there is no comment, one is added. The result may be wrong if something else looks like a card comment.
    """
    lines = list(lines)
    first = next((n for n in range(heading, end) if _CARD_BEGINS.search(lines[n][0])), None)
    if first is None:
        ending = lines[heading - 1][1] or "\n"
        lines[heading - 1] = (lines[heading - 1][0], ending)
        lines.insert(heading, (f"<!-- card: {key}={value} -->", ending))
        return lines
    last = next((n for n in range(first, end) if "-->" in lines[n][0]), first)
    setting = re.compile(rf'(?<=[\s:]){key}=(?:"(?P<quoted>[^"]*)(?=")|(?P<plain>[^\s"]*))')
    for n in range(first, last + 1):
        text, ending = lines[n]
        if found := setting.search(text):
            group = "plain" if found["quoted"] is None else "quoted"
            lines[n] = (text[: found.start(group)] + value + text[found.end(group) :], ending)
            return lines
    lines[last] = (_added(lines[last][0], f"{key}={value}"), lines[last][1])
    return lines


def drafted(lines: Sequence[tuple[str, str]], heading: int) -> Lines:
    """Return the lines with `draft` in the card comment of the note whose heading is line `heading` (from 1).

    If there is no comment, one is added.
    """
    lines = list(lines)
    below = next((n for n in range(heading, len(lines)) if lines[n][0].strip()), len(lines))
    text, ending = lines[below] if below < len(lines) else ("", "")
    if is_card_comment(text.strip()):
        before, mark, after = text.partition("card:")
        lines[below] = (f"{before}{mark} draft{after if after[:1].isspace() else f' {after}'}", ending)
    elif found := _BARE.match(text):
        lines[below] = (f"<!-- card: draft -->{text[found.end() :]}", ending)
    else:
        ending = lines[heading - 1][1] or "\n"
        lines[heading - 1] = (lines[heading - 1][0], ending)
        lines.insert(heading, ("<!-- card: draft -->", ending))
    return lines


def accepted(lines: Sequence[tuple[str, str]], heading: int) -> Iterator[Lines]:
    """Yield the lines without `draft` in a card comment; the note's heading is line `heading` (from 1).

    A comment without other settings is removed; it remains in a second attempt, in which it marks a card.
    """
    lines = list(lines)
    first = next((n for n in range(heading, len(lines)) if lines[n][0].strip()), len(lines))
    last = next((n for n in range(first, len(lines)) if "-->" in lines[n][0]), first - 1)
    found = _CARD.match("\n".join(text for text, _ in lines[first : last + 1]))
    if not found:
        return
    body, pairs = found["body"], [*_pairs(found["body"])]
    kept = "".join(pair[0] for pair in pairs if pair["junk"] != "draft")
    after = found.string[found.end() :]
    if kept.strip():
        comment = f"{found.string[: found.start('body')]}{kept}{body[len(body.rstrip()) :] or ' '}-->{after}"
        ends = [end for _, end in lines[first : last + 1]]
        texts = comment.split("\n")
        made = zip(texts, [*ends[: len(texts) - 1], ends[-1]], strict=True)
        yield [*lines[:first], *made, *lines[last + 1 :]]
        return
    if not after.strip():
        yield [*lines[:first], *lines[last + 1 :]]
    yield [*lines[:first], (f"<!-- card -->{after}", lines[last][1]), *lines[last + 1 :]]


def _added(text: str, setting: str) -> str:
    """Return the last line of a card comment with a setting added before the end of the comment."""
    if found := _BARE.search(text):
        return f"{text[: found.start()]}<!-- card: {setting} -->{text[found.end() :]}"
    before, mark, after = text.partition("-->")
    return f"{before.rstrip()} {setting} {mark}{after}"
