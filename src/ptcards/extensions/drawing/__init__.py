"""Draws diagrams that are written as text with the author's own programs, into pictures to commit."""

COMMANDS = {"Write": {"draw": "Draw the diagrams that are written as text."}}
