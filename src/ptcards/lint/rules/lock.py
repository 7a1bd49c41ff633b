"""The file `deck.lock`."""

from ptcards.lint.registry import Rule


class DamagedLock(Rule, severity="error"):
    """`deck.lock` cannot be read.

    Why: it holds the identity of every note ever published. Guessing would give notes the reviews of others.

    For instance:

        a merge left conflict marks in it

    Fix: keep either side completely and build again; that is safe, because identities of unpublished notes
    are derived.
    """


class ForeignLock(Rule, severity="error"):
    """`deck.lock` belongs to a collection with another id.

    Why: the folder was copied, or the id in `deck.toml` changed. With another id every note would be new to
    learners.

    For instance:

        id = "6f0c2c0e"     in the lock
        id = "b3f6a1d8"     in `deck.toml`

    Fix: write the lock's id into `deck.toml`. For a copy that begins a deck of its own, keep the new id and
    delete the lock.
    """


class IgnoredLock(Rule, severity="error or warning"):
    """Git ignores `deck.lock`.

    Why: the lock is what keeps reviews with their notes. In the next clone it would be missing, and every
    reworded or moved note would be new to learners. For `ptcards check` this is an error; `ptcards build`
    warns and goes on.

    For instance:

        *.lock                    in .gitignore

    Fix: remove the line from `.gitignore`, or add `!deck.lock` below it, and commit the lock.
    """


class LockAheadOfClock(Rule, severity="warning"):
    """The newest note of the lock is from the future.

    Why: Anki takes an update only if it is newer than what a learner has, so times never go back. Until the
    clock has caught up they count by seconds.

    For instance:

        a machine whose clock is a month behind

    Fix: set the clock, or `SOURCE_DATE_EPOCH`, right.
    """


class LostLock(Rule, severity="error"):
    """`deck.lock` is missing, but git has it.

    Why: without it notes that were reworded or moved get another identity, and learners get them a second
    time.

    For instance:

        a lock that was deleted, or left out of a copy

    Fix: run the command that the message names. `ptcards build --new-lock` begins another lock on purpose.
    """


class LostNotes(Rule, severity="error"):
    """`deck.lock` lacks notes that the last commit's lock has.

    Why: a lock never forgets a note. An older or shortened one would give notes another identity, or times
    that Anki skips.

    For instance:

        a lock that was copied from an older release

    Fix: run the command that the message names, and build again.
    """


class RestoredLock(Rule, severity="hint"):
    """Notes were published after this `deck.lock` was written.

    Why: after `git revert`, or with an older lock, the times in it are behind what learners have, and Anki
    would skip the notes. The next build gives them newer times, so everybody gets the text as it is now.

    For instance:

        git revert v1.3

    Fix: nothing. Build without `--locked`, and commit the lock.
    """
