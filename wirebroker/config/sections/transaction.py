"""Keys: transactions, producer ids and __transaction_state."""

from __future__ import annotations

from wirebroker.config.effects import INTERNAL_REPLICAS, TRANSACTION_MIN_ISR
from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, INT, SHORT, ignored_key, key
from wirebroker.config.values import at_least, between
from wirebroker.releases.features import NEWEST_TRANSACTION_VERSION

# fmt: off
KEYS = (
    ignored_key("add.partitions.to.txn.retry.backoff.max.ms", INT, 100, at_least(0), since="4.0",
        text="For how long to try again to add a partition to a transaction."),
    ignored_key("add.partitions.to.txn.retry.backoff.ms", INT, 20, at_least(1), since="4.0",
        text="How long to wait before trying again to add a partition."),
    key("producer.id.expiration.check.interval.ms", INT, 600_000, at_least(1), internal=True,
        text="How often to look for idle producer ids."),
    key("producer.id.expiration.ms", INT, 86_400_000, at_least(1), CLUSTER_WIDE,
        text="Forget the sequence numbers of a producer that is idle for this long."),
    key("transaction.abort.timed.out.transaction.cleanup.interval.ms", INT, 10_000, at_least(1),
        text="How often to look for transactions that have timed out."),
    key("transaction.max.timeout.ms", INT, 900_000, at_least(1),
        text="The longest transaction timeout that a producer may ask for."),
    key("transaction.partition.verification.enable", BOOLEAN, True, scope=CLUSTER_WIDE,
        text="Ask the coordinator whether a partition belongs to the transaction."),
    key("transaction.remove.expired.transaction.cleanup.interval.ms", INT, 3_600_000, at_least(1),
        text="How often to look for idle transactional ids."),
    ignored_key("transaction.state.log.load.buffer.size", INT, 5 << 20, at_least(1),
        text="How many bytes of __transaction_state to read at a time when loading."),
    key("transaction.state.log.min.isr", INT, 2, at_least(1), standalone=1,
        effect=TRANSACTION_MIN_ISR,
        text="min.insync.replicas of __transaction_state."),
    key("transaction.state.log.num.partitions", INT, 50, at_least(1),
        text="Partitions of __transaction_state; keep it once the topic is there."),
    key("transaction.state.log.replication.factor", SHORT, 3, at_least(1), effect=INTERNAL_REPLICAS, standalone=1,
        text="Replicas of __transaction_state."),
    key("transaction.state.log.segment.bytes", INT, 100 << 20, at_least(1),
        text="Segment size of __transaction_state."),
    ignored_key("transaction.two.phase.commit.enable", BOOLEAN, False, since="4.1",
        text="Let a coordinator outside of Kafka decide transactions (KIP-939)."),
    key("transactional.id.expiration.ms", INT, 604_800_000, at_least(1),
        text="Remove a transactional id that is idle for this long."),
    key("wirebroker.transaction.version", INT, NEWEST_TRANSACTION_VERSION,
        between(0, NEWEST_TRANSACTION_VERSION), internal=True,
        text="The feature transaction.version: with 2 each transaction has its own epoch."),
)
# fmt: on
