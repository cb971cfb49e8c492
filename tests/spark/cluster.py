"""A standalone Spark cluster on this machine, and a Python for its workers without this package."""

from __future__ import annotations

import os
import re
import sys
import tarfile
import venv
from dataclasses import dataclass
from pathlib import Path

from tests.spark.processes import Program, Programs

__all__ = ["Cluster", "Home", "packed", "python_without_us"]

# A JVM that runs for half a minute spends most of its time compiling code that runs once.
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"


def python_without_us(folder: Path) -> Path:
    """A Python with all packages of this environment except this one, like that of a machine in a cluster."""
    venv.create(folder, symlinks=True, with_pip=False)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    for known in sys.path:
        if Path(known).name not in ("site-packages", "dist-packages") or not Path(known).is_dir():
            continue
        for entry in Path(known).iterdir():
            is_ours = entry.name.startswith(("holdsfor", "__editable__")) or entry.suffix == ".pth"
            if not is_ours and not (packages / entry.name).exists():
                (packages / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def packed(folder: Path, to: Path) -> Path:
    """A folder as an archive, like the archives of `venv-pack` and `conda-pack`."""
    with tarfile.open(to, "w:gz") as archive:
        for entry in folder.iterdir():
            archive.add(entry, entry.name)
    return to


@dataclass(frozen=True)
class Home:
    """A home of Spark with its own writable folders, and links to the installed files."""

    folder: Path

    @staticmethod
    def make(folder: Path) -> Home:
        import pyspark

        installed = Path(pyspark.__file__).parent
        for name in ("bin", "sbin", "jars", "python"):
            (folder / name).symlink_to(installed / name)
        for name in ("conf", "local", "tmp"):
            (folder / name).mkdir()
        return Home(folder)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of Spark's programs, without any path to this package."""
        kept = {name: os.environ[name] for name in ("HOME", "JAVA_HOME", "LANG", "PATH") if name in os.environ}
        return {
            **kept,
            "SPARK_HOME": str(self.folder),
            "SPARK_CONF_DIR": str(self.folder / "conf"),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_LOG_DIR": str(self.folder / "logs"),
            "SPARK_PID_DIR": str(self.folder / "tmp"),
            "SPARK_DAEMON_MEMORY": "512m",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "TMPDIR": str(self.folder / "tmp"),
            "JDK_JAVA_OPTIONS": f"{_SHORT_LIVED} -Djava.io.tmpdir={self.folder / 'tmp'}",
        }

    def program(self, name: str) -> str:
        return str(self.folder / name)


@dataclass(frozen=True)
class Cluster:
    """A master with two workers, each with one core."""

    home: Home
    programs: Programs
    url: str

    @staticmethod
    def start(home: Home, programs: Programs) -> Cluster:
        spark_class, deploy = home.program("bin/spark-class"), "org.apache.spark.deploy"
        where = ["--host", "127.0.0.1", "--webui-port", "0"]
        master = programs.start("master", [spark_class, f"{deploy}.master.Master", *where, "--port", "0"])
        master.waits_for(lambda: _url(master) is not None)
        url = _url(master)
        assert url is not None
        for i in range(2):
            own = ["--cores", "1", "--memory", "1g", "--work-dir", str(home.folder / f"work{i}")]
            programs.start(f"worker{i}", [spark_class, f"{deploy}.worker.Worker", *where, *own, url])
        master.waits_for(lambda: master.said.count("Registering worker") == 2)
        return Cluster(home, programs, url)


def _url(master: Program) -> str | None:
    found = re.search(r"Starting Spark master at (spark://\S+)", master.said)
    return None if found is None else found.group(1)
