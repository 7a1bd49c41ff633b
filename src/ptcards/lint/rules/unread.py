"""Cards that exist but are not read."""

from ptcards.lint.registry import Rule


class ForeignFormat(Rule, severity="error"):
    """A file is written for another tool, or is not Markdown at all.

    Why: some formats look similar but mean something else, so the cards would be wrong: md2anki keeps ids in
    headings, and mdanki separates question and answer with `%`. Packages and tables are not read.

    For instance:

        ptcards build biology.apkg

    Fix: name Markdown files or their folder. For the other format, build a package with the other tool and
    import it into Anki.
    """


class NoNotes(Rule, severity="error"):
    """None of the given files contains a note.

    Why: an empty package would look like success. ptcards writes nothing and leaves the previous outputs
    unchanged. The message says what was looked for and what the files look like instead.

    For instance:

        Q: What is the capital of France?
        A: Paris

    Fix: do what the message suggests: write `## ` before questions, name the dialect of the notes, or name a
    README.md that holds the questions.

        dialect = "qa"      in deck.toml
    """


class UnreadCards(Rule, severity="warning"):
    """Some files contain cards in a different format from the one they are read in.

    Why: they would silently be missing from the deck.

    For instance:

        physics/waves.md with `Q:` and `A:` in a collection of `##` headings

    Fix: set the dialect of these files in `deck.toml`, or exclude them.

        [[dialects]]
        files = ["physics/**"]
        dialect = "qa"
    """


class WrongDialect(Rule, severity="warning"):
    """A file contains no cards in its dialect, and seems to use another one.

    Why: the setting is probably meant for other files.

    For instance:

        [[dialects]]
        files = ["lists/**"]
        dialect = "qa"            the lists have `<details>`

    Fix: name the dialect that the message suggests.

        [[dialects]]
        files = ["lists/**"]
        dialect = "details"
        question = "heading"
    """
