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
import { inTurns, runSimulations } from './simulations.ts';

const SEEDS = 300;
const FAULT_SEEDS_MAX = 1_000;
/** Some seconds of work; a machine may be busy. */
const TIMEOUT_MS = 600_000;

describe('simulation', { timeout: TIMEOUT_MS }, () => {
  test(`${SEEDS} interleavings break no law`, async () => {
    const halves = await Promise.all(
      [1, SEEDS / 2 + 1].map((from) => runSimulations({ from, count: SEEDS / 2 })),
    );
    expect(halves.flatMap(({ lines }) => lines)).toEqual([]);
    expect(halves.map(({ runs }) => runs)).toEqual([SEEDS / 2, SEEDS / 2]);
  });

  test('a seed has one schedule', async () => {
    const [once, again] = await Promise.all(
      [1, 2].map(() => runSimulations({ from: 20, count: 3, trace: true })),
    );
    expect(again).toEqual(once);
    expect(once?.steps).toBeGreaterThan(500);
  });

  test.each(FAULTS)('a fault has its place: $name', (fault) => {
    const source = readFileSync(join(import.meta.dirname, '../..', fault.file), 'utf8');
    expect(plant(fault, source)).not.toBe(source);
  });

  test('planted faults are found', async () => {
    const found = await inTurns(FAULTS, 2, ({ name }) =>
      runSimulations({ from: 1, count: FAULT_SEEDS_MAX, fault: name }),
    );
    expect(FAULTS.length).toBeGreaterThanOrEqual(10);
    const missed = FAULTS.filter((_, i) => found[i]?.violations !== 1);
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
