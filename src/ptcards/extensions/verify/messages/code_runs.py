"""Code that `ptcards verify` ran, and what it did instead of what the note says."""

from ptcards.lint.message import Message


class CodeDied(Message, severity="error"):
    """The code ended the process that ran it.

    Why: all blocks of a note run in one process, so the code after this point did not run.

    For instance:

        import sys
        sys.exit(0)

    Fix: remove the exit, or say why the block is not run. If the process crashed, run it by hand to see why.

        ```python no-run="ends the process"
        import sys
        sys.exit(0)
        ```
    """


class CodeRaises(Message, severity="error"):
    """The code raises an exception.

    Why: learners who copy it from the card get a traceback.

    For instance:

        torch.ones(2) + torch.ones(3)

    Fix: correct the code. If the exception is the point, name it on the fence line; the `output` block can
    then end with its message.

        ```python raises=RuntimeError
    """


class CodeTimeout(Message, severity="error"):
    """The code runs for too long.

    Why: the code of a note has 30 seconds, or as many as `[verify] timeout` allows, because an endless loop
    would never let `verify` finish.

    For instance:

        while True: pass

    Fix: make the code faster, raise the limit, or do not run the code.

        ```python no-run="trains for an hour"
    """


class CodeWarning(Message, severity="warning", elsewhere=True):
    """The code triggers a warning from Python or a library.

    Why: a card should show what is recommended today. Code that triggers a warning often stops working in the
    next version.

    For instance:

        torch.tensor(torch.ones(2))

    Fix: rewrite the code so that it triggers no warning, or filter the warning in the code.

        torch.ones(2).clone()
    """


class MissingException(Message, severity="error"):
    """The code raises no exception, but its fence line says that it does.

    Why: either the code or the fence line is wrong, and learners would memorise the mistake.

    For instance:

        ```python raises=RuntimeError
        print(1)

    Fix: remove `raises`, or correct the code.

        ```python raises=RuntimeError
        torch.ones(2) + torch.ones(3)
    """


class SetupFailed(Message, severity="error"):
    """The code in `[verify] setup` fails.

    Why: this code runs before the code of each note, so no note can be verified.

    For instance:

        setup = "import torhc"

    Fix: correct the code in `deck.toml`.

        setup = "import torch"
    """


class TooMuchOutput(Message, severity="error"):
    """The code prints more than 1 MB.

    Why: a card only has room for a few lines.

    For instance:

        print(list(range(10**6)))

    Fix: print less.

        print(len(range(10**6)))
    """


class WrongException(Message, severity="error"):
    """The code raises a different exception from the one that its fence line names.

    Why: either the code or the fence line is wrong, and learners would memorise the mistake.

    For instance:

        ```python raises=ValueError
        torch.ones(2) + torch.ones(3)

    Fix: correct the code, or name the exception that it raises.

        ```python raises=RuntimeError
        torch.ones(2) + torch.ones(3)
    """


class WrongOutput(Message, severity="error"):
    """The code prints something other than what its `output` block shows.

    Why: a card that shows a wrong result teaches it. Spaces at line ends do not count, and `...` in the
    output matches any text.

    For instance:

        ```python
        print(torch.arange(3).sum())
        ```

        ```output
        tensor(6)
        ```

    Fix: correct the code or the output. `ptcards verify --update` writes what was printed.

        ```python
        print(torch.arange(3).sum())
        ```

        ```output
        tensor(3)
        ```
    """
