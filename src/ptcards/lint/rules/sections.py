"""The sections of a note."""

from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.source.sections import SECTIONS
from ptcards.suggest import surely


class EmptySection(Rule, severity="error"):
    """A `###` heading has no words.

    Why: the four sections are known by their names; one without a name is most likely a slip.

    For instance:

        ###

    Fix: write `### Answer`, `### Hint`, `### Details` or `### Sources`, or delete the line.
    """


class HeadingAfterSection(Rule, severity="error"):
    """A `###` heading follows `### Hint`, `### Details` or `### Sources`.

    Why: the sections come last, so it cannot be told whether the heading ends the section or belongs to it.

    For instance:

        ### Hint

        Think of the graph.

        ### How it works

    Fix: write `####` if it belongs to the section, or move it above the sections.
    """


class MisspeltSection(Rule, severity="warning"):
    """A `###` heading is nearly the name of a section, so it is part of the answer.

    Why: only `### Answer`, `### Hint`, `### Details` and `### Sources` are sections; any other heading stays
    in the text, as GitHub shows it. The names are English in every language.

    For instance:

        ### Source

    Fix: correct the name, or write `####` if it is meant as text. `--fix` corrects a slip.

        ### Sources
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the section that was surely meant."""
        for each in draft.found(self.name):
            marks, _, name = draft.marked(each).partition(" ")
            near = surely(name, SECTIONS)
            yield from draft.replace(each, near and f"{marks} {near}")


class SectionTwice(Rule, severity="error"):
    """A note has the same section twice.

    Why: a field holds one text; the author knows better than we in which order the two belong together.

    For instance:

        ### Details

        One thing.

        ### Details

        Another thing.

    Fix: join them into one.
    """
