"""The entry point of `ptcards` and `python -m ptcards`."""

import sys


def run() -> None:
    """Run the command line; Ctrl-C works from the first import on."""
    try:
        # Loading it takes a while, and Ctrl-C may arrive in the meantime.
        from ptcards.cli import main  # noqa: PLC0415

        main(prog_name="ptcards")
    except (KeyboardInterrupt, RuntimeError) as failure:
        # While a class is made, Python 3.11 turns Ctrl-C into a RuntimeError.
        if isinstance(failure, RuntimeError) and not isinstance(failure.__cause__, KeyboardInterrupt):
            raise
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
