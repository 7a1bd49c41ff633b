"""The author's files: collections, `deck.toml`, and the text of a source to notes."""
