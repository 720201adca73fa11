/** `quern login` by way of a browser: the code is told, somebody approves it there, and a key of its own is kept. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../attack/browser.ts';
import { type Ended, type Place, QUERN, startPlace } from './command.ts';

const CTRL_C = '\x03';
let place: Place;

beforeAll(async () => {
  place = await startPlace();
});

afterAll(() => place?.[Symbol.asyncDispose]());

const httpPort = (): string[] => ['--http-port', String(place.server.httpPort)];

/** Runs it without a terminal. @param approve hears the code that is told. */
async function login(args: readonly string[], approve: (code: string) => Promise<unknown>): Promise<Ended> {
  const env = { ...place.environment, QUERN_API_KEY: '' };
  const command = spawn(QUERN, ['login', '--no-browser', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = text(command.stdout);
  const ended = once(command, 'close');
  let err = '';
  for await (const piece of command.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    err += piece;
    const [, code] = /code=([A-Z]{4}-[A-Z]{4})/.exec(err) ?? [];
    if (code === undefined) continue;
    await approve(code);
    break;
  }
  command.stderr.on('data', (piece: string) => {
    err += piece;
  });
  const [code] = (await ended) as [number];
  return { code, out: await out, err };
}

async function answer(code: string, json: object): Promise<number> {
  const browser = new Browser(place.server.httpPort);
  await browser.signIn({ key: place.server.key });
  return (await browser.ask(`/device/${code}`, { json })).status;
}

it('keeps the key that is made for it', async () => {
  const ended = await login([...httpPort(), '-o', 'json'], (code) =>
    answer(code, { approve: true, name: 'laptop' }),
  );
  const file = join(place.folder, '.config/quern/credentials.json');
  expect(JSON.parse(ended.out)).toEqual({ signed_in: true, file });
  const told = JSON.parse(ended.err) as { sign_in: { url: string; code: string } };
  expect(told.sign_in.url).toBe(`http://127.0.0.1:${place.server.httpPort}/device?code=${told.sign_in.code}`);
  const { apiKey } = JSON.parse(readFileSync(file, 'utf8')) as { apiKey: string };
  expect(apiKey).toMatch(/^quern_/);
  expect(ended.out + ended.err).not.toContain(apiKey);
  const listed = await place.run(['key', 'list', '-o', 'json'], { more: { QUERN_API_KEY: '' } });
  expect(JSON.parse(listed.out)).toContainEqual(
    expect.objectContaining({ name: 'laptop', role: 'quern', prefix: apiKey.slice(0, 12) }),
  );
  await place.run(['logout']);
});

it('says that it was refused, and keeps nothing', async () => {
  const ended = await login(httpPort(), (code) => answer(code, { approve: false }));
  expect([ended.code, ended.err]).toEqual([
    1,
    expect.stringMatching(/approve the code [\s\S]*quern: .*refused/),
  ]);
  expect((await place.run(['logout'])).out).toBe('there was no key\n');
});

it('says where no console is', async () => {
  const unreachable = await login(['--http-port', '1'], async () => undefined);
  expect([unreachable.code, unreachable.err]).toEqual([
    1,
    expect.stringMatching(/cannot be reached[\s\S]*HINT: .*--http-port.*login --key/),
  ]);
  const other = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const none = await login(['--http-port', String(port)], async () => undefined);
  expect([none.code, none.err]).toEqual([1, expect.stringMatching(/there is no console/)]);
  other.close();
});

it('opens no page of another server', async () => {
  const other = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    const page = {
      url: 'https://evil.example/device?code=BBBB-CCCC',
      user_code: 'BBBB-CCCC',
      device_code: 'x',
    };
    response.end(JSON.stringify({ ...page, interval_s: 1, expires_s: 1 }));
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const ended = await login(['--http-port', String(port)], async () => undefined);
  expect([ended.code, ended.err]).toEqual([1, expect.stringMatching(/names a page elsewhere/)]);
  other.close();
});

it('asks on a terminal for a key where no console is, or where one is to be typed', async () => {
  const more = { QUERN_API_KEY: '' };
  for (const args of [['--http-port', '1'], ['--key']]) {
    const steps = [['API key: ', `${place.server.key}\n`]] as const;
    const { code, out } = await place.onTerminal(['login', ...args], { more, steps });
    expect([code, out]).toEqual([0, expect.stringMatching(/signed in/)]);
    expect(/cannot be reached/.test(out)).toBe(args.length === 2);
    await place.run(['logout']);
  }
});

it('ends by Ctrl-C while it waits', async () => {
  const steps = [['approve the code', CTRL_C]] as const;
  const { code } = await place.onTerminal(['login', '--no-browser', ...httpPort()], {
    more: { QUERN_API_KEY: '' },
    steps,
  });
  expect(code).toBe(130);
});
