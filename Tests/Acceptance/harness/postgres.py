"""A PostgreSQL server of a test: on a port of its own, which stays the same over restarts."""

import errno
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

from harness.ports import free_port
from harness.waiting import wait_until

INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
IN_MEMORY = Path("/dev/shm")
ROOM_BYTES = 1 << 30
START_SECONDS = 60.0
FILLER, FILLER_BYTES = "filler", 4096


def is_missing() -> bool:
    return not INSTALLED


def can_have_disk() -> bool:
    """Whether tests can mount file systems that are gone with them: Tests/own-network.sh."""
    return os.geteuid() == 0 and bool(os.environ.get("OWN_MOUNTS"))


class Postgres:
    """A server whose files are in memory, if there is room: its commits are as safe as a process.

    Of a `primary`, it is a standby that follows it. With `disk_mib` it has a small disk of its own,
    which `fill_disk` fills: see `can_have_disk`.
    """

    def __init__(
        self, primary: "Postgres | None" = None, *, disk_mib: int | None = None
    ) -> None:
        self.port = free_port()
        has_room = IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ROOM_BYTES
        self._directory = Path(
            tempfile.mkdtemp(prefix="varde-postgres-", dir=IN_MEMORY if has_room else None)
        )
        # The server does not run as root.
        self._as_server: list[str] = []
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self._directory, account.pw_uid, account.pw_gid)
            self._as_server = [
                "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
            ]
        self._data = self._directory / "data"
        self._log = self._directory / "server.log"
        self._has_disk = disk_mib is not None
        if disk_mib is not None:
            self._mount_disk(disk_mib)
        self._frozen: list[int] = []
        if primary is None:
            self._run(
                "initdb", f"--pgdata={self._data}", "--username=varde", "--auth=trust",
                "--encoding=UTF8", "--locale=C", "--no-sync",
            )
        else:
            self._follow(primary)
        self.start()

    @classmethod
    def of(
        cls, stage: Any, primary: "Postgres | None" = None, *, disk_mib: int | None = None
    ) -> "Postgres":
        """A server that ends with the test."""
        server = cls(primary, disk_mib=disk_mib)
        stage.ends_with(server.close)
        return server

    def _follow(self, primary: "Postgres") -> None:
        self._run(
            "pg_basebackup", f"--pgdata={self._data}", f"--dbname={primary.url()}",
            "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
        )

    def rejoin(self, primary: "Postgres") -> None:
        """Makes a former primary server, which was killed, a standby of another one."""
        shutil.rmtree(self._data)
        self._follow(primary)
        self.start()

    def promote(self) -> None:
        """Makes a standby the primary server."""
        self._run("pg_ctl", "promote", f"--pgdata={self._data}", "--wait")

    def set(self, name: str, value: str) -> None:
        self.query(f"ALTER SYSTEM SET {name} = '{value}'")
        self.query("SELECT pg_reload_conf()")

    def url(self, **parameters: str) -> str:
        query = "&".join(f"{key}={value}" for key, value in parameters.items())
        return f"postgresql://varde@127.0.0.1:{self.port}/postgres" + (f"?{query}" if query else "")

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories="
        self._run(
            "pg_ctl", "start", f"--pgdata={self._data}", f"--log={self._log}", "--wait",
            f"--options={options}", f"--timeout={START_SECONDS:.0f}",
        )
        self._first = self._processes()[0]

    def kill(self) -> None:
        """`kill -9` of the server and of all its processes."""
        children = self._processes()
        for process in children:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(
            lambda: not any(Path(f"/proc/{process}").exists() for process in children),
            within=START_SECONDS,
            what="PostgreSQL has ended",
        )
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def freeze(self) -> None:
        """Stops all its processes: it keeps its connections, and answers nothing."""
        # The first one first: it would start others.
        first = self._processes()[0]
        os.kill(first, signal.SIGSTOP)
        self._frozen = self._processes()
        for process in self._frozen:
            os.kill(process, signal.SIGSTOP)

    def thaw(self) -> None:
        for process in self._frozen:
            try:
                os.kill(process, signal.SIGCONT)
            except ProcessLookupError:
                pass
        self._frozen = []

    def _processes(self) -> list[int]:
        first = int((self._data / "postmaster.pid").read_text().split()[0])
        found = subprocess.run(
            ["ps", "--ppid", str(first), "-o", "pid="], capture_output=True, text=True, check=False
        )
        return [first, *map(int, found.stdout.split())]

    def query(self, sql: str, *, check: bool = True) -> str:
        """The first column of the first row."""
        return self._run(
            "psql", "--no-psqlrc", "--tuples-only", "--no-align", "--command", sql, self.url(),
            check=check,
        ).strip()

    @property
    def is_running(self) -> bool:
        """Whether its first process is there; it ends if it cannot recover from a crash."""
        return Path(f"/proc/{self._first}").exists()

    def _mount_disk(self, mib: int) -> None:
        self._data.mkdir(mode=0o700)
        owner = pwd.getpwnam("postgres")
        options = f"size={mib}m,mode=0700,uid={owner.pw_uid},gid={owner.pw_gid}"
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "varde-postgres", str(self._data)], check=True
        )

    def fill_disk(self) -> None:
        """From here on, no file of the server can grow."""
        with (self._data / FILLER).open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(FILLER_BYTES))
            except OSError as error:
                assert error.errno == errno.ENOSPC, error

    def empty_disk(self) -> None:
        (self._data / FILLER).unlink()

    def dump(self, schema: str) -> Path:
        path = self._directory / f"{schema}.sql"
        self._run("pg_dump", f"--schema={schema}", f"--file={path}", self.url())
        return path

    def restore(self, dump: Path) -> None:
        self._run("psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--file={dump}", self.url())

    def close(self) -> None:
        self.thaw()
        if (self._data / "postmaster.pid").exists():
            self._run(
                "pg_ctl", "stop", f"--pgdata={self._data}", "--mode=immediate", check=False
            )
        if self._has_disk:
            subprocess.run(["umount", "--lazy", str(self._data)], check=False)
        shutil.rmtree(self._directory, ignore_errors=True)

    def _run(self, program: str, *arguments: str, check: bool = True) -> str:
        # Its output goes to a file: the server would keep a pipe open.
        output = self._directory / f"{program}-{threading.get_ident()}.log"
        with output.open("w") as file:
            status = subprocess.call(
                [*self._as_server, str(INSTALLED[-1] / program), *arguments],
                cwd=self._directory,
                stdout=file,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        text = output.read_text()
        assert status == 0 or not check, f"{program} ended with status {status}:\n{text}"
        return text
