"""`python -m wirebroker` is the `wirebroker` command."""

from __future__ import annotations

import sys

from wirebroker.cli.entry import main

sys.exit(main())
