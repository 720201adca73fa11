/** The console's pages and files: which paths have one, how they are sent, and what a browser may do with them. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, send } from '../../sql-tests/attack/http-request.ts';
import { consoleOf } from './console.ts';
import { findConsoleFiles } from './console-files.ts';
import { type HttpListener, listenHttp } from './listener.ts';

const INDEX = `<!doctype html><html><head><base href="/" /><meta property="csp-nonce" nonce="QUERN_CSP_NONCE" />
<script type="module" src="./assets/index-1a2b.js" nonce="QUERN_CSP_NONCE"></script></head></html>`;
const SCRIPT = `export const text = ${JSON.stringify('quern '.repeat(500))};`;
const PROXY = '127.0.0.2';

const folder = mkdtempSync(join(tmpdir(), 'quern-pages-'));
const built = join(folder, 'console');
const servers: HttpListener[] = [];
const failures: unknown[] = [];
let port: number;

async function serve(files: string): Promise<number> {
  const http = await listenHttp({
    host: '127.0.0.1',
    port: 0,
    connectionsMax: 20,
    secureContext: () => createSecureContext(),
    certificates: { areAsked: false, fault: () => null },
    trustedProxies: [PROXY],
    hosts: [],
    origins: [],
    report: (error) => failures.push(error),
    routes: [{ method: 'POST', path: '/api', answer: async ({ response }) => void response.end('api') }],
    console: consoleOf(findConsoleFiles(files)),
  });
  servers.push(http);
  return http.port;
}

beforeAll(async () => {
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(built, 'index.html'), INDEX);
  writeFileSync(join(built, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(built, '.hidden'), 'hidden');
  writeFileSync(join(built, 'odd.bin'), Buffer.from([0, 1, 2]));
  writeFileSync(join(built, 'assets/index-1a2b.js'), SCRIPT);
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(built, 'link.txt'));
  port = await serve(built);
});

afterAll(async () => {
  await Promise.all(servers.map((http) => http.close()));
  rmSync(folder, { recursive: true, force: true });
  expect(failures).toEqual([]);
});

type About = Omit<Parameters<typeof send>[0], 'port' | 'path'>;
const get = (path: string, about: About = {}): Promise<Answered> => send({ ...about, port, path });
const page = (path: string, about: About = {}): Promise<Answered> =>
  get(path, { ...about, headers: { accept: 'text/html,*/*;q=0.8', ...about.headers } });

describe('a page', () => {
  it('is the same at every path that a browser shows', async () => {
    for (const path of [
      '/',
      '/index.html',
      '/query',
      '/collections/films/rows/m12?a=b',
      '/device?code=A',
      '/%',
      '/é',
    ]) {
      const { status, headers, body } = await page(encodeURI(path));
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(body).toContain('assets/index-1a2b.js');
      expect(headers['cache-control']).toBe('no-store');
    }
    for (const path of ['/', '/query']) expect((await get(path)).status, path).toBe(404);
    expect((await page('/query', { method: 'POST' })).status).toBe(405);
    expect((await page('/api', { method: 'POST' })).body).toBe('api');
    const head = await page('/', { method: 'HEAD' });
    expect([head.status, head.body, Number(head.headers['content-length']) > 200]).toEqual([200, '', true]);
  });

  it('has a nonce of its own, and runs nothing but files of the server', async () => {
    const [first, second] = [await page('/'), await page('/')];
    const nonce = /property="csp-nonce" nonce="([^"]+)"/.exec(first.body)?.[1] ?? '';
    expect(nonce).toMatch(/^[\w+/]{22}==$/);
    expect(first.body).not.toContain('QUERN_CSP_NONCE');
    expect(second.body).not.toContain(nonce);
    const rules = String(first.headers['content-security-policy']).split('; ');
    expect(rules).toContain("default-src 'none'");
    expect(rules).toContain("script-src 'self'");
    expect(rules).toContain(`style-src 'self' 'nonce-${nonce}'`);
    expect(rules).toContain("frame-ancestors 'none'");
    expect(rules.join()).not.toMatch(/unsafe-|https?:|\*/);
    expect(first.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'permissions-policy': expect.stringMatching(/camera=\(\)/),
    });
  });

  it('stands below the path that a named proxy says, and nobody else', async () => {
    const baseOf = async (about: About): Promise<string | undefined> =>
      /<base href="([^"]*)"/.exec((await page('/', about)).body)?.[1];
    const below = (prefix: string): Record<string, string> => ({ 'x-forwarded-prefix': prefix });
    expect(await baseOf({})).toBe('/');
    expect(await baseOf({ headers: below('/quern') })).toBe('/');
    expect(await baseOf({ from: PROXY, headers: below('/quern') })).toBe('/quern/');
    expect(await baseOf({ from: PROXY, headers: below('/quern/') })).toBe('/quern/');
    expect(await baseOf({ from: PROXY, headers: below('/a, /b.c-d') })).toBe('/a/b.c-d/');
    expect(await baseOf({ from: PROXY, headers: below('/') })).toBe('/');
    for (const prefix of [
      'quern',
      '//evil.example',
      '/a/../b',
      '/"><script>',
      '/a b',
      `/${'a'.repeat(101)}`,
      '/%2e',
      '/.',
    ]) {
      expect((await page('/', { from: PROXY, headers: below(prefix) })).status, prefix).toBe(400);
    }
  });

  it('that has not been built is told how to be', async () => {
    const empty = await serve(join(folder, 'nothing'));
    const answered = await send({ port: empty, path: '/', headers: { accept: 'text/html' } });
    expect([answered.status, answered.body]).toEqual([
      404,
      expect.stringMatching(/not been built[\s\S]*hint: .*set-up/),
    ]);
  });
});

describe('a file', () => {
  it('is sent as it is, compressed where that is wanted, and kept where its name has its hash', async () => {
    const path = '/assets/index-1a2b.js';
    const plain = await get(path);
    expect([plain.status, plain.body]).toEqual([200, SCRIPT]);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const coded = async (accept: string): Promise<readonly [string | undefined, string]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { 'accept-encoding': accept },
      });
      return [response.headers.get('content-encoding') ?? undefined, await response.text()];
    };
    expect(await coded('gzip, deflate, br')).toEqual(['br', SCRIPT]);
    expect(await coded('gzip;q=0.5')).toEqual(['gzip', SCRIPT]);
    expect(await coded('br;q=0, gzip;q=0.0, identity')).toEqual([undefined, SCRIPT]);
    const again = await get(path, { headers: { 'if-none-match': String(plain.headers.etag) } });
    expect([again.status, again.body, again.headers.etag]).toEqual([304, '', plain.headers.etag]);
    const icon = await get('/icon.svg');
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
    expect((await get('/odd.bin')).headers['content-type']).toBe('application/octet-stream');
  });

  it('is compressed to what it is', async () => {
    const { bodies } = (await findConsoleFiles(built).get('/assets/index-1a2b.js')?.load()) ?? {};
    expect(brotliDecompressSync(bodies?.br ?? '').toString()).toBe(SCRIPT);
    expect(gunzipSync(bodies?.gzip ?? '').toString()).toBe(SCRIPT);
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets%2findex-1a2b.js',
    '/assets/%69ndex-1a2b.js',
    '/assets\\index-1a2b.js',
    '/assets//index-1a2b.js',
    '//assets/index-1a2b.js',
    '/assets/index-1a2b.js/',
    '/assets',
    '/link.txt',
    '/.hidden',
    '/secret.txt',
    '/__proto__',
    '/constructor',
    '/icon.svg%00.js',
    'http://127.0.0.1/icon.svg',
  ])('is not had by %s', async (path) => {
    const { status, body } = await get(path);
    expect([status, body]).toEqual([404, 'not found\n']);
  });
});
