/**
 * Output of the command arrives whole: exact bytes into pipes that are read fast, slowly, in part or not at all, and a
 * word where it cannot be. The same for the log of a server.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../scripts/server-process.ts';
import { type Place, QUERN, startPlace } from './command.ts';

/** 50,500,000 bytes and the head and tail of a table. */
const LARGE = "select repeat('x', 100) as x from generate_series(1, 500000)";
/** A shell's wait until nobody reads its standard output any more. */
const UNREAD = "trap '' PIPE; while echo 2>/dev/null; do sleep 0.1; done";
const row = 'x'.repeat(100);
const LARGE_TABLE = `x\n${'-'.repeat(100)}\n${`${row}\n`.repeat(500_000)}(500000 rows)\n`;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

let place: Place;

beforeAll(async () => {
  place = await startPlace();
});
afterAll(async () => await place?.[Symbol.asyncDispose]());

it('hands 50 MB to a pipe, byte for byte', async () => {
  const { out } = await place.shell(`quern sql -c "${LARGE}" | sha256sum; echo \${PIPESTATUS[0]}`);
  expect(out).toBe(`${digest(LARGE_TABLE)}  -\n0\n`);
});

it('waits for a reader that begins late and reads slowly', async () => {
  const line = `quern sql -c "${LARGE}" | (sleep 2; dd bs=8M iflag=fullblock status=none | (sleep 1; sha256sum)); echo \${PIPESTATUS[0]}`;
  expect((await place.shell(line)).out).toBe(`${digest(LARGE_TABLE)}  -\n0\n`);
});

it('prints JSON whole', async () => {
  const line = `quern sql -o json -c "${LARGE}" | python3 -c 'import json, sys; rows = json.load(sys.stdin); print(len(rows), {len(row["x"]) for row in rows})'`;
  expect((await place.shell(line)).out).toBe('500000 {100}\n');
});

it('ends quietly where the reader has had enough, as of SIGPIPE', async () => {
  const line = `quern sql -c "${LARGE}" | head -c 30 | wc -c; echo \${PIPESTATUS[0]}`;
  expect(await place.shell(line)).toEqual({ code: 0, out: '30\n141\n', err: '' });
  const closed = `{ ${UNREAD}; quern sql -c "select 1; select pg_sleep(0.1); select 2"; } | true; echo \${PIPESTATUS[0]}`;
  expect(await place.shell(closed)).toMatchObject({ out: '141\n', err: '' });
});

it('stops what runs on the server when nobody reads any more', async () => {
  // The first statement's result finds no reader: the second is not waited for.
  const line = `printf 'select 1;\\nselect pg_sleep(600);' | { ${UNREAD}; quern sql; } | true; echo \${PIPESTATUS[1]}`;
  expect((await place.shell(line)).out).toBe('141\n');
});

it.each([
  ['sql', `sql -c "select 1"`],
  ['sql of 50 MB', `sql -c "${LARGE}"`],
  ['JSON', 'dataset list -o json'],
  ['help', '--help'],
  ['completion', 'completion bash'],
  ['version', 'version'],
])('says that the disk is full: %s', async (_, args) => {
  const full = await place.shell(`quern ${args} > /dev/full`);
  expect(full).toMatchObject({ code: 1, err: expect.stringContaining('standard output cannot be written') });
});

it('ends with Ctrl-C where the reader is stuck', async () => {
  const child = spawn(QUERN, ['sql', '-c', LARGE], {
    env: place.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'readable');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
  child.stdout.destroy();
});

describe('a server', () => {
  it('ends with everything in its log, read slowly', async () => {
    const server = await startServer({ data: join(place.folder, 'slow') });
    server.process.stderr?.pause();
    const stopping = server.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.process.stderr?.resume();
    expect(await stopping).toBe(0);
    expect(server.log()).toContain('shutting down');
  });

  it('serves and ends although nobody reads its log, and nobody its standard output any more', async () => {
    const line = `mkfifo full; exec 3<>full; head -c 65536 /dev/zero >&3
      quern serve --data deaf --port 0 --http-port 0 2>&3 > >(head -n 1 > ready) &
      until grep -q ready ready; do sleep 0.1; done
      QUERN_PORT=$(sed -E 's/.*sql=[^ ]*:([0-9]+) .*/\\1/' ready) quern sql -c 'select 1 as served'
      kill -TERM $!; wait $!; echo ended with $?`;
    const { out } = await place.shell(line);
    expect(out).toBe('served\n------\n     1\n(1 row)\nended with 0\n');
  });

  it('does not start where its owner key cannot be told', async () => {
    const line = 'env -u QUERN_API_KEY quern serve --data lost --port 0 --http-port 0 > /dev/full';
    const failed = await place.shell(line);
    expect(failed).toMatchObject({
      code: 1,
      err: expect.stringMatching(/owner key could not be printed[\s\S]*reset-owner/),
    });
  });
});
