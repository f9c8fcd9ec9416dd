"""The cluster's metadata: brokers, topics, partitions, configs, producer ids.

Open `image.py` first: the immutable ClusterImage.  `records.py` has the records that lead from one image to the next,
`cache.py` the current image and its subscribers; `embedded_store.py` keeps image and records durable in the journal
(`journal.py`, `journal_copies.py`) beside the logs.  `meta_properties.py` reads and writes each log directory's owner,
`kafka_import/` imports the topics of a data directory that Apache Kafka wrote.

May import: storage and everything below it.
"""
