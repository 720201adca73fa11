"""What `quern.collections` tells of a collection."""

from __future__ import annotations

from typing import Any, Mapping

from .schema import FieldSpec, Index
from .types import Collection

LIST_COLLECTIONS = (
    "SELECT name, org_id, project_id, region, fields, "
    "to_char(created_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') FROM quern.collections WHERE schema = current_schema()"
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
