"""Files on their way into a dataset, and their metadata."""

from __future__ import annotations

import json
import mimetypes
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Union

from ._documents import fault_text
from ._names import text_literal
from .error import DocumentValidationError, InvalidArgumentError

FileInput = Union[str, "os.PathLike[str]", tuple[str, bytes, str]]
PIECE_BYTES = 1 << 18


class MissingFileError(InvalidArgumentError, FileNotFoundError):
    """No such file."""


class FolderError(InvalidArgumentError, IsADirectoryError):
    """A folder where a file should be."""


class Upload:
    """A file's name and bytes, in pieces of at most `PIECE_BYTES`."""

    def __init__(self, file: FileInput) -> None:
        self._data: bytes | None = None
        self._path: Path | None = None
        if isinstance(file, (tuple, list)):
            self.name, self._data = _from_tuple(file)
            return
        if not isinstance(file, (str, os.PathLike)):
            raise TypeError(f"expected a path or (name, bytes, mime type), not {type(file).__name__}")
        if not os.fspath(file):
            raise InvalidArgumentError("the path of a file must not be empty")
        self._path = Path(file)
        if self._path.is_dir():
            raise FolderError(f"{self._path} is a folder, not a file")
        if not self._path.exists():
            raise MissingFileError(f"there is no file {self._path}")
        self.name = self._path.name

    def pieces(self) -> Iterator[bytes]:
        """Its bytes; may be asked for again. Of an empty file a piece without any, so that the driver adds none."""
        yield b""
        if self._data is not None:
            for at in range(0, len(self._data), PIECE_BYTES):
                yield self._data[at : at + PIECE_BYTES]
        if self._path is not None:
            try:
                with self._path.open("rb") as opened:
                    yield from _read(opened)
            except OSError as error:
                raise InvalidArgumentError(f"{self._path} cannot be read: {error.strerror}") from error


def _read(opened: BinaryIO) -> Iterator[bytes]:
    while piece := opened.read(PIECE_BYTES):
        yield piece


def _from_tuple(file: Any) -> tuple[str, bytes]:
    if len(file) != 3:
        raise TypeError("a file is a path or (name, bytes, mime type)")
    name, data, mime = file
    if not isinstance(name, str) or not isinstance(mime, (str, type(None))):
        raise TypeError("a file's name and mime type are str")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a file's data is bytes, not {type(data).__name__}")
    if "." not in name and mime:
        name += mimetypes.guess_extension(mime) or ""
    return name, bytes(data)


def check_metadata(metadata: Mapping[str, Any] | None, may_be_null: bool = False) -> str | None:
    """Metadata as JSON: strings, numbers, booleans and lists of these.

    Raises:
        DocumentValidationError: `errors` lists all faults.
        TypeError: no mapping.
    """
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata is a dict, not {type(metadata).__name__}")
    faults = [fault for name, value in metadata.items() for fault in _metadata_faults(name, value, may_be_null)]
    if faults:
        raise DocumentValidationError(
            "; ".join(map(fault_text, faults)).replace("the batch", "metadata"), errors=faults
        )
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in metadata.items()}
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def _metadata_faults(name: Any, value: Any, may_be_null: bool) -> Iterator[dict[str, Any]]:
    if not isinstance(name, str):
        yield {"kind": "wrong_type", "field": str(name), "message": "names of metadata are texts"}
    elif name == "":
        yield {"kind": "empty_field_name", "field": name}
    elif name.startswith("_"):
        yield {"kind": "reserved_field", "field": name, "message": 'names that begin with "_" are reserved'}
    elif "." in name:
        yield {"kind": "dotted_field_name", "field": name, "message": 'a name must not have a "."'}
    each = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(one, (str, int, float)) or (may_be_null and value is None) for one in each):
        message = "metadata are texts, numbers, booleans and lists of these"
        yield {"kind": "wrong_type", "field": str(name), "got": type(value).__name__, "message": message}


def upload_statement(dataset: str, doc_id: str, name: str, metadata: str | None) -> str:
    """The COPY that takes a file's bytes."""
    options = [("dataset", dataset), ("doc_id", doc_id), ("name", name)]
    if metadata is not None:
        options.append(("metadata", metadata))
    given = ", ".join(f"{at} {text_literal(one)}" for at, one in options)
    return f"COPY quern.upload FROM STDIN WITH (FORMAT raw, {given})"
