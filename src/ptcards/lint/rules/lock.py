"""The file `deck.lock`."""

from ptcards.lint.registry import Rule


class DamagedLock(Rule, severity="error"):
    """`deck.lock` cannot be read.

    Why: it contains the identity of every note ever published. A guess could give notes each other's reviews.

    For instance:

        a merge that left conflict markers in the file

    Fix: keep one side of the conflict in full, and build again. This is safe, because ptcards derives the
    identities of unpublished notes again.
    """


class FarFutureClock(Rule, severity="warning"):
    """A build was dated after the year 2100.

    Why: Anki only accepts updates that are newer than what a learner has, so the times in the lock never go
    back. Every later change would be dated after this build, too. `ptcards build` reports this if the build
    needed the time.

    For instance:

        a clock or `SOURCE_DATE_EPOCH` in milliseconds instead of seconds

    Fix: correct the clock or `SOURCE_DATE_EPOCH`. If nobody has this build yet, restore `deck.lock` from git
    and build again.
    """


class ForeignLock(Rule, severity="error"):
    """`deck.lock` belongs to a collection with another id.

    Why: either the folder was copied, or the id in `deck.toml` was changed. With another id, every note would
    be new to learners.

    For instance:

        id = "6f0c2c0e"     in the lock
        id = "b3f6a1d8"     in `deck.toml`

    Fix: write the lock's id in `deck.toml`. If the copy is meant to be a separate deck, keep the new id and
    delete the lock.
    """


class IgnoredLock(Rule, severity="error"):
    """Git ignores `deck.lock` and does not track it.

    Why: the lock keeps learners' reviews with their notes. The next clone would lack it, and every reworded
    or moved note would be new to learners.

    For instance:

        *.lock                    in .gitignore

    Fix: remove the line from `.gitignore`, or add `!deck.lock` below it, and commit the lock. A lock that is
    committed despite the line is fine.
    """


class LockAheadOfClock(Rule, severity="warning"):
    """The newest note in the lock is dated in the future.

    Why: Anki only accepts updates that are newer than what a learner has, so the times in the lock never go
    back. Until the clock has caught up, each new time is one second after the previous one.

    For instance:

        a machine whose clock is a month behind

    Fix: correct the clock or `SOURCE_DATE_EPOCH`.
    """


class LostLock(Rule, severity="error"):
    """`deck.lock` is missing, but git has a copy.

    Why: without the lock, reworded or moved notes would get new identities, and learners would get these
    notes a second time.

    For instance:

        a lock that was deleted, or left out of a copy

    Fix: run the command in the message. To start a new lock on purpose, use `ptcards build --new-lock`.
    """


class LostNotes(Rule, severity="error"):
    """`deck.lock` lacks notes that are in the last commit's lock.

    Why: notes are never removed from a lock. With an older or shortened lock, notes would get new identities,
    or times that make Anki skip their updates.

    For instance:

        a lock that was copied from an older release

    Fix: run the command in the message, and build again.
    """


class RestoredLock(Rule, severity="hint"):
    """Notes have been published since this `deck.lock` was written.

    Why: after `git revert`, or with an older lock, the times in the lock are older than those that learners
    have, so Anki would skip the notes. The next build gives the notes newer times, so every learner gets the
    current text.

    For instance:

        git revert v1.3

    Fix: build without `--locked`, and commit the lock.
    """
