"""A PostgreSQL server for the tests, in a temporary folder, on a free port."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DRIVER", "PostgreSQL", "running", "why_not"]

DRIVER = Path("/usr/share/java/postgresql.jar")
PASSWORD = "open sesame"
_INSTALL = "sh tests/spark/postgresql.sh, or apt install postgresql libpostgresql-jdbc-java"


def binaries() -> Path | None:
    """The folder with the programs of the newest PostgreSQL; Debian does not put it on the path."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve().parent] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "pg_ctl").exists()), None)


def why_not() -> str | None:
    """The reason why PostgreSQL cannot be tested here, if any."""
    if binaries() is None:
        return f"PostgreSQL is not installed: {_INSTALL}"
    if not DRIVER.exists():
        return f"the driver {DRIVER} is not installed: {_INSTALL}"
    if os.geteuid() == 0 and "postgres" not in {user.pw_name for user in pwd.getpwall()}:
        return "PostgreSQL does not run as root, and there is no user `postgres`"
    return None


@dataclass(frozen=True)
class PostgreSQL:
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    def ask(self, statement: str) -> list[str]:
        """The rows of a query, with `|` between columns."""
        folder = binaries()
        assert folder is not None
        command = [f"{folder}/psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "tester", "-d", "postgres"]
        done = subprocess.run(
            [*command, "-qAt", "-v", "ON_ERROR_STOP=1", "-c", statement],
            env={"PGPASSWORD": PASSWORD, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()


@contextmanager
def running() -> Iterator[PostgreSQL]:
    """A server that ends with the block; its folder is deleted."""
    with tempfile.TemporaryDirectory(prefix="holdsfor-postgresql-") as name:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        if os.geteuid() == 0:
            for path in (folder, folder / "password"):
                shutil.chown(path, "postgres", "postgres")
        user = ["-U", "tester", "-A", "scram-sha-256", "--pwfile", f"{folder}/password"]
        _run("initdb", "-D", f"{folder}/data", "--no-sync", *user)
        server = _started(folder)
        try:
            yield server
        finally:
            _run("pg_ctl", "-D", f"{folder}/data", "-w", "-m", "immediate", "stop")


def _started(folder: Path) -> PostgreSQL:
    """A server on a free port; another process may take the port first, so several ports are tried."""
    for _ in range(10):
        server = PostgreSQL(folder, _free_port())
        settings = f"-p {server.port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        start = ["-D", f"{folder}/data", "-l", f"{folder}/log", "-w", "-t", "300", "-o", settings, "start"]
        if _exit_code("pg_ctl", *start) == 0:
            return server
    raise AssertionError((folder / "log").read_text(encoding="utf-8"))


def _run(program: str, *arguments: str) -> None:
    assert _exit_code(program, *arguments) == 0, f"{program} {' '.join(arguments)}"


def _exit_code(program: str, *arguments: str) -> int:
    folder = binaries()
    assert folder is not None
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*as_postgres, f"{folder}/{program}", *arguments],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
