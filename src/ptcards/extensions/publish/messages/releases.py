"""Releases with a feed: what `ptcards release` needs from git, and from the release before."""

from ptcards.lint.message import Message


class NotInGit(Message, severity="error"):
    """A deck to release is not in git.

    Why: a release can be made again from its commit, which also gives it its time. Git has the earlier
    versions of `deck.lock` too, which say what learners may have.

    For instance, in a folder without a repository:

        $ ptcards release 1.0

    Fix: run `git init`, commit the deck with its `deck.lock`, and release it then.

        $ git init
        $ git add .
        $ git commit -m "The deck"
        $ ptcards release 1.0
    """


class UncommittedChanges(Message, severity="error"):
    """A file of the deck differs from the commit that would be released.

    Why: the release would contain text that no commit has, so nobody could make it again. Line ends do not
    count, and neither do files that the deck does not use. Pictures in Git LFS are compared with the digest
    in the commit; any other filter of git hides what the commit has, so take it off the files of the deck.

    For instance, if `deck.lock` is not committed:

        $ ptcards build
        $ git tag v1.4
        $ ptcards release

    Fix: commit the file, and tag the new commit.

        $ ptcards build
        $ git commit -am "Version 1.4"
        $ git tag v1.4
        $ ptcards release
    """


class TagElsewhere(Message, severity="error"):
    """The tag of a version is at another commit.

    Why: the tag says what the version is. A release from another commit would have the same name and other
    contents.

    For instance, if the tag v1.4 is three commits older:

        $ ptcards release 1.4

    Fix: check out the tag, or release the new commit under a new version.

        $ git checkout v1.4
        $ ptcards release 1.4
    """


class ReleasedBefore(Message, severity="error"):
    """A version was released before, with another package.

    Why: learners may have it. The list of versions in `deck.json` would say that they have what they have
    not. If the package is the same, releasing a version again changes nothing and is not an error.

    For instance, if `deck.json` has the versions 1.3 and 1.4:

        $ ptcards release 1.3

    Fix: choose a new version. Use `--first` only for the first release with a `deck.json`.

        $ ptcards release 1.5
    """


class NoPreviousRelease(Message, severity="error"):
    """There is no `deck.json` of a previous release.

    Why: `deck.json` lists everything that was ever published, so a release continues the one before it. A
    new list would make learners' copies look edited.

    For instance, in a new clone, without `url` in `deck.toml`:

        $ ptcards release 1.4

    Fix: set `url` in `[release]` to the address of the last release, or name its `deck.json` with
    `--previous`. For the first release with a `deck.json`, use `--first`.

        [release]
        url = "https://owner.github.io/deck/"
    """


class UnreachableFeed(Message, severity="error"):
    """The `deck.json` of the previous release cannot be read.

    Why: a release continues the one before it, so ptcards does not guess that there is none.

    When:

        the server does not answer, or answers 500

    Fix: publish the files in `dist/`, among them `deck.json`, at the address; or name the newest `deck.json`:

        ptcards release --previous dist/deck.json
    """


class BrokenFeed(Message, severity="error"):
    """The `deck.json` of the previous release is damaged, or is not a feed.

    Why: a release appends to it. ptcards checks every value first, because what it appends must be true.

    When:

        a deck.json that was cut off, edited, or replaced by an error page

    Fix: restore it from the last release, or name a good copy with `--previous`. If it is lost for good,
    `--first` starts a new history: learners keep their own changes, but get no updates in notes that differ.
    """


class LargeFeed(Message, severity="error"):
    """The `deck.json` of a release would be too large for those who follow the deck.

    Why: the add-on reads at most 32 MB and a million values, so that no deck can fill the memory of Anki.
    Nobody could update to this release or a later one.

    When:

        250,000 notes, or many releases that change all of 50,000 notes

    Fix: split the deck into several collections. If it is the history that is large, delete `deck.json` and
    start a new one with `--first`: learners keep their own changes, but get no updates in notes that differ.
    """


class NewerFeed(Message, severity="error"):
    """The `deck.json` of the previous release was written by a later version of ptcards.

    Why: this version would lose what it does not know.

    For instance:

        {"ptcards": 2, …}

    Fix: update ptcards.
    """


class OtherFeed(Message, severity="error"):
    """The `deck.json` at the place of the previous release belongs to another deck.

    Why: the two decks would share one list of versions, and replace each other's files.

    When:

        two collections in one repository with the same `url` in `[release]`

    Fix: give each deck its own `url`, or its own folder with `-o`.
    """


class FeedsDiffer(Message, severity="error"):
    """The `deck.json` in the folder and the one at `url` have different releases.

    Why: normally, one of them is the other with more releases, and the longer one is continued. Here both
    have releases that the other one lacks, for example because two people released on two computers.

    For instance:

        dist/deck.json has 1.3 and 1.4a, and https://owner.github.io/deck/deck.json has 1.3 and 1.4

    Fix: name the published one with `--previous`.

        $ ptcards release --previous https://owner.github.io/deck/deck.json
    """
