"""Runs the programs of examples/ as their READMEs start them, against `varde dev`."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from .ports import free_port
from .processes import REPOSITORY, Process
from .stage import Stage
from .waiting import wait_until

PATIENCE_SECONDS = 30.0
END_SECONDS = 10.0


class Examples:
    """A copy of the folder, a hub, and the environment that the hub has printed."""

    def __init__(self, stage: Stage, *flags: str) -> None:
        self.stage = stage
        self.directory = stage.directory / "examples"
        shutil.copytree(REPOSITORY / "examples", self.directory)
        self.port = free_port()
        self.start_hub(*flags)

    def start_hub(self, *flags: str) -> Process:
        """Starts a hub at the port, and takes over its secrets."""
        address = f"127.0.0.1:{self.port}"
        self.hub = self.stage.run("dev", "dev", "--listen", address, *flags)
        wait_until(
            lambda: "Open namespaces:" in self.hub.output,
            within=PATIENCE_SECONDS,
            what=lambda: f"varde dev listens: {self.hub.log}",
        )
        self.environment = exported(self.hub.output)
        assert self.environment["VARDE_URL"] == f"http://{address}"
        return self.hub

    @property
    def key(self) -> str:
        return self.environment["VARDE_API_KEY"]

    def api(self, method: str, **fields: Any) -> Any:
        """The result of a method of the server API."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{method}",
            data=json.dumps(fields).encode(),
            headers={"X-API-Key": self.key},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return json.load(response)["result"]

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs an example to its end."""
        result = subprocess.run(
            self._command(command),
            cwd=self.directory,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert result.returncode == 0 or not check, result.stdout + result.stderr
        return result

    def start(self, *command: str, ready: str, **environment: str) -> "Program":
        """Starts an example, and returns when it has printed `ready`, a regular expression."""
        log = self.stage.directory / f"{Path(command[1]).stem}.out"
        program = Program(
            self._command(command), self.directory, self.environment | environment, log
        )
        self.stage.ends_with(program.stop)
        program.wait_for(ready)
        return program

    def _command(self, command: tuple[str, ...]) -> list[str]:
        name, *rest = command
        return [sys.executable if name == "python3" else name, *rest]


class Program:
    def __init__(
        self, command: list[str], directory: Path, environment: dict[str, str], log: Path
    ) -> None:
        self._log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                cwd=directory,
                env=os.environ | environment | {"PYTHONUNBUFFERED": "1"},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def wait_for(self, pattern: str) -> re.Match[str]:
        return wait_until(
            lambda: re.search(pattern, self.output),
            within=PATIENCE_SECONDS,
            what=lambda: f"/{pattern}/ in the output: {self.output}",
        )

    def interrupt(self) -> None:
        """Ends it as Ctrl-C does."""
        self._process.send_signal(2)
        self._process.wait(END_SECONDS)

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(END_SECONDS)


def exported(greeting: str) -> dict[str, str]:
    """The variables of the line that begins with `export`."""
    start = greeting.index("export ")
    line = greeting[start : greeting.index("\n\n", start)].replace("\\\n", " ")
    return dict(assignment.split("=", 1) for assignment in shlex.split(line)[1:])
