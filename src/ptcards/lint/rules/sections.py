"""The sections of a note."""

from collections.abc import Iterator

from ptcards.diagnostics.suggest import surely
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.source.sections import SECTIONS


class EmptySection(Rule, severity="error"):
    """A `###` heading is empty.

    Why: ptcards identifies the four sections by name. A heading without a name is most likely a slip.

    For instance:

        ###

    Fix: write `### Answer`, `### Hint`, `### Details` or `### Sources`, or delete the line.
    """


class HeadingAfterSection(Rule, severity="error"):
    """A `###` heading follows `### Hint`, `### Details` or `### Sources`.

    Why: these sections come last, so it is unclear whether the heading ends the section or belongs to it.

    For instance:

        ### Hint

        Think of the graph.

        ### How it works

    Fix: if it belongs to the section, write `####`; otherwise move it above the sections.
    """


class MisspeltSection(Rule, severity="warning"):
    """A `###` heading looks like a misspelt section name, so it is part of the answer.

    Why: only `### Answer`, `### Hint`, `### Details` and `### Sources` are sections; any other heading stays
    in the text, as on GitHub. The names of the sections are English, even if the notes are in another
    language.

    For instance:

        ### Source

    Fix: correct the name, or write `####` if it is meant as text. `--fix` corrects obvious slips.

        ### Sources
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the section name that was clearly intended."""
        for each in draft.found(self.name):
            marks, _, name = draft.marked(each).partition(" ")
            near = surely(name, SECTIONS)
            yield from draft.replace(each, near and f"{marks} {near}")


class SectionTwice(Rule, severity="error"):
    """A note has the same section twice.

    Why: a section fills one field of the note, and ptcards does not know in which order to join the two
    texts.

    For instance:

        ### Details

        One thing.

        ### Details

        Another thing.

    Fix: merge them into one section.
    """
