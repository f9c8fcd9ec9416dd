"""The import of confluent-kafka by commands: quick, and complete for others in the same process."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("confluent_kafka")
SCRIPT = """
import sys
from wirebroker.cli.records.confluent_kafka_import import import_confluent_kafka
library = import_confluent_kafka()
assert library is import_confluent_kafka()
producer, error = library.Producer({"log_level": 0}), library.KafkaException
assert not {"asyncio", "ssl", "confluent_kafka.admin"} & sys.modules.keys(), "too much is imported"
import confluent_kafka
from confluent_kafka import SerializingProducer
from confluent_kafka.admin import AdminClient
assert confluent_kafka is library and "asyncio" in sys.modules
assert confluent_kafka.KafkaException is error and isinstance(producer, confluent_kafka.Producer)
assert "Producer" in confluent_kafka.__all__ and confluent_kafka.__version__
try:
    confluent_kafka.no_such_name
except AttributeError as problem:
    assert "no_such_name" in str(problem)
else:
    raise AssertionError
assert AdminClient({"log_level": 0}) is not None and issubclass(SerializingProducer, confluent_kafka.Producer)
"""
INTERRUPTED = """
import sys
from wirebroker.cli.records.confluent_kafka_import import import_confluent_kafka

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "confluent_kafka.serialization":
            raise KeyboardInterrupt

library = import_confluent_kafka()
sys.meta_path.insert(0, Interrupting())
try:
    library.SerializingProducer
except KeyboardInterrupt:
    assert issubclass(library.KafkaException, Exception), "what catches the errors of the library"
else:
    raise AssertionError
"""
BEFORE = """
import confluent_kafka
from wirebroker.cli.records.confluent_kafka_import import import_confluent_kafka
assert import_confluent_kafka() is confluent_kafka
"""
MISSING = """
import sys
sys.path = [path for path in sys.path if "-packages" not in path]
from wirebroker.cli.records.confluent_kafka_import import import_confluent_kafka
try:
    import_confluent_kafka()
except ImportError:
    assert "confluent_kafka" not in sys.modules
else:
    raise AssertionError
"""


@pytest.mark.parametrize(
    "script", [SCRIPT, INTERRUPTED, BEFORE, MISSING], ids=["first", "interrupted", "after another", "missing"]
)
def test_import(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
