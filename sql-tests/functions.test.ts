/** Every function's, operator's and aggregate's example, run through a server: all that fail at once. */
import { expect, test } from 'vitest';
import type { Example } from '../src/functions/function.ts';
import {
  allAggregates,
  allFunctions,
  allOperators,
  allSetFunctions,
  allWindowFunctions,
} from '../src/functions/registry.ts';
import { startInProcess } from './runner/in-process.ts';
import { connectTarget, type Target } from './runner/target.ts';

/** The failing example, and the server's answer. */
async function failure(target: Target, [sql, expected]: Example): Promise<string[]> {
  const wanted = `${sql} -- ${expected ?? 'NULL'}`;
  try {
    const rows = await target.run(sql);
    const shown = rows.length === 1 && rows[0]?.length === 1 ? (rows[0][0] ?? 'NULL') : JSON.stringify(rows);
    return shown === (expected ?? 'NULL') ? [] : [`${wanted} -- answered ${shown}`];
  } catch (error) {
    return [`${wanted} -- ${error instanceof Error ? error.message : error}`];
  }
}

test('every example answers as it says', async () => {
  await using server = await startInProcess('memory');
  await using target = await connectTarget(server.address, [
    "SET timezone = 'UTC'",
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
  ]);
  const failures: string[] = [];
  const rows = [
    ...allFunctions(),
    ...allOperators(),
    ...allAggregates(),
    ...allSetFunctions(),
    ...allWindowFunctions(),
  ];
  for (const row of rows) {
    failures.push(...(await failure(target, row.example)));
  }
  expect(failures).toEqual([]);
});
