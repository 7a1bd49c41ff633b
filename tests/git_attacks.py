"""Decks with a hostile git repository, each of which names a program that a careless `git` would start.

A deck unpacked from an archive contains its own `.git`, so its configuration and hooks are the attacker's.
"""

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DECK_TOML = 'name = "PyTorch"\nid = "6f0c2c0e"\n'
PUBLISHED = "# Autograd\n\n## What is a leaf?\n\nA tensor that you made.\n"
EDITED = "# Autograd\n\n## What is a leaf?\n\nA tensor that nothing computed.\n"

_IDENTITY = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
# A fake signature: git still calls a program to check it.
_SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n"
_ATTRIBUTES = {".git/info/attributes": "* diff=x filter=x merge=x\n"}
_HOOK = "#!/bin/sh\nexec '{canary}'\n"


@dataclass(frozen=True)
class GitAttack:
    """Settings and files of a hostile `.git`, and the command that runs its program if called carelessly.

    `{canary}` is the program. `careless` is empty if git ignores the setting in a repository, or if the
    command is not part of every git. `terminal` means that the command needs one.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    careless: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    terminal: bool = False


def _hook(careless: str) -> GitAttack:
    return GitAttack(careless=careless)


GIT_ATTACKS = {
    "alias.*": GitAttack({"alias.st": "!{canary}"}, "git st"),
    "browser.<tool>.cmd": GitAttack({"browser.x.cmd": "{canary}"}, "git web--browse -t x a.html"),
    "browser.<tool>.path": GitAttack({"browser.w3m.path": "{canary}"}, "git web--browse -t w3m a.html"),
    "web.browser": GitAttack({"web.browser": "w3m", "browser.w3m.path": "{canary}"}, "git web--browse a.html"),
    "help.browser": GitAttack({"help.browser": "x", "browser.x.cmd": "{canary}"}, "git web--browse -c help.browser a"),
    "core.alternateRefsCommand": GitAttack(
        {"core.alternateRefsCommand": "{canary}"},
        "git init -q ../else && git push -q ../else HEAD:refs/heads/a && "
        "echo ../../../else/.git/objects > .git/objects/info/alternates && git fetch -q ../else a:b",
    ),
    "core.askPass": GitAttack(
        {"core.askPass": "{canary}"}, "printf 'protocol=https\\nhost=a\\n\\n' | git credential fill"
    ),
    "core.editor": GitAttack({"core.editor": "{canary}"}, "git commit --amend"),
    "core.fsmonitor": GitAttack({"core.fsmonitor": "{canary}"}, "git status"),
    "core.gitProxy": GitAttack({"core.gitProxy": "{canary}"}, "git fetch git://127.0.0.1:9/a"),
    "core.hooksPath": GitAttack(
        {"core.hooksPath": "hooks"}, "git commit -qm x --allow-empty", {"hooks/pre-commit": _HOOK}
    ),
    "core.pager": GitAttack({"core.pager": "{canary}"}, "git log", terminal=True),
    "core.sshCommand": GitAttack({"core.sshCommand": "{canary}"}, "git fetch ssh://127.0.0.1:9/a"),
    "core.attributesFile": GitAttack(
        {"core.attributesFile": "attributes", "diff.x.textconv": "{canary}"},
        "git diff",
        {"attributes": "* diff=x\n"},
    ),
    "credential.helper": GitAttack(
        {"credential.helper": "!{canary}"}, "printf 'protocol=https\\nhost=a\\n\\n' | git credential fill"
    ),
    "credential.<url>.helper": GitAttack(
        {"credential.https://a.helper": "!{canary}"},
        "printf 'protocol=https\\nhost=a\\n\\n' | git credential fill",
    ),
    "diff.external": GitAttack({"diff.external": "{canary}"}, "git diff"),
    "diff.<driver>.command": GitAttack({"diff.x.command": "{canary}"}, "git diff", _ATTRIBUTES),
    "diff.<driver>.textconv": GitAttack({"diff.x.textconv": "{canary}"}, "git diff", _ATTRIBUTES),
    "diff.<driver>.cachetextconv": GitAttack(
        {"diff.x.textconv": "{canary}", "diff.x.cachetextconv": "true"}, "git log -p -1 v1", _ATTRIBUTES
    ),
    "diff.tool": GitAttack({"diff.tool": "x", "difftool.x.cmd": "{canary}"}, "git difftool -y"),
    "diff.guitool": GitAttack({"diff.guitool": "x", "difftool.x.cmd": "{canary}"}, "git difftool -g -y"),
    "difftool.<tool>.cmd": GitAttack({"difftool.x.cmd": "{canary}"}, "git difftool -y -t x"),
    "difftool.<tool>.path": GitAttack({"difftool.meld.path": "{canary}"}, "git difftool -y -t meld"),
    "filter.<driver>.clean": GitAttack({"filter.x.clean": "{canary}"}, "git add -A", _ATTRIBUTES),
    "filter.<driver>.smudge": GitAttack({"filter.x.smudge": "{canary}"}, "git checkout -qf other", _ATTRIBUTES),
    "filter.<driver>.process": GitAttack({"filter.x.process": "{canary}"}, "git add -A", _ATTRIBUTES),
    "gpg.program": GitAttack({"gpg.program": "{canary}"}, "git commit -Sx -qm x --allow-empty"),
    "gpg.<format>.program": GitAttack({"gpg.openpgp.program": "{canary}"}, "git log --show-signature -1"),
    "gpg.x509.program": GitAttack(
        {"gpg.format": "x509", "gpg.x509.program": "{canary}"}, "git commit -Sx -qm x --allow-empty"
    ),
    "gpg.ssh.program": GitAttack(
        {"gpg.format": "ssh", "gpg.ssh.program": "{canary}"}, "git commit -Skey::x -qm x --allow-empty"
    ),
    "gpg.ssh.defaultKeyCommand": GitAttack(
        {"gpg.format": "ssh", "gpg.ssh.defaultKeyCommand": "{canary}"}, "git commit -S -qm x --allow-empty"
    ),
    "commit.gpgSign": GitAttack(
        {"commit.gpgSign": "true", "gpg.program": "{canary}"}, "git commit -qm x --allow-empty"
    ),
    "tag.gpgSign": GitAttack({"tag.gpgSign": "true", "gpg.program": "{canary}"}, "git tag -m x v2"),
    "log.showSignature": GitAttack({"log.showSignature": "true", "gpg.program": "{canary}"}, "git show v1"),
    "guitool.<name>.cmd": GitAttack({"guitool.x.cmd": "{canary}"}),
    "hook.<name>.command": GitAttack({"hook.x.command": "{canary}", "hook.x.event": "pre-commit"}),
    "imap.tunnel": GitAttack(
        {"imap.tunnel": "{canary}", "imap.folder": "a", "imap.host": "a"},
        "git format-patch -1 --stdout | git imap-send",
    ),
    "include.path": GitAttack(
        {"include.path": "more"}, "git status", {".git/more": '[core]\nfsmonitor = "{canary}"\n'}
    ),
    "includeIf.<condition>.path": GitAttack(
        {"includeIf.gitdir:/.path": "more"}, "git status", {".git/more": '[core]\nfsmonitor = "{canary}"\n'}
    ),
    "extensions.worktreeConfig": GitAttack(
        {"core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true"},
        "git status",
        {".git/config.worktree": '[core]\nfsmonitor = "{canary}"\n'},
    ),
    "instaweb.httpd": GitAttack({"instaweb.httpd": "{canary}"}),
    "instaweb.browser": GitAttack({"instaweb.browser": "x", "browser.x.cmd": "{canary}"}),
    "instaweb.modulePath": GitAttack({"instaweb.modulePath": "{canary}"}),
    "interactive.diffFilter": GitAttack(
        {"interactive.diffFilter": "{canary}", "color.ui": "always"}, "echo q | TERM=xterm git add -p", terminal=True
    ),
    "man.<tool>.cmd": GitAttack({"man.viewer": "x", "man.x.cmd": "{canary}"}, "git help -m log"),
    "man.<tool>.path": GitAttack({"man.viewer": "man", "man.man.path": "{canary}"}, "git help -m log"),
    "man.viewer": GitAttack(
        {"man.viewer": "konqueror", "man.konqueror.path": "{canary}"}, "DISPLAY=:0 git help -m log"
    ),
    "merge.<driver>.driver": GitAttack(
        {"merge.x.driver": "{canary}"}, "git checkout -qf other && git merge -q branch", _ATTRIBUTES
    ),
    "merge.tool": GitAttack(
        {"merge.tool": "x", "mergetool.x.cmd": "{canary}"},
        "git checkout -qf other; git merge -q branch; git mergetool -y",
    ),
    "merge.guitool": GitAttack(
        {"merge.guitool": "x", "mergetool.x.cmd": "{canary}"},
        "git checkout -qf other; git merge -q branch; git mergetool -g -y",
    ),
    "mergetool.<tool>.cmd": GitAttack(
        {"mergetool.x.cmd": "{canary}"}, "git checkout -qf other; git merge -q branch; git mergetool -y -t x"
    ),
    "mergetool.<tool>.path": GitAttack(
        {"mergetool.meld.path": "{canary}"},
        "git checkout -qf other; git merge -q branch; git mergetool -y -t meld",
    ),
    "pager.<cmd>": GitAttack({"pager.tag": "{canary}"}, "git tag -l", terminal=True),
    "pager.rev-parse": GitAttack(
        {f"pager.{name}": "{canary}" for name in ("rev-parse", "for-each-ref", "ls-tree", "cat-file", "show")},
        "git show v1",
        terminal=True,
    ),
    "remote.<name>.receivepack": GitAttack(
        {"remote.x.url": ".", "remote.x.receivepack": "{canary}"}, "git push x HEAD:refs/heads/a"
    ),
    "remote.<name>.uploadpack": GitAttack(
        {"remote.x.url": ".", "remote.x.uploadpack": "{canary}"}, "git fetch x"
    ),
    "remote.<name>.vcs": GitAttack(
        {"remote.x.url": "{canary}", "remote.x.vcs": "ext", "protocol.ext.allow": "always"}, "git fetch x"
    ),
    "remote.<name>.url": GitAttack(
        {"remote.x.url": "ext::{canary}", "protocol.ext.allow": "always"}, "git fetch x"
    ),
    "url.<base>.insteadOf": GitAttack(
        {"url.ext::{canary}.insteadOf": "https://a/", "protocol.allow": "always"}, "git fetch https://a/"
    ),
    "extensions.partialClone": GitAttack(
        {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "x",
            "remote.x.promisor": "true",
            "remote.x.url": "ext::{canary}",
            "protocol.ext.allow": "always",
        },
        "git cat-file -p 1234567890123456789012345678901234567890",
    ),
    "sendemail.ccCmd": GitAttack({"sendemail.ccCmd": "{canary}"}),
    "sendemail.tocmd": GitAttack({"sendemail.tocmd": "{canary}"}),
    "sendemail.headerCmd": GitAttack({"sendemail.headerCmd": "{canary}"}),
    "sendemail.smtpServer": GitAttack({"sendemail.smtpServer": "{canary}"}),
    "sendemail.sendmailCmd": GitAttack({"sendemail.sendmailCmd": "{canary}"}),
    "sequence.editor": GitAttack(
        {"sequence.editor": "{canary}"}, "git checkout -qf other && git rebase -q -i --root"
    ),
    "submodule.<name>.update": GitAttack(
        {"submodule.x.update": "!{canary}", "submodule.x.url": "."},
        "git clone -q . sub && git update-index --add --cacheinfo 160000,$(git rev-parse other),sub && "
        "git submodule update",
        {".gitmodules": '[submodule "x"]\n\tpath = sub\n\turl = ./.\n'},
    ),
    "tar.<format>.command": GitAttack({"tar.x.command": "{canary}"}, "git archive --format=x HEAD"),
    "trailer.<token>.command": GitAttack({"trailer.x.command": "{canary}"}, "git interpret-trailers < /dev/null"),
    "trailer.<token>.cmd": GitAttack({"trailer.x.cmd": "{canary}"}, "git interpret-trailers --trailer x=1 < /dev/null"),
    "uploadpack.packObjectsHook": GitAttack({"uploadpack.packObjectsHook": "{canary}"}),
    "hook applypatch-msg": _hook("git format-patch -q -1 other && git am -q *.patch"),
    "hook pre-applypatch": _hook("git format-patch -q -1 other && git checkout -qf other~1 && git am -q *.patch"),
    "hook commit-msg": _hook("git commit -qm x --allow-empty"),
    "hook pre-commit": _hook("git commit -qm x --allow-empty"),
    "hook post-commit": _hook("git commit -qm x --allow-empty"),
    "hook prepare-commit-msg": _hook("git commit -qm x --allow-empty"),
    "hook pre-merge-commit": _hook("git commit -qam x && git merge -q --no-ff -s ours -m x other"),
    "hook post-merge": _hook("git commit -qam x && git merge -q -s ours -m x other"),
    "hook post-checkout": _hook("git checkout -q -b new"),
    "hook post-index-change": _hook("git add -A"),
    "hook pre-rebase": _hook("git commit -qam x; git rebase -q other"),
    "hook post-rewrite": _hook("git commit -q --amend -m x"),
    "hook reference-transaction": _hook("git tag v2"),
    "hook pre-push": _hook("git push -q . HEAD:refs/heads/a"),
    "hook pre-receive": _hook("git push -q . HEAD:refs/heads/a"),
    "hook update": _hook("git push -q . HEAD:refs/heads/a"),
    "hook post-receive": _hook("git push -q . HEAD:refs/heads/a"),
    "hook post-update": _hook("git push -q . HEAD:refs/heads/a"),
    "hook pre-auto-gc": _hook(
        "git repack -qd && git commit -qm x --allow-empty && git repack -q && git -c gc.autoPackLimit=1 gc -q --auto"
    ),
}  # fmt: skip
"""The attacks by the setting that names the program, as in `git help --config`, or by the hook."""


@dataclass(frozen=True)
class HostileDeck:
    """A deck unpacked in `folder`; running `canary` creates `sign`."""

    folder: Path
    canary: Path
    sign: Path

    def carelessly(self, command: str, *, terminal: bool = False) -> bool:
        """Run an unprotected command; return whether the attack worked."""
        master, slave = pty.openpty() if terminal else (None, None)
        try:
            subprocess.run(
                ["sh", "-c", command],
                cwd=self.folder,
                env=plain_environment(self.folder.parent),
                stdin=slave or subprocess.DEVNULL,
                stdout=slave or subprocess.DEVNULL,
                stderr=slave or subprocess.DEVNULL,
                check=False,
                timeout=60,
            )
        finally:
            for end in filter(None, (master, slave)):
                os.close(end)
        return self.acted()

    def acted(self) -> bool:
        """Whether the program was run since the last call."""
        was_run = self.sign.exists()
        self.sign.unlink(missing_ok=True)
        return was_run


def plain_environment(home: Path) -> dict[str, str]:
    """Return the environment of a user without settings of their own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return (
        kept
        | _IDENTITY
        | {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "TERM": "dumb"}
    )


def git(folder: Path, *arguments: str, asked: str = "") -> str:
    """Run git as the attacker does at home."""
    command = ["git", "-C", str(folder), *arguments]
    environment = plain_environment(folder)
    done = subprocess.run(command, env=environment, input=asked, check=True, capture_output=True, text=True)
    return done.stdout


def publish(folder: Path) -> None:
    """Create a deck with a release `v1`, two conflicting branches, and a later edit."""
    (folder / "cards").mkdir(parents=True)
    (folder / "cards/deck.toml").write_text(DECK_TOML)
    source = folder / "cards/a.md"
    source.write_text(PUBLISHED)
    build = [sys.executable, "-m", "ptcards", "build", "cards", "-o", "../build"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    git(folder, "init", "-q", "-b", "branch")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "base")
    git(folder, "checkout", "-q", "-b", "other")
    source.write_text(PUBLISHED.replace("you", "they"))
    git(folder, "commit", "-q", "-a", "-m", "other")
    git(folder, "checkout", "-q", "branch")
    source.write_text(PUBLISHED.replace("you", "somebody"))
    git(folder, "commit", "-q", "-a", "-m", "release")
    head, _, message = git(folder, "cat-file", "commit", "HEAD").partition("\n\n")
    signed = git(
        folder, "hash-object", "-t", "commit", "-w", "--stdin", asked=f"{head}\n{_SIGNATURE}\n{message}"
    ).strip()
    git(folder, "reset", "-q", "--hard", signed)
    git(folder, "tag", "v1")
    source.write_text(EDITED)
    # Now git is also asked whether its index has the lock.
    (folder / ".gitignore").write_text("deck.lock\n")


def plant(folder: Path, published: Path, *names: str) -> HostileDeck:
    """Unpack a `published` deck below `folder`, with these attacks in its `.git`."""
    deck = HostileDeck(folder / "deck", folder / "canary", folder / "sign")
    shutil.copytree(published, deck.folder)
    deck.canary.write_text(f"#!/bin/sh\ntouch '{deck.sign}'\n")
    deck.canary.chmod(0o755)
    for name in names:
        _plant_files(deck, name)
        with (deck.folder / ".git/config").open("a") as config:
            config.writelines(_setting(*each) for each in GIT_ATTACKS[name].settings.items())
    _replace(deck, ".git/config")
    return deck


def plant_bare_repository(folder: Path, published: Path) -> HostileDeck:
    """Unpack a deck whose sources look like a bare repository, which git clones like any other files.

    The content of one file is missing, and a program is named to fetch it.
    """
    deck = plant(folder, published)
    bare = deck.folder / "cards"
    missing = git(deck.folder, "rev-parse", "v1:cards/deck.toml").strip()
    shutil.copytree(deck.folder / ".git", bare, dirs_exist_ok=True)
    (bare / "objects" / missing[:2] / missing[2:]).unlink()
    git(bare, "--git-dir=.", "config", "core.bare", "true")
    with (bare / "config").open("a") as config:
        config.writelines(_setting(*each) for each in GIT_ATTACKS["extensions.partialClone"].settings.items())
    _replace(deck, "cards/config")
    return deck


def _plant_files(deck: HostileDeck, name: str) -> None:
    files = dict(GIT_ATTACKS[name].files)
    if name.startswith("hook "):
        files[f".git/hooks/{name.removeprefix('hook ')}"] = _HOOK
    for path, content in files.items():
        file = deck.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
        file.chmod(0o755)
        _replace(deck, path)


def _replace(deck: HostileDeck, path: str) -> None:
    """Name the program in a file of the deck."""
    file = deck.folder / path
    file.write_text(file.read_text().replace("{canary}", str(deck.canary)))


def _setting(key: str, value: str) -> str:
    section, _, rest = key.partition(".")
    subsection, _, last = rest.rpartition(".")
    inner = f' "{subsection}"' if subsection else ""
    return f'[{section}{inner}]\n\t{last} = "{value}"\n'
