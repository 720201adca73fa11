/**
 * Clients that go away while a statement runs, each in its own way. One thing to know: who closes only its own side
 * still reads, and is told from who has gone by what is written to it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  echo,
  encrypted,
  listenEcho,
  message,
  type RawClient,
  signedIn,
} from '../../sql-tests/fixtures/echo-server.ts';
import { expectBelow } from '../../sql-tests/faults/turn-watch.ts';
import type { SqlListener } from './listener.ts';

const TURN_MS = 10;
/** Pauses of this loop, which a busy machine draws out as it does the server's: 100 ms where nothing else runs. */
const STOPS_WITHIN_TURNS = 10;
/** Longer than anybody waits for a client that is to close its side. */
const LONG_MS = 1_300;
/** More than is read while a statement runs. */
const MUCH = message('Q', 'x'.repeat(1_000_000));

let listener: SqlListener;

beforeAll(async () => {
  listener = await listenEcho({ signedIn: 100, waiting: 50, http: 0 });
});

afterAll(async () => {
  await listener.close();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A statement runs, and what is sent with it waits. */
async function asking(client: RawClient, ...more: readonly Buffer[]): Promise<RawClient> {
  echo.slow = Promise.withResolvers();
  client.send(message('Q', 'wait'));
  for (const bytes of more) client.send(bytes);
  await pause(100);
  return client;
}

/** Turns from `goes` to the end of its statement. */
async function stoppedAfter(client: RawClient, goes: (client: RawClient) => void): Promise<number> {
  const before = echo.cancelledCount;
  let turns = 0;
  goes(client);
  for (; echo.cancelledCount === before; turns++) await pause(TURN_MS);
  expect(echo.cancelledCount).toBe(before + 1);
  echo.slow.resolve();
  return turns;
}

describe('a statement ends with its client', () => {
  it.each<[string, (client: RawClient) => void]>([
    ['that closes its socket', (client) => client.end()],
    ['that resets it', (client) => client.destroy()],
    [
      'that asks for more and closes its socket',
      (client) => {
        client.send(Buffer.concat([message('Q', 'x'), message('X')]));
        client.end();
      },
    ],
  ])('%s', async (_, goes) => {
    await expectBelow(STOPS_WITHIN_TURNS, async () =>
      stoppedAfter(await asking(await signedIn(listener.port)), goes),
    );
  });

  it('that speaks TLS', async () => {
    await expectBelow(STOPS_WITHIN_TURNS, async () => {
      const client = await signedIn(listener.port, await encrypted(listener.port));
      return stoppedAfter(await asking(client), (going) => going.end());
    });
  });

  it('that has sent more than is read meanwhile', async () => {
    await expectBelow(STOPS_WITHIN_TURNS, async () => {
      const client = await asking(await signedIn(listener.port), ...Array<Buffer>(20).fill(MUCH));
      return stoppedAfter(client, (going) => going.end());
    });
  });

  it('that has first closed its own side', async () => {
    const client = await asking(await signedIn(listener.port));
    const before = echo.cancelledCount;
    client.finish();
    await pause(LONG_MS);
    expect(echo.cancelledCount).toBe(before);
    await stoppedAfter(client, (going) => going.end());
  });
});

describe('a client that closes its own side and reads on', () => {
  it.each([false, true])('gets all that it has asked for, encrypted: %s', async (isEncrypted) => {
    const socket = isEncrypted ? await encrypted(listener.port) : undefined;
    const client = await asking(await signedIn(listener.port, socket), message('Q', 'rows 2500'));
    const before = echo.cancelledCount;
    client.send(message('Q', 'last'));
    client.finish();
    await pause(LONG_MS);
    expect(echo.cancelledCount).toBe(before);
    echo.slow.resolve();
    await client.closed;
    const [told, ...answers] =
      client.raw().match(/S\0\0\0.{1,5}integer_datetimes|rows 2500|last|SELECT \d+/gs) ?? [];
    expect(told).toMatch(/integer_datetimes$/);
    expect(answers.filter((word) => /^SELECT/.test(word))).toEqual(['SELECT 1', 'SELECT 2500', 'SELECT 1']);
    expect(answers.filter((word) => word === 'rows 2500').length).toBe(2500);
  });
});
