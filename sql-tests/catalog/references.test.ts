/**
 * Every OID that a system relation holds is one of something that is there: what pg_dump and other tools join
 * without looking back. Which columns refer to what is PostgreSQL's own list, as its regression test oidjoins.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INDEX_KINDS } from '../../src/catalog/index-kinds.ts';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';
import { connectTarget, type Target } from '../runner/target.ts';

interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  readonly of: string;
  readonly keys: readonly string[];
  readonly array: boolean;
  readonly optional: boolean;
}

function splitColumns(written: string): readonly [string, readonly string[]] {
  const [table = '', columns = ''] = written.split('.');
  return [table, columns.split(',')];
}

const REFERENCES: readonly Reference[] = readFileSync(join(import.meta.dirname, 'references.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [from = '', to = '', ...words] = line.split(' ');
    const [table, columns] = splitColumns(from);
    const [of, keys] = splitColumns(to);
    return { table, columns, of, keys, array: words.includes('array'), optional: words.includes('or') };
  });

/** There are no multiranges. */
const NOTHING_THERE = new Set(['pg_range.rngmultitypid']);

/** Rows of the table that name what is not there. */
function dangling({ table, columns, of, keys, array, optional }: Reference): string {
  const last = columns.at(-1) ?? '';
  const shared = columns.slice(0, -1).map((column) => `f.${column} AS k_${column}`);
  const value = array ? `unnest(f.${last})` : `f.${last}`;
  const inner = `SELECT ${[...shared, `${value} AS k_${last}`].join(', ')} FROM pg_catalog.${table} f`;
  const same = keys.map((key, i) => `p.${key} = x.k_${columns[i]}`).join(' AND ');
  const none = optional || array ? ` AND x.k_${last} <> 0` : '';
  return `SELECT x.k_${last}, count(*) FROM (${inner}) x
    WHERE x.k_${last} IS NOT NULL${none} AND NOT EXISTS (SELECT FROM pg_catalog.${of} p WHERE ${same})
    GROUP BY 1 LIMIT 5`;
}

/** A table with an index by every access method. */
function indexesOfEachKind(): readonly string[] {
  return Object.values(INDEX_KINDS).flatMap(({ methods, types, options }) =>
    Object.keys(methods).flatMap((method) => {
      const type = types === 'any' ? 'text' : (types[0] ?? 'text');
      const size = type === 'vector' || type === 'f32_matrix' ? '(3)' : '';
      const model = 'model' in options ? " WITH (model = 'hash')" : '';
      return [
        `CREATE TABLE by_${method} (id int PRIMARY KEY, indexed ${type}${size})`,
        `CREATE INDEX ON by_${method} USING ${method} (indexed)${model}`,
      ];
    }),
  );
}

describe('references of the catalog', () => {
  let server: InProcessServer;
  let target: Target;

  beforeAll(async () => {
    server = await startInProcess('memory');
    target = await connectTarget(server.address);
    const schema = readFileSync(join(import.meta.dirname, '../dump/schema.sql'), 'utf8');
    await target.run(schema);
    await target.run('CREATE TABLE books (_id text PRIMARY KEY, title text INDEX keyword_index())');
    for (const sql of indexesOfEachKind()) await target.run(sql);
    await target.run('CREATE TEMPORARY TABLE passing (id serial PRIMARY KEY)');
    await target.run('ALTER TABLE app.accounts DROP COLUMN raw');
  });

  afterAll(async () => {
    await target?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('has all that PostgreSQL refers to', () => expect(REFERENCES.length).toBe(219));

  it.each(REFERENCES.map((reference) => [`${reference.table}.${reference.columns}`, reference] as const))(
    '%s',
    async (name, reference) => {
      const found = NOTHING_THERE.has(name) ? [] : await target.run(dangling(reference));
      expect(found).toEqual([]);
    },
  );

  it.each([
    ['pg_depend', 'classid', 'objid'],
    ['pg_depend', 'refclassid', 'refobjid'],
    ['pg_description', 'classoid', 'objoid'],
  ])('%s.%s with %s', async (table, classes, objects) => {
    const kinds = await target.run(`SELECT DISTINCT ${classes}, ${classes}::regclass::text FROM ${table}`);
    expect(kinds.length).toBeGreaterThan(2);
    for (const [oid, name] of kinds) {
      const query = `SELECT ${objects} FROM ${table} d WHERE ${classes} = ${oid}
        AND NOT EXISTS (SELECT FROM ${name} o WHERE o.oid = d.${objects}) LIMIT 5`;
      expect([name, await target.run(query)]).toEqual([name, []]);
    }
  });
});
