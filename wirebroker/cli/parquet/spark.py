"""A Spark session for one command, and its errors as one line."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.progress import elapsed_time
from wirebroker.cli.records.client_library import reach
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from typing import TextIO

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
            ExitStack() as open_until_the_end,
        ):
            with _standard_error() as stream, elapsed_time("start Spark, resolve its jars", stream):
                session = open_until_the_end.enter_context(spark_session("wirebroker", Path(directory)))
            session.sparkContext.setLogLevel("OFF")
            return work(session)
    except PySparkException as problem:
        print_error(str(problem).splitlines()[0])
    except (ClientError, ProtocolError, SparkStartError, NoJavaError) as problem:
        print_error(str(problem))
    return 1


@contextmanager
def _standard_error() -> Iterator[TextIO]:
    """Another descriptor of a terminal at standard error: while Spark starts, the usual one is that of Spark's log."""
    if not sys.stderr.isatty():
        yield sys.stderr
        return
    with open(os.dup(sys.stderr.fileno()), "w", encoding=sys.stderr.encoding) as stream:
        yield stream


def local_path(path: str) -> Path | None:
    """Return *path* if it is one of this machine; None for the URL of another file system, which Spark knows."""
    return None if "://" in path else Path(path.removeprefix("file:"))


def ended_tasks(spark: Any) -> int:
    """Return how many tasks of the stages that run now have ended."""
    tracker = spark.sparkContext.statusTracker()
    running = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
    return sum(each.numCompletedTasks for each in running if each is not None)
