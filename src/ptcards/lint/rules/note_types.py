"""The note types that a collection defines, and the notes that use them."""

from ptcards.lint.message import Message


class BrokenNoteType(Message, severity="error"):
    """A note type in `notetypes/` cannot be read.

    Why: the fields and templates decide which cards Anki makes, and a build never guesses them.

    For instance:

        {"name": "Vocabulary", "fields": ["Word", "Word"], "templates": [{"name": "Card 1"}]}

    Fix: give each field a name of its own, and each template a file.

        {"name": "Vocabulary", "fields": ["Word", "Reading"],
         "templates": [{"name": "Card 1", "file": "card-1"}]}
    """


class MissingTemplate(Message, severity="error"):
    """A file that belongs to a note type is missing or cannot be read.

    Why: each template needs a front and a back; Anki shows nothing without them.

    For instance, if it has `"file": "card-1"`, but there is no `card-1.back.html`:

        notetypes/vocabulary/notetype.json

    Fix: add the file next to `notetype.json`, in UTF-8.
    """


class TemplateTooLarge(Message, severity="error"):
    """A template of a note type is larger than 256 KB.

    Why: Anki reads the template for every card, and so does `ptcards serve` for every note. The most
    elaborate templates of shared decks have half of that.

    For instance, with a library of 400 KB in a `<script>`:

        notetypes/vocabulary/card-1.back.html

    Fix: move scripts, fonts and pictures into media files whose names begin with `_`.
    """


class BrokenTemplate(Message, severity="warning"):
    """A section of a template is not closed, was never opened, or is nested too deeply.

    Why: Anki shows an error instead of the card, or makes no card if the mistake is on the front.

    For instance:

        {{#Audio}}{{Audio}}

    Fix: close each section that the template opens.

        {{#Audio}}{{Audio}}{{/Audio}}
    """


class UnknownField(Message, severity="warning"):
    """A template names a field that its note type does not have.

    Why: Anki shows an error instead of the card.

    For instance:

        {{Redaing}}

    Fix: correct the name. If nobody has the deck yet, you can also add the field.

        {{Reading}}
    """


class NoteTypeLost(Message, severity="error"):
    """The folder of a note type that published notes have is missing.

    Why: without the folder, the notes would become questions. Learners would get new notes, and the old
    ones would be retired with their reviews.

    For instance, if the folder was renamed to `note-types/`, or not added to git:

        notetypes/vocabulary/

    Fix: restore the folder under its old name. To retire its notes, delete them and build the collection
    before you delete the folder.
    """


class UnknownNoteType(Message, severity="error or warning"):
    """A note uses a note type that is not in `notetypes/`.

    Why: the note type decides which fields a note has. In the front matter of a collection without
    `notetypes/`, it is only a warning, because `type` may be meant for another program, such as Jekyll or
    Obsidian.

    For instance:

        <!-- card: type=vocabluary -->

    Fix: correct the name, which must be the name of a folder in `notetypes/`.

        <!-- card: type=vocabulary -->
    """


class UnusedNoteType(Message, severity="warning"):
    """No note uses this note type.

    Why: an unused note type has no effect. Perhaps `type=` is missing from the notes.

    For instance, if no note has `type=vocabulary`:

        notetypes/vocabulary/

    Fix: add `type=` to the notes, or delete the folder.

        <!-- card: type=vocabulary -->
    """


class FrozenNoteType(Message, severity="error"):
    """The fields, templates, kind or id of a published note type have changed.

    Why: Anki updates the notes of people who already study the deck only if these stay the same. After a
    change, it skips their notes without a message. You can change the appearance at any time.

    For instance, if `["Word", "Reading"]` was published:

        "fields": ["Word", "Reading", "Example"]

    Fix: restore what was published. If you need different fields, copy the folder under another name; notes
    of that type are new to everybody. If nobody has the deck yet, delete the note type's line from
    `deck.lock`.

        "fields": ["Word", "Reading"]
    """


class SharedLook(Message, severity="warning", elsewhere=True):
    """The appearance of a note type that came with an imported deck has changed.

    Why: Anki identifies a note type by its id. If people have other decks with the same note type, such as
    Anki's own `Basic`, the cards in those decks change too.

    For instance, if it was edited after the import:

        notetypes/basic/style.css

    Fix: if nobody else publishes decks with this note type, build the deck; the warning appears only once.
    Otherwise, restore the files.
    """


class TextWithoutField(Message, severity="error"):
    """A note has text for which its note type has no field.

    Why: the text below the heading fills the second field. It has no place if the note type has only one
    field, or if the second field is also written as a section.

    For instance:

        ## France
        <!-- card: type=geo -->

        Paris

        ### Capital

        Paris

    Fix: keep one of the two.

        ## France
        <!-- card: type=geo -->

        Paris
    """


class VerbatimHtml(Message, severity="error or warning"):
    """A fence of HTML is passed on to Anki unchanged.

    Why: ptcards does not check anything in it. Scripts in it run on some devices and not on others, and never
    in `ptcards serve`. Imported decks contain such fences for what Markdown cannot express. In a note of one
    of ptcards' own note types, such a fence is an error.

    For instance:

        ```{=html}
        <span style="color: red">Paris</span>
        ```

    Fix: if you can, write the content as Markdown.

        **Paris**
    """
