/** The link that the first start prints: it signs in once, and is printed where it is good for something alone. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Browser } from './browser.ts';

const STRANGER = '127.0.0.3';
const folder = mkdtempSync(join(tmpdir(), 'quern-link-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server whose output is read, as by whoever starts it first. */
class FirstStart implements AsyncDisposable {
  output = '';
  errors = '';
  readonly #process;
  readonly #ended;

  private constructor(folderOfData: string, environment: NodeJS.ProcessEnv, flags: readonly string[]) {
    const args = [
      'serve',
      '--data',
      folderOfData,
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--http-port',
      '0',
      ...flags,
    ];
    const { QUERN_API_KEY: _, ...rest } = process.env;
    const program = join(import.meta.dirname, '../../bin/quern');
    this.#process = spawn(program, args, {
      env: { ...rest, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = new Promise((resolve) => this.#process.once('close', resolve));
  }

  static async begin(
    folderOfData: string,
    environment: NodeJS.ProcessEnv = {},
    flags: readonly string[] = [],
  ): Promise<FirstStart> {
    const begun = new FirstStart(folderOfData, environment, flags);
    begun.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      begun.errors += text;
    });
    for await (const text of begun.#process.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      begun.output += text;
      if (/^ready .*\n/m.test(begun.output)) break;
    }
    return begun;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await this.#ended;
  }
}

it('signs in once', async () => {
  await using first = await FirstStart.begin(join(folder, 'first'));
  const link = /^console: http:\/\/localhost:(\d+)\/#link=([\w-]{43})$/m.exec(first.output);
  expect(link, first.output).not.toBeNull();
  const [, port = '', token = ''] = link ?? [];
  expect(first.errors).not.toContain(token);
  const tries = await Promise.all(
    Array.from({ length: 3 }, () => new Browser(Number(port)).signIn({ link: token })),
  );
  expect(tries.sort()).toEqual([200, 401, 401]);
  const late = new Browser(Number(port), { from: STRANGER });
  expect(await late.signIn({ link: token })).toBe(401);
});

it('is printed of no later start, where a key is given, or without a console', async () => {
  await using again = await FirstStart.begin(join(folder, 'first'));
  expect(again.output).toMatch(/^ready [^\n]+\n$/);
  await using given = await FirstStart.begin(join(folder, 'given'), {
    QUERN_API_KEY: 'a-key-that-was-given',
  });
  expect(given.output).toMatch(/^ready [^\n]+\n$/);
  await using none = await FirstStart.begin(join(folder, 'none'), {}, ['--no-console']);
  expect(none.output).not.toMatch(/console:|#link/);
  const port = Number(/http=.*:(\d+)$/m.exec(none.output)?.[1]);
  const browser = new Browser(port);
  expect((await browser.ask('/session')).status).toBe(404);
  expect(await browser.signIn({ key: 'anything' })).toBe(405);
  expect((await browser.ask('/', { headers: { accept: 'text/html' } })).status).toBe(404);
});
