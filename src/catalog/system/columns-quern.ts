/**
 * Columns of the views of schema quern. A relation is a line `name oid kind`, then its columns as
 * `name:type`, `!` for NOT NULL.
 */
export const QUERN_COLUMNS = `
partitions 13100 v
  schema:name! relation:name! partition:text! lsn:text!
indexes 13101 v
  schema:name! relation:name! index:name! kind:text! columns:text[]! options:jsonb! is_unique:bool!
  is_primary:bool!
  state:text!
collections 13102 v
  schema:name! name:name! kind:text! row_count:int8! bytes:int8! lsn:text! partition_count:int4!
`;
