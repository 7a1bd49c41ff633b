import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import FILLER
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_ASKS = re.compile(
    r"[?？؟]|[:…]\W*$|\.\.\.$|_{2,}|"
    rf"^[\W{FILLER}]*(?:(?:please|in|on|for|from|with|without|given|if|when|at|to|suppose|say|using|by"
    rf"|during|under|after|before)\b|"
    r"(?:who|what|which|whose|why|how|where|is|are|was|were|do|does|did|can|could|should|will|would|has"
    r"|have|must|may|"
    r"true or false|add|arrange|calculate|change|choose|classify|compare|complete|compute|contrast|convert"
    r"|correct|create|build|"
    r"debug|decide|define|derive|describe|design|discuss|distinguish|draw|estimate|explain|fill|find|fix"
    r"|give|guess|identify|"
    r"illustrate|implement|list|make|match|mention|name|order|outline|pick|predict|prove|put|rank|recall"
    r"|rewrite|select|show|"
    r"simplify|sketch|solve|sort|spot|state|summari[sz]e|tell|trace|translate|type|use|walk|write)\b)",
    re.IGNORECASE,
)


class NothingAsked(Rule, severity="hint", english=True):
    """The heading asks nothing: it has no question mark, and no verb that says what to do.

    Why: a bare topic makes the learner guess what is wanted, and a year later the guess will be different.
    "Precise" and "tractable", Matuschak, How to write good prompts (https://andymatuschak.org/prompts/).

    For instance:

        ## Gradient accumulation

    Fix: make it a question or an instruction. A cloze needs neither, because its text asks.

        ## Why accumulate gradients over several batches?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading, unless it or the text below it asks."""
        if (
            note.note.kind in (Kind.CLOZE, Kind.CHOICE)
            or not note.heading.raw
            or _ASKS.search(note.heading.plain)
        ):
            return
        if any("?" in passage.plain for passage in note.part("question").passages):
            return
        fix = "write a question with `?`, or an instruction: name, write, compare …"
        yield self.report_passage(note.heading, "this heading asks nothing", fix)
