"""`wirebroker mirror`: topics of one cluster copied to another, batch by batch, without decoding records.

Open `command.py` first.  `batches.py` turns the batches of a Fetch response into batches for Produce, `positions.py`
knows which source offset became which destination offset and keeps that in the checkpoint file, `source.py` fetches in
a thread, `destination.py` produces, `topics.py` and `groups.py` copy what is beside the records.
"""
