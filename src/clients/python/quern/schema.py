"""A collection's fields: types, which of them are required, and indexes.

    schema = {
        "title": text().required().index(semantic_index()),
        "year": int(),
        "emb": f32_vector(384).index(vector_index(metric="cosine")),
        "publisher": {"name": text().index(keyword_index()), "city": text()},
    }

Specs are immutable and compare by value: `.required()`, `.optional()` and `.index(…)` return new ones.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import index as _index
from typing import Any, Literal, Union

__all__ = [
    "FieldSpec", "Index", "Schema", "text", "int", "float", "bool", "bytes", "timestamp", "list", "struct",
    "matrix", "f8_vector", "f16_vector", "f32_vector", "u8_vector", "i8_vector", "binary_vector",
    "f32_sparse_vector", "u8_sparse_vector", "vector_index", "keyword_index", "semantic_index", "ngram_index",
    "multi_vector_index",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Index:
    """One index of a field: its kind, as the function that makes it is called, and options by name.

    The model of a semantic index does not count when indexes are compared: without one the server takes its own.
    """

    kind: str
    options: tuple[tuple[str, Any], ...] = ()

    def _compared(self) -> tuple[str, frozenset[tuple[str, Any]]]:
        return self.kind, frozenset(one for one in self.options if one[0] != "model")

    def __eq__(self, other: object) -> builtins.bool:
        return isinstance(other, Index) and self._compared() == other._compared()

    def __hash__(self) -> builtins.int:
        return hash(self._compared())

    def option(self, name: str) -> Any:
        """The option's value; None where it was not given."""
        return dict(self.options).get(name)

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in self.options)})"


@dataclass(frozen=True, eq=False)
class FieldSpec:
    """A field: its type, whether each document must have it, and its indexes. Equal to the mapping that it is made of.

    Attributes:
        type: as the function that makes it is called: `text`, `int`, `f32_vector`, `struct`, ….
        dimension: of vectors and matrices; of binary vectors bytes.
        value_type: of lists `text`, `integer`, `float`; of matrices `f32`, `f16`, `f8`, `u8`, `i8`.
        fields: of structs.
    """

    type: str
    dimension: builtins.int | None = None
    value_type: str | None = None
    fields: tuple[tuple[str, FieldSpec], ...] = ()
    is_required: builtins.bool = False
    indexes: tuple[Index, ...] = ()

    def _compared(self) -> tuple[Any, ...]:
        return self.type, self.dimension, self.value_type, self.fields, self.is_required, self.indexes

    def __eq__(self, other: object) -> builtins.bool:
        if isinstance(other, Mapping):
            other = as_spec(other)
        return isinstance(other, FieldSpec) and self._compared() == other._compared()

    def __hash__(self) -> builtins.int:
        return hash(self._compared())

    def required(self) -> FieldSpec:
        """Each document must have the field, and not null."""
        return replace(self, is_required=True)

    def optional(self) -> FieldSpec:
        """Documents may lack the field: what holds without a word."""
        return replace(self, is_required=False)

    def index(self, *indexes: Index) -> FieldSpec:
        """With these indexes, beside those that it has."""
        for one in indexes:
            if not isinstance(one, Index):
                raise TypeError(f"expected an index such as keyword_index(), not {type(one).__name__}")
        new = [one for one in dict.fromkeys(indexes) if one not in self.indexes]
        return replace(self, indexes=(*self.indexes, *new))

    def __repr__(self) -> str:
        arguments = [] if self.dimension is None else [repr(self.dimension)]
        if self.value_type is not None:
            arguments.append(f"value_type={self.value_type!r}")
        if self.type == "struct":
            arguments.append(repr(dict(self.fields)))
        made = f"{self.type}({', '.join(arguments)})"
        made += "".join(f".index({one!r})" for one in self.indexes)
        return f"{made}.required()" if self.is_required else made


Schema = Mapping[str, Union[FieldSpec, Mapping[str, Any]]]
"""Name to field; a plain mapping within it is a struct."""


def text() -> FieldSpec:
    """A text."""
    return FieldSpec("text")


def int() -> FieldSpec:  # noqa: A001 - the contract's name
    """A whole number of 64 bits."""
    return FieldSpec("int")


def float() -> FieldSpec:  # noqa: A001
    """A floating point number of 64 bits; whole numbers are taken too."""
    return FieldSpec("float")


def bool() -> FieldSpec:  # noqa: A001
    """True or false."""
    return FieldSpec("bool")


def bytes() -> FieldSpec:  # noqa: A001
    """Bytes."""
    return FieldSpec("bytes")


def timestamp() -> FieldSpec:
    """A time: timezone-aware `datetime`, `date` or milliseconds since 1970 UTC; read as those milliseconds."""
    return FieldSpec("timestamp")


def list(value_type: Literal["text", "integer", "float"]) -> FieldSpec:  # noqa: A001
    """A list of texts, whole numbers or floats.

    Raises:
        ValueError: another `value_type`.
    """
    if value_type not in ("text", "integer", "float"):
        raise ValueError(f'unknown value_type {value_type!r} of a list: "text", "integer" or "float"')
    return FieldSpec("list", value_type=value_type)


def struct(fields: Schema) -> FieldSpec:
    """Fields within a field, as a plain mapping in a schema is."""
    return FieldSpec("struct", fields=tuple((name, as_spec(spec)) for name, spec in fields.items()))


def as_spec(spec: Any) -> FieldSpec:
    """A spec from what may stand in a schema; what is none is kept as a spec without a type, which is a fault."""
    if isinstance(spec, FieldSpec):
        return spec
    return struct(spec) if isinstance(spec, Mapping) else FieldSpec("")


def matrix(dimension: builtins.int, value_type: Literal["f32", "f16", "f8", "u8", "i8"] = "f32") -> FieldSpec:
    """Any number of rows of `dimension` numbers each.

    Raises:
        ValueError: another `value_type`.
    """
    if value_type not in ("f32", "f16", "f8", "u8", "i8"):
        raise ValueError(f'unknown value_type {value_type!r} of a matrix: "f32", "f16", "f8", "u8" or "i8"')
    return FieldSpec("matrix", dimension=_index(dimension), value_type=value_type)


def f8_vector(dimension: builtins.int) -> FieldSpec:
    """A dense vector of float8 (E4M3)."""
    return FieldSpec("f8_vector", dimension=_index(dimension))


def f16_vector(dimension: builtins.int) -> FieldSpec:
    """A dense vector of float16."""
    return FieldSpec("f16_vector", dimension=_index(dimension))


def f32_vector(dimension: builtins.int) -> FieldSpec:
    """A dense vector of float32."""
    return FieldSpec("f32_vector", dimension=_index(dimension))


def u8_vector(dimension: builtins.int) -> FieldSpec:
    """A dense vector of integers from 0 to 255."""
    return FieldSpec("u8_vector", dimension=_index(dimension))


def i8_vector(dimension: builtins.int) -> FieldSpec:
    """A dense vector of integers from -128 to 127."""
    return FieldSpec("i8_vector", dimension=_index(dimension))


def binary_vector(dimension: builtins.int) -> FieldSpec:
    """A vector of bits, packed; `dimension` counts bytes."""
    return FieldSpec("binary_vector", dimension=_index(dimension))


def f32_sparse_vector() -> FieldSpec:
    """A sparse vector of float32, of any dimension."""
    return FieldSpec("f32_sparse_vector")


def u8_sparse_vector() -> FieldSpec:
    """A sparse vector of integers from 0 to 255, of any dimension."""
    return FieldSpec("u8_sparse_vector")


def _given(**options: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name, value in options.items() if value is not None)


def vector_index(metric: Literal["cosine", "euclidean", "dot_product", "hamming"]) -> Index:
    """Nearest vectors: dense ones by cosine, euclidean or dot_product, sparse ones by dot_product, binary by hamming.

    Raises:
        ValueError: another metric.
    """
    if metric not in ("cosine", "euclidean", "dot_product", "hamming"):
        raise ValueError(f'unknown metric {metric!r}: "cosine", "euclidean", "dot_product" or "hamming"')
    return Index("vector_index", (("metric", metric),))


def keyword_index(type: Literal["text", "exact"] = "text", language: str | None = None) -> Index:  # noqa: A002
    """Words (`text`: segmented, lower-cased, stemmed) or the whole value as one term (`exact`).

    Raises:
        ValueError: another type.
    """
    if type not in ("text", "exact"):
        raise ValueError(f'unknown type {type!r} of a keyword index: "text" or "exact"')
    return Index("keyword_index", (("type", type), *_given(language=language)))


def semantic_index(model: str | None = None) -> Index:
    """Meaning: texts are embedded by the server; the field is keyword-searchable too."""
    return Index("semantic_index", _given(model=model))


def ngram_index() -> Index:
    """Speeds `contains` and `regexp_match`."""
    return Index("ngram_index")


def multi_vector_index(
    metric: Literal["maxsim"] = "maxsim",
    quantization: Literal["1bit", "2bit", "scalar"] | None = None,
    width: builtins.int | None = None,
    top_k: builtins.int | None = None,
) -> Index:
    """Matrices by MaxSim.

    Args:
        quantization: bits a number may take where matrices are estimated.
        width: vectors a matrix is cut to where matrices are estimated.
        top_k: matrices scored exactly.

    Raises:
        ValueError: another metric or quantization.
    """
    if metric != "maxsim":
        raise ValueError(f'unknown metric {metric!r} of a multi-vector index: "maxsim"')
    if quantization not in (None, "1bit", "2bit", "scalar"):
        raise ValueError(f'unknown quantization {quantization!r}: "1bit", "2bit" or "scalar"')
    return Index(
        "multi_vector_index", (("metric", metric), *_given(quantization=quantization, width=width, top_k=top_k))
    )
