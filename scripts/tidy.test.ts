/**
 * The house rules that a machine can check: imports go down the table of the architecture, one vendor
 * package lives in one file, every file says what it is, and nothing grows past its size.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Folder of src/ to the folders it may import, besides itself and the root leaf files. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  types: [],
  language: [],
  functions: ['types', 'language'],
  storage: [],
  inference: [],
  catalog: ['types', 'language', 'functions'],
  index: ['types', 'language', 'storage'],
  engine: ['types', 'functions', 'catalog', 'index', 'storage'],
  plan: ['types', 'functions', 'catalog'],
  sql: ['types', 'functions', 'catalog', 'plan'],
  optimize: ['types', 'functions', 'catalog', 'plan'],
  execute: ['types', 'functions', 'catalog', 'plan', 'engine', 'inference'],
  session: ['types', 'functions', 'catalog', 'sql', 'plan', 'optimize', 'execute', 'engine', 'inference'],
  ingest: ['types', 'session', 'inference'],
  ask: ['types', 'session', 'inference'],
  wire: ['types', 'session'],
  http: ['types', 'session', 'ingest', 'ask'],
  clients: [],
  'data-folder.ts': ['engine', 'session', 'storage'],
};

/** Files at the root of src/ that everyone may import; main.ts alone may import everything. */
const LEAVES = ['errors.ts', 'limits.ts', 'assert.ts', 'task.ts', 'seeded-random.ts'];

const FILE_LINES_MAX = 500;
const LINE_CHARACTERS_MAX = 110;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function sources(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(ROOT, path), 'utf8');
      const imports = [...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'/g)].map(
        (m) => m[1] as string,
      );
      return { path, text, imports };
    });
}

const src = sources('src');
/** Tests and what they share may import anything. */
const TESTING = /\.test\./;
const product = src.filter((file) => !TESTING.test(file.path) && !file.path.startsWith('src/index/wasm/'));

/** `src/wire/decode.ts` → wire; a root file is its own name. */
const folderOf = (path: string): string => path.split('/')[1] as string;

describe('imports', () => {
  it('go down the import table', () => {
    const wrong = product.flatMap((file) => {
      const from = folderOf(file.path);
      if (from === 'main.ts') return [];
      return file.imports
        .filter((target) => target.startsWith('.'))
        .map((target) => relative('.', normalize(join(dirname(file.path), target))))
        .filter((target) => {
          const to = folderOf(target);
          if (to === from || LEAVES.includes(to)) return false;
          return !(MAY_IMPORT[from] ?? []).includes(to);
        })
        .map((target) => `${file.path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('name each vendor package in one file', () => {
    const users = new Map<string, Set<string>>();
    for (const file of product) {
      for (const target of file.imports) {
        if (target.startsWith('.') || target.startsWith('node:') || builtinModules.includes(target)) continue;
        const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/');
        users.set(name, (users.get(name) ?? new Set()).add(file.path));
      }
    }
    const shared = [...users]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
    expect(shared).toEqual([]);
  });

  it('are the only way to the environment through config.ts', () => {
    const readers = product.filter(
      (file) => file.text.includes('process.env') && file.path !== 'src/config.ts',
    );
    expect(readers.map((file) => file.path).filter((path) => !path.startsWith('src/clients/'))).toEqual([]);
  });
});

describe('files', () => {
  const ours = [...src, ...sources('scripts'), ...sources('bench'), ...sources('sql-tests')];

  it('begin with what they are', () => {
    const bare = ours.filter((file) => !/^(#!.*\n)?(\/\/ @ts.*\n)*(\/\*\*|\/\/)/.test(file.text));
    expect(bare.map((file) => file.path)).toEqual([]);
  });

  it(`have at most ${FILE_LINES_MAX} lines of at most ${LINE_CHARACTERS_MAX} characters`, () => {
    const long = ours.flatMap((file) => {
      const lines = file.text.split('\n');
      const wide = lines.findIndex((line) => line.length > LINE_CHARACTERS_MAX && !isData(line));
      return [
        ...(lines.length > FILE_LINES_MAX + 1 && !file.path.endsWith('/ast.ts')
          ? [`${file.path}: ${lines.length} lines`]
          : []),
        ...(wide >= 0 ? [`${file.path}:${wide + 1} is ${lines[wide]?.length} wide`] : []),
      ];
    });
    expect(long).toEqual([]);
  });

  it('are named in kebab case and export by name', () => {
    const named = ours.filter(
      (file) => !/^[a-z0-9-]+(\.[a-z0-9]+)*\.ts$/.test(file.path.split('/').at(-1) as string),
    );
    const defaults = product.filter((file) => /^export default/m.test(file.text));
    expect([...named, ...defaults].map((file) => file.path)).toEqual([]);
  });
});

/** Prose may end a word late; a long literal cannot be wrapped: what is left without it counts. */
function isData(line: string): boolean {
  if (/^\s*(\*|\/\/|\/\*)/.test(line)) return line.length <= LINE_CHARACTERS_MAX + 30;
  return line.replaceAll(/(['"`]).{20,}\1|\/.{20,}\//g, '').length <= LINE_CHARACTERS_MAX;
}
