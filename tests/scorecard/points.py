"""Row 7: every code point of Unicode from a Markdown file into the real Anki."""

import html
import re
import unicodedata
from collections import Counter

from anki_backend import assert_healthy, import_package, learner, notes_by_guid
from conftest import Ran
from scorecard.command import ptcards
from scorecard.row import Effort, Measurement, Result, Row

_POINTS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
_ALONE = 0x300
"""Characters below this one have separate notes, because next to others they may have a meaning."""

_TOGETHER = 2048
_PLACES = {"text": "{}\n", "code": "~~~text\n{}\n~~~\n"}


def _groups(effort: Effort) -> list[list[int]]:
    alone = [[code] for code in _POINTS[:_ALONE]]
    together = [_POINTS[begin : begin + _TOGETHER] for begin in range(_ALONE, len(_POINTS), _TOGETHER)]
    if not effort.long:
        together = [*together[:20], *effort.random("points").sample(together[20:], 20)]
    return alone + together


def _measure(effort: Effort) -> tuple[Result, ...]:
    groups = _groups(effort)
    cards = effort.folder / "cards"
    cards.mkdir()
    (cards / "deck.toml").write_text('name = "Points"\nid = "points"\n', "utf-8")
    for begin in range(0, len(groups), 100):
        notes = [
            f"## In {place}, {begin + number}?\n<!-- card: id={place}-{begin + number} -->\n\n{_written(group, place)}\n"
            for number, group in enumerate(groups[begin : begin + 100])
            for place in _PLACES
        ]
        (cards / f"{begin:05}.md").write_bytes("".join(notes).encode())
    built: Ran = ptcards("build", cards, "-o", effort.folder / "out", "--format", "apkg")
    if built.status:
        return (Result("the build fails", holds=False, details=tuple(built.err.split("\n"))),)
    changes: Counter[str] = Counter()
    unexplained: list[str] = []
    with learner(effort.folder / "anki") as anki:
        outcome = import_package(anki, effort.folder / "out" / "points.apkg")
        assert outcome == {"new": len(groups) * len(_PLACES)}, outcome
        assert_healthy(anki)
        answers = {_name(note["Question"]): note["Answer"] for note in notes_by_guid(anki).values()}
    for number, group in enumerate(groups):
        for place in _PLACES:
            _compare(group, answers[f"In {place}, {number}?"], place, changes, unexplained)
    points = sum(map(len, groups))
    told = ", ".join(f"{count:,} {what}" for what, count in sorted(changes.items()))
    figure = f"{len(unexplained)} of {points:,} code points, each in text and in code; with a reason: {told}"
    return (Result(figure, not unexplained, tuple(unexplained)),)


def _written(group: list[int], place: str) -> str:
    return _PLACES[place].format("\n".join(f"x{chr(code)}y" for code in group))


def _name(question: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", question)).strip()


def _compare(
    group: list[int], answer: str, place: str, changes: Counter[str], unexplained: list[str]
) -> None:
    text = html.unescape(re.sub(r"<[^>]*>", "", answer)).strip("\n")
    shown = [text] if len(group) == 1 else text.split("\n")
    if len(shown) != len(group):
        unexplained.append(f"{place} from U+{group[0]:04X}: {len(shown)} lines of {len(group)}")
        return
    for code, line in zip(group, shown, strict=True):
        if line != f"x{chr(code)}y":
            reason = _explanation(code, line)
            if reason:
                changes[reason] += 1
            else:
                unexplained.append(f"{place}: U+{code:04X} became {line!r}")


def _explanation(code: int, line: str) -> str:
    """Return why a character is shown as it is, or nothing if there is no good reason."""
    if line == unicodedata.normalize("NFC", f"x{chr(code)}y"):
        return "composed by NFC, as in Anki"
    if code == 0x0D and line == "x\ny":
        return "carriage returns that end a line"
    if code == 0 and line == "x\ufffdy":
        return "NUL shown as U+FFFD, as on GitHub"
    if (code < 0x20 or code == 0x7F) and line == "xy":
        return "control characters removed with a warning"
    return ""


MEASUREMENT = Measurement(
    (
        Row(
            7,
            "code points that change without a reason on their way through Markdown and a package into Anki",
            "0 of 1,112,064",
        ),
    ),
    _measure,
)
