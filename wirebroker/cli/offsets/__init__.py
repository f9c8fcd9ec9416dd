"""`wirebroker offsets get`: the first and last offsets of partitions, or the first one at a time."""
