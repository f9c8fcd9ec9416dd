"""The process in which a demo's pipeline runs: started by `supervisor.py`, which reads `results.json` afterwards.

Standard input has one line of JSON, the request, and stays open; when it ends, the command that started this process
was killed, and the whole process group ends itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from wirebroker.cli.connection import DEFAULT_BOOTSTRAP_SERVER
from wirebroker.cli.progress import Progress
from wirebroker.cli.standard_streams import print_error
from wirebroker.pipelines.flights import PARTITIONS, run_flights
from wirebroker.pipelines.java import NoJavaError
from wirebroker.pipelines.local_broker import NoBrokerError, listens, local_broker
from wirebroker.pipelines.produce import ProduceError, Topics
from wirebroker.pipelines.session import SparkStartError

RESULTS, TOPICS_MADE, TRACEBACK = "results.json", "topics-made-at", "traceback.txt"
"""Files in the work directory: the outcome; the broker whose topics are to be deleted; why the files are to be kept."""


def main() -> int:
    """Run the pipeline of the request on standard input and return the exit code."""
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_command, daemon=True).start()
    work_dir = Path(request["work_dir"])
    try:
        _run(request, work_dir)
    except (NoBrokerError, NoJavaError, ProduceError) as problem:
        print_error(str(problem))
        return 1
    except SparkStartError as problem:
        (work_dir / TRACEBACK).write_text(traceback.format_exc())
        print_error(str(problem))
        return 1
    except Exception as problem:  # Spark's errors are of many kinds, and long
        (work_dir / TRACEBACK).write_text(traceback.format_exc())
        print_error(str(problem).partition("\n")[0])
        return 1
    return 0


def _end_with_command() -> None:
    while os.read(0, 1024):
        pass
    os.killpg(0, signal.SIGKILL)


def _run(request: dict[str, Any], work_dir: Path) -> None:
    """Run the pipeline and write its results, under another name until they are complete."""
    with ExitStack() as stack:
        bootstrap = _broker(request, work_dir, stack)
        os.chdir(work_dir)  # Spark 4 makes a directory "artifacts" where it is started
        outcome = run_flights(bootstrap, work_dir, request["limit"], _progress_bar)
    results = {"bootstrap": bootstrap, **outcome._asdict()}
    unfinished = work_dir / f"{RESULTS}.tmp"
    unfinished.write_text(json.dumps(results))
    unfinished.replace(work_dir / RESULTS)


def _progress_bar(title: str, total: int = 0, unit: str = "") -> Progress:
    return Progress(total, title=title, unit=unit, keep=True)


def _broker(request: dict[str, Any], work_dir: Path, stack: ExitStack) -> str:
    """The address of a broker with empty topics for the pipeline; one is started if none runs."""
    bootstrap: str = request["bootstrap_server"] or DEFAULT_BOOTSTRAP_SERVER
    if not listens(bootstrap):
        if request["bootstrap_server"]:
            raise NoBrokerError(f"nothing listens at {bootstrap}")
        own = stack.enter_context(local_broker(work_dir))
        _print_step(f"nothing listens at {bootstrap}: started a broker at {own}")
        Topics(own).create(PARTITIONS)
        return own
    _print_step(f"using the broker at {bootstrap}")
    topics = Topics(bootstrap)
    existing = topics.existing(PARTITIONS)
    if existing and not request["replace"]:
        names = " and ".join(existing)
        raise ProduceError(f"{bootstrap} has {names} already: --replace deletes what is there and starts afresh")
    topics.delete(existing)
    (work_dir / TOPICS_MADE).write_text(bootstrap)
    topics.create(PARTITIONS)
    return bootstrap


def _print_step(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
