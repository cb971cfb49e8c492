"""Jars from Maven Central in a cache, for tests that need more than Spark has."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

__all__ = ["CACHE", "copied_jars", "why_not"]

CACHE = Path(os.environ.get("HOLDSFOR_JARS", Path.home() / ".cache" / "holdsfor-jars"))
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>holdsfor</groupId><artifactId>tests</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency></dependencies>
</project>
"""


def why_not() -> str | None:
    """The reason why Maven cannot be used here, if any."""
    return "mvn is not installed: apt install maven" if shutil.which("mvn") is None else None


def copied_jars(name: str, artifact: tuple[str, str, str], *options: str) -> list[Path]:
    """The jars of a group, artifact and version and of their dependencies, in the folder `name` of the cache."""
    folder = CACHE / name
    if not folder.is_dir():
        beside = CACHE / f".{name}-{os.getpid()}"
        beside.mkdir(parents=True)
        (beside / "pom.xml").write_text(_POM.format(*artifact), encoding="utf-8")
        command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars", *options]
        subprocess.run(command, cwd=beside, check=True, timeout=300, capture_output=True)
        (beside / "jars").rename(folder)
        shutil.rmtree(beside)
    return sorted(folder.glob("*.jar"))
