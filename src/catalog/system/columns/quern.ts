/**
 * Columns of the views of schema quern. A relation is a line `name oid kind`, then its columns as
 * `name:type`, `!` for NOT NULL.
 */
export const QUERN_COLUMNS = `
partitions 13100 v
  schema:name! relation:name! partition:text! lsn:text! row_count:int8 bytes:int8 created_at:timestamptz
indexes 13101 v
  schema:name! relation:name! index:name! kind:text! columns:text[]! options:jsonb! is_unique:bool!
  is_primary:bool!
  state:text! is_valid:bool! segment_count:int4! graph_count:int4! bytes:int8! build_ms:int8!
segments 13103 v
  schema:name! relation:name! partition:text segment:int8 state:text! row_count:int8! deleted_count:int8!
  bytes:int8!
index_segments 13104 v
  schema:name! relation:name! partition:text segment:int8! index:name! structure:text! state:text!
  bytes:int8! has_graph:bool! graph_entries:int8 m:int4 ef_search:int4 build_ms:int8
cache 13105 v
  kind:text! bytes:int8! entries:int8! hits:int8! misses:int8! evictions:int8!
datasets 13106 v
  name:text! description:text! region:text! created_at:timestamptz! document_count:int8 chunk_count:int8
  bytes:int8 embedding_model:text domains:text[]! outside:bool! changed_at:timestamptz
api_keys 13109 v
  name:text! prefix:text! role:text! collections:text[] partitions:text[] datasets:text[] read_only:bool!
  outside:bool! addresses:text[] attributes:jsonb! created_at:timestamptz expires_at:timestamptz
  old_key_until:timestamptz last_used:date
collections 13102 v
  schema:name! name:name! org_id:text! project_id:text! region:text! fields:jsonb! undeclared:jsonb!
  created_at:timestamptz row_count:int8 bytes:int8 lsn:text! partition_count:int4! outside:bool!
  changed_at:timestamptz
`;
