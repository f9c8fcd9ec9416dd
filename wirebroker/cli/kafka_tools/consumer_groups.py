"""kafka-consumer-groups.sh: list, describe and delete groups; `scripts.py` hands changes of offsets to `groups`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.groups.delete import delete_group
from wirebroker.cli.groups.requests import assignment, describe, list_groups, partition_lags
from wirebroker.cli.kafka_tools.tool import ToolParser, connect, message_of
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.describe_groups import DescribedGroup

_ABOUT: Final = "This tool helps to list all consumer groups, describe a consumer group, or delete consumer group info."
_ACTIONS: Final = ("list", "describe", "delete")
_ANY: Final = ""
_NARROW, _INSTANCE_ID = 15, 17
"""The least widths of columns."""
_REBALANCING: Final = frozenset({"PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"})


def main(argv: list[str]) -> int:
    """Run the script and return its exit code, which is 0 also after an error, as in the original."""
    parser = ToolParser("kafka-consumer-groups", _ABOUT)
    for each in (*_ACTIONS, "all-groups", "offsets", "members", "verbose"):
        parser.add_argument(f"--{each}", action="store_true")
    parser.add_argument("--group", action="append", default=[])
    parser.add_argument("--state", nargs="?", const=_ANY)
    parser.add_argument("--type", nargs="?", const=_ANY)
    parser.add_argument("--timeout", dest="timeout_ms", type=int)
    args = parser.read(argv)
    if sum(getattr(args, each) for each in _ACTIONS) != 1:
        parser.usage_error(
            "Command must include exactly one action: --list, --describe, --delete, --reset-offsets, --delete-offsets"
        )
    parser.require(args, "bootstrap-server")
    if not args.list and not args.group and not args.all_groups:
        parser.usage_error('Option "[describe]" takes one of these options: "[all-groups]", "[group]"')
    try:
        with connect(args) as admin:
            _run(admin, args)
    except ClientError as problem:
        print(f"\nError: Executing consumer group command failed due to {message_of(problem)}")
    return 0


def _run(admin: Admin, args: argparse.Namespace) -> None:
    if args.list:
        _list(admin, args)
        return
    ids = [each.group_id for each in list_groups(admin)] if args.all_groups else sorted(set(args.group))
    if args.delete:
        _delete(admin, ids)
        return
    for group_id in ids:
        group = describe(admin, group_id)
        if args.members and not args.offsets:
            _print_members(group, verbose=args.verbose)
        elif args.state is not None and not args.offsets:
            _print_state(admin, group)
        else:
            _print_offsets(admin, group)


def _list(admin: Admin, args: argparse.Namespace) -> None:
    groups = list_groups(admin, _words(args.state), _words(args.type))
    if args.state is None and args.type is None:
        for each in groups:
            print(each.group_id)
        return
    width = max([_NARROW, *(len(each.group_id) for each in groups)]) + 10
    rows = [("GROUP", "TYPE", "STATE"), *((each.group_id, each.group_type, each.group_state) for each in groups)]
    for group_id, kind, state in rows:
        cells = [f"{group_id:<{width}}"]
        cells += [f"{kind:<20}"] if args.type is not None else []
        cells += [f"{state:<20}"] if args.state is not None else []
        print(" ".join(cells))


def _words(text: str | None) -> list[str]:
    return [each.strip() for each in text.split(",")] if text else []


def _delete(admin: Admin, ids: list[str]) -> None:
    errors: dict[str, str] = {}
    for group_id in ids:
        try:
            admin.retry(partial(delete_group, admin, group_id))
        except ClientError as problem:
            errors[group_id] = message_of(problem)
    deleted = [each for each in ids if each not in errors]
    if not errors:
        print(f"Deletion of requested consumer groups ('{', '.join(deleted)}') was successful.")
        return
    print("\nError: Deletion of some consumer groups failed:")
    for group_id, error in errors.items():
        print(f"* Group '{group_id}' could not be deleted due to: {error}")
    if deleted:
        print(f"\nThese consumer groups were deleted successfully: '{', '.join(deleted)}'")


def _is_shown(group: DescribedGroup, rows: int) -> bool:
    """Print a remark about the state of a group; return whether there is more to print."""
    state, name = group.group_state, group.group_id
    if state == "Dead":
        print(f"\nError: Consumer group '{name}' does not exist.")
    elif state == "Empty":
        print(f"\nConsumer group '{name}' has no active members.", file=sys.stderr)
    elif state in _REBALANCING:
        print(f"\nWarning: Consumer group '{name}' is rebalancing.", file=sys.stderr)
    return state != "Dead" and rows > 0


def _print_offsets(admin: Admin, group: DescribedGroup) -> None:
    lags = partition_lags(admin, group) if group.group_state != "Dead" else []
    if not _is_shown(group, len(lags)):
        return
    titles = (
        *("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID"),
    )
    rows = [
        (group.group_id, each.topic, each.partition, each.current_offset, each.log_end_offset, each.lag, *each[6:])
        for each in lags
    ]
    widths = [_NARROW, _NARROW, 10, 15, 15, 15, _NARROW, _NARROW, 0]
    for column in (0, 1, 6, 7):
        widths[column] = max(_NARROW, *(len(str(row[column])) for row in rows))
    for cells in (titles, *rows):
        print("\n" + _line(cells, widths), end="")


def _line(cells: tuple[Any, ...], widths: list[int]) -> str:
    texts = ("-" if cell is None else str(cell) for cell in cells)
    return " ".join(f"{text:<{width}}" for text, width in zip(texts, widths, strict=True))


def _print_members(group: DescribedGroup, *, verbose: bool) -> None:
    members = group.members
    widths = [_NARROW, _NARROW, _INSTANCE_ID, _NARROW, _NARROW, _NARROW]
    is_static = False
    rows: list[tuple[Any, ...]] = []
    for each in members:
        owned = assignment(bytes(each.member_assignment))
        cells = (group.group_id, each.member_id, each.group_instance_id or "", each.client_host, each.client_id)
        rows.append((*cells, len(owned), owned))
        is_static = is_static or bool(each.group_instance_id)
    if _is_shown(group, len(rows)):
        widths = [max([width, *(len(str(row[at])) for row in rows)]) for at, width in enumerate(widths[:5])] + [_NARROW]
    used = [at for at in range(len(widths)) if is_static or at != 2]
    titles = ("GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS")
    narrow = [widths[at] for at in used]
    print(f"\n{_line(tuple(titles[at] for at in used), narrow)} {'ASSIGNMENT' if verbose else ''}")
    for row in rows:
        topics: dict[str, list[str]] = {}
        for at in row[-1]:
            topics.setdefault(at.topic, []).append(str(at.partition))
        partitions = ", ".join(sorted(f"({','.join(sorted(numbers))})" for numbers in topics.values())) or "-"
        print(f"{_line(tuple(row[at] for at in used), narrow)} {partitions if verbose else ''}")


def _print_state(admin: Admin, group: DescribedGroup) -> None:
    if not _is_shown(group, 1):
        return
    node_id, address, _ = admin.retry(lambda: admin.coordinator(group.group_id))
    coordinator = f"{address}  ({node_id})"
    widths = [max(25, len(coordinator)), 25, 20, 15, 0]
    titles = ("GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS")
    row = (group.group_id, coordinator, group.protocol_data, group.group_state, len(group.members))
    print(f"\n{_line(titles, widths)}\n{_line(row, widths)}")
