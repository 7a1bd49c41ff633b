"""Packages and other files to import."""

from ptcards.lint.registry import Rule


class NoPackage(Rule, severity="error"):
    """The file to import is not an Anki package.

    Why: an `.apkg` or `.colpkg` file is a zip file that contains a collection. The message names what was
    found instead.

    For instance:

        a collection.anki2 copied out of Anki's folder, or a download page saved as deck.apkg

    Fix: in Anki, choose *File › Export*, and import the file that Anki writes.
    """


class DamagedPackage(Rule, severity="error"):
    """A package cannot be read completely.

    Why: part of the package is missing, or its database contains values of the wrong type. Importing the rest
    would silently lose notes.

    For instance:

        a download that stopped halfway

    Fix: download the package again, or import it into Anki and export the deck from there.
    """


class UnsafePackage(Rule, severity="error"):
    """A package unpacks to far more than any deck contains.

    Why: a few kilobytes can unpack to more than fits on a disk or in memory. An unpacked file may be at most
    1 GB and at most 200 times its packed size, and a package may contain at most 100,000 files. Its list of
    media may have 16 MB, its note types and decks 64 MB, or a million values, and a note 16 MB.

    For instance:

        a file of 1 MB in the package that unpacks to 5 GB

    Fix: do not open the package. If you made it yourself, import it into Anki and export the deck from there.
    """


class UnsafeName(Rule, severity="error"):
    """A media file in a package has a name that leads out of the media folder.

    Why: a file whose name contains a slash, a backslash or a control character could be written outside the
    folder. Nothing was unpacked.

    For instance:

        ../../.bashrc

    Fix: do not open the package. If it is your own, rename the file in Anki and export the deck again.
    """


class UnknownSchema(Rule, severity="error"):
    """The database of a package has a version that ptcards does not support.

    Why: the meaning of its tables may have changed. ptcards reads schemas 11 and 14 to 18, which cover all
    packages that Anki has written since 2012.

    For instance:

        a package of a later Anki, with schema 19

    Fix: update ptcards, or export the deck again with *Support older Anki versions* selected.
    """


class SeveralDecks(Rule, severity="error"):
    """A package contains several top-level decks, but a collection has only one.

    Why: the name of the top-level deck becomes the name of the collection.

    For instance:

        the export of an entire Anki collection: Geography, Music, Default

    Fix: choose the deck to import with `--deck`, and import the others into separate folders.
    """


class UnknownDeck(Rule, severity="error"):
    """The deck to import is not in the package, or contains no notes.

    Why: deck names must match exactly, with every level, joined by `::`.

    For instance:

        ptcards import geo.apkg --deck capitals     where the deck is called Geography::Capitals

    Fix: write the name with all its levels, as Anki shows it.
    """


class ImageOcclusion(Rule, severity="error"):
    """The deck contains notes that hide parts of a picture.

    Why: Anki draws the shapes over the picture with its own code, and Markdown cannot express them.

    For instance:

        a map with ten hidden names, made with Image Occlusion

    Fix: in Anki, move these notes to a separate deck, and import the other notes with `--deck`.
    """


class NotEmpty(Rule, severity="error"):
    """The folder to import into is not empty.

    Why: an import writes a new collection. Importing twice into the same folder would mix two decks.

    For instance:

        ptcards import geo.apkg geography     where geography/ has a `deck.toml`

    Fix: name an empty folder, or one that does not exist yet.
    """


class GuidTwice(Rule, severity="error"):
    """Two notes in a package share a GUID.

    Why: the GUID connects a note with learners' reviews. Of two notes with the same GUID, Anki keeps only
    one.

    For instance:

        a deck from a program that derived all GUIDs from the same text

    Fix: delete one of the two in Anki and export again, or import with `--fresh`.
    """


class NoIdentity(Rule, severity="warning"):
    """The imported file has no GUIDs from an Anki deck.

    Why: Markdown and tables do not name the note type that learners have, and learners cannot keep their
    reviews without it. The collection becomes a new deck.

    For instance:

        ptcards import vault/ --from obsidian

    Fix: if nobody has the deck yet, do nothing. Otherwise, export the deck from Anki and import that package.
    """


class UnsureDialect(Rule, severity="error"):
    """It is unclear how the cards in a Markdown file are written.

    Why: in the wrong dialect, text would become cards and cards would become text.

    For instance:

        a list of bold questions, which may be headings as well

    Fix: look at the file, and run the command that the message suggests. `--dry-run` shows what would be
    imported.
    """


class NoColumns(Rule, severity="error"):
    """It is unclear which column of a table is the question and which is the answer.

    Why: only the column names in the first row tell them apart. Anki's own text export names the columns in
    lines that begin with `#`.

    For instance:

        country,capital
        France,Paris

    Fix: name two columns `question` and `answer` (or `front` and `back`). Columns named `tags` and `deck` are
    also recognised. Any other column goes into the details, under its name.
    """


class NoReviews(Rule, severity="warning"):
    """A package contains no reviews of the notes in these sources.

    Why: `ptcards reviews` reads the review log of a package, which Anki only writes if you ask for it. Notes
    are matched by GUID, so the sources must be those of the deck in the package.

    For instance:

        ptcards reviews deck.apkg     but deck.apkg was written by `ptcards build`

    Fix: in Anki, choose *File › Export* with *Include scheduling information*, and run the command in the
    folder of the deck.
    """


class NoMatch(Rule, severity="error"):
    """The Markdown contains no note from the package that `--reviews-from` names.

    Why: a note keeps its reviews only under its old GUID and in its old note type. Notes match only if the
    visible text on their fronts is the same; nothing is guessed. If ptcards built the package, the id of its
    collection is needed too.

    For instance:

        ptcards import notes.md --reviews-from geo.apkg     where geo.apkg has other questions

    Fix: name the package that learners have, and add `--id` if ptcards built it. If you leave out
    `--reviews-from`, learners start again.
    """
