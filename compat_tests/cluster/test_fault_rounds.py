"""The rounds of repeated faults are counted, cut off by time, and not repeated; their table adds them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.cluster.clients import NO_OFFSET, Acked, ends_of, with_offsets
from compat_tests.cluster.fault_rounds import FaultRounds, FaultSummary, RecordCounts, count_records
from tools.bench import fault_table

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TEST = "test_faults.py::test_faults[wirebroker]"


def test_faults_take_turns_until_each_has_happened_as_often_as_wanted() -> None:
    rounds = FaultRounds("three", {"kill": 2, "stop": 1})
    assert list(rounds) == ["kill", "stop", "kill"]
    assert rounds.done == {"kill": 2, "stop": 1}


def test_time_ends_the_rounds_but_not_before_the_first() -> None:
    rounds = FaultRounds("three", {"kill": 20, "stop": 20}, seconds=0)
    assert list(rounds) == ["kill"]
    assert rounds.line(TEST, None)["rounds"] == {"kill": 1}


def test_a_round_that_failed_is_not_counted() -> None:
    rounds = FaultRounds("three", {"kill": 20})
    each = iter(rounds)
    next(each)
    assert rounds.line(TEST, "it did not come back")["rounds"] == {}


def test_lost_and_doubled_records_are_counted() -> None:
    first, second, third = Acked(0, 0, "record-0"), Acked(0, 1, "record-1"), Acked(0, 2, "record-2")
    assert count_records([first, second], [first, second]) == RecordCounts(2, 0, 0)
    assert count_records([first, second], [first]) == RecordCounts(2, 1, 0)
    assert count_records([first, second], [first, Acked(0, 1, "record-0")]) == RecordCounts(2, 1, 1)
    assert count_records([first, first], [first, third]) == RecordCounts(2, 0, 1)


def test_a_record_acknowledged_without_an_offset_is_the_one_with_its_value() -> None:
    first, second, third = Acked(0, 0, "record-0"), Acked(0, 1, "record-2"), Acked(1, 0, "record-1")
    without, elsewhere = second._replace(offset=NO_OFFSET), third._replace(partition=0, offset=NO_OFFSET)
    assert ends_of([first, without]) == {0: 1}
    assert with_offsets([first, without], [first, second, third]) == [first, second]
    lost = with_offsets([without, elsewhere], [first, third])
    assert lost == [without, elsewhere]
    assert count_records(lost, [first, third]) == RecordCounts(2, 2, 0)


def test_only_the_rounds_of_clusters_that_passed_are_not_run_again(tmp_path: Path) -> None:
    summary = FaultSummary(tmp_path / "night.jsonl")
    assert summary.missing(TEST, {"kill": 20, "stop": 20}) == {"kill": 20, "stop": 20}
    for failure in (None, "a record is lost"):
        rounds = FaultRounds("three", {"kill": 20, "stop": 3})
        list(rounds)
        summary.add(rounds.line(TEST, failure))
    assert summary.missing(TEST, {"kill": 20, "stop": 20}) == {"stop": 17}
    assert summary.missing("another test", {"kill": 20}) == {"kill": 20}


def test_the_table_adds_up_the_rounds_of_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("one", "two")]
    for file, failure in zip(files, (None, "AssertionError: a record is lost\nmore"), strict=True):
        for count in (3, 4):
            rounds = FaultRounds("three", {"kill": count, "stop": 1})
            list(rounds)
            rounds.records = RecordCounts(1000, 0 if failure is None else 1, 0)
            FaultSummary(file).add(rounds.line(TEST, failure))
    summary = FaultSummary(files[0])
    summary.add(FaultRounds("two", {"pause": 0}).line("another", None))
    summary.add(FaultRounds("two", {"pause": 2, "kill": 20}).line("another", fault_table.ENDED_BY_HAND))
    summary.add(FaultRounds("alone", {"move": 20}).line("one more", None))
    assert fault_table.main(["--runs", "20", *map(str, files)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[:21] == [
        "| fault | three | two | missing |",
        "|---|---:|---:|---:|",
        "| kill | 7 | 0 | 33 |",
        "| stop | 2 |  | 18 |",
        "| pause |  | 0 | 20 |",
        "| all | 9 | 0 | 71 |",
        "| records checked | 2,000 | 0 |  |",
        "| … lost | 2 | 0 |  |",
        "| … doubled | 0 | 0 |  |",
        "| clusters that failed | 2 | 0 |  |",
        "",
        "| fault | alone | missing |",
        "|---|---:|---:|",
        "| move | 0 | 20 |",
        "| all | 0 | 20 |",
        "| records checked | 0 |  |",
        "| … lost | 0 |  |",
        "| … doubled | 0 |  |",
        "| clusters that failed | 0 |  |",
        "",
        "9 rounds, 2,000 records checked, 2 lost, 0 doubled.  Clusters that failed:",
    ]
    assert [line.partition(" ")[2].partition(" ")[2] for line in printed[21:]] == [
        "",
        "two: pause, kill: ended by hand",
        "three: kill, stop: AssertionError: a record is lost",
        "three: kill, stop: AssertionError: a record is lost",
    ]


def test_the_tables_of_the_record_are_those_in_the_results() -> None:
    text = fault_table.RESULTS.read_text().partition(fault_table.BEGIN)[2].partition(fault_table.END)[0]
    assert fault_table.report(fault_table.read_lines([fault_table.RECORD]), 20) == text.strip("\n")
