"""What a deck is, in plain text, for somebody who does not follow it yet."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptcards.extensions.publish.subscription.package import Description, ReleasedNote, ReleasedPackage
from ptcards.extensions.publish.subscription.plain_text import as_lines
from ptcards.extensions.publish.subscription.update import FeedSource, cut, title_of
from ptcards.notes.rendered import IN_ORDER, LICENSE, VERSION

_MOST_READ = 5_000
_MOST_EXAMPLES, _LONGEST_ANSWER = 2, 200
_MARKUP = re.compile(r"^\[[^\]]*\]\([^)\s]*\)$|!?\[([^\]]*)\]\([^)\s]*\)|[*`]+|^#+ ", re.MULTILINE)
_BULLET = re.compile(r"^[-*+] ", re.MULTILINE)
_VERSION_LINE = re.compile(rf"{VERSION}\S+ \([-\d]{{10}}\)\.")
_MATHS = re.compile(r"(?<![\\$\w])\$(?! )([^$\n]+)(?<![ \\])\$(?!\d)")


class Introduction(NamedTuple):
    """What a deck is: what its author says, its licence, how many topics it has, and some notes.

    Each of the `examples` is a question with its answer.
    """

    description: str
    license: str
    topics: int
    examples: tuple[tuple[str, str], ...]


def introduce(source: FeedSource) -> Introduction:
    """Return what the deck of a feed is."""
    package = source.package
    notes = [*package.notes.values()]
    firsts = {note.deck: note for note in reversed(notes)}
    text = said(_description(package, source.feed.name))
    return Introduction(
        "\n".join(each for each in text if not each.startswith((LICENSE, IN_ORDER))),
        next((each.removeprefix(LICENSE) for each in text if each.startswith(LICENSE)), ""),
        len(firsts),
        tuple(_examples([*reversed(firsts.values()), *notes])),
    )


def _description(package: ReleasedPackage, name: str) -> Description:
    """Return the description of the deck that everything is in."""
    roots = (note.deck.partition("::")[0] for note in package.notes.values())
    none = Description("", is_markdown=False)
    return package.descriptions.get(name) or package.descriptions.get(next(roots, ""), none)


def said(description: Description) -> Sequence[str]:
    """Return the lines of a description, without the one that names the version."""
    text = description.text[:_MOST_READ]
    if description.is_markdown:
        plain = _MARKUP.sub(r"\1", _BULLET.sub("• ", _MATHS.sub(r"\\(\1\\)", text)))
        text = "".join(f"<p>{each}</p>" for each in re.split(r"\n\s*\n|\n(?=• )", plain))
    lines = as_lines(text, _MOST_READ).split("\n")
    return [each for each in lines if each and not _VERSION_LINE.match(each)]


def _examples(notes: Sequence[ReleasedNote]) -> Iterator[tuple[str, str]]:
    """Yield the first notes that have a question and an answer."""
    found = dict[str, str]()
    for note in notes:
        answer = as_lines("".join(note.fields[1:2]).partition("<pre")[0], _MOST_READ)
        if answer and (question := title_of(note.fields[:1])):
            found.setdefault(question, cut(answer, _LONGEST_ANSWER))
        if len(found) == _MOST_EXAMPLES:
            break
    yield from found.items()
