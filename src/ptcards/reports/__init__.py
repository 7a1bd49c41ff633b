"""Renders diagnostics as text, for people, editors, programs and GitHub."""
