"""The same question stands in two decks.

Why: a learner of both answers it twice, and an update of one leaves the other behind. It can be meant, where the two decks
are studied by different people; inside one deck it is an error (`duplicate-question`).

For instance:

    autograd.md:   ## Why does evaluation run under `torch.no_grad()`?
    inference.md:  ## Why does evaluation run under `torch.no_grad()`?

Fix: keep one of them, with a tag for the other topic; or let each ask for what matters in its deck.
"""

from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic, hint
from ptcards.reading import Limits, Reading


def check_all(notes: Sequence[Reading], _limits: Limits) -> Iterator[Diagnostic]:
    """Point at each later copy, naming the first."""
    first: dict[tuple[str, ...], Reading] = {}
    for note in notes:
        # What a choice or a cloze asks stands in its options or its text as well.
        asked = (
            note.heading.raw,
            *(part.text.markdown for part in note.parts if part.name in ("question", "option")),
        )
        original = first.setdefault(tuple(" ".join(text.split()) for text in asked), note)
        if original.note.deck != note.note.deck:
            message = f"this question is asked in `{original.note.deck}` too, at {original.note.location}"
            fix = "keep one of them and give it a tag for the other deck, or reword one"
            yield hint(note.heading.locate(), "question-in-two-decks", message, fix, len(note.heading.raw))
