"""Intended differences between answers of wirebroker and Apache Kafka about transactions, each with its reason.

RULES hold for all answers of their kind: fields that a release fills differently from the other.  The named ones
belong to single requests of the scripts (`expect_difference`), and then the answers *must* differ, so that this list
cannot outlive its reasons.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from compat_tests.versions import KAFKA, KAFKA_4

if TYPE_CHECKING:
    from collections.abc import Iterator


class Intended(NamedTuple):
    """An answer of ours that differs on purpose from those of these releases."""

    why: str
    releases: tuple[str, ...] = (KAFKA, KAFKA_4)


class Rule(NamedTuple):
    """Fields whose path matches, in answers whose label matches, may differ from this release's, or from all."""

    why: str
    release: str | None
    label: str
    path: str

    def covers(self, label: str, path: str, release: str) -> bool:
        fits = self.release in (None, release) and re.search(self.label, label) and re.fullmatch(self.path, path)
        return bool(fits)


FENCED_PRODUCER_ABORTS = Intended(
    "an InitProducerId with an old epoch makes Kafka abort the transaction of the current producer before it answers"
    " the error; wirebroker answers the error and aborts nothing"
)
CURRENT_PRODUCER_GOES_ON = Intended("Kafka has fenced the current producer by that abort")
ANSWERED_AFTER_THE_MARKERS = Intended(
    "Kafka answers CONCURRENT_TRANSACTIONS while markers are written, and the client retries; wirebroker answers when"
    " they are written"
)
FENCED_BY_THE_COORDINATOR = Intended(
    "a producer whose transaction the coordinator has aborted may raise its epoch on 4.1; on 3.9.1 it is fenced",
    (KAFKA_4,),
)
EPOCH_OF_THE_FENCED = Intended(
    "4.1 takes the EndTxn 5 of a producer whose transaction the coordinator has aborted for a retry, and answers an"
    " abort with the epoch that fenced the producer",
    (KAFKA_4,),
)
GROUP_WITH_PENDING_OFFSETS = Intended(
    "Kafka deletes a group with pending offsets of a transaction, which are lost; wirebroker answers NON_EMPTY_GROUP"
)
DELETED_START_OF_A_TRANSACTION = Intended(
    "on 4.1 the last stable offset stays at an open transaction's first record when that is deleted; on 3.9.1 it is"
    " never below the log start",
    (KAFKA_4,),
)
GENERATION_WITHOUT_A_MEMBER = Intended(
    "a generation without a member: 4.1 answers ILLEGAL_GENERATION, 3.9.1 UNKNOWN_MEMBER_ID", (KAFKA_4,)
)
TRANSACTIONAL_DUPLICATE = Intended(
    "a duplicate of a plain batch, sent as a transactional one, makes Kafka refuse the producer's next batch"
)
REPLACED_PRODUCER_ID = Intended(
    "a write under a producer id that was exhausted and replaced: 3.9.1 answers INVALID_PRODUCER_ID_MAPPING, 4.1"
    " INVALID_PRODUCER_EPOCH",
    (KAFKA_4,),
)
OLD_EPOCH_WHEN_EXHAUSTED = Intended("an old epoch while the last one is in use makes Kafka answer UNKNOWN_SERVER_ERROR")
NO_TAGGED_FIELDS = Intended(
    "3.9.1 has no transaction.version 2: it writes records of version 0 without these fields", (KAFKA,)
)

RULES = (
    Rule("error messages are worded differently", None, "", r".*error_message"),
    Rule(
        "3.9.1 keeps the start time of the last transaction after InitProducerId, 4.1 and wirebroker do not",
        KAFKA, "DescribeTransactions|^state log", r".*transaction_start_time(stamp)?_ms",
    ),
    Rule(
        "an abort by the coordinator is none by EndTxn 5, so no EndTxn 5 repeats it (see EPOCH_OF_THE_FENCED); 4.1"
        " writes the version as if it were one",
        KAFKA_4, "an id that was fenced", r".*client_transaction_version",
    ),
    Rule(
        "3.9.1 and wirebroker answer errors of the append with the log start offset, 4.1 does not",
        KAFKA_4, "Produce", r".*log_start_offset",
    ),
)  # fmt: skip


def uncovered(label: str, ours: Any, theirs: Any, release: str) -> list[tuple[str, Any, Any]]:
    """Where two answers differ that no rule allows: the path and both values."""
    mine, other = dict(_leaves(ours, "")), dict(_leaves(theirs, ""))
    return [
        (path, mine.get(path, "absent"), other.get(path, "absent"))
        for path in {**mine, **other}
        if mine.get(path, "absent") != other.get(path, "absent")
        and not any(rule.covers(label, path, release) for rule in RULES)
    ]


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, f"{path}.{name}")
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for number, each in enumerate(value):
            yield from _leaves(each, f"{path}[{number}]")
    else:
        yield path, value
