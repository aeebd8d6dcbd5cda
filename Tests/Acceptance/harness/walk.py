"""One reader who runs a page's blocks with the binary under test."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .pages import Block, Live, Section, missing
from .processes import BINARY, REPOSITORY
from .waiting import wait_until

BLOCK_SECONDS = 60.0
# Of every hub on a page.
HUB_PORT = 8000
STOP_SECONDS = 20.0
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
        self._begin = time.monotonic()
        # When the page's first live message had come.
        self.live: Live | None = None

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
            wait_until(
                lambda block=block, output=output: not missing(block, output + self._printed()),
                within=BLOCK_SECONDS,
                what=lambda block=block, output=output: f"{block.text}: {output + self._printed()}",
            )
            if block.is_live:
                self.live = Live(block.words, time.monotonic() - self._begin)
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

    def _printed(self) -> str:
        return "\n".join(each.output for each in self._background)

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
            found = re.search(pattern, self._printed())
            assert found, f"no background command has printed {match[1]}: {self._printed()}"
            return f"{match[1]}='{found[1]}'"

        return re.sub(r"^([A-Z]+)=\.\.\.$", value, text, flags=re.MULTILINE)
