"""Documents of one collection, or of one of its partitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from .._collection_info import LIST_COLLECTIONS, collection_from
from .._columns import columns_of_documents
from .._compile import Compiler
from .._documents import as_list, encode_documents
from .._expression import Expression, condition
from .._hybrid import hybrid_statement
from .._names import check_name, iso, quoted, relation, text_literal
from .._packing import Kinds, are_worth_packing, kinds_of
from .._plan import Statement, compile_query
from .._reads import (
    check_consistency,
    check_ids,
    check_lsn,
    check_sort_keys,
    columns_of,
    documents_by_id,
    documents_from,
    may_be_of_times,
)
from .._stages import Query
from ..config import ConsistencyLevel
from ..error import DocumentValidationError, InvalidArgumentError
from ..types import Partition
from .session import AsyncSession, Rows
from .waiting import AsyncConnection, AsyncListing

Document = dict[str, Any]
Level = Union[ConsistencyLevel, str, None]


class AsyncCollectionClient:
    """`client.collection(name, partition)`."""

    def __init__(self, session: AsyncSession, name: str, partition: str | None = None) -> None:
        self._session = session
        self.name = check_name(name, "collection")
        self.partition = None if partition is None else check_name(partition, "partition")
        self._relation = relation(name, partition)

    def __repr__(self) -> str:
        of = "" if self.partition is None else f" partition {self.partition!r}"
        return f"<collection {self.name!r}{of} at {self._session.server.where}>"

    async def get(
        self,
        ids: Iterable[str],
        fields: Iterable[str] | None = None,
        lsn: str | None = None,
        consistency: Level = None,
    ) -> dict[str, Document]:
        """Documents by `_id`; ids that are not there are left out, and so are fields that a document has not.

        Args:
            fields: which of them; a dotted one (`a.b`) comes back under that name. All by default.
            lsn: of a write that has to be visible.

        Raises:
            CollectionNotFoundError, PartitionNotFoundError, QueryLsnTimeoutError.
        """
        columns, names = columns_of(fields)
        text = f"SELECT {columns} FROM {self._relation} WHERE _id = ANY($1::text[])"
        answer = await self._read(text, [check_ids(ids)], lsn, consistency)
        return documents_by_id(names or answer.names, answer.rows, names)

    async def count(self, lsn: str | None = None, consistency: Level = None) -> int:
        """How many documents there are."""
        answer = await self._read(f"SELECT count(*) FROM {self._relation}", [], lsn, consistency)
        return int(answer.rows[0][0])

    async def query(self, query: Query, lsn: str | None = None, consistency: Level = None) -> list[Document]:
        """The rows of a query, each a dict; what is null is left out.

        Raises:
            InvalidArgumentError: a query that can never work, a divisor of zero, an overflow.
            CollectionNotFoundError, PartitionNotFoundError, QueryLsnTimeoutError.
        """
        try:
            return await self._query(compile_query(query, self._relation), lsn, consistency)
        except InvalidArgumentError as error:
            if not may_be_of_times(error) or not (times := await self._times()):
                raise
        return await self._query(compile_query(query, self._relation, times), lsn, consistency)

    async def _query(self, statement: Statement, lsn: str | None, consistency: Level) -> list[Document]:
        answer = await self._read(statement.text, statement.parameters, lsn, consistency)
        if statement.sort_keys:
            check_sort_keys(answer.types, answer.rows, statement.sort_keys)
        names = statement.names
        if names is None:
            names = answer.names[: -statement.hidden_count or None]
        return documents_from(names, answer.rows, statement.fields)

    async def hybrid(
        self,
        text: str | None = None,
        k: int = 10,
        *,
        columns: Iterable[str] | None = None,
        filter: Expression | None = None,  # noqa: A002
        vector: Any = None,
        vector_column: str | None = None,
        **options: Any,
    ) -> list[Document]:
        """Words and meaning in one ranking: the best `k` documents, each with `score` and what each arm gave it.

        Args:
            text: what is looked for; may be left out where a vector is given.
            columns: fields to look in; all indexed ones by default.
            filter: a condition on fields.
            vector: one of your own, compared with `vector_column`.
            options: further ones of the server's `hybrid()`: `method`, `weights`, `depth`, `diversity`, `fuzzy`, ….

        Raises:
            InvalidArgumentError: an option that there is not, no index to ask.
        """
        statement, parameters = hybrid_statement(
            self.name if self.partition is None else f"{self.name}${self.partition}",
            text,
            k,
            columns=columns,
            given=filter,
            vector=vector,
            vector_column=vector_column,
            **options,
        )
        answer = await self._read(statement, parameters, None, None)
        return documents_from(answer.names, answer.rows)

    async def upsert(self, documents: Sequence[Mapping[str, Any]]) -> str:
        """Stores whole documents, each with a string `_id`; one that is there is replaced.

        Returns:
            The write's LSN.

        Raises:
            DocumentValidationError: `errors` lists all faults of the batch; nothing was stored.
            CollectionNotFoundError.
        """
        # The same documents twice leave what once leaves: it may be tried again.
        return str(await self._write("upsert", documents, again=True))

    async def update(self, documents: Sequence[Mapping[str, Any]], fail_on_missing: bool = False) -> str:
        """Merges fields into documents, structs deeply; None removes a field.

        Args:
            fail_on_missing: whether ids that are not there are an error; else they are passed over.

        Returns:
            The write's LSN; "" when nothing was there to update.

        Raises:
            DocumentValidationError: `errors` lists all faults of the batch; nothing was stored.
            CollectionNotFoundError.
        """
        rest = ", fail_on_missing => true" if fail_on_missing else ""
        return str(await self._write("update", documents, rest=rest, again=False) or "")

    async def delete(self, which: Union[Iterable[str], Expression]) -> str:
        """Deletes documents by ids, or those for which a condition holds.

        Returns:
            The write's LSN, also when nothing matched.

        Raises:
            InvalidArgumentError: the expression is no condition.
            CollectionNotFoundError, PartitionNotFoundError.
        """
        if not isinstance(which, Expression):
            return await self._delete("_id = ANY($1::text[])", [check_ids(which)])
        try:
            to = Compiler()
            return await self._delete(to.filter(condition(which), {}), to.parameters)
        except InvalidArgumentError as error:
            if not may_be_of_times(error) or not (times := await self._times()):
                raise
        to = Compiler(times)
        return await self._delete(to.filter(condition(which), {}), to.parameters)

    async def _delete(self, matching: str, parameters: list[Any]) -> str:
        async def work(connection: AsyncConnection[Any]) -> str:
            await self._session.fetch(connection, f"DELETE FROM {self._relation} WHERE {matching}", parameters)
            return str((await self._session.fetch(connection, LAST_LSN, [self._relation])).rows[0][0])

        return str(await self._session.run(work, again=False))

    def list_partitions(self, prefix: str | None = None) -> AsyncListing[Partition]:
        """Partitions by name, each with `created_at`; they compare as their names. Those that begin with `prefix`.

        `AsyncClient`: `await` gives the list, `async for` goes through it.
        """
        return AsyncListing(lambda: self._partitions(prefix))

    async def _partitions(self, prefix: str | None) -> list[Partition]:
        text = (
            f"SELECT partition, {iso('created_at')} FROM quern.partitions "
            "WHERE schema = 'public' AND relation = $1::text "
            "AND starts_with(partition, $2::text) ORDER BY 1"
        )
        answer = await self._session.rows(text, [self.name, prefix or ""])
        if not answer.rows:
            await self._session.rows(f"SELECT 1 FROM {quoted(self.name)} LIMIT 0")  # is there such a collection?
        return [Partition(name, created_at or "") for name, created_at in answer.rows]

    async def delete_partition(self, name: str) -> None:
        """Drops a partition with its documents.

        Raises:
            PartitionNotFoundError, CollectionNotFoundError.
        """
        partition = text_literal(check_name(name, "partition"))
        await self._session.rows(f"ALTER TABLE {quoted(self.name)} DROP PARTITION {partition}", again=False)

    async def _write(self, function: str, documents: Any, *, rest: str = "", again: bool) -> Any:
        batch = as_list(documents)
        kinds = self._session.kinds.get(self.name)
        if kinds is None and are_worth_packing(batch):
            kinds = await self._learn()
        try:
            text, parameters = self._request(function, batch, kinds or {}, rest)
            return await self._session.value(text, parameters, again=again)
        except DocumentValidationError:
            # Perhaps the schema is another one now.
            if not kinds or (learnt := await self._learn()) == kinds:
                raise
        text, parameters = self._request(function, batch, learnt, rest)
        return await self._session.value(text, parameters, again=again)

    def _request(self, function: str, batch: list[Any], kinds: Kinds, rest: str) -> tuple[str, list[Any]]:
        columns = columns_of_documents(batch, kinds) if function == "upsert" else None
        if columns is not None:
            arguments, values = columns
            return f"SELECT lsn FROM quern.{function}($1, {arguments})", [self._relation, *values]
        return f"SELECT lsn FROM quern.{function}($1, $2::jsonb{rest})", [
            self._relation,
            encode_documents(batch, kinds),
        ]

    async def _learn(self) -> Kinds:
        """Which lists become bytes, by the schema; kept until a write fails."""
        answer = await self._session.rows(f"{LIST_COLLECTIONS} AND name = $1", [self.name])
        kinds = kinds_of(collection_from(answer.rows[0]).schema) if answer.rows else {}
        self._session.kinds[self.name] = kinds
        return kinds

    async def _times(self) -> frozenset[str]:
        """Which declared fields are timestamps."""
        answer = await self._session.rows(f"{LIST_COLLECTIONS} AND name = $1", [self.name])
        schema = collection_from(answer.rows[0]).schema if answer.rows else {}
        return frozenset(name for name, spec in schema.items() if spec.type == "timestamp")

    async def _read(self, text: str, parameters: list[Any], lsn: str | None, consistency: Level) -> Rows:
        check_consistency(consistency)
        if lsn is None:
            return await self._session.rows(text, parameters)
        wanted = text_literal(f"{self._relation}:{check_lsn(lsn)}")
        timeout = max(1, int(self._session.retry.timeout))

        async def work(connection: AsyncConnection[Any]) -> Rows:
            await self._session.fetch(connection, f"SET quern.lsn_timeout = {timeout}")
            await self._session.fetch(connection, f"SET quern.lsn = {wanted}")
            try:
                return await self._session.fetch(connection, text, parameters)
            finally:
                if not connection.closed:
                    await self._session.fetch(connection, "RESET quern.lsn")

        answer: Rows = await self._session.run(work, again=True)
        return answer


LAST_LSN = "SELECT coalesce(quern.last_lsn(), quern.lsn($1))"
