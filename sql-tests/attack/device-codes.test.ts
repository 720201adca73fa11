/**
 * Commands that sign in by a browser, under attack: codes that are guessed, approved by pages of others, by lesser keys or twice,
 * secrets that are used again.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from './browser.ts';
import { ConsoleServer } from './console-server.ts';
import { type Answered, networkAddress, send } from './http-request.ts';

let server: ConsoleServer;

beforeAll(async () => {
  server = await ConsoleServer.start();
});

afterAll(() => server?.[Symbol.asyncDispose]());

const signedIn = (name: string, options?: string): Promise<Browser> => server.signedIn(name, options);

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
  readonly url: string;
}
const program = (path: string, json: object, about: object = {}): Promise<Answered> =>
  send({
    port: server.httpPort,
    path,
    body: JSON.stringify(json),
    headers: { 'content-type': 'application/json' },
    ...about,
  });
const begin = async (): Promise<Begun> =>
  JSON.parse((await program('/device', { client: 'quern on test' })).body) as Begun;
const fetchKey = ({ device_code }: Begun): Promise<Answered> => program('/device/token', { device_code });

it('gets a key of its own once a page has approved it, once', async () => {
  const begun = await begin();
  const { user_code: code } = begun;
  expect(begun.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/device\?code=[A-Z]{4}-[A-Z]{4}$/);
  const browser = await signedIn('approver');
  const asked = await browser.ask(`/device/${code}`);
  expect(JSON.parse(asked.body)).toMatchObject({ code, client: 'quern on test', address: '127.0.0.1' });
  expect((await fetchKey(begun)).status).toBe(202);
  expect((await browser.ask(`/device/${code}`, { json: { approve: true, name: 'laptop' } })).status).toBe(
    200,
  );
  expect((await browser.ask(`/device/${code}`, { json: { approve: true } })).status).toBe(404);
  const [one, two] = await Promise.all([fetchKey(begun), fetchKey(begun)]);
  expect([one.status, two.status].sort()).toEqual([200, 410]);
  const { name, key } = JSON.parse((one.status === 200 ? one : two).body) as { name: string; key: string };
  expect([name, (await send({ port: server.httpPort, path: '/metrics', key })).status]).toEqual([
    'laptop',
    200,
  ]);
  expect(server.log()).not.toContain(key);
  expect(server.log()).not.toContain(begun.device_code);
});

it('is approved by no page of others, no key alone, nobody who is out, and no lesser key', async () => {
  const begun = await begin();
  const path = `/device/${begun.user_code}`;
  const json = { approve: true };
  const browser = await signedIn('victim of a code');
  expect((await browser.ask(path, { json, page: 'http://127.0.0.1:1' })).status).toBe(403);
  expect((await browser.ask(path, { json, headers: { 'x-quern-console': '' } })).status).toBe(403);
  expect((await browser.ask(path, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
  expect((await program(path, json)).status).toBe(403);
  expect((await new Browser(server.httpPort).ask(path, { json })).status).toBe(401);
  for (const options of ['role = reader', 'role = owner, read_only', "role = admin, collections = 'films'"]) {
    const lesser = await signedIn(`lesser ${options.length}`, options);
    expect((await lesser.ask(path, { json })).status, options).toBe(403);
  }
  const brief = await signedIn('brief', "role = admin, expires = '1 hour'");
  expect((await brief.ask(path, { json: { approve: true, expires: '2 hours' } })).status).toBe(403);
  expect((await fetchKey(begun)).status).toBe(202);
  expect((await browser.ask(path, { json: { approve: false } })).status).toBe(200);
  expect((await fetchKey(begun)).status).toBe(403);
  expect((await fetchKey(begun)).status).toBe(410);
});

it('gets none once its approver is signed out', async () => {
  const begun = await begin();
  const browser = await signedIn('leaves');
  await browser.ask(`/device/${begun.user_code}`, { json: { approve: true } });
  await browser.ask('/sign-out', { method: 'POST' });
  expect((await fetchKey(begun)).status).toBe(401);
  expect((await fetchKey(begun)).status).toBe(410);
});

it('is refused where it cannot be read', async () => {
  const browser = await signedIn('reads');
  for (const json of [{}, { device_code: 1 }, { device_code: 'x'.repeat(101) }, { device_code: 'wrong' }]) {
    expect((await program('/device/token', json)).status).toBeGreaterThanOrEqual(400);
  }
  const { user_code: code } = await begin();
  for (const json of [
    {},
    { approve: 'yes' },
    { approve: true, name: 1 },
    { approve: true, expires: 'soon' },
    { approve: true, name: 'owner' },
  ]) {
    const { status } = await browser.ask(`/device/${code}`, { json });
    expect([400, 409], JSON.stringify(json)).toContain(status);
  }
  for (const wrong of ['', 'token', 'BBBB-BBBB', '%00', '../session', `${code}/`]) {
    expect((await browser.ask(`/device/${wrong}`, { headers: { 'x-try': '1' } })).status, wrong).toBe(404);
  }
});

it('has codes that are guessed slowly', async () => {
  const browser = new Browser(server.httpPort, { from: '127.0.8.1' });
  await browser.signIn({ key: server.key });
  const given = new AbortController();
  const guesses = Array.from({ length: 14 }, (_, i) =>
    browser
      .ask(`/device/BCDF-GHJ${i}`, { signal: given.signal })
      .then(({ status }) => (status === 429 ? status : Promise.reject(new Error('was looked at')))),
  );
  expect(await Promise.any(guesses)).toBe(429);
  given.abort();
  await Promise.allSettled(guesses);
});

const to = networkAddress();
it.skipIf(to === null)('gets no key in clear over a network', async () => {
  const headers = { 'content-type': 'application/json', host: `${to}:${server.httpPort}` };
  const about = { ...(to !== null && { to }), headers };
  expect((await program('/device', {}, about)).status).toBe(403);
  expect((await program('/device/token', {}, about)).status).toBe(403);
  expect((await program('/device', {}, { ...about, tls: true })).status).toBe(200);
});
