"""One workload against wirebroker under cProfile: where the broker's Python time goes.

cProfile slows small calls down most, so read shares, not seconds.
"""

import io
import pstats

from tools.bench.broker_session import BrokerSession
from tools.bench.brokers import Wirebroker, scratch
from tools.bench.compare import WORKLOADS


def profile(name: str, lines: int) -> str:
    """The functions that took longest by own time, as text."""
    (workload,) = (each for each in WORKLOADS if each.name == name)
    with scratch() as directory:
        found = directory / "profile"
        broker = Wirebroker(directory / "wirebroker")
        broker.python_options = ("-m", "cProfile", "-o", str(found))
        broker.start()
        try:
            session = BrokerSession(broker, quick=True)
            workload.prepare(session)
            workload.measure(session)
        finally:
            broker.stop()
        text = io.StringIO()
        pstats.Stats(str(found), stream=text).strip_dirs().sort_stats("tottime").print_stats(lines)
    return text.getvalue()
