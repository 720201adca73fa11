/** The parts of the query page that need no browser: plans, parameters, histograms. */
import { describe, expect, it } from 'vitest';
import { histogram } from './results/histogram.ts';
import { parameterCount, parameterValue } from './parameters.ts';
import { canRunAgain } from './results/run-again.ts';
import { planTree } from './results/plan.ts';
import { asCsv, asJson, asJsonLines, asMarkdown, columnKeys } from './results/written.ts';

describe('plans', () => {
  const plan = {
    Plan: {
      'Node Type': 'Sort',
      'Plan Rows': 100,
      'Actual Rows': 4,
      'Actual Loops': 1,
      'Actual Total Time': 10,
      'Total Cost': 50,
      Plans: [
        {
          'Node Type': 'Index Scan',
          'Relation Name': 'films',
          'Index Name': 'films_pkey',
          'Plan Rows': 4,
          'Actual Rows': 4,
          'Actual Loops': 2,
          'Actual Total Time': 4,
          Strategy: 'filtered graph',
          'Peak Memory Usage': 3,
          Searches: [{ Strategy: 'graph', Candidates: 9, Compared: 40, Rescored: 9, Time: 0.5 }],
          'Estimated Selectivity': 0.3,
          Selectivity: 0.25,
        },
      ],
    },
    'Planning Time': 1.5,
    'Execution Time': 10.2,
  };

  it('know what each node costs by itself, in all its loops', () => {
    const tree = planTree([plan]);
    expect(tree?.root.share).toBeCloseTo(0.2);
    const [child] = tree?.root.children ?? [];
    expect(child).toMatchObject({ name: 'Index Scan', about: 'films_pkey on films', ms: 8, share: 0.8 });
    expect(child?.facts).toEqual([['Strategy', 'filtered graph']]);
    expect(child).toMatchObject({
      memoryBytes: 3_072,
      searches: [{ strategy: 'graph', candidates: 9, compared: 40, rescored: 9, ms: 0.5 }],
      selectivity: { expected: 0.3, met: 0.25 },
    });
    expect(tree).toMatchObject({ planningMs: 1.5, executionMs: 10.2 });
  });

  it('are read from text too, and nothing else is one', () => {
    expect(planTree(JSON.stringify([plan]))?.root.name).toBe('Sort');
    expect(planTree([])).toBeNull();
    expect(planTree({ a: 1 })).toBeNull();
  });
});

describe('parameters', () => {
  it('are counted outside of texts, names, comments and dollar quotes', () => {
    expect(parameterCount('select $1, $3')).toBe(3);
    expect(parameterCount(`select '$1', "$2", $$ $3 $$, $a$ $4 $a$ -- $5\n /* $6 */`)).toBe(0);
    expect(parameterCount(`select 'it''s $1' || $2`)).toBe(2);
  });

  it('are NULL where nothing is typed, JSON where it is JSON', () => {
    expect(parameterValue('')).toBeNull();
    expect(parameterValue('42')).toBe('42');
    expect(parameterValue('[1, 2]')).toEqual([1, 2]);
    expect(parameterValue('{broken')).toBe('{broken');
  });
});

describe('histograms', () => {
  it('count every number once, in bins of a round width', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => Math.sin(i) * 50);
    const bins = histogram(values);
    expect(bins.reduce((sum, { size }) => sum + size, 0)).toBe(1_000);
    expect(bins.length).toBeGreaterThan(5);
    expect(bins.length).toBeLessThanOrEqual(62);
  });

  it('have one bin for one number, and none for none', () => {
    expect(histogram([3, 3, 3])).toEqual([{ label: '3', size: 3 }]);
    expect(histogram([])).toEqual([]);
  });
});

describe('rows that are written', () => {
  const columns = [
    { name: 'a', type: 'bigint' },
    { name: 'a', type: 'text' },
    { name: 'a_2', type: 'numeric[]' },
  ];
  const rows = [
    ['9007199254740993', 'x,"y"\n', ['1.50']],
    [null, '', null],
  ];

  it('keep each value, whatever its column is called, and each digit', () => {
    expect(columnKeys(columns)).toEqual(['a', 'a_2', 'a_2_2']);
    expect(asJsonLines(columns, rows)).toBe(
      '{"a":9007199254740993,"a_2":"x,\\"y\\"\\n","a_2_2":["1.50"]}\n{"a":null,"a_2":"","a_2_2":null}\n',
    );
    expect(JSON.parse(asJson(columns, rows))).toHaveLength(2);
    expect(asJsonLines([{ name: 'n', type: 'numeric' }], [['NaN']])).toBe('{"n":"NaN"}\n');
  });

  it('are CSV as COPY has it: NULL is nothing, an empty text is quoted', () => {
    expect(asCsv(columns, rows)).toBe('a,a,a_2\n9007199254740993,"x,""y""\n","[""1.50""]"\n,"",\n');
  });

  it('are text in Markdown, whatever they say', () => {
    const table = asMarkdown([{ name: 'a|b', type: 'text' }], [['*x* | <b>\ny']]);
    expect(table).toBe('| a\\|b |\n| --- |\n| \\*x\\* \\| \\<b\\> y |\n');
  });

  it('are those of a second run where the statement may be a query', () => {
    for (const sql of ['SELECT 1', ' -- x\n with a as (select 1) table a', '/* a */ VALUES (1)', 'table t'])
      expect(canRunAgain(sql), sql).toBe(true);
    for (const sql of ['INSERT INTO t SELECT 1', 'EXPLAIN SELECT 1', '-- select 1', 'selected'])
      expect(canRunAgain(sql), sql).toBe(false);
  });
});
