"""psycopg 3, async: many connections at once, async cursors, pipeline, COPY, pool, notices, cancel by time-out."""

import asyncio

import psycopg
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from tap import check, equal, run


def connect(**options):
    return psycopg.AsyncConnection.connect(autocommit=True, **options)


@check
async def connections_work_at_once():
    async def work(n):
        async with await connect() as connection:
            cursor = await connection.execute("SELECT sum(i) + %s FROM generate_series(1, 1000) i", (n,))
            return int((await cursor.fetchone())[0])

    equal(await asyncio.gather(*(work(n) for n in range(12))), [500500 + n for n in range(12)])


@check
async def rows_and_cursors():
    async with await connect(row_factory=dict_row) as connection:
        async with connection.cursor(binary=True) as cursor:
            await cursor.execute("SELECT n, n::text AS t FROM generate_series(1, 3) n")
            equal([row async for row in cursor], [{"n": n, "t": str(n)} for n in (1, 2, 3)])
        async with connection.transaction():
            async with connection.cursor("walk") as cursor:
                cursor.itersize = 7
                await cursor.execute("SELECT n FROM generate_series(1, %s) n", (100,))
                equal([row["n"] async for row in cursor], list(range(1, 101)))
        equal([row["n"] async for row in connection.cursor().stream("SELECT n FROM generate_series(1, 9) n")],
              list(range(1, 10)))


@check
async def a_pipeline_in_a_transaction():
    async with await connect() as connection:
        await connection.execute("DROP TABLE IF EXISTS async_piped")
        await connection.execute("CREATE TABLE async_piped (id int PRIMARY KEY, name text)")
        async with connection.pipeline(), connection.transaction():
            async with connection.cursor() as cursor:
                await cursor.executemany("INSERT INTO async_piped VALUES (%s, %s)", [(n, str(n)) for n in range(200)])
        cursor = await connection.execute("SELECT count(*), max(name) FROM async_piped")
        equal(await cursor.fetchone(), (200, "99"))
        try:
            async with connection.pipeline(), connection.transaction():
                await connection.execute("INSERT INTO async_piped VALUES (1000, 'x')")
                await connection.execute("INSERT INTO async_piped VALUES (1, 'x')")
            raise AssertionError("no error")
        except psycopg.errors.UniqueViolation as error:
            equal(error.sqlstate, "23505")
        equal(await (await connection.execute("SELECT count(*) FROM async_piped")).fetchone(), (200,))


@check
async def copy_goes_in_and_out():
    async with await connect() as connection:
        await connection.execute("DROP TABLE IF EXISTS async_copied")
        await connection.execute("CREATE TABLE async_copied (id int, name text)")
        async with connection.cursor() as cursor:
            async with cursor.copy("COPY async_copied (name, id) FROM STDIN WITH (FORMAT csv)") as copy:
                await copy.write('"a, ""b""",1\n,2\n"",3\n')
            async with cursor.copy("COPY async_copied TO STDOUT (FORMAT csv, NULL '-')") as copy:
                equal(b"".join([bytes(part) async for part in copy]), b'1,"a, ""b"""\n2,-\n3,\n')


@check
async def waiting_ends_by_cancel():
    async with await connect() as connection:
        try:
            await asyncio.wait_for(connection.execute("SELECT count(*) FROM generate_series(1, 2000000000)"), 0.3)
            raise AssertionError("no error")
        except asyncio.TimeoutError:
            pass
        equal(await (await connection.execute("SELECT 1")).fetchone(), (1,))


@check
async def a_pool_keeps_connections():
    async with AsyncConnectionPool(min_size=1, max_size=3, open=False, kwargs={"autocommit": True}) as pool:
        async def work(n):
            async with pool.connection() as connection:
                return (await (await connection.execute("SELECT %s::int", (n,))).fetchone())[0]

        equal(await asyncio.gather(*(work(n) for n in range(30))), list(range(30)))


@check
async def writers_of_a_row_wait_for_each_other():
    async with await connect() as first, await connect() as second:
        await first.execute("DROP TABLE IF EXISTS counter")
        await first.execute("CREATE TABLE counter (id int PRIMARY KEY, n int)")
        await first.execute("INSERT INTO counter VALUES (1, 0)")
        async with first.transaction():
            await first.execute("UPDATE counter SET n = n + 1")
            waiting = asyncio.create_task(second.execute("UPDATE counter SET n = n + 10"))
            await asyncio.sleep(0.2)
            equal(waiting.done(), False)
        await waiting
        equal(await (await first.execute("SELECT n FROM counter")).fetchone(), (11,))
        await second.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        try:
            async with second.transaction():
                await (await second.execute("SELECT n FROM counter")).fetchone()
                await first.execute("UPDATE counter SET n = 0")
                await second.execute("UPDATE counter SET n = 1")
            raise AssertionError("no error")
        except psycopg.errors.SerializationFailure as error:
            equal(error.sqlstate, "40001")


run()
