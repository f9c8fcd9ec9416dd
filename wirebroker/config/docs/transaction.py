"""Texts of the keys in `sections/transaction.py`."""

from __future__ import annotations

TEXTS = {
    "add.partitions.to.txn.retry.backoff.max.ms": "For how long to try again to add a partition to a transaction.",
    "add.partitions.to.txn.retry.backoff.ms": "How long to wait before trying again to add a partition.",
    "producer.id.expiration.check.interval.ms": "How often to look for idle producer ids.",
    "producer.id.expiration.ms": "Forget the sequence numbers of a producer that is idle for so long.",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "How often to look for some to abort.",
    "transaction.max.timeout.ms": "The longest transaction timeout that a producer may ask for.",
    "transaction.partition.verification.enable": "Ask the coordinator whether a partition belongs to the transaction.",
    "transaction.remove.expired.transaction.cleanup.interval.ms": "How often to look for idle transactional ids.",
    "transaction.state.log.load.buffer.size": "How many bytes of __transaction_state to read at a time when loading.",
    "transaction.state.log.min.isr": "min.insync.replicas of __transaction_state.",
    "transaction.state.log.num.partitions": "Partitions of __transaction_state; keep it once the topic is there.",
    "transaction.state.log.replication.factor": "Replicas of __transaction_state.",
    "transaction.state.log.segment.bytes": "Segment size of __transaction_state.",
    "transaction.two.phase.commit.enable": "Let a coordinator outside of Kafka decide transactions (KIP-939).",
    "transactional.id.expiration.ms": "Forget a transactional id that is idle for so long.",
    "wirebroker.transaction.version": "The feature transaction.version: with 2 each transaction has its own epoch.",
}
