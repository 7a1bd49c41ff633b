"""Commands in decks with a hostile git repository run none of its programs, and their results are right."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from git_attacks import EDITED, GIT_ATTACKS, HostileDeck, git, plant, plant_bare_repository, publish
from ptcards.diff.update import find_old
from ptcards.files.git import NoRepositoryError, _top

Run = Callable[..., Ran]

ANSWER = """\
PyTorch, since v1: 1 changed

Changed (1)
  Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.

  PyTorch::Autograd
    What is a leaf?  (cards/a.md:3)
      answer: A tensor that [-somebody made.-] {+nothing computed.+}

next version: patch: only wording or appearance changes
"""
COMMANDS = (
    ("diff",),
    ("diff", "--format", "markdown"),
    ("diff", "other"),
    ("check", "cards"),
    ("build", "cards"),
)


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published") / "deck"
    publish(folder)
    return folder


def harm(
    deck: HostileDeck, ptcards: Run, monkeypatch: pytest.MonkeyPatch, answer: Ran | None = None
) -> list[tuple[str, ...]]:
    """Run all commands that read a deck; `diff` must print this answer.

    Return the commands that ran the attacker's program.
    """
    monkeypatch.chdir(deck.folder)
    harmful: list[tuple[str, ...]] = []
    for command in COMMANDS:
        ran = ptcards(*command)
        if command == ("diff",) and answer is not None:
            assert ran == answer
        if deck.acted():
            harmful.append(command)
    return harmful


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", GIT_ATTACKS)
def test_no_program_that_a_repository_names_is_run_though_careless_git_runs_it(
    name: str, published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck, attack = plant(tmp_path, published, name), GIT_ATTACKS[name]
    assert harm(deck, ptcards, monkeypatch, Ran(0, ANSWER, "")) == []
    if attack.careless:
        assert deck.carelessly(attack.careless, terminal=attack.terminal)


def test_all_attacks_together_run_nothing_and_change_no_answer(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published, *GIT_ATTACKS)
    assert harm(deck, ptcards, monkeypatch, Ran(0, ANSWER, "")) == []
    assert deck.carelessly("git status")


@pytest.mark.slow
def test_every_setting_of_git_that_names_a_program_has_its_attack() -> None:
    listed = subprocess.run(
        ["git", "help", "--config"], check=True, capture_output=True, text=True
    ).stdout.split()
    program = re.compile(
        r"alias\.\*|submodule\.<name>\.update|sendemail\.smtpServer"
        r"|.*(cmd>?|command|helper|editor|pager|program|askpass|fsmonitor|gitproxy|hook|hookspath|textconv|external"
        r"|difffilter|clean|smudge|process|driver|vcs|uploadpack|receivepack|tunnel|httpd|path|viewer|browser|tool)",
        re.IGNORECASE,
    )
    # Settings for advice, columns and colours; folders and files that are only read; names of commits.
    harmless = re.compile(
        r"(advice|color|column|notes)\..*|core\.quotePath|credential\.useHttpPath|(receive\.)?fsck\.gitmodulesPath"
        r"|gitcvs\.dbDriver|help\.htmlPath|http\.sslCAPath|sendemail\.smtpsslcertpath"
    )
    named = {each for each in listed if program.fullmatch(each) and not harmless.fullmatch(each)}
    assert named - GIT_ATTACKS.keys() == set()


def test_sources_that_look_like_a_bare_repository_are_not_taken_for_one(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant_bare_repository(tmp_path, published)
    assert harm(deck, ptcards, monkeypatch) == []
    refused = "error: `deck/cards` is not in a git repository"
    assert ptcards("diff").err.splitlines()[-2] == refused
    assert deck.carelessly("git -C cards show v1:cards/deck.toml")


def test_a_repository_that_no_git_folder_leads_to_is_not_read(published: Path, tmp_path: Path) -> None:
    deck = plant_bare_repository(tmp_path, published)
    cards = deck.folder / "cards"
    assert _top(cards, str(deck.folder / ".git")) == deck.folder
    with pytest.raises(NoRepositoryError):
        _top(cards, str(cards))


def test_a_git_file_may_lead_to_the_repository(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published, "core.fsmonitor", "hook post-index-change")
    (deck.folder / ".git").rename(deck.folder / "hidden")
    (deck.folder / ".git").write_text("gitdir: hidden\n")
    assert harm(deck, ptcards, monkeypatch, Ran(0, ANSWER, "")) == []
    assert deck.carelessly("git status")


def test_a_work_tree_of_the_repository_will_do(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    git(deck.folder, "worktree", "add", "-q", "../else", "v1")
    (tmp_path / "else/cards/a.md").write_text(EDITED)
    monkeypatch.chdir(tmp_path / "else")
    assert ptcards("diff") == Ran(0, ANSWER, "")


@pytest.mark.parametrize("search_path", [".:{path}", ":{path}", "{path}:", "deck:{path}", "{here}:{path}"])
def test_a_git_in_the_deck_is_not_the_users(
    search_path: str, published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    shutil.copy(deck.canary, deck.folder / "git")
    path = str(Path(shutil.which("git") or "").parent)
    monkeypatch.setenv("PATH", search_path.format(path=path, here=deck.folder))
    assert harm(deck, ptcards, monkeypatch) == []
    assert ptcards("diff", "v1") == Ran(0, ANSWER, "")


def test_variables_that_lead_git_elsewhere_do_not_count(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_EXEC_PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(deck.folder)
    assert ptcards("diff") == Ran(0, ANSWER, "")


def test_the_users_own_settings_of_git_count(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    git(deck.folder, "tag", "v1-rc1", "v1")
    monkeypatch.chdir(deck.folder)
    assert ptcards("diff").out.startswith("PyTorch, since v1-rc1: ")
    (tmp_path / "settings").write_text('[versionsort]\n\tsuffix = "-rc"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    assert ptcards("diff") == Ran(0, ANSWER, "")


# Releases that no honest git would have made


def release(deck: HostileDeck, entries: list[tuple[str, str, str]], *without: str) -> None:
    """Make `v1` a commit whose folder `cards` also contains these entries: mode, name and object."""
    listed = git(deck.folder, "ls-tree", "v1:cards").splitlines()
    known = [(each.split()[0], each.split("\t")[1], each.split()[2]) for each in listed]
    tree = b"".join(
        f"{mode} {name}\0".encode() + bytes.fromhex(blob)
        for mode, name, blob in [*known, *entries]
        if (mode, name, blob) in entries or name not in without
    )
    (deck.folder / "tree").write_bytes(tree)
    cards = git(deck.folder, "hash-object", "-t", "tree", "-w", "--literally", "tree").strip()
    top = git(deck.folder, "mktree", asked=f"040000 tree {cards}\tcards\n").strip()
    git(deck.folder, "tag", "-f", "v1", git(deck.folder, "commit-tree", "-m", "x", top).strip())


def test_a_release_cannot_write_out_of_its_folder(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    blob = git(deck.folder, "hash-object", "-w", "--stdin", asked="pwned").strip()
    up = git(deck.folder, "mktree", asked=f"100644 blob {blob}\tpwned\n").strip()
    release(deck, [("40000", "..", up)])
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(deck.folder)
    assert ptcards("diff", "v1") == Ran(0, ANSWER, "")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_release_with_a_file_and_a_folder_of_one_name_is_wrong_usage(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    folder = git(deck.folder, "rev-parse", "v1:cards").strip()
    release(deck, [("40000", "a.md", folder)])
    monkeypatch.chdir(deck.folder)
    ran = ptcards("diff", "v1")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.splitlines()[-2].startswith("error: `cards/a.md/a.md` cannot be written: ")


@pytest.mark.parametrize("toml", ["[" * 20_000, f"x = {'1' * 5000}", "\ud800", "#" * 300_000])
def test_a_release_whose_settings_cannot_be_read_holds_no_collection(
    toml: str, published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    (deck.folder / "toml").write_bytes(toml.encode(errors="surrogatepass"))
    blob = git(deck.folder, "hash-object", "-w", "toml").strip()
    release(deck, [("100644", "deck.toml", blob)], "deck.toml")
    monkeypatch.chdir(deck.folder)
    ran = ptcards("diff", "v1")
    message = "error: the collection with the id `6f0c2c0e` is not in `v1`"
    assert (ran.status, ran.err.splitlines()[-1]) == (2, message)


@pytest.mark.slow
def test_what_is_too_large_for_a_picture_is_not_unpacked(published: Path, tmp_path: Path) -> None:
    deck = plant(tmp_path, published)
    with (deck.folder / "large").open("wb") as large:
        large.truncate(100_000_001)
    blob = git(deck.folder, "hash-object", "-w", "large").strip()
    release(deck, [("100644", "large", blob)])
    with find_old(deck.folder / "cards", "6f0c2c0e", "v1") as old:
        assert sorted(file.name for file in old.folder.iterdir()) == ["a.md", "deck.lock", "deck.toml"]


def test_a_clone_that_lacks_contents_is_told(
    published: Path, tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = plant(tmp_path, published)
    blob = git(deck.folder, "rev-parse", "v1:cards/deck.toml").strip()
    (deck.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    monkeypatch.chdir(deck.folder)
    ran = ptcards("diff")
    assert (ran.status, ran.out) == (2, "")
    message = "error: this clone lacks the content of `cards/deck.toml`"
    assert ran.err.splitlines()[-2:] == [message, "help: name a folder that contains the last release"]
