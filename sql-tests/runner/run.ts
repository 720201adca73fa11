/**
 * Runs a test script against a target. The result of every record is compared with what the script says, or
 * written into the script (UPDATE_GOLDEN=1).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseScript, rowLine, type ScriptRecord, sorted, withExpected } from './script.ts';
import { ServerError, type Target } from './target.ts';

export interface Difference {
  /** `file:line`, so that a terminal can jump there. */
  readonly where: string;
  readonly sql: string;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
}

export interface RunOptions {
  readonly path: string;
  readonly target: Target;
  /** Records of this kind are passed over: `plan` when rules are off. */
  readonly without?: readonly ScriptRecord['kind'][];
}

/** @returns the records whose result is not what the script says. */
export async function runScript(options: RunOptions): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const record of parseScript(readFileSync(options.path, 'utf8'))) {
    if (record.kind === 'halt') break;
    if (record.kind === 'other' || options.without?.includes(record.kind)) continue;
    const actual = await outcome(record, options.target);
    const expected = record.expected ?? (record.head === 'ok' ? ['ok'] : []);
    if (actual.join('\n') === expected.join('\n')) continue;
    differences.push({ where: `${options.path}:${record.line}`, sql: record.sql, expected, actual });
  }
  return differences;
}

/** Writes what the target answers into the script. */
export async function updateScript(path: string, target: Target): Promise<void> {
  const blocks: string[] = [];
  for (const record of parseScript(readFileSync(path, 'utf8'))) {
    if (record.kind === 'other' || record.kind === 'halt') blocks.push(record.source.join('\n'));
    else {
      const actual = await outcome(record, target);
      const unchanged = record.kind === 'statement' && record.head === 'ok' && actual[0] === 'ok';
      blocks.push(withExpected(record, unchanged ? null : actual).join('\n'));
    }
  }
  writeFileSync(path, `${blocks.join('\n\n')}\n`);
}

async function outcome(record: ScriptRecord, target: Target): Promise<string[]> {
  try {
    const rows = await target.run(record.kind === 'plan' ? `EXPLAIN (COSTS OFF) ${record.sql}` : record.sql);
    if (record.kind === 'statement') return ['ok'];
    return sorted(rows.map(rowLine), record.head);
  } catch (error) {
    if (error instanceof ServerError) return [...error.lines];
    throw error;
  }
}
