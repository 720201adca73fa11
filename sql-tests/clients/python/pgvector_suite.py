"""pgvector's Python package on psycopg 3, asyncpg and SQLAlchemy: vector, halfvec, sparsevec and bit, operators, indexes."""

import asyncpg
import numpy as np
import pgvector.asyncpg
import pgvector.psycopg
import psycopg
import sqlalchemy as sa
from pgvector.psycopg import HalfVector, SparseVector
from pgvector.sqlalchemy import BIT, HALFVEC, SPARSEVEC, VECTOR
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from tap import check, equal, run

ENGINE = sa.create_engine("postgresql+psycopg://")
ROWS = [(1, [1, 1, 1]), (2, [2, 2, 2]), (3, [1, 1, 2])]


def connect():
    connection = psycopg.connect(autocommit=True)
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    pgvector.psycopg.register_vector(connection)
    return connection


@check
def psycopg_sends_and_reads_vectors():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS pv_items")
        connection.execute("CREATE TABLE pv_items (id bigserial PRIMARY KEY, embedding vector(3))")
        for _, values in ROWS:
            connection.execute("INSERT INTO pv_items (embedding) VALUES (%s)", (np.array(values),))
        for binary in (False, True):
            cursor = connection.cursor(binary=binary)
            rows = cursor.execute("SELECT id, embedding FROM pv_items ORDER BY id").fetchall()
            equal([(id, list(map(float, v))) for id, v in rows], [(id, list(map(float, v))) for id, v in ROWS])
            near = cursor.execute("SELECT id FROM pv_items ORDER BY embedding <-> %s LIMIT 2", (np.array([1, 1, 1.1]),))
            equal([row[0] for row in near.fetchall()], [1, 3])
            measured = "SELECT embedding <-> %(v)s, embedding <#> %(v)s, embedding <=> %(v)s, embedding <+> %(v)s FROM pv_items WHERE id = 2"
            equal([round(x, 6) for x in cursor.execute(measured, {"v": np.array([1, 1, 1])}).fetchone()], [1.732051, -6.0, 0.0, 3.0])
        equal(list(connection.execute("SELECT avg(embedding), sum(embedding) FROM pv_items").fetchone()[1]), [4.0, 4.0, 5.0])
        try:
            connection.execute("INSERT INTO pv_items (embedding) VALUES (%s)", (np.array([1, 2]),))
            raise AssertionError("no error")
        except psycopg.errors.DataException as error:
            equal((error.sqlstate, error.diag.message_primary), ("22000", "expected 3 dimensions, not 2"))


@check
def psycopg_copies_vectors_in_binary():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS pv_copied")
        connection.execute("CREATE TABLE pv_copied (id int, embedding vector(16))")
        with connection.cursor().copy("COPY pv_copied FROM STDIN WITH (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "vector"])
            for n in range(200):
                copy.write_row([n, np.full(16, n, dtype=np.float32)])
        equal(connection.execute("SELECT count(*), max(vector_dims(embedding)) FROM pv_copied").fetchone(), (200, 16))


@check
def an_index_serves_nearest_neighbours():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS pv_indexed")
        connection.execute("CREATE TABLE pv_indexed (id int PRIMARY KEY, kind int, embedding vector(8))")
        random = np.random.default_rng(1)
        rows = [(n, n % 3, random.random(8).astype(np.float32)) for n in range(300)]
        connection.cursor().executemany("INSERT INTO pv_indexed VALUES (%s, %s, %s)", rows)
        connection.execute("CREATE INDEX ON pv_indexed USING hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64)")
        connection.execute("SET hnsw.ef_search = 100")
        query = rows[17][2]
        cosine = lambda v: 1 - float(v @ query) / float(np.linalg.norm(v) * np.linalg.norm(query))  # noqa: E731
        expected = [row[0] for row in sorted((row for row in rows if row[1] == 2), key=lambda row: cosine(row[2]))][:5]
        found = connection.execute("SELECT id FROM pv_indexed WHERE kind = 2 ORDER BY embedding <=> %s LIMIT 5", (query,))
        equal([row[0] for row in found.fetchall()], expected)


@check
def an_ivfflat_index_is_taken():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS pv_lists")
        connection.execute("CREATE TABLE pv_lists (id int PRIMARY KEY, embedding vector(2))")
        connection.execute("CREATE INDEX ON pv_lists USING ivfflat (embedding vector_l2_ops) WITH (lists = 10)")


@check
def halfvec_sparsevec_and_bit():
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS pv_kinds")
        connection.execute("CREATE TABLE pv_kinds (h halfvec(3), s sparsevec(5), b bit(4))")
        half, sparse = HalfVector([1, 2, 3.5]), SparseVector({0: 1.0, 3: 2.5}, 5)
        connection.execute("INSERT INTO pv_kinds VALUES (%s, %s, %s)", (half, sparse, "1010"))
        for binary in (False, True):
            row = connection.cursor(binary=binary).execute("SELECT h, s FROM pv_kinds").fetchone()
            equal((row[0].to_list(), row[1].to_list()), ([1.0, 2.0, 3.5], [1.0, 0.0, 0.0, 2.5, 0.0]))
        equal(connection.execute("SELECT b, b <~> '1111', h <-> %s, s <#> %s FROM pv_kinds", (half, sparse)).fetchone(),
              ("1010", 2.0, 0.0, -7.25))


@check
async def asyncpg_sends_and_reads_vectors():
    connection = await asyncpg.connect()
    await pgvector.asyncpg.register_vector(connection)
    await connection.execute("DROP TABLE IF EXISTS pv_async")
    await connection.execute("CREATE TABLE pv_async (id serial PRIMARY KEY, e vector(3), h halfvec(2), s sparsevec(4))")
    await connection.execute("INSERT INTO pv_async (e, h, s) VALUES ($1, $2, $3)", np.array([1, 2, 3]),
                             HalfVector([1, 2]), SparseVector([0, 1, 0, 2]))
    row = await connection.fetchrow("SELECT e, h, s FROM pv_async ORDER BY e <-> $1", np.array([1, 1, 1]))
    equal((list(row["e"]), row["h"].to_list(), row["s"].to_list()), ([1.0, 2.0, 3.0], [1.0, 2.0], [0.0, 1.0, 0.0, 2.0]))
    await connection.close()


class Base(DeclarativeBase):
    pass


class Item(Base):
    __tablename__ = "pv_orm"
    id: Mapped[int] = mapped_column(primary_key=True)
    embedding = mapped_column(VECTOR(3))
    half = mapped_column(HALFVEC(3))
    sparse = mapped_column(SPARSEVEC(3))
    bits = mapped_column(BIT(3))
    __table_args__ = (sa.Index("pv_orm_hnsw", "embedding", postgresql_using="hnsw", postgresql_with={"m": 8},
                               postgresql_ops={"embedding": "vector_l2_ops"}),)


@check
def sqlalchemy_maps_vector_columns():
    Base.metadata.drop_all(ENGINE)
    Base.metadata.create_all(ENGINE)
    with Session(ENGINE) as session:
        session.add_all([Item(id=id, embedding=v, half=v, sparse=SparseVector(v), bits="101") for id, v in ROWS])
        session.commit()
        near = sa.select(Item).order_by(Item.embedding.l2_distance([1, 1, 1])).limit(2)
        equal([item.id for item in session.scalars(near)], [1, 3])
        distance = sa.select(Item.id, Item.half.cosine_distance([1, 1, 1]).label("d")).order_by(sa.text("d"), Item.id)
        equal([row.id for row in session.execute(distance)], [1, 2, 3])
        equal(session.scalar(sa.select(sa.func.count()).where(Item.sparse.max_inner_product(SparseVector([1, 1, 1])) < -3)), 2)
        equal(session.scalar(sa.select(Item.bits.hamming_distance("111")).limit(1)), 1.0)
        average = session.scalar(sa.select(sa.func.avg(Item.embedding)))
        equal(len(average if not isinstance(average, str) else average.split(",")), 3)
    reflected = {c["name"]: str(c["type"]) for c in sa.inspect(ENGINE).get_columns("pv_orm")}
    equal([reflected[name] for name in ("embedding", "half", "sparse")], ["VECTOR(3)", "HALFVEC(3)", "SPARSEVEC(3)"])
    equal([i["name"] for i in sa.inspect(ENGINE).get_indexes("pv_orm")], ["pv_orm_hnsw"])


run()
