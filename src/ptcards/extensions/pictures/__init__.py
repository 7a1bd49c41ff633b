"""Draws the cards that an update changes as pictures, with Chromium."""

from collections.abc import Mapping

COMMANDS: Mapping[str, Mapping[str, str]] = {}
"""None: `ptcards diff --pictures` is an option of a command of the core."""
