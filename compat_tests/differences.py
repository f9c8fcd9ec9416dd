"""Where wirebroker's answers differ from Apache Kafka 3.9.1's on purpose, each with its reason.

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
    Difference("texts for humans are our own words", r".*error_message"),
    Difference("texts for humans are our own words", r".*batch_index_error_message"),
)

NULL_RECORDS = Difference("Kafka 3.9.1 never answers null record data; a client would wait for ever")
UNUSED_CODEC = Difference(
    "before v7 Kafka stumbles over an unused codec while it looks for zstd, so it never learns the log start offset",
    r".*log_start_offset",
)
PRODUCE = {
    "batch length huge": Difference("Kafka's sum of lengths overflows: -1, where a truncated batch gets 87"),
}
BAD_ISOLATION = Difference(
    "an isolation level that does not exist makes Kafka fail halfway: null record data, and from v13 no partitions",
    r"responses.*",
)
DELETED_ID = Difference(
    "a session of Kafka's goes on with the topic's name and says 3, we look the id up again and say 100",
    r".*error_code",
)
NEGATIVE_LIMIT = Difference(
    "a negative limit makes Kafka fail with -1 partition by partition; to us it is a limit of 0", r"responses.*"
)

GROUPS = {
    "OffsetFetch of no group": Difference("3.9.1 never answers, which hangs the client; we answer with no groups"),
    "a join that was sent again waits": Difference(
        "3.9.1 never answers the older request of a member that joins twice; we answer REBALANCE_IN_PROGRESS"
    ),
}
NEWEST_GROUPS: dict[str, tuple[object, ...]] = {
    # 4.x knows operations on a group's configuration, which classic groups do not have: 3,400 where 3.9.1 says 328
    "authorized_operations": (328, 3400),
    # 4.x shows what members held in the generation before, while there is no new one; 3.9.1 shows nothing
    "member_assignment": (b"", b"1"),
}
