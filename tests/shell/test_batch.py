"""Statements in one go: what goes where, exit codes, and that nothing is half-written."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from tqp.shell.main import main


class Typed(io.TextIOWrapper):
    """Standard input that is no terminal."""

    def __init__(self, text: str) -> None:
        super().__init__(io.BytesIO(text.encode()))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Typed(""))
    (tmp_path / "sales.csv").write_text("shop,amount\n1,10\n2,\n")
    return tmp_path


def test_statements_one_after_the_other(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", "CREATE TABLE t AS SELECT 1 AS a; INSERT INTO t VALUES (2)", "-c", "FROM t; SHOW TABLES"]) == 0
    out, err = capfd.readouterr()
    assert out.count("2 rows") == 1 and out.count("1 row\n") == 1 and "Count" not in out and err == ""


def test_formats(capfd: pytest.CaptureFixture[str]) -> None:
    query = ["sales.csv", "-c", "SELECT *, 'a\"b|' AS s FROM sales"]
    found = {}
    for name in ("csv", "json", "jsonlines", "markdown"):
        assert main([*query, f"--{name}"]) == 0
        found[name] = capfd.readouterr().out
        assert main([*query, "--format", name]) == 0 and capfd.readouterr().out == found[name]
    assert found["csv"] == 'shop,amount,s\n1,10,"a""b|"\n2,,"a""b|"\n'
    rows = [{"shop": 1, "amount": 10, "s": 'a"b|'}, {"shop": 2, "amount": None, "s": 'a"b|'}]
    assert json.loads(found["json"]) == rows == [json.loads(line) for line in found["jsonlines"].splitlines()]
    assert found["markdown"].splitlines()[2:] == ['| 1 | 10 | a"b\\| |', '| 2 | NULL | a"b\\| |']


def test_outputs(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    query = ["sales.csv", "-c", "SET threads = 1; FROM sales"]
    for options in (["--parquet", "a.parquet"], ["-o", "b.parquet"], ["--format", "parquet", "--output", "c.bin"]):
        assert main([*query, *options]) == 0
        assert pq.read_table(folder / options[-1]).to_pylist() == [
            {"shop": 1, "amount": 10},
            {"shop": 2, "amount": None},
        ]
    assert main([*query, "-o", "a.csv"]) == 0 and (folder / "a.csv").read_text() == "shop,amount\n1,10\n2,\n"
    assert main([*query, "-o", "a.txt"]) == 0 and "│ BIGINT │ BIGINT │" in (folder / "a.txt").read_text()
    assert main([*query, "-o", "a.md"]) == 0 and (folder / "a.md").read_text().startswith("| shop | amount |\n")
    assert main([*query, "-o", "a.feather"]) == 0 and feather.read_table("a.feather").num_rows == 2
    assert main([*query, "-o", "a.jsonl"]) == 0 and (folder / "a.jsonl").read_text().count("\n") == 2
    assert capfd.readouterr().out == ""


def test_a_query_that_fails_writes_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "out.csv").write_text("as it was")
    failing = ["-c", "SELECT CASE WHEN range > 9000 THEN 'x' ELSE '1' END::INTEGER AS a FROM range(10000)"]
    assert main([*failing, "-o", "out.csv"]) == 1 and main([*failing, "--csv"]) == 1 and main(failing) == 1
    out, err = capfd.readouterr()
    assert out == "" and err.count("could not convert string 'x' to INTEGER") == 3
    assert (folder / "out.csv").read_text() == "as it was"
    assert main(["-c", "SELECT INTERVAL 1 DAY AS i", "--parquet", "i.parquet"]) == 1
    assert "INTERVAL" in capfd.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["out.csv", "sales.csv"]


def test_those_before_the_one_that_fails_are_shown(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "q.sql").write_text("SELECT 1 AS a;\n\nSELECT\n  foo FROM range(3);\nSELECT 3 AS c")
    assert main(["q.sql", "--csv"]) == 1
    out, err = capfd.readouterr()
    assert out == "a\n1\n"
    assert err.startswith("Error in q.sql: no column foo (line 4, column 3)\n  foo FROM range(3);\n  ^\n")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    monkeypatch.setattr(sys, "stdin", Typed("\ufeffSELECT 'é' AS a"))
    assert main(["--csv"]) == 0 and capfd.readouterr().out == "a\né\n"
    monkeypatch.setattr(sys, "stdin", Typed("SELECT * FROM t"))
    (folder / "t.sql").write_text("CREATE TABLE t AS SELECT 7 AS a")
    assert main(["t.sql", "-", "--csv"]) == 0 and capfd.readouterr().out == "a\n7\n"
    monkeypatch.setattr(sys, "stdin", Typed(""))
    assert main([]) == 0 and capfd.readouterr() == ("", "")


def test_files_are_tables(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "sales.2024.csv").write_text("a\n1\n")
    (folder / "sales.2025.csv").write_text("a\n2\n")
    (folder / "parts").mkdir()
    assert main(["-c", "SELECT 5 AS a", "-o", "parts/a.parquet"]) == main(["parts", "-c", "FROM parts", "--csv"]) == 0
    assert capfd.readouterr().out == "a\n5\n"
    names = ["sales.2024.csv", "years=sales.20*.csv", str(folder / "sales.csv")]
    assert (
        main([*names, "-c", 'SELECT (SELECT sum(a) FROM years), a, shop FROM "sales.2024" AS one, sales', "--csv"]) == 0
    )
    assert capfd.readouterr().out.splitlines()[1:] == ["3,1,1", "3,1,2"]


def test_variables_of_the_command_are_no_tables(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", "FROM options"]) == 1
    assert "options" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--csv", "--json", "-c", "SELECT 1"], "one format at a time, not csv and json"),
        (["--format", "parquet", "-c", "SELECT 1"], "--parquet OUT"),
        (["--format", "arrow", "-c", "SELECT 1"], "--output OUT"),
        (["--parquet", "a", "-o", "b", "-c", "SELECT 1"], "another one"),
        (["-o", "nowhere/a.csv", "-c", "SELECT 1"], "no folder 'nowhere'"),
        (["-o", ".", "-c", "SELECT 1"], "is a folder"),
        (["missing.sql"], "cannot read 'missing.sql': No such file"),
        (["SELECT 1"], "statements stand behind -c"),
        (["SELECT a FROM t WHERE a = 1"], "statements stand behind -c"),
        (["missing.parquet", "-c", "SELECT 1"], "missing.parquet"),
        (["a=sales.csv", "a=sales.csv", "-c", "SELECT 1"], "two tables called 'a'"),
        (["*.csv", "-c", "SELECT 1"], "NAME=*.csv"),
        (["latin.sql"], "no text in UTF-8: byte 0"),
        (["-c", "SELECT 1; SELECT 2", "-o", "a.csv"], "several have rows"),
        (["-c", "SET threads = 1", "-o", "a.csv"], "no statement has rows"),
        (["--device", "gpu", "-c", "SELECT 1"], "gpu"),
        (["--threads", "0", "-c", "SELECT 1"], "threads"),
        (["--rows", "-1", "-c", "SELECT 1"], "0 or more"),
        (["--nonsense"], "nonsense"),
    ],
)
def test_wrong_usage(options: list[str], said: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "latin.sql").write_bytes(b"\xe9")
    try:
        code = main(options)
    except SystemExit as error:  # argparse
        code = error.code
    out, err = capfd.readouterr()
    assert code == 2 and said in err and out == ""
    assert not (folder / "a.csv").exists()


def test_rows_width_and_plans(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", "SELECT range AS a FROM range(50)", "--rows", "3"]) == 0
    assert "50 rows (3 shown)" in capfd.readouterr().out
    wide = f"SELECT {', '.join(f'{place} AS column_{place}' for place in range(30))}"
    assert main(["-c", wide]) == 0 and "column_29" in (out := capfd.readouterr().out) and "column_15" in out
    assert main(["-c", wide, "--width", "80"]) == 0 and "30 columns (" in capfd.readouterr().out
    assert main(["-c", "EXPLAIN SELECT 1"]) == 0 and capfd.readouterr().out.startswith("Project [1]")
    assert main(["-c", "SELECT 'a' AS explain_key, E'b\\n' AS explain_value"]) == 0
    assert "b\\n" in capfd.readouterr().out


def test_a_timeout_and_ctrl_c(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    slow = "SELECT count(*) FROM range(100000) a(x), range(100000) b(y) WHERE x * y % 7 = 1"
    assert main(["--timeout", "0.2", "-c", slow]) == 1 and "timeout of 0.2 s" in capfd.readouterr().err

    def interrupted(*_: object) -> None:
        stopped = KeyboardInterrupt()
        stopped.add_note("tqp stopped a query")
        raise stopped

    monkeypatch.setattr("tqp.shell.main.read", interrupted)
    assert main([]) == 130
    assert capfd.readouterr().err == "\nInterrupted\ntqp stopped a query\n"


def _run(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)


def test_help_loads_nothing_that_is_large() -> None:
    run = _run(f"{sys.executable} -X importtime -m tqp --help")
    assert run.returncode == 0 and "exit codes" in run.stdout
    loaded = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}
    assert "tqp.shell.arguments" in loaded and not loaded & {"torch", "numpy", "pyarrow", "sqlglot", "wcwidth"}
    assert _run(f"{sys.executable} -m tqp --version").stdout.startswith("tqp 0.")


def test_a_reader_that_leaves() -> None:
    run = _run(f"{sys.executable} -m tqp -c 'FROM range(300000)' --csv | head -1; echo ${{PIPESTATUS[0]}}")
    assert run.stdout == "range\n141\n" and run.stderr == ""


def test_a_disk_that_is_full() -> None:
    run = _run(f"{sys.executable} -m tqp -c 'FROM range(3)' --csv > /dev/full")
    assert run.returncode == 1 and run.stderr == "tqp: cannot write the rows: No space left on device\n"


def test_commands_among_statements(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "more.sql").write_text(".mode jsonlines\nSELECT 2 AS b;")
    script = "-- remark\n.mode csv\n.open sales.csv\nFROM sales;\nSELECT '\n.tables\n' AS t;\n.read more.sql\nSELECT 3 AS c\n"
    (folder / "all.sql").write_text(script)
    assert main(["all.sql"]) == 0
    assert capfd.readouterr().out == 'shop,amount\n1,10\n2,\nt\n"\n.tables\n"\n{"b":2}\n{"c":3}\n'
    monkeypatch.setattr(sys, "stdin", Typed(".mode csv\n\nSELECT 1 AS a;\n\n.quit\nSELECT 2;"))
    assert main([]) == 0 and capfd.readouterr().out == "a\n1\n"
    monkeypatch.setattr(sys, "stdin", Typed(".mode csv\nSELECT 1 AS a;\n.exit 3\nSELECT 2;"))
    assert main([]) == 3 and capfd.readouterr().out == "a\n1\n"
    # With an output the rows of queries alone go there.
    assert main(["-c", ".open sales.csv", "-c", "FROM sales", "-o", "a.csv"]) == 0
    assert (folder / "a.csv").read_text() == "shop,amount\n1,10\n2,\n" and capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".mode csv\nSELECT 1 AS a;\n.tabels\nSELECT 2;", "there is no command .tabels\nHint: did you mean .tables?"),
        (".mode csv\nSELECT 1 AS a;\n\nSELECT x;", "no column x (line 4, column 8)"),
        (".mode csv\nSELECT 1 AS a;\nSELECT\n.tables", "syntax error"),
    ],
)
def test_errors_among_commands(text: str, message: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "all.sql").write_text(text)
    assert main(["all.sql"]) == 1
    out, err = capfd.readouterr()
    assert out == "a\n1\n" and message in err and err.startswith("Error in all.sql: ")
