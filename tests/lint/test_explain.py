"""Every rule is explained, every explanation has its rule, and docs/rules/ is what `explain` prints."""

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.diagnostics import counted
from ptcards.lint.check import check_text
from ptcards.lint.message import Message
from ptcards.lint.registry import Rule, all_messages, all_rules

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "ptcards"
TOPICS = (SOURCE / "lint" / "rules", *SOURCE.glob("extensions/*/messages"))
NOT_RULES = {"blank-line", "question-level", "utf-8"}

FIRST_LINES = """\
# All rules

Find the rule that a message names in brackets; `ptcards explain RULE` prints the same text. To silence a warning or a
hint, see [Ignoring a rule](checking.md#ignoring-a-rule-changing-a-limit).

| severity | effect |
|---|---|
| error | stops a build |
| warning | makes `ptcards check --strict` fail |
| hint | never makes a command fail |

`ptcards check --fix` can fix what a rule with a ✓ finds, at least in some cases.
"""
_FILTERED = '<div class="filtered" markdown>\n'
"""The start of the tables above which site.js puts a filter."""
_EXAMPLE = re.compile(r"^ {4}.*(?:\n+ {4}.*)*", re.MULTILINE)
_NAMES = (
    "A review of multiple-choice item-writing guidelines",
    "Haladyna, Downing and Rodriguez 2002",
    "How to write good prompts",
    "Pygments",
    "TOML syntax",
    "Twenty rules",
    "amsmath and mathtools",
    "amsmath, mathtools, mhchem and others",
    "something other than what it seems to do",
)
"""What is before an address in the explanations, and is linked to it on the pages."""
_CITED = re.compile(
    "(" + "|".join(_NAMES).replace(" ", r"\s+") + r")(?:\s+\((https?://[^\s)]+)\)|,\s+(https?://[^\s)]+))"
)

_NAME = re.compile(r"[a-z]+[0-9]?(-[a-z0-9]+)+")


def _names_in(tree: ast.AST) -> Iterator[str]:
    """Yield possible names of rules.

    These are words with dashes among several arguments (except git's), or next to a message.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="_ask" | "_ask_if_able" | "_answer")):
                continue
            case ast.Call(args=[_, _, _, *_] as parts):
                yield from _names_among(parts)
            case ast.Tuple(elts=[_, _, *_] as parts) if any(map(_is_message, parts)):
                yield from _names_among(parts)


def _names_among(parts: list[ast.expr]) -> Iterator[str]:
    for part in parts:
        match part:
            case ast.Constant(value=str(text)) if _NAME.fullmatch(text):
                yield text


def _is_message(part: ast.expr) -> bool:
    return isinstance(part, ast.JoinedStr) or (
        isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value
    )


def _raised(*files: Path) -> set[str]:
    return {name for file in files for name in _names_in(ast.parse(file.read_text("utf-8")))} - NOT_RULES


ERROR_AND_ADVICE = ["setting-as-text", "smart-quotes-in-code"]
"""The parser or a reader reports it where it looks anyway; its class advises on everything else."""


def _advises(rule: Rule) -> bool:
    return any(
        vars(type(rule)).get(method) for method in ("check", "check_all", "check_macros", "check_text")
    )


def test_every_rule_is_reported_where_it_is_found_or_advised_by_its_class() -> None:
    elsewhere = _raised(*(file for file in SOURCE.rglob("*.py") if file.parent not in TOPICS))
    advised = {rule.name for rule in all_rules().values() if _advises(rule)}
    assert {
        "reported, without a class": elsewhere - set(all_messages()),
        "with a class, never reported": set(all_messages()) - elsewhere - advised,
        "advised by its class and reported elsewhere": elsewhere & advised,
    } == {
        "reported, without a class": set(),
        "with a class, never reported": set(),
        "advised by its class and reported elsewhere": set(ERROR_AND_ADVICE),
    }
    assert _raised(*(file for folder in TOPICS for file in folder.glob("*.py"))) == set()


def test_no_name_is_that_of_two_rules_and_no_file_of_rules_is_without_one() -> None:
    assert len(all_messages()) == len(Message.__subclasses__()) - 1 + len(Rule.__subclasses__())
    modules = [type(message).__module__.rpartition(".")[2] for message in all_messages().values()]
    assert sorted({*modules}) == sorted(file.stem for folder in TOPICS for file in folder.glob("[!_]*.py"))


def test_every_rule_looks_for_something_or_fixes_it() -> None:
    idle = [rule.name for rule in all_rules().values() if not (_advises(rule) or rule.has_fix)]
    assert idle == []


def test_a_rule_with_a_fix_is_never_off_or_limited() -> None:
    with pytest.raises(TypeError, match="`check --fix` applies fixes everywhere"):
        type("Fixing", (Rule,), {"fix": lambda *_: ()}, severity="hint", off=True)


def test_every_rule_that_advises_has_its_test_file() -> None:
    tested = {
        file.stem.removeprefix("test_") for file in (ROOT / "tests" / "lint" / "rules").glob("test_*.py")
    }
    advising = {rule.name.replace("-", "_") for rule in all_rules().values() if _advises(rule)}
    assert advising - tested == set()


def test_advice_is_never_an_error_because_every_error_stops_a_build_which_gives_no_advice() -> None:
    assert [rule.name for rule in all_rules().values() if _advises(rule) and "error" in rule.severities] == [
        "smart-quotes-in-code"
    ]


@pytest.mark.parametrize("name", all_messages())
def test_an_explanation_says_what_why_an_example_and_the_fix(name: str) -> None:
    text = all_messages()[name].text
    heads = re.findall(r"^(Why|For instance|When|Fix)(?::|, .*:$)", text, re.MULTILINE)
    assert heads in (["Why", "For instance", "Fix"], ["Why", "When", "Fix"])
    assert re.search(r"^(For instance|When)(, .*)?:\n\n    \S", text, re.MULTILINE)
    assert text.partition("\n\n")[0].endswith(".")
    assert len(all_messages()[name].summary) <= 110


@pytest.mark.parametrize("name", [rule.name for rule in all_rules().values() if rule.limits])
def test_an_explanation_names_each_limit_with_its_default(name: str) -> None:
    rule = all_rules()[name]
    for limit, default in rule.limits.items():
        assert f"`{limit}` ({default})" in " ".join(rule.text.split())


TOP = "## What is it?\n"
CONTEXTS = (
    "{}\n",
    f"# A\n\n{TOP}\n{{}}\n",
    f"{TOP}\nThis one.\n\n{{}}\n",
    f"{TOP}{{}}\n\nIt is.\n",
    "{}\n\nIt is this one.\n",
    f"---\n{{}}\n---\n\n{TOP}\nIt is.\n",
    f"{TOP}\nThis:\n\n```python\n{{}}\n```\n",
    f"{TOP}<!-- card: kind=occlusion -->\n\n{{}}\n",
)
"""Where an example of a source may be: it is all of it, or below a heading, or a comment, and so on."""
ELSEWHERE = ("files", "identity", "note_types", "settings", "translations")
"""Topics whose examples are often not a part of one source."""
WITH_MORE = frozenset(
    """
    answer-words broken-macro deck-name-clash deck-too-deep duplicate-id hint-in-code
    image-without-alt invisible-character-in-code list-items media-name-clash missing-media
    near-duplicate no-run-without-reason no-such-deck no-such-note picture-size question-in-two-decks same-answer
    ambiguous-media code-lines code-too-slow media-kilobytes
    tab-in-code typed-answer-not-plain unknown-math-environment unknown-note-type
    """.split()
)
"""Rules whose examples leave something out, or need other files or a run of the code."""


@pytest.mark.parametrize(
    "name", [rule.name for rule in all_messages().values() if rule.right and rule.name not in WITH_MORE]
)
def test_an_example_has_its_problem_and_what_replaces_it_has_not(name: str, tmp_path: Path) -> None:
    rule = all_messages()[name]

    def is_reported(context: str, example: str) -> bool:
        content = context.replace("{}", example).encode()
        found = check_text(tmp_path / "a.md", content, enable=[name]).diagnostics
        return name in {each.rule for each in found}

    context = next((each for each in CONTEXTS if is_reported(each, rule.wrong)), None)
    assert context or ".messages." in _module(rule) or _module(rule).rpartition(".")[2] in ELSEWHERE
    assert not (context and is_reported(context, rule.right))


WITH_GUIDE = ("Rules about answers", "Rules about kinds", "Rules about questions")
"""The topics about how to write cards."""


def rules_pages() -> dict[str, str]:
    """Return the pages about rules by their paths in docs/: one for each file of rules, and an overview."""
    by_file = sorted(all_messages().values(), key=_topic)
    topics = {name: list(rules) for name, rules in groupby(by_file, _module)}
    pages = {
        "rules.md": "\n".join(
            [
                FIRST_LINES,
                _FILTERED,
                *(_entry(name, topics[name]) for name in topics),
                "</div>\n",
                _limits(by_file),
            ]
        )
    }
    return pages | {_path_of(name): _topic_page(name, rules) for name, rules in topics.items()}


def _module(rule: Message) -> str:
    return type(rule).__module__


def _topic(rule: Message) -> str:
    return rule.topic


def _heading(module: str, first: str = "Rules about") -> str:
    """Return the heading of a topic. A shorter one would come before the guides in the site's search."""
    return f"{first} {module.rpartition('.')[2].replace('_', ' ')}"


def _path_of(module: str) -> str:
    return f"rules/{module.rpartition('.')[2].replace('_', '-')}.md"


def _entry(module: str, rules: Sequence[Message]) -> str:
    """Return what the first page says about a topic, under a heading that is not that of the topic's page."""
    path = _path_of(module)
    rows = "\n".join(
        f"| [`{rule.name}`]({path}#rule-{rule.name}) | {rule.severity}{' ✓' * rule.has_fix} | {rule.summary} |"
        for rule in rules
    )
    about = f"{sys.modules[module].__doc__} [{counted(len(rules), 'rule')}]({path}):"
    return (
        f"## {_heading(module, 'About')}\n\n{about}\n\n| rule | severity | problem |\n|---|---|---|\n{rows}\n"
    )


def _limits(rules: Sequence[Message]) -> str:
    rows = "\n".join(
        f"| `{limit}` | {default} | [`{rule.name}`]({_path_of(_module(rule))}#rule-{rule.name}) |"
        for rule in rules
        for limit, default in rule.limits.items()
    )
    return f"## Limits\n\n`[check.limits]` in `deck.toml` changes them.\n\n| limit | default | rule |\n|---|---|---|\n{rows}\n"


def _topic_page(module: str, rules: Sequence[Message]) -> str:
    """Return the page of a topic.

    In the site's search, an earlier word of a heading counts more: after `Rule`, `tag-elsewhere` comes after
    the guide about tags.
    """
    table = ["| rule | severity | problem |", "| --- | --- | --- |"]
    table += [f"| [`{rule.name}`](#rule-{rule.name}) | {rule.severity} | {rule.summary} |" for rule in rules]
    sections = [
        f"## Rule `{rule.name}`\n\n*{rule.severity.capitalize()}.* {_fenced(rule.explanation)}"
        for rule in rules
    ]
    guide = " [Writing good cards](../writing.md) shows how." if _heading(module) in WITH_GUIDE else ""
    links = f"{guide} [All rules](../rules.md) has the other topics."
    first = f"# {_heading(module)}\n\n{sys.modules[module].__doc__}{links}\n"
    return "\n".join([first, *table, "", *sections])


def _fenced(explanation: str) -> str:
    """Return an explanation as it is on a page.

    Its examples are labelled and in fences, so that site generators find no links in them, and site.css
    gives each kind an edge of its colour.
    """

    def fence(example: re.Match[str]) -> str:
        heads = re.findall(
            r"^(For instance|When|Fix|Limits)\b(?:(, .*):$)?", explanation[: example.start()], re.MULTILINE
        )
        head, where = heads[-1]
        label = {"For instance": "Bad", "When": "When", "Fix": "Good"}.get(head)
        marks = "````" if "```" in example[0] else "```"
        kind = f"{{.text .{label.lower()}}}" if label in ("Bad", "Good") else "text"
        shown = f"**{label}**{where}:" if where and label == "Bad" else f"**{label}:**"
        before = f"{shown}\n\n{marks}{kind}" if label else f"{marks}text"
        return f"{before}\n{re.sub('^ {4}', '', example[0], flags=re.MULTILINE)}\n{marks}"

    text = _EXAMPLE.sub(fence, explanation)
    text = re.sub(r"^(?:For instance(?:, .*)?|When):\n\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(Why|Fix):", r"**\1:**", text, flags=re.MULTILINE)
    return _CITED.sub(lambda cited: f"[{cited[1]}]({cited[2] or cited[3]})", text)


def test_an_address_in_the_prose_of_a_page_of_rules_has_a_name() -> None:
    page = re.compile(r"^(`{3,4}).*?^\1$|\]\(\S+\)|`[^`]+`", re.MULTILINE | re.DOTALL)
    bare = {path: re.findall(r"https?://\S+", page.sub("", text)) for path, text in rules_pages().items()}
    assert {path: found for path, found in bare.items() if found} == {}


@pytest.mark.extensions
def test_the_pages_of_rules_are_made_of_the_explanations(request: pytest.FixtureRequest) -> None:
    docs = ROOT / "docs"
    pages = rules_pages()
    if request.config.getoption("--update"):
        (docs / "rules").mkdir(exist_ok=True)
        for path, text in pages.items():
            (docs / path).write_text(text, "utf-8")
    found = {file.relative_to(docs).as_posix() for file in (docs / "rules").iterdir()}
    assert found | {"rules.md"} == set(pages)
    assert {path: (docs / path).read_text("utf-8") for path in pages} == pages, "run pytest --update"


def test_explain_prints_the_text_and_the_limits(ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("explain", "many-options")
    rule = all_rules()["many-options"]
    limits = "\n\nLimits, in `deck.toml`:\n\n    [check.limits]\n    many-options = 5\n"
    assert ran == Ran(0, f"many-options (warning)\n\n{rule.text}{limits}", "")


def test_explain_shows_labels_in_bold_and_the_mistake_and_its_cure_in_their_colours(
    ptcards: Callable[..., Ran],
) -> None:
    ran = ptcards("explain", "vague-question", "--color", "always")
    painted = [line.replace("\x1b", "") for line in ran.out.splitlines() if "\x1b" in line]
    assert painted == [
        "[1mvague-question[0m ([1;33mwarning[0m)",
        "[1mWhy:[0m a vague question has no right answer and no right length, so learners can only grade themselves by",
        "[1mFor instance:[0m",
        "[31m    ## Explain the optimizer.[0m",
        "[1mFix:[0m ask for one thing that can be right or wrong.",
        "[32m    ## Why does an optimizer need the parameters when you create it?[0m",
    ]
    plain = re.sub(r"\x1b\[[0-9;]*m", "", ran.out)
    assert plain == ptcards("explain", "vague-question").out


@pytest.mark.extensions
def test_explain_says_before_an_example_when_it_is_wrong(ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("explain", "no-previous-release", "--color", "always")
    painted = [line.replace("\x1b", "") for line in ran.out.splitlines() if "\x1b" in line]
    assert painted[2:4] == [
        "[1mFor instance,[0m in a new clone, without `url` in `deck.toml`:",
        "[31m    $ ptcards release 1.4[0m",
    ]


def test_the_examples_of_rules_have_no_explanations_beside_their_code() -> None:
    beside = re.compile(r"^ {4}(?!.*\|).*[^\s:] {3,}(?![-#])\S.*", re.MULTILINE)
    found = {name: beside.findall(rule.text) for name, rule in all_messages().items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_explain_without_a_rule_lists_all(ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("explain")
    rows = [line.split()[0] for line in ran.out.splitlines() if line.startswith("  ")]
    assert sorted(rows) == list(all_messages())
    assert ran.status == 0


def test_explain_suggests_the_nearest_rule(ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("explain", "anser-words")
    assert ran == Ran(2, "", "error: there is no rule `anser-words`\nhelp: did you mean `answer-words`?\n")
