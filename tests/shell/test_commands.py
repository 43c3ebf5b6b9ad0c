"""Commands with a dot, and what a prompt shows of statements."""

from __future__ import annotations

from pathlib import Path

import pytest

import tqp
from tqp.errors import BindError, TqpError
from tqp.shell.commands import COMMANDS, Leave, run
from tqp.shell.pager import pager, show
from tqp.shell.repl import is_whole
from tqp.shell.session import Session
from tqp.shell.typed import ELSEWHERE, meant


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sales.csv").write_text("shop,amount\n1,10\n2,25\n")
    return Session(tqp.connect(variables=False))


def test_every_command_is_in_the_help(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    run(session, ".help")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(COMMANDS) and all(f".{name}" in line for name, line in zip(COMMANDS, lines, strict=True))
    run(session, ".help .mode")
    assert "csv" in capsys.readouterr().out


def test_tables(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    run(session, ".open sales.csv")
    run(session, ".open order=sales.csv")
    assert capsys.readouterr().out == 'table sales\ntable "order"\n'
    run(session, ".tables")
    run(session, ".schema sales")
    out = capsys.readouterr().out
    assert "│ order" in out and "│ amount" in out
    run(session, ".schema")
    assert "[shop, amount]" in capsys.readouterr().out


def test_how_rows_are_shown(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    run(session, ".rows 2")
    session.run("FROM range(5)")
    assert "5 rows (2 shown)" in capsys.readouterr().out
    run(session, ".width 40")
    session.run(f"SELECT {', '.join(f'{place} AS c{place}' for place in range(9))}")
    assert "9 columns (" in capsys.readouterr().out
    run(session, ".width auto")
    run(session, ".timer on")
    run(session, ".mode markdown")
    session.run("SELECT 1 AS a")
    out = capsys.readouterr().out.splitlines()
    assert out[:3] == ["| a |", "| ---: |", "| 1 |"] and out[3].endswith("of the CPU")


def test_statements_that_write(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.run("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2); SET threads = 1; INSERT INTO t SELECT 3")
    assert capsys.readouterr().out == "2 rows written\n1 row written\n"
    session.run('INSERT INTO t VALUES (4) RETURNING a AS "Count"')
    assert "│   Count │" in capsys.readouterr().out


def test_plans_of_queries(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BindError, match="no query was run yet"):
        run(session, ".explain")
    session.run("SELECT range + 1 AS a FROM range(3)")
    for text, shown in (
        (".explain", "Project"), (".explain steps", "pipeline 0"), (".explain program", "import torch"), (".explain analyze", "pipeline 0"),
        (".explain SELECT 1;", "Values"), (".explain steps SELECT 1", "result 0"), (".verify", "verified: 3 rows"), (".verify SELECT 1", "verified: 1 row"),
    ):  # fmt: skip
        capsys.readouterr()
        run(session, text)
        assert shown in capsys.readouterr().out, text
    for bad in (".explain SELECT 1; SELECT 2", ".verify SET threads = 1"):
        with pytest.raises(BindError, match="one query"):
            run(session, bad)


def test_files_of_statements(session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.sql").write_text("SELECT 41 + 1 AS a;\nSELECT foo")
    with pytest.raises(BindError, match="no column foo") as caught:
        run(session, ".read q.sql")
    assert "line 2, column 8" in str(caught.value) and "42" in capsys.readouterr().out
    (tmp_path / "latin.sql").write_bytes(b"\xe9")
    for file, said in (("nothing.sql", "No such file"), ("latin.sql", "UTF-8"), (".", "Is a directory")):
        with pytest.raises(TqpError, match=said):
            run(session, f".read {file}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".tabels", "did you mean .tables"),
        (".", "no command"),
        (".mode parquet", "table, csv, json, jsonlines or markdown, not 'parquet'"),
        (".timer", "on or off, not ''"),
        (".rows -1", "0 or more"),
        (".tables x", "takes nothing"),
        (".open", "path of a file"),
        (".once", "path of a file"),
        (".exit now", "0 or more"),
        (".open nothing.csv", "nothing.csv"),
        (".help nothing", "no command .nothing"),
    ],
)
def test_what_a_command_does_not_take(session: Session, text: str, said: str) -> None:
    with pytest.raises(TqpError) as caught:
        run(session, text)
    assert said in str(caught.value)


def test_leaving(session: Session) -> None:
    for text, code in ((".quit", 0), (".EXIT", 0), (".q;", 0), (".exit 3", 3)):
        with pytest.raises(Leave) as left:
            run(session, text)
        assert left.value.code == code


def test_names_of_commands_may_be_short(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    run(session, ".op sales.csv")
    run(session, ".tab ;")
    assert "sales" in capsys.readouterr().out
    with pytest.raises(BindError, match=".t may be .tables or .timer"):
        run(session, ".t")


def test_habits_of_other_shells(session: Session) -> None:
    assert not set(ELSEWHERE) & set(COMMANDS)
    for name, hint in ELSEWHERE.items():
        with pytest.raises(BindError, match=f"no command .{name}") as caught:
            run(session, f".{name} x")
        assert caught.value.hint == hint
    assert [meant(text) for text in ("exit", " QUIT;\n", "\\q", "\\timing", "exit 1", "help me;")] == [
        ".exit",
        ".quit",
        ".quit",
        ".timing",
        "exit 1",
        "help me;",
    ]


def test_what_the_hints_say_works(session: Session, tmp_path: Path) -> None:
    copies = ("(HEADER false)", "(NULLSTR 'none')", "(DELIMITER ';')")
    session.run("CREATE TABLE t AS SELECT 1 AS a, NULL AS b")
    found = []
    for options in copies:
        session.run(f"COPY t TO 'rows.csv' {options}")
        found.append((tmp_path / "rows.csv").read_text())
    assert found == ["1,\n", "a,b\n1,none\n", "a;b\n1;\n"]
    session.run("SELECT * FROM duckdb_settings()")


def test_rows_of_one_query_go_to_a_file(session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(session, ".once rows.csv")
    session.run("CREATE TABLE t AS SELECT 1 AS a; FROM t; SELECT 2 AS b")
    out = capsys.readouterr().out
    assert "1 row written to 'rows.csv'" in out and "│     2 │" in out.replace("│       2 │", "│     2 │")
    assert (tmp_path / "rows.csv").read_text() == "a\n1\n"
    run(session, ".once rows.txt")
    session.run("FROM t")
    assert "│ INTEGER │" in (tmp_path / "rows.txt").read_text()
    run(session, ".once nowhere/rows.csv")
    with pytest.raises(TqpError, match="nowhere"):
        session.run("FROM t")


def test_whole_statements() -> None:
    assert all(
        map(is_whole, ("", " \n", ".help", "exit", "\\d", "SELECT 1;", "SELECT ';'; -- end", "SELECT 1; SELECT 2;"))
    )
    assert not any(
        map(is_whole, ("SELECT 1", "SELECT ';", "SELECT 1 -- ;", "SELECT $$;", "/* ;", "SELECT 1; SELECT 2"))
    )


def test_no_pager_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert pager() is None
    show("line\n" * 500)
    assert capsys.readouterr().out.count("line") == 500
