"""Where answers about transactions differ on purpose from those of Apache Kafka, each with its reason.

RULES hold for all answers of their kind: fields that a release fills differently from the other.  The named ones belong
to single requests of the scripts (`but`), and then the answers *must* differ, so that this list cannot outlive its
reasons.
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


ZOMBIE_ABORTS = Intended(
    "an InitProducerId with an old epoch makes Kafka abort the transaction of the producer that is alive, and only then"
    " refuses; we refuse at once"
)
LIVING_GOES_ON = Intended("because of that, Kafka has fenced the producer that is alive")
HELD = Intended(
    "Kafka answers CONCURRENT_TRANSACTIONS while markers are written, and the client waits and asks again; we answer"
    " when they are in"
)
FENCED_FOR_GOOD = Intended(
    "a producer whose transaction the coordinator has aborted may raise its epoch on 4.1; on 3.9.1 it is fenced",
    (KAFKA_4,),
)
STAYS_FENCED = Intended(
    "4.1 takes the EndTxn 5 of a producer whose transaction the coordinator has aborted for one that is sent again; an"
    " abort then gives it the epoch with which it was fenced",
    (KAFKA_4,),
)
PENDING_KEEPS_THE_GROUP = Intended(
    "Kafka deletes a group with offsets pending in a transaction, and its later commit is lost; we refuse: not empty"
)
BELOW_THE_START = Intended(
    "on 4.1 the last stable offset stays at an open transaction's first record when that is deleted; on 3.9.1 it is"
    " never below the log start",
    (KAFKA_4,),
)
NO_SUCH_MEMBER = Intended(
    "a generation without a member: 4.1 says ILLEGAL_GENERATION, 3.9.1 UNKNOWN_MEMBER_ID", (KAFKA_4,)
)
DUPLICATE_LEAVES_NOTHING = Intended(
    "a duplicate of a plain batch, sent as a transactional one, makes Kafka refuse what the producer writes next"
)
REPLACED_ID = Intended(
    "a write under a producer id that was used up and replaced: 3.9.1 says INVALID_PRODUCER_ID_MAPPING, 4.1"
    " INVALID_PRODUCER_EPOCH",
    (KAFKA_4,),
)
OLD_EPOCH_OF_THE_LAST = Intended(
    "Kafka stumbles over an old epoch when the last one is in use: an unknown server error"
)
NO_TAGGED_FIELDS = Intended(
    "3.9.1 has no transaction.version 2: it writes records of version 0 without these fields", (KAFKA,)
)
INTERNAL_FIRST = Intended("we look at the name of an internal topic before we ask the transaction's coordinator")

RULES = (
    Rule("texts for humans are our own words", None, "", r".*error_message"),
    Rule(
        "3.9.1 keeps the start of the last transaction when a producer starts anew, 4.1 and we do not",
        KAFKA, "DescribeTransactions|^state log", r".*transaction_start_time(stamp)?_ms",
    ),
    Rule(
        "an abort by the coordinator is none by EndTxn 5, so no EndTxn 5 repeats it (see STAYS_FENCED); 4.1 writes as"
        " if it were one",
        KAFKA_4, "an id that was fenced", r".*client_transaction_version",
    ),
    Rule(
        "3.9.1 tells the log start offset with errors of the append, 4.1 does not",
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
