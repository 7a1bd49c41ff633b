"""The list of what an update changes, and what the learner decides about it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlsplit

from anki.lang import langs
from aqt.qt import QCheckBox, QComboBox, QHBoxLayout, QLabel, QLocale, QVBoxLayout, qconnect
from aqt.utils import tr

from addon.collection import Choices
from addon.introduction import Introduction, introduce, said
from addon.listing import ListedLine, MarkedWords, side_by_side
from addon.texts import counted, isolated, say
from addon.windows import (
    align,
    button,
    button_row,
    day,
    dialog,
    fit,
    go_to_top,
    is_written_to_left,
    label,
    short,
    text_view,
    write,
    write_beside,
)
from ptcards.extensions.publish.subscription.update import DeckUpdate, Difference, WhyAlone

MOST_LISTED = 300
"""Lines of each part of an update."""
_MOST_NAMES = 5
_MOST_RELEASES = 5
_LONGEST_NAME = 80
_LONGEST_TITLE = 200
_LONGEST_DESCRIPTION = 1_000
_RETIRED = ("suspend", "keep", "delete")
_HAPPENS = ("happens_yours", "happens_later", "happens_nobody")
DANGERS = {"program": "danger_program", "network": "danger_network", "unread": "danger_unread"}
_HEADINGS = {
    "conflicts": "conflict_notes",
    "merged": "merged_notes",
    "changes": "changed_notes",
    "new": "new_notes",
    "moves": "moved_notes",
    "back": "back_notes",
    "retired": "retired_notes",
}
"""The headings of the parts of an update that are about notes."""
_DECK_ITSELF = "deck_itself"
_NAMED = {
    "deck": "deck_line",
    "layout": "layout_line",
    "file": "file_line",
    "description": "description_line",
}
"""What is written in front of the title of a line that is about no note."""
MAIN_FIELD = "Answer"
"""The field of our note types that needs no name if nothing else differs in a note."""
BEFORE_WORDS = {
    "words": "",
    "yours": "yours_line",
    "authors": "authors_line",
    "picture": "picture_line",
    "link": "link_line",
    "tags": "tags_line",
    "formatting": "formatting_line",
    "alike": "alike_line",
}
"""What is written in front of the words of a line that is about a part of a note."""


_LEFT_ALONE = {
    WhyAlone.OTHER_DECK: "left_alone",
    WhyAlone.BY_HAND: "by_hand",
    WhyAlone.OTHER_TYPE: "other_type",
}


class Decisions(NamedTuple):
    """What the buttons of the list do."""

    update: Callable[[Choices], object]
    skip: Callable[[], object]
    adopt: Callable[[], object]


class UpdateWindow:
    """The list of an update with its lines."""

    def __init__(self, update: DeckUpdate, listed: Sequence[ListedLine], decisions: Decisions) -> None:
        self._update = update
        self._listed = listed
        self._decisions = decisions
        self.dialog = dialog(self, title(update), self._fill)
        layout = QVBoxLayout(self.dialog)
        self._about = introduce(update.source) if update.is_first else None
        layout.addWidget(label(isolated(update.source.feed.name) if self._about else title(update), bold=1.2))
        if self._about:
            layout.addWidget(label(" · ".join(map(isolated, facts(update, self._about)))))
        self._view = text_view(say("list"), self._fill)
        self._fill()
        layout.addWidget(self._view, 1)
        if self._about:
            layout.addWidget(label(say("happens"), bold=1))
            for line in happens_first(update):
                layout.addWidget(label(f"• {line}"))
        self._add_choices(layout)
        self._add_buttons(layout)
        self._view.setFocus()
        fit(self.dialog)
        self.dialog.show()

    def _fill(self) -> None:
        """Write the list."""
        view = self._view
        view.clear()
        if self._about:
            self._introduce(self._about)
        align(view)
        for version, notes in authors_words(self._update):
            write(view, [MarkedWords("", say("authors_words", version=version))])
            align(view, to_left=self._to_left([notes]))
            write(view, [MarkedWords("", f"{notes}\n")])
            align(view)
        for line in warnings(self._update):
            write(view, [MarkedWords("", line)], "bold")
        for line in summary(self._update):
            write(view, [MarkedWords("", f"• {line}")])
        align(view, to_left=self._to_left([each.title for each in self._listed]))
        shown = [each for each in self._listed if each.kind != "description" or self._is_reworded(each.title)]
        notes_first = sorted(shown, key=lambda each: _heading(each) == _DECK_ITSELF)
        for heading, lines in groupby(notes_first, _heading):
            section = list(lines)
            named = [each.title if each.kind in BEFORE_WORDS else "" for each in section]
            count = len({title or number for number, title in enumerate(named)})
            count = self._update.counts.new if heading == "new_notes" else count
            is_counted = heading != _DECK_ITSELF and (
                heading == "new_notes" or section[-1].kind != "only_first"
            )
            name = say("contents" if self._about and heading == "new_notes" else heading)
            write(view, [MarkedWords("", f"{name} ({counted(count)})" if is_counted else name)], "heading")
            for title, listed in groupby(section, _note):
                if title:
                    write(view, [MarkedWords("", short(title, _LONGEST_TITLE))], "title")
                write_lines(view, list(listed))
        go_to_top(view)

    def _introduce(self, about: Introduction) -> None:
        """Write what the deck is: its author's words, and some of its notes as cards."""
        view = self._view
        align(view, to_left=self._to_left([about.description, *sum(about.examples, ())]))
        for line in short(about.description, _LONGEST_DESCRIPTION).splitlines():
            write(view, [MarkedWords("", line)])
        if about.examples:
            write(view, [MarkedWords("", say("examples"))], "heading")
            write_beside(view, [("", asked, [MarkedWords("", answer)]) for asked, answer in about.examples])

    def _is_reworded(self, deck: str) -> bool:
        """Whether the author changed the description of a deck: each release changes the version in it."""
        new = self._update.descriptions[deck]
        return said(new) != said(new._replace(text=new.before))

    def _to_left(self, texts: Sequence[str]) -> bool:
        return is_written_to_left(self._update.source.feed.language, texts)

    @property
    def version(self) -> str:
        """The version that the list is about."""
        return self._update.source.feed.newest.version

    def when_closed(self, run: Callable[[], object]) -> None:
        """Run something when the list is closed, in whatever way."""
        qconnect(self.dialog.finished, lambda _: run())

    def _add_choices(self, layout: QVBoxLayout) -> None:
        counts = self._update.counts
        row = QHBoxLayout()
        self._move = QCheckBox(say("move"))
        self._move.setChecked(True)
        self._retired = QComboBox()
        self._retired.addItems([say(choice) for choice in _RETIRED])
        if counts.moved:
            row.addWidget(self._move)
        row.addStretch()
        if counts.retired:
            about = QLabel(say("removed"))
            about.setBuddy(self._retired)
            row.addWidget(about)
            row.addWidget(self._retired)
        layout.addLayout(row)
        back = len(self._update.back)
        self._back = QCheckBox(say("study_again", count=back))
        self._back.setChecked(True)
        if back:
            layout.addWidget(self._back)
        if by_hand := self._update.by_hand:
            layout.addWidget(button(say("adopt", count=by_hand), self._adopt))
        self._trust = QCheckBox(say("trust"))
        if self._update.dangers:
            layout.addWidget(self._trust)

    def _add_buttons(self, layout: QVBoxLayout) -> None:
        version = short(self._update.source.feed.newest.version, _LONGEST_NAME).replace("&", "&&")
        skip = [] if self._update.is_first else [button(say("skip", version=version), self._skip)]
        apply = button(say("subscribe" if self._update.is_first else "update"), self._apply, is_main=True)
        if self._update.dangers:
            apply.setEnabled(False)
            qconnect(self._trust.toggled, apply.setEnabled)
        close = tr.actions_cancel() if self._update.is_first else say("later")
        button_row(layout, skip, button(close, self.dialog.close), apply)

    def _skip(self) -> None:
        self.dialog.close()
        self._decisions.skip()

    def _adopt(self) -> None:
        """Let another list follow, which says what the update changes if more notes follow the deck."""
        self.dialog.close()
        self._decisions.adopt()

    def _apply(self) -> None:
        choices = Choices(
            move=self._move.isChecked(),
            retired=_RETIRED[self._retired.currentIndex()],
            bring_back=self._back.isChecked(),
            adopt=bool(self._update.adopted),
            trusts=self._trust.isChecked(),
        )
        self.dialog.close()
        self._decisions.update(choices)


def title(update: DeckUpdate) -> str:
    """Return what the update is about, such as `PyTorch: 1.3 → 1.4`; editions are named if they change."""
    feed, before = update.source.feed, update.subscription
    if update.is_first:
        return say("subscribe_to", name=feed.name, version=feed.newest.version)
    old, new = before.version, feed.newest.version
    if before.edition != feed.edition:
        old, new = f"{before.name} {old}", f"{feed.name} {new}"
    return say("from_to", name=feed.name, old=old, new=new)


def facts(update: DeckUpdate, about: Introduction) -> Iterator[str]:
    """Yield what the deck is in short, with the server that it comes from."""
    feed, package = update.source.feed, update.source.package
    yield say("count_notes", count=len(package.notes))
    if about.topics > 1:
        yield say("count_topics", count=about.topics)
    # Qt calls `en` American English; Anki has two names for `zh` and `pt`, and does not know scripts.
    names = {name.partition(" (")[0] for name, code in langs if code.partition("_")[0] == feed.language}
    if name := names.pop() if len(names) == 1 else QLocale(feed.language).nativeLanguageName():
        yield name
    if about.license:
        yield short(about.license.partition(", http")[0], _LONGEST_NAME)
    released = day(date.fromtimestamp(feed.newest.time))  # noqa: DTZ012 - the learner's own day
    yield f"{say('column_version')} {feed.newest.version} ({released})"
    yield urlsplit(update.source.address).hostname or ""


def authors_words(update: DeckUpdate) -> Iterator[tuple[str, str]]:
    """Yield the versions since the learner's with what the author says about them, newest first."""
    since = (
        1
        if update.is_first
        else sum(each.time > update.subscription.release for each in update.source.feed.releases)
    )
    for each in update.source.feed.releases[: -min(since, _MOST_RELEASES) - 1 : -1]:
        if each.notes:
            yield each.version, each.notes


def happens_first(update: DeckUpdate) -> Iterator[str]:
    """Yield what happens if the learner begins to follow the deck."""
    if new := update.counts.new:
        yield say("happens_new", count=new)
    if update.here:
        yield say("here", count=update.here)
    yield from map(say, _HAPPENS)


def summary(update: DeckUpdate) -> Iterator[str]:
    """Yield sentences about how many notes change, and about what stays as the learner has it."""
    counts = (update.counts._replace(new=0) if update.is_first else update.counts)._asdict()
    if update.adopted:
        yield say("adopted", count=update.adopted)
    yield from (say(name, count=count) for name, count in counts.items() if count)
    if update.is_empty and not update.adopted and not update.is_first:
        yield say("nothing")
    if update.kept_looks:
        yield say("looks_kept", names=_names(update.kept_looks))
    if kept := update.plan.file_conflicts:
        yield say("files_kept", names=_names(kept))
    if update.left_out:
        yield say("left_out", names=_names([": ".join(each) for each in update.left_out]))
    for why, text in _LEFT_ALONE.items():
        if titles := [each.title for each in update.left_alone if each.why == why]:
            yield say(text, count=len(titles), names=_names(titles))


def warnings(update: DeckUpdate) -> Iterator[str]:
    """Yield a sentence about each danger that the update brings."""
    for danger in update.dangers:
        where = [say("in_notes", count=danger.notes)] if danger.notes else []
        where += [say("in_layouts", names=_names(danger.layouts))] if danger.layouts else []
        where += [say("in_files", names=_names(danger.files))] if danger.files else []
        yield say(DANGERS[danger.kind], where=", ".join(where))


def _names(names: Sequence[str]) -> str:
    """Return the first of some names."""
    shown = [short(name, _LONGEST_NAME) for name in names[:_MOST_NAMES]]
    return ", ".join(shown) + (", …" if len(names) > _MOST_NAMES else "")


def _heading(each: ListedLine) -> str:
    """Return the name of the text above a line; lines with the same one are below it together."""
    return "retired_kept_notes" if each.kind == "retired_kept" else _HEADINGS.get(each.part, _DECK_ITSELF)


def _note(each: ListedLine) -> str:
    """Return the title of the note of which a line names a part, or the topic of a new note."""
    return each.title if each.kind in BEFORE_WORDS else each.field


def write_lines(view: object, lines: Sequence[ListedLine]) -> None:
    """Append lines about one note to a text view: the learner's text of a field is beside the author's."""
    if {each.field for each in lines} <= {MAIN_FIELD, ""}:
        lines = [each._replace(field="") for each in lines]
    for number, each in enumerate(lines):
        if each.kind not in ("yours", "authors"):
            _write_line(view, each)
        elif each.kind == "yours":
            if each.field:
                write(view, [MarkedWords("", each.field)], "label")
            both = lines[number : number + 2]
            write_beside(view, [(side.kind, say(str(BEFORE_WORDS[side.kind])), side.words) for side in both])


def _write_line(view: object, each: ListedLine) -> None:
    """Append a line of the list to a text view."""
    title = short(each.title, _LONGEST_TITLE)
    if each.kind in BEFORE_WORDS:
        _write_part(view, each)
    elif each.kind == "only_first":
        write(view, [MarkedWords("", say("only_first", count=each.title))], "sentence")
    elif each.kind in _NAMED:
        write(view, [MarkedWords("", say(_NAMED[each.kind], name=title))], "sentence")
    else:
        write(view, [MarkedWords("", f"{title}: " if each.words else title), *each.words])


def write_difference(view: object, each: Difference, heading: str = "") -> None:
    """Append the learner's text of a field and the author's to a text view, below a heading."""
    if heading:
        write(view, [MarkedWords("", heading)], "title")
    found = side_by_side(each.mine, each.authors)
    write_lines(view, [ListedLine("", kind, each.title, "", (*words,)) for kind, words in found])


def _write_part(view: object, each: ListedLine) -> None:
    """Append what changes in a part of a note, below the name of the part."""
    before = BEFORE_WORDS[each.kind]
    name = " · ".join(filter(None, (each.field, say(before) if before else "")))
    if each.kind == "alike":
        write(view, [MarkedWords("", say(before))], "sentence")
    elif name:
        write(view, [MarkedWords("", name)], "label")
    if each.words:
        write(view, each.words)
