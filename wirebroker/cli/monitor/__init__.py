"""Commands that show what a running broker does: `metrics` and `top`.  Begin with `scrape.py`."""
