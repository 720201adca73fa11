"""Datasets by SQLAlchemy 2 on psycopg: reflected like tables, joined, grouped by metadata, searched, streamed."""

import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError

from tap import check, equal, run

ENGINE = sa.create_engine("postgresql+psycopg://")


def reflected(name):
    return sa.Table(name, sa.MetaData(), schema="filings", autoload_with=ENGINE)


@check
def a_dataset_is_reflected():
    inspector = sa.inspect(ENGINE)
    equal("filings" in inspector.get_schema_names(), True)
    equal({"chunks", "documents"} <= set(inspector.get_table_names(schema="filings")), True)
    types = {c["name"]: str(c["type"]) for c in inspector.get_columns("documents", schema="filings")}
    equal([types[name] for name in ("doc_id", "pages", "metadata", "ticker")], ["TEXT", "INTEGER", "JSONB", "TEXT"])


@check
def chunks_are_joined_with_a_collection_and_grouped_by_metadata():
    chunks, documents = reflected("chunks"), reflected("documents")
    companies = sa.Table("companies", sa.MetaData(), autoload_with=ENGINE)
    statement = (
        sa.select(companies.c.sector, documents.c.fiscal_year, sa.func.count().label("n"))
        .join_from(chunks, documents, chunks.c.doc_id == documents.c.doc_id)
        .join(companies, companies.c.ticker == documents.c.ticker)
        .group_by(companies.c.sector, documents.c.fiscal_year)
        .order_by(companies.c.sector)
    )
    with ENGINE.connect() as connection:
        rows = [(row.sector, row.fiscal_year, row.n > 0) for row in connection.execute(statement)]
    equal(rows, [("rail", 2022, True), ("shipping", 2023, True)])


@check
def metadata_is_jsonb():
    chunks = reflected("chunks")
    ticker = chunks.c.metadata["ticker"].astext
    statement = sa.select(ticker, sa.func.count()).group_by(ticker).order_by(ticker)
    with ENGINE.connect() as connection:
        equal([name for name, _ in connection.execute(statement)], ["ACME", "RAIL"])
        tagged = sa.select(sa.func.count()).where(chunks.c.metadata.contains({"tags": ["annual"]}))
        equal(connection.scalar(tagged) > 0, True)


@check
def search_is_a_table_function():
    found = sa.func.search(
        sa.bindparam("query", type_=sa.Text), sa.bindparam("names", type_=sa.ARRAY(sa.Text)), 5, sa.bindparam("filter")
    ).table_valued("doc_id", sa.column("score", sa.Float), name="found")
    documents = reflected("documents")
    statement = sa.select(found.c.doc_id, documents.c.ticker).join(documents, documents.c.doc_id == found.c.doc_id)
    values = {"query": "containers", "names": ["filings"], "filter": "fiscal_year >= 2023"}
    with ENGINE.connect() as connection:
        equal({tuple(row) for row in connection.execute(statement, values)}, {("acme", "ACME")})


@check
def chunks_are_streamed_and_not_written():
    chunks = reflected("chunks")
    with ENGINE.connect().execution_options(yield_per=1) as connection:
        texts = [text for (text,) in connection.execute(sa.select(chunks.c.text))]
        equal(any("containers" in text for text in texts), True)
    try:
        with ENGINE.begin() as connection:
            connection.execute(chunks.delete())
    except ProgrammingError as error:
        equal(error.orig.sqlstate, "42501")
    else:
        raise AssertionError("chunks were deleted")


run()
