/** Names that the editor completes: relations with their columns, and functions with what they do, from the catalog. */
import { useMemo } from 'react';
import { useRows } from '../../server/use-rows.ts';
import type { Completion, SQLNamespace } from './editor.tsx';

const COLUMNS = `SELECT n.nspname AS schema, c.relname AS relation,
    array_agg(a.attname::text ORDER BY a.attnum) AS columns,
    array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum) AS types
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
  WHERE c.relkind IN ('r', 'v', 'm', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
  GROUP BY 1, 2`;

const FUNCTIONS = `SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS args,
    pg_get_function_result(p.oid) AS result, obj_description(p.oid, 'pg_proc') AS summary
  FROM pg_catalog.pg_proc p WHERE p.prokind <> 'p' ORDER BY 1`;

interface Columns {
  readonly schema: string;
  readonly relation: string;
  readonly columns: readonly string[];
  readonly types: readonly string[];
}

interface Described {
  readonly name: string;
  readonly args: string;
  readonly result: string | null;
  readonly summary: string | null;
}

const isPlain = (name: string): boolean => /^[a-z_][a-z0-9_$]*$/.test(name);

const quoted = (name: string): string => (isPlain(name) ? name : `"${name.replaceAll('"', '""')}"`);

const completion = (name: string, more: Omit<Completion, 'label'>): Completion => ({
  label: name,
  ...(isPlain(name) ? {} : { apply: quoted(name) }),
  ...more,
});

function namespaceOf(columns: readonly Columns[], functions: readonly Described[]): SQLNamespace {
  // Relations may be called `__proto__` or `constructor`.
  const schemas: Record<string, Record<string, SQLNamespace>> = Object.create(null);
  const inSight: Record<string, SQLNamespace> = Object.create(null);
  for (const { schema, relation, columns: names, types } of columns) {
    const self = completion(relation, { type: 'class', detail: schema === 'public' ? '' : schema });
    const children = names.map((name, i) => completion(name, { type: 'property', detail: types[i] ?? '' }));
    const entry: SQLNamespace = { self, children };
    schemas[schema] = { ...schemas[schema], [relation]: entry };
    if (schema === 'public') inSight[relation] = entry;
  }
  const overloads = new Map<string, Described[]>();
  for (const one of functions) {
    if (isPlain(one.name)) overloads.set(one.name, [...(overloads.get(one.name) ?? []), one]);
  }
  for (const [name, all] of overloads) {
    if (name in inSight) continue;
    const lines = all
      .slice(0, 6)
      .map(({ args, result }) => `${name}(${args})${result === null ? '' : ` → ${result}`}`);
    const summary = all.find((one) => one.summary !== null)?.summary;
    const info = [...lines, ...(summary == null ? [] : ['', summary])].join('\n');
    inSight[name] = {
      self: { label: name, type: 'function', apply: `${name}(`, info, boost: -1 },
      children: [],
    };
  }
  return { ...schemas, ...inSight };
}

export function useCompletion(): SQLNamespace {
  const columns = useRows<Columns>(COLUMNS);
  const functions = useRows<Described>(FUNCTIONS);
  return useMemo(
    () => namespaceOf(columns.value ?? [], functions.value ?? []),
    [columns.value, functions.value],
  );
}
