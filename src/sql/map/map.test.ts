/** Mapping of expressions, queries and session statements to our own tree. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadParser, parseExpression, parseStatements } from '../parse/parse.ts';

beforeAll(loadParser);

const statement = (text: string): unknown => parseStatements(text)[0]?.statement;

describe('expressions', () => {
  it.each([
    ['0', { kind: 'integer', text: '0' }],
    ['-3', { kind: 'integer', text: '-3' }],
    ['9223372036854775808', { kind: 'integer', text: '9223372036854775808' }],
    ['1.10', { kind: 'decimal', text: '1.10' }],
    ['false', { kind: 'boolean', value: false }],
    ['null', { kind: 'null' }],
    ['$2', { kind: 'parameter', number: 2 }],
    ['t.*', { kind: 'star', path: ['t'] }],
    ["B'101'", { kind: 'bits', value: 'b101' }],
    ['a <=> b', { kind: 'operator', operator: '<=>' }],
    ['a operator(pg_catalog.+) b', { kind: 'operator', schema: 'pg_catalog', operator: '+' }],
    ['not a', { kind: 'not' }],
    ['a is not distinct from b', { kind: 'distinct', negated: true }],
    ['a is not null', { kind: 'is', test: 'null', negated: true }],
    ['a is unknown', { kind: 'is', test: 'unknown', negated: false }],
    ["a not like 'x' escape '!'", { kind: 'like', operator: 'like', negated: true, escape: { value: '!' } }],
    ["a similar to 'x'", { kind: 'like', operator: 'similar', escape: null, pattern: { value: 'x' } }],
    ['a not between symmetric 1 and 2', { kind: 'between', negated: true, symmetric: true }],
    ['a not in (1, 2)', { kind: 'in', negated: true, items: [{}, {}] }],
    ['a = any ($1)', { kind: 'quantified', operator: '=', quantifier: 'any' }],
    ['a in (select 1)', { kind: 'subquery', form: 'any', operator: '=', test: { path: ['a'] } }],
    ['exists (select 1)', { kind: 'subquery', form: 'exists', operator: null }],
    ['a < all (select 1)', { kind: 'subquery', form: 'all', operator: '<' }],
    ['array(select 1)', { kind: 'subquery', form: 'array' }],
    ['x::numeric(10,2)[]', { kind: 'cast', type: { modifiers: [10, 2], dimensions: 1 } }],
    ['a[1]', { kind: 'subscript', slice: false, lower: { text: '1' }, upper: null }],
    ['a[:2]', { kind: 'subscript', slice: true, lower: null, upper: { text: '2' } }],
    ['(a).b.*', { kind: 'field', field: '*', input: { kind: 'field', field: 'b' } }],
    ['nullif(a, b)', { kind: 'nullif', left: { path: ['a'] }, right: { path: ['b'] } }],
    ['current_timestamp(3)', { kind: 'special', name: 'current_timestamp', precision: 3 }],
    ['count(*) filter (where a)', { kind: 'function', star: true, filter: { path: ['a'] } }],
    ["f(a, b => 'x')", { kind: 'function', args: [{ name: null }, { name: 'b' }] }],
    [
      'sum(a) over (w partition by b rows between 1 preceding and current row exclude ties)',
      {
        over: {
          name: 'w',
          frame: {
            mode: 'rows',
            start: { kind: 'preceding' },
            end: { kind: 'current row' },
            exclude: 'ties',
          },
        },
      },
    ],
  ])('%s', (text, expected) => {
    expect(parseExpression(text)).toMatchObject(expected);
  });
});

describe('queries', () => {
  it('nest set operations as written', () => {
    expect(statement('select 1 union select 2 limit 3')).toMatchObject({
      query: { kind: 'set', limit: { text: '3' } },
    });
    expect(statement('select 1 union (select 2 limit 3)')).toMatchObject({
      query: { limit: null, rest: [{ query: { limit: { text: '3' } } }] },
    });
    expect(statement('select 1 union select 2 except all (select 3 union select 4)')).toMatchObject({
      query: {
        first: { kind: 'select' },
        rest: [
          { operation: 'union', all: false, query: { kind: 'select' } },
          { operation: 'except', all: true, query: { kind: 'set' } },
        ],
      },
    });
    expect(statement('(select 1 union select 2 limit 1) union select 3')).toMatchObject({
      query: { limit: null, first: { kind: 'set', limit: { text: '1' } }, rest: [{}] },
    });
  });

  it('tell cross joins, USING and NATURAL apart', () => {
    expect(statement('select 1 from a cross join b left join c using (x) natural full join d')).toMatchObject(
      {
        query: {
          from: [
            {
              join: 'full',
              natural: true,
              left: { join: 'left', using: ['x'], left: { join: 'cross', on: null } },
            },
          ],
        },
      },
    );
  });

  it('have functions, ordinality and lateral subqueries in FROM', () => {
    expect(
      statement('select 1 from f(1) with ordinality as g(a), lateral (select 2) x, f() as y(b int)'),
    ).toMatchObject({
      query: {
        from: [
          { kind: 'function', ordinality: true, alias: { name: 'g', columns: ['a'] } },
          { kind: 'query', lateral: true },
          { kind: 'function', definitions: [[{ name: 'b', type: { names: ['pg_catalog', 'int4'] } }]] },
        ],
      },
    });
  });

  it('group by sets, sort and lock', () => {
    const text =
      'select distinct on (a) 1 group by rollup (a, (b, c)), () order by a desc nulls last, b using < for share nowait';
    expect(statement(text)).toMatchObject({
      query: {
        distinct: { on: [{}] },
        group: [
          { kind: 'rollup', items: [{}, { kind: 'list' }] },
          { kind: 'list', values: [] },
        ],
        order: [
          { descending: true, nullsFirst: false },
          { using: '<', nullsFirst: null },
        ],
        locking: [{ strength: 'share', wait: 'nowait' }],
      },
    });
  });
});

describe('statements', () => {
  it.each([
    [
      'begin isolation level serializable read only',
      { action: 'begin', isolation: 'serializable', readOnly: true },
    ],
    ['set transaction read write', { kind: 'transaction', action: 'set', readOnly: false, session: false }],
    ['rollback to x', { action: 'rollback to', savepoint: 'x' }],
    ['set local a.b to x, 3', { kind: 'set', name: 'a.b', values: ['x', '3'], local: true }],
    ['reset all', { kind: 'set', name: 'all', values: null }],
    ["set time zone 'UTC'", { kind: 'set', name: 'timezone', values: ['UTC'] }],
    ['fetch backward all in c', { kind: 'fetch', direction: 'backward', count: 'all' }],
    ['move 3 c', { kind: 'fetch', count: 3, move: true }],
    ['declare c binary scroll cursor with hold for select 1', { binary: true, scroll: true, hold: true }],
    [
      'explain (analyze, costs off, format json) select 1',
      { analyze: true, format: 'json', options: { costs: 'off' } },
    ],
    [
      'copy t (a) from stdin csv header',
      { direction: 'from', source: 'stdin', options: { format: 'csv', header: 'true' } },
    ],
    [
      'drop table if exists a.b cascade',
      { object: 'table', ifExists: true, cascade: true, names: [{ schema: 'a', name: 'b' }] },
    ],
    ['comment on column s.t.c is null', { object: 'column', name: ['s', 't', 'c'], text: null }],
    ['deallocate all', { kind: 'deallocate', name: null }],
    [
      'update t set (a, b) = (select 1, 2), c = default',
      { set: [{ columns: ['a', 'b'] }, { value: { kind: 'default' } }] },
    ],
    [
      'insert into t (a) values (1) on conflict (a) do update set a = excluded.a returning *',
      { conflict: { target: { elements: ['a'] }, set: [{}] }, returning: [{ value: { kind: 'star' } }] },
    ],
    [
      'create index concurrently i on t using hnsw (v vector_cosine_ops) with (m = 16)',
      {
        method: 'hnsw',
        columns: [{ operatorClass: 'vector_cosine_ops' }],
        options: [{ name: 'm', value: '16' }],
      },
    ],
  ])('%s', (text, expected) => {
    expect(statement(text)).toMatchObject(expected);
  });
});
