"""Reads an author's files: collections, their `deck.toml`, and sources, whose text becomes notes."""
