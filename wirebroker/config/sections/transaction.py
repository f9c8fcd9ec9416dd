"""Keys: transactions, producer ids and __transaction_state."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, HIGH, INT, LOW, SHORT, inert, key
from wirebroker.config.values import at_least, between

KEYS = (
    inert("add.partitions.to.txn.retry.backoff.max.ms", INT, 100, HIGH, at_least(0), since="4.0"),
    inert("add.partitions.to.txn.retry.backoff.ms", INT, 20, HIGH, at_least(1), since="4.0"),
    key("producer.id.expiration.check.interval.ms", INT, 600_000, LOW, at_least(1), internal=True),
    key("producer.id.expiration.ms", INT, 86_400_000, LOW, at_least(1), CLUSTER_WIDE),
    key("transaction.abort.timed.out.transaction.cleanup.interval.ms", INT, 10_000, LOW, at_least(1)),
    key("transaction.max.timeout.ms", INT, 900_000, HIGH, at_least(1)),
    key("transaction.partition.verification.enable", BOOLEAN, True, LOW, scope=CLUSTER_WIDE),
    key("transaction.remove.expired.transaction.cleanup.interval.ms", INT, 3_600_000, LOW, at_least(1)),
    inert("transaction.state.log.load.buffer.size", INT, 5 << 20, HIGH, at_least(1)),
    key("transaction.state.log.min.isr", INT, 2, HIGH, at_least(1)),
    key("transaction.state.log.num.partitions", INT, 50, HIGH, at_least(1)),
    key("transaction.state.log.replication.factor", SHORT, 3, HIGH, at_least(1)),
    key("transaction.state.log.segment.bytes", INT, 100 << 20, HIGH, at_least(1)),
    inert("transaction.two.phase.commit.enable", BOOLEAN, False, LOW, since="4.1"),
    key("transactional.id.expiration.ms", INT, 604_800_000, HIGH, at_least(1)),
    key("wirebroker.transaction.version", INT, 2, LOW, between(0, 2), internal=True),
)
