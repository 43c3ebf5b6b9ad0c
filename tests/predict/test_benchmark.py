"""The benchmark of prediction queries: what it writes, and that all sides answer as the model itself."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from benchmarks import predict, predict_sides
from benchmarks.predict_models import FAMILIES, QUERIES, missing

COMMON = ["--sf", "0.01", "--repeat", "1", "--threads", "1"]


def test_all_sides_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    command = [*COMMON, "--families", "tree", "--queries", "group,filter", "--sides", "tqp,pandas,udf,host"]
    assert predict.main([*command, "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "geometric mean of pandas / tqp over 2 queries" in printed
    assert "6 of 6 answers equal the library's own" in printed
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(line["query"], line["engine"]) for line in lines] == [
        (query, side) for query in ("group", "filter") for side in ("tqp", "pandas", "udf", "tqp host")
    ]
    for line in lines:
        assert line["benchmark"] == "predict"
        assert line["family"] == "tree"
        assert line["model_version"].startswith("scikit-learn ")
        assert line["validated"] is True
        assert line["error"] is None
        assert line["rows"] > 0
        assert len(line["runs_ms"]) == 1
        assert line["hardware"] and line["engine_version"]


def test_the_slow_side_may_be_sampled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One query, one run, and the output says so; what it was not asked for is neither an error nor a wrong answer."""
    out = tmp_path / "out.jsonl"
    command = [*COMMON, "--families", "tree", "--queries", "group,rate", "--sides", "tqp,pandas,udf", "--sample-udf"]
    assert predict.main([*command, "--repeat", "2", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "udf, the slow side, is sampled: the query rate alone, one run" in printed
    assert "error" not in printed and "NO" not in printed
    assert "3 of 3 answers equal the library's own" in printed
    runs = {(line["query"], line["engine"]): line for line in map(json.loads, out.read_text().splitlines())}
    assert {place: len(line["runs_ms"]) for place, line in runs.items() if place[1] == "udf"} == {
        ("group", "udf"): 0,
        ("rate", "udf"): 1,
    }
    assert runs["rate", "udf"]["validated"] is True and runs["group", "udf"]["validated"] is None


def test_ablation_leaves_one_rule_out_at_a_time(tmp_path: Path) -> None:
    from tqp.optimizer import RULES

    out = tmp_path / "out.jsonl"
    command = [*COMMON, "--families", "logistic", "--queries", "customers", "--sides", "tqp", "--ablate"]
    assert predict.main([*command, "--json", str(out)]) == 0
    engines = [json.loads(line)["engine"] for line in out.read_text().splitlines()]
    assert engines == ["tqp", *(f"tqp without {rule}" for rule in predict.RULES if rule in dict(RULES))]


def test_a_wrong_answer_fails_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right = predict_sides.TqpSide.run
    monkeypatch.setattr(predict_sides.TqpSide, "run", lambda self, sql: right(self, sql).slice(1))
    assert predict.main([*COMMON, "--families", "tree", "--queries", "rate", "--sides", "tqp,pandas"]) == 1
    printed = capsys.readouterr().out
    assert "4 rows instead of 5" in printed
    assert "0 of 1 answers" in printed


def test_a_library_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.predict_models.importlib.util.find_spec", lambda name: None)
    assert missing(FAMILIES["xgboost"]) == "scikit-learn"
    assert predict.main(["--families", "xgboost"]) == 2
    printed = capsys.readouterr()
    assert "xgboost is left out: scikit-learn is not installed" in printed.out
    assert 'pip install "tensor-query-processor[models]"' in printed.err


def test_options_are_checked() -> None:
    with pytest.raises(SystemExit):
        predict.main(["--families", "oracle"])
    with pytest.raises(argparse.ArgumentTypeError, match="none of the queries"):
        predict._chooser("queries", {query.name: query for query in QUERIES})("nothing")
