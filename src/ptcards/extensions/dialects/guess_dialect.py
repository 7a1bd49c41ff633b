"""Guesses which dialect a page is written in, and finds marks and questions that are on no card of their own.

The guesses are only for messages: they never choose the dialect.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module

from ptcards.diagnostics import Diagnostic, Location, warning
from ptcards.extensions.dialects.formats import BOLD_QUESTIONS, DIALECTS
from ptcards.extensions.dialects.obsidian_syntax import TAG, comment_lines, leaves, outside_code
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import BlockKind
from ptcards.notes import Note
from ptcards.source.content import Definitions
from ptcards.source.dialects import NOTHING, OWN, Options, settings_for
from ptcards.source.page import Page, ReaderResult
from ptcards.source.source import Evidence, SourceSettings

_MIN_PAIRS = 2
_SURE_PAIRS = 5
_SOME = 3
_MANY = 5
# Each pattern takes linear time, because the text after a mark cannot contain the mark again.
_QUESTION_MARK = r"[?？][^\w\n?？]*$"
_LINES: Mapping[str, tuple[str, re.Pattern[str]]] = {
    "schedule": ("<!--SR:!", re.compile(r".*<!--SR:!")),
    "tag": ("#flashcards", re.compile(r"(?:.*\s)?#flashcards(?:[/\s]|$)")),
    "inline": ("::", re.compile(r"(?!:::)[^\0]*?\S\s?:::?\s?[^\s:]")),
    "summary": ("<", re.compile(r".*<summary\b[^<>]*>(?P<text>.*?)(?:</summary>|$)", re.IGNORECASE)),
    "lone": ("?", re.compile(r"\s*\?\??\s*$")),
    "q": ("Q", re.compile(r"(?:\*\*)?Q[:：]")),
    "a": ("A", re.compile(r"(?:\*\*)?A[:：]")),
    "c": ("C", re.compile(r"C[:：].*\[[^\[\]]+\]")),
    "start": ("START", re.compile(r"START(?:_CARD)?\s*$")),
    "id": ("ID:", re.compile(r"\s*<!--\s*ID: \d{10,}")),
    "deck": ("T", re.compile(r"(?:TARGET[ _]DECK|FILE[ _]TAGS)\b")),
    "details": ("<", re.compile(r"\s*<details\b", re.IGNORECASE)),
    "bold": ("", re.compile(r"\s{0,3}(?:\d+[.)]\s+)?(\*\*|__)(?P<text>[^*_].*[?？][^*?？]*)\1[^\w*]*$")),
    "item": ("#", re.compile(r"\s*(?:[-*+]|\d+[.)])\s+#{1,6}\s")),
    "dots": (". . .", re.compile(r"\. \. \.\s*$")),
    "percent": ("%", re.compile(r"%\s*$")),
    "heading card": ("#card", re.compile(r"#{1,6}\s.*\s#card(?:[-/\s]|$)")),
    "uuid": ("#", re.compile(r"#{1,6} .*\([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}\)")),
    "heading": ("#", re.compile(r"#{1,6}\s")),
    "note": ("#", re.compile(r"##\s")),
    **{f"h{level}": ("#", re.compile(rf"#{{{level}}}\s.*{_QUESTION_MARK}")) for level in range(2, 7)},
}
"""Patterns for lines, each with what is in every line that it matches."""
# For speed, words are tried first, by a first character that they share, then the starts of lines by theirs.
# Text is case-folded.
_ANY_WORDS = (
    re.compile(r"<(?:!--(?:sr:!| ?id:)|details|summary)"),
    re.compile(r"#(?:flashcards|(?<= #)card)"),
    re.compile(r"```decks"),
)
_ANY = re.compile(
    r"\n(?=[?*qs.%+\d#_-]|[^\S\n])(?:[^\S\n]*\?\??[^\S\n]*$|(?:\*\*)?q[:：]|start"
    r"|\. \. \.$|%[^\S\n]*$"
    rf"|[^\S\n]*(?:[-*+]|\d+[.)])[^\S\n]+#{{1,6}}\s|#{{3,6}}[^\S\n].*{_QUESTION_MARK}"
    r"|#{1,6} .*\([0-9a-f]{8}-[0-9a-f]{4}-|[^\S\n]{0,3}(?:\d+[.)][^\S\n]+)?(?:\*\*|__)[^*_\n].*[?？])",
    re.MULTILINE,
)
_COMMENTS: Mapping[str, str] = {
    "<!--SR:!": "schedule",
    "<!--ID:": "id",
    "<!-- ID:": "id",
    "```decks-occlusion": "occlusion",
}
"""What comments of other programs mean, by how they begin."""
_YANKI = re.compile(r"^noteId[^\S\n]*:", re.MULTILINE)
_MARKED = 'cards "marked"'
_Judged = Iterator[tuple[str, tuple[int, bool, str, str]]]
"""Each possible dialect with the number of cards, whether it is certain, the pattern of the first, and words
for the cards."""


def found_elsewhere(page: Page, found: ReaderResult) -> tuple[Evidence, ...]:
    """Return the other dialects that a source looks like.

    Return nothing if it has notes in its own dialect, or is not read at all. Its own dialect is among them if
    the source has cards, but none of the tags that it needs.
    """
    dialect = page.settings.dialect
    if dialect == NOTHING or found.is_skipped or (dialect != OWN and found.notes):
        return ()
    of_own = (_UNTAGGED, _UNKNOWN_MARKS)
    return tuple(
        each for each in look(page) if each.dialect != dialect or (each.sure and each.what in of_own)
    )


_OWNED: Mapping[str, tuple[str, re.Pattern[str]]] = {
    "obsidian": ("<!--SR:…-->", re.compile(r".*<!--SR:!")),
    "qa": ("<!--ID: …-->", re.compile(r"\s*(?:[-*+]\s+)?(?:<!--\s*)?ID: \d{10,}")),
}
"""The mark that a plugin writes below each of its cards, by the dialect of the plugin."""


def unread_marks(page: Page, starts: Iterable[int]) -> Iterator[Diagnostic]:
    """Yield a warning for the marks of other tools that belong to no card; `starts` are the cards' lines.

    A mark belongs to a card that begins above it and below the mark before. A card of Spaced Repetition ends
    at a blank line, unless an end mark is set.
    """
    dialect = page.settings.dialect
    separators = dict(dict(page.settings.options_of("obsidian")).get("separators", ()))
    ends_at_blank = dialect == "obsidian" and not separators.get("end")
    for name, (mark, pattern) in _OWNED.items():
        word = mark[4:7]
        if word not in page.text.markdown:
            continue
        seen = outside_code(page.document, page.lines)
        comments = comment_lines(page.document)
        begun = sorted(starts) if dialect in _OWNED else []
        lost: list[int] = []
        before, is_below_mark = 0, False
        for at, line in enumerate(page.lines, 1):
            is_code = seen[at - 1] is None and at - 1 not in comments
            # The ids of a card in a block of code show that the plugin reads it.
            is_read = dialect == "qa" if is_code else pattern.match(seen[at - 1] or line)
            if word in line and pattern.match(line) and is_read:
                taken = bisect_right(begun, at) > bisect_right(begun, before)
                lost += [at] * (not taken and not is_below_mark)
                before, is_below_mark = at, True
            else:
                is_below_mark = is_below_mark and not line.strip()
                before = at if ends_at_blank and not (line.strip() or is_code) else before
        if lost:
            yield _unread_mark(page, name, mark, lost)
    if dialect in ("qa", "details") and (lost := [*_lone_marks(page)]):
        yield _unread_mark(page, "obsidian", "?", lost)


def _lone_marks(page: Page) -> Iterator[int]:
    """Yield the lines of `?` between text in a dialect that has no such mark."""
    seen = outside_code(page.document, page.lines) if _ALONE.search(page.text.markdown) else []
    for index, line in enumerate(seen):
        if line and _LINES["lone"][1].match(line) and _stands_between(seen, index):
            yield index + 1


_ALONE = re.compile(r"^[^\S\n]*\?\??[^\S\n]*$", re.MULTILINE)


def _unread_mark(page: Page, reader: str, mark: str, lines: Sequence[int]) -> Diagnostic:
    more = f" ({len(lines) - 1:,} more in this file)" if lines[1:] else ""
    message = f"`{mark}` belongs to no card that is read here{more}"
    fix = "`ptcards check -v` shows the settings that say what a card is"
    if reader != page.settings.dialect:
        fix = f'`dialect = "{reader}"` reads such cards; `ptcards check -v` shows its settings'
    return warning(Location(page.text.path, lines[0]), "unread-cards", message, fix)


_ASKS = re.compile(r"[?？][^\w\n?？[]*(?:\[[^\n?？]*)?\Z")
"""Matches the end of a question, and the links to its sources after it."""
_FEWEST_HEADINGS = 2
_FEWEST_BOLD = 3


def questions_below(page: Page, notes: Iterable[Note]) -> Iterator[Diagnostic]:
    """Yield a warning for each answer that contains several questions, as headings or in bold."""
    for note in notes:
        text = note.answer.markdown
        if not (("#" in text or "**" in text or "__" in text) and ("?" in text or "？" in text)):
            continue
        blocks = list(leaves(scan(text)))
        headings = [each for each in blocks if each.kind is BlockKind.HEADING and _ASKS.search(each.one_line)]
        single = (
            each.one_line for each in blocks if each.kind is BlockKind.PARAGRAPH and len(each.lines) == 1
        )
        bold = [*filter(_LINES["bold"][1].match, single)]
        if len(headings) >= _FEWEST_HEADINGS:
            what = f"{len(headings)} question headings"
            setting = f"`question-level: {headings[0].level}` in the front matter"
        elif len(bold) >= _FEWEST_BOLD and page.settings.dialect != "details":
            what, setting = f"{len(bold)} questions in bold", settings_for(BOLD_QUESTIONS)
        else:
            continue
        fix = f"if they are separate questions, set {setting}"
        yield warning(note.location, "questions-below", f"{what} are part of this answer", fix, 2)


def may_have_cards(text: str, settings: SourceSettings) -> bool:
    """Whether a text has anything that other programs' cards have; `settings` are those of its source.

    This takes a fraction of the time of `look`.
    """
    folded = f"\n{text}".casefold()
    if any(words.search(folded) for words in _ANY_WORDS) or _ANY.search(folded):
        return True
    if "noteId" in text and _YANKI.search(text):
        return True
    return any(
        word.casefold() in folded for dialect in DIALECTS for word in _needed(settings.options_of(dialect))
    )


def _needed(options: Options) -> Iterator[str]:
    """Yield what a text must contain if it has cards that a plugin's settings describe."""
    said = dict(options)
    if said.get("folders") is True:
        marks = dict(said.get("separators", ())).values()
        yield from (mark for mark in ("::", "==", "**", "{{", *marks) if len(mark) > 1)
    else:
        yield from (tag.strip("#") for tag in said.get("tags", ()) if tag.strip("#"))
    yield from ("ID:", "{", "==") if said.get("expressions") else ()


def look(page: Page) -> Iterator[Evidence]:
    """Yield what a source looks like, the most certain guess first."""
    if found := _YANKI.search(page.front):
        line = page.front.count("\n", 0, found.start()) + 1  # the first line is `---`
        yield Evidence(
            "foreign:yanki", sure=True, count=1, place=page.text.location(line), what="notes with `noteId`"
        )
    text = f"{page.front}\n{page.text.markdown}"
    if not may_have_cards(text, page.settings) and "flashcards" not in page.defaults.tags:
        return
    counts, firsts = _count(page)
    judged = dict(_judge(counts, page))
    for dialect, what in _PLUGINS.items():  # the plugin's settings say more than any guess
        if dialect not in judged and page.settings.options_of(dialect):
            judged[dialect] = 0, True, "", what
    guesses = (
        Evidence(dialect, sure, count, page.text.location(firsts.get(first, 0)), what)
        for dialect, (count, sure, first, what) in judged.items()
    )
    tried = [each for guess in guesses if (each := _tried(page, guess))]
    lists = [each for each in tried if each.dialect.startswith("details:")]
    yield from (each for each in tried if each not in lists)
    if lists:  # of the shapes of a list, the one with the most cards
        yield replace(max(lists, key=lambda each: each.count), sure=any(each.sure for each in lists))


_PLUGINS: Mapping[str, str] = {
    "obsidian": "cards of Obsidian Spaced Repetition",
    "qa": "cards of Obsidian_to_Anki",
}
_UNTAGGED = "cards of Obsidian Spaced Repetition without a flashcard tag"
_BOXES = "pictures with boxes of Decks"
_UNKNOWN_MARKS = "cards with a schedule and unknown separators"
_WRITE_MARKS = (
    "copy the plugin's `data.json` into the vault, or write in `deck.toml`: `[obsidian]` with "
    '`separators = { single = ";;", multi = "?" }`, as they are in the plugin'
)
_WAY_OUT = "export their deck from Anki, and run `ptcards import` on it"
_MOST_TAGS = 100


def _tried(page: Page, guess: Evidence) -> Evidence | None:
    """Return a guess with the number of cards that the dialect reads, or `None` if it reads none."""
    name = guess.dialect.partition(":")[0]
    if name not in DIALECTS:
        return guess if guess.count else None
    as_guessed = page._replace(settings=page.settings.with_dialect(guess.dialect))
    result: ReaderResult = import_module(DIALECTS[name].reader).read(as_guessed, Definitions(as_guessed))
    notes = list(result.notes)
    if notes:
        place = guess.place if guess.count else notes[0].note.location
        return replace(guess, count=len(notes), place=place)
    is_whole = all(card.doubtful for card in result.left_out)
    if name == "obsidian" and guess.count and is_whole:
        if not result.has_tag:
            return replace(guess, what=_UNTAGGED, lacks=_tags(page))
        count, line = result.schedules
        place = Location(guess.place.path, line)
        marks = replace(guess, count=count, place=place, what=_UNKNOWN_MARKS, way_out=_WRITE_MARKS)
        return marks if count else None
    is_certain = guess.count and guess.sure and not result.left_out
    return replace(guess, way_out=_WAY_OUT) if is_certain and name in _PLUGINS else None


def _tags(page: Page) -> tuple[str, ...]:
    """Return the different tags of a source, as they are written in it."""
    of_front = (f"#{tag.replace('::', '/')}" for tag in page.defaults.tags)
    text = "\n".join(line or "" for line in outside_code(page.document, page.lines))
    found = dict.fromkeys([*of_front, *TAG.findall(text)])
    return tuple(list(found)[:_MOST_TAGS])


def _count(page: Page) -> tuple[Counter[str], Mapping[str, int]]:
    counts: Counter[str] = Counter()
    firsts: dict[str, int] = {}
    seen = outside_code(page.document, page.lines)
    asked = False
    since_heading = False
    for index, line in enumerate(seen):
        for name in (name for name, (mark, _) in _LINES.items() if mark in line) if line else ():
            found = _LINES[name][1].match(line or "")
            if not found or (name == "lone" and not _stands_between(seen, index)):
                continue
            counts[name] += 1
            firsts.setdefault(name, index)
            if name == "q":
                asked = True
            elif name == "a" and asked:
                counts["pair"] += 1
                asked = False
            elif name == "heading":
                since_heading = True
            elif name == "details" and since_heading:
                counts["below"] += 1
                since_heading = False
            elif name == "summary" and re.search(_QUESTION_MARK, re.sub(r"<[^<>]*>", "", found["text"])):
                counts["asking"] += 1
        if line is None and (name := next(filter(page.lines[index].lstrip().startswith, _COMMENTS), "")):
            counts[_COMMENTS[name]] += 1
            firsts.setdefault(_COMMENTS[name], index)
    return counts, firsts


def _stands_between(seen: list[str | None], index: int) -> bool:
    above = seen[index - 1] if index else ""
    below = seen[index + 1] if index + 1 < len(seen) else ""
    return bool((above or "").strip()) and (below is None or bool(below.strip()))


def _judge(counts: Counter[str], page: Page) -> _Judged:
    """Yield what a source looks like by the number of its marks; what comes later counts more."""
    found = [*_boxes(counts), *_notes(counts, page), *_pairs(counts), *_lists(counts), *_others(counts)]
    yield from found
    if found:
        return
    if counts["heading card"] >= _SOME and page.settings.cards != "marked":
        yield _MARKED, (counts["heading card"], False, "heading card", "headings with `#card`")
        return
    for level in range(3, 7):
        asked = counts[f"h{level}"]
        if asked >= _SOME and asked > 2 * counts["h2"]:
            yield f"question-level {level}", (asked, False, f"h{level}", f"questions below `{'#' * level}`")
            return


def _notes(counts: Counter[str], page: Page) -> _Judged:
    has_tag = counts["tag"] or any(tag.split("::")[0] == "flashcards" for tag in page.defaults.tags)
    cards = counts["lone"] + counts["inline"]
    if counts["schedule"] or (has_tag and cards):
        first = next(name for name in ("lone", "inline", "schedule") if counts[name])
        count = max(cards, counts["schedule"])
        yield "obsidian", (count, True, first, _PLUGINS["obsidian"])
    elif counts["lone"] >= _SOME:
        yield "obsidian", (counts["lone"], False, "lone", "cards with a `?` line")


def _boxes(counts: Counter[str]) -> _Judged:
    """Yield the pictures with boxes, unless more questions of a file are cards of Decks."""
    if 0 < counts["occlusion"] >= counts["note"]:
        yield "obsidian", (counts["occlusion"], True, "occlusion", _BOXES)


def _pairs(counts: Counter[str]) -> _Judged:
    pairs, ids = counts["pair"], counts["id"]
    is_block = bool(counts["start"] and (ids or counts["deck"]))
    is_sure = is_block or ids >= _SOME or pairs >= (_SOME if ids or counts["deck"] else _SURE_PAIRS)
    if not is_sure and pairs < _MIN_PAIRS:
        return
    count = pairs + counts["c"] + (counts["start"] if is_sure else 0)
    if not count:
        yield "qa", (ids, is_sure, "id", "cards with ids of Obsidian_to_Anki")
        return
    first = "q" if counts["q"] else "start" if counts["start"] else "c"
    what = "cards with `Q:` and `A:`" if pairs or not counts["start"] else "cards between `START` and `END`"
    yield "qa", (count, is_sure, first, what)


def _lists(counts: Counter[str]) -> _Judged:
    is_asking = counts["summary"] >= _SOME and counts["asking"] * 2 >= counts["summary"]
    if counts["below"] >= _SOME and not (is_asking and counts["asking"] > counts["below"]):
        yield "details:heading", (counts["below"], True, "details", "questions with `<details>`")
    elif is_asking:
        yield "details:summary", (counts["summary"], True, "summary", "questions in `<summary>`")
    if counts["item"] >= _MANY:
        yield "details:item", (counts["item"], False, "item", "list items that begin with a heading")
    if counts["bold"] >= _MANY:
        yield "details:bold", (counts["bold"], False, "bold", "questions in bold")


def _others(counts: Counter[str]) -> _Judged:
    if counts["dots"] >= _SOME:
        yield "foreign:anki-panky", (counts["dots"], True, "dots", "cards between `. . .` lines")
    if counts["uuid"]:
        yield "foreign:md2anki", (counts["uuid"], True, "uuid", "headings with ids")
    elif counts["percent"] >= max(_SOME, counts["heading"] // 2) or (0 < counts["note"] <= counts["percent"]):
        yield "foreign:mdanki", (counts["percent"], True, "percent", "lines with only `%`")
