"""The entry point of `ptcards` and `python -m ptcards`."""

import sys


def run() -> None:
    """Run the command line; Ctrl-C works from the first import on."""
    try:
        # Loading it takes a while, and Ctrl-C may arrive in the meantime.
        from ptcards.cli import main  # noqa: PLC0415

        main(prog_name="ptcards")
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
