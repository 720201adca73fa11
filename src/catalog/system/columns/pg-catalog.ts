/**
 * Columns of the relations of pg_catalog, but for the statistics views.
 * A relation is a line `name oid kind`, then its columns as `name:type`, `!` for NOT NULL, in PostgreSQL 18's
 * order. Clients read some of them by position, so the order is part of what they rely on. Last in pg_database
 * and pg_collation: names of PostgreSQL 15 and 16 that their psql still asks for (`\l`, `\dO`).
 */
export const PG_CATALOG_COLUMNS = `
pg_aggregate 2600 r
  aggfnoid:regproc! aggkind:char! aggnumdirectargs:int2! aggtransfn:regproc! aggfinalfn:regproc!
  aggcombinefn:regproc! aggserialfn:regproc! aggdeserialfn:regproc! aggmtransfn:regproc!
  aggminvtransfn:regproc! aggmfinalfn:regproc! aggfinalextra:bool! aggmfinalextra:bool! aggfinalmodify:char!
  aggmfinalmodify:char! aggsortop:oid! aggtranstype:oid! aggtransspace:int4! aggmtranstype:oid!
  aggmtransspace:int4! agginitval:text aggminitval:text
pg_aios 12355 v
  pid:int4 io_id:int4 io_generation:int8 state:text operation:text off:int8 length:int8 target:text
  handle_data_len:int2 raw_result:int4 result:text target_desc:text f_sync:bool f_localmem:bool
  f_buffered:bool
pg_am 2601 r
  oid:oid! amname:name! amhandler:regproc! amtype:char!
pg_amop 2602 r
  oid:oid! amopfamily:oid! amoplefttype:oid! amoprighttype:oid! amopstrategy:int2! amoppurpose:char!
  amopopr:oid! amopmethod:oid! amopsortfamily:oid!
pg_amproc 2603 r
  oid:oid! amprocfamily:oid! amproclefttype:oid! amprocrighttype:oid! amprocnum:int2! amproc:regproc!
pg_attrdef 2604 r
  oid:oid! adrelid:oid! adnum:int2! adbin:pg_node_tree!
pg_attribute 1249 r
  attrelid:oid! attname:name! atttypid:oid! attlen:int2! attnum:int2! atttypmod:int4! attndims:int2!
  attbyval:bool! attalign:char! attstorage:char! attcompression:char! attnotnull:bool! atthasdef:bool!
  atthasmissing:bool! attidentity:char! attgenerated:char! attisdropped:bool! attislocal:bool!
  attinhcount:int2! attcollation:oid! attstattarget:int2 attacl:aclitem[] attoptions:text[]
  attfdwoptions:text[] attmissingval:anyarray
pg_auth_members 1261 r
  oid:oid! roleid:oid! member:oid! grantor:oid! admin_option:bool! inherit_option:bool! set_option:bool!
pg_authid 1260 r
  oid:oid! rolname:name! rolsuper:bool! rolinherit:bool! rolcreaterole:bool! rolcreatedb:bool!
  rolcanlogin:bool! rolreplication:bool! rolbypassrls:bool! rolconnlimit:int4! rolpassword:text
  rolvaliduntil:timestamptz
pg_available_extension_versions 12085 v
  name:name version:text installed:bool superuser:bool trusted:bool relocatable:bool schema:name
  requires:name[] comment:text
pg_available_extensions 12081 v
  name:name default_version:text installed_version:text comment:text
pg_backend_memory_contexts 12142 v
  name:text ident:text type:text level:int4 path:int4[] total_bytes:int8 total_nblocks:int8 free_bytes:int8
  free_chunks:int8 used_bytes:int8
pg_cast 2605 r
  oid:oid! castsource:oid! casttarget:oid! castfunc:oid! castcontext:char! castmethod:char!
pg_class 1259 r
  oid:oid! relname:name! relnamespace:oid! reltype:oid! reloftype:oid! relowner:oid! relam:oid!
  relfilenode:oid! reltablespace:oid! relpages:int4! reltuples:float4! relallvisible:int4!
  relallfrozen:int4! reltoastrelid:oid! relhasindex:bool! relisshared:bool! relpersistence:char!
  relkind:char! relnatts:int2! relchecks:int2! relhasrules:bool! relhastriggers:bool! relhassubclass:bool!
  relrowsecurity:bool! relforcerowsecurity:bool! relispopulated:bool! relreplident:char!
  relispartition:bool! relrewrite:oid! relfrozenxid:xid! relminmxid:xid! relacl:aclitem[] reloptions:text[]
  relpartbound:pg_node_tree
pg_collation 3456 r
  oid:oid! collname:name! collnamespace:oid! collowner:oid! collprovider:char! collisdeterministic:bool!
  collencoding:int4! collcollate:text collctype:text colllocale:text collicurules:text collversion:text
  colliculocale:text
pg_config 12130 v
  name:text setting:text
pg_constraint 2606 r
  oid:oid! conname:name! connamespace:oid! contype:char! condeferrable:bool! condeferred:bool!
  conenforced:bool! convalidated:bool! conrelid:oid! contypid:oid! conindid:oid! conparentid:oid!
  confrelid:oid! confupdtype:char! confdeltype:char! confmatchtype:char! conislocal:bool! coninhcount:int2!
  connoinherit:bool! conperiod:bool! conkey:int2[] confkey:int2[] conpfeqop:oid[] conppeqop:oid[]
  conffeqop:oid[] confdelsetcols:int2[] conexclop:oid[] conbin:pg_node_tree
pg_conversion 2607 r
  oid:oid! conname:name! connamespace:oid! conowner:oid! conforencoding:int4! contoencoding:int4!
  conproc:regproc! condefault:bool!
pg_cursors 12077 v
  name:text statement:text is_holdable:bool is_binary:bool is_scrollable:bool creation_time:timestamptz
pg_database 1262 r
  oid:oid! datname:name! datdba:oid! encoding:int4! datlocprovider:char! datistemplate:bool!
  datallowconn:bool! dathasloginevt:bool! datconnlimit:int4! datfrozenxid:xid! datminmxid:xid!
  dattablespace:oid! datcollate:text! datctype:text! datlocale:text daticurules:text datcollversion:text
  datacl:aclitem[] daticulocale:text
pg_db_role_setting 2964 r
  setdatabase:oid! setrole:oid! setconfig:text[]
pg_default_acl 826 r
  oid:oid! defaclrole:oid! defaclnamespace:oid! defaclobjtype:char! defaclacl:aclitem[]!
pg_depend 2608 r
  classid:oid! objid:oid! objsubid:int4! refclassid:oid! refobjid:oid! refobjsubid:int4! deptype:char!
pg_description 2609 r
  objoid:oid! classoid:oid! objsubid:int4! description:text!
pg_enum 3501 r
  oid:oid! enumtypid:oid! enumsortorder:float4! enumlabel:name!
pg_event_trigger 3466 r
  oid:oid! evtname:name! evtevent:name! evtowner:oid! evtfoid:oid! evtenabled:char! evttags:text[]
pg_extension 3079 r
  oid:oid! extname:name! extowner:oid! extnamespace:oid! extrelocatable:bool! extversion:text!
  extconfig:oid[] extcondition:text[]
pg_file_settings 12110 v
  sourcefile:text sourceline:int4 seqno:int4 name:text setting:text applied:bool error:text
pg_foreign_data_wrapper 2328 r
  oid:oid! fdwname:name! fdwowner:oid! fdwhandler:oid! fdwvalidator:oid! fdwacl:aclitem[] fdwoptions:text[]
pg_foreign_server 1417 r
  oid:oid! srvname:name! srvowner:oid! srvfdw:oid! srvtype:text srvversion:text srvacl:aclitem[]
  srvoptions:text[]
pg_foreign_table 3118 r
  ftrelid:oid! ftserver:oid! ftoptions:text[]
pg_group 12010 v
  groname:name grosysid:oid grolist:oid[]
pg_hba_file_rules 12114 v
  rule_number:int4 file_name:text line_number:int4 type:text database:text[] user_name:text[] address:text
  netmask:text auth_method:text options:text[] error:text
pg_ident_file_mappings 12118 v
  map_number:int4 file_name:text line_number:int4 map_name:text sys_name:text pg_username:text error:text
pg_index 2610 r
  indexrelid:oid! indrelid:oid! indnatts:int2! indnkeyatts:int2! indisunique:bool! indnullsnotdistinct:bool!
  indisprimary:bool! indisexclusion:bool! indimmediate:bool! indisclustered:bool! indisvalid:bool!
  indcheckxmin:bool! indisready:bool! indislive:bool! indisreplident:bool! indkey:int2vector!
  indcollation:oidvector! indclass:oidvector! indoption:int2vector! indexprs:pg_node_tree
  indpred:pg_node_tree
pg_indexes 12043 v
  schemaname:name tablename:name indexname:name tablespace:name indexdef:text
pg_inherits 2611 r
  inhrelid:oid! inhparent:oid! inhseqno:int4! inhdetachpending:bool!
pg_init_privs 3394 r
  objoid:oid! classoid:oid! objsubid:int4! privtype:char! initprivs:aclitem[]!
pg_language 2612 r
  oid:oid! lanname:name! lanowner:oid! lanispl:bool! lanpltrusted:bool! lanplcallfoid:oid! laninline:oid!
  lanvalidator:oid! lanacl:aclitem[]
pg_largeobject 2613 r
  loid:oid! pageno:int4! data:bytea!
pg_largeobject_metadata 2995 r
  oid:oid! lomowner:oid! lomacl:aclitem[]
pg_locks 12073 v
  locktype:text database:oid relation:oid page:int4 tuple:int2 virtualxid:text transactionid:xid classid:oid
  objid:oid objsubid:int2 virtualtransaction:text pid:int4 mode:text granted:bool fastpath:bool
  waitstart:timestamptz
pg_matviews 12038 v
  schemaname:name matviewname:name matviewowner:name tablespace:name hasindexes:bool ispopulated:bool
  definition:text
pg_namespace 2615 r
  oid:oid! nspname:name! nspowner:oid! nspacl:aclitem[]
pg_opclass 2616 r
  oid:oid! opcmethod:oid! opcname:name! opcnamespace:oid! opcowner:oid! opcfamily:oid! opcintype:oid!
  opcdefault:bool! opckeytype:oid!
pg_operator 2617 r
  oid:oid! oprname:name! oprnamespace:oid! oprowner:oid! oprkind:char! oprcanmerge:bool! oprcanhash:bool!
  oprleft:oid! oprright:oid! oprresult:oid! oprcom:oid! oprnegate:oid! oprcode:regproc! oprrest:regproc!
  oprjoin:regproc!
pg_opfamily 2753 r
  oid:oid! opfmethod:oid! opfname:name! opfnamespace:oid! opfowner:oid!
pg_parameter_acl 6243 r
  oid:oid! parname:text! paracl:aclitem[]
pg_partitioned_table 3350 r
  partrelid:oid! partstrat:char! partnatts:int2! partdefid:oid! partattrs:int2vector! partclass:oidvector!
  partcollation:oidvector! partexprs:pg_node_tree
pg_policies 12018 v
  schemaname:name tablename:name policyname:name permissive:text roles:name[] cmd:text qual:text
  with_check:text
pg_policy 3256 r
  oid:oid! polname:name! polrelid:oid! polcmd:char! polpermissive:bool! polroles:oid[]! polqual:pg_node_tree
  polwithcheck:pg_node_tree
pg_prepared_statements 12095 v
  name:text statement:text prepare_time:timestamptz parameter_types:regtype[] result_types:regtype[]
  from_sql:bool generic_plans:int8 custom_plans:int8
pg_prepared_xacts 12090 v
  transaction:xid gid:text prepared:timestamptz owner:name database:name
pg_proc 1255 r
  oid:oid! proname:name! pronamespace:oid! proowner:oid! prolang:oid! procost:float4! prorows:float4!
  provariadic:oid! prosupport:regproc! prokind:char! prosecdef:bool! proleakproof:bool! proisstrict:bool!
  proretset:bool! provolatile:char! proparallel:char! pronargs:int2! pronargdefaults:int2! prorettype:oid!
  proargtypes:oidvector! proallargtypes:oid[] proargmodes:char[] proargnames:text[]
  proargdefaults:pg_node_tree protrftypes:oid[] prosrc:text! probin:text prosqlbody:pg_node_tree
  proconfig:text[] proacl:aclitem[]
pg_publication 6104 r
  oid:oid! pubname:name! pubowner:oid! puballtables:bool! pubinsert:bool! pubupdate:bool! pubdelete:bool!
  pubtruncate:bool! pubviaroot:bool! pubgencols:char!
pg_publication_namespace 6237 r
  oid:oid! pnpubid:oid! pnnspid:oid!
pg_publication_rel 6106 r
  oid:oid! prpubid:oid! prrelid:oid! prqual:pg_node_tree prattrs:int2vector
pg_publication_tables 12068 v
  pubname:name schemaname:name tablename:name attnames:name[] rowfilter:text
pg_range 3541 r
  rngtypid:oid! rngsubtype:oid! rngmultitypid:oid! rngcollation:oid! rngsubopc:oid! rngcanonical:regproc!
  rngsubdiff:regproc!
pg_replication_origin 6000 r
  roident:oid! roname:text!
pg_replication_origin_status 12343 v
  local_id:oid external_id:text remote_lsn:pg_lsn local_lsn:pg_lsn
pg_replication_slots 12261 v
  slot_name:name plugin:name slot_type:text datoid:oid database:name temporary:bool active:bool
  active_pid:int4 xmin:xid catalog_xmin:xid restart_lsn:pg_lsn confirmed_flush_lsn:pg_lsn wal_status:text
  safe_wal_size:int8 two_phase:bool two_phase_at:pg_lsn inactive_since:timestamptz conflicting:bool
  invalidation_reason:text failover:bool synced:bool
pg_rewrite 2618 r
  oid:oid! rulename:name! ev_class:oid! ev_type:char! ev_enabled:char! is_instead:bool!
  ev_qual:pg_node_tree! ev_action:pg_node_tree!
pg_roles 12000 v
  rolname:name rolsuper:bool rolinherit:bool rolcreaterole:bool rolcreatedb:bool rolcanlogin:bool
  rolreplication:bool rolconnlimit:int4 rolpassword:text rolvaliduntil:timestamptz rolbypassrls:bool
  rolconfig:text[] oid:oid
pg_rules 12023 v
  schemaname:name tablename:name rulename:name definition:text
pg_seclabel 3596 r
  objoid:oid! classoid:oid! objsubid:int4! provider:text! label:text!
pg_seclabels 12099 v
  objoid:oid classoid:oid objsubid:int4 objtype:text objnamespace:oid objname:text provider:text label:text
pg_sequence 2224 r
  seqrelid:oid! seqtypid:oid! seqstart:int8! seqincrement:int8! seqmax:int8! seqmin:int8! seqcache:int8!
  seqcycle:bool!
pg_sequences 12048 v
  schemaname:name sequencename:name sequenceowner:name data_type:regtype start_value:int8 min_value:int8
  max_value:int8 increment_by:int8 cycle:bool cache_size:int8 last_value:int8
pg_settings 12104 v
  name:text setting:text unit:text category:text short_desc:text extra_desc:text context:text vartype:text
  source:text min_val:text max_val:text enumvals:text[] boot_val:text reset_val:text sourcefile:text
  sourceline:int4 pending_restart:bool
pg_shadow 12005 v
  usename:name usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool passwd:text
  valuntil:timestamptz useconfig:text[]
pg_shdepend 1214 r
  dbid:oid! classid:oid! objid:oid! objsubid:int4! refclassid:oid! refobjid:oid! deptype:char!
pg_shdescription 2396 r
  objoid:oid! classoid:oid! description:text!
pg_shmem_allocations 12134 v
  name:text off:int8 size:int8 allocated_size:int8
pg_shmem_allocations_numa 12138 v
  name:text numa_node:int4 size:int8
pg_shseclabel 3592 r
  objoid:oid! classoid:oid! provider:text! label:text!
pg_subscription 6100 r
  oid:oid! subdbid:oid! subskiplsn:pg_lsn! subname:name! subowner:oid! subenabled:bool! subbinary:bool!
  substream:char! subtwophasestate:char! subdisableonerr:bool! subpasswordrequired:bool! subrunasowner:bool!
  subfailover:bool! subconninfo:text! subslotname:name subsynccommit:text! subpublications:text[]!
  suborigin:text
pg_subscription_rel 6102 r
  srsubid:oid! srrelid:oid! srsubstate:char! srsublsn:pg_lsn
pg_tables 12033 v
  schemaname:name tablename:name tableowner:name tablespace:name hasindexes:bool hasrules:bool
  hastriggers:bool rowsecurity:bool
pg_tablespace 1213 r
  oid:oid! spcname:name! spcowner:oid! spcacl:aclitem[] spcoptions:text[]
pg_timezone_abbrevs 12122 v
  abbrev:text utc_offset:interval is_dst:bool
pg_timezone_names 12126 v
  name:text abbrev:text utc_offset:interval is_dst:bool
pg_transform 3576 r
  oid:oid! trftype:oid! trflang:oid! trffromsql:regproc! trftosql:regproc!
pg_trigger 2620 r
  oid:oid! tgrelid:oid! tgparentid:oid! tgname:name! tgfoid:oid! tgtype:int2! tgenabled:char!
  tgisinternal:bool! tgconstrrelid:oid! tgconstrindid:oid! tgconstraint:oid! tgdeferrable:bool!
  tginitdeferred:bool! tgnargs:int2! tgattr:int2vector! tgargs:bytea! tgqual:pg_node_tree tgoldtable:name
  tgnewtable:name
pg_ts_config 3602 r
  oid:oid! cfgname:name! cfgnamespace:oid! cfgowner:oid! cfgparser:oid!
pg_ts_config_map 3603 r
  mapcfg:oid! maptokentype:int4! mapseqno:int4! mapdict:oid!
pg_ts_dict 3600 r
  oid:oid! dictname:name! dictnamespace:oid! dictowner:oid! dicttemplate:oid! dictinitoption:text
pg_ts_parser 3601 r
  oid:oid! prsname:name! prsnamespace:oid! prsstart:regproc! prstoken:regproc! prsend:regproc!
  prsheadline:regproc! prslextype:regproc!
pg_ts_template 3764 r
  oid:oid! tmplname:name! tmplnamespace:oid! tmplinit:regproc! tmpllexize:regproc!
pg_type 1247 r
  oid:oid! typname:name! typnamespace:oid! typowner:oid! typlen:int2! typbyval:bool! typtype:char!
  typcategory:char! typispreferred:bool! typisdefined:bool! typdelim:char! typrelid:oid!
  typsubscript:regproc! typelem:oid! typarray:oid! typinput:regproc! typoutput:regproc! typreceive:regproc!
  typsend:regproc! typmodin:regproc! typmodout:regproc! typanalyze:regproc! typalign:char! typstorage:char!
  typnotnull:bool! typbasetype:oid! typtypmod:int4! typndims:int4! typcollation:oid!
  typdefaultbin:pg_node_tree typdefault:text typacl:aclitem[]
pg_user 12014 v
  usename:name usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool passwd:text
  valuntil:timestamptz useconfig:text[]
pg_user_mapping 1418 r
  oid:oid! umuser:oid! umserver:oid! umoptions:text[]
pg_user_mappings 12338 v
  umid:oid srvid:oid srvname:name umuser:oid usename:name umoptions:text[]
pg_views 12028 v
  schemaname:name viewname:name viewowner:name definition:text
pg_wait_events 12351 v
  type:text name:text description:text
`;
