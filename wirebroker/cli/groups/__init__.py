"""`wirebroker groups ...`: what kafka-consumer-groups.sh does, one module a command.

`requests.py` has the options that name groups and the requests about groups, `topic_options.py` the options that name
partitions.
"""
