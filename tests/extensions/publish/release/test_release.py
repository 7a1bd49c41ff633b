"""`ptcards release`: the real command on real git repositories, its packages in the real Anki."""

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from adopted import imported, note_type_folder
from anki_backend import import_package, learner
from conftest import Ran
from identity_release import studying
from ptcards.extensions.publish.subscription.package import read_package
from releasing import SCHEMA, Publisher, held, link_environment, publisher, served, shortened, told

__all__ = ["publisher"]

ROOT = Path(__file__).parents[4]
WHY = "## Why `no_grad`?\n\nIt saves memory and time, since no graph is recorded.\n\n"
LEAF = "## What is a leaf?\n\nA tensor.\n\n"
HOOK = "## What is a hook?\n\nA function that is called on the way back.\n\n"
STEP = "## What is a step?\n\nOne.\n\n"
NOTHING = "nothing was written\n"


def first(publisher: Publisher) -> Publisher:
    """Make the first release, 1.0."""
    publisher.write(autograd=f"# Autograd\n\n{WHY}{LEAF}{HOOK}", optim=f"# Optim\n\n{STEP}")
    publisher.publish_release("1.0", "--first")
    return publisher


def second(publisher: Publisher) -> None:
    """Change, add, move and retire one note each, and release 1.1."""
    leaf = LEAF.replace("A tensor.", "A tensor that you made.")
    epoch = "## What is an epoch?\n\nA round.\n"
    publisher.write(autograd=f"# Autograd\n\n{leaf}{STEP}", optim=f"# Optim\n\n{HOOK}{epoch}")
    publisher.publish_release("1.1", date=86_400)


def test_a_release_says_what_it_wrote_and_where_it_belongs(publisher: Publisher) -> None:
    publisher.settings = '[release]\nurl = "https://owner.github.io/deck"\n'
    publisher.write(optim=f"# Optim\n\n{STEP}").publish("v1.0")
    assert publisher.run("release", "--first") == Ran(
        0,
        "",
        "Released PyTorch 1.0\n"
        "  +1 new\n"
        "  dist/pytorch-1.0.apkg  1 kB\n"
        "  dist/study.html        1 kB\n"
        "  dist/notes.md          1 kB\n"
        "  dist/index.html        1 kB\n"
        "  dist/feed.xml          1 kB\n"
        "  dist/deck.json         1 kB\n"
        "  dist/sw.js             1 kB\n"
        "  dist/site.webmanifest  1 kB\n"
        "Next: publish dist/ at https://owner.github.io/deck/, and give this address to your learners\n",
    )
    assert publisher.git("status", "--short", "--untracked-files=all", "dist") == ""


def test_the_link_for_reports_is_the_same_in_two_releases_and_the_study_page_knows_the_version(
    publisher: Publisher,
) -> None:
    address = "https://example.org/?n={guid}&v={version}&q={question}&d={deck}"
    publisher.settings = f'report = "{address}"\n\n[release]\nissues = "{address}"\n'
    found = {}
    for release in (first, second):
        release(publisher)
        package = publisher.package
        study_page = (publisher.dist / "study.html").read_text("utf-8")
        (version,) = re.findall(r'"version":"([^"]*)"', study_page)
        found[version] = read_package(package).types
    assert list(found) == ["1.0", "1.1"]
    assert found["1.0"] == found["1.1"]
    backs = [template.back for look in found["1.1"].values() for template in look.templates]
    assert {back.partition('<div class="report"><a href="')[2].partition('"')[0] for back in backs} == {
        "https://example.org/?n={{GUID}}&amp;v=&amp;q=&amp;d="
    }
    assert publisher.feed["issues"] == address


def test_the_feed_of_two_releases(publisher: Publisher) -> None:
    publisher.settings = '[release]\nissues = "https://github.com/owner/deck/issues/new"\n'
    first(publisher)
    guids = publisher.guids
    second(publisher)
    guids |= publisher.guids
    package, feed = publisher.package.read_bytes(), publisher.feed
    jsonschema.validate(feed, SCHEMA)
    notes = feed.pop("notes")
    assert {question: [each[:4] for each in notes[guid]] for question, guid in guids.items()} == {
        "Why `no_grad`?": [[0, 1763798400, 1, 0], [1]],
        "What is a leaf?": [[0, 1763798400, 1, 0], [1, 1763884800, 1, 0]],
        "What is a hook?": [[0, 1763798400, 1, 0], [1, 1763798400, 2, 0]],
        "What is a step?": [[0, 1763798400, 2, 0], [1, 1763798400, 1, 0]],
        "What is an epoch?": [[1, 1763884800, 2, 0]],
    }
    assert set(notes) == {*guids.values()}
    types, decks = feed.pop("types"), feed.pop("decks")
    assert [len(looks) for looks in types.values()] == [1]
    assert [(deck[0], len(deck)) for deck in decks] == [
        ("PyTorch", 3),
        ("PyTorch::Autograd", 1),
        ("PyTorch::Optim", 1),
    ]
    assert feed == {
        "ptcards": 1,
        "id": "6f0c2c0e",
        "name": "PyTorch",
        "anki": 250700,
        "issues": "https://github.com/owner/deck/issues/new",
        "package": {"url": "pytorch-1.1.apkg", "size": len(package), "sha256": _sha256(package)},
        "releases": [
            {"version": "1.0", "time": 1763798400, "new": 4, "changed": 0, "moved": 0, "retired": 0},
            {"version": "1.1", "time": 1763884800, "new": 1, "changed": 1, "moved": 2, "retired": 1},
        ],
        "tags": [""],
        "files": {},
        "lists": {},
    }
    assert publisher.files["notes.md"].decode() == publisher.run("diff", "v1.0", "--format", "markdown").out


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_the_counts_of_a_release_are_what_anki_reports(publisher: Publisher, tmp_path: Path) -> None:
    first(publisher)
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, publisher.package) == {"new": 4}
        second(publisher)
        counts = publisher.feed["releases"][1]
        assert import_package(collection, publisher.package) == {
            "new": counts["new"],
            "updated": counts["changed"],
            "duplicate": 2,
        }


@pytest.mark.slow
def test_a_release_alone_updates_no_note(publisher: Publisher, tmp_path: Path) -> None:
    publisher.settings = '[release]\nurl = "https://owner.github.io/deck/"\n'
    publisher.write(optim=f"# Optim\n\n{STEP}").publish("v1.0")
    link = "Version {0} ({1}). [What is new](https://owner.github.io/deck/#v={0})"
    with studying(tmp_path / "anki") as anki:
        for version, day, outcome in (
            ("1.0", "2025-11-22", "new"),
            ("1.1", "2025-11-22", "duplicate"),
            ("1.2", "2025-11-22", "duplicate"),
        ):
            # Without a server, the feed is named.
            previous = ["--first"] if version == "1.0" else ["--previous", "dist/deck.json"]
            if version != "1.0":
                publisher.git("commit", "-q", "--allow-empty", "-m", version)
                publisher.git("tag", f"v{version}")
            publisher.release(*previous)
            assert anki.get(publisher.package) == {outcome: 1}
            deck = anki.collection.decks.by_name("PyTorch")
            assert deck is not None
            assert deck["desc"] == link.format(version, day)
    assert [each["changed"] for each in publisher.feed["releases"]] == [0, 0, 0]


def test_the_same_commit_gives_the_same_bytes(publisher: Publisher) -> None:
    first(publisher)
    before = publisher.files
    second(publisher)
    after = publisher.files
    publisher.release()
    assert publisher.files == after
    shutil.rmtree(publisher.dist)
    (publisher.root / "one.json").write_bytes(before["deck.json"])
    publisher.release("--previous", publisher.root / "one.json")
    assert publisher.files == {name: after[name] for name in after if name != "pytorch-1.0.apkg"}


def test_the_first_release_can_be_made_again(publisher: Publisher) -> None:
    first(publisher)
    before = publisher.files
    publisher.release("--first")
    publisher.release()
    assert publisher.files == before


def test_nothing_is_written_for_a_dry_run(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}").publish("v1.0")
    ran = publisher.release("--first", "--dry-run")
    assert ran.err.startswith("Would release PyTorch 1.0\n  +1 new\n  dist/pytorch-1.0.apkg  1 kB\n")
    assert not publisher.dist.exists()


def test_release_notes_are_not_a_source(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}").publish("v1.0")
    publisher.release("--first", "-o", publisher.folder / "out")
    assert (publisher.folder / "out" / "notes.md").exists()
    assert publisher.run("build", "--dry-run").err.startswith("Would build PyTorch: 1 note, 1 card\n")


def test_a_release_never_replaces_a_source(publisher: Publisher) -> None:
    publisher.write(notes=f"# Optim\n\n{STEP}").publish("v1.0")
    assert publisher.run("release", "--first", "-o", publisher.folder) == Ran(
        2,
        "",
        "error: `cards` has files of the collection that a release would replace\n"
        "help: choose another folder with `-o`\n",
    )
    assert (publisher.folder / "notes.md").read_text() == f"# Optim\n\n{STEP}"


def test_earlier_locks_in_git_become_release_zero(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}{HOOK}").publish()
    guids = publisher.guids
    publisher.write(autograd=f"# Autograd\n\n{STEP}").publish_release("1.0", "--first")
    feed = publisher.feed
    step, hook = guids["What is a step?"], guids["What is a hook?"]
    digests = feed["notes"][step][-1][4]
    assert feed["releases"] == [
        {"version": "", "time": 0},
        {"version": "1.0", "time": 1763798400, "new": 1, "changed": 0, "moved": 0, "retired": 0},
    ]
    place = {deck[0]: number for number, deck in enumerate(feed["decks"])}
    autograd, optim = place["PyTorch::Autograd"], place["PyTorch::Optim"]
    assert feed["notes"] == {
        step: [
            [0, 1763798400, optim, 0, None],
            [0, 1763798400, autograd, 0, None],
            [1, 1763798400, autograd, 0, digests],
        ],
        hook: [[0, 1763798400, optim, 0, None], [1]],
    }


def test_the_message_of_the_tag_is_at_the_top_of_a_release(publisher: Publisher) -> None:
    first(publisher)
    second_sources = f"# Autograd\n\n{WHY}{HOOK}"
    publisher.write(autograd=second_sources).publish(date=86_400)
    publisher.git("tag", "-a", "v1.1", "-m", "Fewer <leaves>.\n\nThe rest is the same.", date=86_400)
    publisher.release()
    said = "Fewer <leaves>.\n\nThe rest is the same."
    assert publisher.feed["releases"][-1]["notes"] == said
    assert "notes" not in publisher.feed["releases"][0]
    jsonschema.validate(publisher.feed, SCHEMA)
    assert publisher.files["notes.md"].decode().startswith(f"## PyTorch: changes since v1.0\n\n{said}\n\n")
    page = publisher.files["index.html"].decode()
    assert f'<p class="notes" dir="auto">{said.replace("<", "&lt;").replace(">", "&gt;")}</p>\n<h3>' in page
    assert "Fewer &lt;leaves&gt;." in publisher.files["feed.xml"].decode()


@pytest.mark.parametrize("message", ["Release 1.1", "v1.1", "1.1"])
def test_a_tag_that_only_says_the_version_adds_nothing(publisher: Publisher, message: str) -> None:
    first(publisher)
    publisher.write(autograd=f"# Autograd\n\n{WHY}{HOOK}").publish(date=86_400)
    publisher.git("tag", "-a", "v1.1", "-m", message, date=86_400)
    publisher.release()
    assert "notes" not in publisher.feed["releases"][-1]


@pytest.mark.parametrize("line", ["R1.1", "PyTorch 1.1:", "الإصدار 1.1"])
def test_a_first_line_that_is_only_the_version_is_left_out(publisher: Publisher, line: str) -> None:
    first(publisher)
    publisher.write(autograd=f"# Autograd\n\n{WHY}{HOOK}").publish(date=86_400)
    publisher.git("tag", "-a", "v1.1", "-m", f"{line}\n\n1.1 is shorter.", date=86_400)
    publisher.release()
    assert publisher.feed["releases"][-1]["notes"] == "1.1 is shorter."


def test_words_that_are_too_long_for_a_feed_are_cut_and_the_author_hears_of_it(publisher: Publisher) -> None:
    first(publisher)
    publisher.write(autograd=f"# Autograd\n\n{WHY}{HOOK}").publish(date=86_400)
    publisher.git("tag", "-a", "v1.1", "-m", "word " * 500, date=86_400)
    assert "the tag's message is longer than 2,000 characters" in publisher.release().err
    assert len(publisher.feed["releases"][-1]["notes"]) == 2_000


def test_followers_do_not_read_that_their_edits_are_replaced(publisher: Publisher) -> None:
    publisher.settings = '[release]\nurl = "https://decks.example.org/deck/"\n'
    publisher.write(autograd=f"# Autograd\n\n{LEAF}").publish("v1.0")
    publisher.write(autograd=f"# Autograd\n\n{LEAF.replace('A tensor', 'One')}")
    assert (
        "With the add-on Subscribe, your own changes to them stay; if you import the package by hand, they are "
        "replaced, including tags."
    ) in publisher.diff()


def test_in_a_first_release_all_notes_are_new_whatever_was_published_without_a_feed(
    publisher: Publisher,
) -> None:
    publisher.write(autograd=f"# Autograd\n\n{WHY}{LEAF}{HOOK}").publish("v1.0")
    leaf = LEAF.replace("A tensor.", "A tensor that you made.")
    publisher.write(autograd=f"# Autograd\n\n{leaf}{HOOK}").publish("v1.1", date=86_400)
    ran = publisher.release("--first")
    assert ran.err.splitlines()[:2] == ["Released PyTorch 1.1", "  +2 new"]
    notes = "## PyTorch 1.1\n\nThe first release: 2 notes.\n"
    assert publisher.files["notes.md"].decode() == notes
    assert publisher.feed["releases"] == [
        {"version": "", "time": 0},
        {"version": "1.1", "time": 1763884800, "new": 2, "changed": 0, "moved": 0, "retired": 0},
    ]
    assert (
        '1.1</b> · <time datetime="2025-11-23">23 November 2025</time> · 2 new</p>'
        in publisher.files["index.html"].decode()
    )


@pytest.mark.long
@pytest.mark.slow
def test_make_release_releases_the_pytorch_deck(publisher: Publisher) -> None:
    """The feed says what the package holds."""
    shutil.copytree(ROOT / "cards", publisher.folder)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, publisher.root)
    link_environment(publisher.root)
    publisher.git("init", "-q")
    with served(publisher.root / "site") as address:
        with (publisher.folder / "deck.toml").open("a") as file:
            file.write(f'\n[release]\nurl = "{address}"\n')
        publisher.git("add", "cards")
        publisher.git("commit", "-qm", "1")
        publisher.git("tag", "v1")
        made = subprocess.run(
            ["make", "release", "FIRST=1"], cwd=publisher.root, capture_output=True, text=True, check=False
        )
    assert made.returncode == 0, made.stderr
    folder = publisher.root / "build" / "release"
    assert sorted(file.name for file in folder.iterdir() if file.name != ".gitignore") == [
        *("deck.json", "feed.xml", "index.html", "notes.md", "pytorch-1.apkg", "site.webmanifest"),
        *("study.html", "sw.js"),
    ]
    feed = json.loads((folder / "deck.json").read_text("utf-8"))
    assert [each["version"] for each in feed["releases"] if each["version"]] == ["1"]
    assert told(feed) == shortened(held(folder / "pytorch-1.apkg"))


def test_the_feed_says_what_a_package_with_everything_holds(publisher: Publisher) -> None:
    folder = imported(publisher.folder)
    note_type_folder(folder)
    style = folder / "notetypes" / "geo" / "style.css"
    style.write_text(style.read_text() + '@font-face { src: url("_kana.woff2") }\n')
    (folder / "media" / "_kana.woff2").write_bytes(b"font")
    (folder / "deck.toml").write_text(
        (folder / "deck.toml").read_text() + '[[dialects]]\nfiles = ["lists/*"]\ndialect = "qa"\n'
    )
    (folder / "lists").mkdir()
    (folder / "lists" / "a.md").write_text("Q: What is a list?\nA: A row of items.\n")
    (folder / "b.md").write_text(f"# Ours\n\n{STEP}{HOOK}{LEAF}")
    publisher.publish_release("1.0", "--first")
    assert told(publisher.feed) == shortened(held(publisher.package))
    (folder / "b.md").write_text(f"# Ours\n\n{STEP.replace('One.', 'Two.')}{LEAF}")
    publisher.publish_release("1.1")
    assert told(publisher.feed) == shortened(held(publisher.package))
    (folder / "b.md").write_text(f"# Theirs\n\n{STEP}{LEAF}{HOOK}")
    publisher.publish_release("1.2")
    assert told(publisher.feed) == shortened(held(publisher.package))
    feed = publisher.feed
    assert [each["retired"] for each in feed["releases"]] == [0, 1, 0]
    assert feed["files"] == {"_kana.woff2": [[0, _sha256(b"font")[:12]]]}
    assert len(feed["types"]) == 2


# Errors.


def refused(publisher: Publisher, *arguments: str | Path) -> tuple[int, list[str]]:
    """Return the status and the messages of a release that fails and changes nothing."""
    before = publisher.files if publisher.dist.exists() else {}
    ran = publisher.run("release", *arguments)
    assert (publisher.files if publisher.dist.exists() else {}) == before
    assert ran.status != 0
    assert ran.err.endswith(NOTHING)
    lines = ran.err.splitlines()
    assert not [line for line in lines if "  |" in line]  # they are about files
    return ran.status, [line for line in lines if "error[" in line or line.startswith("  = help")]


def test_a_folder_outside_git(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}").build()
    assert refused(publisher, "1.0", "--first") == (
        1,
        [
            "cards: error[not-in-git] a release needs git, and this folder is not in a repository",
            "  = help: run `git init` there, commit the deck with its `deck.lock`, then run this again",
        ],
    )


def test_uncommitted_files_that_the_build_reads_and_no_others(publisher: Publisher) -> None:
    publisher.settings = 'css = "more.css"\n'
    publisher.folder.mkdir()
    (publisher.folder / "more.css").write_text(".a { color: red }\n")
    publisher.write(optim=f"# Optim\n\n{STEP}\n![](a.png)\n")
    (publisher.folder / "a.png").write_bytes(b"png")
    publisher.publish("v1.0")
    (publisher.root / "elsewhere").write_text("x")
    (publisher.folder / "README.md").write_text("x")
    (publisher.folder / "optim.md").write_bytes(
        (publisher.folder / "optim.md").read_bytes().replace(b"\n", b"\r\n")
    )
    publisher.release("--first")
    (publisher.folder / "more.css").write_text(".a { color: blue }\n")
    (publisher.folder / "a.png").write_bytes(b"other")
    publisher.build()
    status, lines = refused(publisher, "1.1")
    assert (status, lines) == (
        1,
        [
            "cards/a.png: error[uncommitted-changes] `a.png`, `deck.lock`, `more.css` are not committed in this state",
            "  = help: commit them, so that the release can be made again",
        ],
    )


def test_pictures_that_git_stores_through_a_filter(publisher: Publisher) -> None:
    """Git LFS commits a pointer; what another filter commits, only the filter knows."""
    publisher.write(optim=f"# Optim\n\n{STEP}\n![](a.png) ![](b.gif)\n")
    (publisher.folder / "a.png").write_bytes(b"png")
    (publisher.folder / "b.gif").write_bytes(b"gif")
    pointer = "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize 3\\n' $(sha256sum | cut -c-64)"
    publisher.publish("v1.0")
    publisher.git("config", "filter.lfs.clean", pointer)
    publisher.git("config", "filter.upper.clean", "tr a-z A-Z")
    (publisher.root / ".gitattributes").write_text("*.png filter=lfs\n")
    publisher.git("add", "--renormalize", ".")
    publisher.git("add", ".")
    publisher.git("commit", "-qm", "x")
    assert publisher.git("show", "HEAD:cards/a.png").startswith("version https://git-lfs")
    publisher.release("1.1", "--first")
    (publisher.folder / "a.png").write_bytes(b"new")
    (publisher.root / ".gitattributes").write_text("*.png filter=lfs\n*.gif filter=upper\n")
    publisher.git("add", "--renormalize", "cards/b.gif")
    publisher.git("commit", "-qm", "x")
    publisher.build()
    assert refused(publisher, "1.2") == (
        2,
        [
            "cards/a.png: error[uncommitted-changes] `a.png` is not what the commit has in Git LFS",
            "  = help: run `git lfs pull`, or commit the file",
            "cards/b.gif: error[uncommitted-changes] git's filter `upper` changes `b.gif`, so the commit has another content",
            "  = help: remove the filter from `.gitattributes`, then commit the file again",
            "cards/deck.lock: error[uncommitted-changes] `deck.lock` is not committed in this state",
            "  = help: commit it, so that the release can be made again",
        ],
    )


def test_a_lock_that_is_out_of_date(publisher: Publisher) -> None:
    first(publisher)
    publisher.write(optim=f"# Optim\n\n{STEP}")
    publisher.git("commit", "-qam", "x")
    before = publisher.files
    ran = publisher.run("release", "1.1")
    assert (ran.status, publisher.files) == (1, before)
    assert ran.err.splitlines() == [
        "error: `deck.lock` is out of date",
        "  cards/deck.lock: Why `no_grad`?: gone",
        "  cards/deck.lock: What is a hook?: gone",
        "  cards/deck.lock: What is a leaf?: gone",
        "help: run `ptcards build`, commit `deck.lock`, and tag that commit",
        "nothing was written",
    ]


def test_a_version_must_be_known_and_its_tag_at_head(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}").publish()
    assert publisher.run("release", "--first").err == (
        "error: no tag is at HEAD, so the version is unknown\n"
        "help: tag the commit, or name the version: `ptcards release 1.0`\n"
    )
    assert publisher.run("release", "1/0", "--first").err == (
        "error: `1/0` cannot be a version\nhelp: use up to 40 letters, digits and `.`, `+`, `_` or `-`\n"
    )
    publisher.git("tag", "v1.0")
    publisher.git("commit", "-q", "--allow-empty", "-m", "x")
    commit = publisher.git("rev-parse", "--short=7", "v1.0").strip()
    assert refused(publisher, "1.0", "--first") == (
        1,
        [
            f"cards: error[tag-elsewhere] the tag `v1.0` is at another commit, {commit}",
            "  = help: run `git checkout v1.0` to release it, or choose another version",
        ],
    )


def test_a_version_with_v_is_the_one_of_its_tag(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}").publish("v1.0")
    named = publisher.run("release", "v1.0", "--first")
    assert publisher.run("release").out == named.out
    assert named.err.startswith("Released PyTorch 1.0\n")
    assert publisher.run("release").err == named.err


def test_a_misspelt_folder_is_no_version(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}").publish("v1.0")
    assert publisher.run("release", "cadrs", "--first") == Ran(
        2,
        "",
        "error: there is no folder `cadrs`, and a version has a digit\n"
        "help: correct the folder, or name it before the version: `ptcards release cards cadrs`\n",
    )


def test_a_version_that_was_released_before(publisher: Publisher) -> None:
    first(publisher)
    publisher.git("tag", "-d", "v1.0")
    publisher.write(optim=f"# Optim\n\n{STEP}").publish()
    assert refused(publisher, "1.0") == (
        1,
        [
            "dist/deck.json: error[released-before] version 1.0 was released with another package",
            "  = help: choose a new version: learners may have this one",
        ],
    )
    publisher.release("1.1")
    assert refused(publisher, "1.0")[1][0] == (
        "dist/deck.json: error[released-before] version 1.0 was released before 1.1"
    )
    assert refused(publisher, "1.2", "--first") == (
        1,
        [
            "dist/deck.json: error[released-before] this deck was released before, as 1.1",
            "  = help: run `ptcards release` without `--first`, or delete the feed to start a new history",
        ],
    )


def test_a_feed_that_no_follower_could_read_is_not_written(publisher: Publisher) -> None:
    first(publisher)
    file = publisher.dist / "deck.json"
    feed = publisher.feed
    values = len(re.findall(r'"[^"]*"|[\[{]|[-+.\w]+', file.read_text("utf-8")))
    feed["tags"] += [f"t{number}" for number in range(1_000_000 - values)]
    file.write_text(json.dumps(feed), "utf-8")
    second_text = f"# Optim\n\n{STEP}{LEAF.replace('leaf', 'new leaf')}"
    publisher.write(optim=second_text).publish("v1.1")
    assert refused(publisher, "1.1") == (
        1,
        [
            "dist/deck.json: error[large-feed] nobody could follow this release, because of its feed: it has over 1,000,000 values",
            "  = help: split the deck, or delete the feed and start a new history with `--first`",
        ],
    )


def test_a_previous_release_that_is_missing_broken_newer_or_of_another_deck(publisher: Publisher) -> None:
    publisher.write(optim=f"# Optim\n\n{STEP}").publish("v1.0")
    assert refused(publisher) == (
        1,
        [
            "dist/deck.json: error[no-previous-release] there is no `deck.json` of a previous release",
            "  = help: run `ptcards release --first` if this deck was never released with a feed; otherwise, name it with `--previous`",
        ],
    )
    publisher.release("--first")
    good = publisher.files["deck.json"]
    for content, message in (
        (good[:100], "broken-feed] this is not a feed of ptcards: it is not JSON"),
        (b"[1]", "broken-feed] this is not a feed of ptcards: it has no number `ptcards`"),
        (
            b'{"ptcards": 2}',
            "newer-feed] a later ptcards wrote this: its format is 2, and this version reads 1",
        ),
        (
            good.replace(b"6f0c2c0e", b"other"),
            "other-feed] this is the feed of another deck, `PyTorch` with the id `other`",
        ),
    ):
        (publisher.dist / "deck.json").write_bytes(content)
        status, lines = refused(publisher)
        assert (status, lines[0]) == (1, f"dist/deck.json: error[{message}")
        assert refused(publisher, "--previous", "dist/deck.json")[1][0] == lines[0]
    (publisher.dist / "deck.json").write_bytes(b"{")
    publisher.release("--first")
    assert publisher.files["deck.json"] == good
    assert refused(publisher, "--previous", "nothing.json")[1][0] == (
        "nothing.json: error[unreachable-feed] the previous feed does not exist"
    )


def test_the_longer_of_the_feeds_in_the_folder_and_at_the_address_wins(publisher: Publisher) -> None:
    site = publisher.root / "site"
    with served(site) as address:
        publisher.settings = f'[release]\nurl = "{address}"\n'
        publisher.write(optim=f"# Optim\n\n{STEP}").publish_release("1.0", "--first")
        one = publisher.files["deck.json"]
        # The address answers 404.
        publisher.write(optim=f"# Optim\n\n{STEP}{HOOK}").publish_release("1.1")
        shutil.copy(publisher.dist / "deck.json", site)
        (publisher.dist / "deck.json").write_bytes(one)
        publisher.write(optim=f"# Optim\n\n{STEP}{HOOK}{LEAF}").publish_release("1.2")
        versions = [each["version"] for each in publisher.feed["releases"]]
        assert versions == ["1.0", "1.1", "1.2"]
        (publisher.dist / "deck.json").write_bytes(publisher.files["deck.json"].replace(b'"1.1"', b'"1.1b"'))
        assert refused(publisher) == (
            1,
            [
                f"dist/deck.json: error[feeds-differ] this and `{address}deck.json` have different releases, so neither continues the other",
                "  = help: name the published one with `--previous`",
            ],
        )
        (publisher.dist / "deck.json").unlink()
        publisher.release()
        assert [each["version"] for each in publisher.feed["releases"]] == ["1.0", "1.1", "1.2"]
        shutil.rmtree(publisher.dist)
        publisher.release("--previous", f"{address}deck.json")
        assert [each["version"] for each in publisher.feed["releases"]] == ["1.0", "1.1", "1.2"]
    assert (  # nothing answers there any more
        "  = help: publish the release with `dist/deck.json` there, or continue it with `--previous dist/deck.json`\n"
    ) in publisher.run("release").err


def test_a_feed_that_the_address_in_the_settings_leads_to_is_a_problem_of_that_line(
    publisher: Publisher,
) -> None:
    site = publisher.root / "site"
    with served(site) as address:
        publisher.settings = f'[release]\nurl = "{address}"\n'
        publisher.write(optim=f"# Optim\n\n{STEP}").publish_release("1.0", "--first")
        feed = publisher.files["deck.json"].replace(b"6f0c2c0e", b"other")
        shutil.rmtree(publisher.dist)
        reports = []
        for content in (b"<!doctype html>", feed):
            (site / "deck.json").write_bytes(content)
            reports.append(publisher.run("release").err)
    reports += [publisher.run("release", *more).err for more in ((), ("--previous", f"{address}deck.json"))]
    place, good = (
        "cards/deck.toml:4:1: error",
        "name a good one with `--previous`, such as a copy of `deck.json`",
    )
    line = f'  |\n4 | url = "{address}"\n  | ^^^\n'
    end = f"\n1 error\n{NOTHING}"
    assert reports == [
        (
            f"{place}[broken-feed] `{address}deck.json` is not a feed of ptcards: it is not JSON\n{line}"
            f"  = help: restore it, or {good}; `--first` starts a new history\n{end}"
        ),
        (
            f"{place}[other-feed] `{address}deck.json` is the feed of another deck, `PyTorch` with the id `other`\n"
            f"{line}  = help: correct `url` in `deck.toml`, or choose another folder with `-o`\n{end}"
        ),
        (
            f"{place}[unreachable-feed] the previous feed `{address}deck.json` cannot be read: connection refused\n"
            f"{line}  = help: try again later, or {good}; `--first` starts a new history\n{end}"
        ),
        (
            f"{address}deck.json: error[unreachable-feed] the previous feed cannot be read: connection refused\n"
            f"  = help: try again later, or {good}; `--first` starts a new history\n{end}"
        ),
    ]


def test_all_problems_are_reported_together(publisher: Publisher) -> None:
    first(publisher)
    (publisher.dist / "deck.json").write_bytes(b"{")
    publisher.git("commit", "-q", "--allow-empty", "-m", "x")
    (publisher.folder / "autograd.md").write_text("# Autograd\n\n" + LEAF)
    publisher.build()
    assert [
        line.partition("[")[2].partition("]")[0] for line in refused(publisher, "1.0")[1] if "error[" in line
    ] == [
        "tag-elsewhere",
        "uncommitted-changes",
        "broken-feed",
    ]


def test_only_a_complete_collection_with_settings_can_be_released(
    publisher: Publisher, write: Callable[..., Path]
) -> None:
    folder = write({"plain/a.md": STEP, "cards/deck.toml": 'name = "A"\nid = "a"\n', "cards/a.md": STEP})
    for source in (folder / "plain", folder / "cards" / "a.md"):
        assert publisher.run("release", source, "1.0", "--first").err.endswith(
            "error: only a complete collection with a `deck.toml` can be released\n"
            "help: name the collection's folder, or run `ptcards init` in it\n"
        )


def test_first_and_previous_contradict_each_other(publisher: Publisher) -> None:
    ran = publisher.run("release", "--first", "--previous", "a.json")
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: `--first` says that there is no previous release, and `--previous` names one: use one of the two",
    )


def test_the_settings_of_a_release_are_checked(publisher: Publisher) -> None:
    for settings, message in (
        ('url = "owner.github.io"', "`url` must be the `https://` address of a folder"),
        ('url = "http://example.org/"', "`url` must be the `https://` address of a folder"),
        ('url = "https://example.org/?a"', "`url` must be the `https://` address of a folder"),
        ('issues = "mailto:a@example.org"', "`issues` must be an `https://` address"),
    ):
        publisher.settings = f"[release]\n{settings}\n"
        publisher.write(optim=f"# Optim\n\n{STEP}")
        ran = publisher.run("check", publisher.folder)
        assert (ran.status, message in ran.out) == (2, True)


def test_json_of_feeds_is_compact(publisher: Publisher) -> None:
    first(publisher)
    content = publisher.files["deck.json"]
    assert (
        content == json.dumps(json.loads(content), separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    )
