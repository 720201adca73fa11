"""Haystack's documents as those of a collection, and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream, SparseEmbedding


def fields_of(document: Document) -> dict[str, Any]:
    """The stored form of a document."""
    fields: dict[str, Any] = {"_id": document.id, "meta": plain(document.meta)}
    if document.content is not None:
        fields["content"] = document.content
    if document.embedding is not None:
        fields["embedding"] = [float(number) for number in document.embedding]
    if document.blob is not None:
        blob = document.blob
        fields["blob"] = {"data": blob.data, "meta": plain(blob.meta), "mime_type": blob.mime_type}
    if document.sparse_embedding is not None:
        fields["sparse_embedding"] = document.sparse_embedding.to_dict()
    return fields


def plain(value: Any) -> Any:
    """Metadata as JSON has them: dates as ISO texts, by which filters compare them."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def document_of(row: Mapping[str, Any], score: float | None = None, has_embedding: bool = True) -> Document:
    """The document that a row is."""
    embedding, blob, sparse = (row.get(name) for name in ("embedding", "blob", "sparse_embedding"))
    return Document(
        id=row["_id"],
        content=row.get("content"),
        meta=row.get("meta") or {},
        score=score,
        blob=None if blob is None else ByteStream(**blob),
        embedding=None if embedding is None or not has_embedding else list(embedding),
        sparse_embedding=None if sparse is None else SparseEmbedding.from_dict(sparse),
    )
