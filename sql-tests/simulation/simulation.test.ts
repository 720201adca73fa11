/**
 * Some hundreds of interleavings of the engine's clients break no law, and faults planted in the engine are
 * found. Ten thousand run in `./scripts/bench simulation`. A seed that failed runs again, step by step, by
 * `node sql-tests/simulation/main.ts --from SEED --count 1 --trace`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAULTS, plant } from './faults.ts';
import { gateAwaits } from './gated-source.ts';
import { QUEUE_FAULTS } from './queue/faults.ts';
import { inTurns, runSimulations } from './simulations.ts';
import { sliced } from '../slow-tests.ts';

const SEEDS = 300;
const SEEDS_A_PROCESS = 30;
const RANGES = Array.from({ length: SEEDS / SEEDS_A_PROCESS }, (_, i) => 1 + i * SEEDS_A_PROCESS);
const FAULT_SEEDS_MAX = 3_000;
const QUEUE_SEEDS_MAX = 2_000;

describe('simulation', () => {
  test(`${SEEDS} interleavings break no law`, async () => {
    const ranges = sliced(import.meta, RANGES, `${SEEDS_A_PROCESS} interleavings`);
    const reports = await inTurns(ranges, 2, (from) => runSimulations({ from, count: SEEDS_A_PROCESS }));
    expect(reports.flatMap(({ lines }) => lines)).toEqual([]);
    expect(reports.map(({ runs }) => runs)).toEqual(ranges.map(() => SEEDS_A_PROCESS));
  });

  test('a seed has one schedule', async () => {
    const [once, again] = await Promise.all(
      [1, 2].map(() => runSimulations({ from: 20, count: 3, trace: true })),
    );
    expect(again).toEqual(once);
    expect(once?.steps).toBeGreaterThan(500);
  });

  test.each([...FAULTS, ...QUEUE_FAULTS])('a fault has its place: $name', (fault) => {
    const source = readFileSync(join(import.meta.dirname, '../..', fault.file), 'utf8');
    expect(plant(fault, source)).not.toBe(source);
  });

  test('planted faults are found', async () => {
    const faults = sliced(import.meta, FAULTS, 'planted faults');
    const found = await inTurns(faults, 2, ({ name }) =>
      runSimulations({ from: 1, count: FAULT_SEEDS_MAX, fault: name }),
    );
    expect(FAULTS.length).toBeGreaterThanOrEqual(10);
    const missed = faults.filter((_, i) => found[i]?.violations !== 1);
    expect(missed.map(({ name }) => name)).toEqual([]);
  });
});

describe('lanes of a durable queue', () => {
  test(`${SEEDS} interleavings break no law`, async () => {
    const { lines, runs } = await runSimulations({ of: 'queue', from: 1, count: SEEDS });
    expect([lines, runs]).toEqual([[], SEEDS]);
  });

  test('planted faults are found', async () => {
    const found = await inTurns(QUEUE_FAULTS, 2, ({ name }) =>
      runSimulations({ of: 'queue', from: 1, count: QUEUE_SEEDS_MAX, fault: name }),
    );
    const missed = QUEUE_FAULTS.filter((_, i) => found[i]?.violations !== 1);
    expect(missed.map(({ name }) => name)).toEqual([]);
  });
});

describe('gates', () => {
  test.each([
    ['const a = await b;', "const a = await globalThis.gate(b, 'f:1');"],
    ['await this.#a.b(c, ")")[0]?.d(e);', `await globalThis.gate(this.#a.b(c, ")")[0]?.d(e), 'f:1');`],
    ['// await a\nawait (b ?? c).d + e;', "// await a\nawait globalThis.gate((b ?? c).d, 'f:2') + e;"],
    ['await new A<B>(c);'.replace('<B>', '   '), "await globalThis.gate(new A   (c), 'f:1');"],
    [
      'await a(await b(`"`), /[/)]/);',
      "await globalThis.gate(a(await globalThis.gate(b(`\"`), 'f:1'), /[/)]/), 'f:1');",
    ],
    ['for await (const a of b) await using c = d;', 'for await (const a of b) await using c = d;'],
  ])('%s', (source, gated) => {
    expect(gateAwaits(source, 'f')).toBe(gated);
  });
});
