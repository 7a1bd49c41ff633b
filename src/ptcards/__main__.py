"""`python -m ptcards`."""

from ptcards.cli import main

main(prog_name="ptcards")
