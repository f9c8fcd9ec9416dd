"""storage/integrity: are the files of a log what they should be, and what is done if not.

Open `recovery.py` first (a start after an unclean shutdown), then `lazy_verification.py` (a start after a clean one:
batches are verified before the first fetch sends them).  `segment_check.py` and `txn_index_check.py` compare a segment
with its indexes, `swap_files.py` finishes interrupted compactions, and `verify_log_dir.py` with its siblings and
`repair.py` are `wirebroker log verify` and `wirebroker log repair`.

May import what storage may import, and the files and formats of storage, but no `Log` and no `LogManager`.
"""
