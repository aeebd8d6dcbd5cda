"""What the linker leaves an attacker who can write into memory."""

import re
import subprocess

from harness.processes import BINARY


def test_addresses_of_library_functions_are_read_only():
    sections = readelf("--dynamic")
    assert re.search(r"FLAGS_1.*\bNOW\b", sections), sections
    segments = readelf("--program-headers")
    assert "GNU_RELRO" in segments, segments


def test_stack_is_not_executable_and_addresses_are_random():
    segments = readelf("--program-headers")
    assert re.search(r"GNU_STACK .*\sRW\s", segments), segments
    assert re.search(r"FLAGS_1.*\bPIE\b", readelf("--dynamic"))


def readelf(what):
    command = ["readelf", "--wide", what, str(BINARY)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
