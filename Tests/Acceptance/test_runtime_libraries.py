"""The system libraries that the binaries load, against the table in docs/OPERATIONS.md."""

import re
import subprocess
import sys

import pytest

from harness.processes import BINARY, IS_RELEASE, REPOSITORY

sys.path.append(str(REPOSITORY / "licences"))
from runtime import libraries  # noqa: E402

# Other builds load Swift's libraries, too.
pytestmark = pytest.mark.skipif(not IS_RELEASE, reason="not a release")

LOAD = BINARY.with_name("varde-load")


def test_hub_loads_exactly_the_documented_libraries():
    assert needed(BINARY) == documented(direct=True)


def test_load_generator_loads_only_documented_libraries():
    assert needed(LOAD) <= documented(direct=True)


@pytest.mark.parametrize("binary", [BINARY, LOAD], ids=lambda path: path.name)
def test_every_library_is_found_and_brings_only_documented_ones(binary):
    lines = run("ldd", binary).splitlines()
    assert not [line for line in lines if "not found" in line]
    loaded = {line.split()[0].rpartition("/")[2] for line in lines}
    assert loaded - {"linux-vdso.so.1"} <= documented()


@pytest.mark.parametrize("library", libraries(), ids=lambda library: library.package)
def test_documented_package_has_the_documented_files(library):
    for file in library.files:
        owners = run("dpkg-query", "--search", f"*/{file}")
        assert re.search(rf"^{re.escape(library.package)}(:\w+)?: ", owners, re.MULTILINE), owners


def documented(*, direct=False):
    found = [library for library in libraries() if library.is_direct or not direct]
    return {file for library in found for file in library.files}


def needed(binary):
    dynamic = run("readelf", "--wide", "--dynamic", binary)
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))


def run(*command):
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
