/**
 * One statement does not stop the others: a table of large ones, each right, with a neighbour that is answered
 * all the while; and each of those that would go on for ever ends with its time-out and with a cancel.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { ENDLESS_STATEMENTS, LARGE_STATEMENTS } from './large-statements.ts';
import { ask, Neighbour, signIn } from './neighbour.ts';
import type { RawClient } from './raw-client.ts';
import { expectBelow } from './turn-watch.ts';

/** The most processor time of the server's main thread before it answers the neighbour. */
const BUSY_MS_MAX = 250;
/** From the time-out or the cancel to the error. */
const END_BUSY_MS_MAX = 1_000;
const STOP_MS = 200;

const data = mkdtempSync(join(tmpdir(), 'quern-statements-'));
let server: ServerProcess;
let neighbour: Neighbour;
let client: RawClient;

beforeAll(async () => {
  server = await startServer({ data });
  neighbour = await Neighbour.open(server);
  client = await signIn(server);
});

afterAll(async () => {
  await neighbour[Symbol.asyncDispose]();
  client.socket.destroy();
  await server.stop('SIGKILL');
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
});

describe('beside large statements', () => {
  it.each(LARGE_STATEMENTS)('others are answered: $name', async (statement) => {
    const { quick, before, after, sql, result } = statement;
    await expectBelow(BUSY_MS_MAX, async () => {
      if (before !== undefined) await ask(client, before(quick));
      neighbour.reset();
      const answer = await ask(client, sql(quick));
      const busyMs = neighbour.longestBusyMs;
      if (after !== undefined) await ask(client, after(quick));
      expect(answer.message).toBe('');
      if (result !== undefined) expect(answer.text).toBe(result(quick));
      return busyMs;
    });
  });
});

describe('endless statements', () => {
  it.each(ENDLESS_STATEMENTS)('end: $name', async ({ quick, sql }) => {
    await expectBelow(END_BUSY_MS_MAX, async () => {
      await ask(client, `SET statement_timeout = ${STOP_MS}`);
      neighbour.reset();
      expect((await ask(client, sql(quick))).code).toBe('57014');
      await ask(client, 'SET statement_timeout = 0');
      const pid = (await ask(client, 'SELECT pg_backend_pid()')).text ?? '';
      const cancelled = ask(client, sql(quick));
      await setTimeout(STOP_MS);
      await neighbour.cancel(pid);
      expect((await cancelled).code).toBe('57014');
      return neighbour.longestBusyMs;
    });
  });
});
