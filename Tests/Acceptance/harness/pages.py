"""Pages of the documentation, run block by block as a reader would run them.

A block of the language `sh` is run from its page's first to its last, in the page's order. If its first
line is a comment that begins with "# Terminal", it runs on in the background until its section ends;
other blocks have to end with status 0. `KEY=...` and the like stand for what a background command has printed.
A block of the language `text` right after a block shows lines that it prints; `…` stands for any text.
"""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from .processes import BINARY, REPOSITORY
from .waiting import wait_until

BLOCK_SECONDS = 60.0
# Of every hub on a page.
HUB_PORT = 8000
STOP_SECONDS = 20.0
WORDS_PER_MINUTE = 200
# What a placeholder stands for: a pattern in the output of a background block of the section.
PLACEHOLDERS = {
    "KEY": r"API key:\s+(\S+)",
    "SECRET": r"token secret:\s+(\S+)",
}
# In place of building and installing: the binary is there, and the tests do not change the machine.
STAND_INS = {
    "make": """
for goal; do
    command -p make --dry-run --directory '{repository}' "$goal" >/dev/null
    if [ "$goal" = run ]; then exec demo/run.sh; fi
done
""",
    "sudo": """
exec "$@"
""",
    "install": """
[ -x "$1" ] && [ "${{!#}}" = /usr/local/bin/ ]
""",
}


@dataclass
class Block:
    text: str
    # Of the page up to this block.
    words: int
    # Lines that it prints.
    expected: list[str] = field(default_factory=list)

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
class Background:
    block: Block
    process: subprocess.Popen
    path: Path

    @property
    def output(self) -> str:
        return self.path.read_text(errors="replace")


class Walk:
    """One reader with a directory that looks like the repository, and a network of their own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "walk"
        self.directory.mkdir()
        for each in REPOSITORY.iterdir():
            if each.name not in (".demo", ".git", ".build"):
                (self.directory / each.name).symlink_to(each)
        release = self.directory / ".build" / "release"
        release.mkdir(parents=True)
        (release / "varde").symlink_to(BINARY)
        commands = self.directory / ".commands"
        commands.mkdir()
        (commands / "varde").symlink_to(BINARY)
        for name, text in STAND_INS.items():
            script = commands / name
            script.write_text("#!/usr/bin/env bash\nset -eu" + text.format(repository=REPOSITORY))
            script.chmod(0o755)
        self._environment = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}"}
        # The network lasts as long as this process.
        self._network = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._network.stdout.readline() == b"up\n", "no network of its own"
        self._background: list[Background] = []

    def run(self, section: Section) -> None:
        """Runs the blocks of a section. At the end, background blocks have printed what the page shows."""
        for block in section.blocks:
            if block.is_background:
                self._start(block)
                continue
            process = subprocess.run(
                self._command(self._remembering(self._filled(block.text))),
                cwd=self.directory,
                env=self._environment,
                capture_output=True,
                text=True,
                timeout=BLOCK_SECONDS,
                check=False,
            )
            output = process.stdout + process.stderr
            assert process.returncode == 0, (block.text, output)
            assert missing(block, output) == [], (block.text, output)
        for background in self._background:
            wait_until(
                lambda background=background: background.output
                and not missing(background.block, background.output),
                within=BLOCK_SECONDS,
                what=lambda background=background: (
                    f"{background.block.text} prints "
                    f"{missing(background.block, background.output)}: {background.output}"
                ),
            )

    def end(self) -> None:
        """Stops what runs in the background, the last first."""
        for process in (each.process for each in reversed(self._background)):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._background.clear()

    def close(self) -> None:
        self.end()
        self._network.stdin.close()
        self._network.wait(STOP_SECONDS)

    def _command(self, text: str) -> list[str]:
        network = ["nsenter", "--net", f"--target={self._network.pid}"]
        return [*network, "bash", "-euo", "pipefail", "-c", text]

    def _remembering(self, text: str) -> str:
        """The variables of a block are there for the next ones, as in one terminal."""
        kept = f"'{self.directory / '.variables'}'"
        return f"[ ! -e {kept} ] || . {kept}\nset -a\n{text}\nset +a\nexport -p >{kept}"

    def _start(self, block: Block) -> None:
        path = self.directory / f".output.{len(self._background)}"
        with path.open("wb") as file:
            process = subprocess.Popen(
                self._command(self._remembering(block.text)),
                cwd=self.directory,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._background.append(Background(block, process, path))
        wait_until(
            lambda: process.poll() is not None or (path.stat().st_size and self._is_served()),
            within=BLOCK_SECONDS,
            what=f"{block.text} prints something, and a hub listens",
        )
        assert process.poll() is None, (block.text, path.read_text())

    def _is_served(self) -> bool:
        probe = f"exec 3<>/dev/tcp/127.0.0.1/{HUB_PORT}"
        return subprocess.run(self._command(probe), capture_output=True, check=False).returncode == 0

    def _filled(self, text: str) -> str:
        """The text with values in place of `NAME=...`."""

        def value(match: re.Match[str]) -> str:
            pattern = PLACEHOLDERS[match[1]]
            outputs = "\n".join(each.output for each in self._background)
            found = re.search(pattern, outputs)
            assert found, f"no background command has printed {match[1]}: {outputs}"
            return f"{match[1]}='{found[1]}'"

        return re.sub(r"^([A-Z]+)=\.\.\.$", value, text, flags=re.MULTILINE)


def reading_seconds(words: int) -> float:
    return words / WORDS_PER_MINUTE * 60
