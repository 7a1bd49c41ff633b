"""Every rule is explained, every explanation has its rule, and the page in docs/ is what `explain` prints."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.lint.registry import Rule, all_rules, rules_page

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "ptcards"
RULES = SOURCE / "lint" / "rules"
NOT_RULES = {"blank-line", "question-level", "utf-8"}

_NAME = re.compile(r"[a-z]+[0-9]?(-[a-z0-9]+)+")


def _names_in(tree: ast.AST) -> Iterator[str]:
    """Yield possible names of rules.

    These are words with dashes among several arguments (except git's), or next to a message.
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


def _is_message(part: ast.expr) -> bool:
    return isinstance(part, ast.JoinedStr) or (
        isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value
    )


def _raised(*files: Path) -> set[str]:
    return {name for file in files for name in _names_in(ast.parse(file.read_text("utf-8")))} - NOT_RULES


def _advises(rule: Rule) -> bool:
    return any(vars(type(rule)).get(method) for method in ("check", "check_all", "check_text"))


def test_every_rule_is_reported_where_it_is_found_or_advised_by_its_class() -> None:
    elsewhere = _raised(*(file for file in SOURCE.rglob("*.py") if file.parent != RULES))
    advised = {rule.name for rule in all_rules().values() if _advises(rule)}
    assert {
        "reported, without a class": elsewhere - set(all_rules()),
        "with a class, never reported": set(all_rules()) - elsewhere - advised,
        "advised by its class and reported elsewhere": elsewhere & advised,
    } == {
        "reported, without a class": set(),
        "with a class, never reported": set(),
        "advised by its class and reported elsewhere": set(),
    }
    assert _raised(*RULES.glob("*.py")) == set()


def test_no_name_is_that_of_two_rules_and_no_file_of_rules_is_without_one() -> None:
    assert len(all_rules()) == len(Rule.__subclasses__())
    modules = {type(rule).__module__.rpartition(".")[2] for rule in all_rules().values()}
    assert modules == {file.stem for file in RULES.glob("[!_]*.py")}


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
    assert [rule.name for rule in all_rules().values() if _advises(rule) and "error" in rule.severities] == []


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
    assert ran == Ran(2, "", "error: there is no rule `anser-words`\nhelp: did you mean `answer-words`?\n")
