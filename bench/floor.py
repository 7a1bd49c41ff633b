"""Measures the least time that a package takes to write, with its finished rows, sqlite3 and zlib.

    python bench/floor.py FINISHED.apkg OUTPUT.apkg

Prints the seconds of writing, without those of reading.
"""

import sqlite3
import sys
import tempfile
import time
import zipfile
from contextlib import closing
from pathlib import Path

TABLES = ("col", "notes", "cards")


def main(finished: Path, output: Path) -> None:
    """Read the package, then write it and measure the time."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "collection.anki2")
        with zipfile.ZipFile(finished) as archive:
            archive.extract("collection.anki2", folder)
        with closing(sqlite3.connect(database)) as connection:
            schema = [row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql > ''")]
            rows = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}  # noqa: S608 - names above
        begun = time.perf_counter()
        copy = Path(folder, "copy")
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = OFF")
            for statement in schema:
                connection.execute(statement)
            for name, content in rows.items():
                marks = ",".join("?" * len(content[0]))
                connection.executemany(f"INSERT INTO {name} VALUES({marks})", content)
            connection.commit()
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(copy, "collection.anki2")
            archive.writestr("media", "{}")
        print(f"{time.perf_counter() - begun:.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
