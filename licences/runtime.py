"""The system libraries that the programs load, from the table in docs/OPERATIONS.md."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).parent.parent / "docs/OPERATIONS.md"
HEADING = "## Run-time libraries"


@dataclass
class Library:
    package: str
    files: list[str]
    licence: str
    # Whether the programs name it themselves, not only another library.
    is_direct: bool = True


def libraries(text=None):
    """The rows of the table: Debian package, files, use, licence."""
    text = TABLE.read_text() if text is None else text
    section = text.split(f"\n{HEADING}\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in section.split("\n")
        if line.startswith("| `")
    ]
    found = [
        Library(
            row[0].strip("`"),
            re.findall(r"`([^`]+)`", row[1]),
            row[3].strip("`"),
            is_direct=not row[2].startswith("loaded by "),
        )
        for row in rows
    ]
    if not found:
        raise ValueError(f"{TABLE}: no libraries under {HEADING!r}")
    return found


def installed_version(package):
    """Version and architecture of an installed Debian package, or None."""
    command = ["dpkg-query", "--show", "--showformat=${Version} ${Architecture}\n", package]
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    lines = result.stdout.splitlines() if result.returncode == 0 else []
    return tuple(lines[0].split()) if lines and len(lines[0].split()) == 2 else None
