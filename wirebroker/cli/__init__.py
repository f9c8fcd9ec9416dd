"""The `wirebroker` command.

Open `commands.py` first, the table of commands, then `main.py`, which runs one of them.  Each command is a module with
`add_arguments(parser)` and `run(args) -> exit code`; commands of two words are in a package named after the first one,
except `config_print.py` and `config_check.py`.  `output.py` prints tables, JSON and errors, `progress.py` draws bars,
`connection.py` has the options of commands that connect to a cluster, `broker_options.py` those of a broker.

A command may import every other package; none of them imports this one.
"""
