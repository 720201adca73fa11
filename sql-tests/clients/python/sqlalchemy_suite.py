"""SQLAlchemy 2 on psycopg 3: Core, ORM with relationships, reflection, upserts, types, errors."""

import datetime as dt
import decimal
import enum
import uuid

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship, selectinload

from tap import check, equal, run

ENGINE = sa.create_engine("postgresql+psycopg://")


class Base(DeclarativeBase):
    pass


class Color(enum.Enum):
    red = 1
    blue = 2


class Author(Base):
    __tablename__ = "sa_author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(40), unique=True)
    books: Mapped[list["Book"]] = relationship(back_populates="author", cascade="all, delete-orphan", order_by="Book.title")


class Book(Base):
    __tablename__ = "sa_book"
    id: Mapped[int] = mapped_column(primary_key=True)
    author_id: Mapped[int] = mapped_column(sa.ForeignKey("sa_author.id", ondelete="CASCADE"))
    title: Mapped[str]
    price: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(8, 2), default=0)
    tags: Mapped[list[str] | None] = mapped_column(pg.ARRAY(sa.Text))
    meta: Mapped[dict | None] = mapped_column(pg.JSONB)
    added: Mapped[dt.datetime] = mapped_column(sa.DateTime(timezone=True), server_default=sa.func.now())
    author: Mapped[Author] = relationship(back_populates="books")
    __table_args__ = (sa.Index("sa_book_title", "title"), sa.UniqueConstraint("author_id", "title"))


def prepared():
    """A session over fresh tables with two authors and three books."""
    Base.metadata.drop_all(ENGINE)
    Base.metadata.create_all(ENGINE)
    session = Session(ENGINE)
    austen = Author(name="Austen", books=[Book(title="Emma", price="5.50", tags=["novel"], meta={"lang": "en"}),
                                          Book(title="Persuasion", price="4.25")])
    melville = Author(name="Melville", books=[Book(title="Moby-Dick", price="7.00", meta={"lang": "en", "pages": 635})])
    session.add_all([austen, melville])
    session.commit()
    return session


@check
def the_dialect_is_initialised():
    with ENGINE.connect() as connection:
        equal(connection.dialect.server_version_info >= (17,), True)
        equal(connection.dialect.default_schema_name, "public")
        equal(connection.scalar(sa.text("SELECT :a + 1"), {"a": 1}), 2)


@check
def tables_are_created_and_dropped():
    metadata = sa.MetaData()
    table = sa.Table("sa_plain", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text))
    metadata.drop_all(ENGINE)
    metadata.create_all(ENGINE)
    metadata.create_all(ENGINE)
    equal(sa.inspect(ENGINE).has_table("sa_plain"), True)
    with ENGINE.begin() as connection:
        result = connection.execute(sa.insert(table).returning(table.c.id), [{"name": "a"}, {"name": "b"}])
        equal(result.scalars().all(), [1, 2])
    metadata.drop_all(ENGINE)
    equal(sa.inspect(ENGINE).has_table("sa_plain"), False)


@check
def core_queries():
    metadata = sa.MetaData()
    item = sa.Table("sa_item", metadata, sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
                    sa.Column("kind", sa.Text), sa.Column("price", sa.Numeric(8, 2)), sa.Column("at", sa.Date))
    metadata.drop_all(ENGINE)
    metadata.create_all(ENGINE)
    day = dt.date(2024, 1, 1)
    rows = [{"id": n, "kind": "ab"[n % 2], "price": decimal.Decimal(n), "at": day + dt.timedelta(n)} for n in range(10)]
    with ENGINE.begin() as connection:
        connection.execute(sa.insert(item), rows)
        grouped = sa.select(item.c.kind, sa.func.count(), sa.func.sum(item.c.price)).group_by(item.c.kind).order_by(item.c.kind)
        equal(connection.execute(grouped).all(), [("a", 5, decimal.Decimal("20.00")), ("b", 5, decimal.Decimal("25.00"))])
        ranked = sa.select(item.c.id, sa.func.row_number().over(partition_by=item.c.kind, order_by=item.c.id.desc()).label("r"))
        top = ranked.subquery()
        equal(connection.execute(sa.select(top.c.id).where(top.c.r == 1).order_by(top.c.id)).scalars().all(), [8, 9])
        tree = sa.select(sa.literal(1).label("n")).cte("tree", recursive=True)
        tree = tree.union_all(sa.select(tree.c.n + 1).where(tree.c.n < 5))
        equal(connection.scalar(sa.select(sa.func.sum(tree.c.n))), 15)
        case = sa.case((item.c.price > 5, "dear"), else_="cheap")
        equal(connection.execute(sa.select(case, sa.func.count()).group_by(case).order_by(case)).all(), [("cheap", 6), ("dear", 4)])
        equal(connection.execute(sa.select(item.c.id).where(item.c.at.between(day, day + dt.timedelta(1)),
                                                            item.c.id.in_([1, 2, 3]))).scalars().all(), [1])
        equal(connection.execute(sa.select(sa.extract("year", item.c.at)).distinct()).scalars().all(), [2024])
        equal(connection.execute(sa.update(item).where(item.c.id == 1).values(price=item.c.price * 2)
                                 .returning(item.c.price)).scalar(), decimal.Decimal("2.00"))
        upsert = pg.insert(item).values(id=1, kind="z")
        upsert = upsert.on_conflict_do_update(index_elements=["id"], set_={"kind": upsert.excluded.kind})
        connection.execute(upsert)
        equal(connection.scalar(sa.select(item.c.kind).where(item.c.id == 1)), "z")
        equal(connection.execute(sa.delete(item).where(item.c.kind == "a")).rowcount, 5)
        streamed = connection.execution_options(stream_results=True, max_row_buffer=2).execute(sa.select(item.c.id).order_by(item.c.id))
        equal(list(streamed.scalars()), [1, 3, 5, 7, 9])
    metadata.drop_all(ENGINE)


@check
def values_of_every_type():
    metadata = sa.MetaData()
    columns = [
        (sa.SmallInteger, 7), (sa.BigInteger, 2**62), (sa.Float, 0.5), (sa.Boolean, True), (sa.LargeBinary, b"\x00\xff"),
        (sa.Uuid, uuid.UUID(int=5)), (sa.Date, dt.date(2024, 2, 29)), (sa.Time, dt.time(1, 2, 3)),
        (sa.DateTime, dt.datetime(2024, 1, 1, 2, 3)), (sa.Interval, dt.timedelta(days=1, seconds=2)),
        (pg.JSONB, {"a": [1, None]}), (sa.JSON, [1, {"b": 2}]), (pg.ARRAY(sa.Integer), [1, 2]), (sa.Numeric(20, 5), decimal.Decimal("1.50000")),
    ]
    table = sa.Table("sa_types", metadata, *(sa.Column(f"c{at}", kind) for at, (kind, _) in enumerate(columns)))
    metadata.drop_all(ENGINE)
    metadata.create_all(ENGINE)
    with ENGINE.begin() as connection:
        connection.execute(sa.insert(table).values({f"c{at}": value for at, (_, value) in enumerate(columns)}))
        equal(tuple(connection.execute(sa.select(table)).one()), tuple(value for _, value in columns))
        equal(connection.scalar(sa.select(table.c.c10["a"][0].as_integer())), 1)
        equal(connection.scalar(sa.select(sa.func.count()).where(sa.literal(2) == sa.any_(table.c.c12))), 1)
    metadata.drop_all(ENGINE)


@check
def the_orm_saves_and_loads_relationships():
    with prepared() as session:
        loaded = session.scalars(sa.select(Author).options(selectinload(Author.books)).order_by(Author.name)).all()
        equal([(a.name, [b.title for b in a.books]) for a in loaded],
              [("Austen", ["Emma", "Persuasion"]), ("Melville", ["Moby-Dick"])])
        session.expire_all()
        moby = session.scalars(sa.select(Book).options(joinedload(Book.author)).where(Book.meta["pages"].as_integer() == 635)).one()
        equal((moby.author.name, moby.price, moby.added.tzinfo is not None), ("Melville", decimal.Decimal("7.00"), True))
        moby.price = decimal.Decimal("8.00")
        moby.author.books.append(Book(title="Typee", price=3))
        session.commit()
        totals = sa.select(Author.name, sa.func.sum(Book.price)).join(Author.books).group_by(Author.name).order_by(Author.name)
        equal(session.execute(totals).all(), [("Austen", decimal.Decimal("9.75")), ("Melville", decimal.Decimal("11.00"))])
        without = sa.select(Author.name).where(~Author.books.any(Book.title == "Emma"))
        equal(session.scalars(without).all(), ["Melville"])
        session.delete(loaded[0])
        session.commit()
        equal(session.scalar(sa.select(sa.func.count()).select_from(Book)), 2)


@check
def the_orm_reports_conflicts():
    with prepared() as session:
        session.add(Author(name="Austen"))
        try:
            session.commit()
            raise AssertionError("no error")
        except sa.exc.IntegrityError as error:
            equal((error.orig.sqlstate, error.orig.diag.constraint_name), ("23505", "sa_author_name_key"))
        session.rollback()
        with session.begin_nested() as savepoint:
            session.add(Author(name="Nobody"))
            session.flush()
            savepoint.rollback()
        equal(session.scalar(sa.select(sa.func.count()).select_from(Author)), 2)
        session.execute(sa.insert(Book).values(author_id=1, title="Lady Susan"))
        session.commit()
        try:
            session.execute(sa.insert(Book).values(author_id=99, title="Orphan"))
            raise AssertionError("no error")
        except sa.exc.IntegrityError as error:
            equal(error.orig.sqlstate, "23503")
        session.rollback()


@check
def reflection_sees_what_was_declared():
    prepared().close()
    inspector = sa.inspect(ENGINE)
    equal({"sa_author", "sa_book"} <= set(inspector.get_table_names()), True)
    equal(inspector.get_pk_constraint("sa_book"),
          {"constrained_columns": ["id"], "name": "sa_book_pkey", "comment": None, "dialect_options": {"postgresql_include": []}})
    columns = {c["name"]: c for c in inspector.get_columns("sa_book")}
    equal([str(columns[name]["type"]) for name in ("id", "title", "price", "tags", "meta", "added")],
          ["INTEGER", "VARCHAR", "NUMERIC(8, 2)", "ARRAY", "JSONB", "TIMESTAMP"])
    equal([columns["id"]["nullable"], columns["tags"]["nullable"], columns["added"]["default"]], [False, True, "now()"])
    equal(columns["added"]["type"].timezone, True)
    equal([(i["name"], i["column_names"], i["unique"]) for i in inspector.get_indexes("sa_book") if not i["unique"]],
          [("sa_book_title", ["title"], False)])
    equal([u["column_names"] for u in inspector.get_unique_constraints("sa_book")], [["author_id", "title"]])
    [key] = inspector.get_foreign_keys("sa_book")
    equal((key["constrained_columns"], key["referred_table"], key["referred_columns"], key["options"]),
          (["author_id"], "sa_author", ["id"], {"ondelete": "CASCADE"}))


@check
def a_reflected_table_can_be_queried():
    with ENGINE.begin() as connection:
        connection.execute(sa.text("DROP TABLE IF EXISTS sa_reflected"))
        connection.execute(sa.text("CREATE TABLE sa_reflected (id bigint PRIMARY KEY, name varchar(20) NOT NULL, at timestamptz)"))
        connection.execute(sa.text("CREATE UNIQUE INDEX sa_reflected_name ON sa_reflected (name)"))
        connection.execute(sa.text("COMMENT ON TABLE sa_reflected IS 'seen again'"))
    table = sa.Table("sa_reflected", sa.MetaData(), autoload_with=ENGINE)
    equal([(c.name, str(c.type), c.nullable, c.primary_key) for c in table.columns],
          [("id", "BIGINT", False, True), ("name", "VARCHAR(20)", False, False), ("at", "TIMESTAMP", True, False)])
    equal([(index.name, index.unique) for index in table.indexes], [("sa_reflected_name", True)])
    equal(table.comment, "seen again")
    with ENGINE.begin() as connection:
        connection.execute(table.insert(), [{"id": n, "name": str(n)} for n in range(3)])
        equal(connection.execute(table.select().where(table.c.id > 0).order_by(table.c.id)).all(), [(1, "1", None), (2, "2", None)])
        connection.execute(sa.text("DROP TABLE sa_reflected"))


@check
def views_and_schemas_are_listed():
    with ENGINE.begin() as connection:
        connection.execute(sa.text("CREATE SCHEMA IF NOT EXISTS sa_other"))
        connection.execute(sa.text("DROP TABLE IF EXISTS sa_other.t"))
        connection.execute(sa.text("CREATE TABLE sa_other.t (id int)"))
    inspector = sa.inspect(ENGINE)
    assert {"public", "sa_other", "information_schema"} <= set(inspector.get_schema_names())
    equal(inspector.get_table_names("sa_other"), ["t"])
    with ENGINE.begin() as connection:
        connection.execute(sa.text("CREATE OR REPLACE VIEW sa_view AS SELECT 1 AS one"))
    inspector = sa.inspect(ENGINE)
    assert "sa_view" in inspector.get_view_names()
    equal([c["name"] for c in inspector.get_columns("sa_view")], ["one"])
    with ENGINE.begin() as connection:
        connection.execute(sa.text("DROP VIEW sa_view"))
        connection.execute(sa.text("DROP TABLE sa_other.t"))


@check
def enums_are_native_types():
    metadata = sa.MetaData()
    table = sa.Table("sa_enum", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("color", sa.Enum(Color, name="sa_color")))
    metadata.drop_all(ENGINE)
    metadata.create_all(ENGINE)
    with ENGINE.begin() as connection:
        connection.execute(sa.insert(table), [{"color": Color.blue}, {"color": Color.red}])
        equal(connection.execute(sa.select(table.c.color).order_by(table.c.color)).scalars().all(), [Color.red, Color.blue])
    equal([e["labels"] for e in sa.inspect(ENGINE).get_enums() if e["name"] == "sa_color"], [["red", "blue"]])
    metadata.drop_all(ENGINE)


run()
