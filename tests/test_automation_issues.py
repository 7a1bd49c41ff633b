"""The GitHub action judges the suggestions in issues, and comments on them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from conftest import Ran
from ptcards.identity.lock_reading import read_lock
from test_automation import ACTION, Job, comment, commit_all, github, runner

__all__ = ["runner"]

Write = Callable[..., Path]
TOML = 'name = "Mini"\nid = "m1"\n'
SOURCE = "## What is a view?\n<!-- card: id=view -->\n\nA tensor that copies its data.\n"
VIEW = ("<p>A tensor that copies its data.</p>", "<p>A tensor that <b>shares</b> its data.</p>")
BEGIN = "What `ptcards inbox` says about the suggestions in this issue:\n\n"
CLEAN = f"""\
**NAME** · Clean: nothing else changed here. `--accept NAME` makes this change:

```diff
--- cards/a.md
+++ cards/a.md
@@ -1,4 +1,4 @@
 ## What is a view?
 <!-- card: id=view -->
{" "}
-A tensor that copies its data.
+A tensor that **shares** its data.
```

"""


@dataclass(frozen=True)
class Judged:
    """What the judging step did: its status, what it printed, and the comment that it hands over."""

    status: int
    said: str
    comment: str | None


def judge(checkout: Path, event: object, sources: str = "cards") -> Judged:
    """Run the action's suggestions.py as GitHub does, and read its output as GitHub does."""
    temp = checkout.parent / "temp"
    temp.mkdir(exist_ok=True)
    output = temp / "output"
    output.write_text("")
    (temp / "event.json").write_text(json.dumps(event))
    settings = {
        "PATH": os.environ["PATH"],
        "XDG_STATE_HOME": str(temp / "state"),
        "XDG_CACHE_HOME": str(temp / "cache"),
        "SOURCES": sources,
        "GITHUB_EVENT_PATH": str(temp / "event.json"),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(temp / "summary.md"),
        "GITHUB_WORKSPACE": str(checkout),
    }
    done = subprocess.run(
        [sys.executable, "-I", ACTION / "suggestions.py"],
        cwd=temp,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    written = output.read_text("utf-8")
    found = re.fullmatch(r"comment<<([0-9a-f]{32})\n(.*)\n\1\n", written, re.DOTALL)
    assert bool(found) == bool(written), "nothing else may be in the file, such as another output"
    return Judged(done.returncode, done.stdout + done.stderr, found[2] if found else None)


def issue(body: str | None, action: str = "opened", before: str = "") -> dict[str, object]:
    """Return the event of an issue, as GitHub writes it; `before` is its text before an edit."""
    changes = {"changes": {"body": {"from": before}}} if before else {}
    issue = {"number": 7, "title": "A mistake", "body": body, "user": {"login": "ann"}}
    return {"action": action, "issue": issue, **changes}


@pytest.fixture
def checkout(write: Write, ptcards: Callable[..., Ran]) -> Path:
    """Return the checkout of a repository with a built collection in `cards`."""
    folder = write({"checkout/cards/deck.toml": TOML, "checkout/cards/a.md": SOURCE}) / "checkout"
    assert ptcards("build", folder / "cards", "-o", folder.parent / "built").status == 0
    commit_all(folder)
    return folder


def block(
    checkout: Path, was: str, new: str, *, guid: str = "", deck: str = "m1", field: str = "Answer"
) -> str:
    """Return the text of an issue with one suggestion."""
    lock, _ = read_lock(checkout / "cards" / "deck.lock", shown="", collection_id="m1")
    assert lock is not None
    document = {
        "ptcards-suggestion": 1,
        "deck": deck,
        "guid": guid or lock.records[0].guid,
        "reason": "@everyone, see https://example.org",
        "fields": {field: {"was": was, "is": new}},
    }
    text = json.dumps(document).replace("```", "\\u0060\\u0060\\u0060")
    return f"It shares it.\n\n```json ptcards-suggestion\n{text}\n```\n"


def named(comment: str) -> str:
    """Return a comment with NAME instead of the names of its entries."""
    for name in re.findall(r"\*\*([a-z0-9]{4,})\*\* ·", comment):
        comment = comment.replace(name, "NAME")
    return comment


def test_a_suggestion_is_clean_already_so_or_also_changed_here(checkout: Path) -> None:
    clean = judge(checkout, issue(block(checkout, *VIEW)))
    assert (clean.status, clean.said, named(clean.comment or "")) == (0, "", BEGIN + CLEAN)
    already = judge(checkout, issue(block(checkout, VIEW[1], VIEW[0])))
    about = 'cards/a.md:1: What is a view? [{}]\nfrom @ann (issue 7): "@everyone, see https://example.org"\n'
    assert named(already.comment or "") == (
        f"{BEGIN}**NAME** · Already so: the notes have this text.\n\n"
        f"```text\n{about.format('already so')}```\n\n"
    )
    stale = judge(checkout, issue(block(checkout, "<p>Another text.</p>", VIEW[1])))
    assert named(stale.comment or "") == (
        f"{BEGIN}**NAME** · Also changed here: the text is no longer the one that was edited.\n\n"
        f"```text\n{about.format('it also changed here')}"
        "Answer: A tensor that [-copies-] {+shares+} its data.\n```\n\n"
    )


def test_what_is_no_suggestion_for_this_deck_gets_a_sentence_and_other_issues_get_nothing(
    checkout: Path,
) -> None:
    broken = judge(checkout, issue("```json ptcards-suggestion\n{\n```\n"))
    assert broken == Judged(
        0, "", f"{BEGIN}Not read:\n\n```text\nissue 7: the block of the suggestion is not JSON\n```\n\n"
    )
    other = judge(checkout, issue(block(checkout, *VIEW, deck="m2")))
    assert other.comment == (
        f"{BEGIN}Not read:\n\n```text\nissue 7: the suggestion is for another deck, not for `m1`\n```\n\n"
    )
    for body in ("A mistake.", None, "The words ptcards-suggestion without a block."):
        assert judge(checkout, issue(body)) == Judged(0, "", "")


def test_an_edited_issue_is_judged_again(checkout: Path) -> None:
    text = block(checkout, *VIEW)
    assert (
        judge(checkout, issue(text, "edited", "A mistake.")).comment == judge(checkout, issue(text)).comment
    )
    assert (
        judge(checkout, issue("Never mind.", "edited", text)).comment
        == "This issue no longer has a suggestion.\n"
    )
    assert judge(checkout, issue(text, "closed")) == Judged(
        0, "::notice::suggestions are only judged when an issue is opened or edited\n", None
    )


def test_of_several_collections_the_one_of_the_suggestion_answers(checkout: Path) -> None:
    for name in ("b", "c"):
        (checkout / name).mkdir()
        (checkout / name / "deck.toml").write_text(TOML.replace("m1", name))
        (checkout / name / "a.md").write_text(SOURCE)
    found = judge(checkout, issue(block(checkout, *VIEW)), "b\ncards/a.md\n\nc\n")
    assert named(found.comment or "") == BEGIN + CLEAN


def test_a_collection_with_errors_ends_the_step_with_their_text(checkout: Path) -> None:
    (checkout / "cards" / "a.md").write_text("## What is it?\n")
    found = judge(checkout, issue(block(checkout, *VIEW)))
    token = re.escape(found.said.partition("::stop-commands::")[2][:32])
    assert re.fullmatch(
        rf"::stop-commands::{token}\ncards/a\.md:1:4: error\[no-answer\].*\n::{token}::\n"
        r"::error::the suggestions cannot be judged: the collection has errors\n",
        found.said,
        re.DOTALL,
    )
    assert (found.status, found.comment) == (1, None)


HOSTILE = (
    "<p>@everyone @org/team #1 <b>x</b></p>\n```\n</details><script>alert(1)</script>\n````\n~~~\n"
    "::set-output name=comment::evil\n::error::evil\n::add-mask::tensor\n<!-- ptcards deck -->\n"
    "![x](https://evil.example/x.png)\ncomment<<EOF\n\u202eevil\u0000\ud800"
)


@pytest.mark.parametrize("place", ["was", "is", "guid", "field", "reason", "outside", "key", "user"])
def test_what_a_stranger_writes_stays_in_a_fence_and_out_of_the_log(checkout: Path, place: str) -> None:
    text = block(
        checkout,
        HOSTILE if place == "was" else VIEW[0],
        HOSTILE if place == "is" else VIEW[1],
        guid=HOSTILE if place == "guid" else "",
        field=HOSTILE if place == "field" else "Answer",
    )
    if place == "reason":
        text = text.replace('"@everyone, see https://example.org"', json.dumps(HOSTILE))
    if place == "key":
        text = text.replace("```json", json.dumps(HOSTILE) + "\n```json").replace(
            '"fields"', json.dumps(HOSTILE)
        )
    event = issue(HOSTILE + "\n\n" + text + HOSTILE if place == "outside" else text)
    if place == "user":
        event["issue"]["user"] = {"login": HOSTILE}  # type: ignore[index]
    found = judge(checkout, event)
    assert (found.status, found.said) == (0, "")
    assert found.comment is not None
    outside, fence = [], ""
    for line in found.comment.split("\n"):
        begin = re.match("`{3,}", line)
        if fence and line == fence:
            fence = ""
        elif not fence and begin:
            fence = begin[0]
        elif not fence:
            outside.append(line)
    assert fence == ""
    said = r"(\*\*[a-z0-9]+\*\* · (Clean|Also|Already|This)[\w: ,.`-]+)|Not read:|" + re.escape(BEGIN.strip())
    assert [line for line in outside if line and not re.fullmatch(said, line)] == []


def test_the_text_of_an_issue_has_a_limit(checkout: Path) -> None:
    text = block(checkout, *VIEW)
    too_long = "The text of this issue is longer than 64 kB, so its suggestions were not read.\n"
    for size in (64 << 10, 10 << 20):
        assert judge(checkout, issue(text + "ä" * (size // 2))) == Judged(0, "", too_long)
        assert judge(checkout, issue("ä" * (size // 2 + 1))) == Judged(0, "", "")


def test_a_comment_shows_the_first_fifty_of_many_suggestions_and_stays_below_githubs_limit(
    checkout: Path,
) -> None:
    several = (
        judge(
            checkout, issue("".join(block(checkout, VIEW[0], f"<p>Text {n}.</p>") for n in range(60)))
        ).comment
        or ""
    )
    assert (several.count("· Clean"), several.endswith("\n\n10 more: `ptcards inbox` lists them.\n\n")) == (
        50,
        True,
    )
    text = (
        judge(
            checkout, issue("".join(block(checkout, VIEW[0], f"<p>{'ä, ' * 2_000}{n}</p>") for n in range(4)))
        ).comment
        or ""
    )
    assert text.count("…\n") == 4
    answer = "".join(f"Word{n} " for n in range(4_000)).strip()
    (checkout / "cards" / "a.md").write_text(SOURCE.replace("A tensor that copies its data.", answer))
    text = (
        judge(
            checkout, issue("".join(block(checkout, "<p>Old.</p>", f"<p>Ä {n}.</p>") for n in range(40)))
        ).comment
        or ""
    )
    assert len(text.encode()) < 60_000
    assert text.count("· ") + int(re.findall(r"\n(\d+) more", text)[0]) == 40


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "planted"),
    [(None, "pip.py"), (".", "ptcards/__init__.py"), ("CHECKOUT", "sitecustomize.py"), (".", "json.py")],
    ids=["no-path", "relative-path", "absolute-path", "library"],
)
def test_no_step_for_an_issue_runs_code_of_the_checkout_and_only_one_has_a_token(
    runner: Path, checkout: Path, path: str | None, planted: str
) -> None:
    ran, temp = checkout.parent / "ran", checkout.parent / "temp"
    temp.mkdir()
    (checkout / planted).parent.mkdir(exist_ok=True)
    (checkout / planted).write_text(f"open({str(ran)!r}, 'a').write('x')\n", "utf-8")
    event = temp / "event.json"
    event.write_text(json.dumps(issue(block(checkout, *VIEW))))
    job = Job(runner, checkout, temp, path and path.replace("CHECKOUT", str(checkout)))
    action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    happened, tokens = {}, []
    with github([]) as (address, written):
        for step in action["runs"]["steps"]:
            if "run" in step and ("Install" in step["name"] or "== 'issues'" in step.get("if", "")):
                happened[step["name"]] = job.run(
                    step, address, GITHUB_EVENT_NAME="issues", GITHUB_EVENT_PATH=str(event)
                )
                tokens += [step["name"]] * ("github.token" in str(step))
    assert (happened, tokens, ran.exists()) == (
        {"Install ptcards": 0, "Judge the suggestions": 0, "Comment on the issue": 0},
        ["Comment on the issue"],
        False,
    )
    assert written == [("POST", "/repos/me/cards/issues/7/comments", "<!-- ptcards suggestions -->\nHello.")]
    assert named((temp / "output").read_text("utf-8")).partition("\n")[2].startswith(BEGIN + CLEAN)


def test_an_issue_gets_one_comment_that_later_runs_replace(write: Write) -> None:
    report = write({"none": ""}) / "missing"
    settings = {"TEXT": "Clean.", "NAME": "suggestions", "KIND": "issue"}
    body = "<!-- ptcards suggestions -->\nClean."
    person = {"id": 1, "user": {"type": "User"}, "body": body}
    own = {"id": 3, "user": {"type": "Bot"}, "body": "<!-- ptcards suggestions -->\nold"}
    with github([person]) as (address, written):
        assert comment(address, report, **settings) == (0, "")
    assert written == [("POST", "/repos/me/cards/issues/7/comments", body)]
    with github([person, own]) as (address, written):
        assert comment(address, report, **settings) == (0, "")
    assert written == [("PATCH", "/repos/me/cards/issues/comments/3", body)]
    with github([], 403) as (address, _):
        said = "::notice::no comment on the issue: HTTP Error 403: Forbidden; grant `issues: write`\n"
        assert comment(address, report, **settings) == (0, said)


def test_the_workflow_gives_the_judging_job_nothing_to_write_with(
    ptcards: Callable[..., Ran], tmp_path: Path
) -> None:
    ptcards("init", tmp_path / "deck", "--release")
    file = tmp_path / "deck" / ".github" / "workflows" / "suggestions.yml"
    workflow = yaml.safe_load(file.read_text("utf-8"))
    # YAML 1.1 reads `on` as true.
    assert workflow[True] == {"issues": {"types": ["opened", "edited"]}}
    rights = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert (workflow["permissions"], rights) == (
        {},
        {"judge": {"contents": "read"}, "comment": {"issues": "write"}},
    )
    checkout, judging = workflow["jobs"]["judge"]["steps"]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    (posting,) = workflow["jobs"]["comment"]["steps"]
    action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    assert {*judging["with"], *posting["with"]} - action["inputs"].keys() == set()
    assert workflow["jobs"]["judge"]["outputs"] == {
        "comment": f"${{{{ steps.{judging['id']}.outputs.comment }}}}"
    }
    assert action["outputs"].keys() == {"comment"}
