"""One module per output format; here is what people call them, and how their files end.

`--help` imports this, so it stays light.
"""

ENDINGS = {"apkg": "apkg", "csv": "csv", "html": "html", "anki-csv": "anki.csv"}
DEFAULTS = ("apkg", "csv")
"""What a build writes if nobody names a format."""
