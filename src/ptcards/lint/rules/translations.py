"""Translations: what they lack, and what they say."""

from ptcards.lint.message import Message


class NoOriginal(Message, severity="warning"):
    """A note in a translated file is not the translation of any note.

    Why: nothing can say when its original changes, and readers of the original do not have it. A translation
    has the id of its original, or its key if that has no id.

    For instance, in `tensors.de.md`:

        ## Was ist eine View?
        <!-- card: id=veiw -->

        Ein Tensor mit demselben Speicher.

    Fix: write the id of the original.

        ## Was ist eine View?
        <!-- card: id=view -->

        Ein Tensor mit demselben Speicher.
    """


class NotTranslated(Message, severity="hint"):
    """Notes or files have no translation into a language of `[languages]`.

    Why: learners of that language do not get them. Nothing is translated by itself.

    When:

        `tensors.md` has a note with `id=stride`, and `tensors.de.md` has none

    Fix: write a note with the same id in the translated file, or leave it out on purpose.
    """


class OutdatedTranslation(Message, severity="warning or hint"):
    """The original of a translation changed, or may have changed, after it was translated.

    Why: the translation may say what is no longer right. `translated` is a digest of the original, which
    `ptcards keep --translated` writes; without it, nobody knows which text was translated. Tags, pictures and
    the name of the deck count too.

    When:

        the answer in `tensors.md` was corrected, and the one in `tensors.de.md` was not

    Fix: translate the change, then run `ptcards keep --translated` with the key of the note, or with `--all`.
    """
