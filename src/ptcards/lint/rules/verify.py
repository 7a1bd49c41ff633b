"""Code that `ptcards verify` runs, and its output."""

from ptcards.lint.registry import Rule


class CodeDied(Rule, severity="error"):
    """The code ended the process that ran it.

    Why: all blocks of a note run in one process, so the code after this point did not run.

    For instance:

        import sys
        sys.exit(0)

    Fix: remove the exit. If the process crashed, run the block by hand to see why.
    """


class CodeRaises(Rule, severity="error"):
    """The code raises an exception.

    Why: learners who copy it from the card get a traceback.

    For instance:

        torch.ones(2) + torch.ones(3)

    Fix: correct the code. If the exception is the point, name it on the fence line; the `output` block can
    then end with its message.

        ```python raises=RuntimeError
    """


class CodeTimeout(Rule, severity="error"):
    """The code runs for too long.

    Why: the code of a note has 30 seconds, or as many as `[verify] timeout` allows, because an endless loop
    would never let `verify` finish.

    For instance:

        while True: pass

    Fix: make the code faster, raise the limit, or do not run the code.

        ```python no-run="trains for an hour"
    """


class CodeWarning(Rule, severity="warning", elsewhere=True):
    """The code triggers a warning from Python or a library.

    Why: a card should show what is recommended today. Code that triggers a warning often stops working in the
    next version.

    For instance:

        torch.tensor(torch.ones(2))

    Fix: rewrite the code so that it triggers no warning, or filter the warning in the code.
    """


class MissingException(Rule, severity="error"):
    """The code raises no exception, but its fence line says that it does.

    Why: either the code or the fence line is wrong, and learners would memorise the mistake.

    For instance:

        ```python raises=RuntimeError
        print(1)

    Fix: remove `raises`, or correct the code.
    """


class NoRunWithoutReason(Rule, severity="error"):
    """A block has `no-run` without a reason.

    Why: code that never runs goes stale. The reason tells the next author whether it still applies.

    For instance:

        ```python no-run

    Fix: write the reason.

        ```python no-run="needs two GPUs"
    """


class OutputWithoutCode(Rule, severity="error"):
    """An `output` block has no code above it.

    Why: ptcards compares an `output` block with what the nearest Python block above it prints.

    For instance:

        ```output
        tensor([0., 0.])
        ```

    Fix: move the block below the code, or set its language to `text`.
    """


class SecondOutput(Rule, severity="error"):
    """Two `output` blocks belong to the same code.

    Why: ptcards compares printed output with only one block.

    For instance:

        two `output` blocks below one `python` block

    Fix: merge the blocks, or split the code so that each `output` block is below the code that prints it.
    """


class SessionWithoutPrompt(Rule, severity="error"):
    """A `pycon` block has no `>>>`.

    Why: `pycon` is an interactive session, where only lines after prompts are run.

    For instance:

        ```pycon
        1 + 1
        ```

    Fix: begin each input with `>>> `, or set the language to `python`.
    """


class SetupFailed(Rule, severity="error"):
    """The code in `[verify] setup` fails.

    Why: this code runs before the code of each note, so no note can be verified.

    For instance:

        setup = "import torhc"

    Fix: correct the code in `deck.toml`.
    """


class TooMuchOutput(Rule, severity="error"):
    """The code prints more than 1 MB.

    Why: a card only has room for a few lines.

    For instance:

        print(list(range(10**6)))

    Fix: print less.
    """


class WrongException(Rule, severity="error"):
    """The code raises a different exception from the one that its fence line names.

    Why: either the code or the fence line is wrong, and learners would memorise the mistake.

    For instance:

        ```python raises=ValueError
        torch.ones(2) + torch.ones(3)

    Fix: correct the code, or name the exception that it raises.
    """


class WrongOutput(Rule, severity="error"):
    """The code prints something other than what its `output` block shows.

    Why: a card that shows a wrong result teaches it. Spaces at line ends do not count, and `...` in the
    output matches any text.

    For instance:

        print(torch.arange(3).sum())        with the output `tensor(6)`

    Fix: correct the code or the output. `ptcards verify --update` writes what was printed.
    """
