"""What `ptcards import` says of a package as a whole."""

from ptcards.lint.registry import Rule


class NoPackage(Rule, severity="error"):
    """The file to import is not an Anki package.

    Why: an `.apkg` or `.colpkg` file is a zip file with a collection in it. The message says what was found
    instead.

    For instance:

        a collection.anki2 copied out of Anki's folder, or a download page saved as deck.apkg

    Fix: in Anki, choose File › Export, and name the file that it writes.
    """


class DamagedPackage(Rule, severity="error"):
    """A package cannot be read to its end.

    Why: a part of it is missing, or its database holds values of the wrong type. Importing the rest would
    lose notes without a word.

    For instance:

        a download that stopped half-way

    Fix: download it again, or import it into Anki and export it from there.
    """


class UnsafePackage(Rule, severity="error"):
    """A package unpacks to far more than any deck holds.

    Why: a few kilobytes can unpack to more than a disk holds. A member may have 1 GB and 200 times its packed
    size, a package 100,000 members.

    For instance:

        a file of 1 MB in the package that unpacks to 5 GB

    Fix: do not open it. If you made it yourself, import it into Anki and export it from there.
    """


class UnsafeName(Rule, severity="error"):
    """A media file in a package has a name that leads elsewhere.

    Why: a name with a slash, a backslash or a control character would be written outside the folder for
    media. Nothing was unpacked.

    For instance:

        ../../.bashrc

    Fix: do not open the package; if it is yours, rename the file in Anki and export the deck again.
    """


class UnknownSchema(Rule, severity="error"):
    """The database of a package has a version that ptcards does not know.

    Why: what its tables mean may have changed. ptcards reads the schemas 11 and 14 to 18, those of all
    packages that Anki has written since 2012.

    For instance:

        a package of a later Anki, with schema 19

    Fix: update ptcards, or export the deck with *Support older Anki versions* checked.
    """


class SeveralDecks(Rule, severity="error"):
    """A package holds several top decks, and a collection has one.

    Why: the name of the top deck is the name of the collection. Everything in a `.colpkg` would be one deck.

    For instance:

        the export of a whole collection: Geography, Music, Default

    Fix: name the deck to import with `--deck`; import the others into folders of their own.
    """


class UnknownDeck(Rule, severity="error"):
    """The deck to import is not in the package, or holds no notes.

    Why: deck names must match exactly, with every level, joined by `::`.

    For instance:

        ptcards import geo.apkg --deck capitals     where the deck is called Geography::Capitals

    Fix: write the name as Anki shows it, with all its levels.
    """


class ImageOcclusion(Rule, severity="error"):
    """The deck holds notes that hide parts of a picture.

    Why: Anki draws their shapes with a program of its own; Markdown has nothing that says the same.

    For instance:

        a map with ten hidden names, made with Image Occlusion

    Fix: in Anki, move these notes to a deck of their own; import the others with `--deck`.
    """


class NotEmpty(Rule, severity="error"):
    """The folder to import into holds something already.

    Why: an import writes a new collection. Importing twice into the same folder would mix two decks.

    For instance:

        ptcards import geo.apkg geography     where geography/ has a `deck.toml`

    Fix: name a folder that does not exist yet, or an empty one.
    """


class GuidTwice(Rule, severity="error"):
    """Two notes of a package share a GUID.

    Why: a GUID is what learners' reviews hang on. Anki keeps one of such notes and drops the other.

    For instance:

        a deck whose builder made all GUIDs of the same text

    Fix: delete one of the two in Anki and export again, or import with `--fresh`.
    """


class NoIdentity(Rule, severity="warning"):
    """What is imported has no GUIDs of an Anki deck.

    Why: Markdown and tables say nothing of the note type that learners have, and without it no review can be
    kept. The new collection is a new deck.

    For instance:

        ptcards import vault/ --from obsidian

    Fix: nothing, if nobody has the deck yet. If learners do, export it from Anki and import that package.
    """


class UnsureDialect(Rule, severity="error"):
    """It is not certain how the cards of a Markdown file are written.

    Why: read in the wrong way, text becomes cards and cards become text.

    For instance:

        a list of bold questions, which may be headings as well

    Fix: look at the file, and run the line of the help; `--dry-run` shows what would become of it.
    """


class NoColumns(Rule, severity="error"):
    """A table does not say which column asks and which answers.

    Why: nothing but its first row can say so. Anki's own text export says it in lines that begin with `#`.

    For instance:

        country,capital
        France,Paris

    Fix: name two columns `question` and `answer` (or `front` and `back`). `tags` and `deck` are known too;
    any other column becomes Details below its name.
    """


class NoReviews(Rule, severity="warning"):
    """A package says nothing about the notes of these sources.

    Why: `ptcards reviews` reads the review log of a package, which Anki only writes if you ask for it. Notes
    are matched by GUID, so the command has to run where the sources of the deck are.

    For instance:

        ptcards reviews deck.apkg     where `ptcards build` wrote deck.apkg

    Fix: in Anki, choose File › Export with *Include scheduling information*, and run the command in the
    folder of the deck.
    """


class NoMatch(Rule, severity="error"):
    """No note of the package of `--reviews-from` is in the Markdown.

    Why: a note keeps its reviews only under its old GUID and in its old note type. Notes are matched by the
    visible text of the front alone, and nothing is guessed. Notes that ptcards built also need the id of
    their collection.

    For instance:

        ptcards import notes.md --reviews-from geo.apkg     where geo.apkg asks other questions

    Fix: name the package that learners have, and add `--id` if ptcards built it;
    or leave out `--reviews-from`, and learners start again.
    """
