"""What the cluster is: brokers, topics, partitions, configs, producer ids.

`image.py` holds the immutable picture and its questions; open it first.  `changes.py` says how one picture
becomes the next, `cache.py` which picture is current and who hears of the next.  `store.py` is the seam between
standalone and ZooKeeper; `embedded_store.py` keeps the picture in `journal.py`'s file beside the logs.

May import: storage and everything below it.
"""
