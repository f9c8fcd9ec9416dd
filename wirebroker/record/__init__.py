"""Record batches (message format v2): look at them, build them, judge them.  Pure functions over bytes.

Open ``record_batch.py`` first: it draws the layout and has the view everything else passes around.  ``builder.py``
writes batches, ``validate.py`` decides what a producer may append, ``control.py`` knows transaction markers,
``compression.py`` the five codecs, ``varint.py`` the numbers inside records, ``crc32c.py`` the checksum.

May import: protocol (faults, error codes).  Knows no files, no clock, no sockets.
"""
