"""Imports: packages, tables and files that `ptcards import` cannot read, or not completely."""

from ptcards.lint.message import Message


class DamagedPackage(Message, severity="error"):
    """A package cannot be read completely.

    Why: part of the package is missing, or its database contains values of the wrong type. Importing the rest
    would silently lose notes.

    When:

        a download that stopped halfway

    Fix: download the package again, or import it into Anki and export the deck from there.
    """


class HtmlAsText(Message, severity="warning"):
    """The fields of an imported table look like HTML, but are read as text.

    Why: `import` keeps what a plain table contains, so that `a < b` stays as it is; learners see the tags on
    the card. Anki's own export says in a line whether its fields are HTML.

    For instance:

        question,answer
        What is a leaf?,A tensor of the <b>user</b>

    Fix: add Anki's line for it, and import again. If the tags are meant as text, `#html:false` says so.

        #html:true
        question,answer
        What is a leaf?,A tensor of the <b>user</b>
    """


class NoColumns(Message, severity="error"):
    """It is unclear which column of a table is the question and which is the answer.

    Why: only the column names in the first row tell them apart. Anki's own text export names the columns in
    lines that begin with `#`.

    For instance:

        country,capital
        France,Paris

    Fix: name two columns `question` and `answer` (or `front` and `back`). Columns named `tags` and `deck` are
    also recognised. Any other column goes into the details, under its name.

        question,answer
        France,Paris
    """


class NoIdentity(Message, severity="warning"):
    """The imported file has no GUIDs from an Anki deck.

    Why: Markdown and Anki's text export do not name the note type that learners have, and learners cannot
    keep their reviews without it. The collection becomes a new deck.

    For instance:

        ptcards import vault/ --from obsidian

    Fix: if nobody has the deck yet, do nothing. Otherwise, export the deck from Anki and import that package.
    """


class NoPackage(Message, severity="error"):
    """The file to import is not an Anki package.

    Why: an `.apkg` or `.colpkg` file is a zip file that contains a collection; this file is
    something else.

    When:

        a collection.anki2 copied out of Anki's folder, or a download page saved as deck.apkg

    Fix: in Anki, choose *File › Export*, and import the file that Anki writes.
    """


class NotEmpty(Message, severity="error"):
    """The folder to import into is not empty.

    Why: an import writes a new collection. Importing twice into the same folder would mix two decks.

    For instance, if `geography/` has a `deck.toml`:

        ptcards import geo.apkg geography

    Fix: name an empty folder, or one that does not exist yet.

        ptcards import geo.apkg new-geography
    """


class SeveralDecks(Message, severity="error"):
    """A package contains several top-level decks, but a collection has only one.

    Why: the name of the top-level deck becomes the name of the collection.

    When:

        the export of an entire Anki collection: Geography, Music, Default

    Fix: choose the deck to import with `--deck`, and import the others into separate folders. To import
    several decks into one collection, or all of them, give it a name with `--name`: it becomes the deck above
    them.

        ptcards import collection.apkg --deck Geography
    """


class UnknownDeck(Message, severity="error"):
    """The deck to import is not in the package, or contains no notes.

    Why: deck names must match exactly, with every level, joined by `::`.

    For instance, if the deck is called `Geography::Capitals`:

        ptcards import geo.apkg --deck capitals

    Fix: write the name with all its levels, as Anki shows it.

        ptcards import geo.apkg --deck Geography::Capitals
    """


class UnknownSchema(Message, severity="error"):
    """The database of a package has a version that ptcards does not support.

    Why: the meaning of its tables may have changed. ptcards reads schemas 11 and 14 to 18, which cover all
    packages that Anki has written since 2012.

    When:

        a package of a later Anki, with schema 19

    Fix: update ptcards, or export the deck again with *Support older Anki versions* selected.
    """


class UnsafeName(Message, severity="error"):
    """A media file in a package has a name that leads out of the media folder.

    Why: a file whose name contains a slash, a backslash or a control character could be written outside the
    folder. Nothing was unpacked.

    For instance:

        ../../.bashrc

    Fix: do not open the package. If it is your own, rename the file in Anki and export the deck again.
    """


class UnsafePackage(Message, severity="error"):
    """A package unpacks to far more than any deck contains.

    Why: a few kilobytes can unpack to more than fits on a disk or in memory. An unpacked file may be at most
    1 GB and at most 200 times its packed size, and a package may contain at most 100,000 files. Its list of
    media may have 16 MB, its note types and decks 64 MB, or a million values, and a note 16 MB.

    When:

        a file of 1 MB in the package that unpacks to 5 GB

    Fix: do not open the package. If you made it yourself, import it into Anki and export the deck from there.
    """


class UnsureDialect(Message, severity="error"):
    """It is unclear how the cards in a Markdown file are written.

    Why: in the wrong dialect, text would become cards and cards would become text.

    When:

        a list of bold questions, which may be headings as well

    Fix: look at the file, and run the command that the message suggests. `--dry-run` shows what would be
    imported.
    """


class WordsAsTags(Message, severity="warning"):
    """A cell in the column of tags is a label of several words, and each word becomes a tag.

    Why: a space ends a tag, in ptcards as in Anki.

    For instance:

        question,answer,tags
        What is a leaf?,A tensor of the user,"Deep Learning, 2nd Edition"

    Fix: write `-` instead of the spaces within a tag, and import again.

        question,answer,tags
        What is a leaf?,A tensor of the user,Deep-Learning-2nd-Edition
    """
