"""Time limits of the tests: a wait that takes longer fails its test, and does not keep the whole run from ending.

flush(producer)
join(thread)
within(60, client.commit_transaction)
"""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

WITHIN_S: Final = 120
"""How long a wait may last where nothing else is said: far more than a busy machine needs."""


def flush(producer: Any, timeout_s: float = WITHIN_S) -> None:
    """Wait until every record of a producer of confluent-kafka was acknowledged or has failed.

    Raises:
        TimeoutError: some were neither in *timeout_s*; they are dropped, or librdkafka would go on with them.
    """
    left = producer.flush(timeout_s)
    if left:
        producer.purge()
        producer.poll(0)
        raise TimeoutError(f"{left} records were neither acknowledged nor refused in {timeout_s} s")


def join(*threads: Thread, timeout_s: float = WITHIN_S) -> None:
    """Wait until threads have ended; they must be daemons, so that those that do not end cannot hold the process.

    Raises:
        TimeoutError: a thread still runs after *timeout_s*.
    """
    for thread in threads:
        thread.join(timeout_s)
    left = [thread.name for thread in threads if thread.is_alive()]
    if left:
        raise TimeoutError(f"still running after {timeout_s} s: {', '.join(left)}")


def within(timeout_s: float, call: Callable[[], object]) -> None:
    """Make a call that takes no limit itself, in a thread; raise what it raises.

    Raises:
        TimeoutError: the call takes longer than *timeout_s*; its thread goes on.
    """
    failed: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as failure:
            failed.append(failure)

    thread = Thread(target=run, name=repr(call), daemon=True)
    thread.start()
    join(thread, timeout_s=timeout_s)
    for failure in failed:
        raise failure


def errors_into(failed: list[Any]) -> Callable[[object, object], None]:
    """A delivery report that adds the errors of records to *failed*.

    It refers to nothing else: a record that is never delivered keeps its report, and a method of the object that has
    the producer would keep the producer, whose threads go on for ever.
    """

    def delivered(error: object, _: object) -> None:
        if error is not None:
            failed.append(error)

    return delivered
