-- What a database holds, as text: the same in Quern and PostgreSQL. Schemas that users made, and public.
SET search_path = '';
SET timezone = 'UTC';
SELECT nspname, obj_description(oid, 'pg_namespace') FROM pg_catalog.pg_namespace
  WHERE nspname IN ('app', 'Odd Name', 'public') ORDER BY 1;
SELECT c.oid::regclass, c.relkind, c.relispopulated, c.reloptions, obj_description(c.oid, 'pg_class')
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE nspname IN ('app', 'Odd Name', 'public') ORDER BY c.oid::regclass::text COLLATE "C";
SELECT c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
    pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE nspname IN ('app', 'Odd Name', 'public') AND c.relkind IN ('r', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.oid::regclass::text COLLATE "C", a.attnum;
SELECT conrelid::regclass, conname, pg_get_constraintdef(c.oid), obj_description(c.oid, 'pg_constraint')
  FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
  WHERE contype <> 'n' AND nspname IN ('app', 'Odd Name', 'public') ORDER BY conrelid::regclass::text COLLATE "C", conname COLLATE "C";
SELECT pg_get_indexdef(c.oid) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE relkind = 'i' AND nspname IN ('app', 'Odd Name', 'public') ORDER BY relname COLLATE "C";
SELECT c.oid::regclass, pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE relkind IN ('v', 'm') AND nspname IN ('app', 'Odd Name', 'public') ORDER BY relname COLLATE "C";
SELECT regexp_replace(pg_get_functiondef(p.oid), '\s+', ' ', 'g'), obj_description(p.oid, 'pg_proc')
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE nspname IN ('app', 'Odd Name') ORDER BY proname COLLATE "C";
SELECT t.oid::regtype, array_agg(enumlabel ORDER BY enumsortorder), obj_description(t.oid, 'pg_type')
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_enum e ON e.enumtypid = t.oid GROUP BY t.oid;
SELECT schemaname, sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size, last_value
  FROM pg_catalog.pg_sequences ORDER BY schemaname, sequencename;
SELECT pg_get_serial_sequence('app.zones', 'id'), pg_get_serial_sequence('app.accounts', 'id'), pg_get_serial_sequence('app.accounts', 'other');
SELECT * FROM app.zones ORDER BY id;
SELECT * FROM app.accounts ORDER BY id;
SELECT * FROM app.links ORDER BY from_id;
SELECT * FROM app.aaa_child ORDER BY id;
SELECT * FROM app.items ORDER BY id;
SELECT * FROM "Odd Name"."Table" ORDER BY "Id";
SELECT * FROM public.plain ORDER BY a;
SELECT * FROM app.all_feelings ORDER BY id;
SELECT * FROM app.a_first ORDER BY feeling;
SELECT * FROM app.totals ORDER BY zone;
SELECT * FROM app.a_totals;
SELECT app.a_count(), count(*) FROM app.accounts_of(1);
