"""Pages of the documentation, read as the blocks that a reader would run.

A block of the language `sh` is run from its page's first to its last, in the page's order. If its first
line is a comment that begins with "# Terminal", it runs on in the background until its section ends;
other blocks have to end with status 0. A block of the language `text` right after a block shows lines
that it prints; `…` is any text. The comment `<!-- first live message -->` is after the block that shows it.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
WORDS_PER_MINUTE = 200
LIVE = "<!-- first live message -->"


@dataclass
class Block:
    text: str
    # Of the page up to this block.
    words: int
    # Lines that it prints.
    expected: list[str] = field(default_factory=list)
    # Whether it shows the first live message of the page.
    is_live: bool = False

    @property
    def is_background(self) -> bool:
        return self.text.startswith("# Terminal")


@dataclass
class Section:
    title: str
    blocks: list[Block] = field(default_factory=list)


def sections(page: Path) -> list[Section]:
    """Those with blocks to run."""
    found = [Section("")]
    words = 0
    block: list[str] | None = None
    language = ""
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            if block is None:
                block, language = [], line.removeprefix("```").strip()
            else:
                if language == "sh":
                    found[-1].blocks.append(Block("\n".join(block), words))
                elif language == "text" and found[-1].blocks:
                    found[-1].blocks[-1].expected += block
                block = None
        elif block is not None:
            block.append(line)
        elif line == LIVE:
            found[-1].blocks[-1].is_live = True
        elif line.startswith("## "):
            found.append(Section(line.removeprefix("## ")))
        words += len(line.split())
    assert block is None, f"{page}: a block has no end"
    return [section for section in found if section.blocks]


def missing(block: Block, output: str) -> list[str]:
    """The lines that the page shows and the output does not have."""
    return [
        line
        for line in block.expected
        if not re.search(".*".join(map(re.escape, line.strip().split("…"))), output)
    ]


@dataclass
class Live:
    """The moment of a page's first live message."""

    # Of the page up to it, code included.
    words: int
    # That the commands up to it took.
    command_seconds: float

    @property
    def reading_seconds(self) -> float:
        return self.words / WORDS_PER_MINUTE * 60

    def line(self, page: Path) -> str:
        return (
            f"| {page.stem} | {self.words} | {self.reading_seconds:.0f} s | {self.command_seconds:.1f} s "
            f"| {self.reading_seconds + self.command_seconds:.0f} s |"
        )


def record(page: Path, live: Live) -> None:
    """`make walks` prints these lines."""
    figures = REPOSITORY / ".build" / "walks"
    figures.mkdir(parents=True, exist_ok=True)
    (figures / f"{page.stem}.md").write_text(live.line(page) + "\n")
