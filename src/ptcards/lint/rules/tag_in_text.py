import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_TAG = re.compile(r"(?:(?<=\s)|\A)#[^\W\d_][\w/-]*\s*\Z")


class TagInText(Rule, severity="hint"):
    """A heading or paragraph ends with something that is a tag in other programs.

    Why: here `#` and a word are text, which the card shows. Tags for Anki are set in the card comment.

    For instance:

        ## What does TCP promise? #net/tcp

    Fix: move it into the card comment.

        ## What does TCP promise?
        <!-- card: tags=net::tcp -->
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report what looks like a tag at the end of a passage."""
        if "#" not in note.prose:
            return
        for passage in note.passages:
            if found := _TAG.search(passage.plain):
                tag = found[0].strip()
                fix = f"write `tags={tag[1:].replace('/', '::')}` in the card comment"
                yield self.report(passage.locate(found.start()), f"`{tag}` is text here", fix, len(tag))
