"""The sections of a note."""

from ptcards.lint.registry import Rule


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
    in the text, as GitHub shows it.

    For instance:

        ### Source

    Fix: correct the name, or write `####` if it is meant as text.

        ### Sources
    """


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
