"""Draws the cards that an update changes, with Chromium; downloads the pictures that notes show."""

from collections.abc import Mapping

COMMANDS: Mapping[str, Mapping[str, str]] = {}
"""None: `ptcards diff --pictures` and `ptcards check --fetch` are options of commands of the core."""
