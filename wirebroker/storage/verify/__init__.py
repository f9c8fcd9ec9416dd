"""Every file of a data directory checked, and mended on request; no broker may be at work on it.

Open directory.py first.  partition.py checks one partition, walk.py reads its segments, indexes.py compares the
indexes with what was read, findings.py is what comes of it, and repair.py acts on that.
"""
