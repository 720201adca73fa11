"""A schema as CREATE TABLE, checked before; and back from what `quern.collections` tells of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ._names import path, quoted, text_literal
from .error import SchemaValidationError
from .schema import FieldSpec, Index, Schema, as_spec

DENSE_DIMENSION_MAX = 16_384
MATRIX_DIMENSION_MAX = 1_024
DEPTH_MAX = 16
_DENSE = ("f8_vector", "f16_vector", "f32_vector", "u8_vector", "i8_vector")
_SPARSE = ("f32_sparse_vector", "u8_sparse_vector")
_PLAIN = {
    "text": "TEXT", "int": "BIGINT", "float": "DOUBLE PRECISION", "bool": "BOOLEAN", "bytes": "BYTEA",
    "timestamp": "TIMESTAMP", "struct": "JSONB", "f32_sparse_vector": "F32_SPARSE_VECTOR",
    "u8_sparse_vector": "U8_SPARSE_VECTOR",
}  # fmt: skip
_LISTS = {"text": "TEXT[]", "integer": "BIGINT[]", "float": "DOUBLE PRECISION[]"}
_METRICS = {
    **dict.fromkeys(_DENSE, ("cosine", "euclidean", "dot_product")),
    **dict.fromkeys(_SPARSE, ("dot_product",)),
    "binary_vector": ("hamming",),
}
_INDEXED: Mapping[str, tuple[str, ...]] = {
    "semantic_index": ("text",),
    "keyword_index": ("text", "list of text"),
    "ngram_index": ("text",),
    "vector_index": tuple(_METRICS),
    "multi_vector_index": ("matrix",),
}
"""Index to the types that it takes."""


def read_schema(schema: Schema) -> dict[str, FieldSpec]:
    """A schema with structs in place of plain mappings, checked.

    Raises:
        SchemaValidationError: `errors` lists all faults.
        TypeError: no mapping.
    """
    if not isinstance(schema, Mapping):
        raise TypeError(f"a schema is a dict of name to field, not {type(schema).__name__}")
    read = {name: as_spec(spec) for name, spec in schema.items()}
    faults = [*_faults(read.items(), "", 1)]
    if faults:
        raise SchemaValidationError("; ".join(str(one["message"]) for one in faults[:5]), errors=faults)
    return read


def _faults(fields: Any, before: str, depth: int) -> Iterator[dict[str, Any]]:
    for name, spec in fields:
        at = f"{before}{name}"
        if not isinstance(name, str) or name == "":
            yield _fault("empty_field_name", at, "a field's name must not be empty")
        elif name.startswith("_") and depth == 1:
            yield _fault("reserved_field", at, f'field "{at}": names that begin with "_" are reserved')
        elif "." in name:
            yield _fault("dotted_field_name", at, f'field "{at}": a name must not have a "."')
        if spec.type == "":
            yield _fault("missing_data_type", at, f'field "{at}" has no data type')
        yield from _dimension_faults(at, spec)
        yield from _index_faults(at, spec)
        if depth >= DEPTH_MAX and spec.fields:
            yield _fault("struct_too_deep", at, f'field "{at}": structs are nested more than {DEPTH_MAX} deep')
        else:
            yield from _faults(spec.fields, f"{at}.", depth + 1)


def _fault(kind: str, field: str, message: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "field": field, "message": message, **more}


def _dimension_faults(at: str, spec: FieldSpec) -> Iterator[dict[str, Any]]:
    if spec.dimension is None:
        return
    most = MATRIX_DIMENSION_MAX if spec.type == "matrix" else DENSE_DIMENSION_MAX
    if not 1 <= spec.dimension <= most:
        message = f'field "{at}": the dimension of a {spec.type} is from 1 to {most}, not {spec.dimension}'
        yield _fault("invalid_dimension", at, message, type=spec.type, dimension=spec.dimension)


def _index_faults(at: str, spec: FieldSpec) -> Iterator[dict[str, Any]]:
    kind = f"list of {spec.value_type}" if spec.type == "list" else spec.type
    for index in spec.indexes:
        more = {"index": index.kind, "type": kind}
        metric = index.option("metric")
        if kind not in _INDEXED[index.kind] and kind:
            message = f'field "{at}": {index.kind} takes {", ".join(_INDEXED[index.kind])}, not {kind}'
            yield _fault("invalid_index", at, message, **more)
        elif index.kind == "vector_index" and kind and metric not in _METRICS[kind]:
            message = f'field "{at}": the metric {metric} of vector_index does not fit the type {kind}'
            yield _fault("invalid_metric", at, f"{message}, but {', '.join(_METRICS[kind])}", **more)


def create_table(name: str, schema: Mapping[str, FieldSpec]) -> str:
    """The statement that makes a collection."""
    columns = ["_id TEXT", *(column_sql(field, spec) for field, spec in schema.items())]
    return f"CREATE TABLE {quoted(name)} ({', '.join(columns)})"


def create_index(name: str, field: str, index: Index) -> str:
    """The statement that makes an index of a collection; `a.b` is a field of a struct."""
    options = ", ".join(f"{one} = {_constant(value)}" for one, value in index.options)
    column = f"({path(field)})" if "." in field else quoted(field)
    kind = index.kind.removesuffix("_index")
    return f"CREATE INDEX ON {quoted(name)} USING {kind} ({column})" + (f" WITH ({options})" if options else "")


def column_sql(name: str, spec: FieldSpec) -> str:
    """A field's column, within CREATE and ALTER TABLE."""
    text = f"{quoted(name)} {sql_type(spec)}"
    if spec.fields:
        text += f" STRUCT ({', '.join(column_sql(inner, one) for inner, one in spec.fields)})"
    if spec.is_required:
        text += " NOT NULL"
    return text + "".join(f" INDEX {index.kind}({_options(index)})" for index in spec.indexes)


def _options(index: Index) -> str:
    return ", ".join(f"{name} => {_constant(value)}" for name, value in index.options)


def _constant(value: Any) -> str:
    return str(value) if isinstance(value, int) else text_literal(str(value))


def sql_type(spec: FieldSpec) -> str:
    """The type of a column."""
    if spec.type == "list":
        return _LISTS[str(spec.value_type)]
    if spec.type == "matrix":
        return f"{str(spec.value_type).upper()}_MATRIX({spec.dimension})"
    return _PLAIN.get(spec.type) or f"{spec.type.upper()}({spec.dimension})"
