/**
 * Quern's Python client against a real server: the contract cases of `src/clients/cases`, sync and async, what
 * Python alone has, a server that is killed under it, its package installed where nothing else is, its types.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { MISSING } from './missing.ts';
import { connectionEnvironment, failures, type Outcome, runProgram, startFreshServer } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, '.tools/python/bin/python');
const CLIENT = join(ROOT, 'src/clients/python');
const program = (name: string): string => join(import.meta.dirname, 'python', `${name}.py`);
const SUITE_CHECKS = 33;
/** Four starts of a server, or an installation, beside other tests. */
const SLOW_MS = 180_000;

const environmentOf = (server: Pick<ServerProcess, 'host' | 'port' | 'key'>) => ({
  ...connectionEnvironment(server),
  PYTHONPATH: CLIENT,
  PYTHONDONTWRITEBYTECODE: '1',
});

function caseCount(): number {
  const files = globSync(join(ROOT, 'src/clients/cases/*.json'));
  const counts = files.map((file) => {
    const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly { only?: string }[] };
    return cases.filter(({ only = 'python' }) => only === 'python').length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

describe.skipIf(!existsSync(PYTHON))("Quern's Python client", () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startFreshServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it.each(['sync', 'async'])('keeps the contract, %s', async (kind) => {
    const outcome = await runProgram([PYTHON, program('quern_cases'), kind], environmentOf(server));
    expect(failures(outcome)).toEqual(MISSING['quern-cases'] ?? {});
    expect(outcome.size).toBe(caseCount());
  });

  it('keeps what Python alone has', async () => {
    const outcome = await runProgram([PYTHON, program('quern_suite')], environmentOf(server));
    expect(failures(outcome)).toEqual({});
    expect(outcome.size).toBe(SUITE_CHECKS);
  });

  it(
    'goes on, or says so, when its server is killed',
    async () => {
      expect(failures(await runThroughRestarts())).toEqual({});
    },
    SLOW_MS,
  );

  it(
    'installs where nothing of the server is, with the adapters of frameworks, and runs its quick start',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'quern-pip-'));
      try {
        const python = join(folder, 'bin/python');
        run(PYTHON, ['-m', 'venv', folder], folder);
        const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check'];
        run(python, [...pip, asCheckedOut(folder)], folder);
        const examples = readFileSync(join(CLIENT, 'README.md'), 'utf8').matchAll(/```python\n(.*?)```/gs);
        const outputs = [...examples].map(([, code]) => run(python, ['-c', code as string], folder));
        expect(outputs.join('')).toMatch(/'title': 'Jaws'.*'title': 'Moby Dick'.*'rating': 6\.7.*\n2\n/s);
        expect(outputs.join('')).toMatch(/margin of Acme rose to 12 % on lower freight costs\..*acme\.md/s);
        expect(run(python, ['-c', ADAPTERS], folder)).toBe(
          'quern[langchain]\nquern[llama-index]\nquern[haystack]\n',
        );
        run(python, [...pip, '--no-deps', '-e', CLIENT], folder);
        const where = 'import quern; print(quern.Client.__module__, quern.__file__)';
        expect(run(python, ['-c', where], folder)).toBe(`quern._sync.client ${CLIENT}/quern/__init__.py\n`);
        expect(run(python, ['-c', ADAPTERS], folder)).toContain('quern[haystack]');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    SLOW_MS,
  );

  it(
    'has a plain tree that is made of the awaited one, and types that hold, adapters included',
    () => {
      run(PYTHON, [join(CLIENT, 'make_sync.py'), '--check'], CLIENT);
      if (spawnSync(PYTHON, ['-c', 'import mypy']).status !== 0) return;
      const folder = mkdtempSync(join(tmpdir(), 'quern-mypy-'));
      run(PYTHON, [join(CLIENT, 'make_sync.py'), '--into', folder], CLIENT);
      const settings = [
        '--config-file',
        join(CLIENT, 'pyproject.toml'),
        '--cache-dir',
        join(folder, 'cache'),
      ];
      expect(run(PYTHON, ['-m', 'mypy', ...settings], folder)).toContain('no issues found');
      rmSync(folder, { recursive: true, force: true });
    },
    SLOW_MS,
  );

  /** @throws Error with what it wrote when it fails. */
  function run(command: string, args: readonly string[], cwd: string): string {
    const { host, port, key } = server;
    const env = { ...process.env, QUERN_API_KEY: key, QUERN_HOST: host, QUERN_PORT: String(port) };
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
    if (status !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stderr}${stdout}`);
    return stdout;
  }
});

/** Says which extra each adapter misses. */
const ADAPTERS = `import importlib, re
for name in ("langchain", "llama_index", "haystack"):
    try:
        importlib.import_module(f"quern.{name}")
    except ImportError as error:
        print(re.search(r"quern\\[.*\\]", str(error)).group())
`;

/** The client as git has it. @returns its folder. */
function asCheckedOut(folder: string): string {
  const clients = join(folder, 'clients');
  for (const name of ['python', 'frameworks'])
    cpSync(join(CLIENT, '..', name), join(clients, name), { recursive: true });
  for (const made of globSync('python/quern/_sync/*.py', { cwd: clients })) {
    if (!/(?:__init__|waiting)\.py$/.test(made)) rmSync(join(clients, made));
  }
  return join(clients, 'python');
}

/** Kills the server at each line that begins with `!`, says so, and starts it again on the same port and data. */
async function runThroughRestarts(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'quern-restart-'));
  const data = join(folder, 'data');
  let server = await startServer({ data });
  const { port, key } = server;
  const client = spawn(PYTHON, [program('quern_restart')], {
    env: { ...process.env, ...environmentOf(server) },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 600_000,
  });
  let error = '';
  client.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const outcome = new Map<string, string | null>();
  try {
    for await (const line of createInterface({ input: client.stdout })) {
      if (line.startsWith('!')) {
        if (line.endsWith('soon')) await new Promise((resolve) => setTimeout(resolve, 500));
        // Not until its output ends, which processes of its own may hold for a while.
        const killed = once(server.process, 'exit');
        server.process.kill('SIGKILL');
        await killed;
        client.stdin.write('killed\n');
        server = await startServer({ data, port, key });
      }
      const [, not, name, why] = /^(not )?ok ([^:]+)(?:: (.*))?$/.exec(line) ?? [];
      if (name !== undefined) outcome.set(name, not === undefined ? null : (why ?? ''));
    }
    outcome.set('ends well', error === '' ? null : error);
    return outcome;
  } finally {
    client.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
