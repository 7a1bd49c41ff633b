"""Every rule is explained, every explanation has its rule, and the page in docs/ is what `explain` prints."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.lint.explain import all_rules, rules_page
from ptcards.lint.registry import checks

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "ptcards"
NOT_RULES = {"utf-8"}

_NAME = re.compile(r"[a-z]+[0-9]?(-[a-z0-9]+)+")


def _names_in(tree: ast.AST) -> Iterator[str]:
    """Give what may be the name of a rule: a word-with-dashes among several arguments (not git's), or beside a message.

    Of an f-string the parts that are not known are `*`.
    """
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
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), _]) if text.endswith("-"):
                yield f"{text}*"


def _is_message(part: ast.expr) -> bool:
    return isinstance(part, ast.JoinedStr) or (
        isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value
    )


def _raised() -> set[str]:
    found = {name for file in SOURCE.rglob("*.py") for name in _names_in(ast.parse(file.read_text("utf-8")))}
    return found - NOT_RULES


def test_every_rule_that_can_be_raised_is_explained() -> None:
    assert {name for name in _raised() if "*" not in name} - set(all_rules()) == set()


def test_every_explanation_has_a_rule_that_can_be_raised() -> None:
    raised = _raised()
    patterns = [name.replace("*", ".+") for name in raised if "*" in name]
    unknown = {
        rule
        for rule in all_rules()
        if rule not in raised and not any(re.fullmatch(pattern, rule) for pattern in patterns)
    }
    assert unknown == set()


def test_a_module_of_checks_raises_the_rule_it_is_named_after_and_no_other() -> None:
    for file in sorted((SOURCE / "checks").glob("[a-z]*.py")):
        name = file.stem.replace("_", "-")
        tree = ast.parse(file.read_text("utf-8"))
        assert set(_names_in(tree)) & set(all_rules()) == {name}, file.name


def test_every_rule_of_checks_has_its_test_file() -> None:
    tested = {file.stem.removeprefix("test_") for file in (ROOT / "tests" / "checks").glob("test_*.py")}
    assert tested == {check.name.replace("-", "_") for check in checks()}


@pytest.mark.parametrize("name", all_rules())
def test_an_explanation_says_what_why_an_example_and_the_fix(name: str) -> None:
    text = all_rules()[name].text
    heads = re.findall(r"^(Why|For instance|Fix):", text, re.MULTILINE)
    assert heads == ["Why", "For instance", "Fix"]
    assert re.search(r"^For instance:\n\n    \S", text, re.MULTILINE)
    assert text.partition("\n\n")[0].endswith(".")
    assert len(all_rules()[name].summary) <= 110


@pytest.mark.parametrize("check", [check for check in checks() if check.limits], ids=lambda check: check.name)
def test_an_explanation_names_each_limit_with_its_default(check: object) -> None:
    rule = all_rules()[check.name]  # type: ignore[attr-defined] # an id function needs an object
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
