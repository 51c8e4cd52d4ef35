"""What is found in SQL without a database: where statements end, and what is none."""

import pytest

from backbone.ledger.sql_text import faults, statements
from tests.architecture.sources import ROOT

PACKED = sorted((ROOT / "packs").glob("*/migrations/*.sql"))


@pytest.mark.parametrize("path", PACKED, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_nothing_is_wrong_with_the_migrations_of_the_packs_that_come_with_the_product(path) -> None:
    sql = path.read_text("utf-8")
    assert faults(sql) == []
    assert {one.word for one in statements(sql)} <= {"create", "grant", "alter", "insert", "drop", "update", "delete"}


@pytest.mark.parametrize(
    ("sql", "lines"),
    [
        ("select 1;\n\nselect 2", [1, 3]),
        ("-- one; two\nselect ';' ; /* a; /* b; */ c; */ select \"x;y\"", [2, 2]),
        (
            "create function f() returns int language sql as $body$ select 1; select 2 $body$;\nselect 'it''s; so';",
            [1, 2],
        ),
        (
            "create function f(a int) returns int\nbegin atomic\n select case when a > 1 then 2 else 3 end;\n"
            " select 1;\nend;\nselect 2;",
            [1, 6],
        ),
        ("create rule r as on insert to t do also (select 1; select 2);\nselect E'\\';' ;", [1, 2]),
        ("select $1, a$b$c from t; select 2", [1, 1]),
        (";;\n;select 1", [2]),
        ("-- 표\n/* 表 */\n", []),
    ],
)
def test_a_statement_ends_where_the_database_says(sql: str, lines: list[int]) -> None:
    assert [one.line for one in statements(sql)] == lines
    assert faults(sql) == []


@pytest.mark.parametrize(
    ("sql", "line", "what"),
    [
        ("select 1;\nselec 2;", 2, "word"),
        ("\\i more.sql", 1, "word"),
        ("테이블 만들기;", 1, "word"),
        ("select 1;\n begin;\nselect 2;\ncommit;", 2, "transaction"),
        ("prepare transaction 'x'", 1, "transaction"),
        ("select 1;\nselect 'abc;\nselect 2;", 2, "unended"),
        ("create function f() as $$ begin end", 1, "unended"),
        ("select 1;\n/* and so on", 2, "unended"),
        ("create table t (\n a int;\nselect 1;", 1, "unended"),
    ],
)
def test_what_is_no_statement_is_told_with_its_line(sql: str, line: int, what: str) -> None:
    found = faults(sql)
    assert (found[0].line, found[0].what) == (line, what)
