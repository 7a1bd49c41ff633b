"""Notes as Anki has them: note types, fields, cards, and the two sides of each card."""
