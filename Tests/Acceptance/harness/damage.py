"""Files of a store as a crash leaves them, and damage to them by seed."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

PAGE_BYTES = 4096
BYTES_FLIPPED_MAX = 20

# Of processes that run, not of what is stored.
_TRANSIENT = ("-shm", "-lock")


def copy_store(source: Path, target: Path) -> None:
    """Copies the database and all files beside it that belong to it."""
    for path in sorted(source.parent.glob(f"{source.name}*")):
        suffix = path.name.removeprefix(source.name)
        if suffix not in _TRANSIENT:
            shutil.copy(path, target.with_name(target.name + suffix))


def log_of(database: Path) -> Path:
    """SQLite's write-ahead log."""
    return database.with_name(f"{database.name}-wal")


def delete(path: Path, _: random.Random) -> None:
    path.unlink()


def empty(path: Path, _: random.Random) -> None:
    path.write_bytes(b"")


def shorten(path: Path, seed: random.Random) -> None:
    with path.open("r+b") as file:
        file.truncate(seed.randrange(path.stat().st_size))


def flip_bit(path: Path, seed: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[seed.randrange(len(content))] ^= 1 << seed.randrange(8)
    path.write_bytes(content)


def flip_bytes(path: Path, seed: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(seed.randint(1, BYTES_FLIPPED_MAX)):
        content[seed.randrange(len(content))] ^= seed.randint(1, 255)
    path.write_bytes(content)


def zero_page(path: Path, seed: random.Random) -> None:
    content = bytearray(path.read_bytes())
    begin = seed.randrange(len(content))
    end = min(begin + PAGE_BYTES, len(content))
    content[begin:end] = bytes(end - begin)
    path.write_bytes(content)


def swap_pages(path: Path, seed: random.Random) -> None:
    content = bytearray(path.read_bytes())
    first, second = (
        page * PAGE_BYTES for page in seed.sample(range(len(content) // PAGE_BYTES), 2)
    )
    one, other = content[first : first + PAGE_BYTES], content[second : second + PAGE_BYTES]
    content[first : first + PAGE_BYTES], content[second : second + PAGE_BYTES] = other, one
    path.write_bytes(content)


Damage = Callable[[Path, random.Random], None]
OF_LOGS: list[Damage] = [delete, empty, shorten, flip_bit, flip_bytes, zero_page]
OF_FILES: list[Damage] = [flip_bit, flip_bytes, zero_page, swap_pages]
