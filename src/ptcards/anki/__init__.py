"""What Anki makes of a note: note types, fields, cards, and the two sides as Anki shows them."""
