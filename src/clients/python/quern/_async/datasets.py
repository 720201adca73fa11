"""Making, finding and dropping datasets."""

from __future__ import annotations

from typing import Any

from .._names import check_name, iso, quoted, text_literal
from ..error import DatasetNotFoundError
from ..types import Dataset
from .session import AsyncSession

LIST_DATASETS = f"SELECT name, region, description, {iso('created_at')} FROM quern.datasets"


ONLY = "default"
"""The one organisation and project that a server has, as collections tell them."""


def dataset_from(row: tuple[Any, ...]) -> Dataset:
    """A dataset from a row of `LIST_DATASETS`."""
    name, region, description, created_at = row
    return Dataset(name, ONLY, ONLY, region or "", description or "", created_at or "")


class AsyncDatasetsClient:
    """`client.datasets()`."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def __repr__(self) -> str:
        return f"<datasets at {self._session.server.where}>"

    async def get(self, name: str) -> Dataset:
        """One dataset.

        Raises:
            DatasetNotFoundError: there is none of that name.
        """
        answer = await self._session.rows(f"{LIST_DATASETS} WHERE name = $1", [check_name(name, "dataset")])
        if not answer.rows:
            raise DatasetNotFoundError(f"there is no dataset {name!r}", sqlstate="42704")
        return dataset_from(answer.rows[0])

    async def list(self) -> list[Dataset]:
        """All datasets, by name."""
        answer = await self._session.rows(f"{LIST_DATASETS} ORDER BY name")
        return [dataset_from(row) for row in answer.rows]

    async def create(self, name: str, description: str | None = None) -> Dataset:
        """A new dataset.

        Raises:
            DatasetAlreadyExistsError: the name is taken.
        """
        text = f"CREATE DATASET {quoted(check_name(name, 'dataset'))}"
        if description is not None:
            text += f" WITH (description = {text_literal(description)})"
        await self._session.rows(text, again=False)
        return await self.get(name)

    async def update(self, name: str, description: str | None = None) -> Dataset:
        """Another description; None leaves the one there is.

        Raises:
            DatasetNotFoundError: there is none of that name.
        """
        check_name(name, "dataset")
        if description is not None:
            text = f"ALTER DATASET {quoted(name)} SET (description = {text_literal(description)})"
            await self._session.rows(text, again=False)
        return await self.get(name)

    async def delete(self, name: str) -> None:
        """Drops a dataset with all its documents.

        Raises:
            DatasetNotFoundError: there is none of that name.
        """
        await self._session.rows(f"DROP DATASET {quoted(check_name(name, 'dataset'))}", again=False)
