"""kafka-delete-records.sh: delete records up to the offsets in a JSON file."""

from __future__ import annotations

from typing import Final

from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.cli.records.deletion import delete_records, parse_offset_json
from wirebroker.client.connection import ClientError

_ABOUT: Final = "This tool helps to delete records of the given partitions down to the specified offset."


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-delete-records", _ABOUT)
    parser.add_argument("--offset-json-file")
    args = parser.read(argv)
    parser.require(args, "bootstrap-server", "offset-json-file")
    try:
        with open(args.offset_json_file, encoding="utf-8") as file:
            offsets = parse_offset_json(file.read())
        with connect(args) as admin:
            print("Executing records delete operation")
            results = delete_records(admin, offsets)
    except OSError as fault:
        raise ToolError(f"Unable to read file {fault.filename}: {fault.strerror}") from None
    except (ValueError, ClientError) as problem:
        raise ToolError(message_of(problem)) from None
    print("Records delete operation completed:")
    for each in results:
        result = f"error: {each.error}" if each.error else f"low_watermark: {each.low_watermark}"
        print(f"partition: {each.at}\t{result}")
    return 0
