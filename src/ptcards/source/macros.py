"""Expands the macros in the formulas of notes."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ptcards.diagnostics import Diagnostic, error
from ptcards.markdown.links import unsafe_address
from ptcards.markdown.macros import Expansion, MacroMistake, expand, uses_macros
from ptcards.markdown.tex_commands import defined_names
from ptcards.markdown.tree import Paragraph
from ptcards.notes import TEXTS, Kind, Macro, Note, Text


class FormulaPlace(NamedTuple):
    """The TeX of a formula, which is between two offsets of a paragraph."""

    paragraph: Paragraph
    start: int
    end: int

    @property
    def tex(self) -> str:
        """The TeX as written."""
        return self.paragraph.text[self.start : self.end]

    @property
    def edges(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Its start and end in the text: the index of the line (from 0) and the column (from 1)."""
        return self.paragraph.place(self.start), self.paragraph.place(self.end)


FormulaFinder = Callable[..., Iterable[FormulaPlace]]
"""Returns the formulas in a text; with `heading`, its first line is a heading."""


def with_macros(
    note: Note, macros: Mapping[str, Macro], find: FormulaFinder, *, most: int
) -> tuple[Note, list[Diagnostic]]:
    """Return a note with the macros in its formulas expanded, and errors about those that cannot be.

    A command that a formula of the note defines itself is not a macro. Expansions may add at most `most`
    characters to a text.
    """
    texts = [getattr(note, name) for name in TEXTS]
    texts += [text for choice in note.choices for text in (choice.text, choice.comment)]
    texts += [text for _, text in note.fields]
    if not any(uses_macros(text.markdown, macros) for text in texts):
        return note, []
    formulas = [place.tex for text in texts for place in find(text)]
    formulas += [place.tex for place in find(note.heading, heading=True)]
    own = defined_names("\n".join(formulas))
    expander = _NoteExpander({name: macro for name, macro in macros.items() if name not in own}, find, most)
    is_cloze = note.kind is Kind.CLOZE
    changed: dict[str, Any] = {
        name: expander.expanded(getattr(note, name), heading=name == "heading", deletions=is_cloze)
        for name in TEXTS
        if not (name == "heading" and note.own_type and note.fields[0][1])
    }
    choices = tuple(
        choice._replace(text=expander.expanded(choice.text), comment=expander.expanded(choice.comment))
        for choice in note.choices
    )
    fields = tuple((name, expander.expanded(text, deletions=is_cloze)) for name, text in note.fields)
    used = tuple(expander.used[name] for name in sorted(expander.used))
    return note._replace(choices=choices, fields=fields, macros=used, **changed), expander.diagnostics


class _NoteExpander:
    """Expands the macros in the texts of one note; `used` are those that it expanded."""

    def __init__(self, macros: Mapping[str, Macro], find: FormulaFinder, most: int) -> None:
        self.macros = macros
        self.find = find
        self.most = most
        self.used: dict[str, Macro] = {}
        self.diagnostics: list[Diagnostic] = []

    def expanded(self, text: Text, *, heading: bool = False, deletions: bool = False) -> Text:
        """Return a text with its expansion, if there is a macro in one of its formulas."""
        parts: list[str] = []
        at = cost = 0
        starts: list[int] = []
        for place in self.find(text, heading=heading):
            if not uses_macros(place.tex, self.macros):
                continue
            expansion = expand(place.tex, self.macros, deletions=deletions)
            cost += expansion.cost
            if problem := self.problem_of(expansion, cost):
                self.report(text, place, problem)
            if cost > self.most:
                break
            starts = starts or [0, *(found.end() for found in re.finditer("\n", text.markdown))]
            start, end = (starts[line] + column - 1 for line, column in place.edges)
            parts += text.markdown[at:start], expansion.tex
            at = end
            self.used |= {macro.name: macro for macro in expansion.used}
        return replace(text, expanded="".join(parts) + text.markdown[at:]) if parts else text

    def problem_of(self, expansion: Expansion, cost: int) -> MacroMistake | None:
        """Return what is wrong with an expansion in a text whose expansions add up to `cost` characters."""
        if expansion.mistake:
            return expansion.mistake
        if not expansion.used:
            return None
        token, macro = expansion.tokens[0], expansion.used[0]
        if cost > self.most:
            message = f"the macros in this field expand to more than {self.most >> 10} KB"
            return MacroMistake(token.start, token.end, message, macro)
        if unsafe := unsafe_address(expansion.tex):
            token = expansion.origin(unsafe[0])
            scheme = unsafe[1].partition(":")[0]
            macro = self.macros.get(token.macro, macro)
            message = f"`\\{macro.name}` makes a link to `{scheme}:`"
            return MacroMistake(token.start, token.end, message, macro)
        return None

    def report(self, text: Text, place: FormulaPlace, mistake: MacroMistake) -> None:
        """Report an error at the use of a macro, with the location of its definition."""
        index, column = place.paragraph.place(place.start + mistake.start)
        fix = f"change the formula, or the macro at {mistake.macro.place}"
        length = max(1, mistake.end - mistake.start)
        where = text.location(index, column)
        self.diagnostics.append(error(where, "broken-macro", mistake.message, fix, length))
