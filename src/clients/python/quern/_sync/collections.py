# Made of ../_async by make_sync.py: change it there.
"""Making, finding and dropping collections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

from .._collection_info import LIST_COLLECTIONS, collection_from, index_name
from .._names import check_name, quoted
from .._schema_sql import column_sql, create_index, create_table, read_schema
from ..error import CollectionNotFoundError
from ..schema import FieldSpec, Index, Schema
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

    def add_field(self, name: str, field: str, spec: Union[FieldSpec, Mapping[str, Any]]) -> Collection:
        """Adds a field with its indexes to a collection; documents that are there lack it, so it cannot be required.

        Raises:
            SchemaValidationError: what is wrong with it.
            CollectionNotFoundError: there is no such collection.
        """
        check_name(name, "collection")
        column = column_sql(field, read_schema({field: spec})[field])
        self._session.rows(f"ALTER TABLE {quoted(name)} ADD COLUMN {column}", again=False)
        return self.get(name)

    def drop_field(self, name: str, field: str) -> Collection:
        """Takes a declared field, its indexes and all its values away.

        Raises:
            InvalidArgumentError: there is no such field.
            CollectionNotFoundError: there is no such collection.
        """
        text = f"ALTER TABLE {quoted(check_name(name, 'collection'))} DROP COLUMN {quoted(field)}"
        self._session.rows(text, again=False)
        return self.get(name)

    def add_index(self, name: str, field: str, index: Index) -> Collection:
        """Makes an index beside readers and writers; `a.b` is a field of a struct.

        Raises:
            SchemaValidationError: it does not fit the field.
            CollectionNotFoundError: there is no such collection.
        """
        self._session.rows(create_index(check_name(name, "collection"), field, index), again=False)
        return self.get(name)

    def drop_index(self, name: str, field: str, index: Index) -> Collection:
        """Takes a field's index away.

        Raises:
            InvalidArgumentError: the field has no such index.
            CollectionNotFoundError: there is no such collection.
        """
        check_name(name, "collection")
        answer = self._session.rows(f"{LIST_COLLECTIONS} AND name = $1", [name])
        if not answer.rows:
            raise CollectionNotFoundError(f"there is no collection {name!r}", sqlstate="42P01")
        found = index_name(answer.rows[0], field, index)
        self._session.rows(f"DROP INDEX {quoted(found)}", again=False)
        return self.get(name)

    def delete(self, name: str) -> None:
        """Drops a collection with its documents and partitions.

        Raises:
            CollectionNotFoundError: there is none of that name.
        """
        self._session.rows(f"DROP TABLE {quoted(check_name(name, 'collection'))}", again=False)
