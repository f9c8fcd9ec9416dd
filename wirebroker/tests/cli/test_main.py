"""Behaviour that all commands share: help, usage, exit codes, closed pipes, errors of the system."""

from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from wirebroker import __version__
from wirebroker.cli.commands import COMMANDS, GROUPS, TABLE
from wirebroker.cli.connection import bootstrap_server, positive
from wirebroker.cli.main import main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from wirebroker.cli.command_table import Command

each_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.words))


def usage_error(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a wrong command line prints to standard error."""
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def command_prints(monkeypatch: pytest.MonkeyPatch, work: Callable[[], int]) -> None:
    """Have `wirebroker config print` call *work* in place of its own function."""
    from wirebroker.cli import config_print

    def run(_: argparse.Namespace) -> int:
        return work()

    monkeypatch.setattr(config_print, "run", run)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"wirebroker {__version__}\n"


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("-h",)])
def test_help_lists_every_command(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for command in COMMANDS:
        assert re.search(rf"^  {' '.join(command.words)}  +{re.escape(command.help)}$", out, re.MULTILINE)
    assert "130  interrupted" in out


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("words", [("help", "{}"), ("{}", "--help"), ("{}", "-h"), ("help", "{}", "--help")])
def test_help_of_a_group(group: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.format(group) for word in words]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: wirebroker {group} COMMAND")
    for command in COMMANDS:
        assert (re.search(rf" {re.escape(command.help)}$", out, re.MULTILINE) is not None) == (
            command.words[0] == group
        )


@each_command
def test_help_of_a_command(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", *command.words]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: wirebroker {' '.join(command.words)} ")
    assert all(f"\n  {example}\n" in text for example in command.examples)
    with pytest.raises(SystemExit) as end:
        main([*command.words, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out == text


@each_command
def test_a_wrong_flag_gets_the_usage_of_its_command(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    err = usage_error(capsys, *command.words, "--no-such-flag")
    name = f"wirebroker {' '.join(command.words)}"
    assert err.startswith(f"{name}: error: ")
    assert err.endswith(f" (see {name} --help)\n")
    assert err.count("\n") == 1


@each_command
def test_every_option_that_is_given_wrong(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """Without its value, with a value that is none of its choices or not of its type, and with a file that is gone."""
    for action in TABLE.parser(command)._actions:
        if not action.option_strings or action.nargs == 0:
            continue
        wrong: list[tuple[str, ...]] = [] if action.nargs in ("?", "*") else [()]
        wrong += [("no such choice",)] if action.choices is not None else []
        wrong += [("\u00bd",)] if action.type in (int, float, positive, bootstrap_server) else []
        wrong += [("/no/file", *needed(command))] if action.dest == "command_config" else []
        for values in wrong:
            err = usage_error(capsys, *command.words, action.option_strings[-1], *values)
            assert err.startswith(f"wirebroker {' '.join(command.words)}: error: "), err
            assert err.count("\n") == 1, err


def needed(command: Command) -> list[str]:
    """Arguments without which the command would not look at others."""
    words: list[str] = []
    for action in TABLE.parser(command)._actions:
        if action.required:
            words += action.option_strings[-1:]
            words += ["1" if action.choices is None else next(iter(action.choices))]
    for group in TABLE.parser(command)._mutually_exclusive_groups:
        if group.required:
            flags = group._group_actions
            action = next((each for each in flags if each.nargs == 0), flags[0])
            words += [action.option_strings[-1], *([] if action.nargs == 0 else ["1"])]
    return words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("nonsense",),
            "wirebroker: error: no command 'nonsense'; there are start, quickstart, produce, consume, ",
        ),
        (("gruops",), "wirebroker: error: no command 'gruops'; did you mean 'groups'?"),
        (("--nonsense",), "wirebroker: error: no option '--nonsense'; "),
        (("nonsense", "--help"), "wirebroker: error: no command 'nonsense'; "),
        (("help", "nonsense"), "wirebroker: error: no command 'nonsense'; "),
        (("config",), "wirebroker config: error: a command is missing; there are print"),
        (("groups", "lst"), "wirebroker groups: error: no command 'lst'; did you mean 'list'?"),
        (("help", "groups", "lst"), "wirebroker groups: error: no command 'lst'; did you mean 'list'?"),
        (("start", "extra"), "wirebroker start: error: unrecognized arguments: extra"),
        (("start", "--set", "foo"), "argument --set: 'foo' is not KEY=VALUE"),
        (("config", "print", "--set", "=1"), "argument --set: '=1' is not KEY=VALUE"),
        (("start", "--listener", "garbage"), "argument --listener: garbage is not NAME://host:port"),
        (("start", "--listener", "A://:0,B://:65536"), "argument --listener: port 65536 is out of range 0 to 65535"),
        (("start", "--topic", "bad:spec"), "argument --topic: 'bad:spec' is not NAME or NAME:PARTITIONS"),
        (("dump-log",), "wirebroker dump-log: error: name at least one file with --files"),
        (("dump-log", "x", "--key-decoder-class", "X"), "wirebroker dump-log: error: no decoder 'X', there are "),
        (("produce",), "the following arguments are required: TOPIC"),
        (("produce", "t", "--acks", "2"), "argument --acks: invalid choice: '2'"),
        (("produce", "t", "--partition", "x"), "argument -p/--partition: invalid whole number value: 'x'"),
        (("produce", "t", "--key-separator", ""), "--key-separator is empty"),
        (("produce", "t", "--acks", "1", "--idempotence", "true"), "--idempotence true needs --acks all"),
        (("produce", "t", "-X", "linger.ms"), "'linger.ms' is not KEY=VALUE"),
        (("produce", "t", "--command-config", "/no/file"), "/no/file: No such file or directory"),
        (("consume", "t", "--template", "%x"), "--template: no '%x' in templates"),
        (("consume", "t", "--group", "g", "--tail", "1"), "a group chooses partitions and offsets itself"),
        (("consume", "t", "--tail", "1", "--offset", "1"), "give one of --from-beginning, --offset, --tail"),
        (("mirror", "--from", "h:1"), "the following arguments are required: --to"),
        (("mirror", "--from", "h:1", "--to", "h:1"), "--from and --to are the same cluster; --prefix gives"),
        (("groups", "list", "-b", "host"), "argument -b/--bootstrap-server: 'host' is not HOST:PORT"),
        (("groups", "list", "-b", "h:99999"), "port 99999 of 'h:99999' is out of range 1 to 65535"),
        (("groups", "list", "--timeout", "0"), "argument --timeout: 0 is not above 0"),
        (("groups", "list", "--timeout", "soon"), "argument --timeout: 'soon' is not a whole number"),
        (("groups", "list", "--format", "xml"), "argument --format: invalid choice: 'xml'"),
        (("transactions", "find-hanging"), "name --topic or --broker-id to limit the search"),
        (("transactions", "find-hanging", "--broker-id", "0", "--partition", "0"), "--partition needs --topic"),
        (("transactions", "abort", "--topic", "t", "--partition", "0"), "name the transaction with --start-offset"),
        (
            ("transactions", "abort", "--topic", "t", "--partition", "0", "--producer-id", "1"),
            "--producer-id needs --producer-epoch and --coordinator-epoch",
        ),
        (("records", "delete"), "name partitions and offsets, or a file with --offset-json-file"),
        (("records", "delete", "t:0=x"), "'t:0=x' is not TOPIC:PARTITION=OFFSET"),
        (("records", "delete", "t:0=1", "t:0=2"), "a partition is named twice"),
        (("offsets", "get", "--time", "now"), "Malformed time argument now."),
        (("offsets", "get", "--partitions", "x"), "--partitions expects a comma separated list"),
        (("offsets", "get", "t", "--topic-partitions", "t:0"), "--topic-partitions cannot be used with a topic"),
        (("offsets", "get", "--topic-partitions", "t:0:1"), "Invalid rule specification: t:0:1"),
        (("log-dirs", "describe", "--broker-list", "x"), "'x' is not ID,ID"),
        (("log-dirs", "move", "t", "--to", "/data"), "'t' is not TOPIC:PARTITION"),
        (("cluster", "features", "--dry-run"), "name a change: --upgrade, --downgrade or --disable"),
        (("cluster", "features", "--upgrade", "x"), "equals sign not found."),
        (("cluster", "features", "--upgrade", "x=y"), "unable to parse y as a short."),
        (("cluster", "features", "--upgrade", "metadata.version=9.9"), "Unknown metadata.version 9.9. Supported"),
        (("state-changes", "merge"), "one of the arguments --logs --logs-regex is required"),
        (("state-changes", "merge", "--logs", "f", "--partitions", "0"), "--partitions needs --topic"),
        (("state-changes", "merge", "--logs", "f", "--partitions", "0,0"), "contains repeated entries: 0,0"),
        (("state-changes", "merge", "--logs", "f", "--start-time", "now"), "'now' is not a time as 2026-"),
        (("state-changes", "merge", "--logs-regex", "("), "( is not a regular expression"),
        (("configs", "describe"), "At least one entity type must be specified"),
        (("configs", "describe", "--entity-type", "x"), "Invalid entity type x, the entity type must be one of"),
        (("configs", "describe", "--topic", "t", "--user", "u"), "Only 'users' and 'clients' entity types may be"),
        (("configs", "describe", "--broker", "one"), "must be a valid integer broker id, but it is: one"),
        (("configs", "describe", "--entity-type", "topics", "--entity-default"), "--entity-default must not be"),
        (
            ("configs", "describe", "--entity-type", "broker-loggers"),
            "An entity name must be specified with --describe",
        ),
        (("configs", "alter", "--entity-type", "topics", "--add-config", "a=b"), "An entity name must be specified"),
        (("configs", "alter", "--entity-type", "users", "--add-config", "a=b"), "or default entity must be specified"),
        (("configs", "alter", "--topic", "t"), "At least one of --add-config, --add-config-file, or --delete-config"),
        (("configs", "alter", "--topic", "t", "--add-config", "a"), 'must be in the format "key=val".'),
        (("configs", "alter", "--topic", "t", "--add-config", "a b=c"), "Invalid character found for config key: a b"),
        (("quotas", "alter", "--user", "u"), "name a change: --set or --delete"),
        (("quotas", "alter", "--set", "producer_byte_rate=1"), "name a user, client id or address"),
        (("quotas", "alter", "--ip", "::1", "--user", "u", "--set", "a=1"), "an address has quotas by itself"),
        (("quotas", "alter", "--user", "u", "--set", "a=1"), "no quota 'a' here; there are consumer_byte_rate"),
        (("quotas", "alter", "--user", "u", "--set", "a=b"), "'a=b' is not QUOTA=NUMBER"),
        (("topics", "create"), "name a topic"),
        (
            ("topics", "create", "t", "--partitions", "2147483648"),
            "argument --partitions: 2147483648 is above 21474836",
        ),
        (
            ("topics", "create", "t", "--replication-factor", "32768"),
            "argument --replication-factor: 32768 is above 327",
        ),
        (("topics", "alter", "t", "--partitions", "2147483648"), "argument --partitions: 2147483648 is above 21474836"),
        (("consume", "t", "--group", ""), "argument -G/--group: the id of a group cannot be empty"),
        (("perf", "consume", "t", "--group", ""), "argument -G/--group: the id of a group cannot be empty"),
        (("verifiable-consumer", "--topic", "t", "--group-id", ""), "argument --group-id: the id of a group cannot be"),
        (
            ("verifiable-consumer", "--topic", "t", "--group-id", "g", "--group-protocol", "consumer"),
            "--group-protocol consumer is not supported, classic is",
        ),
        (
            ("verifiable-consumer", "--topic", "t", "--group-id", "g", "--group-remote-assignor", "uniform"),
            "--group-remote-assignor is not supported: the group protocol classic has none",
        ),
        (("topics", "create", "t", "--config", "x"), "'x' is not KEY=VALUE"),
        (("topics", "create", "t", "--replica-assignment", "0:0"), "partition 0 names a replica twice: 0:0"),
        (("topics", "create", "t", "--replica-assignment", "0:1,2"), "another number of replicas than partition 0: 2"),
        (("topics", "create", "t", "--replica-assignment", "0", "--partitions", "1"), "leave out the numbers"),
        (("topics", "alter", "t"), "name a change: --partitions, --config or --delete-config"),
        (("topics", "alter", "t", "--config", "a=b", "--replica-assignment", "0"), "needs --partitions"),
        (("topics", "delete"), "name a topic"),
        (("groups", "reset-offsets", "--group", "e", "--topic", "t", "--to-datetime", "now"), "write it as 2026-"),
        (("groups", "reset-offsets", "--group", "e", "--topic", "t", "--by-duration", "1h"), "write it as P1DT"),
        (("top", "--interval", "-1"), "'-1' is not a number of seconds"),
        (("top", "--interval", "nan"), "'nan' is not a number of seconds"),
        (("metrics", "--watch", "inf"), "'inf' is not a number of seconds"),
        (("metrics", "--watch", "1", "--count", "0"), "0 is not above 0"),
        (("consume", "^("), "'^(' is no regular expression"),
        (("topics", "describe", "t", "--topic-id", "x"), "name topics either by --topic-id or by name"),
    ],
)
def test_wrong_usage(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = usage_error(capsys, *words)
    assert err.startswith("wirebroker")
    assert err.count("\n") == 1
    assert says in err


def test_a_wrong_bootstrap_server_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WIREBROKER_BOOTSTRAP_SERVER", "host:0")
    assert "port 0 of 'host:0' is out of range 1 to 65535" in usage_error(capsys, "groups", "list")


@pytest.mark.parametrize("example", [example for command in COMMANDS for example in command.examples])
def test_examples_are_accepted(example: str) -> None:
    words = example.partition("wirebroker ")[2].split()
    command = TABLE.find(words)
    assert command is not None
    assert callable(TABLE.parser(command).parse_args(words[len(command.words) :]).run)


def test_the_exit_code_is_the_command_s(monkeypatch: pytest.MonkeyPatch) -> None:
    command_prints(monkeypatch, lambda: 7)
    assert main(["config", "print"]) == 7


def test_a_closed_pipe_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> NoReturn:
        raise BrokenPipeError

    command_prints(monkeypatch, work)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", sys.stdout)
        assert main(["config", "print"]) == 0


def test_ctrl_c_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> NoReturn:
        raise KeyboardInterrupt

    command_prints(monkeypatch, work)
    assert main(["config", "print"]) == 130
    assert capsys.readouterr().err == "wirebroker: interrupted\n"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "wirebroker: standard output: No space left on device\n"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "wirebroker: /x: Permission denied\n"),
    ],
)
def test_an_os_error_is_one_line(
    fault: OSError, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> NoReturn:
        raise fault

    command_prints(monkeypatch, work)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", sys.stdout)
        assert main(["config", "print"]) == 1
    assert capsys.readouterr().err == says


def test_names_that_the_terminal_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> int:
        sys.stdout.write("名 \udcff\n")
        return 0

    command_prints(monkeypatch, work)
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", screen)
        assert main(["config", "print"]) == 0
    assert screen.buffer.getvalue() == b"\\u540d \\udcff\n"


@pytest.mark.parametrize("argument", ["naïve", "b\udcffd"])
def test_a_name_that_is_not_utf8_is_wrong_usage(
    argument: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        argument.encode()
        return 0

    command_prints(monkeypatch, work)
    is_utf8 = argument.isprintable()
    assert main(["config", "print"]) == (0 if is_utf8 else 2)
    assert capsys.readouterr().err == ("" if is_utf8 else "wirebroker: b'b\\xffd' is not UTF-8\n")


@pytest.mark.parametrize(
    ("streams", "words", "code", "out", "err"),
    [
        (">&-", ["--version"], 0, "", ""),
        ("2>&-", ["nonsense"], 2, "", ""),
        ("<&- >&- 2>&-", ["dump-log"], 2, "", ""),
        (">&-", ["topics", "list", "-b", "127.0.0.1:1"], 1, "", "wirebroker: cannot reach a broker at 127.0.0.1:1: "),
        ("<&-", ["--version"], 0, f"wirebroker {__version__}\n", ""),
    ],
)
def test_closed_standard_streams(streams: str, words: list[str], code: int, out: str, err: str) -> None:
    script = f'"$0" -m wirebroker "$@" {streams}'
    run = subprocess.run(
        ["sh", "-c", script, sys.executable, *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stdout) == (code, out)
    assert run.stderr.startswith(err)
    assert run.stderr.count("\n") == (1 if err else 0)


def test_other_commands_are_not_imported() -> None:
    """A broker starts faster without the modules of other commands."""
    program = (
        "import sys; from wirebroker.cli.commands import TABLE; TABLE.parser(TABLE.find(['start']));"
        "print([name for name in ('wirebroker.cli.dump.command', 'wirebroker.pipelines', 'wirebroker.cli.config_print',"
        "'wirebroker.client', 'asyncio', 'kazoo', 'pyspark') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("program", "modules"),
    [
        ("main(['--help'])", ["wirebroker.client", "wirebroker.config", "wirebroker.protocol", "trio"]),
        (
            "TABLE.parser(TABLE.find(['topics', 'list']))",
            [
                "trio",
                "tqdm",
                "confluent_kafka",
                "prometheus_client",
                "wirebroker.config.registry",
                "wirebroker.cli.start",
                "shutil",
                "difflib",
                "json",
            ],
        ),
        (
            "TABLE.parser(TABLE.find(['perf', 'produce'])).parse_args(['t'])",
            [
                "wirebroker.client.admin",
                "wirebroker.cli.client_security",
                "logging",
                "random",
                "shutil",
                "csv",
                "json",
            ],
        ),
    ],
)
def test_quick_commands_import_little(program: str, modules: list[str]) -> None:
    """`--help`, `topics list` and `perf produce` of a record are to be there at once: in 0.1 s, 0.25 s and 0.1 s."""
    code = (
        "import contextlib, io, sys; from wirebroker.cli.commands import TABLE; from wirebroker.cli.main import main\n"
        f"with contextlib.redirect_stdout(io.StringIO()): {program}\n"
        f"print([name for name in {modules!r} if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_interrupts_are_handled_before_other_imports() -> None:
    """An interrupt that comes earlier prints a traceback of Python's."""
    code = (
        "import re, sys; before = set(sys.modules); import wirebroker.cli.entry;"
        "print(*sorted(set(sys.modules) - before - {'__future__'}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "gc signal wirebroker wirebroker.cli wirebroker.cli.entry wirebroker.cli.interrupt\n"


def test_an_interrupt_while_modules_are_imported_is_one_line() -> None:
    code = (
        "import signal, sys\n"
        "from wirebroker.cli.entry import main\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'wirebroker.cli.commands':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "sys.exit(main())\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "wirebroker: interrupted\n")


def test_the_collector_looks_at_new_objects_alone_until_the_command_runs() -> None:
    """It collects what imports leave, but never goes through all that they have made.

    While the command runs it does not visit those objects: `wirebroker start` would begin with two collections of all
    of them.
    """
    code = (
        "import atexit, gc, sys\n"
        "from wirebroker.cli import api_versions, entry\n"
        "def run(args):\n"
        "    print('runs', gc.get_threshold() == usual, len(gc.get_objects()) < 2000, gc.get_freeze_count() > 10_000)\n"
        "    return 0\n"
        "api_versions.run = run\n"
        "atexit.register(lambda: print('ends with', 'frozen' if gc.get_freeze_count() else 'no', 'objects'))\n"
        "sys.argv[1:] = ['api-versions']\n"
        "begin, usual = entry.exit_on_interrupt, gc.get_threshold()\n"
        "def imports():\n"
        "    print('imports', gc.isenabled(), gc.get_threshold()[1] > 1_000_000)\n"
        "    begin()\n"
        "entry.exit_on_interrupt = imports\n"
        "sys.exit(entry.main())\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "imports True True",
        "runs True True True",
        "imports True False",
        "ends with frozen objects",
    ]
