"""A row of `quern.collections` as a collection's description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._names import iso
from .error import InvalidArgumentError
from .schema import FieldSpec, Index
from .types import Collection

LIST_COLLECTIONS = (
    f"SELECT name, org_id, project_id, region, fields, {iso('created_at')} FROM quern.collections "
    "WHERE schema = current_schema()"
)
_OPTIONS = {
    "vector": ("metric",),
    "keyword": ("type", "language"),
    "semantic": ("model",),
    "multi_vector": ("metric", "quantization", "width", "top_k"),
}
_DEFAULTS = {("keyword", "language"): "english"}


def collection_from(row: tuple[Any, ...]) -> Collection:
    """A collection from a row of `LIST_COLLECTIONS`."""
    name, org_id, project_id, region, fields, created_at = row
    schema = {field["name"]: spec_from(field) for field in fields or ()}
    return Collection(name, org_id or "", project_id or "", region or "", schema, created_at or "")


def spec_from(field: Mapping[str, Any]) -> FieldSpec:
    """A field as it was declared."""
    return FieldSpec(
        field["type"],
        dimension=field.get("dimension"),
        value_type=field.get("value_type"),
        fields=tuple((one["name"], spec_from(one)) for one in field.get("fields") or ()),
        is_required=bool(field.get("required")),
        indexes=tuple(map(_index_from, field.get("indexes") or ())),
    )


def _index_from(index: Mapping[str, Any]) -> Index:
    kind, given = index["kind"], index.get("options") or {}
    options = tuple(
        (name, given[name])
        for name in _OPTIONS.get(kind, ())
        if given.get(name) is not None and given[name] != _DEFAULTS.get((kind, name))
    )
    return Index(f"{kind}_index", options)


def index_name(row: tuple[Any, ...], field: str, index: Index) -> str:
    """The server's name of a field's index, in a row of `LIST_COLLECTIONS`; `a.b` is a field of a struct.

    Raises:
        InvalidArgumentError: the field has no such index.
    """
    fields, spec = row[4], None
    for part in field.split("."):
        spec = next((one for one in fields or () if one["name"] == part), None)
        fields = (spec or {}).get("fields")
    for one in (spec or {}).get("indexes") or ():
        if _index_from(one) == index:
            return str(one["name"])
    raise InvalidArgumentError(f"field {field!r} has no {index!r}")
