"""The transaction coordinator: transactional ids, their producer ids and epochs, and what each transaction wrote to.

`state.py` is one transactional id and its legal moves; `shard.py` those of one __transaction_state partition,
requests in, records and replies out; `markers.py` tells every partition of a transaction how it ended;
`coordinator.py` is the door for handlers; `records.py` is the codec.
"""
