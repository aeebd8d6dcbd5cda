#!/usr/bin/env python3
"""Write a database of each former schema version: version1.sqlite, version2.sqlite and so on.

Run it after a version was added to schema.sql and rows.sql:

    Tests/Store/Fixtures/make-fixtures.py

Files that exist are kept, because they are records too. `--all` writes them again; the bytes then differ
in the header only, which names the version of SQLite.
"""

import re
import sqlite3
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
APPLICATION_ID = 0x56617264
# The least that SQLite has, because each table and index takes a page: a hub's own files have 4096.
PAGE_BYTES = 512


def sections(name):
    """The file's statements by version."""
    parts = re.split(r"^-- version (\d+)$", (FOLDER / name).read_text(), flags=re.MULTILINE)
    return {int(number): sql for number, sql in zip(parts[1::2], parts[2::2])}


def make(path, version, steps, rows):
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.executescript(f"PRAGMA page_size = {PAGE_BYTES}; PRAGMA application_id = {APPLICATION_ID};")
    for number in range(1, version + 1):
        database.executescript(steps[number])
    for number in range(1, version + 1):
        database.executescript(rows[number])
    database.executescript(f"PRAGMA user_version = {version}; VACUUM; PRAGMA journal_mode = WAL;")
    database.close()


def main():
    steps, rows = sections("schema.sql"), sections("rows.sql")
    for version in sorted(steps):
        path = FOLDER / f"version{version}.sqlite"
        if "--all" in sys.argv[1:] or not path.exists():
            make(path, version, steps, rows)
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
