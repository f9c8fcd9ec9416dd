"""librdkafka at its own speed: the shared library inside PyPI's confluent-kafka, driven through ctypes in large
batches.

confluent-kafka's ``produce()`` is one Python call per message (about 300,000 a second), so the binding would be
measured, not the broker.  Here ``rd_kafka_produce_batch`` takes 10,000 messages a call, and
``rd_kafka_consume_callback`` hands messages to a C function without Python in between:
``rd_kafka_message_errstr``, which has the callback's first argument and no effect. Runs as its own process:
``python -m tools.bench.librdkafka produce|consume BOOTSTRAP TOPIC COUNT VALUE_BYTES [NAME=VALUE...]`` prints JSON.
API: librdkafka's rdkafka.h.  Settings are librdkafka's defaults (acks=all, linger 5 ms), but for those that a
producer is given.
"""

import ctypes
import json
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

PRODUCER, CONSUMER = 0, 1
MSG_F_COPY = 0x2
QUEUE_FULL_S = 0.002
OFFSET_BEGINNING = -2
BATCH = 10_000
TIMEOUT_MS = 60_000


class Message(ctypes.Structure):
    """rd_kafka_message_t."""

    _fields_ = [
        ("err", ctypes.c_int),
        ("rkt", ctypes.c_void_p),
        ("partition", ctypes.c_int32),
        ("payload", ctypes.c_void_p),
        ("len", ctypes.c_size_t),
        ("key", ctypes.c_void_p),
        ("key_len", ctypes.c_size_t),
        ("offset", ctypes.c_int64),
        ("private", ctypes.c_void_p),
    ]


class ClientError(Exception):
    """librdkafka refused or did not finish."""


def library() -> ctypes.CDLL:
    """The librdkafka that confluent-kafka's wheel carries."""
    spec = find_spec("confluent_kafka")
    if spec is None or spec.origin is None:
        raise ClientError("confluent-kafka is not installed")
    folder = Path(spec.origin).parent.parent / "confluent_kafka.libs"
    found = sorted(folder.glob("librdkafka*.so*"))
    if not found:
        raise ClientError(f"no librdkafka in {folder}")
    lib = ctypes.CDLL(str(found[0]))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in (
        ("rd_kafka_conf_new", pointer, []),
        ("rd_kafka_conf_set", ctypes.c_int, [pointer, text, text, text, ctypes.c_size_t]),
        ("rd_kafka_new", pointer, [ctypes.c_int, pointer, text, ctypes.c_size_t]),
        ("rd_kafka_topic_new", pointer, [pointer, text, pointer]),
        (
            "rd_kafka_produce_batch",
            ctypes.c_int,
            [pointer, ctypes.c_int32, ctypes.c_int, ctypes.POINTER(Message), ctypes.c_int],
        ),
        ("rd_kafka_flush", ctypes.c_int, [pointer, ctypes.c_int]),
        ("rd_kafka_consume_start", ctypes.c_int, [pointer, ctypes.c_int32, ctypes.c_int64]),
        ("rd_kafka_consume_stop", ctypes.c_int, [pointer, ctypes.c_int32]),
        ("rd_kafka_consume_callback", ctypes.c_int, [pointer, ctypes.c_int32, ctypes.c_int, pointer, pointer]),
        (
            "rd_kafka_query_watermark_offsets",
            ctypes.c_int,
            [
                *(pointer, text, ctypes.c_int32),
                *(ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int64), ctypes.c_int),
            ],
        ),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def client(
    lib: ctypes.CDLL, kind: int, bootstrap: str, settings: Mapping[str, str] = MappingProxyType({})
) -> ctypes.c_void_p:
    """Return the handle of a client with these settings beside librdkafka's defaults."""
    error = ctypes.create_string_buffer(512)
    conf = lib.rd_kafka_conf_new()
    for name, value in {"bootstrap.servers": bootstrap, **settings}.items():
        if lib.rd_kafka_conf_set(conf, name.encode(), value.encode(), error, 512):
            raise ClientError(error.value.decode())
    handle = lib.rd_kafka_new(kind, conf, error, 512)
    if not handle:
        raise ClientError(error.value.decode())
    return ctypes.c_void_p(handle)


def end_offset(lib: ctypes.CDLL, handle: ctypes.c_void_p, topic: str) -> int:
    low, high = ctypes.c_int64(), ctypes.c_int64()
    error = lib.rd_kafka_query_watermark_offsets(
        handle, topic.encode(), 0, ctypes.byref(low), ctypes.byref(high), TIMEOUT_MS
    )
    if error:
        raise ClientError(f"no end offset of {topic}: error {error}")
    return high.value


def produce(bootstrap: str, topic: str, count: int, value_bytes: int, settings: Mapping[str, str]) -> float:
    """Produce *count* messages to partition 0; the seconds from the first call until all are acknowledged."""
    lib = library()
    handle = client(lib, PRODUCER, bootstrap, settings)
    target = lib.rd_kafka_topic_new(handle, topic.encode(), None)
    value = ctypes.create_string_buffer(b"x" * value_bytes, value_bytes)
    messages = (Message * BATCH)()
    for message in messages:
        message.payload, message.len = ctypes.addressof(value), value_bytes
    # one record first, which connects and gets a producer id
    lib.rd_kafka_produce_batch(target, 0, MSG_F_COPY, messages, 1)
    if lib.rd_kafka_flush(handle, TIMEOUT_MS):
        raise ClientError("the first record was not acknowledged in time")
    before = end_offset(lib, handle, topic)
    began = time.perf_counter()
    sent = 0
    while sent < count:
        wanted = min(BATCH, count - sent)
        taken = lib.rd_kafka_produce_batch(target, 0, MSG_F_COPY, messages, wanted)
        sent += taken
        if taken < wanted:
            # The queue is full.  With MSG_F_BLOCK the call waits itself, and idempotent producers of librdkafka 2.16
            # were seen to wait there for ever, with an idle connection, after the first request to a new topic.
            time.sleep(QUEUE_FULL_S)
    if lib.rd_kafka_flush(handle, TIMEOUT_MS):
        raise ClientError("not everything was acknowledged in time")
    seconds = time.perf_counter() - began
    written = end_offset(lib, handle, topic) - before
    if written != count:
        raise ClientError(f"{written} of {count} messages arrived")
    return seconds


def consume(bootstrap: str, topic: str, count: int) -> float:
    """Read *count* messages of partition 0 from its start; the seconds from the first message until the last."""
    lib = library()
    handle = client(lib, CONSUMER, bootstrap)
    target = lib.rd_kafka_topic_new(handle, topic.encode(), None)
    available = end_offset(lib, handle, topic)
    if available < count:
        raise ClientError(f"{topic} holds {available} messages, not {count}")
    nothing = ctypes.cast(lib.rd_kafka_message_errstr, ctypes.c_void_p)
    began = time.perf_counter()
    if lib.rd_kafka_consume_start(target, 0, OFFSET_BEGINNING):
        raise ClientError("could not start reading")
    got = 0
    while got < count:
        done = lib.rd_kafka_consume_callback(target, 0, 1000, nothing, None)
        if done < 0 or time.perf_counter() - began > TIMEOUT_MS / 1000:
            raise ClientError(f"stopped after {got} of {count} messages")
        got += done
    seconds = time.perf_counter() - began
    lib.rd_kafka_consume_stop(target, 0)
    return seconds


def main(what: str, bootstrap: str, topic: str, count: str, value_bytes: str, *settings: str) -> None:
    if what == "produce":
        given = dict(each.split("=", 1) for each in settings)
        seconds = produce(bootstrap, topic, int(count), int(value_bytes), given)
    else:
        seconds = consume(bootstrap, topic, int(count))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
