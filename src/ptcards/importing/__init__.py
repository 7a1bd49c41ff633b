"""Decks made elsewhere, read once and written as sources."""
