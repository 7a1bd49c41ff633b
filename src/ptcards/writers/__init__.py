"""One module per output format; this one has their names and file suffixes.

`--help` imports this module, so it must stay light.
"""

ENDINGS = {"apkg": "apkg", "csv": "csv", "html": "html", "anki-csv": "anki.csv"}
DEFAULTS = ("apkg", "csv")
"""The formats that a build writes by default."""
