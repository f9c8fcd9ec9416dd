"""The declared effects of keys, compared with the uses of their values in the code of a broker."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import wirebroker
from wirebroker.config.registry import BROKER_KEYS, TOPIC_KEYS
from wirebroker.config.topic import field
from wirebroker.tests.config.value_trace import ValueTrace, derived_attributes, properties

PACKAGE = Path(wirebroker.__file__).parent
NOT_OF_A_BROKER = frozenset(("tests", "config", "cli", "client", "pipelines"))
CONFIG = PACKAGE / "config"


def trace_of_the_broker() -> ValueTrace:
    modules = {
        str(path): path.read_text()
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in NOT_OF_A_BROKER and "protocol/messages" not in str(path)
    }
    of_broker = "\n".join((CONFIG / each).read_text() for each in ("server.py", "broker_listeners.py"))
    derived = derived_attributes(of_broker) | properties((CONFIG / "log.py").read_text())
    # read before the other keys, whose defaults depend on the release
    derived["release_profile"] = {"wirebroker.as.version", "wirebroker.transaction.version"}
    # the older key for both bounds stands in for the newer two (`with_timestamp_bounds`)
    for newer in ("before", "after"):
        derived[field(f"message.timestamp.{newer}.max.ms")] = {"message.timestamp.difference.max.ms"}
    # the cleaner's process is started by the broker, and gets its part of the settings with each job
    return ValueTrace(modules, ["run_broker", "main"], derived, TOPIC_KEYS)


def test_keys_have_the_effect_that_they_declare() -> None:
    """One test for all, as it takes a second or two to read the code."""
    trace = trace_of_the_broker()
    topic = {name for name in TOPIC_KEYS if trace.uses(name)}
    given = {synonym for name in topic for synonym in TOPIC_KEYS[name].synonyms}
    broker = {name for name in BROKER_KEYS if name in given or trace.uses(name)}
    for keys, used in ((TOPIC_KEYS, topic), (BROKER_KEYS, broker)):
        declared = {name for name, key in keys.items() if key.effect.since is not None}
        assert declared - used == set(), "declared with an effect, and no code of a broker uses the value"
        assert used - declared == set(), "declared without an effect, and code of a broker uses the value"


def uses(source: str, key: str = "max.size") -> bool:
    return ValueTrace({"m": dedent(source)}, ["main"], {"listeners": {"port"}}, ["min.insync.replicas"]).uses(key)


USED = [
    """
    def main(config):
        if config.max_size > 5:
            stop()
    """,
    """
    def main(config):
        serve(config)
    def serve(config):
        open(config.value("max.size"))
    """,
    """
    class Limits:
        max_members: int
    def main(config):
        limits = Limits(max_members=number("max.size"))
        run(limits)
    def run(limits):
        while limits.max_members:
            pass
    """,
    """
    class Shard:
        def __init__(self, limit):
            self._limit = limit
        def is_full(self):
            return self.count > self._limit
    def main(config):
        Shard(config.max_size).is_full()
    """,
    """
    def main(config):
        limit = max(config.max_size, 1)
        check(limit)
    """,
    """
    HANDLERS = ("m:handle",)
    def handle(config):
        return config.max_size
    """,
]
NOT_USED = [
    """
    def main(config):
        create({"max.size": "5"})
    """,
    """
    def main(config):
        logger.info("at most %d", config.max_size)
    """,
    """
    class Limits:
        max_members: int
    def main(config):
        run(Limits(max_members=number("max.size")))
    """,
    """
    def main(config):
        self.limit = config.max_size
    """,
    """
    def main(config):
        pass
    def never_called(config):
        if config.max_size:
            stop()
    """,
    """
    def main(group):
        return group.max_size
    """,
    """
    def main(config):
        config.max_size
    """,
]


@pytest.mark.parametrize("source", USED)
def test_a_use_is_found(source: str) -> None:
    assert uses(source)


@pytest.mark.parametrize("source", NOT_USED)
def test_reads_that_are_no_use(source: str) -> None:
    assert not uses(source)


def test_a_value_that_becomes_a_topic_s_setting_shares_its_effect() -> None:
    source = """
    def main(config):
        return {"min.insync.replicas": str(config.max_size)}
    """
    assert not uses(source)
    reader = """
    def check(config):
        return config.min_insync_replicas > 1
    CHECKS = [check]
    """
    assert uses(dedent(source) + dedent(reader))


def test_a_derived_attribute_is_its_keys() -> None:
    assert uses("def main(config):\n    listen(config.listeners)", "port")
    server = """
    def _listeners(config):
        return parse(config.text("listeners"), _port(config))
    def _port(config):
        return config.value("port")
    class Config:
        def __init__(self):
            put(self, "listeners", _listeners(self))
    """
    assert derived_attributes(dedent(server)) == {"listeners": {"listeners", "port"}}
