"""The declarations of all keys, one module per subject; `registry.py` collects them."""
