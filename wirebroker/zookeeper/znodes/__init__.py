"""The znodes that a broker reads or writes: path, encode and decode of each, without I/O.

Open `topics.py` first; `brokers.py`, `configs.py`, `cluster.py`, `notifications.py` and `admin.py` are like it, and all
use `json_fields.py`.  Bytes are those that Kafka 3.9 writes, in its order of fields; every older version is decoded.
Decoders raise CorruptZnode and ignore fields that they do not know.
"""
