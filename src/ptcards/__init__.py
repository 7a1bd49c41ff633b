"""Markdown questions and answers, compiled to Anki decks."""

__version__ = "0.1.0"
