"""Turns a note into what Anki has: note types, fields, cards, and the two sides of a card."""
