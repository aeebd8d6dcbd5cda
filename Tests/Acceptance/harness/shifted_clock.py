"""A wall clock that the test moves while a hub runs; only that hub sees it."""

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_suffix(".c")
COMPILE_SECONDS = 60.0


class ShiftedClock:
    """Start the hub with `environment`."""

    def __init__(self, directory: Path) -> None:
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            pytest.skip("needs a C compiler, which the Swift toolchain has")
        library = directory / "shifted_clock.so"
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
        subprocess.run(command, check=True, timeout=COMPILE_SECONDS)
        self._path = directory / "shifted_clock"
        self.shift(0)
        self.environment = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._path)}

    def shift(self, seconds: int) -> None:
        """From here on the clock is so far ahead; the file stays the same one."""
        mode = "r+b" if self._path.exists() else "wb"
        with self._path.open(mode) as file:
            file.write(seconds.to_bytes(8, "little", signed=True))
