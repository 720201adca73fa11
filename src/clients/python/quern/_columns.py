"""Many documents as one array a field, in binary: what a batch is sent as where that is quicker than JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from struct import pack
from typing import Any

from ._documents import encode, to_json_text
from ._packing import CODES, FAULTS, Kinds, dense_binary, dense_kind
from ._parameters import Binary

DOCUMENTS_MIN = 16
FIELDS_MAX = 64
_VECTORS = {
    "f32": ("vector", 16000), "f16": ("halfvec", 16002), "u8": ("u8_vector", 16008), "i8": ("i8_vector", 16010),
}  # fmt: skip
_PLAIN: Mapping[type, tuple[str, int, Callable[[Any], bytes]]] = {
    str: ("text", 25, str.encode),
    int: ("int8", 20, lambda value: pack(">q", value)),
    float: ("float8", 701, lambda value: pack(">d", value)),
    bool: ("bool", 16, lambda value: b"\1" if value else b"\0"),
    bytes: ("bytea", 17, bytes),
}
_NULL = pack(">i", -1)


def columns_of_documents(documents: Sequence[Any], kinds: Kinds) -> tuple[str, list[Any]] | None:
    """The arguments of `quern.upsert` behind the relation, as SQL from `$2` on, and their values.

    None where the batch is small, or holds what JSON's way says the faults of.
    """
    if len(documents) < DOCUMENTS_MIN:
        return None
    names = _names(documents)
    if names is None:
        return None
    written, parameters = [], []
    try:
        for at, name in enumerate(names):
            if any(one.get(name, name) is None for one in documents):
                return None  # null is told from missing
            sql_type, data = _column([one.get(name) for one in documents], kinds.get(name))
            written.append(f"${at + 3}::{sql_type}[]")
            parameters.append(Binary(data))
    except (*FAULTS, UnicodeError):
        return None
    return ", ".join(["$2::text[]", *written]), [names, *parameters]


def _names(documents: Sequence[Any]) -> list[str] | None:
    names: dict[Any, None] = {}
    last = None
    for one in documents:
        if type(one) is not dict:
            return None
        if one.keys() != last:
            last = one.keys()
            names.update(dict.fromkeys(last))
    if not names or len(names) > FIELDS_MAX or not all(type(name) is str and "\0" not in name for name in names):
        return None
    return [*names]


def _column(values: list[Any], declared: str | None) -> tuple[str, bytes]:
    """The type of an array's elements, and the array in binary.

    Raises:
        FAULTS: a value that no field can hold.
    """
    types = {*map(type, values)} - {type(None)}
    if len(types) == 1:
        [only] = types
        if only in _PLAIN:
            sql_type, oid, write = _PLAIN[only]
            return sql_type, _array(oid, [None if one is None else write(one) for one in values])
        vectors = _vectors(values, declared)
        if vectors is not None:
            return vectors
    texts = [None if one is None else b"\1" + to_json_text(encode(one)).encode() for one in values]
    return "jsonb", _array(3802, texts)


def _vectors(values: list[Any], declared: str | None) -> tuple[str, bytes] | None:
    kinds = {dense_kind(one, declared) for one in values if one is not None}
    if len(kinds) != 1:
        return None
    [kind] = kinds
    element = (kind or "").removesuffix("_vector")
    if kind is None or element == kind or element not in _VECTORS or element not in CODES:
        return None
    sql_type, oid = _VECTORS[element]
    try:
        return sql_type, _array(oid, [None if one is None else dense_binary(element, one) for one in values])
    except FAULTS:
        return None


def _array(oid: int, items: Sequence[bytes | None]) -> bytes:
    """PostgreSQL's binary array of one dimension."""
    pieces = [pack(">iiiii", 1, 1, oid, len(items), 1)]
    for item in items:
        if item is None:
            pieces.append(_NULL)
        else:
            pieces.append(pack(">i", len(item)))
            pieces.append(item)
    return b"".join(pieces)
