"""Every rule is explained, every explanation has its rule, and the page in docs/ is what `explain` prints."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.lint.registry import Rule, all_rules, rules_page

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "ptcards"
NOT_RULES = {"utf-8"}

_NAME = re.compile(r"[a-z]+[0-9]?(-[a-z0-9]+)+")


def _names_in(tree: ast.AST) -> Iterator[str]:
    """Yield what may be the name of a rule: a word-with-dashes among several arguments (not git's), or beside a message."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="_ask" | "_answer")):
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


def _advises(rule: Rule) -> bool:
    return any(vars(type(rule)).get(method) for method in ("check", "check_all", "check_text"))


def test_the_rules_that_are_reported_are_those_that_have_a_class() -> None:
    assert _raised(*SOURCE.rglob("*.py")) == set(all_rules())
    assert len(all_rules()) == len(Rule.__subclasses__())


def test_every_file_of_rules_reports_what_its_own_classes_advise_and_nothing_else() -> None:
    declared = {file: set[Rule]() for file in (SOURCE / "lint" / "rules").glob("[!_]*.py")}
    for rule in all_rules().values():
        declared[Path(sys.modules[type(rule).__module__].__file__ or "")].add(rule)
    assert {file.name: _raised(file) for file in declared} == {
        file.name: {rule.name for rule in rules if _advises(rule)} for file, rules in declared.items()
    }
    assert [file.name for file, rules in declared.items() if not rules] == []


def test_every_rule_that_advises_has_its_test_file() -> None:
    tested = {file.stem.removeprefix("test_") for file in (ROOT / "tests" / "rules").glob("test_*.py")}
    assert tested == {rule.name.replace("-", "_") for rule in all_rules().values() if _advises(rule)}


@pytest.mark.parametrize("name", all_rules())
def test_an_explanation_says_what_why_an_example_and_the_fix(name: str) -> None:
    text = all_rules()[name].text
    heads = re.findall(r"^(Why|For instance|Fix):", text, re.MULTILINE)
    assert heads == ["Why", "For instance", "Fix"]
    assert re.search(r"^For instance:\n\n    \S", text, re.MULTILINE)
    assert text.partition("\n\n")[0].endswith(".")
    assert len(all_rules()[name].summary) <= 110


@pytest.mark.parametrize("name", [rule.name for rule in all_rules().values() if rule.limits])
def test_an_explanation_names_each_limit_with_its_default(name: str) -> None:
    rule = all_rules()[name]
    for limit, default in rule.limits.items():
        assert f"`{limit}` ({default})" in " ".join(rule.text.split())


def test_the_page_of_rules_is_made_of_the_explanations(request: pytest.FixtureRequest) -> None:
    page = ROOT / "docs" / "rules.md"
    if request.config.getoption("--update"):
        page.write_text(rules_page(), "utf-8")
    assert page.read_text("utf-8") == rules_page(), "run pytest --update"


def test_explain_prints_the_text_and_the_limits(ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("explain", "many-options")
    rule = all_rules()["many-options"]
    limits = "\n\nLimits, in `deck.toml`:\n\n    [check.limits]\n    many-options = 5\n"
    assert ran == Ran(0, f"many-options (warning)\n\n{rule.text}{limits}", "")


def test_explain_without_a_rule_lists_all(ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("explain")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(all_rules())
    assert ran.status == 0


def test_explain_suggests_the_nearest_rule(ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("explain", "anser-words")
    assert ran.status == 2
    assert ran.err.splitlines()[-1] == "Error: there is no rule `anser-words`; did you mean `answer-words`?"
