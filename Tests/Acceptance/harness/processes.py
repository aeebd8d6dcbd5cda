"""A process under test: started with its output in files, looked at from outside, ended."""

import os
import re
import signal
import subprocess
from pathlib import Path

from .waiting import wait_until

REPOSITORY = Path(__file__).resolve().parents[3]
# The binary under test; run.sh makes sure that it is there.
BINARY = (REPOSITORY / os.environ.get("VARDE", ".build/release/varde")).resolve()
# Only the release binary is held to the promises about memory and start.
IS_RELEASE = "release" in BINARY.parts
# Most of it is the program's own pages, which the system may drop.
MEMORY_MIB_MAX = 64
# What a body of 50 MB, on the wire or inflated, may add.
GROWTH_MIB_MAX = 16

END_SECONDS = 10.0


class Process:
    """One run of the binary. Its standard output and error are files in the test's directory.

    With `descriptors` it may open so many and not raise the limit. `environment` is added to the
    test's own. `wrapper` is a command that becomes the binary, with the same process id. `error` is
    a descriptor for standard error instead of the file. `binary` is another one than the tests'.
    """

    def __init__(
        self,
        name: str,
        arguments: list[str],
        directory: Path,
        *,
        descriptors: int | None = None,
        environment: dict[str, str] | None = None,
        wrapper: list[str] | None = None,
        error: int | None = None,
        binary: Path = BINARY,
    ) -> None:
        self.name = name
        command = [*(wrapper or []), str(binary), *arguments]
        if descriptors is not None:
            # It becomes the binary, with the same process id.
            command = ["prlimit", f"--nofile={descriptors}:{descriptors}", *command]
        self.output_path = directory / f"{name}.out"
        self.log_path = directory / f"{name}.log"
        with self.output_path.open("wb") as output, self.log_path.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=REPOSITORY,
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log if error is None else error,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def output(self) -> str:
        return self.output_path.read_text(errors="replace")

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def wait_for_log(self, pattern: str, *, within: float) -> re.Match[str]:
        """The first match in the log."""
        return wait_until(
            lambda: re.search(pattern, self.log),
            within=within,
            what=f"/{pattern}/ in the log of {self.name}",
        )

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def suspend(self) -> None:
        """Stops the process with all its threads. On a busy machine some run on after the signal."""
        self.signal(signal.SIGSTOP)
        wait_until(self._is_stopped, within=END_SECONDS, what=f"{self.name} is stopped")

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    def _is_stopped(self) -> bool:
        states = (task / "stat" for task in Path(f"/proc/{self.pid}/task").iterdir())
        # The name before the state may have spaces and parentheses.
        return all(each.read_text().rpartition(")")[2].split()[0] == "T" for each in states)

    def wait(self, *, within: float = END_SECONDS) -> int:
        """The exit status; negative for the signal that ended it."""
        try:
            return self._process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} still runs after {within:g} s") from None

    def kill(self) -> None:
        """Ends it as a crash would: without a word."""
        self._process.kill()
        self._process.wait(END_SECONDS)

    def stop(self) -> None:
        """Ends it however possible; for the end of a test."""
        if not self.is_running:
            return
        self.signal(signal.SIGTERM)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    # What the kernel says about it.

    @property
    def peak_memory_mib(self) -> float:
        return self._status_kib("VmHWM") / 1024

    @property
    def memory_mib(self) -> float:
        return self._status_kib("VmRSS") / 1024

    @property
    def cpu_ticks(self) -> int:
        """User and system time so far, in ticks of the kernel's clock, usually 10 ms."""
        text = Path(f"/proc/{self.pid}/stat").read_text()
        # The second field may hold spaces; it ends with the last bracket.
        fields = text[text.rindex(")") + 2 :].split()
        return int(fields[11]) + int(fields[12])

    @property
    def descriptor_count(self) -> int:
        """How many files, sockets and the like it has open."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def _status_kib(self, key: str) -> int:
        text = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(rf"^{key}:\s+(\d+) kB$", text, re.MULTILINE)
        assert found, f"no {key} in the status of {self.name}"
        return int(found[1])
