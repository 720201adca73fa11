/**
 * The npm package `quern`: made, packed, installed by `npm i` of the packed file in an empty folder as docs/install.md
 * says, and run from there.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, readPage } from '../sql-tests/docs/markdown.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const ROOT = join(import.meta.dirname, '..');
/** Two English models, OCR, and the libraries of three systems; the multilingual model would be 63 MB more. */
const PACKED_BYTES_MAX = 115e6;
const REPORT = 'borrowing-for-graduate-school.pdf';

let project: string;
let packed: string;
let quern: string;

/** As a user has it: what this checkout's own set-up is told is not told here. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { ONNXRUNTIME_NODE_INSTALL: _, NODE_COMPILE_CACHE: __, ...inherited } = process.env;
  return { ...inherited, XDG_CONFIG_HOME: project, XDG_CACHE_HOME: join(project, 'cache'), ...more };
}

const installed = (path: string): string => join(project, 'node_modules/quern', path);

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'quern-installed-'));
  const out = join(project, 'packed');
  execFileSync(process.execPath, [join(ROOT, 'scripts/package.ts'), out], { encoding: 'utf8' });
  packed = join(out, readdirSync(out).find((name) => name.endsWith('.tgz')) ?? '');
  rmSync(join(out, 'quern'), { recursive: true });
  const args = ['install', '--loglevel=error', '--prefer-offline', '--no-audit', '--no-fund', packed];
  execFileSync('npm', args, { cwd: project, env: environment(), encoding: 'utf8' });
  quern = join(project, 'node_modules/.bin/quern');
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('what is packed', () => {
  it('is small, and holds no sources, tests or tools', () => {
    expect(statSync(packed).size).toBeLessThan(PACKED_BYTES_MAX);
    const own = readdirSync(installed('.'), { recursive: true, encoding: 'utf8' });
    expect(own.filter((name) => /\.ts$|\.test\.|fixture/.test(name))).toEqual([]);
    expect(readdirSync(installed('.')).toSorted()).toEqual(
      ['LICENSE', 'NOTICE', 'README.md', 'bin', 'build', 'domains', 'models', 'package.json']
        .concat(['node_modules', 'samples', 'scripts', 'src'].toSorted())
        .toSorted(),
    );
  });

  it('says where the models and samples come from', () => {
    for (const folder of [...folders('models'), ...folders('samples')]) {
      const notices = readdirSync(folder).filter((name) => /^(?:NOTICE|LICEN[CS]E)/.test(name));
      expect(notices.length, folder).toBeGreaterThan(0);
    }
  });

  it('brings the one package whose install script asks another host, without that script', () => {
    const scripts = JSON.parse(
      execFileSync('npm', ['query', ':attr(scripts, [postinstall])'], { cwd: project, encoding: 'utf8' }),
    ) as readonly { readonly name: string }[];
    expect(scripts.map(({ name }) => name)).toEqual([]);
  });
});

const folders = (parent: string): string[] =>
  readdirSync(installed(parent)).map((name) => join(installed(parent), name));

it('is not made by npm pack in the checkout, which says how it is', () => {
  const args = ['pack', '--silent', '--pack-destination', project];
  const ended = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  expect(ended.status).not.toBe(0);
  expect(ended.stderr).toContain('npm run package');
});

it('asks for a newer Node where there is an old one, or none', () => {
  const old = join(project, 'old');
  mkdirSync(old);
  const path = { PATH: `${old}${delimiter}/usr/bin${delimiter}/bin` };
  const run = () => spawnSync(quern, ['--help'], { encoding: 'utf8', env: environment(path) });
  writeFileSync(join(old, 'node'), '#!/bin/sh\necho v22.14.0\n');
  chmodSync(join(old, 'node'), 0o755);
  const asked = 'quern: Node.js 24 or later is needed; `node` here is';
  expect(run()).toMatchObject({ status: 1, stdout: '', stderr: `${asked} v22.14.0\n` });
  writeFileSync(join(old, 'node'), '#!/bin/sh\nexit 127\n');
  expect(run()).toMatchObject({ status: 1, stdout: '', stderr: `${asked} missing\n` });
});

describe('the command', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    const data = join(project, 'data');
    const caches = { XDG_CACHE_HOME: join(project, 'cache') };
    server = await startServer({ data, quern, environment: caches });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  /** @returns what it wrote on standard output. @throws Error with what it wrote on the other. */
  async function runProgram(command: string, args: readonly string[], input = ''): Promise<string> {
    const { host, port, key } = server;
    const own = { QUERN_HOST: host, QUERN_PORT: String(port), QUERN_API_KEY: key };
    const drivers = { PGPORT: String(port), PGPASSWORD: key, PYTHONPATH: join(ROOT, 'src/clients/python') };
    const found = ['node_modules/.bin', `${ROOT}/.tools/python/bin`].map((folder) =>
      resolve(project, folder),
    );
    const path = { PATH: [...found, process.env.PATH].join(delimiter), PYTHONDONTWRITEBYTECODE: '1' };
    const env = environment({ ...own, ...drivers, ...path });
    const child = spawn(command, args, { cwd: project, env, stdio: 'pipe' });
    child.stdin.end(input);
    const ended = new Promise((done) => child.once('close', done));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${err}`);
    return out;
  }
  const run = (args: readonly string[], input?: string): Promise<string> => runProgram(quern, args, input);
  const value = async (sql: string): Promise<unknown> => {
    const rows = JSON.parse(await run(['sql', '-o', 'json'], sql)) as readonly Record<string, unknown>[];
    return Object.values(rows[0] ?? {})[0];
  };

  it('tells what it can do, and completes it', async () => {
    expect(await run(['--help'])).toMatch(/serve .*run a server/);
    expect(await run(['--version'])).toMatch(/^quern \d+\.\d+\.\d+\n$/);
    expect(await run(['completion', 'bash'])).toContain('complete -F _quern quern');
  });

  it('finds by meaning, with kernels and an embedding thread', async () => {
    await run(['sql', '-c', `CREATE TABLE books (_id text, t text INDEX semantic_index())`]);
    await run([
      'sql',
      '-c',
      `INSERT INTO books VALUES ('a', 'a whale hunt at sea'), ('b', 'machines of steel')`,
    ]);
    const nearest = `SELECT _id FROM books ORDER BY semantic_similarity(t, 'ocean mammals') DESC LIMIT 1`;
    expect(await value(nearest)).toBe('a');
  });

  it('starts its parser and its helper for calls', async () => {
    expect(Number(await value(`SELECT 1${'+1'.repeat(700)}`))).toBe(701);
    expect(Number(await value(`SELECT cardinality(string_to_array(repeat('a,', 2000000), ','))`))).toBe(
      2_000_001,
    );
  });

  it('reads a sample, and answers from it', async () => {
    await run(['dataset', 'create', 'reports']);
    await run(['upload', join(installed('samples/documents'), REPORT), '-d', 'reports', '--wait']);
    const answer = await run(['ask', 'How much do graduate students borrow?', '-d', 'reports']);
    expect(answer).toMatch(new RegExp(`\\[1\\][^]*${REPORT}, page \\d`));
  });

  it('reads what is drawn: pages as pictures, by OCR', async () => {
    const page = `(SELECT quern.get_page('reports', '${REPORT}', 1))`;
    const handle = await value(`SELECT quern.upsert_file('reports', 'scan', 'scan.png', ${page})`);
    await run(['sql', '-c', `SELECT quern.wait_for_handle('${handle}')`]);
    const found = `SELECT count(*) FROM reports.chunks WHERE doc_id = 'scan' AND text ILIKE '%graduate%'`;
    expect(Number(await value(found))).toBeGreaterThan(0);
  });

  it('gives an agent its tools', async () => {
    const about = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: about },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const told = await run(['mcp'], messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    expect(told).toContain('"name":"ask"');
  });

  it.skipIf(!existsSync(join(ROOT, '.tools/python')))(
    'is trusted by its certificate, as the page says',
    async () => {
      const lines = blocksOf(readPage('docs/install.md'))
        .flatMap((block) => block.text.split('\n'))
        .filter((line) => line.includes('data.tls/server.crt'));
      expect(lines).toHaveLength(3);
      for (const line of lines) await runProgram('bash', ['--norc', '-c', line]);
    },
  );
});
