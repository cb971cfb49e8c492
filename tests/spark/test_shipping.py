"""The package as a zip: complete, reproducible, and shipped once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.spark.cluster.shipping import package

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSIDE = """
import pkgutil, sys
sys.path.insert(0, sys.argv[1])
import holdsfor
from holdsfor.spark.cluster.shipping import package
assert holdsfor.__file__.startswith(sys.argv[1])
sys.stdout.write("\\n".join(module.name for module in pkgutil.walk_packages(holdsfor.__path__, "holdsfor.")))
sys.exit(package() != open(sys.argv[1], "rb").read())
"""


def test_the_zip_has_every_module_and_can_build_itself(tmp_path: Path) -> None:
    zipped = tmp_path / "holdsfor.zip"
    assert main(["spark", "package", "-o", str(zipped)]) == 0
    assert zipped.read_bytes() == package()
    inside = subprocess.run([sys.executable, "-c", INSIDE, str(zipped)], capture_output=True, text=True)
    assert inside.returncode == 0, inside.stderr
    source = Path(hf.__file__).parent
    modules = {path.relative_to(source.parent).with_suffix("") for path in source.rglob("*.py")}
    expected = {".".join(path.parts).removesuffix(".__init__") for path in modules} - {"holdsfor"}
    assert set(inside.stdout.split()) == expected


def test_a_second_shipment_of_the_same_package_does_nothing(spark: SparkSession) -> None:
    hf.spark.ship(spark)
    hf.spark.ship(spark)
    assert len([path for path in spark.sparkContext.listFiles if "/holdsfor-" in path]) == 1
