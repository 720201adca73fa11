/** Rules on plans as the binder makes them: what each finds, and that a settled plan stays as it is. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { applyEdit, emptyCatalog } from '../catalog/edit/edit.ts';
import type { Catalog } from '../catalog/model.ts';
import { explainPlan } from '../physical/explain/explain.ts';
import { physicalPlan } from '../physical/make.ts';
import type { Plan } from '../plan/plan.ts';
import { bindStatement } from '../sql/bind/bind.ts';
import { loadParser, parseStatements } from '../sql/parse/parse.ts';
import { DEFAULT_SETTINGS } from '../types/settings.ts';
import { optimize, RULES } from './optimize.ts';

let catalog: Catalog = emptyCatalog();

function bind(text: string) {
  const [parsed] = parseStatements(text);
  if (parsed === undefined) throw new Error('no statement');
  return bindStatement(parsed.statement, {
    catalog,
    searchPath: ['public'],
    parameterTypes: [],
    settings: DEFAULT_SETTINGS,
  });
}

beforeAll(async () => {
  await loadParser();
  for (const text of [
    'CREATE TABLE t (id int PRIMARY KEY, v text, f float8)',
    'CREATE TABLE u (a int, b text)',
    `CREATE TABLE films (_id text, title text INDEX keyword_index(),
       plot text INDEX semantic_index(model => 'hash'),
       emb vector(3) INDEX vector_index(metric => 'cosine'))`,
  ]) {
    const bound = bind(text);
    if (bound.kind === 'catalog') catalog = bound.edits.reduce(applyEdit, catalog);
  }
});

const context = (disabled: readonly string[] = []) => ({
  catalog,
  statistics: () => ({ rows: 1000 }),
  estimates: new WeakMap<Plan, number>(),
  disabled: new Set(disabled),
});

function planOf(text: string): Plan {
  const bound = bind(text);
  if (bound.kind !== 'plan') throw new Error('not a plan');
  return bound.plan;
}

function lines(text: string): string[] {
  const plan = physicalPlan(optimize(planOf(text), context()), context());
  return explainPlan(plan, { catalog, statistics: null, verbose: false }).map((line) => line.trim());
}

/** Relation u has a million rows, t a thousand. */
function linesOfSizes(text: string): string[] {
  const large = [...catalog.relations.values()].find(({ name }) => name === 'u')?.oid;
  const statistics = (relation: number) => ({ rows: relation === large ? 1_000_000 : 1_000 });
  const plan = physicalPlan(optimize(planOf(text), { ...context(), statistics }), context());
  return explainPlan(plan, { catalog, statistics: null, verbose: false }).map((line) => line.trim());
}

test('a hash table is made of the smaller side', () => {
  const tables = (text: string) => linesOfSizes(text).filter((line) => /Join|Scan/.test(line));
  const wanted = (join: string) => [join, '->  Seq Scan on u', '->  Seq Scan on t'];
  expect(tables('SELECT v, b FROM t JOIN u ON t.id = u.a')).toEqual(wanted('Hash Join'));
  expect(tables('SELECT v, b FROM u JOIN t ON t.id = u.a')).toEqual(wanted('Hash Join'));
  expect(tables('SELECT v, b FROM t LEFT JOIN u ON t.id = u.a')).toEqual(wanted('Hash Right Join'));
});

describe('join order', () => {
  /** Scans from the top of the plan: the side that is looked up first, then the hash table. */
  const scans = (text: string) =>
    linesOfSizes(text).flatMap(
      (line) => /Seq Scan on (\w+)/.exec(line)?.[1] ?? /Index Scan using (\w+)/.exec(line)?.[1] ?? [],
    );

  it('joins first what leaves few rows', () => {
    const text = `SELECT 1 FROM u big, u other, t WHERE big.a = other.a AND other.a = t.id AND t.f = 1`;
    expect(scans(text)).toEqual(['u', 'u', 't']);
    expect(linesOfSizes(text).filter((line) => line.includes('Nested'))).toEqual([]);
  });

  it('does not multiply relations that a third connects', () => {
    const text = `SELECT 1 FROM t first, t second, u WHERE first.id = u.a AND second.id = u.a`;
    expect(linesOfSizes(text).filter((line) => line.includes('Nested'))).toEqual([]);
  });

  it('settles with more relations than are tried out exactly', () => {
    const names = Array.from({ length: 12 }, (_, i) => `t${i}`);
    const conditions = names.slice(1).map((name, i) => `${name}.id = t${i}.id`);
    const text = `SELECT 1 FROM ${names.map((name) => `t ${name}`).join(', ')} WHERE ${conditions.join(' AND ')}`;
    const once = optimize(planOf(text), context());
    expect(optimize(once, context())).toBe(once);
    expect(lines(text).filter((line) => line.includes('Nested'))).toEqual([]);
  });
});

describe('rules', () => {
  it.each([
    ['SELECT v FROM t WHERE id = 1', ['Index Scan using t_pkey on t', 'Index Cond: (id = 1)']],
    ['SELECT v FROM t WHERE 1 = 2', ['Result']],
    ['SELECT v FROM t WHERE id > 1 + 2', ['Seq Scan on t', 'Filter: (id > 3)']],
    [
      'SELECT 1 FROM t, u WHERE t.id = u.a AND t.f > 2',
      ['Hash Join', 'Hash Cond: (id = a)', '->  Seq Scan on t', 'Filter: (f > 2)', '->  Seq Scan on u'],
    ],
    [
      'SELECT b FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.id = u.a)',
      ['Hash Semi Join', 'Hash Cond: (a = id)', '->  Seq Scan on u', '->  Seq Scan on t'],
    ],
    [
      'SELECT b FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.id = u.a)',
      ['Hash Anti Join', 'Hash Cond: (a = id)', '->  Seq Scan on u', '->  Seq Scan on t'],
    ],
    ['SELECT v FROM t ORDER BY f LIMIT 3', ['Limit', '->  Top-N Sort', 'Sort Key: f', '->  Seq Scan on t']],
    [
      'SELECT 1 FROM t, u WHERE (t.id = u.a AND f > 2) OR (t.id = u.a AND f < 1)',
      [
        'Hash Join',
        'Hash Cond: (id = a)',
        '->  Seq Scan on t',
        'Filter: ((f > 2) OR (f < 1))',
        '->  Seq Scan on u',
      ],
    ],
    [
      'SELECT 1 FROM t LEFT JOIN u ON t.id = u.a WHERE u.b = $1',
      ['Hash Join', 'Hash Cond: (id = a)', '->  Seq Scan on t', '->  Seq Scan on u', 'Filter: (b = $1)'],
    ],
    [
      'SELECT 1 FROM t WHERE f > (SELECT avg(a) FROM u WHERE u.a = t.id)',
      [
        'Hash Join',
        'Hash Cond: (id = key1)',
        'Join Filter: (f > ("avg(int4)")::double precision)',
        '->  Seq Scan on t',
        '->  HashAggregate',
        'Group Key: a',
        '->  Seq Scan on u',
      ],
    ],
  ])('%s', (text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  it('keep a count of nothing at 0', () => {
    const found = lines('SELECT 1 FROM t WHERE 0 = (SELECT count(*) FROM u WHERE u.a = t.id)');
    expect(found.some((line) => /Filter: .*COALESCE\(/.test(line))).toBe(true);
    expect(found.some((line) => line.includes('Hash Left Join'))).toBe(true);
  });

  it('run a subquery for every row where its aggregate could fail', () => {
    const found = lines('SELECT 1 FROM t WHERE f > (SELECT sum(1 / a) FROM u WHERE u.a = t.id)');
    expect(found).toContain('SubPlan 1');
  });

  it('ask vector indexes for the best rows', () => {
    for (const order of ["emb <=> '[1,2,3]'", "semantic_similarity(plot, 'x') DESC"]) {
      const found = lines(`SELECT _id FROM films ORDER BY ${order} LIMIT 5`);
      expect(
        found.some((line) => line.startsWith('->  Vector Search using films_')),
        found.join('\n'),
      ).toBe(true);
    }
  });

  it('read only columns that are used', () => {
    const plan = optimize(planOf('SELECT count(f) FROM t WHERE id > 3'), context());
    let scan = plan;
    while ('input' in scan) scan = scan.input;
    expect(scan.output.map((column) => column.name)).toEqual(['id', 'f']);
  });
});

describe('the optimizer', () => {
  it('gives back a plan that it cannot improve', () => {
    const once = optimize(
      planOf('SELECT t.v, u.b FROM t JOIN u ON t.id = u.a ORDER BY 1 LIMIT 2'),
      context(),
    );
    expect(optimize(once, context())).toBe(once);
  });

  it('does nothing when every rule is off', () => {
    const plan = planOf('SELECT v FROM t WHERE id = 1');
    expect(optimize(plan, context(RULES.map((rule) => rule.name)))).toBe(plan);
    expect(optimize(plan, context(['all']))).toBe(plan);
  });
});
