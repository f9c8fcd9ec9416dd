"""Intended differences between the answers of wirebroker and Apache Kafka 3.9.1, each with its reason.

ALWAYS holds fields that are not compared in any answer.  The named ones belong to single requests of the scripts: a
script hands one to `ask`, and then the answers *must* differ in that way, so that this list cannot outlive its reasons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """Answers may differ in the fields whose path matches."""

    why: str
    path: str = ".*"

    def covers(self, path: str) -> bool:
        return re.fullmatch(self.path, path) is not None


ALWAYS = (
    Difference("error messages are worded differently", r".*error_message"),
    Difference("error messages are worded differently", r".*batch_index_error_message"),
)

START_TIME = Difference(
    "the start time of a transaction after InitProducerId is that of 4.1, as in `transactions/differences.py`",
    r".*transaction_start_time_ms",
)
NULL_RECORDS = Difference("Kafka 3.9.1 never answers null record data; a client would wait for ever")
UNUSED_CODEC = Difference(
    "before version 7 Kafka fails on an unused codec in its check for zstd, before it knows the log start offset",
    r".*log_start_offset",
)
PRODUCE = {
    "batch length huge": Difference("Kafka's sum of lengths overflows: -1, where a truncated batch gets 87"),
}
BAD_ISOLATION = Difference(
    "an unknown isolation level makes Kafka fail halfway: null record data, and from version 13 no partitions",
    r"responses.*",
)
DELETED_ID = Difference(
    "a session of Kafka keeps the topic's name and answers 3; wirebroker looks the id up again and answers 100",
    r".*error_code",
)
NEGATIVE_LIMIT = Difference(
    "a negative limit makes Kafka answer -1 for each partition; wirebroker takes it for 0", r"responses.*"
)

GROUPS = {
    "OffsetFetch of no group": Difference(
        "3.9.1 never answers, so the client hangs; wirebroker answers without groups"
    ),
    "a join that was sent again waits": Difference(
        "3.9.1 never answers the older request of a member that joins twice; wirebroker answers REBALANCE_IN_PROGRESS"
    ),
}
NEWEST_GROUPS: dict[str, tuple[object, ...]] = {
    # 4.x has operations on a group's configs, which classic groups lack: 3,400, and 328 in 3.9.1
    "authorized_operations": (328, 3400),
    # 4.x shows the assignment of the generation before while there is no new one; 3.9.1 shows none
    "member_assignment": (b"", b"1"),
}
