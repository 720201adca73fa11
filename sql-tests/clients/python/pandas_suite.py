"""pandas: to_sql (insert, multi, append, replace), read_sql, read_sql_query with parameters, read_sql_table, chunks."""

import pandas as pd
import sqlalchemy as sa

from tap import check, equal, run

ENGINE = sa.create_engine("postgresql+psycopg://")
FRAME = pd.DataFrame(
    {
        "n": [1, 2, 3],
        "x": [0.5, None, 1e300],
        "word": ["a", None, "naïve"],
        "yes": [True, False, True],
        "at": pd.to_datetime(["2024-01-01", "2024-02-29 12:30:01.5", None], format="ISO8601"),
    }
)


@check
def a_frame_round_trips():
    FRAME.to_sql("frame", ENGINE, if_exists="replace", index=False)
    back = pd.read_sql("SELECT * FROM frame ORDER BY n", ENGINE)
    pd.testing.assert_frame_equal(back, FRAME, check_dtype=False)
    equal([str(kind) for kind in back.dtypes[["n", "x", "yes"]]], ["int64", "float64", "bool"])
    assert str(back.dtypes["at"]).startswith("datetime64"), back.dtypes["at"]


@check
def frames_are_appended_and_replaced():
    FRAME.to_sql("frame", ENGINE, if_exists="replace", index=False, method="multi")
    FRAME.to_sql("frame", ENGINE, if_exists="append", index=False)
    equal(int(pd.read_sql_query("SELECT count(*) AS n FROM frame", ENGINE)["n"][0]), 6)
    try:
        FRAME.to_sql("frame", ENGINE, index=False)
        raise AssertionError("no error")
    except ValueError as error:
        assert "already exists" in str(error), error
    FRAME.head(1).to_sql("frame", ENGINE, if_exists="replace", index=True, index_label="key")
    equal(list(pd.read_sql_table("frame", ENGINE, index_col="key").columns), list(FRAME.columns))


@check
def queries_take_parameters():
    FRAME.to_sql("frame", ENGINE, if_exists="replace", index=False)
    query = sa.text("SELECT n, word FROM frame WHERE n >= :low AND word IS NOT NULL")
    equal(pd.read_sql_query(query, ENGINE, params={"low": 2}).values.tolist(), [[3, "naïve"]])
    typed = pd.read_sql_query("SELECT n, at FROM frame ORDER BY n", ENGINE, index_col="n", parse_dates=["at"])
    equal(typed.loc[1, "at"], pd.Timestamp("2024-01-01"))


@check
def large_frames_come_in_chunks():
    big = pd.DataFrame({"id": range(5000), "text": [f"row {n}" for n in range(5000)]})
    big.to_sql("big_frame", ENGINE, if_exists="replace", index=False, chunksize=1000, method="multi")
    chunks = list(pd.read_sql("SELECT * FROM big_frame ORDER BY id", ENGINE, chunksize=2000))
    equal([len(chunk) for chunk in chunks], [2000, 2000, 1000])
    pd.testing.assert_frame_equal(pd.concat(chunks, ignore_index=True), big, check_dtype=False)


@check
def types_can_be_chosen():
    kinds = {"n": sa.BigInteger, "x": sa.Numeric(12, 3), "word": sa.String(10)}
    FRAME.head(2).to_sql("typed_frame", ENGINE, if_exists="replace", index=False, dtype=kinds)
    columns = {c["name"]: str(c["type"]) for c in sa.inspect(ENGINE).get_columns("typed_frame")}
    equal([columns[name] for name in kinds], ["BIGINT", "NUMERIC(12, 3)", "VARCHAR(10)"])


@check
def frames_go_through_copy():
    import csv
    import io

    def copy(table, connection, keys, rows):
        buffer = io.StringIO()
        csv.writer(buffer).writerows(rows)
        with connection.connection.cursor() as cursor, cursor.copy(
            f"COPY {table.name} ({', '.join(keys)}) FROM STDIN WITH CSV"
        ) as target:
            target.write(buffer.getvalue())

    FRAME[["n", "word"]].to_sql("copied_frame", ENGINE, if_exists="replace", index=False, method=copy)
    equal(pd.read_sql("SELECT word FROM copied_frame ORDER BY n", ENGINE)["word"].tolist()[2], "naïve")


run()
