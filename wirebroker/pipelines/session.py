"""One small local Spark session with Spark's stock Kafka connector.

The connector comes by package name from Maven Central, through the Ivy that pyspark ships; it is fetched once and kept
in Ivy's cache.  Its version must be pyspark's own and its Scala version that of pyspark's jars.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wirebroker.pipelines.java import spark_java_home, trust_options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Spark would also search the machine's ~/.m2, where Maven leaves descriptions of packages without the packages (with
# which Ivy fails), and a second host that has none of these packages.  Without a lock a session does not find what
# another one, started at the same time, is writing to the cache.
IVY_SETTINGS = """\
<ivysettings>
  <caches lockStrategy="artifact-lock-nio"/>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true"/></resolvers>
</ivysettings>
"""
ATTEMPTS = 3
SIGNS_OF_A_FAILED_FETCH = ("unresolved dependency", "download failed", "FAILED DOWNLOADS")
# Spark runs for minutes on two cores: the optimizing compiler takes longer than it saves (measured: twice as slow).
SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class SparkStartError(Exception):
    """Spark did not start; the text names the log and has its last line."""


def connector(spark_version: str) -> str:
    """The package that holds the ``kafka`` source and sink of *spark_version*."""
    scala = "2.12" if spark_version.startswith("3.") else "2.13"
    return f"org.apache.spark:spark-sql-kafka-0-10_{scala}:{spark_version}"


@contextmanager
def spark_session(
    name: str, work_dir: Path, *, memory: str = "1g", java_options: str | None = None, **settings: str
) -> Iterator[Any]:
    """A session on two local cores; what Java and Ivy write goes to ``spark.log`` in *work_dir*.

    *java_options* replace trust_options().
    """
    import pyspark
    from pyspark.sql import SparkSession

    work_dir.mkdir(parents=True, exist_ok=True)
    os.environ["JAVA_HOME"] = str(spark_java_home(pyspark.__version__, work_dir))
    ivy_settings = work_dir / "ivysettings.xml"
    ivy_settings.write_text(IVY_SETTINGS)
    builder = SparkSession.builder.appName(name).master("local[2]")
    for key, value in {
        "spark.jars.packages": connector(pyspark.__version__),
        "spark.jars.ivySettings": str(ivy_settings),
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": f"{SHORT_RUN} {trust_options() if java_options is None else java_options}",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.local.dir": str(work_dir / "local"),
        "spark.sql.warehouse.dir": str(work_dir / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        **settings,
    }.items():
        builder = builder.config(key, value)
    spark = start(builder, work_dir / "spark.log")
    try:
        yield spark
    finally:
        spark.stop()


def start(builder: Any, log: Path) -> Any:
    """Start Spark and return the session; fetching packages is tried again (those that were fetched are in the cache).

    Raises:
        SparkStartError: the last attempt failed.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with output_to(log):
                return builder.getOrCreate()
        except Exception as error:
            end_of_log = last_lines(log)
            if attempt == ATTEMPTS or not any(sign in end_of_log for sign in SIGNS_OF_A_FAILED_FETCH):
                last = end_of_log.strip().rpartition("\n")[2] or str(error)
                raise SparkStartError(f"Spark did not start, see {log}: {last}") from error
            time.sleep(2 * attempt)
    raise AssertionError("unreachable")


@contextmanager
def output_to(path: Path) -> Iterator[None]:
    """Processes started inside write to *path* for as long as they live (Spark's Java is one)."""
    kept = []
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
        stream.flush()
        kept.append((stream, descriptor, os.dup(descriptor)))
        os.dup2(target, descriptor)
    os.close(target)
    try:
        yield
    finally:
        for stream, descriptor, before in kept:
            stream.flush()
            os.dup2(before, descriptor)
            os.close(before)


def last_lines(path: Path, count: int = 15) -> str:
    """The end of a log without Java's stack frames."""
    lines = [line for line in path.read_text(errors="replace").splitlines() if not line.startswith("\tat ")]
    return "\n".join(lines[-count:])
