"""The screen of `wirebroker top` made of two scrapes of a broker's metrics."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from wirebroker.cli.monitor.screen import Screen, Section, short
from wirebroker.cli.output import Column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.cli.monitor.scrape import Series

_TOPIC: Final = "kafka_server_brokertopicmetrics_"
_REQUEST: Final = "kafka_network_requestmetrics_"
_TOPICS: Final = (
    Column("TOPIC", "topic"),
    Column("MSG/S", "messages", ">"),
    Column("IN B/S", "bytes_in", ">"),
    Column("OUT B/S", "bytes_out", ">"),
    Column("SIZE", "size", ">"),
)
_GROUPS: Final = (Column("GROUP", "group"), Column("TOPIC", "topic"), Column("LAG", "lag", ">"))
_REQUESTS: Final = (
    Column("REQUEST", "request"),
    Column("REQ/S", "requests", ">"),
    Column("P50 MS", "p50", ">"),
    Column("P99 MS", "p99", ">"),
    Column("ERRORS/S", "errors", ">"),
)
_DISKS: Final = (
    Column("LOG DIRECTORY", "directory"),
    Column("SIZE", "size", ">"),
    Column("FREE", "free", ">"),
    Column("STATE", "state"),
)
_DIRECTORY: Final = "wirebroker_log_directory_"
_BOTH_FETCHES: Final = "Fetch"


class Scrape:
    """The series of one scrape, by name."""

    def __init__(self, series: Iterable[Series], at_s: float) -> None:
        self.at_s = at_s
        self._by_name: dict[str, list[Series]] = defaultdict(list)
        for each in series:
            self._by_name[each.name].append(each)

    def value(self, name: str) -> float:
        """Return the value without labels, 0 if there is none."""
        return next((each.value for each in self._by_name[name] if not each.labels), 0.0)

    def sums(self, name: str, label: str, without: tuple[str, str] | None = None, **wanted: str) -> dict[str, float]:
        """Return value of *label* -> sum of the series that have it, and the labels *wanted*, but not *without*."""
        found: dict[str, float] = defaultdict(float)
        for each in self._by_name[name]:
            labels = each.labels
            if without is not None and labels.get(without[0]) == without[1]:
                continue
            if label in labels and all(labels.get(key) == value for key, value in wanted.items()):
                found[labels[label]] += each.value
        return found

    def series(self, name: str) -> list[Series]:
        """Return the series of that name."""
        return self._by_name[name]


class _Rates:
    """The growth per second between two scrapes."""

    def __init__(self, before: Scrape, now: Scrape) -> None:
        self._before, self._now = before, now
        self._elapsed_s = max(now.at_s - before.at_s, 1e-9)

    def of(self, name: str, label: str, without: tuple[str, str] | None = None) -> defaultdict[str, float]:
        earlier = self._before.sums(name, label, without)
        found: defaultdict[str, float] = defaultdict(float)
        for key, value in self._now.sums(name, label, without).items():
            found[key] = max(0.0, value - earlier.get(key, 0.0)) / self._elapsed_s
        return found


def screen_of(before: Scrape, now: Scrape) -> Screen:
    """Return the screen, with rates between the two scrapes."""
    rates = _Rates(before, now)
    sections = [
        Section(_TOPICS, _topics(now, rates)),
        Section(_REQUESTS, _requests(now, rates)),
        Section(_GROUPS, _groups(now)),
        Section(_DISKS, _disks(now)),
    ]
    return Screen(_summary(now), sections)


def _summary(now: Scrape) -> str:
    idle = now.value("kafka_network_socketserver_networkprocessoravgidle_percent")
    lag = max((each.value for each in now.series("wirebroker_event_loop_lag_seconds")), default=0.0)
    connections = now.sums("kafka_server_socket_server_metrics_connection_count", "listener")
    return "  ".join(
        (
            f"busy {100 * (1 - idle):.0f} %",
            f"loop lag {1000 * lag:.1f} ms",
            f"memory {short(now.value('process_resident_memory_bytes'))}",
            "connections " + (" ".join(f"{name} {count:.0f}" for name, count in connections.items()) or "0"),
            f"leaders {now.value('kafka_server_replicamanager_leadercount'):.0f}",
            f"under-replicated {now.value('kafka_server_replicamanager_underreplicatedpartitions'):.0f}",
            f"offline {now.value('kafka_server_replicamanager_offlinereplicacount'):.0f}",
        )
    )


def _topics(now: Scrape, rates: _Rates) -> list[tuple[str, ...]]:
    """Return the topics, those with the most traffic first."""
    messages, bytes_in, bytes_out = (
        rates.of(f"{_TOPIC}{name}_total", "topic") for name in ("messagesin", "bytesin", "bytesout")
    )
    sizes = now.sums("kafka_log_log_size", "topic")
    names = sorted(messages, key=lambda name: (-bytes_in[name] - bytes_out[name], name))
    return [
        (name, short(messages[name]), short(bytes_in[name]), short(bytes_out[name]), short(sizes.get(name, 0.0)))
        for name in names
    ]


def _requests(now: Scrape, rates: _Rates) -> list[tuple[str, ...]]:
    """Return the APIs that had requests, the slowest first."""
    served = now.sums(f"{_REQUEST}requests_total", "request")
    counts = rates.of(f"{_REQUEST}requests_total", "request")
    errors = rates.of(f"{_REQUEST}errors_total", "request", ("error", "NONE"))
    p50, p99 = (now.sums(f"{_REQUEST}totaltimems", "request", quantile=each) for each in ("0.5", "0.99"))
    names = [name for name, count in served.items() if count and name != _BOTH_FETCHES]
    return [
        (name, short(counts[name]), short(p50.get(name)), short(p99.get(name)), short(errors[name]))
        for name in sorted(names, key=lambda name: -p99.get(name, 0.0))
    ]


def _groups(now: Scrape) -> list[tuple[str, ...]]:
    lags = sorted(now.series("kafka_consumergroup_lag_sum"), key=lambda each: -each.value)
    return [(each.labels["consumergroup"], each.labels["topic"], short(each.value)) for each in lags]


def _disks(now: Scrape) -> list[tuple[str, ...]]:
    offline = now.sums("kafka_log_logmanager_logdirectoryoffline", "logDirectory")
    sizes, free = (now.sums(f"{_DIRECTORY}{name}_bytes", "log_directory") for name in ("size", "usable"))
    return [
        (path, short(sizes.get(path)), short(free.get(path)), "offline" if is_offline else "online")
        for path, is_offline in offline.items()
    ]
