"""The main job through psycopg 3: reads {"books": […], "create": …, "nearest": …} on stdin, prints what it saw as JSON."""

import json
import sys

import psycopg

job = json.load(sys.stdin)
seen = {}
conninfo = f"host={job['host']} port={job['port']} user=quern dbname=quern password={job['key']}"
with psycopg.connect(conninfo, autocommit=True) as connection:
    seen["encrypted"] = bool(connection.pgconn.ssl_in_use)
    connection.execute(job["create"])
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO books (_id, title, summary, emb, rating, year)"
            " VALUES (%(_id)s, %(title)s, %(summary)s, %(emb)s, %(rating)s, %(year)s)",
            job["books"],
        )
    seen["nearest"] = [
        connection.execute(
            "SELECT _id FROM books ORDER BY semantic_similarity(summary, %s) DESC LIMIT 1", (question,)
        ).fetchone()[0]
        for question, _ in job["nearest"]
    ]
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT _id, rating, year, title FROM books WHERE year < %s ORDER BY year", (1900,))
        seen["binary"] = cursor.fetchall()
    with connection.transaction(force_rollback=True):
        connection.execute("DELETE FROM books")
        seen["inside"] = connection.execute("SELECT count(*) FROM books").fetchone()[0]
    seen["after"] = connection.execute("SELECT count(*) FROM books").fetchone()[0]
    try:
        connection.execute("SELECT titel FROM books")
    except psycopg.Error as error:
        seen["error"] = [
            error.sqlstate,
            error.diag.message_primary,
            int(error.diag.statement_position),
            error.diag.message_hint,
        ]
    with connection.pipeline():
        first = connection.execute("SELECT 1")
        second = connection.execute("SELECT 2")
        seen["pipeline"] = [first.fetchone()[0], second.fetchone()[0]]
    connection.execute("DROP TABLE books")
json.dump(seen, sys.stdout)
