# Made of ../_async by make_sync.py: change it there.
"""Making, finding and dropping collections."""

from __future__ import annotations

from .._collection_info import LIST_COLLECTIONS, collection_from
from .._names import check_name, quoted
from .._schema_sql import create_table, read_schema
from ..error import CollectionNotFoundError
from ..schema import Schema
from ..types import Collection
from .session import Session


class CollectionsClient:
    """`client.collections()`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __repr__(self) -> str:
        return f"<collections at {self._session.server.where}>"

    def get(self, name: str) -> Collection:
        """One collection.

        Raises:
            CollectionNotFoundError: there is none of that name.
            InvalidArgumentError: no name of a collection.
        """
        check_name(name, "collection")
        answer = self._session.rows(f"{LIST_COLLECTIONS} AND name = $1", [name])
        if not answer.rows:
            raise CollectionNotFoundError(f"there is no collection {name!r}", sqlstate="42P01")
        return collection_from(answer.rows[0])

    def list(self) -> list[Collection]:
        """All collections, by name."""
        answer = self._session.rows(f"{LIST_COLLECTIONS} ORDER BY name")
        return [collection_from(row) for row in answer.rows]

    def create(self, name: str, schema: Schema) -> Collection:
        """A new collection.

        Raises:
            CollectionAlreadyExistsError: the name is taken.
            SchemaValidationError: `errors` lists what is wrong with the schema.
            InvalidArgumentError: no name of a collection.
        """
        check_name(name, "collection")
        self._session.rows(create_table(name, read_schema(schema)), again=False)
        return self.get(name)

    def delete(self, name: str) -> None:
        """Drops a collection with its documents and partitions.

        Raises:
            CollectionNotFoundError: there is none of that name.
        """
        self._session.rows(f"DROP TABLE {quoted(check_name(name, 'collection'))}", again=False)
