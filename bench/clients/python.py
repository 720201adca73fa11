"""Overhead of the Python client over its driver: `query` beside the same statement through psycopg, `upsert` of many
documents with vectors beside COPY. Prints one JSON object. Run by bench/clients.ts."""

import json
import os
import random
import statistics
import sys
import time

import numpy
import psycopg
import quern
from quern import schema
from quern._plan import compile_query
from quern.query import field, fn, select

DOCUMENTS, DIMENSION, QUERIES = 10_000, 384, 300
ROUNDS = int(sys.argv[1]) if sys.argv[1:] else 5
KEY, HOST, PORT = os.environ["PGPASSWORD"], os.environ["PGHOST"], int(os.environ["PGPORT"])


def rows(kind):
    chance = random.Random(7)
    vectors = [[chance.gauss(0, 1) for _ in range(DIMENSION)] for _ in range(DOCUMENTS)]
    make = {"list": list, "numpy": lambda one: numpy.array(one, numpy.float32)}[kind]
    return [{"_id": f"d{at}", "n": at, "title": f"title {at}", "emb": make(one)} for at, one in enumerate(vectors)]


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def fresh(client, name):
    try:
        client.collections().delete(name)
    except quern.error.CollectionNotFoundError:
        pass
    client.collections().create(name, {"title": schema.text(), "n": schema.int(), "emb": schema.f32_vector(DIMENSION)})
    return client.collection(name)


def copy(connection, name, documents):
    text = f'COPY "{name}" (_id, n, title, emb) FROM STDIN'
    with connection.cursor().copy(text) as to:
        for one in documents:
            to.write_row((one["_id"], one["n"], one["title"], "[" + ",".join(map(repr, one["emb"])) + "]"))


def copy_binary(connection, name, documents):
    """As pgvector's package writes: binary COPY of numpy arrays."""
    from pgvector.psycopg import register_vector

    register_vector(connection)
    with connection.cursor().copy(f'COPY "{name}" (_id, n, title, emb) FROM STDIN WITH (FORMAT BINARY)') as to:
        to.set_types(["text", "int8", "text", "vector"])
        for one in documents:
            to.write_row((one["_id"], one["n"], one["title"], one["emb"]))


def writes(client, connection):
    times = {}
    for kind, by_driver in (("list", copy), ("numpy", copy_binary)):
        documents = rows(kind)
        for round_ in range(ROUNDS):
            # By turns, so that what the machine does meanwhile falls on both.
            target = fresh(client, "copied")
            times.setdefault(f"copy {kind}", []).append(seconds(lambda: by_driver(connection, "copied", documents)))
            target = fresh(client, "upserted")
            times.setdefault(f"upsert {kind}", []).append(seconds(lambda: target.upsert(documents)))
            assert target.count() == DOCUMENTS, round_
    return {name: statistics.median(each) for name, each in times.items()}


def queries(client, connection):
    target = client.collection("upserted")
    made = select("title", "n").filter(field("n") == 4711).limit(10)
    statement = compile_query(made, '"upserted"')
    vector = [0.5] * DIMENSION
    nearest = select("title", d=fn.vector_distance("emb", vector)).limit(1)
    cursor = connection.cursor()

    def plain():
        cursor.execute(statement.text, statement.parameters, prepare=True)
        return cursor.fetchall()

    times = {"driver": [], "client": [], "build and query": []}
    for _ in range(QUERIES):
        for name, work in (
            ("driver", plain),
            ("client", lambda: target.query(made)),
            ("build and query", lambda: target.query(select("title", "n").filter(field("n") == 4711).limit(10))),
        ):
            times[name].append(seconds(work))
    compiled = [seconds(lambda: compile_query(nearest, '"upserted"')) for _ in range(QUERIES)]
    return {
        **{name: statistics.median(each) * 1000 for name, each in times.items()},
        "vector compiled": statistics.median(compiled) * 1000,
    }


def main():
    client = quern.Client(KEY, host=HOST, port=PORT)
    connection = psycopg.connect(
        host=HOST,
        port=PORT,
        user="quern",
        dbname="quern",
        password=KEY,
        autocommit=True,
        cursor_factory=psycopg.RawCursor,
    )
    made = {"writes": writes(client, connection), "queries": queries(client, connection)}
    client.close()
    connection.close()
    print(json.dumps(made))


main()
