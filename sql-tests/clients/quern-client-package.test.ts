/** The TypeScript client as it is published: built, packed, installed in an empty project, and its README's example run there. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { connectionEnvironment, startFreshServer } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = join(ROOT, 'src/clients/typescript');
const PACKAGE = join(ROOT, 'build/quern-client');
/** Packed, without its driver. */
const PACKED_BYTES_MAX = 60_000;

let server: ServerProcess;
let project: string;

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(async () => {
  server = await startFreshServer();
  project = mkdtempSync(join(tmpdir(), 'quern-project-'));
  run(process.execPath, [join(ROOT, 'scripts/build-client.ts')], ROOT);
  mkdirSync(join(project, 'packed'));
  run('npm', ['pack', '--silent', '--pack-destination', join(project, 'packed'), PACKAGE], project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  run(
    'npm',
    ['install', '--silent', '--no-audit', '--no-fund', join(project, 'packed/quern-client-0.1.0.tgz')],
    project,
  );
});

afterAll(async () => {
  rmSync(project, { recursive: true, force: true });
  await server?.[Symbol.asyncDispose]();
});

const environment = (): NodeJS.ProcessEnv => {
  const { PGHOST, PGPORT, PGPASSWORD } = connectionEnvironment(server);
  return { ...process.env, QUERN_HOST: PGHOST, QUERN_PORT: PGPORT, QUERN_API_KEY: PGPASSWORD };
};

/** The README's examples: documents; datasets, with the client of the first. */
function examples(): readonly string[] {
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  return [...readme.matchAll(/```ts\n([\s\S]+?)```/g)].map(([, text]) => text as string);
}

const example = (): string => examples()[0] as string;

function runProgram(name: string, text: string): string {
  writeFileSync(join(project, name), text);
  const done = spawnSync(process.execPath, [name], { cwd: project, env: environment(), encoding: 'utf8' });
  expect(done.stderr).toBe('');
  return done.stdout;
}

it('is small', () => {
  expect(statSync(join(project, 'packed/quern-client-0.1.0.tgz')).size).toBeLessThanOrEqual(PACKED_BYTES_MAX);
});

it('brings its driver and nothing else', () => {
  const listed = JSON.parse(run('npm', ['ls', '--all', '--json'], project)) as { dependencies: object };
  expect(Object.keys(listed.dependencies)).toEqual(['quern-client']);
  expect(JSON.stringify(listed)).not.toContain('onnx');
});

it("runs the README's example as an ES module", () => {
  expect(runProgram('example.ts', example())).toMatch(/title: 'Moby-Dick',\s+score: 0\.\d+/);
});

it("runs what the client's page shows", () => {
  const page = readFileSync(join(ROOT, 'docs/clients-typescript.md'), 'utf8');
  const shown = [...page.matchAll(/```ts\n([\s\S]+?)```/g)].map(([, text]) => text ?? '');
  expect(shown.length).toBeGreaterThan(1);
  for (const [at, text] of shown.entries()) expect(runProgram(`page-${at}.ts`, text)).toBe('');
});

it("runs the README's other example", () => {
  expect(examples()).toHaveLength(2);
  const report = join(ROOT, 'samples/documents/borrowing-for-graduate-school.pdf');
  copyFileSync(report, join(project, 'acme_10k.pdf'));
  const text = `import { Client } from 'quern-client';\nconst client = new Client();\n${examples()[1]}await client.close();\n`;
  expect(runProgram('other.ts', text)).toMatch(/^Search/m);
});

it('is required from CommonJS, by every entry point', () => {
  const text = `
    const { Client, CollectionNotFoundError } = require('quern-client');
    const { select } = require('quern-client/query');
    const { f32Vector } = require('quern-client/data');
    const { text } = require('quern-client/schema');
    (async () => {
      const client = new Client();
      const nobody = await client.collection('nobody').query(select('x')).catch((error) => error);
      console.log(nobody instanceof CollectionNotFoundError, f32Vector([1]).type, text().isRequired);
      await client.close();
    })();
  `;
  expect(runProgram('required.cjs', text)).toBe('true f32 false\n');
});

it('has an entry point for LangChain.js, which asks for no more where it is not used', () => {
  mkdirSync(join(project, 'node_modules/@langchain'));
  symlinkSync(join(ROOT, 'node_modules/@langchain/core'), join(project, 'node_modules/@langchain/core'));
  try {
    const use =
      'const store = new QuernVectorStore(null, { collection: "x" }); console.log(store._vectorstoreType());';
    expect(runProgram('chain.mjs', `import { QuernVectorStore } from 'quern-client/langchain';${use}`)).toBe(
      'quern\n',
    );
    expect(
      runProgram('chain.cjs', `const { QuernVectorStore } = require('quern-client/langchain');${use}`),
    ).toBe('quern\n');
  } finally {
    rmSync(join(project, 'node_modules/@langchain'), { recursive: true });
  }
});

it('has types that a strict project accepts', () => {
  writeFileSync(
    join(project, 'tsconfig.json'),
    '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "noEmit": true, "skipLibCheck": false, "types": [], "lib": ["esnext", "dom"] }, "files": ["typed.ts"] }',
  );
  writeFileSync(join(project, 'typed.ts'), example().replaceAll('process.env.QUERN_API_KEY', 'undefined'));
  expect(run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], project)).toBe('');
});
