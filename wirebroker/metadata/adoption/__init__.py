"""Taking over a data directory of Apache Kafka: which topics are in it, by what ids and settings.

Open adopt.py first.  A broker with ZooKeeper leaves names, partition numbers and (since 2.8) topic ids in its log
directories (directories.py); a KRaft broker keeps everything in `__cluster_metadata-0` (kraft_log.py reads it,
kraft_records.py knows the records, kraft_image.py is what they add up to).  Nothing here writes to a file of Kafka's.
"""
