"""`ptcards explain` without a rule lists all rules, for people and for programs."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema

from conftest import Ran
from ptcards.lint.registry import all_messages

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "rules.json").read_text("utf-8"))


def test_the_list_has_topics_and_marks_rules_with_a_fix(ptcards: Callable[..., Ran]) -> None:
    *listed, last = ptcards("explain").out.splitlines()
    assert last == "[fix]: `ptcards check --fix` can fix it"
    topics = {}
    for block in "\n".join(listed).strip().split("\n\n"):
        topic, *rows = block.split("\n")
        topics[topic] = [row.split()[0] for row in rows]
        assert ["[fix] " in row for row in rows] == [all_messages()[name].has_fix for name in topics[topic]]
    assert any(line.startswith("  left-out ") and "hint  Cards" in line for line in listed)
    assert (
        "  broken-python                warning           A block marked as Python does not parse" in listed
    )
    assert topics["Unclosed marks"] == ["broken-table", "unclosed-code", "unclosed-emphasis"]
    assert [*topics] == sorted(topics)
    assert sorted(name for names in topics.values() for name in names) == [*all_messages()]
    assert (
        "  broken-table                 warning           [fix] The rows of a table are shown as text"
        in listed
    )


def test_programs_get_every_rule_with_its_examples(ptcards: Callable[..., Ran]) -> None:
    found = json.loads(ptcards("explain", "--format", "json").out)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(found, SCHEMA)
    one = json.loads(ptcards("explain", "many-options", "--format", "json").out)
    rules = {rule["name"]: rule for rule in found["rules"]}
    assert one == {"version": 1, "rules": [rules["many-options"]]}
    assert list(rules) == list(all_messages())
    assert rules["many-options"] == {
        "name": "many-options",
        "severities": ["warning"],
        "on": True,
        "english": False,
        "fix": False,
        "limits": {"many-options": 5},
        "summary": all_messages()["many-options"].summary,
        "wrong": all_messages()["many-options"].wrong,
        "right": "- [ ] `sum`\n- [x] `mean`\n- [ ] `max`",
        "explanation": all_messages()["many-options"].explanation,
    }


def test_the_examples_are_those_of_the_explanation() -> None:
    rule = all_messages()["tex-delimiters"]
    assert (rule.wrong, rule.right) == (r"The loss is \(L = -\log p\).", r"The loss is $L = -\log p$.")
    assert all_messages()["not-utf8"].right == ""
    for rule in all_messages().values():
        indented = [line.removeprefix("    ") for line in rule.text.splitlines()]
        assert {*rule.wrong.splitlines(), *rule.right.splitlines()} - {*indented} == set()
