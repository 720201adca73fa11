"""asyncpg: its own binary codecs for every type, prepared statements, cursors, COPY, pool, transactions, errors."""

import asyncio
import datetime as dt
import decimal
import json
import uuid

import asyncpg

from tap import check, equal, run

VALUES = [
    ("int2", -7),
    ("int4", 2147483647),
    ("int8", -(2**62)),
    ("float4", 1.5),
    ("float8", 0.1),
    ("numeric", decimal.Decimal("-1234567890.0123456789")),
    ("numeric", decimal.Decimal("0.000")),
    ("text", "naïve ☕"),
    ("varchar(20)", "short"),
    ("bool", False),
    ("bytea", bytes(range(256))),
    ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678")),
    ("date", dt.date(1, 1, 1)),
    ("time", dt.time(23, 59, 59, 999999)),
    ("timestamp", dt.datetime(2024, 2, 29, 12, 30, 1, 500)),
    ("timestamptz", dt.datetime(2024, 2, 29, 12, 30, tzinfo=dt.timezone.utc)),
    ("interval", dt.timedelta(days=3, seconds=4, microseconds=5)),
    ("json", '{"a": 1}'),
    ("jsonb", '{"a": [1, null]}'),
    ("int4[]", [1, None, 3]),
    ("text[]", ["a", 'b"c', None]),
    ("int8[]", [[1, 2], [3, 4]]),
    ("timestamptz[]", [dt.datetime(2024, 2, 29, tzinfo=dt.timezone.utc)]),
    ("bit(5)", asyncpg.BitString("10101")),
]


@check
async def values_round_trip():
    connection = await asyncpg.connect()
    for type_name, value in VALUES:
        equal(await connection.fetchval(f"SELECT $1::{type_name}", value), value)
        equal(await connection.fetchval(f"SELECT $1::{type_name}", None), None)
    equal(repr(await connection.fetchval("SELECT $1::numeric", decimal.Decimal("1.50"))), "Decimal('1.50')")
    row = await connection.fetchrow("SELECT 1 AS a, 'x' AS b, ROW(1, 'y') AS c")
    equal((row["a"], row[1], tuple(row["c"])), (1, "x", (1, "y")))
    equal(dict(await connection.fetchrow("SELECT 1 AS a, NULL AS b")), {"a": 1, "b": None})
    await connection.close()


@check
async def a_table_of_every_type():
    connection = await asyncpg.connect()
    await connection.execute("DROP TABLE IF EXISTS every_type_async")
    columns = ", ".join(f"c{at} {type_name}" for at, (type_name, _) in enumerate(VALUES))
    await connection.execute(f"CREATE TABLE every_type_async ({columns})")
    marks = ", ".join(f"${at + 1}" for at in range(len(VALUES)))
    row = [value for _, value in VALUES]
    equal(await connection.execute(f"INSERT INTO every_type_async VALUES ({marks})", *row), "INSERT 0 1")
    equal(list((await connection.fetch("SELECT * FROM every_type_async"))[0].values()), row)
    await connection.close()


@check
async def statements_are_prepared_and_described():
    connection = await asyncpg.connect()
    statement = await connection.prepare("SELECT $1::int + 1 AS sum, $2::text AS word, now() AS at")
    equal([(p.name, p.kind) for p in statement.get_parameters()], [("int4", "scalar"), ("text", "scalar")])
    equal([(a.name, a.type.name, a.type.schema) for a in statement.get_attributes()],
          [("sum", "int4", "pg_catalog"), ("word", "text", "pg_catalog"), ("at", "timestamptz", "pg_catalog")])
    equal(await statement.fetchval(1, "a"), 2)
    plan = await connection.prepare("SELECT * FROM generate_series(1, 3)")
    assert "Plan" in (await plan.explain())[0]
    await connection.close()


@check
async def cursors_walk_in_a_transaction():
    connection = await asyncpg.connect()
    async with connection.transaction():
        seen = [row["n"] async for row in connection.cursor("SELECT n FROM generate_series(1, $1::int) n", 130, prefetch=50)]
        equal(seen, list(range(1, 131)))
        cursor = await connection.cursor("SELECT n FROM generate_series(1, 20) n")
        equal([row[0] for row in await cursor.fetch(3)], [1, 2, 3])
        await cursor.forward(5)
        equal((await cursor.fetchrow())[0], 9)
    await connection.close()


@check
async def executemany_is_one_transaction():
    connection = await asyncpg.connect()
    await connection.execute("DROP TABLE IF EXISTS many_async; CREATE TABLE many_async (id int PRIMARY KEY, name text)")
    await connection.executemany("INSERT INTO many_async VALUES ($1, $2)", [(n, str(n)) for n in range(2000)])
    equal(await connection.fetchval("SELECT count(*) FROM many_async"), 2000)
    try:
        await connection.executemany("INSERT INTO many_async VALUES ($1, $2)", [(3000, "x"), (1, "x")])
        raise AssertionError("no error")
    except asyncpg.UniqueViolationError as error:
        equal((error.sqlstate, error.constraint_name, error.table_name, error.schema_name),
              ("23505", "many_async_pkey", "many_async", "public"))
    equal(await connection.fetchval("SELECT count(*) FROM many_async"), 2000)
    rows = await connection.fetchmany("INSERT INTO many_async VALUES ($1, $2) RETURNING id", [(3001, "x"), (3002, "y")])
    equal([row["id"] for row in rows], [3001, 3002])
    equal([r[0] for r in await connection.fetch("SELECT id FROM many_async WHERE id = ANY($1::int[]) ORDER BY 1", [5, 1])],
          [1, 5])
    await connection.close()


@check
async def copy_goes_in_and_out():
    connection = await asyncpg.connect()
    await connection.execute("DROP TABLE IF EXISTS copied_async; CREATE TABLE copied_async (id int, name text, price numeric)")
    rows = [(n, f"name\t{n}", decimal.Decimal(n)) for n in range(1000)]
    equal(await connection.copy_records_to_table("copied_async", records=rows), "COPY 1000")
    equal(await connection.fetchval("SELECT sum(price) FROM copied_async"), 499500)
    import io

    out = io.BytesIO()
    equal(await connection.copy_from_query("SELECT id, name FROM copied_async WHERE id < $1 ORDER BY id", 2, output=out,
                                           format="csv", header=True), "COPY 2")
    equal(out.getvalue(), b"id,name\n0,name\t0\n1,name\t1\n")
    equal(await connection.copy_to_table("copied_async", source=io.BytesIO(b"5000\tx\t1\n"), columns=["id", "name", "price"]),
          "COPY 1")
    await connection.close()


@check
async def transactions_and_savepoints():
    connection = await asyncpg.connect()
    await connection.execute("DROP TABLE IF EXISTS nested_async; CREATE TABLE nested_async (id int PRIMARY KEY)")
    async with connection.transaction(isolation="repeatable_read"):
        await connection.execute("INSERT INTO nested_async VALUES (1)")
        try:
            async with connection.transaction():
                await connection.execute("INSERT INTO nested_async VALUES (1)")
        except asyncpg.UniqueViolationError:
            pass
        await connection.execute("INSERT INTO nested_async VALUES (2)")
    equal(await connection.fetchval("SELECT count(*) FROM nested_async"), 2)
    try:
        async with connection.transaction(readonly=True, isolation="serializable"):
            await connection.execute("DELETE FROM nested_async")
        raise AssertionError("no error")
    except asyncpg.ReadOnlySQLTransactionError:
        pass
    equal(connection.is_in_transaction(), False)
    await connection.close()


@check
async def errors_have_their_classes():
    connection = await asyncpg.connect()
    for statement, kind, position in (
        ("SELECT * FROM nowhere", asyncpg.UndefinedTableError, "15"),
        ("SELECT nothing FROM pg_class", asyncpg.UndefinedColumnError, "8"),
        ("SELECT 1/0", asyncpg.DivisionByZeroError, None),
        ("SELECT 'x'::int", asyncpg.InvalidTextRepresentationError, "8"),
        ("SELEC", asyncpg.PostgresSyntaxError, "1"),
    ):
        try:
            await connection.fetch(statement)
            raise AssertionError(f"no error: {statement}")
        except kind as error:
            equal(error.position, position)
    try:
        await connection.fetchval("SELECT $1::int", "x")
        raise AssertionError("no error")
    except asyncpg.DataError:
        pass
    await connection.close()


@check
async def time_outs_cancel():
    connection = await asyncpg.connect()
    try:
        await connection.fetchval("SELECT count(*) FROM generate_series(1, 2000000000)", timeout=0.3)
        raise AssertionError("no error")
    except asyncio.TimeoutError:
        pass
    equal(await connection.fetchval("SELECT 1"), 1)
    await connection.close()


@check
async def a_pool_resets_its_connections():
    async with asyncpg.create_pool(min_size=1, max_size=4) as pool:
        async def work(n):
            async with pool.acquire() as connection:
                await connection.execute("SET application_name = 'changed'")
                return await connection.fetchval("SELECT $1::int * 2", n)

        equal(await asyncio.gather(*(work(n) for n in range(40))), [n * 2 for n in range(40)])
        assert await pool.fetchval("SHOW application_name") != "changed"


@check
async def codecs_are_introspected():
    connection = await asyncpg.connect()
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    equal(await connection.fetchval("SELECT $1::jsonb", {"a": [1]}), {"a": [1]})
    await connection.execute("DROP TABLE IF EXISTS vectors_async; CREATE TABLE vectors_async (v vector(3))")
    equal(await connection.fetch("SELECT v FROM vectors_async"), [])
    equal((await connection.fetchrow("SELECT 1::oid, 'a'::name, 'x'::\"char\", 'pg_class'::regclass"))[1], "a")
    equal(connection.get_settings().TimeZone in ("UTC", "Etc/UTC", "GMT"), True)
    equal(connection.get_server_version().major >= 17, True)
    await connection.close()


@check
async def enums_are_introspected():
    connection = await asyncpg.connect()
    await connection.execute("CREATE TYPE weather AS ENUM ('sun', 'rain')")
    equal(await connection.fetchval("SELECT $1::weather", "rain"), "rain")
    await connection.execute("DROP TYPE weather")
    await connection.close()


run()
