/** The `quern` command against a server: each command as text and as JSON, exit codes, and what only a terminal shows. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { connectionEnvironment, startFreshServer } from './program.ts';

const QUERN = join(import.meta.dirname, '../../bin/quern');
/** Runs a command on a pseudo-terminal, and ends as it does. */
const ON_TERMINAL = `
import os, pty, sys
status = pty.spawn(sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(status))
`;
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is sent.
const ESCAPES = /\x1b\[[\d;?]*[A-Za-z]/g;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  server = await startFreshServer();
  folder = mkdtempSync(join(tmpdir(), 'quern-command-'));
  mkdirSync(join(folder, 'reports/2023'), { recursive: true });
  writeFileSync(join(folder, 'reports/acme.md'), '# Acme\n\nRevenue of Acme was 12 million in 2023.\n');
  writeFileSync(join(folder, 'reports/2023/rail.md'), '# Rail\n\nRail moves coal by train.\n');
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.[Symbol.asyncDispose]();
});

function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PGHOST, PGPORT, PGPASSWORD } = connectionEnvironment(server);
  const { QUERN_API_KEY: _, ...inherited } = process.env;
  const own = { QUERN_HOST: PGHOST, QUERN_PORT: PGPORT, QUERN_API_KEY: PGPASSWORD, XDG_CONFIG_HOME: folder };
  return { ...inherited, ...own, ...more };
}

interface Given {
  readonly input?: string;
  readonly more?: NodeJS.ProcessEnv;
  /** Sent once this text has been shown. */
  readonly signalAt?: readonly [text: string, signal: NodeJS.Signals];
}

function ended(
  command: string,
  args: readonly string[],
  { input = '', more, signalAt }: Given,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, env: environment(more) });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (signalAt !== undefined && out.includes(signalAt[0])) child.kill(signalAt[1]);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out: out.replaceAll(TIMES, 'TIME'), err }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

const quern = (args: readonly string[], given: Given = {}): Promise<Ended> => ended(QUERN, args, given);
const onTerminal = async (args: readonly string[], given: Given = {}): Promise<Ended> =>
  await ended('python3', ['-c', ON_TERMINAL, QUERN, ...args], given);
const ok = (out: string): Ended => ({ code: 0, out, err: '' });

describe('datasets', () => {
  it('are made, shown, listed and changed', async () => {
    const shown = 'name        filings\ndescription annual\nregion      local\ncreated_at  TIME\n';
    expect(await quern(['dataset', 'create', 'filings', '--description', 'annual'])).toEqual(ok(shown));
    expect(await quern(['dataset', 'get', 'filings'])).toEqual(ok(shown));
    const one = { name: 'filings', description: 'annual', region: 'local', created_at: 'TIME' };
    expect(JSON.parse((await quern(['dataset', 'list', '-o', 'json'])).out)).toEqual([one]);
    const changed = await quern(['dataset', 'update', 'filings', '--description', 'other', '-o', 'json']);
    expect(JSON.parse(changed.out)).toEqual({ ...one, description: 'other' });
    expect(await quern(['dataset', 'create', 'filings'])).toMatchObject({ code: 1, err: /ERROR 42710/ });
  });

  it('take files, by patterns and folders', async () => {
    const dry = await quern(['upload', 'reports', '-r', '-d', 'filings', '--dry-run']);
    expect(dry).toEqual(ok('dry run  2023/rail.md\ndry run  acme.md\n(2 files)\n'));
    const sent = await quern(['upload', 'reports', '-r', '-d', 'filings', '--wait', '-o', 'json']);
    expect(JSON.parse(sent.out)).toMatchObject([
      { doc_id: '2023/rail.md', status: 'ready' },
      { doc_id: 'acme.md', status: 'ready' },
    ]);
    expect(await quern(['upload', 'reports', '-d', 'filings'])).toMatchObject({ code: 2, err: /add -r/ });
    expect(await quern(['upload', '*.pdf', '-d', 'filings'])).toMatchObject({
      code: 2,
      err: /no file matches/,
    });
    expect(await quern(['upload', 'reports/acme.md', '-d', 'nobody'])).toMatchObject({
      code: 1,
      err: /nobody/,
    });
  });

  it('list their documents', async () => {
    const table = (await quern(['list', '-d', 'filings'])).out.split('\n');
    expect(table[0]).toBe(
      'id           | name    | size | status | mime_type     | status_reason | metadata',
    );
    expect(table[2]).toMatch(/^2023\/rail\.md \| rail\.md \| +\d+ +\| ready +\| text\/markdown \| +\| \{\}$/);
    const [rail] = JSON.parse((await quern(['list', '-d', 'filings', '-o', 'json'])).out);
    expect(rail).toMatchObject({ id: '2023/rail.md', status: 'ready', metadata: {} });
  });

  it('answer, with links to the pages', async () => {
    const { out } = await quern([
      'ask',
      'What was the revenue of Acme?',
      '-d',
      'filings',
      '--show-refs',
      '--output-dir',
      'cited',
    ]);
    expect(out).toMatch(/^• .*12 million.* \[1\]/);
    const [, url = ''] = /^\[1\] acme\.md\n {4}(file:\/\/\S+)\n {4}│ /m.exec(out) ?? [];
    expect(readFileSync(fileURLToPath(url), 'utf8')).toContain('12 million');
    expect(out).toMatch(/\nconfidence \d+ of 100\n$/);
    const json = JSON.parse(
      (await quern(['ask', 'What was the revenue of Acme?', '-d', 'filings', '-o', 'json'])).out,
    );
    expect(json.facts[0].fact).toContain('12 million');
    expect(json.refs[json.facts[0].ref_ids[0]]).toMatchObject({
      doc_id: 'acme.md',
      content: { doc_pages: [] },
    });
    expect(await quern(['ask', 'zebra quantum xylophone?', '-d', 'filings'])).toEqual(
      ok('Nothing in these datasets answers that.\n'),
    );
    expect(await quern(['ask', 'x', '-d', 'filings', '-m', 'loud'])).toMatchObject({ code: 2 });
    expect(await quern(['ask', 'x'])).toMatchObject({ code: 2, err: /--dataset/ });
  });

  it('show on a terminal how far they are, and colours', async () => {
    const sent = await onTerminal(['upload', 'reports', '-r', '-d', 'filings', '--wait']);
    expect([sent.code, sent.out]).toEqual([0, expect.stringMatching(/\[█+\] 2\/2 [\s\S]*\(2 files\)/)]);
    const listed = await onTerminal(['list', '-d', 'filings']);
    expect(listed.out.replaceAll(ESCAPES, '')).toMatch(/^id .*metadata\s[\s\S]*acme\.md/);
    const asked = await onTerminal(['ask', 'What was the revenue of Acme?', '-d', 'filings']);
    expect(asked.out).not.toBe(asked.out.replaceAll(ESCAPES, ''));
    const plain = await onTerminal(['search', 'coal', '-d', 'filings'], { more: { NO_COLOR: '1' } });
    expect(plain.out).toMatch(/^1\. rail\.md/);
  });

  it('are searched and researched', async () => {
    const found = await quern(['search', 'coal', '-d', 'filings', '-k', '1']);
    expect(found.out).toMatch(/^1\. rail\.md \(filings, \d\.\d{3}\)\n {3}.*Rail/);
    const [first] = JSON.parse((await quern(['search', 'coal', '-d', 'filings', '-o', 'json'])).out);
    expect(first).toMatchObject({
      doc_id: '2023/rail.md',
      content: { text: expect.stringContaining('coal') },
    });
    const research = await quern([
      'research',
      'What was the revenue of Acme?',
      '-d',
      'filings',
      '-o',
      'json',
    ]);
    expect(JSON.parse(research.out)).toMatchObject({ confidence: expect.any(Number) });
  });

  it('lose documents, and go', async () => {
    expect(await quern(['delete', '-d', 'filings', '--id', 'acme.md'])).toEqual(ok('deleted acme.md\n'));
    expect(await quern(['dataset', 'delete', 'filings'])).toMatchObject({ code: 2, err: /--yes/ });
    expect(await quern(['dataset', 'delete', 'filings', '-y'])).toEqual(ok('deleted filings\n'));
    expect(await quern(['dataset', 'get', 'filings'])).toMatchObject({ code: 1, err: /does not exist/ });
  });
});

describe('collections', () => {
  it('are made, shown, listed and dropped', async () => {
    const schema = 'title TEXT NOT NULL INDEX keyword_index(), year BIGINT';
    expect(await quern(['collection', 'create', 'books', '--schema', schema])).toEqual(ok('created books\n'));
    expect((await quern(['collection', 'get', 'books'])).out).toBe(
      'field | type   | required | indexes\n------+--------+----------+--------\ntitle | text   | yes      | keyword\nyear  | bigint |          |\n',
    );
    const [listed] = JSON.parse((await quern(['collection', 'list', '-o', 'json'])).out);
    expect(listed).toEqual({ name: 'books', region: 'local', created_at: 'TIME', fields: 2 });
    expect(await quern(['collection', 'delete', 'books', '-y', '-o', 'json'])).toEqual(
      ok('{\n  "deleted": "books"\n}\n'),
    );
  });
});

describe('sql', () => {
  it('prints tables, or JSON', async () => {
    const text = "SELECT 1 AS a, 'x' AS b; SELECT NULL AS c";
    expect(await quern(['sql', '-c', text])).toEqual(ok('a | b\n--+--\n1 | x\n(1 row)\nc\n-\n\n(1 row)\n'));
    expect(JSON.parse((await quern(['sql', '-o', 'json'], { input: text })).out)).toEqual([
      [{ a: '1', b: 'x' }],
      [{ c: null }],
    ]);
    expect(await quern(['sql', '-c', 'SELECT 1/0'])).toMatchObject({ code: 1, err: /ERROR 22012/ });
  });

  it('is a prompt on a terminal, with history', async () => {
    const { out } = await onTerminal(['sql'], { input: 'SELECT 41 +\n  1 AS answer;\n\\q\n' });
    const shown = out.replaceAll(ESCAPES, '');
    expect(shown).toMatch(/quern=> [\s\S]*quern-> [\s\S]*answer[\s\S]*42[\s\S]*\(1 row\)[\s\S]*ms/);
    expect(readFileSync(join(folder, 'quern/history'), 'utf8')).toContain('SELECT 41 +   1 AS answer;');
  });

  it('ends with 130 after Ctrl-C, and so does the statement', async () => {
    const running = quern(['sql', '-c', 'SELECT pg_sleep(60)']);
    const asked = async (): Promise<string> =>
      (
        await quern([
          'sql',
          '-o',
          'json',
          '-c',
          "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'",
        ])
      ).out;
    expect(await Promise.race([running, asked().then(() => 'still')])).toBe('still');
    const interrupted = ended('python3', ['-c', INTERRUPTED, QUERN, 'sql', '-c', 'SELECT pg_sleep(61)'], {});
    expect((await interrupted).code).toBe(130);
    const stop = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'";
    await quern(['sql', '-c', stop]);
    expect(await running).toMatchObject({ code: 1, err: /57014/ });
    expect(JSON.parse(await asked())).toEqual([]);
  });
});

/** Starts a command, waits until its statement runs, and interrupts it. */
const INTERRUPTED = `
import signal, subprocess, sys, time
child = subprocess.Popen(sys.argv[1:])
look = sys.argv[1:3] + ["-o", "json", "-c", "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(61)'"]
for _ in range(100):
    if b"pid" in subprocess.run(look, capture_output=True).stdout:
        break
child.send_signal(signal.SIGINT)
sys.exit(child.wait())
`;

describe('a key', () => {
  const none = { QUERN_API_KEY: '' };

  it('is kept by login, for its owner alone, until logout', async () => {
    expect(await quern(['dataset', 'list'], { more: none })).toMatchObject({ code: 1, err: /quern login/ });
    const { host, port } = server;
    const there = ['--host', host, '--port', String(port)];
    expect(await quern(['login', ...there])).toMatchObject({ code: 0, out: /signed in/ });
    const file = join(folder, 'quern/credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(
      await quern(['dataset', 'list'], { more: { ...none, QUERN_HOST: undefined, QUERN_PORT: undefined } }),
    ).toEqual(ok('(none)\n'));
    expect(await quern(['logout'])).toEqual(ok('signed out\n'));
    expect(existsSync(file)).toBe(false);
  });

  it('that is wrong, or no server, is said', async () => {
    const wrong = { QUERN_API_KEY: 'wrong-key-0123456789' };
    expect(await quern(['login'], { more: wrong })).toMatchObject({ code: 1, err: /28P01/ });
    expect(await quern(['login'], { more: none })).toMatchObject({ code: 2, err: /no terminal/ });
    expect(await quern(['dataset', 'list'], { more: { QUERN_PORT: '1' } })).toMatchObject({
      code: 1,
      err: /cannot reach 127\.0\.0\.1:1[\s\S]*HINT: .*QUERN_HOST/,
    });
  });
});

it('completes commands and options in bash', async () => {
  const script = `source <("$0" completion bash); COMP_WORDS=(quern dataset cr); COMP_CWORD=2; _quern; echo "\${COMPREPLY[@]}"`;
  expect(await ended('bash', ['-c', script, QUERN], {})).toEqual(ok('create\n'));
  const options = `source <("$0" completion bash); COMP_WORDS=(quern ask --fi); COMP_CWORD=2; _quern; echo "\${COMPREPLY[@]}"`;
  expect(await ended('bash', ['-c', options, QUERN], {})).toEqual(ok('--filter\n'));
  expect((await quern(['completion', 'fish'])).out).toContain(
    "-n '__fish_seen_subcommand_from dataset' -a create",
  );
  expect(await quern(['completion', 'dos'])).toMatchObject({ code: 2 });
});

it('helps, with examples, and says what is not there yet', async () => {
  const { out, code } = await quern(['--help']);
  expect([code, out]).toEqual([0, expect.stringMatching(/Usage: quern[\s\S]*Examples:[\s\S]*quern ask/)]);
  expect(await quern(['backup'])).toMatchObject({ code: 1, err: /not available yet/ });
  expect(await quern(['nonsense'])).toMatchObject({ code: 2 });
});
