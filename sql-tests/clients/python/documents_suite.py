"""Documents as a request with psycopg: JSON and columns, parameters in text and binary, faults, LSNs in and out of blocks."""

import base64
import datetime as dt
import json
import struct

import psycopg
from psycopg.adapt import Dumper
from psycopg.types.json import Json, Jsonb

from tap import check, equal, run

VECTOR = 16000
DIMENSION = 3


class Vectors(list):
    """Float32 vectors, sent as vector[]."""


class VectorsDumper(Dumper):
    format = psycopg.pq.Format.BINARY
    oid = VECTOR + 1

    def dump(self, vectors):
        parts = [struct.pack(">5i", 1, 0, VECTOR, len(vectors), 1)]
        for vector in vectors:
            body = struct.pack(f">2H{len(vector)}f", len(vector), 0, *vector)
            parts += [struct.pack(">i", len(body)), body]
        return b"".join(parts)


def connect(autocommit=True):
    connection = psycopg.connect(autocommit=autocommit)
    connection.adapters.register_dumper(Vectors, VectorsDumper)
    return connection


def fresh(connection):
    connection.execute("DROP TABLE IF EXISTS shelf")
    connection.execute(f"CREATE TABLE shelf (_id TEXT, title TEXT NOT NULL, n BIGINT, emb F32_VECTOR({DIMENSION}))")
    if not connection.autocommit:
        connection.commit()


def faults(connection, sql, parameters):
    try:
        connection.execute(sql, parameters)
    except psycopg.Error as error:
        return error.sqlstate, error.diag.source_function, json.loads(error.diag.message_detail)
    raise AssertionError("no error")


@check
def json_in_every_form():
    with connect() as connection:
        fresh(connection)
        packed = base64.b64encode(struct.pack("<3f", 1, 2, 3)).decode()
        for i, wrap in enumerate((json.dumps, Json, Jsonb)):
            documents = [{"_id": f"d{i}", "title": "t", "emb": {"$f32_vector": packed}, "u": [1.5, 2.0]}]
            for placeholder in ("%s", "%t"):
                row = connection.execute(f"SELECT lsn FROM quern.upsert('shelf', {placeholder})", (wrap(documents),))
                equal(int(row.fetchone()[0]) > i, True)
        rows = connection.execute("SELECT _id, emb::text, u FROM shelf ORDER BY 1").fetchall()
        equal(rows, [(f"d{i}", "[1,2,3]", [1.5, 2.0]) for i in range(3)])


@check
def columns_of_every_type():
    with connect() as connection:
        fresh(connection)
        moment = dt.datetime(2024, 2, 29, 12, 30, 1, 500, tzinfo=dt.timezone.utc)
        columns = {
            "_id": ["a", "b"],
            "title": ["é", "t"],
            "n": [2**62, 1],
            "emb": Vectors([(1, 2, 3), (4, 5, 6)]),
            "small": [1, None],
            "ratio": [0.1, float("inf")],
            "flag": [True, False],
            "raw": [b"\0\1", b""],
            "moment": [moment, moment],
            "mixed": [json.dumps("x"), json.dumps([1, 2])],
        }
        places = ", ".join("%s::jsonb[]" if name == "mixed" else "%b" for name in columns)
        sql = f"SELECT * FROM quern.upsert('shelf', %b, {places})"
        row = connection.execute(sql, (list(columns), *columns.values())).fetchone()
        equal(row, ("1",))
        sql = "SELECT _id, title, n, emb::text, small, ratio, flag, raw, moment, mixed FROM shelf ORDER BY 1"
        equal(
            connection.execute(sql).fetchall(),
            [
                ("a", "é", 2**62, "[1,2,3]", 1, 0.1, True, b"\0\1", moment, "x"),
                ("b", "t", 1, "[4,5,6]", None, float("inf"), False, b"", moment, [1, 2]),
            ],
        )


@check
def many_in_columns():
    with connect() as connection:
        fresh(connection)
        count = 5000
        columns = (
            [f"d{i}" for i in range(count)],
            [f"title {i}" for i in range(count)],
            Vectors([(i, 2, 3) for i in range(count)]),
        )
        connection.execute("SELECT * FROM quern.upsert('shelf', ARRAY['_id', 'title', 'emb'], %b, %b, %b)", columns)
        sql = "SELECT count(*), count(DISTINCT title), count(DISTINCT emb::text) FROM shelf"
        equal(connection.execute(sql).fetchone(), (count, count, count))


@check
def faults_are_told_together():
    with connect() as connection:
        fresh(connection)
        documents = json.dumps([{"_id": "a", "title": 5}, {"title": "t", "emb": [1]}])
        equal(
            faults(connection, "SELECT * FROM quern.upsert('shelf', %s)", (documents,)),
            (
                "42804",
                "document_validation",
                [
                    {"kind": "wrong_type", "document_offset": 0, "field": "title", "expected": "text", "got": "int"},
                    {"kind": "wrong_dimension", "document_offset": 1, "field": "emb", "expected": 3, "got": 1},
                    {"kind": "missing_id", "document_offset": 1, "field": "_id"},
                ],
            ),
        )
        equal(
            faults(
                connection,
                "SELECT * FROM quern.upsert('shelf', ARRAY['_id', 'title', 'n', '_x'], %b, %b, %b, %b)",
                (["a", "b"], ["t", None], ["x", "y"], [1, None]),
            )[2],
            [
                {"kind": "reserved_field", "document_offset": 0, "field": "_x"},
                {"kind": "wrong_type", "document_offset": 0, "field": "n", "expected": "int", "got": "text"},
                {"kind": "wrong_type", "document_offset": 1, "field": "n", "expected": "int", "got": "text"},
                {"kind": "missing_field", "document_offset": 1, "field": "title"},
            ],
        )
        equal(connection.execute("SELECT count(*) FROM shelf").fetchone(), (0,))


@check
def an_lsn_comes_with_the_commit():
    with connect(autocommit=False) as connection:
        fresh(connection)
        sql = "SELECT lsn FROM quern.upsert('shelf', %s)"
        equal(connection.execute(sql, ('{"_id": "a", "title": "t"}',)).fetchone(), (None,))
        equal(connection.execute(sql, ('{"_id": "b", "title": "t"}',)).fetchone(), (None,))
        connection.commit()
        equal(connection.execute("SELECT quern.last_lsn()").fetchone(), ("1",))
        connection.rollback()
        connection.autocommit = True
        equal(connection.execute(sql, ('{"_id": "c", "title": "t"}',)).fetchone(), ("2",))
        with connection.pipeline():
            first = connection.execute(sql, ('{"_id": "d", "title": "t"}',))
            second = connection.execute("SELECT lsn FROM quern.update('shelf', %s)", ('{"_id": "d", "n": 1}',))
            third = connection.execute("SELECT lsn FROM quern.update('shelf', %s)", ('{"_id": "no", "n": 1}',))
        equal((first.fetchone(), second.fetchone(), third.fetchone()), (("3",), ("4",), ("",)))


@check
def a_failed_request_leaves_nothing_in_its_pipeline():
    with connect() as connection:
        fresh(connection)
        sql = "SELECT lsn FROM quern.upsert('shelf', %s)"
        try:
            with connection.pipeline():
                connection.execute("INSERT INTO shelf (_id, title) VALUES ('a', 't')")
                connection.execute(sql, ('{"_id": "b", "title": "t"}',))
                connection.execute(sql, ('{"_id": "c"}',))
        except psycopg.errors.NotNullViolation:
            pass
        equal(connection.execute("SELECT count(*) FROM shelf").fetchone(), (0,))


run()
