/**
 * Clients of `/sql` that go away, each in its own way, and clients that read slowly. One thing to know: times are counted in turns
 * of this loop, which a busy machine draws out as it does the server's.
 */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor } from '../../../sql-tests/fixtures/http-door.ts';

const TURN_MS = 10;
const STOPS_WITHIN_TURNS = 10;

let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open();
});

afterAll(async () => {
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Statements that run, but for who asks. */
function running(): number {
  return [...door.database.factory.activity()].filter(({ state }) => state === 'active').length;
}

function asking(statement: string): Socket {
  const body = JSON.stringify({ statement });
  const socket = connect(door.http.port, '127.0.0.1').on('error', () => undefined);
  const head = ['POST /sql HTTP/1.1', 'host: localhost', 'authorization: Bearer secret'];
  head.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

/** Turns until nothing runs. */
async function turnsUntilIdle(): Promise<number> {
  let turns = 0;
  for (; running() > 0; turns++) await pause(TURN_MS);
  return turns;
}

describe('a statement ends with its client', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['that closes its socket', (socket) => socket.end()],
    ['that resets it', (socket) => socket.resetAndDestroy()],
    ['that is gone at once', (socket) => socket.destroy()],
  ])('%s', async (_, goes) => {
    const socket = asking('SELECT pg_sleep(600)');
    while (running() === 0) await pause(TURN_MS);
    goes(socket);
    expect(await turnsUntilIdle()).toBeLessThanOrEqual(STOPS_WITHIN_TURNS);
  });

  it('that goes while it computes', async () => {
    const socket = asking('SELECT count(*) FROM generate_series(1, 1000000000) AS i');
    while (running() === 0) await pause(TURN_MS);
    await pause(5 * TURN_MS);
    socket.destroy();
    expect(await turnsUntilIdle()).toBeLessThanOrEqual(STOPS_WITHIN_TURNS);
  });
});

it('a client that reads slowly holds its statement, and no memory', async () => {
  const socket = asking("SELECT i, repeat('x', 100) FROM generate_series(1, 10000000) AS i");
  socket.pause();
  while (running() === 0) await pause(TURN_MS);
  await pause(30 * TURN_MS);
  const before = process.memoryUsage();
  await pause(50 * TURN_MS);
  const { arrayBuffers } = process.memoryUsage();
  expect(running()).toBe(1);
  expect(arrayBuffers - before.arrayBuffers).toBeLessThan(8 * 1024 * 1024);
  let read = 0;
  socket.on('data', (piece: Buffer) => {
    read += piece.length;
    if (read > 20_000_000) socket.destroy();
  });
  socket.resume();
  while (!socket.destroyed) await pause(TURN_MS);
  expect(await turnsUntilIdle()).toBeLessThanOrEqual(STOPS_WITHIN_TURNS);
});
