"""Cards that are there and are not read."""

from ptcards.lint.registry import Rule


class ForeignFormat(Rule, severity="error"):
    """A file is written for another tool, or is no Markdown at all.

    Why: some formats look like ours and mean something else, so that cards would be made and be wrong: md2anki keeps
    ids in headings, mdanki parts question and answer with `%`. Packages and tables are not read.

    For instance:

        ptcards build biology.apkg

    Fix: name Markdown files or their folder. Build a package with the other tool and import that into Anki.
    """


class NoNotes(Rule, severity="error"):
    """Nothing that was asked for holds a note.

    Why: an empty package would look like success. Nothing is written, and the last outputs stay. The message says
    what was looked for and what the files look like instead.

    For instance:

        Q: What is the capital of France?
        A: Paris

    Fix: do what the message proposes: write `## ` before questions, name the dialect that the notes are written in, or
    name a README.md that holds the questions.

        dialect = "qa"      in deck.toml
    """


class UnreadCards(Rule, severity="warning"):
    """Some files hold cards in another format than the one they are read in.

    Why: they would be missing from the deck without a word.

    For instance:

        physics/waves.md with `Q:` and `A:` in a collection of `##` headings

    Fix: say in `deck.toml` how these files are written, or exclude them.

        [[dialects]]
        files = ["physics/**"]
        dialect = "qa"
    """


class WrongDialect(Rule, severity="warning"):
    """A file is read in a dialect of which it holds no card, and looks like another one.

    Why: the setting is probably meant for other files.

    For instance:

        [[dialects]]
        files = ["lists/**"]
        dialect = "qa"            the lists have `<details>`

    Fix: name the dialect that the message proposes.

        [[dialects]]
        files = ["lists/**"]
        dialect = "details"
        question = "heading"
    """
