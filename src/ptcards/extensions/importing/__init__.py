"""Imports a deck made with another tool, by converting it once to Markdown sources."""

COMMANDS = {"More": {"import": "Turn an existing deck into Markdown."}}
