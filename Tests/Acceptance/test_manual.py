"""Shell completions and man pages, as `make completions` and `make man` write them."""

import shutil
import subprocess
import sys

import pytest

from harness.processes import BINARY, REPOSITORY

COMMAND_SECONDS = 30.0


def output(*command):
    return subprocess.run(
        command, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=True
    ).stdout


@pytest.fixture
def pages(tmp_path):
    output(sys.executable, str(REPOSITORY / "manual/man.py"), str(BINARY), str(tmp_path))
    return {path.name: path.read_text() for path in tmp_path.iterdir()}


def test_every_command_has_a_page(pages):
    assert {"varde.1", "varde-dev.1", "varde-serve.1", "varde-token-create.1"} <= pages.keys()
    for name in ("dev", "init", "serve", "subscribe", "check-config", "token"):
        assert f"varde-{name}.1" in pages
        assert f"\\fB{name}\\fR".replace("-", "\\-") in pages["varde.1"]


def test_pages_have_options_with_defaults_and_no_line_that_roff_takes_for_a_request(pages):
    assert "\\fB\\-\\-listen\\fR" in pages["varde-dev.1"]
    assert "(default: 127.0.0.1:8000)" in pages["varde-dev.1"]
    for name, text in pages.items():
        requests = {line.split()[0] for line in text.split("\n") if line.startswith((".", "'"))}
        assert requests <= {".TH", ".SH", ".TP"}, name


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_groff_has_no_warnings(pages, tmp_path):
    for name in pages:
        result = subprocess.run(
            ["groff", "-K", "utf8", "-man", "-ww", "-z", str(tmp_path / name)],
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=True,
        )
        assert result.stderr == "", name


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_know_the_commands_and_are_scripts(shell, tmp_path):
    text = output(str(BINARY), "--generate-completion-script", shell)
    for word in ("dev", "init", "check-config", "token-file"):
        assert word in text, word
    if shutil.which(shell):
        script = tmp_path / "completion"
        script.write_text(text)
        output(shell, "-n", str(script))
