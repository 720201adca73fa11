/** System relations that everybody may read: all but those that tell of secrets, samples of rows, or the server itself. */

const CLOSED: Readonly<Record<string, ReadonlySet<string>>> = {
  pg_catalog: new Set([
    'pg_authid',
    'pg_shadow',
    'pg_user_mapping',
    'pg_statistic',
    'pg_statistic_ext_data',
    'pg_file_settings',
    'pg_hba_file_rules',
    'pg_ident_file_mappings',
    'pg_backend_memory_contexts',
    'pg_shmem_allocations',
    'pg_config',
    'pg_replication_origin_status',
    'pg_subscription',
    'pg_largeobject',
  ]),
  information_schema: new Set(),
  quern: new Set(['cache']),
};

/** False for a schema that is not known here. */
export const isOpen = (schema: string, name: string): boolean => CLOSED[schema]?.has(name) === false;
