"""The GitHub action shows the changed cards of a pull request, whatever its author has handed over."""

import io
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import cmarkgfm
import html5lib
import pytest
import yaml
from cmarkgfm.cmark import Options

import made_pictures
from answering import Quiet, answering
from conftest import Ran
from test_automation import FINE, ROOT, TOML, WARNED, commit_all, run_action

Write = Callable[..., Path]
ACTION = ROOT / ".github" / "actions" / "changes"
SHA = "0123456789abcdef0123456789abcdef01234567"
RUN = {
    "id": 5,
    "event": "pull_request",
    "head_sha": SHA,
    "head_branch": "better",
    "head_repository": {"full_name": "ann/cards"},
    "html_url": "https://github.com/me/cards/actions/runs/5",
}
PULL: dict[str, Any] = {
    "number": 7,
    "head": {"sha": SHA, "ref": "better", "repo": {"full_name": "ann/cards"}},
}
HOSTILE = (
    "@everyone **bold** [x](https://evil.example) `code` <img src=x onerror=alert(1)> #1 me/cards#2 :tada: "
    "https://evil.example www.evil.example a@evil.example </code></table><h1>\n\n# Heading\n\n| a |\n|---|\n"
    "\u202eright to left\u2066 \x00\x1b[31m &lt;b&gt; ```\n\n<!-- ptcards deck --> \\*x\\* GH-1 " + SHA
)
"""A text with all that GitHub could make something of."""


def png(width: int = 390, height: int = 100, colour: int = 0) -> bytes:
    """Return a picture of one grey, as wide as a card."""
    return made_pictures.png(width, height, colour)


def packed(files: dict[str, bytes | str]) -> bytes:
    """Return an artifact."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


@contextmanager
def github(archive: bytes, pulls: list[dict[str, Any]] | None = None) -> Iterator[tuple[str, list[str]]]:
    """Run a server like GitHub's API for a run with an artifact.

    Yield its address and the requests for which it got no token.
    """
    without_token = []

    class Answer(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers["Authorization"] is None:
                without_token.append(self.path)
            if self.path.endswith("/zip"):
                self.send_response(302)
                self.send_header("Location", "/stored")
                self.end_headers()
            elif self.path == "/stored":
                self.reply(archive)
            elif "/pulls?" in self.path:
                found = ([PULL] if pulls is None else pulls) if self.path.endswith("&page=1") else []
                self.reply(json.dumps(found).encode())
            else:
                assert self.path == "/repos/me/cards/actions/runs/5/artifacts?name=changes"
                self.reply(json.dumps({"artifacts": [{"id": 9}] if archive else []}).encode())

        def reply(self, content: bytes) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

    with answering(Answer) as address:
        yield address, without_token


def run(script: str, temp: Path, **environ: str) -> str:
    """Run a step of the action without secrets, and return what it prints."""
    temp.mkdir(exist_ok=True)
    (temp / "event.json").write_text(
        json.dumps({"workflow_run": RUN} | json.loads(environ.pop("EVENT", "{}")))
    )
    settings = {
        "PATH": os.environ["PATH"],
        "CHANGES": "changes",
        "FOLDER": str(temp / "changes"),
        "REPORT": str(temp / "report.md"),
        "PICTURES": "https://github.com/me/cards/raw/ptcards-pictures/7",
        "GITHUB_EVENT_PATH": str(temp / "event.json"),
        "GITHUB_OUTPUT": str(temp / "output"),
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "me/cards",
        **environ,
    }
    command = [sys.executable, "-I"] if script.endswith(".py") else ["bash"]
    done = subprocess.run(
        [*command, ACTION / script], cwd=temp, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def take(temp: Path, archive: bytes, pulls: list[dict[str, Any]] | None = None) -> tuple[str, list[str], str]:
    """Take an artifact; return the outputs, the files that were written, and what was said."""
    with github(archive, pulls) as (address, without_token):
        said = run("take.py", temp, GITHUB_API_URL=address, GITHUB_TOKEN="secret")
    assert without_token in ([], ["/stored"])
    folder = temp / "changes"
    files = sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
    outputs = (temp / "output").read_text() if (temp / "output").exists() else ""
    return outputs, files, said


NAME = "1/pictures/leaf.1.back.now.png"


def test_the_number_is_that_of_the_pull_request_with_the_branch_and_the_commit(tmp_path: Path) -> None:
    other = {"number": 8, "head": {**PULL["head"], "ref": "other", "repo": None}}
    assert take(tmp_path, packed({"check.json": "{}", NAME: png()}), [other, PULL]) == (
        "number=7\nopen=8 7\n",
        [NAME, "check.json"],
        "",
    )


@pytest.mark.parametrize(
    ("pulls", "archive", "reason"),
    [
        ([], packed({}), f"0 open pull requests end with the commit {SHA}"),
        ([PULL, {**PULL, "number": 8}], packed({}), f"2 open pull requests end with the commit {SHA}"),
        ([PULL], b"", "the run has no artifact `changes`"),
        ([PULL], b"no archive", "the artifact cannot be read: BadZipFile"),
        ([PULL], b"x" * (40 << 20) + b"x", "the artifact is larger than 40 MB"),
    ],
    ids=["none", "several", "no artifact", "no archive", "too large"],
)
def test_without_a_pull_request_or_an_artifact_there_is_no_comment(
    tmp_path: Path, pulls: list[dict[str, Any]], archive: bytes, reason: str
) -> None:
    assert take(tmp_path, archive, pulls) == ("", [], f"::notice::no comment on a pull request: {reason}\n")


def test_only_files_with_known_names_are_taken_and_none_outside_the_folder(tmp_path: Path) -> None:
    stream = io.BytesIO(packed({NAME: png(), "1/diff.json": "{}", "1/changes.html": "<script>"}))
    link = zipfile.ZipInfo("1/pictures/link.1.back.now.png")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(link, "/etc/passwd")
        for name in (
            "../x.1.back.now.png",
            "/tmp/x.png",
            "1/pictures/../../x.1.back.now.png",
            "1/x.sh",
            "10/diff.json",
        ):
            archive.writestr(name, "x")
        archive.writestr("1/pictures/bomb.1.back.now.png", bytes(50 << 20))
    outputs, files, _ = take(tmp_path / "temp", stream.getvalue())
    assert (outputs, files) == ("number=7\nopen=7\n", ["1/diff.json", NAME, "1/pictures/link.1.back.now.png"])
    written = tmp_path / "temp" / "changes" / "1" / "pictures" / "link.1.back.now.png"
    assert (written.is_symlink(), written.read_text()) == (False, "/etc/passwd")
    assert sorted(each.name for each in tmp_path.rglob("*.png")) == [
        "leaf.1.back.now.png",
        "link.1.back.now.png",
    ]


def compose(temp: Path, files: Mapping[str, bytes | str]) -> tuple[str, dict[str, bytes]]:
    """Compose a comment; return its text, and the pictures that it shows by name."""
    for name, content in files.items():
        (temp / "changes" / name).parent.mkdir(parents=True, exist_ok=True)
        (temp / "changes" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert run("compose.py", temp) == ""
    shown = {file.name: file.read_bytes() for file in (temp / "changes" / "shown").iterdir()}
    return (temp / "report.md").read_text("utf-8"), shown


def rendered(text: str) -> Any:
    """Return the tree of a comment, rendered like GitHub before it cleans the HTML."""
    mark = "<!-- ptcards changes -->\n"
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
    page = cmarkgfm.github_flavored_markdown_to_html(mark + text, options)
    return html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False).find("body")


def picture(
    guid: str, when: str, *, card: int = 1, side: str = "back", night: bool = False
) -> dict[str, Any]:
    return {"guid": guid, "card": card, "side": side, "when": when, "night": night}


def note(guid: str, **values: Any) -> dict[str, Any]:
    return {"guid": guid, "question": "What is a leaf?", "path": "cards/a.md", "line": 3, **values}


CHANGES: dict[str, Any] = {
    "name": "Deck",
    "since": "origin/main",
    "summary": "1 changed",
    "next": "patch: only wording or appearance changes",
    "kinds": [
        {"title": "Changed", "effect": "Anki updates them in place: reviews stay.", "steps": [], "count": 1}
    ],
    "changed": [note("g1")],
}


def test_the_comment_has_counts_what_happens_to_reviews_findings_and_cards(tmp_path: Path) -> None:
    pictures = {
        f"leaf.1.{side}.{when}{'.night' * night}.png": (picture("g1", when, side=side, night=night), colour)
        for colour, (side, when, night) in enumerate(
            (side, when, night)
            for side in ("front", "back")
            for when in ("before", "now")
            for night in (False, True)
        )
    }
    same = png(colour=99)
    files: dict[str, bytes | str] = {
        f"1/pictures/{name}": same if about["side"] == "front" else png(colour=colour)
        for name, (about, colour) in pictures.items()
    }
    finding = {
        "path": "cards/a.md",
        "line": 3,
        "severity": "warning",
        "rule": "vague",
        "message": "`Explain` is vague",
    }
    text, shown = compose(
        tmp_path,
        {
            **files,
            "1/pictures/pictures.json": json.dumps({name: about for name, (about, _) in pictures.items()}),
            "1/diff.json": json.dumps(CHANGES),
            "check.json": json.dumps({"findings": [finding]}),
        },
    )
    names = {
        (when, night): sha256(png(colour=colour)).hexdigest()[:20] + ".png"
        for colour, (when, night) in enumerate(
            ((when, night) for when in ("before", "now") for night in (False, True)), 4
        )
    }
    assert set(shown) == {*names.values()}
    tree = rendered(text)
    place = f"https://github.com/ann/cards/blob/{SHA}/cards/a.md?plain=1#L3"
    assert [each.get("href") for each in tree.iter("a")] == [RUN["html_url"], place, place]
    assert [each.get("src") for each in tree.iter("img")] == [
        f"https://github.com/me/cards/raw/ptcards-pictures/7/{names[key]}"
        for key in (("before", False), ("now", False), ("before", True), ("now", True))
    ]
    lines = [" ".join("".join(each.itertext()).split()) for each in tree if each.tag != "table"]
    assert lines == [
        "Deck: 1 changed",
        "Changed (1): Anki updates them in place: reviews stay.",
        (
            "Next version: patch: only wording or appearance changes. Compared with origin/main. "
            "The run has a page with all cards as an artifact."
        ),
        "Findings: 1 warning warning cards/a.md:3 `Explain` is vague vague",
        "Changed · cards/a.md:3 · What is a leaf?",
        "At night BeforeAfter",
    ]


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("warned", [False, True])
def test_a_pull_request_hands_its_changed_cards_over_even_if_the_check_fails(
    write: Write, ptcards: Callable[..., Ran], warned: bool
) -> None:
    folder = write(
        {
            "my cards/deck.toml": TOML,
            "my cards/a.md": FINE,
            "other/deck.toml": TOML.replace('"i"', '"j"').replace("Deck", "Other"),
        }
    )
    (folder / "other" / "b.md").write_text(FINE)
    ptcards("build", folder / "my cards", folder / "other")
    commit_all(folder)
    edited = FINE.replace("A tape", "A list") + (WARNED if warned else "")
    (folder / "my cards" / "a.md").write_text(edited, "utf-8")
    ran = run_action(folder, "my cards\nother", GITHUB_EVENT_NAME="pull_request")
    changes = folder.parent / f"{folder.name} run" / "changes"
    pictures = [
        f"what-is-autograd.1.{side}.{when}{night}.png"
        for side in ("back", "front")
        for when in ("before", "now")
        for night in (".night", "")
    ]
    pictures += [
        f"explain-autograd.1.{side}.now{night}.png" for side in ("back", "front") for night in (".night", "")
    ] * warned
    names = ["diff.json", "changes.html", "pictures/pictures.json"]
    assert sorted(
        file.relative_to(changes).as_posix() for file in changes.rglob("*") if file.is_file()
    ) == sorted(
        [
            "check.json",
            *(f"{number}/{name}" for number in (1, 2) for name in names),
            *(f"1/pictures/{name}" for name in pictures),
        ]
    )
    assert (ran.status, bool(ran.built)) == ((1, False) if warned else (0, True))
    text, shown = compose(
        folder.parent / f"{folder.name} temp",
        {
            file.relative_to(changes).as_posix(): file.read_bytes()
            for file in changes.rglob("*")
            if file.is_file()
        },
    )
    assert len(shown) == (6 if warned else 4)
    places = [each.get("href").partition("/blob/")[2] for each in rendered(text).iter("a")]
    lines = (4, 1, 4) if warned else (1,)
    assert [place for place in places if place] == [
        f"{SHA}/my%20cards/a.md?plain=1#L{line}" for line in lines
    ]


def test_no_text_of_a_stranger_means_anything(tmp_path: Path) -> None:
    hostile = {
        "name": HOSTILE,
        "since": HOSTILE,
        "summary": HOSTILE,
        "next": HOSTILE,
        "kinds": [{"title": HOSTILE, "effect": HOSTILE, "steps": [HOSTILE], "count": HOSTILE}],
        "changed": [note("g1", question=HOSTILE, path=HOSTILE, deck=HOSTILE)],
    }
    finding = {"path": HOSTILE, "line": 3, "severity": "error", "rule": HOSTILE, "message": HOSTILE}
    name = "leaf.1.back.now.png"
    text, shown = compose(
        tmp_path,
        {
            "1/diff.json": json.dumps(hostile),
            "check.json": json.dumps({"findings": [finding, {**finding, "severity": HOSTILE}]}),
            "1/pictures/pictures.json": json.dumps({name: picture("g1", "now")}),
            f"1/pictures/{name}": png(),
        },
    )
    assert len(shown) == 1
    tree = rendered(text)
    assert {each.tag for each in tree.iter()} == set(
        "body h3 ul li strong br p a code details summary table tbody tr th td img".split()
    )
    outside = "".join(_outside_code(tree))
    assert re.findall(r"[@#<>`\[\]|\\_]|https?:|www|evil|GH-|[0-9a-f]{7}", outside) == []
    addresses = [each.get("href") for each in tree.iter("a")]
    assert [
        each
        for each in addresses
        if not each.startswith(("https://github.com/ann/cards/blob/", RUN["html_url"]))
    ] == []
    assert {each.tag: set(each.keys()) for each in tree.iter() if each.keys()} == {
        "a": {"href"},
        "details": {"open"},
        "td": {"valign"},
        "img": {"src", "width", "alt"},
    }
    assert "\u202e" not in text
    assert "\n\n" not in text


def _outside_code(element: Any) -> Iterator[str]:
    if element.tag != "code":
        yield element.text or ""
        for child in element:
            yield from _outside_code(child)
            yield child.tail or ""


def test_a_comment_is_never_longer_than_github_allows(tmp_path: Path) -> None:
    notes = [note(f"g{number}", question="*" * 5000) for number in range(5000)]
    names = {f"n{number}.1.back.now.png": picture(f"g{number}", "now") for number in range(300)}
    finding = {"path": "#" * 300, "line": 1, "severity": "error", "rule": "x", "message": "@" * 999}
    text, shown = compose(
        tmp_path,
        {
            "1/diff.json": json.dumps({**CHANGES, "changed": notes, "kinds": CHANGES["kinds"] * 50}),
            "check.json": json.dumps({"findings": [finding] * 5000}),
            "1/pictures/pictures.json": json.dumps(names),
            **{
                f"1/pictures/{name}": png(colour=place % 256, height=50 + place)
                for place, name in enumerate(names)
            },
        },
    )
    assert len(text) < 60_000
    addresses = re.findall(r'src="([^"]*)"', text)
    assert (len(addresses), len(shown)) == (20, 20)


_VALUES: tuple[Any, ...] = ([], {}, None, 1e400, -1, True, "\ud800")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '"x"',
        "[" * 100_000,
        "\ufeff{",
        '{"kinds": 1, "changed": {"a": 1}}',
        '{"changed": [1, null], "kinds": [[]]}',
    ]
    + [
        json.dumps(
            {
                "name": value,
                "kinds": [{"title": value, "steps": value, "count": value}],
                "changed": [{"guid": value, "path": value, "line": value}],
            }
        )
        for value in _VALUES
    ],
)
def test_what_is_no_report_makes_no_error(tmp_path: Path, text: str) -> None:
    compose(tmp_path / "one", dict.fromkeys(("check.json", "1/diff.json", "1/pictures/pictures.json"), text))
    findings = f'{{"findings": [{text}]}}'
    files = {"1/diff.json": json.dumps(CHANGES), "1/pictures/pictures.json": text, "check.json": findings}
    _, shown = compose(tmp_path / "other", files)
    assert shown == {}


@pytest.mark.parametrize(
    "content",
    [b"", b"<svg onload=alert(1)>", png(width=1201), png(height=8001), png()[:20], b"GIF89a" + png()],
)
def test_what_is_no_small_picture_is_not_shown(tmp_path: Path, content: bytes) -> None:
    name = "leaf.1.back.now.png"
    _, shown = compose(
        tmp_path,
        {
            "1/diff.json": json.dumps(CHANGES),
            "1/pictures/pictures.json": json.dumps(
                {name: picture("g1", "now"), "../../event.json": picture("g1", "now")}
            ),
            f"1/pictures/{name}": content,
        },
    )
    assert shown == {}


def publish(temp: Path, origin: Path, number: int, pictures: dict[str, bytes], opened: str) -> str:
    """Publish pictures of a pull request."""
    folder = temp / "changes" / "shown"
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    for name, content in pictures.items():
        (folder / name).write_bytes(content)
    return run(
        "pictures.sh",
        temp,
        ORIGIN=str(origin),
        BRANCH="ptcards-pictures",
        NUMBER=str(number),
        OPEN=opened,
        GITHUB_TOKEN="secret",
    )


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_pictures_are_on_a_branch_of_their_own_until_their_pull_request_is_closed(tmp_path: Path) -> None:
    origin = tmp_path / "origin.git"
    git(tmp_path, "init", "-q", "--bare", str(origin))

    def there() -> list[str]:
        files = git(origin, "ls-tree", "-r", "--name-only", "ptcards-pictures").split()
        assert git(origin, "rev-list", "--count", "ptcards-pictures") == "1\n"
        return files

    temp = tmp_path / "temp"
    assert publish(temp, origin, 7, {}, "7") == ""
    assert git(origin, "branch") == ""
    assert publish(temp, origin, 7, {"a.png": png()}, "7 8") == ""
    assert there() == ["7/a.png"]
    assert publish(temp, origin, 8, {"b.png": png(), "c.png": png(colour=1)}, "7 8 9") == ""
    assert there() == ["7/a.png", "8/b.png", "8/c.png"]
    first = git(origin, "rev-parse", "ptcards-pictures")
    assert publish(temp, origin, 8, {"b.png": png(), "c.png": png(colour=1)}, "8 7") == ""
    assert git(origin, "rev-parse", "ptcards-pictures") == first
    assert publish(temp, origin, 8, {"b.png": png(colour=2)}, "8 9") == ""
    assert there() == ["8/b.png"]


def test_two_pull_requests_that_publish_at_the_same_moment_keep_their_pictures(tmp_path: Path) -> None:
    origin = tmp_path / "origin.git"
    git(tmp_path, "init", "-q", "--bare", str(origin))
    threads = [
        threading.Thread(
            target=publish,
            args=(tmp_path / str(number), origin, number, {"a.png": png(colour=number)}, "1 2 3"),
        )
        for number in (1, 2, 3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    files = git(origin, "ls-tree", "-r", "--name-only", "ptcards-pictures").split()
    assert files == ["1/a.png", "2/a.png", "3/a.png"]


def test_the_workflows_give_a_strangers_code_no_token_and_the_tokens_no_checkout(
    ptcards: Callable[..., Ran], tmp_path: Path
) -> None:
    ptcards("init", tmp_path / "deck", "--release")
    folder = tmp_path / "deck" / ".github" / "workflows"
    texts = {name: (folder / f"{name}.yml").read_text("utf-8") for name in ("check-deck", "show-changes")}
    checking, showing = (yaml.safe_load(text) for text in texts.values())
    # YAML 1.1 reads `on` as true.
    assert (checking[True], checking["permissions"]) == (["push", "pull_request"], {"contents": "read"})
    assert [job.keys() & {"permissions", "secrets", "environment"} for job in checking["jobs"].values()] == [
        set()
    ]
    checkout, building = checking["jobs"]["deck"]["steps"]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert showing[True] == {"workflow_run": {"workflows": [checking["name"]], "types": ["completed"]}}
    assert showing["permissions"] == {}
    (job,) = showing["jobs"].values()
    assert job["permissions"] == {"actions": "read", "contents": "write", "pull-requests": "write"}
    assert job["if"] == "github.event.workflow_run.event == 'pull_request'"
    (step,) = job["steps"]
    assert [each["uses"].partition("@")[0] for each in (building, step)] == [
        "OWNER/ptcards/.github/actions/deck",
        "OWNER/ptcards/.github/actions/changes",
    ]
    assert [re.findall(r"secrets|token", text) for text in texts.values()] == [[], []]
    docs = (ROOT / "docs" / "github.md").read_text("utf-8")
    shown = re.findall("```yaml\n(.*?)```", docs, re.DOTALL)
    version = re.findall("@v(.*)", texts["show-changes"])[0]
    assert shown == [
        text.replace(f"@v{version}", "@v1.0.0").replace('sources: "."', "sources: my-deck")
        for text in texts.values()
    ]


def test_the_actions_hand_a_token_only_to_what_needs_it_and_no_text_to_a_shell() -> None:
    deck, changes = (
        yaml.safe_load((ACTION.parent / name / "action.yml").read_text("utf-8"))["runs"]["steps"]
        for name in ("deck", "changes")
    )
    of_pulls = [
        each for each in deck if "issues" not in each.get("if", "") and "tag" not in each.get("if", "")
    ]
    assert [each["name"] for each in of_pulls if "github.token" in str(each)] == []
    assert {each["name"]: "github.token" in str(each) for each in changes} == {
        "Take what was handed over": True,
        "Compose the comment": False,
        "Publish the pictures": True,
        "Comment on the pull request": True,
    }
    assert [each for each in changes if "uses" in each or "${{" in each["run"]] == []
    for step in changes:
        name = step["run"].split("/")[-1].rstrip('"')
        script = (ACTION.parent / ("deck" if name == "comment.py" else "changes") / name).read_text("utf-8")
        assert [each for each in step["env"] if not re.search(rf"\b{each}\b", script)] == []
