"""Throws damaged bytes at the parts that read what strangers send: `python -m tools.fuzz decode --seconds 60`."""
