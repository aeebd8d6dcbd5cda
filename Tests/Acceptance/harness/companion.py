"""A process beside the test that carries a load of its own and is asked how it goes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

END_SECONDS = 10.0


class Companion:
    """`python -m harness.<module>` with one line of orders and then, for each line, an answer."""

    def __init__(self, module: str, order: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"harness.{module}"],
            cwd=Path(__file__).resolve().parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._say(order)

    def ask(self, question: str) -> dict[str, Any]:
        self._say({"ask": question})
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, f"it ended with status {self._process.wait(END_SECONDS)}"
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(END_SECONDS)
        self._process.stdout.close()

    def _say(self, value: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()
