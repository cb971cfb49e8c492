"""Shipping: this package for the workers of a cluster.

Functions are pickled by name, so the worker that unpickles them imports this package. Spark sends packages as a zip
from which Python imports (wheels are not accepted). NumPy, pyarrow and pandas are compiled and cannot be imported from
a zip; they must be installed where the workers run.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from holdsfor.spark.cluster.connect import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["package", "ship"]

_PACKAGE = "holdsfor"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def package() -> bytes:
    """This package as a zip from which Python can import; the same code gives the same bytes."""
    zipped = BytesIO()
    with ZipFile(zipped, "w") as archive:
        for name, content in sorted(_files(files(_PACKAGE), _PACKAGE)):
            archive.writestr(ZipInfo(name, _EPOCH), content, ZIP_DEFLATED)
    return zipped.getvalue()


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """The files of a folder, which may be inside a zip."""
    for entry in folder.iterdir():
        if entry.is_file():
            yield f"{path}/{entry.name}", entry.read_bytes()
        elif entry.name != "__pycache__":
            yield from _files(entry, f"{path}/{entry.name}")


def ship(spark: SparkSession) -> None:
    """Send this package to the workers of a session, in place of any installed version.

    >>> import holdsfor as hf
    >>> hf.spark.ship(spark)
    """
    content = package()
    # Spark refuses a second file of the same name with other content, such as one given with `--py-files`.
    name = f"{_PACKAGE}-{sha256(content).hexdigest()[:12]}.zip"
    if is_connect(spark):
        with TemporaryDirectory() as folder:
            spark.addArtifacts(str(_written(Path(folder), name, content)), pyfile=True)
    else:
        _ship_from_driver(spark, name, content)


def _ship_from_driver(spark: SparkSession, name: str, content: bytes) -> None:
    """Send the zip with all following tasks.

    Executors fetch the zip from the driver when they start, also late ones. The zip is therefore stored with the files
    of the session, which are deleted when the session ends.
    """
    from pyspark import SparkFiles

    root = Path(SparkFiles.getRootDirectory())
    if not (root / name).exists():
        spark.sparkContext.addPyFile(str(_written(Path(mkdtemp(dir=root)), name, content)))


def _written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
