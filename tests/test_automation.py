"""What runs `ptcards check` for authors: the GitHub action, the pre-commit hook, VS Code's problem matcher."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from conftest import Ran

ROOT = Path(__file__).parent.parent
ACTION = ROOT / ".github" / "actions" / "deck"
TOML = 'name = "Deck"\nid = "i"\n'
FINE = "## What is autograd?\n\nA tape of operations.\n"
WARNED = "## Explain autograd.\n\nA tape of operations.\n"

Write = Callable[..., Path]


def run_action(folder: Path, sources: str, **environ: str) -> tuple[int, list[str]]:
    """Run the action's script as GitHub would; gives its status and what was built."""
    settings = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SOURCES": sources,
        "STRICT": "true",
        "OUTPUT": "out",
        "DEFAULT_BRANCH": "main",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_REF": "refs/heads/main",
        **environ,
    }
    done = subprocess.run(
        ["bash", ACTION / "deck.sh"], cwd=folder, env=settings, capture_output=True, check=False
    )
    return done.returncode, sorted(file.name for file in (folder / "out").glob("*.apkg"))


@pytest.mark.slow
def test_the_action_builds_with_the_committed_lock_on_the_default_branch_only(write: Write) -> None:
    folder = write({"my cards/deck.toml": TOML, "my cards/a.md": FINE})
    assert run_action(folder, "my cards") == (1, [])
    assert run_action(folder, "my cards", GITHUB_EVENT_NAME="pull_request") == (0, ["deck.apkg"])
    assert (folder / "my cards" / "deck.lock").exists()
    assert run_action(folder, "my cards\n") == (0, ["deck.apkg"])
    (folder / "my cards" / "b.md").write_text(FINE.replace("autograd", "a leaf tensor"), "utf-8")
    assert run_action(folder, "my cards")[0] == 1
    assert run_action(folder, "my cards", GITHUB_REF="refs/heads/topic")[0] == 0


@pytest.mark.slow
def test_the_action_fails_on_warnings_unless_told_otherwise(write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": WARNED})
    assert run_action(folder, ".", GITHUB_REF="refs/heads/topic") == (1, [])
    assert run_action(folder, ".", GITHUB_REF="refs/heads/topic", STRICT="false") == (0, ["deck.apkg"])


def test_the_action_hands_its_inputs_over_as_variables() -> None:
    text = (ACTION / "action.yml").read_text("utf-8")
    action = yaml.safe_load(text)
    script = (ACTION / "deck.sh").read_text("utf-8")
    (step,) = (step for step in action["runs"]["steps"] if "deck.sh" in step.get("run", ""))
    assert all("${{" not in step.get("run", "") for step in action["runs"]["steps"])
    assert set(step["env"]) == {"SOURCES", "STRICT", "OUTPUT", "DEFAULT_BRANCH"}
    assert all(f"${name}" in script for name in step["env"])
    assert all(f"inputs.{name}" in text for name in action["inputs"])


def test_the_hook_is_a_command_that_exists_and_the_docs_name_it(
    ptcards: Callable[..., Ran], write: Write
) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    program, *command = hook["entry"].split()
    assert program == "ptcards"
    folder = write({"deck.toml": TOML, "a.md": FINE})
    assert ptcards(*command, "--strict", folder).status == 0
    wanted = re.compile(hook["files"])
    names = ["cards/a.md", "A.MD", "deck.toml", "cards/deck.lock", "pyproject.toml", "a.mdx", "mydeck.toml"]
    assert [name for name in names if wanted.search(name)] == names[:4]
    assert f"- id: {hook['id']}\n" in (ROOT / "docs" / "checking.md").read_text("utf-8")


def test_the_problem_matcher_of_the_docs_reads_what_check_prints(
    ptcards: Callable[..., Ran], write: Write
) -> None:
    docs = (ROOT / "docs" / "checking.md").read_text("utf-8")
    (tasks,) = re.findall(r"```json\n(.*?)```", docs, re.DOTALL)
    (task,) = json.loads(tasks)["tasks"]
    folder = write({"deck.toml": TOML, "sub folder/a.md": f"{WARNED}\n## Why?\n"})
    _, *command = task["command"].split()
    ran = ptcards(*command, folder)
    matcher = task["problemMatcher"]["pattern"]
    lines = [re.match(matcher["regexp"], line) for line in ran.out.splitlines()]
    names = ("file", "line", "column", "severity", "code", "message")
    assert [tuple(found[matcher[name]] for name in names) for found in lines if found] == [
        (
            "sub folder/a.md",
            "1",
            "4",
            "warning",
            "vague-question",
            "`Explain` does not say what to answer",
        ),
        ("sub folder/a.md", "5", "1", "error", "no-answer", "this question has no answer"),
    ]
    assert lines[-1] is None, "the count is no problem"
