/**
 * The HTTP port under attack: keys in clear, forged forwarding headers, pages that rebind a name or ask across sites, guessing
 * through `/mcp`. Each test fails when the defence that it names is taken out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { Client } from '../../src/clients/typescript/src/client.ts';
import { Authority, read } from '../fixtures/authority.ts';
import { type Answered, networkAddress, type Sent, send, sendQuery } from './http-request.ts';

/** Addresses of this machine: one is named as a proxy, the other is not. */
const PROXY = '127.0.0.2';
const SECOND_PROXY = '127.0.0.9';
const STRANGER = '127.0.0.3';
/** A client of the proxy, in a network that one key is for. */
const CLIENT = '203.0.113.9';
const OTHER_CLIENT = '198.51.100.7';
const PATHS = ['/metrics', '/mcp', '/sql'];
/** So many wrong keys at once, and the last of them would have to wait too long. */
const GUESSES = 14;

const folder = mkdtempSync(join(tmpdir(), 'quern-doors-'));
let server: ServerProcess;
let client: Client;

beforeAll(async () => {
  const proxies = ['--trusted-proxies', `${PROXY},127.0.0.8/31`];
  const names = ['--http-hosts', 'db.internal', '--http-origins', 'https://app.example'];
  server = await startServer({
    data: join(folder, 'data'),
    flags: ['--host', '0.0.0.0', ...proxies, ...names],
  });
  client = new Client({ apiKey: server.key, host: '127.0.0.1', port: server.port });
});

afterAll(async () => {
  await client?.close();
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function made(options: string): Promise<string> {
  const [row] = await client.sql(`CREATE API KEY WITH (${options})`);
  return String(row?.key);
}

type About = Omit<Sent, 'port' | 'path'>;
const get = (path: string, about: About = {}): Promise<Answered> =>
  send({ ...about, port: server.httpPort, path });
const query = (sql: string, about: About = {}): Promise<Answered> =>
  sendQuery(sql, { ...about, port: server.httpPort });
const statement = (sql: string, about: About = {}): Promise<Answered> =>
  send({
    ...about,
    port: server.httpPort,
    path: '/sql',
    body: JSON.stringify({ statement: sql }),
    headers: { 'content-type': 'application/json', ...about.headers },
  });
const statusOf = async (path: string, about: About = {}): Promise<number> => {
  if (path === '/mcp') return (await query('SELECT 1 AS one', about)).status;
  return (await (path === '/sql' ? statement('SELECT 1', about) : get(path, about))).status;
};

const through = (list: string, proto = 'https'): About => ({
  from: PROXY,
  headers: { 'x-forwarded-for': list, 'x-forwarded-proto': proto },
});

describe('a key in clear', () => {
  it.each(PATHS)('is taken at %s from this machine, and over TLS', async (path) => {
    expect(await statusOf(path, { key: server.key })).toBe(200);
    expect(await statusOf(path, { key: server.key, tls: true })).toBe(200);
  });

  it.each(PATHS)('is refused at %s where the proxy says that it came so', async (path) => {
    const { headers } = through(CLIENT, 'http');
    for (const key of [server.key, undefined]) {
      const about = { from: PROXY, headers: headers ?? {}, ...(key !== undefined && { key }) };
      expect(await statusOf(path, about)).toBe(403);
    }
    const silent = { from: PROXY, key: server.key, tls: true, headers: { 'x-forwarded-for': CLIENT } };
    expect(await statusOf(path, silent)).toBe(403);
  });

  const to = networkAddress();
  it.skipIf(to === null).each(PATHS)('is refused at %s over a network', async (path) => {
    const over = to === null ? {} : { to };
    expect(await statusOf(path, { ...over, key: server.key })).toBe(403);
    expect(await statusOf(path, over)).toBe(403);
    const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
    expect(await statusOf(path, { ...over, key: server.key, headers: forged })).toBe(403);
    expect(await statusOf(path, { ...over, key: server.key, tls: true })).toBe(200);
    const { body } = await get(path, { ...over, key: server.key });
    expect(body).toMatch(/not taken in clear[\s\S]*hint: Use https/);
    expect(await statusOf('/healthz', over)).toBe(200);
    expect(await statusOf('/readyz', over)).toBe(200);
  });
});

describe('forwarding headers', () => {
  it('count from a named proxy, the nearest that is none', async () => {
    const peer = async (about: About): Promise<string> => {
      const sql =
        'SELECT client_addr FROM pg_stat_activity WHERE pid = pg_backend_pid() AND client_addr = inet_client_addr()';
      const { body: lines } = await statement(sql, { key: server.key, ...about });
      const [, direct] = /"rows":\[\["([^"]+)"/.exec(lines) ?? [];
      const { body } = await query(sql, { key: server.key, ...about });
      const byAgent = /client_addr[\\":]+([0-9a-f.:]+)/.exec(body)?.[1] ?? body;
      expect(direct).toBe(byAgent);
      return byAgent;
    };
    expect(await peer({ from: STRANGER })).toBe(STRANGER);
    expect(await peer(through(CLIENT))).toBe(CLIENT);
    expect(await peer(through(`${OTHER_CLIENT}, ${CLIENT}:1234`))).toBe(CLIENT);
    expect(await peer(through(`127.0.0.1, ${CLIENT}, ${SECOND_PROXY}`))).toBe(CLIENT);
    expect(await peer(through('[2001:db8::7]:80'))).toBe('2001:db8::7');
    expect(await peer({ ...through(CLIENT), from: STRANGER })).toBe(STRANGER);
  });

  it.each(PATHS)("open no key's addresses to who forges them at %s", async (path) => {
    const key = await made("role = admin, addresses = '203.0.113.0/24'");
    expect(await statusOf(path, { ...through(CLIENT), key })).toBe(200);
    expect(await statusOf(path, { key })).toBe(401);
    expect(await statusOf(path, { ...through(CLIENT), from: STRANGER, key })).toBe(401);
    expect(await statusOf(path, { ...through(`${CLIENT}, ${OTHER_CLIENT}`), key })).toBe(401);
    const forwarded = { forwarded: `for=${CLIENT}`, 'x-real-ip': CLIENT };
    expect(await statusOf(path, { from: PROXY, headers: forwarded, key })).toBe(401);
    const local = await made("role = admin, addresses = '127.0.0.1'");
    expect(await statusOf(path, { key: local })).toBe(200);
    expect(await statusOf(path, { ...through(`127.0.0.1, ${CLIENT}`), key: local })).toBe(401);
  });

  it('that cannot be read are refused', async () => {
    for (const list of [
      'unknown',
      CLIENT.slice(0, -2),
      `${CLIENT},`,
      '1.2.3.4.5',
      '<script>',
      'fe80::1%eth0',
    ]) {
      expect(await statusOf('/metrics', { ...through(list), key: server.key }), list).toBe(400);
    }
    expect(await statusOf('/metrics', { ...through(CLIENT, 'gopher'), key: server.key })).toBe(400);
    const long = Array.from({ length: 100 }, () => CLIENT).join();
    expect(await statusOf('/metrics', { ...through(long), key: server.key })).toBe(400);
  });
});

describe('pages of others', () => {
  const bearer = (): About => ({ key: server.key });

  it.each(PATHS)('reach %s by no name of their own (DNS rebinding)', async (path) => {
    const called = (host: string): Promise<number> => statusOf(path, { ...bearer(), headers: { host } });
    for (const host of ['evil.example', 'evil.example:8432', 'localhost.evil.example', 'sub.db.internal']) {
      expect(await called(host), host).toBe(421);
    }
    const forwarded = { host: 'evil.example', 'x-forwarded-host': 'localhost' };
    expect(await statusOf(path, { ...bearer(), headers: forwarded })).toBe(421);
    for (const host of [
      'localhost',
      'LOCALHOST:99',
      '127.0.0.1',
      '[::1]',
      'db.internal',
      'DB.internal.:80',
    ]) {
      expect(await called(host), host).toBe(200);
    }
  });

  it.each(PATHS)('send nothing to %s across origins', async (path) => {
    const own = `127.0.0.1:${server.httpPort}`;
    const from = (origin: string, about: About = {}): Promise<number> =>
      statusOf(path, { ...bearer(), ...about, headers: { origin } });
    for (const origin of [
      'http://evil.example',
      'null',
      `https://${own}`,
      'http://127.0.0.1',
      'http://localhost:1',
    ]) {
      expect(await from(origin), origin).toBe(403);
    }
    expect(await from(`http://${own}`)).toBe(200);
    expect(await from(`https://${own}`, { tls: true })).toBe(200);
    expect(await from(`http://${own}`, { tls: true })).toBe(403);
    expect(await from('https://app.example')).toBe(200);
  });

  it.each(['/metrics', '/mcp', '/healthz', '/'])('read nothing of %s: nothing allows it', async (path) => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    for (const method of ['OPTIONS', 'GET']) {
      const answered = await get(path, { ...bearer(), headers, method });
      const names = Object.keys(answered.headers).filter((name) => name.startsWith('access-control-'));
      expect(names, `${method} ${path}`).toEqual([]);
      if (method === 'OPTIONS') expect(answered.status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe.each(PATHS)('guessing keys through %s', (path) => {
  /** Wrong keys at once: some are sent away without having waited. */
  async function guess(about: (i: number) => About): Promise<void> {
    const given = new AbortController();
    const answers = Array.from({ length: GUESSES }, (_, i) =>
      statusOf(path, { ...about(i), key: `guess-${path}-${i}-of-a-key`, signal: given.signal }),
    );
    const sentAway = answers.map(async (status) => {
      if ((await status) !== 429) throw new Error('was looked at');
    });
    await Promise.any(sentAway);
    given.abort();
    await Promise.allSettled(answers);
  }
  const last = path === '/mcp' ? 60 : 70;

  it('is slowed by the address of who guesses, not by that of a proxy or of the server', async () => {
    await guess(() => through(`203.0.113.${last}`));
    expect(await statusOf(path, { ...through(`203.0.113.${last + 1}`), key: 'wrong-key-0123456789' })).toBe(
      401,
    );
    expect(await statusOf(path, { key: 'wrong-key-0123456789' })).toBe(401);
    // A right key waits for nobody.
    expect(await statusOf(path, { ...through(`203.0.113.${last}`), key: await made('role = admin') })).toBe(
      200,
    );
  });

  it('is slowed whatever the headers say', async () => {
    const from = `127.0.1.${last}`;
    await guess((i) => ({ from, headers: { 'x-forwarded-for': `192.0.2.${i}` } }));
  });
});

describe('certificates of clients', () => {
  it.each(['request', 'require'])('where they are %s', async (how) => {
    const authority = new Authority(join(folder, `ours-${how}`), 'ours');
    const other = new Authority(join(folder, `other-${how}`), 'other');
    const flags = ['--tls-client-ca', authority.certificate, '--tls-client-auth', how];
    await using asked = await startServer({ data: join(folder, how), flags });
    const good = { tls: true, certificate: read(authority.issue({ name: 'ann' })) };
    const bad = { tls: true, certificate: read(other.issue({ name: 'ann' })) };
    const { key, httpPort: port } = asked;
    const statusesOf = async (about: About): Promise<readonly number[]> => [
      (await send({ ...about, port, path: '/metrics' })).status,
      (await sendQuery('SELECT 1 AS one', { ...about, port })).status,
      (await send({ ...about, port, path: '/healthz' })).status,
    ];
    const without = how === 'require' ? 403 : 200;
    expect(await statusesOf({ ...good, key })).toEqual([200, 200, 200]);
    expect(await statusesOf({ ...bad, key })).toEqual([403, 403, 200]);
    expect(await statusesOf({ tls: true, key })).toEqual([without, without, 200]);
    expect(await statusesOf({ key })).toEqual([without, without, 200]);
    // It is no key.
    expect(await statusesOf(good)).toEqual([401, 401, 200]);
  });
});

describe('/metrics', () => {
  it('is for roles that monitor', async () => {
    await client.sql('CREATE ROLE watcher');
    await client.sql('GRANT pg_monitor TO watcher');
    const statuses: unknown[] = [];
    for (const options of [
      'role = owner',
      'role = admin',
      'role = watcher',
      'role = watcher, read_only',
      'role = writer',
      'role = reader',
      "role = owner, collections = 'books'",
      `role = owner, attributes = '{"tenant":"a"}'`,
    ]) {
      statuses.push([options.slice(7), await statusOf('/metrics', { key: await made(options) })]);
    }
    expect(statuses).toEqual([
      ['owner', 200],
      ['admin', 200],
      ['watcher', 200],
      ['watcher, read_only', 200],
      ['writer', 403],
      ['reader', 403],
      ["owner, collections = 'books'", 403],
      [`owner, attributes = '{"tenant":"a"}'`, 403],
    ]);
    const none = await get('/metrics');
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(none.body).toContain('pg_monitor');
    const wrong = await get('/metrics', { from: '127.0.0.77', key: 'wrong-key-0123456789' });
    expect([wrong.status, wrong.body]).toEqual([401, 'password authentication failed for user "quern"\n']);
    expect((await get('/metrics', { key: server.key })).body).toContain('quern_sessions');
  });

  it('is open where the configuration says so, to pages of others not even then', async () => {
    await using open = await startServer({ data: join(folder, 'open'), flags: ['--metrics', 'open'] });
    const about = { port: open.httpPort, path: '/metrics' };
    expect((await send(about)).status).toBe(200);
    expect((await send({ ...about, headers: { host: 'evil.example' } })).status).toBe(421);
    expect((await send({ ...about, headers: { origin: 'http://evil.example' } })).status).toBe(403);
  });
});
