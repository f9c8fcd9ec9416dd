"""`wirebroker export` and `import` where PySpark is not installed."""

from __future__ import annotations

import sys

import pytest

from wirebroker.cli.main import main


@pytest.mark.parametrize("words", [("export", "t", "--parquet", "d"), ("import", "t", "--parquet", "d")])
def test_without_pyspark(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "wirebroker: this command needs PySpark: pip install 'wirebroker[spark]'\n")
