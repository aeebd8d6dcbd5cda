#!/usr/bin/env python3
"""Runs docs/tutorials/debian-server.md on a clean Debian with systemd: walk.py PACKAGE ROOT

ROOT is a directory of debian-root.sh, which is changed. systemd runs in namespaces, with loopback as its only
network.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "Tests/Acceptance"))

from harness.pages import Live, missing, record, sections

PAGE = REPOSITORY / "docs/tutorials/debian-server.md"
BOOT_SECONDS = 180.0
BLOCK_SECONDS = 120.0
READING_SECONDS_MAX = 240
# systemd's own group, so that nothing of the machine's service manager is touched.
GROUPS = [Path("/sys/fs/cgroup/systemd"), Path("/sys/fs/cgroup")]


class CannotBoot(Exception):
    """This machine does not allow the namespaces, or has no control groups that can be written."""


class Machine:
    def __init__(self, root: str) -> None:
        self.root = root
        parent = next((path for path in GROUPS if (path / "cgroup.procs").exists()), GROUPS[0])
        self._group = parent / f"varde-walk-{os.getpid()}"
        try:
            self._group.mkdir()
        except OSError as error:
            raise CannotBoot(str(error)) from error
        namespaces = ["--pid", "--mount", "--net", "--uts", "--ipc", "--cgroup"]
        self._process = subprocess.Popen(
            ["unshare", *namespaces, "--fork", "--kill-child", REPOSITORY / "packaging/boot.sh", root],
            stdin=subprocess.DEVNULL,
            preexec_fn=lambda: (self._group / "cgroup.procs").write_text("0"),
        )
        self._first = self._child()

    def wait_until_it_runs(self) -> None:
        end = time.monotonic() + BOOT_SECONDS
        state = ""
        while time.monotonic() < end:
            state = self.run("systemctl is-system-running", check=False).stdout.strip()
            # "degraded" where a unit that is not ours is not possible in these namespaces.
            if state in ("running", "degraded"):
                return
            time.sleep(0.2)
        failed = self.run("systemctl list-units --failed; journalctl --no-pager -n 50", check=False)
        raise AssertionError(f"systemd is {state}: {failed.stdout}")

    def run(self, text: str, check: bool = True) -> subprocess.CompletedProcess:
        process = subprocess.run(
            ["nsenter", f"--target={self._first}", "--all", "--root", "--wd", "/usr/bin/env", "-i"]
            + ["HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
            + ["DEBIAN_FRONTEND=noninteractive", "bash", "-euo", "pipefail", "-c", f"cd /root\n{text}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=BLOCK_SECONDS,
            check=False,
        )
        assert not check or process.returncode == 0, (text, process.stdout, process.stderr)
        return process

    def end(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        # Its processes end with the first of them, and leave the groups that systemd has made.
        for _ in range(100):
            try:
                for group, _, _ in os.walk(self._group, topdown=False):
                    os.rmdir(group)
                return
            except OSError:
                time.sleep(0.1)

    def _child(self) -> int:
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        end = time.monotonic() + BOOT_SECONDS
        while time.monotonic() < end:
            try:
                first = children.read_text().split()[0]
                if Path(f"/proc/{first}/comm").read_text() == "systemd\n":
                    return int(first)
            except (IndexError, OSError):
                pass  # Between two programs, or at its end.
            if self._process.poll() is not None:
                self.end()
                raise CannotBoot(f"boot.sh ended with status {self._process.returncode}")
            time.sleep(0.05)
        self.end()
        raise AssertionError("systemd has not started")


def walk(machine: Machine) -> None:
    live: Live | None = None
    begin = time.monotonic()
    kept = "/root/.variables"
    for section in sections(PAGE):
        for block in section.blocks:
            text = f"[ ! -e {kept} ] || . {kept}\nset -a\n{block.text}\nset +a\nexport -p >{kept}"
            process = machine.run(text, check=False)
            output = process.stdout + process.stderr
            if process.returncode != 0:
                log = machine.run("journalctl --no-pager -n 40; cat /etc/varde/varde.yaml", check=False)
                raise AssertionError(f"{block.text}\n{output}\n{log.stdout}")
            assert not missing(block, output), (block.text, output)
            if block.is_live:
                live = Live(block.words, time.monotonic() - begin)
        print(f"walk: {section.title}")
    assert live, "the page does not mark its first live message"
    assert live.reading_seconds <= READING_SECONDS_MAX
    record(PAGE, live)


def remove(machine: Machine, package: str) -> None:
    """Installs the package over itself, then removes and purges it, with the service running."""
    first = machine.run("systemctl show --property=MainPID --value varde").stdout
    machine.run(f"apt-get install --quiet --yes --reinstall ./{package}")
    assert machine.run("systemctl is-active varde").stdout == "active\n"
    assert machine.run("systemctl show --property=MainPID --value varde").stdout != first
    print("walk: installed again, and the service was restarted")
    machine.run("apt-get remove --quiet --yes varde")
    assert machine.run("systemctl is-active varde", check=False).stdout == "inactive\n"
    machine.run("test -s /var/lib/varde/varde.sqlite")
    machine.run("apt-get purge --quiet --yes varde && test ! -e /var/lib/varde && test ! -e /etc/varde")
    print("walk: removed and purged")


def main(package: str, root: str) -> None:
    (Path(root) / "root" / Path(package).name).write_bytes(Path(package).read_bytes())
    try:
        machine = Machine(root)
    except CannotBoot as reason:
        print(f"skipped: the walk through the tutorial with systemd: {reason}")
        return
    try:
        machine.wait_until_it_runs()
        walk(machine)
        exposure = machine.run("systemd-analyze security varde --no-pager | tail -n 1").stdout
        print(f"walk: {exposure.strip()}")
        remove(machine, Path(package).name)
    finally:
        machine.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
