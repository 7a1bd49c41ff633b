"""Settings in card comments, front matter and `deck.toml`."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location
from ptcards.lint.note import Reading
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.markdown.tree import BlockKind
from ptcards.notes import DIFFICULTIES, Kind
from ptcards.source.attributes import CARD_KEYS
from ptcards.source.config_keys import known_keys
from ptcards.source.frontmatter import KEYS


class BadTag(Rule, severity="error"):
    """Anki cannot store a tag as it is written.

    Why: Anki splits tags at white space, cannot search for quotation marks, and reserves `marked` and
    `leech`. `::` separates the levels of a tag, none of which may be empty.

    For instance:

        tags: ["loss functions", "::memory"]

    Fix: join words with `-` and levels with `::`.

        tags: [loss-functions, performance::memory]
    """


class KeyTwice(Rule, severity="error"):
    """A key is set twice in one place.

    Why: only one of the values can apply, and ptcards would have to guess which.

    For instance:

        <!-- card: tags=memory tags=speed -->

    Fix: keep one of them. Separate several tags with commas.

        <!-- card: tags=memory,speed -->
    """


class MalformedId(Rule, severity="error"):
    """An id is too long or contains characters that are not allowed.

    Why: ids are used in card comments, in `deck.lock` and on the command line, so they must have 1 to 80
    characters, all of them letters, digits, `-`, `_` or `.`.

    For instance:

        <!-- card: id=what's-autograd -->

    Fix: use only those characters.

        <!-- card: id=what-is-autograd -->
    """


class UnknownDifficulty(Rule, severity="error"):
    """A difficulty is not `easy`, `medium` or `hard`.

    Why: the difficulty becomes the tag `difficulty::…` and a label on the card, and learners would never look
    for a fourth level.

    For instance:

        <!-- card: difficulty=beginner -->

    Fix: write `easy`, `medium` or `hard`. `--fix` corrects obvious slips.
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the difficulty that was clearly intended."""
        return draft.corrections(self.name, DIFFICULTIES)


class UnknownKey(Rule, severity="error"):
    """A setting has an unknown name.

    Why: a misspelt setting would be silently ignored.

    For instance:

        <!-- card: dificulty=easy -->

    Fix: correct the name; the message suggests the nearest one. In card comments and `deck.toml`, `--fix`
    corrects obvious slips.

        <!-- card: difficulty=easy -->
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the key that was clearly intended."""
        return draft.corrections(self.name, CARD_KEYS)

    @property
    def explanation(self) -> str:
        """The text, followed by a list of all keys."""
        tables = known_keys()
        lists = {
            "a card comment": CARD_KEYS,
            "front matter": (*KEYS, "type"),
            "`deck.toml`": tables[""],
            **{f"`[{table}]` in `deck.toml`": keys for table, keys in tables.items() if table},
        }
        lines = [f"- in {where}: {', '.join(f'`{key}`' for key in keys)}" for where, keys in lists.items()]
        return "\n".join([self.text, "", "The keys:", "", *lines, ""])


class UnknownKind(Rule, severity="error"):
    """A note has an unknown kind.

    Why: the kinds are `basic`, `reversed`, `typed`, `choice` and `cloze`. Most notes do not need to set one,
    because a task list makes a note a choice, and a deletion makes it a cloze.

    For instance:

        <!-- card: kind=quiz -->

    Fix: use one of the five, or remove `kind`. `--fix` corrects obvious slips.

        <!-- card: kind=choice -->
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the kind that was clearly intended."""
        return draft.corrections(self.name, Kind)


class WrongValue(Rule, severity="error"):
    """A setting has an invalid value.

    Why: a wrong guess would change every note that the setting applies to.

    For instance:

        tags = "pytorch"        in `deck.toml`

    Fix: use a value of the type that the message names.

        tags = ["pytorch"]
    """


_SETTING = re.compile(r"(?P<key>kind|difficulty|tags?)\s*[:=]\s*(?P<value>\S.*)", re.IGNORECASE)
_TAGS = re.compile(r"#?[\w:/-]+(?:[,\s]+#?[\w:/-]+)*")


def _tags(value: str) -> str:
    if not _TAGS.fullmatch(value):
        return ""
    return ",".join(tag.strip("#").replace("/", "::") for tag in re.split(r"[,\s]+", value))


_VALUES: Mapping[str, Callable[[str], str]] = {
    "kind": lambda value: value.lower() if value.lower() in [*Kind] else "",
    "difficulty": lambda value: value.lower() if value.lower() in DIFFICULTIES else "",
    "tags": _tags,
}


class _Setting(NamedTuple):
    """A line that is a setting in other programs, and the card comment that replaces it."""

    place: Location
    written: str
    comment: str


class SettingAsText(Rule, severity="warning"):
    """The first paragraph below a question is a setting, written as text.

    Why: a note's settings belong in its card comment. Written as text, they appear on the card and have no
    effect.

    For instance:

        ## Where does HTTPS listen?

        Tags: net tcp

        On port 443.

    Fix: replace the text with a card comment. `--fix` does this.

        ## Where does HTTPS listen?
        <!-- card: tags=net,tcp -->

        On port 443.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the line with the setting."""
        if found := _setting(note):
            message = f"`{found.written}` is plain text here"
            yield self.report(found.place, message, f"write `{found.comment}`", len(found.written))

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Replace the line with the card comment."""
        for note in draft.notes:
            if found := _setting(note):
                yield Edit(found.place.line, found.place.column, found.written, found.comment)


def _setting(note: Reading) -> _Setting | None:
    """Return the setting if it is the entire first paragraph below the heading."""
    first = next((part for part in note.parts if part.name in ("question", "answer")), None)
    block = next(iter(first.blocks), None) if first else None
    if first is None or block is None or block.kind is not BlockKind.PARAGRAPH or len(block.lines) != 1:
        return None
    written = block.lines[0].text.strip()
    found = _SETTING.fullmatch(written)
    if found is None:
        return None
    key = "tags" if found["key"].lower() == "tag" else found["key"].lower()
    value = _VALUES[key](found["value"])
    if not value:
        return None
    place = first.text.location(block.start, block.column)
    return _Setting(place, written, f"<!-- card: {key}={value} -->")
