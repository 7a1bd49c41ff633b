"""Integrations that run `ptcards check` for authors.

These are the GitHub action, the pre-commit hook, and VS Code's problem matcher.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from answering import Quiet, answering
from conftest import Ran

ROOT = Path(__file__).parent.parent
ACTION = ROOT / ".github" / "actions" / "deck"
TOML = 'name = "Deck"\nid = "i"\n'
FINE = "## What is autograd?\n\nA tape of operations.\n"
WARNED = "## Explain autograd.\n\nA tape of operations.\n"

Write = Callable[..., Path]


@dataclass(frozen=True)
class Run:
    """The results of running the action's script: status, built files, job summary, and messages."""

    status: int
    built: list[str]
    summary: str
    said: str = field(compare=False)


def run_action(folder: Path, sources: str, **environ: str) -> Run:
    """Run the action's script as GitHub does."""
    notes = folder.parent / f"{folder.name} run"
    shutil.rmtree(notes, ignore_errors=True)
    shutil.rmtree(folder / "out", ignore_errors=True)
    notes.mkdir()
    settings = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SOURCES": sources,
        "STRICT": "true",
        "OUTPUT": "out",
        "CHANGES": str(notes / "changes"),
        "RELEASE": "false",
        "FIRST": "",
        "DEFAULT_BRANCH": "main",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_REF_NAME": "main",
        "GITHUB_REF_TYPE": "branch",
        "GITHUB_BASE_REF": "main",
        "GITHUB_STEP_SUMMARY": str(notes / "summary.md"),
        **environ,
    }
    done = subprocess.run(
        ["bash", ACTION / "deck.sh"], cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    summary = notes / "summary.md"
    text = summary.read_text("utf-8") if summary.exists() else ""
    built = sorted(file.name for file in (folder / "out").glob("*"))
    return Run(done.returncode, built, text, done.stdout + done.stderr)


def commit_all(folder: Path) -> None:
    """Commit everything in a folder, which is also its own remote."""
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x"],
        ["config", "remote.origin.url", str(folder)],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)


@pytest.mark.slow
def test_the_action_builds_with_the_committed_lock_on_the_default_branch_only(write: Write) -> None:
    folder = write({"my cards/deck.toml": TOML, "my cards/a.md": FINE})
    commit_all(folder)
    built = ["deck.apkg", "deck.csv", "deck.html"]
    first = run_action(folder, "my cards")
    assert (first.status, first.built) == (1, [])
    pull = run_action(folder, "my cards", GITHUB_EVENT_NAME="pull_request")
    assert (pull.status, pull.built) == (0, built)
    assert (folder / "my cards" / "deck.lock").exists()
    locked = run_action(folder, "my cards\n")
    assert (locked.status, locked.built) == (0, built)
    (folder / "my cards" / "b.md").write_text(FINE.replace("autograd", "a leaf tensor"), "utf-8")
    assert run_action(folder, "my cards").status == 1


@pytest.mark.slow
def test_the_action_fails_on_warnings_unless_told_otherwise_and_counts_them_in_the_summary(
    write: Write,
) -> None:
    leaves = "\n## Explain leaves.\n\nTensors that no recorded operation made.\n"
    folder = write({"deck.toml": TOML, "a.md": WARNED + leaves})
    topic = {"GITHUB_REF": "refs/heads/topic"}
    counted = "## Check\n\n````text\n2 findings, all in a.md\n     2  warning[vague-question]  a.md:1:4\n\n2 warnings\n````\n"
    assert run_action(folder, ".", **topic) == Run(1, [], counted, "")
    passed = run_action(folder, ".", STRICT="false", **topic)
    assert (passed.status, passed.summary.startswith(counted)) == (0, True)


@pytest.mark.slow
def test_a_pull_request_shows_what_learners_would_see(write: Write, ptcards: Callable[..., Ran]) -> None:
    folder = write({"cards/deck.toml": TOML, "cards/a.md": FINE})
    ptcards("build", folder / "cards")
    commit_all(folder)
    (folder / "cards" / "a.md").write_text(FINE.replace("A tape", "A list"), "utf-8")
    ran = run_action(folder, "cards/a.md\ncards", GITHUB_EVENT_NAME="pull_request")
    assert ran.status == 0
    assert ran.summary.partition("# What")[2].split("### Learners' own fields")[0] == (
        " learners would see\n\n"
        "## Deck: changes since origin/main\n\n"
        "1 changed. This is a patch update.\n\n"
        "### Changed (1)\n\n"
        "Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.\n\n"
        "**Deck::A**\n\n"
        "- What is autograd?\n\n"
        "  ```text\n  answer: A [-tape-] {+list+} of operations.\n  ```\n\n"
    )


RELEASE_TAG = {"GITHUB_REF_TYPE": "tag", "RELEASE": "true", "FIRST": "v1.0"}


def tag(folder: Path, name: str) -> dict[str, str]:
    """Commit and tag, and return what GitHub says about the tag."""
    subprocess.run(["git", "tag", name], cwd=folder, check=True)
    return {"GITHUB_REF": f"refs/tags/{name}", "GITHUB_REF_NAME": name, **RELEASE_TAG}


@pytest.mark.slow
def test_a_tag_releases_the_deck(write: Write, ptcards: Callable[..., Ran]) -> None:
    folder = write({"deck/cards/deck.toml": TOML, "deck/cards/a.md": FINE}) / "deck"
    ptcards("build", folder / "cards", "-o", folder.parent / "built")
    commit_all(folder)
    first = run_action(folder, "cards", **tag(folder, "v1.0"))
    names = ["deck-1.0.apkg", "deck.json", "feed.xml", "index.html", "notes.md", "site.webmanifest"]
    names += ["study.html", "sw.js"]
    assert (first.status, [name for name in first.built if not name.startswith(".")]) == (0, names)
    assert first.summary.endswith("## Deck 1.0\n\nThe first release: 1 note.\n")
    # Without an address, nothing says where the first release is.
    second = run_action(folder, "cards", **tag(folder, "v1.1"))
    assert (second.status, second.built) == (1, [])
    assert "error[no-previous-release]" in second.said


@pytest.mark.parametrize("is_there", [True, False])
def test_release_notes_go_to_the_release_on_github(write: Write, is_there: bool) -> None:
    folder = write(
        {
            "bin/gh": f"""#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$LOG"
case "$2" in view) exit {int(not is_there)} ;; esac
cat "${{@: -1}}" >"$LOG.notes"
""",
            "notes.md": "ä" * 70_000,
        }
    )
    (folder / "bin" / "gh").chmod(0o755)
    log = folder / "log"
    settings = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "NOTES": str(folder / "notes.md"),
        "TAG": "v1.0",
        "LOG": str(log),
    }
    subprocess.run(["bash", ACTION / "notes.sh"], cwd=folder, env=settings, check=True)
    view, written = (line.split(" --notes-file")[0] for line in log.read_text().splitlines())
    action = "edit v1.0" if is_there else "create v1.0 --verify-tag --title v1.0"
    assert (view, written) == ("release view v1.0", f"release {action}")
    assert (folder / "log.notes").read_text() == f"{'ä' * 60_000}\n\nThe rest is in notes.md.\n"


def test_the_action_refuses_to_give_strangers_pull_requests_the_secrets_of_the_repository(
    write: Write,
) -> None:
    refused = run_action(
        write({"deck.toml": TOML, "a.md": FINE}), ".", GITHUB_EVENT_NAME="pull_request_target"
    )
    assert (refused, refused.said) == (
        Run(1, [], "", ""),
        "::error::`pull_request_target` gives strangers' pull requests your secrets; use `pull_request`\n",
    )


def make_wheel(folder: Path, name: str, files: dict[str, str]) -> Path:
    """Write a wheel, which pip installs without an index."""
    about = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": f"[console_scripts]\n{name} = {name}.__main__:run\n",
        "RECORD": "",
    }
    wheel = folder / f"{name}-1-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for path, text in (
            files | {f"{name}-1.dist-info/{path}": text for path, text in about.items()}
        ).items():
            archive.writestr(path, text)
    return wheel


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder like a machine of GitHub's: `python`, and `action`, a copy of our repository's action.

    The copy installs a package that is a link to our sources, so pip needs no network.
    """
    folder = tmp_path_factory.mktemp("runner")
    venv.create(folder / "python", with_pip=True)
    shutil.copytree(ACTION, folder / "action" / ACTION.relative_to(ROOT))
    places = f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n"
    package = make_wheel(folder, "ptcards", {"sources.pth": places})
    tool = make_wheel(folder, "tool", {})
    system = f'requires = ["tool @ {tool.as_uri()}"]\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    (folder / "action" / "pyproject.toml").write_text(f"[build-system]\n{system}", "utf-8")
    backend = f"import shutil\ndef build_wheel(folder, *_):\n    shutil.copy({str(package)!r}, folder)\n    return {package.name!r}\n"
    (folder / "action" / "backend.py").write_text(backend, "utf-8")
    return folder


@dataclass(frozen=True)
class Job:
    """A job on GitHub: its machine, its folders, and the folder to which PYTHONPATH points, if any."""

    runner: Path
    checkout: Path
    temp: Path
    path: str | None

    def run(self, step: dict[str, Any], address: str, **environ: str) -> int:
        """Run a step of the action as GitHub does, for a pull request by default; return its exit status."""
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.checkout / self._evaluated(step.get("working-directory", ".")),
            env={
                "PATH": f"{self.runner / 'python' / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_NO_INDEX": "1",
                "GITHUB_ACTION_PATH": str(self.runner / "action" / ACTION.relative_to(ROOT)),
                "GITHUB_API_URL": address,
                "GITHUB_EVENT_NAME": "pull_request",
                "GITHUB_REF": "refs/pull/7/merge",
                "GITHUB_REF_NAME": "7/merge",
                "GITHUB_REF_TYPE": "branch",
                "GITHUB_BASE_REF": "main",
                "GITHUB_STEP_SUMMARY": str(self.temp / "summary.md"),
                "GITHUB_REPOSITORY": "me/cards",
                "GITHUB_OUTPUT": str(self.temp / "output"),
                "GITHUB_WORKSPACE": str(self.checkout),
                **({} if self.path is None else {"PYTHONPATH": self.path}),
                **environ,
                **{name: self._evaluated(value) for name, value in step.get("env", {}).items()},
            },
            check=False,
        )
        return done.returncode

    def _evaluated(self, text: str) -> str:
        values = {
            "runner.temp": str(self.temp),
            "inputs.sources": "cards",
            "inputs.strict": "true",
            "inputs.output": "build",
            "inputs.changes && format('{0}/ptcards-changes', runner.temp)": str(self.temp / "changes"),
            "github.event_name == 'pull_request' && inputs.changes != '' && '[browser]' || ''": "[browser]",
            "inputs.release": "true",
            "inputs.first": "",
            "github.event.repository.default_branch": "main",
            "github.event.issue.number": "7",
            "inputs.post": "Hello.",
            "github.token": "secret",
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "planted"),
    [
        (None, ["pip.py"]),
        (".", ["ptcards/__init__.py"]),
        ("CHECKOUT", ["sitecustomize.py"]),
    ],
    ids=["no-path", "relative-path", "absolute-path"],
)
def test_no_step_of_the_action_runs_code_of_the_checkout(
    runner: Path, write: Write, path: str | None, planted: list[str]
) -> None:
    folder = write({"checkout/cards/deck.toml": TOML, "checkout/cards/a.md": FINE, "temp/keep": ""})
    checkout, ran = folder / "checkout", folder / "ran"
    for name in planted:
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text(f"open({str(ran)!r}, 'a').write({name + ' '!r})\n", "utf-8")
    commit_all(checkout)
    job = Job(runner, checkout, folder / "temp", path and path.replace("CHECKOUT", str(checkout)))
    action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    happened = {}
    with github([]) as (address, written):
        for step in action["runs"]["steps"]:
            if "run" in step and not re.search(
                "ref_type == 'tag'|event_name == 'issues'", step.get("if", "")
            ):
                status = job.run(step, address)
                happened[step["name"]] = status, ran.read_text("utf-8") if ran.exists() else ""
                ran.unlink(missing_ok=True)
    assert happened == {
        "Install ptcards": (0, ""),
        "Check and build": (0, ""),
    }
    assert written == []
    assert sorted(file.name for file in (checkout / "build").iterdir()) == [
        "deck.apkg",
        "deck.csv",
        "deck.html",
    ]


def test_the_action_hands_its_inputs_over_as_variables() -> None:
    text = (ACTION / "action.yml").read_text("utf-8")
    action = yaml.safe_load(text)
    steps = [step for step in action["runs"]["steps"] if "run" in step]
    assert all("${{" not in step["run"] for step in steps)
    handed = {
        name: set(step["env"])
        for step in steps
        for name in ("deck.sh", "suggestions.py", "comment.py", "notes.sh")
        if name in step["run"]
    }
    assert handed == {
        # No token.
        "suggestions.py": {"SOURCES"},
        "deck.sh": {"SOURCES", "STRICT", "OUTPUT", "RELEASE", "FIRST", "DEFAULT_BRANCH", "CHANGES"},
        "comment.py": {"TEXT", "NAME", "KIND", "NUMBER", "GITHUB_TOKEN"},
        # `gh` reads the last two itself.
        "notes.sh": {"NOTES", "TAG", "GH_REPO", "GH_TOKEN"},
    }
    for name, variables in handed.items():
        script = (ACTION / name).read_text("utf-8") + "GH_REPO GH_TOKEN" * (name == "notes.sh")
        assert [each for each in variables if not re.search(rf"\b{each}\b", script)] == []
    assert all(f"inputs.{name}" in text for name in action["inputs"])


@contextlib.contextmanager
def github(
    comments: list[dict[str, Any]], status: int = 200
) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Run a server like GitHub's API for the comments of a pull request.

    Yield its address and the write requests that it received.
    """
    written = []

    class Answer(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.reply(comments if self.path.endswith("&page=1") else [])

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
            written.append((self.command, self.path, body))
            self.reply({})

        do_PATCH = do_POST  # noqa: N815 - named after the method of HTTP

        def reply(self, value: object) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(value).encode())

    with answering(Answer) as address:
        yield address, written


def comment(address: str, report: Path, **environ: str) -> tuple[int, str]:
    """Run the action's comment.py; return its status and output."""
    settings = {
        "REPORT": str(report),
        "NAME": "deck",
        "KIND": "pull request",
        "NUMBER": "7",
        **environ,
        "GITHUB_TOKEN": "secret",
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "me/cards",
    }
    done = subprocess.run(
        [sys.executable, ACTION / "comment.py"], env=settings, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_a_pull_request_gets_one_comment_that_later_runs_replace(write: Write) -> None:
    report = write({"report.md": "# What learners would see\n"}) / "report.md"
    body = "<!-- ptcards deck -->\n# What learners would see\n"
    person = {"id": 1, "user": {"type": "User"}, "body": body}
    other = {"id": 2, "user": {"type": "Bot"}, "body": "<!-- ptcards other -->\nold"}
    own = {"id": 3, "user": {"type": "Bot"}, "body": "<!-- ptcards deck -->\nold"}
    with github([person, other]) as (address, written):
        assert comment(address, report) == (0, "")
    assert written == [("POST", "/repos/me/cards/issues/7/comments", body)]
    with github([person, other, own]) as (address, written):
        assert comment(address, report) == (0, "")
    assert written == [("PATCH", "/repos/me/cards/issues/comments/3", body)]


def test_a_comment_that_may_not_be_written_is_a_notice_and_a_long_one_is_cut(write: Write) -> None:
    report = write({"report.md": "x" * 70_000}) / "report.md"
    with github([], 403) as (address, _):
        assert comment(address, report) == (
            0,
            "::notice::no comment on the pull request: HTTP Error 403: Forbidden; grant `pull-requests: write`\n",
        )
    with github([]) as (address, written):
        comment(address, report)
    (sent,) = [body for _, _, body in written]
    assert sent == f"<!-- ptcards deck -->\n{'x' * 60_000}\n\nThe rest is in the job summary.\n"


def test_the_docs_list_the_inputs_of_the_action() -> None:
    docs = (ROOT / "docs" / "github.md").read_text("utf-8")
    listed = dict(
        re.findall(
            r"^\| `([a-z-]+)` \| `([^`]*)` \|", docs.partition("## Inputs of the action")[2], re.MULTILINE
        )
    )
    action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    assert {name: yaml.safe_load(value) for name, value in listed.items()} == {
        name: each["default"] for name, each in action["inputs"].items()
    }


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
    docs = (ROOT / "docs" / "findings.md").read_text("utf-8")
    tasks, _ = re.findall(r"```json\n(.*?)```", docs, re.DOTALL)
    (task,) = json.loads(tasks)["tasks"]
    folder = write({"deck.toml": TOML, "big.md": "", "sub folder/a.md": f"{WARNED}\n## Why?\n"})
    os.truncate(folder / "big.md", 2**24 + 1)  # a finding about the file has no place in it
    _, *command = task["command"].split()
    ran = ptcards(*command, folder)
    matcher = task["problemMatcher"]["pattern"]
    lines = [re.match(matcher["regexp"], line) for line in ran.out.splitlines()]
    names = ("file", "line", "column", "severity", "code", "message")
    assert [tuple(found[matcher[name]] for name in names) for found in lines if found] == [
        ("big.md", "1", "1", "error", "source-too-large", "the file is larger than 16 MB"),
        (
            "sub folder/a.md",
            "1",
            "4",
            "warning",
            "vague-question",
            "`Explain` does not say what to answer",
        ),
        ("sub folder/a.md", "5", "4", "error", "no-answer", "this question has no answer"),
    ]
    assert lines[-1] is None, "the count is no problem"


def test_the_json_of_the_docs_is_what_check_prints(
    ptcards: Callable[..., Ran], write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = (ROOT / "docs" / "findings.md").read_text("utf-8")
    _, shown = re.findall(r"```json\n(.*?)```", docs, re.DOTALL)
    answer = "Tensors that no operation produced, because you made them."
    note = f"# Views\n\n## Explain leaf tensors.\n<!-- card: id=leaf -->\n\n{answer}\n"
    monkeypatch.chdir(write({"deck.toml": TOML, "views.md": note}))
    assert ptcards("check", "--format", "json").out == shown
