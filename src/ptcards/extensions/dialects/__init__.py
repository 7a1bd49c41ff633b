"""Reads notes written for other programs, and says what files look like that are in no known format."""

from collections.abc import Mapping

COMMANDS: Mapping[str, Mapping[str, str]] = {}
