/** Questions over made statements: no number is wrong, and what is clear is given; faults in cells are found. */
import { describe, expect, it } from 'vitest';
import type { ChunkCells } from '../../src/ask/cells/row.ts';
import { answered, type Fault } from './answered.ts';
import { madeCase } from './made-question.ts';

const CASES = 420;
/** The least share of what is clear. */
const GIVEN_MIN = 0.95;

/** @param fault where one is planted, the first wrong answer is enough. */
async function judgedCases(from: number, fault: Fault | null) {
  const wrong: string[] = [];
  const missed: string[] = [];
  let given = 0;
  for (let seed = from; seed < from + CASES && (fault === null || wrong.length === 0); seed++) {
    const made = madeCase(seed);
    const { outcome, text } = await answered(made, fault);
    if (outcome === 'right') given++;
    const told = `${seed} ${made.style} ${made.kind}: ${made.question} ${made.answer}, not ${text}`;
    if (outcome === 'wrong') wrong.push(told);
    if (outcome === 'not given') missed.push(told);
  }
  return { wrong, missed, share: given / (given + missed.length) };
}

const eachCell =
  (change: (cell: ChunkCells['cells'][number]) => ChunkCells['cells'][number]): Fault =>
  ({ cells, tables }) => ({ cells: cells.map(change), tables });

describe('questions over made statements', () => {
  it('are answered rightly or not at all', async () => {
    const { wrong, missed, share } = await judgedCases(
      Number(process.env.QUERN_PROPERTY_SEED ?? 1) % 1_000_000,
      null,
    );
    expect(wrong).toEqual([]);
    expect(share, missed.slice(0, 5).join('\n')).toBeGreaterThanOrEqual(GIVEN_MIN);
  });

  const FAULTS: readonly (readonly [string, Fault])[] = [
    [
      'a sign that is dropped',
      eachCell((cell) => ({ ...cell, number: cell.number?.replace('-', '') ?? null })),
    ],
    ['a scale that is ignored', eachCell((cell) => ({ ...cell, power: cell.number === null ? null : 0 }))],
    [
      'a mark that is taken for the other',
      eachCell((cell) => ({ ...cell, number: cell.number?.replace(/(?<=\d)(?=\d{3}$)/, '.') ?? null })),
    ],
    [
      'a scope that is lost',
      ({ cells, tables }) => ({
        cells,
        tables: new Map([...tables].map(([id, names]) => [id, { ...names, scope: null }])),
      }),
    ],
    [
      'a period that is called by its year',
      eachCell((cell) => ({ ...cell, period: cell.year === null ? null : String(cell.year) })),
    ],
    ['a currency that is lost', eachCell((cell) => ({ ...cell, unit: null }))],
  ];
  it.each(FAULTS)('find %s', async (name, fault) => {
    const { wrong } = await judgedCases(1, fault);
    expect(wrong.length, name).toBeGreaterThan(0);
  });
});
