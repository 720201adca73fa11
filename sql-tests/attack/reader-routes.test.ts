/**
 * Requests that somebody makes by hand with the cookie of a key that may do little, to every route of the HTTP port, by every method:
 * nothing changes, nobody's work ends, and nothing is told that the key does not see.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../../src/clients/typescript/src/client.ts';
import { deviceRoutes } from '../../src/http/device.ts';
import type { Route } from '../../src/http/exchange.ts';
import { pageRoutes } from '../../src/http/page-image.ts';
import { signInRoutes } from '../../src/http/sign-in.ts';
import { type Besieged, besieged } from './attack.ts';
import { Browser } from './browser.ts';
import { type Answered, send } from './http-request.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'] as const;

/** Words that stand in rows which the least key does not see. */
const HIDDEN = /Dune|Moby|containers|evaluation questions/;

/** Keys of little right, as CREATE API KEY has them. */
const KEYS: Readonly<Record<string, string>> = {
  'that only reads': 'role = reader, read_only',
  'of an owner, that only reads': 'role = owner, read_only',
  'of a role without rights': 'role = nobody',
  'for one table': "role = nobody, collections = 'plain', read_only",
};

let siege: Besieged;
let client: Client;
const browsers = new Map<string, Browser>();

beforeAll(async () => {
  siege = await besieged();
  const { key: apiKey, host, port, httpPort } = siege.server;
  client = new Client({ apiKey, host, port });
  await client.sql('CREATE ROLE nobody');
  await client.sql('GRANT SELECT ON plain TO nobody');
  for (const [name, options] of Object.entries(KEYS)) {
    const [row] = await client.sql(`CREATE API KEY "${name}" WITH (${options})`);
    const browser = new Browser(httpPort);
    await browser.signIn({ key: String(row?.key) });
    browsers.set(name, browser);
  }
});

afterAll(async () => {
  await client?.close();
  await siege?.[Symbol.asyncDispose]();
});

const nobody = {} as never;
const ROUTES: readonly Route[] = [
  ...signInRoutes(nobody, {}),
  ...deviceRoutes(nobody, nobody),
  ...pageRoutes(nobody, nobody),
];
/** Rests of paths that end in a slash; `code` is one that waits. */
const BEHIND: Readonly<Record<string, (code: string) => string>> = {
  '/device/': (code) => code,
  '/pages/': () => 'notes/ships/1/1',
};

/** Each path that something answers at. */
const pathsOf = (code: string): readonly string[] => [
  ...new Set(ROUTES.map(({ path }) => path + (path.endsWith('/') ? (BEHIND[path]?.(code) ?? 'x') : ''))),
  ...[
    '/sql',
    '/sql/stream',
    '/sql/mine',
    '/uploads',
    '/uploads/mine',
    '/mcp',
    '/metrics',
    '/healthz',
    '/readyz',
    '/',
    '/index.html',
  ],
];

const WRITE = 'DELETE FROM plain';

/** Bodies that are sent along, where something can be. */
const BODIES: readonly { readonly query?: string; readonly type?: string; readonly body?: string }[] = [
  {},
  { type: 'application/json', body: '{}' },
  { type: 'application/json', body: JSON.stringify({ statement: WRITE }) },
  {
    type: 'application/json',
    body: JSON.stringify({ statement: `COMMIT; SET quern.read_only = off; ${WRITE}` }),
  },
  {
    type: 'application/json',
    body: JSON.stringify({ statement: WRITE, settings: { 'quern.read_only': 'off' } }),
  },
  { type: 'application/json', body: JSON.stringify({ statement: WRITE, settings: { role: 'quern' } }) },
  { type: 'application/json', body: JSON.stringify({ approve: true, name: 'mine', expires: '90 days' }) },
  { type: 'text/csv', query: 'statement=COPY+plain+(a,b)+FROM+STDIN+(FORMAT+csv)', body: '99,evil\n' },
  {
    type: 'application/octet-stream',
    query: `statement=SELECT+quern.upsert_file('notes','evil','evil.md',$1::bytea)`,
    body: '# evil',
  },
  {
    type: 'application/octet-stream',
    query: `statement=COPY+quern.upload+FROM+STDIN+WITH+(FORMAT+raw,+dataset+'notes',+doc_id+'evil',+name+'evil.md')`,
    body: '# evil',
  },
];

/** Few where nothing of them is read. */
function bodiesFor(path: string, method: string): typeof BODIES {
  if (method === 'GET' || method === 'HEAD') return BODIES.slice(0, 1);
  return path === '/sql' || (path.startsWith('/device/') && method === 'POST') ? BODIES : BODIES.slice(0, 3);
}

async function ask(
  browser: Browser,
  path: string,
  method: string,
  sent: (typeof BODIES)[number],
): Promise<Answered> {
  const query = sent.query === undefined ? '' : `?${sent.query}`;
  return await browser.ask(`${path}${query}`, {
    method,
    // A stream has no end of its own.
    ...(path === '/sql/stream' && { signal: AbortSignal.timeout(300) }),
    headers: { origin: browser.origin, ...(sent.type !== undefined && { 'content-type': sent.type }) },
    ...(sent.body !== undefined && method !== 'GET' && method !== 'HEAD' && { body: sent.body }),
  });
}

it.each(Object.keys(KEYS))('with the cookie of a key %s change nothing', async (name) => {
  const browser = browsers.get(name) as Browser;
  const { code, fetched } = await waitingCommand();
  const before = await siege.witness.state();
  const failed: string[] = [];
  const told: string[] = [];
  for (const path of pathsOf(code)) {
    // Signing out is its right.
    if (path === '/sign-out') continue;
    for (const method of METHODS) {
      for (const sent of bodiesFor(path, method)) {
        const answered = await ask(browser, path, method, sent).catch(() => null);
        const what = `${method} ${path} ${sent.query ?? ''} ${sent.body ?? ''}: ${answered?.status} ${answered?.body}`;
        if (answered !== null && answered.status >= 500) failed.push(what);
        if (KEYS[name]?.includes('nobody') && HIDDEN.test(answered?.body ?? '')) told.push(what);
      }
    }
  }
  expect({ failed, told }).toEqual({ failed: [], told: [] });
  expect(await siege.witness.state()).toEqual(before);
  expect(await browser.who()).toBe(name);
  // It waits on: nobody here may make it a key.
  expect((await fetched()).status).toBe(202);
});

/** A command that wants to sign in by a browser. */
async function waitingCommand(): Promise<{
  readonly code: string;
  readonly fetched: () => Promise<Answered>;
}> {
  const begun = await owned({ client: 'a command' }, '/device');
  const { user_code: code, device_code } = JSON.parse(begun.body) as Record<string, string>;
  return { code: code ?? '', fetched: () => owned({ device_code }, '/device/token') };
}

/** An owner's request under way. */
const owned = async (json: object, path = '/sql'): Promise<Answered> =>
  await send({
    port: siege.server.httpPort,
    path,
    key: siege.server.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });

it('end no request, and enter no transaction, of another key', async () => {
  const opened = await owned({ statement: "BEGIN; UPDATE plain SET b = 'mine' WHERE a = 1" });
  const lines = opened.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { transaction?: { token: string } });
  const transaction = lines.find((line) => line.transaction !== undefined)?.transaction?.token;
  expect(transaction).toBeTypeOf('string');
  const sleeping = owned({ statement: 'SELECT pg_sleep(600)', request_id: 'mine' });
  const isUnderWay = async (): Promise<boolean> =>
    (await client.sql("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'")).length > 0;
  await expect.poll(isUnderWay).toBe(true);
  for (const [name, browser] of browsers) {
    const cancelled = await browser.ask('/sql/mine', { method: 'DELETE' });
    expect([name, cancelled.status]).toEqual([name, 404]);
    for (const statement of ['SELECT b FROM plain WHERE a = 1', 'ROLLBACK', 'COMMIT']) {
      const { status } = await browser.ask('/sql', { json: { statement, transaction } });
      expect([name, statement, status]).toEqual([name, statement, 404]);
    }
  }
  expect(await isUnderWay()).toBe(true);
  expect((await owned({ statement: 'ROLLBACK', transaction })).status).toBe(200);
  const ended = await send({
    port: siege.server.httpPort,
    path: '/sql/mine',
    method: 'DELETE',
    key: siege.server.key,
  });
  expect(ended.status).toBe(204);
  expect((await sleeping).status).toBe(409);
});
