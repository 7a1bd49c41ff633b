"""Code that `ptcards verify` runs, and its output."""

from ptcards.lint.registry import Rule


class CodeDied(Rule, severity="error"):
    """The code ended the process that ran it.

    Why: the blocks of a note run in one process; what follows that place was not run.

    For instance:

        import sys
        sys.exit(0)

    Fix: remove the exit. If the process crashed, run the block by hand to see why.
    """


class CodeRaises(Rule, severity="error"):
    """The code raises an exception.

    Why: whoever copies it from the card gets a traceback.

    For instance:

        torch.ones(2) + torch.ones(3)

    Fix: correct it. If the exception is the point, name it; the `output` block may then end with its message.

        ```python raises=RuntimeError
    """


class CodeTimeout(Rule, severity="error"):
    """The code runs too long.

    Why: a note has 30 seconds, or what `[verify] timeout` says; an endless loop would hang every check.

    For instance:

        while True: pass

    Fix: make it shorter, raise the limit, or do not run it.

        ```python no-run="trains for an hour"
    """


class CodeWarning(Rule, severity="warning", elsewhere=True):
    """The code makes Python or a library warn.

    Why: a card should show what is recommended today; what is warned about is often gone in the next version.

    For instance:

        torch.tensor(torch.ones(2))

    Fix: write it in the way that gives no warning, or filter the warning in the code.
    """


class MissingException(Rule, severity="error"):
    """The code raises nothing, but its fence line says it does.

    Why: either the code or the card is wrong, and learners would learn the wrong one.

    For instance:

        ```python raises=RuntimeError
        print(1)

    Fix: remove `raises`, or correct the code.
    """


class NoRunWithoutReason(Rule, severity="error"):
    """A block is not run and does not say why.

    Why: code that is never run rots; the reason tells the next author whether it still holds.

    For instance:

        ```python no-run

    Fix: say why.

        ```python no-run="needs two GPUs"
    """


class OutputWithoutCode(Rule, severity="error"):
    """An `output` block has no code above it.

    Why: `output` is what the nearest Python block above it prints, and is compared with that.

    For instance:

        ```output
        tensor([0., 0.])
        ```

    Fix: put it below the code, or give it the language `text`.
    """


class SecondOutput(Rule, severity="error"):
    """Two `output` blocks belong to the same code.

    Why: what is printed is compared with one block.

    For instance:

        two `output` blocks below one `python` block

    Fix: join them, or split the code so that each is below what prints it.
    """


class SessionWithoutPrompt(Rule, severity="error"):
    """A `pycon` block has no `>>>`.

    Why: it is a session, and only lines after prompts are run.

    For instance:

        ```pycon
        1 + 1
        ```

    Fix: begin each input with `>>> `, or call the block `python`.
    """


class SetupFailed(Rule, severity="error"):
    """The code in `[verify] setup` does not run.

    Why: it runs in front of each note, so no note could be verified.

    For instance:

        setup = "import torhc"

    Fix: correct it in `deck.toml`.
    """


class TooMuchOutput(Rule, severity="error"):
    """The code prints more than 1 MB.

    Why: a card shows a few lines.

    For instance:

        print(list(range(10**6)))

    Fix: print less.
    """


class WrongException(Rule, severity="error"):
    """The code raises a different exception than its fence line says.

    Why: either the code or the card is wrong, and learners would learn the wrong one.

    For instance:

        ```python raises=ValueError
        torch.ones(2) + torch.ones(3)

    Fix: correct the code, or name the exception that it raises.
    """


class WrongOutput(Rule, severity="error"):
    """The code prints something other than its `output` block says.

    Why: a card that shows a wrong result teaches it. Ends of lines do not count, and `...` stands for
    anything.

    For instance:

        print(torch.arange(3).sum())        with the output `tensor(6)`

    Fix: correct the code or the text. `ptcards verify --update` takes over what was printed.
    """
