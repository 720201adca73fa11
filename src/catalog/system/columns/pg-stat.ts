/**
 * Columns of the statistics relations of pg_catalog.
 * A relation is a line `name oid kind`, then its columns as `name:type`, `!` for NOT NULL, in PostgreSQL 18's
 * order. Clients read some of them by position, so the order is part of what they rely on.
 */
export const PG_STAT_COLUMNS = `
pg_stat_activity 12226 v
  datid:oid datname:name pid:int4 leader_pid:int4 usesysid:oid usename:name application_name:text
  client_addr:inet client_hostname:text client_port:int4 backend_start:timestamptz xact_start:timestamptz
  query_start:timestamptz state_change:timestamptz wait_event_type:text wait_event:text state:text
  backend_xid:xid backend_xmin:xid query_id:int8 query:text backend_type:text
pg_stat_all_indexes 12187 v
  relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8
  last_idx_scan:timestamptz idx_tup_read:int8 idx_tup_fetch:int8
pg_stat_all_tables 12146 v
  relid:oid schemaname:name relname:name seq_scan:int8 last_seq_scan:timestamptz seq_tup_read:int8
  idx_scan:int8 last_idx_scan:timestamptz idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8
  n_tup_hot_upd:int8 n_tup_newpage_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8
  n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz
  last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8
  autoanalyze_count:int8 total_vacuum_time:float8 total_autovacuum_time:float8 total_analyze_time:float8
  total_autoanalyze_time:float8
pg_stat_archiver 12289 v
  archived_count:int8 last_archived_wal:text last_archived_time:timestamptz failed_count:int8
  last_failed_wal:text last_failed_time:timestamptz stats_reset:timestamptz
pg_stat_bgwriter 12293 v
  buffers_clean:int8 maxwritten_clean:int8 buffers_alloc:int8 stats_reset:timestamptz
pg_stat_checkpointer 12297 v
  num_timed:int8 num_requested:int8 num_done:int8 restartpoints_timed:int8 restartpoints_req:int8
  restartpoints_done:int8 write_time:float8 sync_time:float8 buffers_written:int8 slru_written:int8
  stats_reset:timestamptz
pg_stat_database 12270 v
  datid:oid datname:name numbackends:int4 xact_commit:int8 xact_rollback:int8 blks_read:int8 blks_hit:int8
  tup_returned:int8 tup_fetched:int8 tup_inserted:int8 tup_updated:int8 tup_deleted:int8 conflicts:int8
  temp_files:int8 temp_bytes:int8 deadlocks:int8 checksum_failures:int8 checksum_last_failure:timestamptz
  blk_read_time:float8 blk_write_time:float8 session_time:float8 active_time:float8
  idle_in_transaction_time:float8 sessions:int8 sessions_abandoned:int8 sessions_fatal:int8
  sessions_killed:int8 parallel_workers_to_launch:int8 parallel_workers_launched:int8
  stats_reset:timestamptz
pg_stat_database_conflicts 12275 v
  datid:oid datname:name confl_tablespace:int8 confl_lock:int8 confl_snapshot:int8 confl_bufferpin:int8
  confl_deadlock:int8 confl_active_logicalslot:int8
pg_stat_gssapi 12257 v
  pid:int4 gss_authenticated:bool principal:text encrypted:bool credentials_delegated:bool
pg_stat_io 12301 v
  backend_type:text object:text context:text reads:int8 read_bytes:numeric read_time:float8 writes:int8
  write_bytes:numeric write_time:float8 writebacks:int8 writeback_time:float8 extends:int8
  extend_bytes:numeric extend_time:float8 hits:int8 evictions:int8 reuses:int8 fsyncs:int8 fsync_time:float8
  stats_reset:timestamptz
pg_stat_progress_analyze 12309 v
  pid:int4 datid:oid datname:name relid:oid phase:text sample_blks_total:int8 sample_blks_scanned:int8
  ext_stats_total:int8 ext_stats_computed:int8 child_tables_total:int8 child_tables_done:int8
  current_child_table_relid:oid delay_time:float8
pg_stat_progress_basebackup 12329 v
  pid:int4 phase:text backup_total:int8 backup_streamed:int8 tablespaces_total:int8
  tablespaces_streamed:int8
pg_stat_progress_cluster 12319 v
  pid:int4 datid:oid datname:name relid:oid command:text phase:text cluster_index_relid:oid
  heap_tuples_scanned:int8 heap_tuples_written:int8 heap_blks_total:int8 heap_blks_scanned:int8
  index_rebuild_count:int8
pg_stat_progress_copy 12333 v
  pid:int4 datid:oid datname:name relid:oid command:text type:text bytes_processed:int8 bytes_total:int8
  tuples_processed:int8 tuples_excluded:int8 tuples_skipped:int8
pg_stat_progress_create_index 12324 v
  pid:int4 datid:oid datname:name relid:oid index_relid:oid command:text phase:text lockers_total:int8
  lockers_done:int8 current_locker_pid:int8 blocks_total:int8 blocks_done:int8 tuples_total:int8
  tuples_done:int8 partitions_total:int8 partitions_done:int8
pg_stat_progress_vacuum 12314 v
  pid:int4 datid:oid datname:name relid:oid phase:text heap_blks_total:int8 heap_blks_scanned:int8
  heap_blks_vacuumed:int8 index_vacuum_count:int8 max_dead_tuple_bytes:int8 dead_tuple_bytes:int8
  num_dead_item_ids:int8 indexes_total:int8 indexes_processed:int8 delay_time:float8
pg_stat_recovery_prefetch 12244 v
  stats_reset:timestamptz prefetch:int8 hit:int8 skip_init:int8 skip_new:int8 skip_fpw:int8 skip_rep:int8
  wal_distance:int4 block_distance:int4 io_depth:int4
pg_stat_replication 12231 v
  pid:int4 usesysid:oid usename:name application_name:text client_addr:inet client_hostname:text
  client_port:int4 backend_start:timestamptz backend_xmin:xid state:text sent_lsn:pg_lsn write_lsn:pg_lsn
  flush_lsn:pg_lsn replay_lsn:pg_lsn write_lag:interval flush_lag:interval replay_lag:interval
  sync_priority:int4 sync_state:text reply_time:timestamptz
pg_stat_replication_slots 12266 v
  slot_name:text spill_txns:int8 spill_count:int8 spill_bytes:int8 stream_txns:int8 stream_count:int8
  stream_bytes:int8 total_txns:int8 total_bytes:int8 stats_reset:timestamptz
pg_stat_slru 12236 v
  name:text blks_zeroed:int8 blks_hit:int8 blks_read:int8 blks_written:int8 blks_exists:int8 flushes:int8
  truncates:int8 stats_reset:timestamptz
pg_stat_ssl 12253 v
  pid:int4 ssl:bool version:text cipher:text bits:int4 client_dn:text client_serial:numeric issuer_dn:text
pg_stat_subscription 12248 v
  subid:oid subname:name worker_type:text pid:int4 leader_pid:int4 relid:oid received_lsn:pg_lsn
  last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn
  latest_end_time:timestamptz
pg_stat_subscription_stats 12347 v
  subid:oid subname:name apply_error_count:int8 sync_error_count:int8 confl_insert_exists:int8
  confl_update_origin_differs:int8 confl_update_exists:int8 confl_update_missing:int8
  confl_delete_origin_differs:int8 confl_delete_missing:int8 confl_multiple_unique_conflicts:int8
  stats_reset:timestamptz
pg_stat_sys_indexes 12192 v
  relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8
  last_idx_scan:timestamptz idx_tup_read:int8 idx_tup_fetch:int8
pg_stat_sys_tables 12156 v
  relid:oid schemaname:name relname:name seq_scan:int8 last_seq_scan:timestamptz seq_tup_read:int8
  idx_scan:int8 last_idx_scan:timestamptz idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8
  n_tup_hot_upd:int8 n_tup_newpage_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8
  n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz
  last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8
  autoanalyze_count:int8 total_vacuum_time:float8 total_autovacuum_time:float8 total_analyze_time:float8
  total_autoanalyze_time:float8
pg_stat_user_functions 12279 v
  funcid:oid schemaname:name funcname:name calls:int8 total_time:float8 self_time:float8
pg_stat_user_indexes 12196 v
  relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8
  last_idx_scan:timestamptz idx_tup_read:int8 idx_tup_fetch:int8
pg_stat_user_tables 12165 v
  relid:oid schemaname:name relname:name seq_scan:int8 last_seq_scan:timestamptz seq_tup_read:int8
  idx_scan:int8 last_idx_scan:timestamptz idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8
  n_tup_hot_upd:int8 n_tup_newpage_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8
  n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz
  last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8
  autoanalyze_count:int8 total_vacuum_time:float8 total_autovacuum_time:float8 total_analyze_time:float8
  total_autoanalyze_time:float8
pg_stat_wal 12305 v
  wal_records:int8 wal_fpi:int8 wal_bytes:numeric wal_buffers_full:int8 stats_reset:timestamptz
pg_stat_wal_receiver 12240 v
  pid:int4 status:text receive_start_lsn:pg_lsn receive_start_tli:int4 written_lsn:pg_lsn flushed_lsn:pg_lsn
  received_tli:int4 last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn
  latest_end_time:timestamptz slot_name:text sender_host:text sender_port:int4 conninfo:text
pg_stat_xact_all_tables 12151 v
  relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8
  n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_tup_newpage_upd:int8
pg_stat_xact_sys_tables 12161 v
  relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8
  n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_tup_newpage_upd:int8
pg_stat_xact_user_functions 12284 v
  funcid:oid schemaname:name funcname:name calls:int8 total_time:float8 self_time:float8
pg_stat_xact_user_tables 12170 v
  relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8
  n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_tup_newpage_upd:int8
pg_statio_all_indexes 12200 v
  relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8
  idx_blks_hit:int8
pg_statio_all_sequences 12213 v
  relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
pg_statio_all_tables 12174 v
  relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8
  idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
pg_statio_sys_indexes 12205 v
  relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8
  idx_blks_hit:int8
pg_statio_sys_sequences 12218 v
  relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
pg_statio_sys_tables 12179 v
  relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8
  idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
pg_statio_user_indexes 12209 v
  relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8
  idx_blks_hit:int8
pg_statio_user_sequences 12222 v
  relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
pg_statio_user_tables 12183 v
  relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8
  idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
pg_statistic 2619 r
  starelid:oid! staattnum:int2! stainherit:bool! stanullfrac:float4! stawidth:int4! stadistinct:float4!
  stakind1:int2! stakind2:int2! stakind3:int2! stakind4:int2! stakind5:int2! staop1:oid! staop2:oid!
  staop3:oid! staop4:oid! staop5:oid! stacoll1:oid! stacoll2:oid! stacoll3:oid! stacoll4:oid! stacoll5:oid!
  stanumbers1:float4[] stanumbers2:float4[] stanumbers3:float4[] stanumbers4:float4[] stanumbers5:float4[]
  stavalues1:anyarray stavalues2:anyarray stavalues3:anyarray stavalues4:anyarray stavalues5:anyarray
pg_statistic_ext 3381 r
  oid:oid! stxrelid:oid! stxname:name! stxnamespace:oid! stxowner:oid! stxkeys:int2vector!
  stxstattarget:int2 stxkind:char[]! stxexprs:pg_node_tree
pg_statistic_ext_data 3429 r
  stxoid:oid! stxdinherit:bool! stxdndistinct:pg_ndistinct stxddependencies:pg_dependencies
  stxdmcv:pg_mcv_list stxdexpr:pg_statistic[]
pg_stats 12053 v
  schemaname:name tablename:name attname:name inherited:bool null_frac:float4 avg_width:int4
  n_distinct:float4 most_common_vals:anyarray most_common_freqs:float4[] histogram_bounds:anyarray
  correlation:float4 most_common_elems:anyarray most_common_elem_freqs:float4[]
  elem_count_histogram:float4[] range_length_histogram:anyarray range_empty_frac:float4
  range_bounds_histogram:anyarray
pg_stats_ext 12058 v
  schemaname:name tablename:name statistics_schemaname:name statistics_name:name statistics_owner:name
  attnames:name[] exprs:text[] kinds:char[] inherited:bool n_distinct:pg_ndistinct
  dependencies:pg_dependencies most_common_vals:text[] most_common_val_nulls:bool[]
  most_common_freqs:float8[] most_common_base_freqs:float8[]
pg_stats_ext_exprs 12063 v
  schemaname:name tablename:name statistics_schemaname:name statistics_name:name statistics_owner:name
  expr:text inherited:bool null_frac:float4 avg_width:int4 n_distinct:float4 most_common_vals:anyarray
  most_common_freqs:float4[] histogram_bounds:anyarray correlation:float4 most_common_elems:anyarray
  most_common_elem_freqs:float4[] elem_count_histogram:float4[]
`;
