"""SQLAlchemy 2 on asyncpg: async engine and session, ORM, streaming, reflection through run_sync."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from tap import check, equal, run


class Base(DeclarativeBase):
    pass


class Note(Base):
    __tablename__ = "sa_note"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    text: Mapped[str]
    stars: Mapped[int | None]


async def prepared():
    engine = create_async_engine("postgresql+asyncpg://")
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.drop_all)
        await connection.run_sync(Base.metadata.create_all)
    return engine


@check
async def the_orm_works():
    engine = await prepared()
    async with AsyncSession(engine, expire_on_commit=False) as session:
        session.add_all([Note(id=n, text=f"note {n}", stars=n % 3 or None) for n in range(20)])
        await session.commit()
        notes = (await session.scalars(sa.select(Note).where(Note.stars.is_(None)).order_by(Note.id))).all()
        equal([note.id for note in notes], [0, 3, 6, 9, 12, 15, 18])
        notes[0].text = "changed"
        await session.commit()
        equal((await session.get(Note, 0)).text, "changed")
        result = await session.execute(sa.select(sa.func.count(), sa.func.avg(Note.stars)))
        equal([float(value) for value in result.one()][0], 20.0)
    await engine.dispose()


@check
async def rows_are_streamed():
    engine = await prepared()
    async with engine.connect() as connection:
        await connection.execute(sa.insert(Note), [{"id": n, "text": "x"} for n in range(300)])
        streamed = await connection.stream(sa.select(Note.id).order_by(Note.id))
        equal([row.id async for row in streamed], list(range(300)))
        await connection.rollback()
        equal(await connection.scalar(sa.select(sa.func.count()).select_from(Note)), 0)
    await engine.dispose()


@check
async def tables_are_reflected():
    engine = await prepared()
    async with engine.connect() as connection:
        columns = await connection.run_sync(lambda c: sa.inspect(c).get_columns("sa_note"))
        equal([(c["name"], str(c["type"]), c["nullable"]) for c in columns],
              [("id", "INTEGER", False), ("text", "VARCHAR", False), ("stars", "INTEGER", True)])
        keys = await connection.run_sync(lambda c: sa.inspect(c).get_multi_pk_constraint())
        equal(keys[(None, "sa_note")]["constrained_columns"], ["id"])
    await engine.dispose()


@check
async def errors_are_wrapped():
    engine = await prepared()
    async with AsyncSession(engine) as session:
        session.add(Note(id=1, text="a"))
        await session.commit()
        session.add(Note(id=1, text="b"))
        try:
            await session.commit()
            raise AssertionError("no error")
        except sa.exc.IntegrityError as error:
            equal(error.orig.sqlstate, "23505")
        await session.rollback()
        try:
            await session.execute(sa.text("SELECT nothing FROM sa_note"))
            raise AssertionError("no error")
        except sa.exc.ProgrammingError as error:
            equal(error.orig.sqlstate, "42703")
    await engine.dispose()


run()
