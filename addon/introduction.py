"""What a deck is, in plain text, for somebody who does not follow it yet."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptcards.extensions.desktop.merge.html_tree import parse_html, visible
from ptcards.extensions.publish.subscription.package import Description, ReleasedNote, ReleasedPackage
from ptcards.extensions.publish.subscription.plain_text import as_lines
from ptcards.extensions.publish.subscription.update import FeedSource, cut, title_of
from ptcards.notes.rendered import IN_ORDER, LICENSE, VERSION

_MOST_READ = 5_000
_MOST_EXAMPLES, _LONGEST_ANSWER = 2, 200
_MARKUP = re.compile(r"^\[[^\]]*\]\([^)\s]*\)$|!?\[([^\]]*)\]\([^)\s]*\)|[*`]+|^#+ ", re.MULTILINE)


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
    text = list(_paragraphs(_description(package, source.feed.name)))
    others = (LICENSE, IN_ORDER, f"{VERSION}{source.feed.newest.version} (")
    return Introduction(
        "\n".join(each for each in text if not each.startswith(others)),
        next((each.removeprefix(LICENSE) for each in text if each.startswith(LICENSE)), ""),
        len(firsts),
        tuple(_examples([*reversed(firsts.values()), *notes])),
    )


def _description(package: ReleasedPackage, name: str) -> Description:
    """Return the description of the deck that everything is in."""
    roots = (note.deck.partition("::")[0] for note in package.notes.values())
    none = Description("", is_markdown=False)
    return package.descriptions.get(name) or package.descriptions.get(next(roots, ""), none)


def _paragraphs(description: Description) -> Iterator[str]:
    """Yield the lines of a description that have words."""
    text = description.text[:_MOST_READ]
    if description.is_markdown:
        parts = re.split(r"\n\s*\n|\n(?=[-*] )", _MARKUP.sub(r"\1", text))
        text = "".join(f"<p>{each}</p>" for each in parts)
    yield from filter(None, visible(parse_html(text)).split("\n"))


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
