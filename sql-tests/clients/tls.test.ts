/** TLS with real clients: the certificate that is made, files that change, TLS from the first byte, certificates of clients. */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { errorFields, RawClient } from '../faults/raw-client.ts';
import { Authority, type Pair, read } from '../fixtures/authority.ts';

const run = promisify(execFile);
const PYTHON = join(import.meta.dirname, '../../.tools/python/bin/python');

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quern-tls-clients-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** psycopg's libpq is of PostgreSQL 17 or later. @returns what SELECT answers, or the error. */
async function libpq(server: ServerProcess, options: string): Promise<string> {
  const program = `
import sys, psycopg
assert psycopg.pq.version() >= 170000
try:
    with psycopg.connect(sys.argv[1]) as c:
        print(c.execute('SELECT current_user').fetchone()[0])
except psycopg.OperationalError as e:
    print(e)
`;
  const text = `host=127.0.0.1 port=${server.port} user=quern dbname=quern ${options}`;
  const { stdout } = await run(PYTHON, ['-c', program, text], {
    env: { ...process.env, PGPASSWORD: server.key },
  });
  return stdout.trim();
}

const tlsTo = async (port: number, options: ConnectionOptions): Promise<TLSSocket> => {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
};

const startup = Buffer.from('\0\0\0\x23\0\x03\0\0user\0quern\0database\0quern\0\0', 'latin1');

/** The first that comes back for bytes, as text. */
async function answer(socket: TLSSocket, bytes: Buffer): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
  socket.write(bytes);
  const done = once(socket, 'close');
  while (!/^[RE]/.test(text) && !socket.destroyed) await Promise.race([once(socket, 'data'), done]);
  socket.destroy();
  return text;
}

describe('a server with the certificate that it makes', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer({ data: path('data') });
  });
  afterAll(() => server.stop());

  it('is verified by libpq, by each of its names, asked for TLS or at once', async () => {
    const verified = `sslmode=verify-full sslrootcert=${path('data.tls/server.crt')} channel_binding=require`;
    for (const host of ['localhost', '127.0.0.1', '::1', hostname()]) {
      for (const how of ['postgres', 'direct']) {
        const at = `host=${host} hostaddr=127.0.0.1 sslnegotiation=${how}`;
        expect([host, how, await libpq(server, `${verified} ${at}`)]).toEqual([host, how, 'quern']);
      }
    }
    expect(await libpq(server, `${verified} host=other.example hostaddr=127.0.0.1`)).toContain(
      'does not match',
    );
  });

  it('wants ALPN of who begins with TLS', async () => {
    const { port } = server;
    const direct = await tlsTo(port, { ALPNProtocols: ['h2', 'postgresql'] });
    expect(direct.alpnProtocol).toBe('postgresql');
    expect(await answer(direct, startup)).toMatch(/^R.*SCRAM-SHA-256-PLUS/s);
    const silent = await answer(await tlsTo(port, {}), startup);
    expect(silent).toMatch(/C08P01.*without ALPN/s);
    await expect(tlsTo(port, { ALPNProtocols: ['h2'] })).rejects.toThrow(/alert no application protocol/);
  });

  /** After SSLRequest. */
  async function asked(options: ConnectionOptions): Promise<TLSSocket> {
    const plain = connectPlain(server.port, '127.0.0.1');
    plain.write(Buffer.from('0000000804d2162f', 'hex'));
    expect(String((await once(plain, 'data'))[0])).toBe('S');
    return tlsTo(server.port, { socket: plain, ...options });
  }

  it('goes without ALPN for who asks for TLS, but not with another', async () => {
    expect(await answer(await asked({}), startup)).toMatch(/^R.*SCRAM/s);
    expect(await answer(await asked({ ALPNProtocols: ['postgresql'] }), startup)).toMatch(/^R.*SCRAM/s);
    await expect(asked({ ALPNProtocols: ['http/1.1'] })).rejects.toThrow(/alert no application protocol/);
  });

  it('takes TLS at once only as the very first thing', async () => {
    const plain = connectPlain(server.port, '127.0.0.1');
    plain.write(Buffer.from('0000000804d21630', 'hex'));
    expect(String((await once(plain, 'data'))[0])).toBe('N');
    await expect(tlsTo(server.port, { socket: plain, ALPNProtocols: ['postgresql'] })).rejects.toThrow();
  });

  it('takes nothing that was said in clear for what is said over TLS', async () => {
    const plain = connectPlain(server.port, '127.0.0.1');
    let said = '';
    plain.on('data', (chunk: Buffer) => (said += chunk.toString('latin1'))).on('error', () => undefined);
    plain.write(Buffer.concat([Buffer.from('0000000804d2162f', 'hex'), startup]));
    await once(plain, 'close');
    expect(said).toMatch(/^SE.*C08P01.*received unencrypted data after SSL request/s);
  });
});

describe('a server with files that change', () => {
  let server: ServerProcess;
  let pairs: readonly Pair[];
  beforeAll(async () => {
    const authority = new Authority(path('servers'), 'servers');
    pairs = ['one', 'two'].map((name) => authority.issue({ name, usage: 'serverAuth' }));
    put(0);
    const flags = ['--tls-cert', path('server.crt'), '--tls-key', path('server.key')];
    server = await startServer({ data: path('changing'), flags });
  });
  afterAll(() => server.stop());

  function put(at: number): void {
    copyFileSync((pairs[at] as Pair).certificate, path('server.crt'));
    copyFileSync((pairs[at] as Pair).key, path('server.key'));
  }
  const print = (at: number): string =>
    new X509Certificate(readFileSync((pairs[at] as Pair).certificate)).fingerprint256;
  async function shown(): Promise<string | undefined> {
    const socket = await tlsTo(server.port, { ALPNProtocols: ['postgresql'] });
    const found = socket.getPeerX509Certificate()?.fingerprint256;
    socket.destroy();
    return found;
  }

  it('takes them on SIGHUP and by itself, and keeps what it has where they do not fit', async () => {
    const open = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      user: 'quern',
      database: 'quern',
      password: server.key,
      ssl: { rejectUnauthorized: false },
    });
    await open.connect();
    put(1);
    server.process.kill('SIGHUP');
    while ((await shown()) !== print(1)) await sleep(20);
    rmSync(path('server.key'));
    server.process.kill('SIGHUP');
    while (!/could not be read again.*ENOENT/.test(server.log())) await sleep(20);
    expect(await shown()).toBe(print(1));
    put(0);
    while ((await shown()) !== print(0)) await sleep(100);
    expect((await open.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await open.end();
    expect(await libpq(server, `sslmode=verify-full sslrootcert=${path('servers/ca.crt')}`)).toBe('quern');
  });
});

describe('certificates of clients', () => {
  let server: ServerProcess;
  let key: string;
  const pairs: Record<string, Pair> = {};

  const withPair = (name: string | null, options: string): string => {
    const pair = name === null ? null : pairs[name];
    const shown =
      pair === null || pair === undefined ? 'sslcert=none' : `sslcert=${pair.certificate} sslkey=${pair.key}`;
    return `sslmode=require ${shown} ${options}`;
  };
  const signIn = (name: string | null, options: string): Promise<string> =>
    libpq(server, withPair(name, options));

  async function start(auth: string): Promise<void> {
    const flags = ['--tls-client-ca', path('clients/ca.crt'), '--tls-client-auth', auth];
    server = await startServer({ data: path('certified'), flags, key: 'the key of the owner' });
  }

  beforeAll(async () => {
    const clients = new Authority(path('clients'), 'clients');
    const others = new Authority(path('others'), 'clients');
    for (const name of ['ann', 'analysts', 'nobody', 'quern', 'bi', 'o\'hara "x"']) {
      pairs[name] = clients.issue({ name: name.replace(/\W/g, '_'), subject: `/CN=${name}` });
    }
    pairs.expired = clients.issue({ name: 'expired', subject: '/CN=ann', options: ['-days', '-1'] });
    pairs.server = clients.issue({ name: 'server', subject: '/CN=ann', usage: 'serverAuth' });
    pairs.several = clients.issue({ name: 'several', subject: '/CN=bob/CN=ann' });
    pairs.nameless = clients.issue({ name: 'nameless', subject: '/O=ann' });
    pairs.other = others.issue({ name: 'other', subject: '/CN=ann' });
    await start('request');
    const owner = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      user: 'quern',
      database: 'quern',
      password: server.key,
    });
    await owner.connect();
    await owner.query(`CREATE ROLE ann LOGIN; CREATE ROLE "o'hara ""x""" LOGIN; CREATE ROLE analysts;
      CREATE TABLE secrets (a int); CREATE TABLE shown (a int); GRANT SELECT ON secrets, shown TO ann`);
    const made = await owner.query("CREATE API KEY bi WITH (role = reader, collections = 'shown')");
    key = made.rows[0].key;
    await owner.end();
  });
  afterAll(() => server.stop());

  it('sign in the roles that they name, without a password', async () => {
    expect(await signIn('ann', 'user=ann password=wrong')).toBe('ann');
    expect(await signIn('o\'hara "x"', `user='o\\'hara "x"' password=wrong`)).toBe('o\'hara "x"');
    expect(server.log()).toMatch(/"sign-in".*"certificate":"ann"/);
    const config = { host: '127.0.0.1', port: server.port, user: 'ann', database: 'quern' };
    const ssl = { rejectUnauthorized: false, ...read(pairs.ann as Pair) };
    const client = new pg.Client({ ...config, ssl });
    await client.connect();
    const { rows } = await client.query('SELECT session_user, system_user');
    expect(rows).toEqual([{ session_user: 'ann', system_user: 'cert:ann' }]);
    await client.end();
  });

  const REFUSED = 'connection requires a valid client certificate';

  it.each([
    ['expired', 'user=ann', /requires a valid client certificate.*certificate has expired/s],
    ['other', 'user=ann', /requires a valid client certificate.*unable to/s],
    ['server', 'user=ann', /requires a valid client certificate.*(purpose|unsupported)/s],
    ['several', 'user=ann', /requires a valid client certificate.*several common names/s],
    ['nameless', 'user=ann', /requires a valid client certificate.*no common name/s],
    ['ann', 'user=analysts', /certificate authentication failed for user "analysts".*that of "ann"/s],
    ['ann', 'user=ANN', /certificate authentication failed for user "ANN"/],
    ['ann', 'user=bi', /certificate authentication failed for user "bi"/],
    ['analysts', 'user=analysts password=wrong', /password authentication failed for user "analysts"/],
    ['nobody', 'user=nobody password=wrong', /password authentication failed for user "nobody"/],
    ['quern', 'user=quern password=wrong', /password authentication failed for user "quern"/],
  ])('that of %s does not let in by %s', async (name, options, message) => {
    expect(await signIn(name, options)).toMatch(message);
  });

  it('are not needed where they are requested, and leave keys their limits', async () => {
    expect(await signIn(null, '')).toBe('quern');
    expect(await libpq(server, 'sslmode=disable')).toBe('quern');
    expect(await signIn('ann', `password=${key}`)).toBe('reader');
    const config = { host: '127.0.0.1', port: server.port, user: 'bi', database: 'quern', password: key };
    const client = new pg.Client({
      ...config,
      ssl: { rejectUnauthorized: false, ...read(pairs.bi as Pair) },
    });
    await client.connect();
    const { rows } = await client.query('SELECT current_user, system_user');
    expect(rows).toEqual([{ current_user: 'reader', system_user: 'scram-sha-256:bi' }]);
    await expect(client.query('SELECT * FROM secrets')).rejects.toMatchObject({ code: '42501' });
    await client.end();
  });

  it('are asked of everybody where they are required, before any password', async () => {
    await server.stop();
    await start('require');
    expect(await signIn('ann', 'user=ann')).toBe('ann');
    expect(await signIn('ann', '')).toBe('quern');
    expect(await signIn(null, '')).toContain(REFUSED);
    expect(await signIn('expired', '')).toContain(REFUSED);
    expect(await signIn('other', '')).toContain(REFUSED);
    expect(await libpq(server, 'sslmode=disable')).toContain(REFUSED);
    const client = await RawClient.open('127.0.0.1', server.port);
    client.startup({ user: 'quern', database: 'quern' });
    const seen = await client.until('R', 'E');
    expect([seen.map(({ type }) => type), errorFields(seen).C]).toEqual([['E'], '28000']);
    client.socket.destroy();
  });
});
