"""From Markdown to the HTML of Anki's fields."""
