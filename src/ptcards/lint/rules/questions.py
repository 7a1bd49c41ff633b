"""The wording of questions, and references to something outside the card."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, Severity
from ptcards.lint.note import FILLER, Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.tree import BlockKind
from ptcards.notes import Kind

_ASKS = re.compile(
    r"[?？؟]|[:…][^\w:…]*$|\.\.\.$|_{2,}|"
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


class NothingAsked(Rule, severity="warning or hint", english=True, once=True, taste=True):
    """The heading asks nothing: it has no question mark, and no verb that says what to do.

    Why: a bare topic makes the learner guess what is wanted, and a year later the guess will be different.
    Good prompts are "precise" and "tractable" (Matuschak, How to write good prompts,
    https://andymatuschak.org/prompts/). It is a warning if the answer has a list, which nobody can guess, and
    otherwise a hint, because a term with its definition still asks for something. Each file has one, with the
    number of its other headings.

    For instance:

        ## Gradient accumulation

    Fix: turn the heading into a question or an instruction. A cloze needs neither, because its text asks, nor
    does a term with `kind=reversed`.

        ## Why accumulate gradients over several batches?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading, unless it or the text below it asks something."""
        if (
            note.note.kind.is_cloze
            or note.note.kind in (Kind.CHOICE, Kind.REVERSED)
            or not note.heading.raw
            or _ASKS.search(note.heading.plain)
        ):
            return
        if any("?" in passage.plain for passage in note.part("question").passages):
            return
        fix = "end it with `?`, or use an instruction such as `name` or `compare`"
        place, length = note.heading.locate(), len(note.heading.raw)
        is_list = any(block.kind is BlockKind.LIST for block in note.part("answer").blocks)
        severity = Severity.WARNING if is_list else Severity.HINT
        yield self.report(place, "this heading asks nothing", fix, length, severity=severity)


class QuestionWords(
    Rule, severity="warning", limits={"question-words": 25, "question-characters": 200}, taste=True
):
    """The question is long.

    Why: learners read a question many times, and come to recognise a long one by its shape instead of
    understanding it. "Optimize wording" is rule 12 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than `question-words` (25)
    words or `question-characters` (200) characters in the heading cause a warning.

    For instance:

        ## If you train a net on a GPU for a day, and then use it on a PC with no GPU, how can you load it?

    Fix: limit the heading to the question itself, and describe the situation between it and `### Answer`.

        ## How do you load a GPU checkpoint on a machine without a GPU?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading if it is long."""
        words, characters = note.heading.words, len(note.heading.raw)
        if words > self.limits["question-words"]:
            size = f"{words} words, more than {self.limits['question-words']}"
        elif characters > self.limits["question-characters"]:
            size = f"{characters} characters, more than {self.limits['question-characters']}"
        else:
            return
        fix = "shorten it, or describe the situation between it and `### Answer`"
        yield self.report(note.heading.locate(), f"the question has {size}", fix, characters)


_SECOND = re.compile(
    rf"\?(?=.*\?)|(?<=[\w){FILLER}]),? (?:and|or) (?:how|why|what|when|where|who|which) "
    r"(?:is|are|was|do|does|did|can|could|should|would|will|has|have|must|you|it|they|we)\b",
    re.IGNORECASE,
)


class SeveralQuestions(Rule, severity="warning", english=True, taste=True):
    """The heading asks more than one question.

    Why: learners grade the card once, so the half that they know is repeated along with the half that they
    do not. See the minimum information principle, rule 4 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge).

    For instance:

        ## What is autograd? How does it record operations?

    Fix: write a note for each, or keep the question that implies the other.

        ## How does autograd record the operations that it differentiates?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where the second question begins."""
        words = note.heading.plain.casefold()
        if words.count("?") < 2 and " and " not in words and " or " not in words:
            return
        found = _SECOND.search(note.heading.plain)
        # "When and where is it used?" is one question.
        if not found or " " not in note.heading.plain[: found.start()]:
            return
        start = found.end() if found[0] == "?" else found.start()
        start += len(note.heading.plain[start:]) - len(note.heading.plain[start:].lstrip(" ,"))
        place, length = note.heading.locate(start), len(note.heading.raw) - start
        fix = "move it to its own note, or ask only one of the two"
        yield self.report(place, "this heading asks a second question", fix, length)


_VAGUE = re.compile(
    r"(?:please )?(?:tell (?:me|us)|talk|say something)(?: more)? about|what (?:do you know|can you (?:say"
    r"|tell(?: \w+)?)) about"
    r"|what about|how about|(?:can you )?(?:explain|describe|discuss|elaborate)\b(?! how| why| what| when"
    r"| which| where| whether)",
    re.IGNORECASE,
)
_POINTED = re.compile(
    r"\b(?:how|why|when|which|whether|differ\w*|relat\w*|step|steps|cause[sd]?|effect)\b", re.IGNORECASE
)


class VagueQuestion(Rule, severity="warning", english=True, taste=True):
    """The question names a topic instead of asking something about it.

    Why: a vague question has no right answer and no right length, so learners can only grade themselves by
    feel. "Optimize wording" is rule 12 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge), and good prompts are "precise"
    (Matuschak, How to write good prompts, https://andymatuschak.org/prompts/).

    For instance:

        ## Explain the optimizer.

    Fix: ask for one thing that can be right or wrong.

        ## Why does an optimizer need the parameters when you create it?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that ask for nothing in particular."""
        found = _VAGUE.match(note.heading.plain)
        if not found or note.note.kind.is_cloze:
            return
        if not _POINTED.search(note.heading.plain, found.end()):
            words = found[0].strip()
            message = f"`{words}` does not say what to answer"
            fix = "ask for one thing: why, how, which, what happens when"
            yield self.report(note.heading.locate(), message, fix, len(words))


_VERB = r"(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|has|have|had|must|may|might)\b"
_FORM = re.compile(rf"{_VERB}(?! you\b)", re.IGNORECASE)
_FORM_TO_YOU = re.compile(_VERB, re.IGNORECASE)
"""Also matches `Can you`, which may be a request."""
_YES_OR_NO = re.compile(r"[*_]*(?:yes|no)\b(?=[^\w\s]|$)", re.IGNORECASE)


class YesNoQuestion(
    Rule, severity="warning or hint", limits={"yes-no-question": 3}, english=True, taste=True
):
    """The question can be answered with yes or no.

    Why: half of all guesses are right, and the learner does not recall the reason, which is what an
    interviewer wants to hear. Prompts should take effort to answer (Matuschak, How to write good prompts,
    https://andymatuschak.org/prompts/). The rule reports a warning if the answer has at most
    `yes-no-question` (3) words and nothing explains it, or if it begins with yes or no and the question shows
    no code to think about, and otherwise a hint.

    For instance:

        ## Does `model.eval()` turn off gradients?

    Fix: ask why, what or how, so that yes or no is only part of the answer. A question such as `A or B?` is
    fine.

        ## What does `model.eval()` change, and what does it leave on?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the verb that begins the question."""
        if note.note.kind not in (Kind.BASIC, Kind.REVERSED, Kind.TYPED):
            return
        heading = note.heading.plain
        answer = note.part("answer")
        is_said = any(_YES_OR_NO.match(passage.plain) for passage in answer.passages[:1])
        found = (_FORM_TO_YOU if is_said else _FORM).match(heading)
        if not found or re.search(r"\bor\b", heading):
            return
        explained = answer.codes or note.part("details").blocks
        bare = answer.words <= self.limits["yes-no-question"] and not explained
        is_said = is_said and not note.part("question").codes
        severity = Severity.WARNING if bare or is_said else Severity.HINT
        fix = "ask why, how or what, so that learners recall the reason too"
        place = note.heading.locate()
        yield self.report(place, "this is a yes-or-no question", fix, len(found[0]), severity=severity)


_THING = (
    r"(?:code|snippets?|programs?|scripts?|functions?|loops?|class|classes|modules?|models?|outputs?"
    r"|tables?|pictures?|images?|"
    r"figures?|diagrams?|examples?|blocks?|lines?|expressions?|calls?|statements?|tracebacks?|tensors?"
    r"|options|"
    r"statements|sentences?|listing|two|three|four)"
)
_POINTING = re.compile(
    rf"\b(?:this|these) {_THING}\b|\bthe (?:following|above)\b|\b(?:shown|given|listed) (?:above|below)\b|"
    # The lookahead keeps the regular expression from trying the long list at every word.
    rf"\b(?=\w+ (?:above|below)\b){_THING} (?:above|below)\b|\b(?:do|does|will|would) this (?:print|return"
    rf"|output|raise|give|show|evaluate)\b",
    re.IGNORECASE,
)


_POINTERS = ("this", "these", "following", "above", "below")
"""All that matches contains one of these."""


class DanglingReference(Rule, severity="warning", english=True):
    """The question refers to code, a picture or text that it does not show.

    Why: cards come one at a time, in any order, and the question side shows only the heading and what is
    above `### Answer`. Everything below is hidden until the learner reveals the answer.

    For instance:

        ## What does this code print?

        ```python
        print(torch.ones(2).sum())
        ```

    Fix: add the line `### Answer` below the code, so that the code belongs to the question.

        ## What does this code print?

        ```python
        print(torch.ones(2).sum())
        ```

        ### Answer

        `tensor(2.)`
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that refer to nothing."""
        if not any(map(note.heading.plain.casefold().__contains__, _POINTERS)):
            return
        found = _POINTING.search(note.heading.plain)
        shown = note.part("question").blocks or note.note.kind.is_cloze or note.heading.codes
        if not found or shown or note.note.choices:
            return
        answer = note.part("answer")
        hidden = any(answer.codes) or any(passage.table for passage in answer.passages)
        fix = (
            "add the line `### Answer` below the code or table, so that the question shows it"
            if hidden
            else "show it between the heading and `### Answer`, or name it"
        )
        place = note.heading.locate(found.start())
        message = f"the question shows nothing that `{found[0]}` could refer to"
        yield self.report(place, message, fix, len(found[0]))


class NoSource(Rule, severity="hint", off=True):
    """A note names no source.

    This rule is off unless `enable` names it, because authors who write from their own knowledge have no
    sources.

    Why: learners want to look up answers that they doubt, and maintainers need the sources to update answers.
    "Provide sources" is rule 18 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge).

    For instance:

        ## What dtype does `torch.tensor([1, 2])` have?

        `torch.int64`: Python integers become 64-bit integers.

    Fix: add a `### Sources` section, or a link anywhere in the note.

        ### Sources

        - <https://docs.pytorch.org/docs/stable/generated/torch.tensor.html>
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading of a note without a source."""
        if not note.part("sources").blocks and not any("://" in part.text.markdown for part in note.parts):
            fix = "add `### Sources` with a link"
            yield self.report_question(note.note, "this note names no source", fix)


_ELSEWHERE = re.compile(
    r"\b(?:previous|preceding|next|following|earlier) (?:questions?|cards?|notes?|answers?|chapters?)\b"
    r"|\b(?:see|in) (?:question|card|note) (?:#|no\. ?)?\d+"
    r"|\bas (?:we |i |already |just |was |is |has |have |been )*(?:mentioned|discussed|described|explained"
    r"|shown|noted|said|seen) "
    r"(?:earlier|before|previously)\b",
    re.IGNORECASE,
)
_OTHERS = ("question", "card", "note", "answer", "chapter", "earlier", "before", "previously")
"""All that matches contains one of these."""


class RefersElsewhere(Rule, severity="warning", english=True, taste=True):
    """The text refers to another note.

    Why: cards come one at a time, in an order that Anki chooses, so there is no previous question.

    For instance:

        As in the previous question, the gradient is `None`.

    Fix: repeat what the card needs, or name what you mean.

        A non-leaf tensor does not keep its gradient: `grad` is `None`.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that refer to something that is not on the card."""
        if not any(map(note.prose.casefold().__contains__, _OTHERS)):
            return
        for passage in note.passages:
            for found in _ELSEWHERE.finditer(passage.plain):
                fix = "repeat it here, or name what you mean"
                message = f"`{' '.join(found[0].split())}` refers to something that is not on this card"
                yield self.report(passage.locate(found.start()), message, fix, len(found[0]))
