/**
 * Signing in by browsers under attack: pages of other sites and ports, cookies that are forged, stale or of others, links that
 * are guessed or used again, keys that end. Each test fails when the defence that it names is taken out.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifier } from '../../src/clients/typescript/src/wire/names.ts';
import { Browser } from './browser.ts';
import { ConsoleServer } from './console-server.ts';
import { type Answered, networkAddress, send } from './http-request.ts';

const PROXY = '127.0.0.2';
const STRANGER = '127.0.0.3';
const CLIENT = '203.0.113.9';

let server: ConsoleServer;

beforeAll(async () => {
  server = await ConsoleServer.start('--trusted-proxies', PROXY, '--http-origins', 'https://app.example');
});

afterAll(() => server?.[Symbol.asyncDispose]());

const made = (name: string, options?: string): Promise<string> => server.made(name, options);
const signedIn = (name: string, options?: string): Promise<Browser> => server.signedIn(name, options);

const cookieNamesOf = ({ headers }: Answered): readonly string[] =>
  (headers['set-cookie'] ?? []).map((cookie) => cookie.slice(0, cookie.indexOf('=')));

describe('a browser that signs in', () => {
  it('is told who it is, and gets a cookie that no script and no other site has', async () => {
    const browser = new Browser(server.httpPort);
    const key = await made('ann', "role = reader, expires = '1 day', read_only");
    const answered = await browser.ask('/sign-in', { json: { key } });
    expect(JSON.parse(answered.body)).toMatchObject({
      role: 'reader',
      key: { name: 'ann', prefix: key.slice(0, 12), read_only: true, collections: null },
      region: 'local',
    });
    expect(answered.body).not.toContain(key);
    expect(answered.headers['cache-control']).toBe('no-store');
    expect(answered.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(
          `^quern_session_${server.httpPort}=[\\w.-]{50,80}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict$`,
        ),
      ),
    ]);
    expect(await browser.who()).toBe('ann');
    expect(server.log()).not.toContain([...browser.cookies.values()][0]);
  });

  it('over TLS has a cookie of that host alone; below a path, of that path', async () => {
    const tls = new Browser(server.httpPort, { tls: true });
    expect(await tls.signIn({ key: server.key })).toBe(200);
    expect([...tls.cookies.keys()]).toEqual([`__Host-quern_session_${server.httpPort}`]);
    const headers = {
      host: 'localhost',
      'x-forwarded-for': CLIENT,
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/data/quern/',
    };
    const answered = await send({
      port: server.httpPort,
      path: '/sign-in',
      from: PROXY,
      body: JSON.stringify({ key: server.key }),
      headers: {
        ...headers,
        'content-type': 'application/json',
        origin: 'https://localhost',
        'x-quern-console': '1',
      },
    });
    expect(answered.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Secure-quern_session_443=.*; Path=\/data\/quern\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
  });

  it('is refused alike, whatever is wrong', async () => {
    const key = await made('gone');
    await server.sql('DROP API KEY gone');
    const elsewhere = await made('elsewhere', "role = admin, addresses = '192.0.2.0/24'");
    const answers = new Set<string>();
    for (const [i, by] of [
      { key },
      { key: elsewhere },
      { key: 'wrong-key-0123456789' },
      { link: 'A'.repeat(43) },
    ].entries()) {
      const browser = new Browser(server.httpPort, { from: `127.0.5.${i + 1}` });
      const { status, body, headers } = await browser.ask('/sign-in', { json: by });
      answers.add(JSON.stringify([status, body, headers['set-cookie']]));
    }
    expect([...answers]).toEqual([expect.stringMatching(/^\[401,"this does not sign in/)]);
  });

  it('is slowed where keys and links are guessed, with those who guess at the SQL port', async () => {
    for (const by of ['key', 'link'] as const) {
      const from = `127.0.6.${by.length}`;
      const given = new AbortController();
      const guesses = Array.from({ length: 14 }, (_, i) =>
        new Browser(server.httpPort, { from, signal: given.signal })
          .signIn({ [by]: `guess-${i}-of-something` } as { key: string })
          .then((status) => (status === 429 ? status : Promise.reject(new Error('was looked at')))),
      );
      expect(await Promise.any(guesses)).toBe(429);
      const metrics = send({
        port: server.httpPort,
        path: '/metrics',
        from,
        key: 'another-guess-0123',
        signal: given.signal,
      });
      expect((await metrics).status).toBe(429);
      given.abort();
      await Promise.allSettled(guesses);
    }
  });

  it('sends small JSON objects with one of both', async () => {
    const browser = new Browser(server.httpPort);
    for (const json of [
      {},
      [],
      1,
      null,
      { key: 1 },
      { key: '' },
      { key: 'a', link: 'b' },
      { key: 'a'.repeat(1001) },
    ]) {
      expect((await browser.ask('/sign-in', { json })).status, JSON.stringify(json)).toBe(400);
    }
    const body = JSON.stringify({ key: 'a'.repeat(20_000) });
    const headers = { 'content-type': 'application/json' };
    expect((await browser.ask('/sign-in', { body, headers })).status).toBe(413);
    expect((await browser.ask('/sign-in', { body: '{', headers })).status).toBe(400);
    expect((await browser.ask('/sign-in', { body: '{}' })).status).toBe(415);
    expect((await browser.ask('/sign-in', { method: 'PUT', json: {} })).status).toBe(405);
  });

  const to = networkAddress();
  it.skipIf(to === null)('does so over a network by TLS alone', async () => {
    const headers = { host: `${to}:${server.httpPort}` };
    const over = to === null ? {} : { to };
    const plain = new Browser(server.httpPort, { ...over, headers });
    expect(await plain.signIn({ key: server.key })).toBe(403);
    const page = await plain.ask('/films?a=1', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.location]).toEqual([307, `https://${headers.host}/films?a=1`]);
    const tls = new Browser(server.httpPort, { ...over, headers, tls: true });
    expect(await tls.signIn({ key: server.key })).toBe(200);
  });
});

describe('pages of others', () => {
  const changes = ['/sign-out', '/sign-out?everywhere=1'];

  it.each(changes)('do not send %s for a browser that is signed in', async (path) => {
    const browser = await signedIn(`others ${path}`);
    const own = browser.origin;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const wrong: [string, Parameters<Browser['ask']>[1]][] = [
      ['a form of another port', { page: 'http://127.0.0.1:1', method: 'POST', headers: form }],
      ['a script of another port', { page: 'http://127.0.0.1:1', method: 'POST' }],
      ['a page of an origin that may ask with keys', { page: 'https://app.example', method: 'POST' }],
      ['a form without an origin', { page: 'null', method: 'POST', headers: form }],
      [
        'one that says an origin of the other scheme',
        { method: 'POST', headers: { origin: own.replace('http', 'https') } },
      ],
      [
        'one that says it is no page of its own',
        { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } },
      ],
      ['one without the header', { method: 'POST', headers: { 'x-quern-console': '' } }],
      [
        'one with another name (DNS rebinding)',
        { method: 'POST', headers: { host: 'evil.example', origin: 'http://evil.example' } },
      ],
    ];
    for (const [what, about] of wrong) {
      const { status } = await browser.ask(path, about);
      expect(status, what).toBeGreaterThanOrEqual(403);
      expect(await browser.who(), what).toBe(`others ${path}`);
    }
    const headers = { 'x-quern-console': '1', cookie: [...browser.cookies].map((c) => c.join('=')).join() };
    expect((await send({ port: server.httpPort, path, method: 'POST', headers })).status).toBe(403);
    expect((await browser.ask(path, { method: 'POST' })).status).toBe(200);
    expect(await browser.who()).toBeNull();
  });

  it('do not sign a browser in as somebody else', async () => {
    const browser = await signedIn('victim');
    const json = { key: await made('attacker') };
    for (const about of [
      { page: 'http://127.0.0.1:1', json },
      { json, headers: { 'x-quern-console': '' } },
      { json, headers: { origin: 'null' } },
    ]) {
      expect((await browser.ask('/sign-in', about)).status).toBe(403);
    }
    expect(await browser.who()).toBe('victim');
  });

  it('read nothing by its cookie, and nothing allows them to', async () => {
    const browser = await signedIn('read');
    for (const site of ['cross-site', 'same-site', 'nonsense']) {
      const { status } = await browser.ask('/session', { headers: { 'sec-fetch-site': site } });
      expect(status, site).toBe(403);
    }
    const { headers } = await browser.ask('/session', {
      page: 'https://app.example',
      headers: { 'sec-fetch-site': 'none' },
    });
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    const preflight = await browser.ask('/sign-out', {
      method: 'OPTIONS',
      page: 'https://app.example',
      headers: {
        'access-control-request-headers': 'x-quern-console',
        'access-control-request-method': 'POST',
      },
    });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(preflight.headers).not.toHaveProperty('access-control-allow-headers');
  });
});

describe('cookies', () => {
  const name = (): string => `quern_session_${server.httpPort}`;

  it('that are forged, of another port, or of another address sign nobody in', async () => {
    const browser = await signedIn('near', "role = admin, addresses = '127.0.0.1'");
    const token = browser.cookies.get(name()) ?? '';
    const [id = ''] = token.split('.');
    for (const cookie of [
      `${name()}=`,
      name(),
      `${name()}=${id}.${'A'.repeat(43)}`,
      `${name()}=${token}x`,
      `${name()}="${token}"`,
      `quern_session_1=${token}`,
      `__Host-${name()}=${token}`,
      `${name().toUpperCase()}=${token}`,
    ]) {
      const { status } = await send({ port: server.httpPort, path: '/session', headers: { cookie } });
      expect(status, cookie).toBe(401);
    }
    const headers = { cookie: `a=b; ${name()}=${token}; c=d` };
    const about = { port: server.httpPort, path: '/session', headers };
    expect((await send(about)).status).toBe(200);
    expect((await send({ ...about, from: STRANGER })).status).toBe(401);
    expect((await send({ ...about, tls: true })).status).toBe(401);
  });

  it('of two that are signed in are told, whoever set the second one', async () => {
    const [one, two] = [await signedIn('first'), await signedIn('second')];
    const both = [one, two].map(({ cookies }) => `${name()}=${cookies.get(name())}`);
    const ask = (cookie: string) => send({ port: server.httpPort, path: '/session', headers: { cookie } });
    expect((await ask(both.join('; '))).status).toBe(400);
    expect((await ask(`${name()}=nonsense; ${both[0]}`)).status).toBe(200);
    expect((await ask([...new Array(9).fill(`${name()}=x`), both[0]].join('; '))).status).toBe(200);
  });

  it('that are huge are refused, and the port lives', async () => {
    const cookie = `${name()}=${'x'.repeat(40_000)}`;
    expect((await send({ port: server.httpPort, path: '/session', headers: { cookie } })).status).toBe(431);
    const many = Array.from({ length: 400 }, (_, i) => `${name()}=${i}`).join('; ');
    expect((await send({ port: server.httpPort, path: '/session', headers: { cookie: many } })).status).toBe(
      401,
    );
  });

  it('are new at each sign-in: one that was planted before is of nobody after it (session fixation)', async () => {
    const planted = await signedIn('planted');
    const victim = new Browser(server.httpPort);
    const token = planted.cookies.get(name()) ?? '';
    victim.cookies.set(name(), token);
    expect(await victim.signIn({ key: await made('owner of it') })).toBe(200);
    expect(victim.cookies.get(name())).not.toBe(token);
    expect([await victim.who(), await planted.who()]).toEqual(['owner of it', null]);
  });

  it('are no keys, and keys no cookies', async () => {
    const browser = await signedIn('kinds');
    const token = browser.cookies.get(name()) ?? '';
    const metrics = (about: object) =>
      send({ port: server.httpPort, path: '/metrics', from: STRANGER, ...about });
    expect((await metrics({ key: token })).status).toBe(401);
    expect((await metrics({ headers: { cookie: `${name()}=${token}` } })).status).toBe(401);
    const headers = { cookie: `${name()}=${server.key}` };
    expect((await send({ port: server.httpPort, path: '/session', headers })).status).toBe(401);
  });
});

describe('a session', () => {
  const endings: Readonly<Record<string, string>> = {
    dropped: 'DROP API KEY $',
    expired: 'ALTER API KEY $ EXPIRE',
    narrowed: "ALTER API KEY $ SET (collections = 'films')",
    'read only': 'ALTER API KEY $ SET (read_only)',
    rotated: 'ALTER API KEY $ ROTATE',
  };
  it.each(Object.keys(endings))('ends when its key is %s', async (how) => {
    const key = `key ${how}`;
    const browser = await signedIn(key);
    await server.sql((endings[how] ?? '').replace('$', identifier(key)));
    expect(await browser.who()).toBeNull();
    expect((await browser.ask('/sign-out', { method: 'POST' })).status).toBe(401);
  });

  it('ends with its key by itself', async () => {
    const browser = await signedIn('short', "role = admin, expires = '1 second'");
    const end = Date.now() + 1000;
    while (Date.now() < end) await new Promise((resolve) => setTimeout(resolve, end - Date.now()));
    expect(await browser.who()).toBeNull();
  });

  it('is of nobody but this browser after signing out, and everywhere ends all of the key', async () => {
    const key = await made('shared');
    const browsers = [0, 1, 2].map(() => new Browser(server.httpPort));
    for (const browser of browsers) await browser.signIn({ key });
    const [one, two, three] = browsers as [Browser, Browser, Browser];
    const kept = new Map(one.cookies);
    const out = await one.ask('/sign-out', { method: 'POST' });
    expect(cookieNamesOf(out)).toEqual([name()]);
    for (const [cookie, value] of kept) one.cookies.set(cookie, value);
    expect([await one.who(), await two.who(), await three.who()]).toEqual([null, 'shared', 'shared']);
    const other = await signedIn('not shared');
    await two.ask('/sign-out?everywhere=1', { method: 'POST' });
    expect([await two.who(), await three.who(), await other.who()]).toEqual([null, null, 'not shared']);
    expect((await send({ port: server.httpPort, path: '/metrics', key })).status).toBe(200);
  });

  it('outlives the server, also one that is killed', async () => {
    const browser = await signedIn('lasting');
    const cookie = `${name()}=${browser.cookies.get(name())}`;
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await server.startAgain(signal);
      // The cookie is of the port that it was.
      const headers = { cookie: cookie.replace(/^quern_session_\d+/, name()) };
      const { status, body } = await send({ port: server.httpPort, path: '/session', headers });
      expect([status, body]).toEqual([200, expect.stringContaining('"name":"lasting"')]);
    }
  });

  const name = (): string => `quern_session_${server.httpPort}`;
});
