"""Imports decks made with other tools, once, and writes them as sources."""
