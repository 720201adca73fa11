"""psycopg 3, sync: types both ways in text and binary, cursors of every kind, COPY, pipeline, transactions, errors."""

import datetime as dt
import decimal
import threading
import time
import uuid

import psycopg
from psycopg import sql
from psycopg.rows import class_row, dict_row, namedtuple_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from tap import check, equal, run

VALUES = [
    ("int2", 7),
    ("int4", -2147483648),
    ("int8", 2**62),
    ("float8", 0.1),
    ("float8", float("inf")),
    ("numeric", decimal.Decimal("12345678901234567890.123400")),
    ("text", "naïve ☕ 'quoted' \\ \t"),
    ("bool", True),
    ("bytea", bytes(range(256))),
    ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678")),
    ("date", dt.date(1815, 12, 23)),
    ("time", dt.time(23, 59, 59, 999999)),
    ("timestamp", dt.datetime(2024, 2, 29, 12, 30, 1, 500)),
    ("timestamptz", dt.datetime(2024, 2, 29, 12, 30, tzinfo=dt.timezone.utc)),
    ("interval", dt.timedelta(days=3, seconds=4, microseconds=5)),
    ("int4[]", [1, None, 3]),
    ("text[]", ["a", 'b"c', None, "NULL", "{}"]),
    ("int4[]", [[1, 2], [3, 4]]),
    ("numeric[]", [decimal.Decimal("1.50")]),
]


def connect(**options):
    return psycopg.connect(autocommit=True, **options)


@check
def values_round_trip_in_text_and_binary():
    with connect() as connection:
        for binary in (False, True):
            with connection.cursor(binary=binary) as cursor:
                for type_name, value in VALUES:
                    for placeholder in ("%s", "%b", "%t"):
                        cursor.execute(f"SELECT {placeholder}::{type_name}", (value,))
                        equal(cursor.fetchone()[0], value)
                cursor.execute("SELECT %s::jsonb, %s::jsonb -> 'a'", (Jsonb({"a": [1, None]}), Jsonb({"a": 2})))
                equal(cursor.fetchone(), ({"a": [1, None]}, 2))
                cursor.execute("SELECT NULL::int, NULL::text")
                equal(cursor.fetchone(), (None, None))


@check
def values_round_trip_through_a_table():
    with connect() as connection:
        columns = ", ".join(f"c{at} {type_name}" for at, (type_name, _) in enumerate(VALUES))
        connection.execute("DROP TABLE IF EXISTS every_type")
        connection.execute(f"CREATE TABLE every_type ({columns})")
        marks = ", ".join(["%s"] * len(VALUES))
        row = tuple(value for _, value in VALUES)
        connection.execute(f"INSERT INTO every_type VALUES ({marks})", row)
        equal(connection.execute("SELECT * FROM every_type").fetchone(), row)
        equal(connection.cursor(binary=True).execute("SELECT * FROM every_type").fetchone(), row)
        connection.execute("DROP TABLE every_type")


@check
def a_result_is_described():
    with connect() as connection:
        cursor = connection.execute("SELECT 1 AS one, 'x'::varchar(40) AS two, 1.5::numeric(10,2) AS three, now() AS four")
        equal([(c.name, c.type_code, c.display_size, c.precision, c.scale) for c in cursor.description[:3]],
              [("one", 23, None, None, None), ("two", 1043, 40, None, None), ("three", 1700, None, 10, 2)])
        equal(cursor.description[3].type_code, 1184)
        equal(cursor.statusmessage, "SELECT 1")
        equal(connection.info.encoding, "utf-8")
        assert connection.info.server_version >= 170000, connection.info.server_version
        equal(connection.info.parameter_status("standard_conforming_strings"), "on")


@check
def rows_come_as_asked():
    with connect() as connection:
        equal(connection.cursor(row_factory=dict_row).execute("SELECT 1 AS a, 2 AS b").fetchall(), [{"a": 1, "b": 2}])
        equal(connection.cursor(row_factory=namedtuple_row).execute("SELECT 1 AS a").fetchone().a, 1)

        class Point:
            def __init__(self, x, y):
                self.x, self.y = x, y

        point = connection.cursor(row_factory=class_row(Point)).execute("SELECT 3 AS x, 4 AS y").fetchone()
        equal((point.x, point.y), (3, 4))


@check
def many_rows_are_inserted_and_returned():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS items")
        connection.execute("CREATE TABLE items (id bigint PRIMARY KEY, name text NOT NULL, price numeric(8,2))")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO items VALUES (%s, %s, %s)", [(n, f"item {n}", n) for n in range(500)])
            equal(cursor.rowcount, 500)
            cursor.executemany("INSERT INTO items VALUES (%s, %s, 1) RETURNING id", [(600, "a"), (601, "b")], returning=True)
            ids = []
            while True:
                ids.append(cursor.fetchone()[0])
                if not cursor.nextset():
                    break
            equal(ids, [600, 601])
        updated = connection.execute("UPDATE items SET price = price + 0.5 WHERE id < 3 RETURNING id, price")
        equal(sorted(updated.fetchall()), [(n, decimal.Decimal(n) + decimal.Decimal("0.50")) for n in range(3)])
        equal(connection.execute("DELETE FROM items WHERE id >= 600").rowcount, 2)
        equal(connection.execute("SELECT count(*), sum(price) FROM items WHERE name LIKE 'item 1%%'").fetchone()[0], 111)


@check
def a_prepared_statement_survives_a_change_of_its_table():
    with connect(prepare_threshold=0) as connection:
        connection.execute("DROP TABLE IF EXISTS changing")
        connection.execute("CREATE TABLE changing (id int)")
        for n in range(6):
            connection.execute("INSERT INTO changing VALUES (%s)", (n,))
        assert connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()[0] >= 1
        equal(connection.execute("SELECT count(*) FROM changing WHERE id > %s", (2,)).fetchone()[0], 3)
        connection.execute("ALTER TABLE changing ADD COLUMN note text")
        equal(connection.execute("SELECT count(*) FROM changing WHERE id > %s", (2,)).fetchone()[0], 3)
        connection.execute("DROP TABLE changing")


@check
def a_server_side_cursor_walks_and_scrolls():
    with psycopg.connect() as connection:
        with connection.cursor("walk") as cursor:
            cursor.itersize = 100
            cursor.execute("SELECT n FROM generate_series(1, %s) AS n", (1000,))
            equal(sum(row[0] for row in cursor), 500500)
        with connection.cursor("scroll", scrollable=True) as cursor:
            cursor.execute("SELECT n FROM generate_series(1, 10) AS n")
            equal(cursor.fetchmany(3), [(1,), (2,), (3,)])
            cursor.scroll(-2)
            equal(cursor.fetchone(), (2,))
            cursor.scroll(9, mode="absolute")
            equal(cursor.fetchall(), [(10,)])
        with connection.cursor("held", withhold=True) as cursor:
            cursor.execute("SELECT 'kept'")
            connection.commit()
            equal(cursor.fetchone(), ("kept",))
        with connection.cursor("binary_one", binary=True) as cursor:
            cursor.execute("SELECT 5::int8, 'x'")
            equal(cursor.fetchall(), [(5, "x")])


@check
def a_stream_comes_row_by_row():
    with connect() as connection:
        with connection.cursor() as cursor:
            equal(sum(n for (n,) in cursor.stream("SELECT n FROM generate_series(1, 2000) n")), 2001000)
            equal(sum(n for (n,) in cursor.stream("SELECT n FROM generate_series(1, 10) n", size=3)), 55)


@check
def a_pipeline_answers_in_order_and_stops_at_an_error():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS piped")
        connection.execute("CREATE TABLE piped (id int PRIMARY KEY)")
        with connection.pipeline():
            cursors = [connection.execute("INSERT INTO piped VALUES (%s) RETURNING id * 2", (n,)) for n in range(50)]
            equal([cursor.fetchone()[0] for cursor in cursors], [n * 2 for n in range(50)])
        try:
            with connection.pipeline() as pipeline:
                connection.execute("INSERT INTO piped VALUES (100)")
                connection.execute("INSERT INTO piped VALUES (1)")
                connection.execute("INSERT INTO piped VALUES (101)")
                pipeline.sync()
            raise AssertionError("no error")
        except psycopg.errors.UniqueViolation as error:
            equal(error.diag.constraint_name, "piped_pkey")
        equal(connection.execute("SELECT count(*) FROM piped WHERE id >= 100").fetchone()[0], 0)


@check
def copy_goes_in_and_out():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS copied")
        connection.execute("CREATE TABLE copied (id int, name text, at timestamptz)")
        moment = dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc)
        rows = [(n, None if n % 3 == 0 else f"tab\t{n}\\ \n", moment) for n in range(1000)]
        with connection.cursor() as cursor:
            with cursor.copy("COPY copied FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            equal(cursor.rowcount, 1000)
            equal(cursor.execute("SELECT * FROM copied ORDER BY id").fetchall(), rows)
            with cursor.copy("COPY (SELECT id, name FROM copied WHERE id < 2 ORDER BY id) TO STDOUT") as copy:
                equal(b"".join(copy), b"0\t\\N\n1\ttab\\t1\\\\ \\n\n")
            with cursor.copy("COPY copied TO STDOUT WITH (FORMAT csv, HEADER)") as copy:
                equal(bytes(next(iter(copy))).split(b"\n")[0], b"id,name,at")
                list(copy)


@check
def copy_goes_in_and_out_in_binary():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS copied_binary")
        connection.execute("CREATE TABLE copied_binary (id int4, name text, price numeric)")
        with connection.cursor() as cursor:
            with cursor.copy("COPY copied_binary FROM STDIN WITH (FORMAT binary)") as copy:
                copy.set_types(["int4", "text", "numeric"])
                for n in range(100):
                    copy.write_row((n, str(n), decimal.Decimal(n) / 4))
            with cursor.copy("COPY copied_binary TO STDOUT WITH (FORMAT binary)") as copy:
                copy.set_types(["int4", "text", "numeric"])
                seen = sorted(copy.rows())
            equal(seen, [(n, str(n), decimal.Decimal(n) / 4) for n in range(100)])


@check
def a_bad_copy_line_is_named():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS copied_badly")
        connection.execute("CREATE TABLE copied_badly (id int, name text)")
        for line, state in ((b"2\n", "22P04"), (b"x\ty\n", "22P02"), (b"1\ty\tz\n", "22P04")):
            try:
                with connection.cursor().copy("COPY copied_badly FROM STDIN") as copy:
                    copy.write(b"1\tone\n" + line)
                raise AssertionError("no error")
            except psycopg.Error as error:
                equal(error.sqlstate, state)
                assert error.diag.context.startswith("COPY copied_badly, line 2"), error.diag.context
        equal(connection.execute("SELECT count(*) FROM copied_badly").fetchone()[0], 0)


@check
def transactions_nest():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS nested")
        connection.execute("CREATE TABLE nested (id int PRIMARY KEY)")
        with connection.transaction():
            connection.execute("INSERT INTO nested VALUES (1)")
            try:
                with connection.transaction():
                    connection.execute("INSERT INTO nested VALUES (2)")
                    connection.execute("INSERT INTO nested VALUES (1)")
            except psycopg.errors.UniqueViolation:
                pass
            with connection.transaction("named"):
                connection.execute("INSERT INTO nested VALUES (3)")
            with connection.transaction():
                connection.execute("INSERT INTO nested VALUES (4)")
                raise psycopg.Rollback()
        equal(connection.execute("SELECT id FROM nested ORDER BY id").fetchall(), [(1,), (3,)])
        connection.autocommit = False
        connection.execute("INSERT INTO nested VALUES (5)")
        equal(connection.info.transaction_status.name, "INTRANS")
        connection.rollback()
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        try:
            connection.execute("INSERT INTO nested VALUES (6)")
            raise AssertionError("no error")
        except psycopg.errors.ReadOnlySqlTransaction as error:
            equal(error.sqlstate, "25006")
        equal(connection.info.transaction_status.name, "INERROR")
        try:
            connection.execute("SELECT 1")
            raise AssertionError("no error")
        except psycopg.errors.InFailedSqlTransaction:
            connection.rollback()


@check
def errors_say_what_and_where():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS faulty")
        connection.execute("CREATE TABLE faulty (id int PRIMARY KEY, name varchar(3) NOT NULL)")
        connection.execute("INSERT INTO faulty VALUES (1, 'one')")
        for statement, state, words in (
            ("SELECT nam FROM faulty", "42703", 'column "nam" does not exist'),
            ("SELECT * FROM fault", "42P01", 'relation "fault" does not exist'),
            ("SELECT 1 / 0", "22012", "division by zero"),
            ("SELECT 'x'::int", "22P02", 'invalid input syntax for type integer: "x"'),
            ("SELECT 2147483647 + 1", "22003", "integer out of range"),
            ("SELEC 1", "42601", 'syntax error at or near "SELEC"'),
            ("INSERT INTO faulty VALUES (2, NULL)", "23502",
             'null value in column "name" of relation "faulty" violates not-null constraint'),
            ("INSERT INTO faulty VALUES (2, 'four')", "22001", "value too long for type character varying(3)"),
            ("INSERT INTO faulty VALUES (1, 'x')", "23505",
             'duplicate key value violates unique constraint "faulty_pkey"'),
            ("SELECT nothing(1)", "42883", "function nothing(integer) does not exist"),
            ("SELECT 1 + true", "42883", "operator does not exist: integer + boolean"),
            ("CREATE TABLE faulty (id int)", "42P07", 'relation "faulty" already exists'),
        ):
            try:
                connection.execute(statement)
                raise AssertionError(f"no error: {statement}")
            except psycopg.Error as error:
                equal((error.sqlstate, error.diag.message_primary), (state, words))
                equal(type(error), psycopg.errors.lookup(state))
        try:
            connection.execute("INSERT INTO faulty VALUES (1, 'x')")
        except psycopg.errors.UniqueViolation as error:
            found = error.diag
            equal((found.schema_name, found.table_name, found.constraint_name, found.message_detail),
                  ("public", "faulty", "faulty_pkey", "Key (id)=(1) already exists."))
        try:
            connection.execute("INSERT INTO faulty (id) VALUES (3)")
        except psycopg.errors.NotNullViolation as error:
            equal((error.diag.column_name, error.diag.message_detail), ("name", "Failing row contains (3, null)."))


@check
def statements_are_composed():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS \"Odd name\"")
        table = sql.Identifier("Odd name")
        connection.execute(sql.SQL('CREATE TABLE {} ({} int, "b c" text)').format(table, sql.Identifier("A")))
        connection.execute(sql.SQL("INSERT INTO {} VALUES ({}, {})").format(table, sql.Literal(1), sql.Literal("it's")))
        query = sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(map(sql.Identifier, ("A", "b c"))), table)
        equal(connection.execute(query).fetchall(), [(1, "it's")])
        connection.execute(sql.SQL("DROP TABLE {}").format(table))


@check
def a_running_statement_is_cancelled():
    with connect() as connection:
        timer = threading.Timer(0.3, connection.cancel)
        timer.start()
        begun = time.monotonic()
        try:
            connection.execute("SELECT count(*) FROM generate_series(1, 2000000000)")
            raise AssertionError("no error")
        except psycopg.errors.QueryCanceled as error:
            equal(error.sqlstate, "57014")
        assert time.monotonic() - begun < 5
        connection.execute("SET statement_timeout = 100")
        try:
            connection.execute("SELECT count(*) FROM generate_series(1, 2000000000)")
            raise AssertionError("no error")
        except psycopg.errors.QueryCanceled as error:
            equal(error.diag.message_primary, "canceling statement due to statement timeout")


@check
def a_pool_serves_threads():
    with ConnectionPool(min_size=2, max_size=4, kwargs={"autocommit": True}, open=True) as pool:
        seen = []

        def work(n):
            with pool.connection() as connection:
                seen.append(connection.execute("SELECT %s + pg_backend_pid() * 0", (n,)).fetchone()[0])

        threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(sorted(seen), list(range(20)))


@check
def notices_and_several_statements():
    with connect() as connection:
        heard = []
        connection.add_notice_handler(lambda diagnostic: heard.append(diagnostic.message_primary))
        connection.execute("DROP TABLE IF EXISTS never_there")
        equal(heard, ['table "never_there" does not exist, skipping'])
        cursor = connection.execute("SELECT 1; SELECT 2, 3; SELECT 4")
        equal([result.fetchall() for result in cursor.results()], [[(1,)], [(2, 3)], [(4,)]])


@check
def types_of_the_server_are_fetched():
    with connect() as connection:
        info = psycopg.types.TypeInfo.fetch(connection, "vector")
        assert info is not None and info.oid > 0 and info.array_oid > 0, info
        connection.execute("DROP TYPE IF EXISTS mood")
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
        import enum

        mood = enum.Enum("mood", ["sad", "ok", "happy"])
        psycopg.types.enum.register_enum(psycopg.types.enum.EnumInfo.fetch(connection, "mood"), connection, mood)
        equal(connection.execute("SELECT %s::mood, 'ok'::mood < 'happy'::mood", (mood.sad,)).fetchone(), (mood.sad, True))
        connection.execute("DROP TYPE mood")


run()
