"""The declarations of all keys, one module per subject; `catalog.py` collects them."""
