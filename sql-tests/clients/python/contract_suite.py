"""The rows of ../contract.json through psycopg with parameters bound on the server: as psycopg's users send them."""

import json
import os

import psycopg

from tap import check, equal, run

with open(os.environ["CONTRACT"], encoding="utf-8") as file:
    CONTRACT = json.load(file)


def answer(connection, row):
    cursor = psycopg.RawCursor(connection)
    try:
        cursor.execute(row["sql"], row.get("parameters", ()))
    except psycopg.Error as error:
        return {"error": [error.sqlstate, error.diag.source_function]}
    result = cursor.pgresult
    cells = ((result.get_value(i, j) for j in range(result.nfields)) for i in range(result.ntuples))
    return {"rows": [[None if cell is None else cell.decode() for cell in line] for line in cells]}


@check
def rows_of_the_contract():
    with psycopg.connect(autocommit=True) as connection:
        for sql in CONTRACT["setup"]:
            connection.execute(sql)
        for section in CONTRACT["sections"]:
            for row in section["rows"]:
                if "pending" in row:
                    continue
                expected = {key: row[key] for key in ("rows", "error") if key in row}
                equal((row["call"], answer(connection, row)), (row["call"], expected))
    # The session that has been asked may only read by now.
    with psycopg.connect(autocommit=True) as connection:
        connection.execute("DROP TABLE books")


run()
