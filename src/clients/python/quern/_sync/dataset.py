# Made of ../_async by make_sync.py: change it there.
"""Documents of one dataset: files in, metadata, content out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, Union

from .._asking import Filter, check_fields, content_from, list_filter
from .._dataset_files import FileInput, Upload, check_metadata, upload_statement
from .._names import check_name, quoted
from .._parameters import check_text
from .._reads import check_ids
from ..config import WaitConfig, read_config
from ..error import CollectionNotFoundError, DatasetNotFoundError, InvalidArgumentError, WaitTimeoutError
from ..types import Content, ListEntry
from .session import Session
from .waiting import Connection, Stream, sleep

LIST_COLUMNS = (
    "doc_id, name, size, mime_type, CASE WHEN status IN ('ready', 'error') THEN status ELSE 'pending' END, "
    "status_reason, metadata"
)


class DatasetClient:
    """`client.dataset(name)`."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self.name = check_name(name, "dataset")

    def __repr__(self) -> str:
        return f"<dataset {self.name!r} at {self._session.server.where}>"

    def upsert_file(self, doc_id: str, file: FileInput, metadata: Mapping[str, Any] | None = None) -> str:
        """Uploads a file; it is read and indexed afterwards (`wait_for_handle`). Streams: large files are not held.

        Args:
            doc_id: a document of that id is replaced once the new one is ready.
            file: a path, or `(name, bytes, mime type)`.
            metadata: texts, numbers, booleans and lists of these. Without it a document keeps what it had.

        Returns:
            A handle of the work.

        Raises:
            DocumentValidationError: metadata that cannot be.
            InvalidArgumentError: no such file (`FileNotFoundError` too), a folder, an empty id.
            DatasetNotFoundError.
        """
        upload = Upload(file)
        statement = upload_statement(self.name, _doc_id(doc_id), upload.name, check_metadata(metadata))

        def work(connection: Connection[Any]) -> str:
            with connection.cursor().copy(statement) as copy:
                for piece in upload.pieces():
                    copy.write(piece)
            return str((self._session.fetch(connection, "SELECT quern.last_handle()")).rows[0][0])

        # The same bytes of the same document twice are the same version: it may be tried again.
        return str(self._session.run(work, again=True))

    def delete(self, doc_id: str) -> str:
        """Deletes a document; one that is not there too.

        Returns:
            A handle of the work.
        """
        text = "SELECT quern.delete_document($1::text, $2::text)"
        return str(self._session.value(text, [self.name, _doc_id(doc_id)], again=False))

    def update_metadata(self, doc_id: str, metadata: Mapping[str, Any]) -> str:
        """Puts fields over those of a document's metadata; None takes one away.

        Returns:
            A handle of the work.

        Raises:
            DocumentValidationError: metadata that cannot be.
        """
        text = "SELECT quern.update_metadata($1::text, $2::text, $3::jsonb)"
        parameters = [self.name, _doc_id(doc_id), check_metadata(metadata, may_be_null=True) or "{}"]
        return str(self._session.value(text, parameters, again=False))

    def get_metadata(self, ids: Iterable[str], fields: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
        """Metadata by document id; ids that are not there are left out.

        Args:
            fields: which of them; all by default.
        """
        parameters: list[Any] = [self.name, check_ids(ids)]
        rest = ""
        if fields is not None:
            parameters.append(check_fields(fields))
            rest = ", $3::text[]"
        text = f"SELECT quern.get_metadata($1::text, $2::text[]{rest})"
        return dict(self._session.value(text, parameters) or {})

    def check_handle(self, handle: str) -> bool:
        """True when the work is done.

        Raises:
            IngestionError: it failed; the message is the reason.
            InvalidArgumentError: there is no such handle.
        """
        return bool(self._session.value("SELECT quern.check_handle($1::text)", [_handle(handle)]))

    def wait_for_handle(self, handle: str, config: Union[WaitConfig, Mapping[str, Any], None] = None) -> None:
        """Waits until the work is done.

        Args:
            config: how often to ask and how long to wait, in seconds: a `WaitConfig`, or a dict of its fields.

        Raises:
            IngestionError: it failed; the message is the reason.
            WaitTimeoutError: it was not done in time; it goes on.
            InvalidArgumentError: there is no such handle.
        """
        wait = read_config(WaitConfig, config)
        deadline = time.monotonic() + wait.timeout_secs
        pause = min(0.05, wait.frequency_secs)
        while not self.check_handle(handle):
            left = deadline - time.monotonic()
            if left <= 0:
                raise WaitTimeoutError(f"handle {handle} was not done within {wait.timeout_secs} seconds")
            sleep(min(pause, left))
            # Small files are done soon: ask often at first.
            pause = min(pause * 2, wait.frequency_secs)

    def list(
        self,
        fields: Iterable[str] | None = None,
        filter: Filter = None,  # noqa: A002 - the contract's name
    ) -> Stream[ListEntry]:
        """Documents, by id, as they come.

        Args:
            fields: of metadata; all by default.
            filter: a condition over metadata.
        """
        names = None if fields is None else check_fields(fields)
        condition, parameters = list_filter(filter)
        text = f"SELECT {LIST_COLUMNS} FROM {quoted(self.name)}.documents{condition} ORDER BY doc_id"
        try:
            for row in self._session.stream(text, parameters):
                yield entry_from(row, names)
        except CollectionNotFoundError as error:
            raise DatasetNotFoundError(f"there is no dataset {self.name!r}", sqlstate=error.sqlstate) from None

    def get_content(self, content_id: str) -> Content:
        """The content of a result or a citation.

        Raises:
            InvalidArgumentError: there is no such content, or the document has a newer version.
        """
        text = "SELECT quern.get_content($1::text, $2::text)"
        return content_from(self._session.value(text, [self.name, check_text(content_id)]))

    def get_file(self, doc_id: str) -> bytes:
        """A document's bytes, as they came."""
        return bytes(
            self._session.value("SELECT quern.get_file($1::text, $2::text)", [self.name, _doc_id(doc_id)])
        )


def entry_from(row: tuple[Any, ...], names: Iterable[str] | None) -> ListEntry:
    """A document from a row of `LIST_COLUMNS`, with these fields of its metadata."""
    doc_id, name, size, mime_type, status, reason, metadata = row
    kept = metadata or {}
    if names is not None:
        kept = {one: kept[one] for one in names if one in kept}
    return ListEntry(doc_id, name, size, mime_type, status, reason, kept)


def _doc_id(doc_id: Any) -> str:
    if not isinstance(doc_id, str):
        raise TypeError(f"a document's id is a str, not {type(doc_id).__name__}")
    if doc_id == "":
        raise InvalidArgumentError("a document's id must not be empty")
    return check_text(doc_id)


def _handle(handle: Any) -> str:
    if not isinstance(handle, str):
        raise TypeError(f"a handle is a str, not {type(handle).__name__}")
    return check_text(handle)
