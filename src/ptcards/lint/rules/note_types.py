"""Note types of a collection's own, and the notes that have them."""

from ptcards.lint.registry import Rule


class BrokenNoteType(Rule, severity="error"):
    """A note type in `notetypes/` cannot be read.

    Why: its fields and templates decide which cards Anki makes. A build never guesses them.

    For instance:

        {"name": "Vocabulary", "fields": ["Word", "Word"], "templates": [{"name": "Card 1"}]}

    Fix: give each field a different name and each template a file.

        {"name": "Vocabulary", "fields": ["Word", "Reading"],
         "templates": [{"name": "Card 1", "file": "card-1"}]}
    """


class MissingTemplate(Rule, severity="error"):
    """A file of a note type is missing or cannot be read.

    Why: each template has a front and a back, and Anki shows nothing without them.

    For instance:

        notetypes/vocabulary/notetype.json     with "file": "card-1", but no card-1.back.html

    Fix: write the file next to `notetype.json`, in UTF-8.
    """


class BrokenTemplate(Rule, severity="warning"):
    """The sections of a template do not fit together.

    Why: Anki shows an error instead of the card, and makes no card from such a front.

    For instance:

        {{#Audio}}{{Audio}}

    Fix: close each section that is opened.

        {{#Audio}}{{Audio}}{{/Audio}}
    """


class UnknownField(Rule, severity="warning"):
    """A template names a field that its note type does not have.

    Why: Anki shows an error instead of the card.

    For instance:

        {{Redaing}}

    Fix: correct the name, or add the field if nobody has the deck yet.

        {{Reading}}
    """


class UnknownNoteType(Rule, severity="error"):
    """There is no note type with this name in `notetypes/`.

    Why: the note type decides which fields a note has.

    For instance:

        <!-- card: type=vocabluary -->

    Fix: correct the name, which is the name of the folder.

        <!-- card: type=vocabulary -->
    """


class UnusedNoteType(Rule, severity="warning"):
    """No note has this note type.

    Why: it has no effect. Perhaps `type=` is missing from the notes.

    For instance:

        notetypes/vocabulary/     and no note with type=vocabulary

    Fix: add `type=` to the notes, or delete the folder.
    """


class FrozenNoteType(Rule, severity="error"):
    """The fields, templates, kind or id of a published note type changed.

    Why: Anki only updates the notes of people who already study the deck while these stay the same. After a
    change it skips their notes without a message. The appearance may change at any time.

    For instance:

        "fields": ["Word", "Reading", "Example"]     published as ["Word", "Reading"]

    Fix: restore the list. If you need different fields, copy the folder under another name: notes of that
    type are new to everybody. If nobody has the deck yet, delete the note type's line from `deck.lock`.
    """


class SharedLook(Rule, severity="warning", elsewhere=True):
    """The appearance of a note type that came with an imported deck has changed.

    Why: Anki identifies the note type by its id. If people have other decks with the same note type, such as
    Anki's own `Basic`, the cards in those decks change too.

    For instance:

        notetypes/basic/style.css     edited after the import

    Fix: if nobody else publishes decks with this note type, build: the warning appears only once. Otherwise
    restore the files.
    """


class TextWithoutField(Rule, severity="error"):
    """A note has text for which its note type has no field.

    Why: the text under the heading is the second field. It would not be on any card if the note type has only
    one field, or if the second field is also written as a section.

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


class VerbatimHtml(Rule, severity="error or warning"):
    """A fence of HTML is passed on to Anki unchanged.

    Why: nothing in it is checked. Scripts in it run on some devices and not on others, and never in `ptcards
    serve`. An imported deck has such fences where Markdown cannot express the same. In a note of ptcards' own
    note types, such a fence is an error.

    For instance:

        ```{=html}
        <span style="color: red">Paris</span>
        ```

    Fix: if you can, write it as Markdown.

        **Paris**
    """
