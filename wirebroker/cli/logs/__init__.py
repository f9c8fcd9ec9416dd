"""`wirebroker log verify` and `wirebroker log repair`: check the files of log directories, and repair them."""
