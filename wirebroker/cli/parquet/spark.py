"""A Spark session for one command, and its errors as one line."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.output import print_error
from wirebroker.cli.records.client_library import reach
from wirebroker.client.connection import ClientError
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

INSTALL: Final = "pip install 'wirebroker[spark]'"


def run_with_spark(args: argparse.Namespace, check: Callable[[], None], work: Callable[[Any], int]) -> int:
    """Start Spark, call *work* with the session and return its exit code; print an error in one line and return 1.

    *check* is called before Spark starts, which takes seconds; it raises ClientError or ProtocolError.
    """
    try:
        import pyspark  # noqa: F401  # found missing before anything is started

        from wirebroker.pipelines.java import NoJavaError
        from wirebroker.pipelines.session import SparkStartError, spark_session
    except ImportError:
        print_error(f"this command needs PySpark: {INSTALL}")
        return 1
    from pyspark.errors import PySparkException

    try:
        reach(args.bootstrap_server, args.timeout / 1000, args.security)
        check()
        with (
            tempfile.TemporaryDirectory(prefix="wirebroker-spark-") as directory,
            spark_session("wirebroker", Path(directory)) as session,
        ):
            session.sparkContext.setLogLevel("OFF")
            return work(session)
    except PySparkException as problem:
        print_error(str(problem).splitlines()[0])
    except (ClientError, ProtocolError, SparkStartError, NoJavaError) as problem:
        print_error(str(problem))
    return 1


def local_path(path: str) -> Path | None:
    """Return *path* if it is one of this machine; None for the URL of another file system, which Spark knows."""
    return None if "://" in path else Path(path.removeprefix("file:"))
