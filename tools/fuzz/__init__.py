"""Damaged requests for the decoders of the network protocol: `python -m tools.fuzz decode --seconds 60`."""
