"""The transaction coordinator: transactional ids, their producer ids and epochs, and the partitions of transactions.

Open `coordinator.py` first, the API for handlers, then `shard.py`, whose tables lead from a request or timer to the
method that handles it: `init_producer_id.py`, `add_partitions.py`, `end_txn.py`.  `transaction_metadata.py` is the
state of one transactional id, `transaction_state_manager.py` keeps those of a shard, `txn_marker_sender.py` sends
markers to every partition of a decided transaction, `producer_id_manager.py` hands out producer ids, `records.py` is
the codec.
"""
