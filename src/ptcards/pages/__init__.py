"""Cards as HTML pages show them: the sides of a card as Anki renders them, and math that needs no script."""
