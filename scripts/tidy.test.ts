/**
 * The house rules that a machine can check: imports go down the table of the architecture and never round, one
 * vendor package lives in one file, every file says what it is, and nothing grows past its size. Each failure says
 * how it is mended. `node scripts/house.ts` counts the same things.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { roomCircles, shortestRound, valueCircles } from './house/circles.ts';
import { isTest, readSources } from './house/source.ts';
import { humanWords, NOT_YET, WORDS_OF_THEIR_OWN, wordListsOf } from './house/word-lists.ts';

const ROOT = join(import.meta.dirname, '..');

/** Folder of src/ to the folders it may import, besides itself and the root leaf files. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  types: [],
  language: [],
  functions: ['types', 'language'],
  tables: ['language'],
  storage: [],
  inference: [],
  queue: ['types', 'session'],
  ingest: ['types', 'language', 'tables', 'session', 'inference', 'queue'],
  ask: ['types', 'language', 'tables', 'functions', 'inference', 'session', 'queue'],
  catalog: ['types', 'language', 'functions'],
  index: ['types', 'language'],
  engine: ['types', 'catalog', 'index', 'storage'],
  plan: ['types', 'language', 'functions', 'catalog'],
  sql: ['types', 'functions', 'catalog', 'plan'],
  optimize: ['types', 'functions', 'catalog', 'plan'],
  physical: ['types', 'functions', 'catalog', 'plan'],
  execute: ['types', 'functions', 'catalog', 'plan', 'physical', 'engine', 'inference'],
  session: [
    'types',
    'language',
    'functions',
    'catalog',
    'sql',
    'plan',
    'optimize',
    'physical',
    'execute',
    'engine',
    'inference',
  ],
  wire: ['types', 'session'],
  http: ['session'],
  clients: [],
  'data-folder.ts': ['engine', 'session', 'storage'],
};

/** Files of a folder that other folders may import, where it keeps the rest to itself. main.ts puts all together. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  index: [
    'explanation.ts',
    'keywords/web-requests.ts',
    'registry.ts',
    'request.ts',
    'structure.ts',
    'top-rows.ts',
    'typed-text.ts',
  ],
  engine: ['engine.ts', 'embedded/embedded-engine.ts', 'embedded/open.ts', 'embedded/settings.ts'],
  inference: [
    'absent-model.ts',
    'json-endpoint.ts',
    'onnx-session.ts',
    'provider.ts',
    'query-text.ts',
    'sender.ts',
    'slots.ts',
  ],
  sql: [
    'ast.ts',
    'parse/parse.ts',
    'parse/service.ts',
    'bind/bind.ts',
    'bind/filling.ts',
    'deparse/definitions.ts',
  ],
  optimize: ['optimize.ts', 'row-estimate.ts', 'rule.ts'],
  session: [
    'protocol.ts',
    'server-session.ts',
    'answers/keep.ts',
    'datasets/asker.ts',
    'datasets/draw-page.ts',
    'datasets/file-password.ts',
    'datasets/media-type.ts',
    'datasets/metadata.ts',
    'datasets/parameters.ts',
    'datasets/pending.ts',
    'datasets/queue-relations.ts',
    'datasets/ranking/naming.ts',
    'datasets/relations.ts',
    'datasets/subjects/find-subjects.ts',
    'datasets/subjects/store-subjects.ts',
    'datasets/table-relations.ts',
    'datasets/terms/find-terms.ts',
    'evaluation/relations.ts',
    'research/relations.ts',
    'research/researcher.ts',
    'sign-in/keys.ts',
    'whose.ts',
  ],
};

/** They may import everything: the command, and what it loads for a server. */
const ROOTS = ['command.ts', 'main.ts', 'warm-up.ts'];

/** Files at the root of src/ that everyone may import. */
const LEAVES = [
  'errors.ts',
  'error-kinds.ts',
  'limits.ts',
  'assert.ts',
  'task.ts',
  'time-slice.ts',
  'epoch.ts',
  'seeded-random.ts',
  'bounded-cache.ts',
  'binary-search.ts',
  'edit-distance.ts',
  'program-file.ts',
  'worker-calls.ts',
  'text-hash.ts',
  'unless-aborted.ts',
  'network-address.ts',
];

/** Rooms of a folder of which none imports one that stands behind it. */
const ROOM_ORDER = ['execute/arms', 'execute/scan', 'execute/ranking'];

const FILE_LINES_MAX = 500;
const LINE_CHARACTERS_MAX = 110;
const PYTHON_LINE_MAX = 120;
const FOLDER_FILES_MAX = 25;
const FUNCTION_LINES_MAX = 60;

const src = readSources(ROOT, 'src');
const product = src.filter((file) => !isTest(file));
const FOLDERS = ['src', 'scripts', 'bench', 'sql-tests'];
const ours = [...src, ...FOLDERS.slice(1).flatMap((folder) => readSources(ROOT, folder))];

/** `src/wire/decode.ts` → wire; a root file is its own name. */
const folderOf = (path: string): string => path.split('/')[1] as string;

/** Imports between folders of src/, leaves aside. */
const between = product
  .filter(({ path }) => !ROOTS.includes(folderOf(path)))
  .flatMap(({ path, imports }) =>
    imports.flatMap(({ file }) =>
      file === null || folderOf(file) === folderOf(path) || LEAVES.includes(folderOf(file))
        ? []
        : [{ path, file, from: folderOf(path), to: folderOf(file) }],
    ),
  );

describe('imports', () => {
  it('go down the import table', () => {
    const wrong = between
      .filter(({ from, to }) => !(MAY_IMPORT[from] ?? []).includes(to))
      .map(({ path, file }) => `${path} imports ${file}: hand it in, or move what both need further down`);
    expect(wrong).toEqual([]);
  });

  it('use every row of the import table', () => {
    const used = new Set(between.map(({ from, to }) => `${from} → ${to}`));
    const folders = new Set(product.map(({ path }) => folderOf(path)));
    const dead = Object.entries(MAY_IMPORT).flatMap(([from, tos]) =>
      folders.has(from) ? tos.map((to) => `${from} → ${to}`).filter((row) => !used.has(row)) : [from],
    );
    expect(dead, 'nobody imports so: take it out of MAY_IMPORT').toEqual([]);
  });

  it('come in by the doors of a folder', () => {
    const entered = between.filter(({ to }) => to in DOORS);
    const isDoor = ({ file, to }: (typeof between)[number]): boolean =>
      (DOORS[to] ?? []).includes(file.slice(`src/${to}/`.length));
    const wrong = entered
      .filter((one) => !isDoor(one))
      .map(({ path, file, to }) => `${path} imports ${file}: let a door of ${to}/ give what it needs`);
    expect(wrong).toEqual([]);
    const used = new Set(entered.map(({ file }) => file));
    const shut = Object.entries(DOORS)
      .flatMap(([to, files]) => files.map((file) => `src/${to}/${file}`))
      .filter((file) => !used.has(file));
    expect(shut, 'nobody comes in there: take it out of DOORS').toEqual([]);
  });

  it('never go round by value', () => {
    expect(rounds(valueCircles(product), true), HOW_TO_CUT).toEqual([]);
  });

  it('never go round over several folders, types included', () => {
    expect(rounds(roomCircles(product), false), HOW_TO_CUT).toEqual([]);
  });

  it('never go up the order of rooms', () => {
    const place = (path: string): number => ROOM_ORDER.findIndex((room) => path.startsWith(`src/${room}/`));
    const wrong = product
      .filter(({ path }) => place(path) >= 0)
      .flatMap(({ path, imports }) =>
        imports.flatMap(({ file }) => (file !== null && place(file) > place(path) ? [[path, file]] : [])),
      )
      .map(([path, file]) => `${path} imports ${file}: hand it in, or move what both need further down`);
    expect(wrong).toEqual([]);
  });

  it('name each vendor package in one file', () => {
    const users = new Map<string, Set<string>>();
    for (const { path, imports } of product) {
      for (const { name: target } of imports) {
        if (target.startsWith('.') || target.startsWith('node:') || builtinModules.includes(target)) continue;
        const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/');
        users.set(name, (users.get(name) ?? new Set()).add(path));
      }
    }
    const shared = [...users]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
    expect(shared, 'let one file import the package, and the others that file').toEqual([]);
  });

  it('of the TypeScript client stay within it', () => {
    const own = 'src/clients/typescript/';
    const foreign = product
      .filter(({ path }) => path.startsWith(own))
      .flatMap(({ path, imports }) => imports.map(({ name, file }) => ({ path, name, file })))
      .filter(({ name, file }) => (file === null ? !CLIENT_NEEDS.test(name) : !file.startsWith(own)))
      .map(({ path, name }) => `${path} imports ${name}: it is published without the server`);
    expect(foreign).toEqual([]);
  });

  it('start programs by programFile, whose ending is that of the caller', () => {
    const named = product.filter(({ text }) =>
      /new (?:URL|Worker)\([^)]*\.ts['"`]|fork\([^)]*\.ts['"`]/.test(text),
    );
    expect(
      named.map(({ path }) => path),
      'the npm package has no .ts',
    ).toEqual([]);
  });

  it('are the only way to the environment through config.ts', () => {
    const known = ['src/config.ts', 'src/inference/no-telemetry.ts'];
    const readers = product.filter(({ path, text }) => text.includes('process.env') && !known.includes(path));
    expect(readers.map((file) => file.path).filter((path) => !path.startsWith('src/clients/'))).toEqual([]);
  });
});

/** The one driver, what node has, and of one entry point alone the framework that it is for (a vendor has one file). */
const CLIENT_NEEDS = /^(?:postgres$|node:|@langchain\/core\/)/;

const HOW_TO_CUT =
  'move what both need into a file below them, or let who knows all of them (`run.ts`, `statement-runner.ts`) hand it in';

/** Each circle by its shortest way round. */
function rounds(circles: readonly (readonly string[])[], byValue: boolean): string[] {
  return circles.map(
    (files) => `${files.length} files: ${shortestRound(files, product, byValue).join(' → ')}`,
  );
}

describe('decisions of plans', () => {
  /** Compiled expressions, and keys of kept masks: made of a plan, never about it. */
  const CACHES = ['src/execute/expression/expression.ts', 'src/execute/scan/filter-mask.ts'];

  it('are fields of the physical plan, not kept by plan or part while it runs', () => {
    const keeping = product
      .filter(({ path }) => path.startsWith('src/execute/') && !CACHES.includes(path))
      .filter(({ text }) =>
        /new Weak(?:Map|Set)\b|(?:Map|Set)<(?:Physical)?Plan\b(?!, NodeStatistics)/.test(text),
      );
    expect(
      keeping.map(({ path }) => path),
      'decide it in src/physical, or tell it from the data',
    ).toEqual([]);
  });
});

describe('folders', () => {
  it(`have at most ${FOLDER_FILES_MAX} files beside tests`, () => {
    const counts = new Map<string, number>();
    for (const { path } of product) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const wide = [...counts].filter(([, count]) => count > FOLDER_FILES_MAX);
    expect(wide, 'make a room of the files that change together, and a line of the map for it').toEqual([]);
  });
});

describe('functions', () => {
  it(`have at most ${FUNCTION_LINES_MAX} lines`, () => {
    const long = product.flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ name, line, lines }) => `${path}:${line} ${name}: ${lines} lines: give a part of it a name`),
    );
    expect(long).toEqual([]);
  });
});

describe('operators', () => {
  it('are of one kind', () => {
    const others = ours.filter(({ text }) => /\bAsync(?:Generator|Iterable|Iterator)<Batch\b/.test(text));
    expect(
      others.map(({ path }) => path),
      'rows of plans are `PlanRows`: execute/plan-rows.ts',
    ).toEqual([]);
  });

  it('look up no decision by plan or part', () => {
    const keyed = ours
      .filter(({ path }) => path.startsWith('src/execute/'))
      .filter(({ text }) => /\bWeak(?:Map|Set)<(?!Expression, CompiledExpression>)/.test(text));
    expect(
      keyed.map(({ path }) => path),
      'make it a field of the plan: physical/choices',
    ).toEqual([]);
  });
});

describe('statements', () => {
  it('are objects that are handed on, and not looked up by their signals', () => {
    const keyed = ours.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:Map|Set|WeakMap|WeakSet|BoundedCache)<\s*AbortSignal\b/g)].map(
        ({ index }) => `${path}:${text.slice(0, index).split('\n').length}`,
      ),
    );
    expect(keyed, 'take the `Statement` in its place: session/running/statement.ts').toEqual([]);
  });
});

/** Checks for Python, which no linter of ours reads: the client's package. */
describe('Python files of the client', () => {
  const files = globSync('src/clients/{python,frameworks}/**/*.py', { cwd: ROOT }).map((path) => ({
    path,
    lines: readFileSync(join(ROOT, path), 'utf8').split('\n'),
  }));

  it(`begin with what they are and have at most ${FILE_LINES_MAX} lines of at most ${PYTHON_LINE_MAX}`, () => {
    const wrong = files.filter(
      ({ lines }) =>
        !/^(# Made of .*)?"""/.test(lines.slice(0, 2).join('')) ||
        lines.length > FILE_LINES_MAX + 1 ||
        lines.some((line) => line.length > PYTHON_LINE_MAX),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('files', () => {
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
          ? [`${file.path}: ${lines.length} lines: move what can be named out of it`]
          : []),
        ...(wide >= 0 ? [`${file.path}:${wide + 1} is ${lines[wide]?.length} wide`] : []),
      ];
    });
    expect(long).toEqual([]);
  });

  it('name only files that there are', () => {
    const code = FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    );
    const docs = readdirSync(join(ROOT, 'docs')).map((name) => join('docs', name));
    const prose = [...code, ...docs, 'README.md', 'src/README.md', 'CHANGELOG.md'].map((path) => ({
      path,
      text: readFileSync(join(ROOT, path), 'utf8'),
    }));
    const gone = prose.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:\.{1,2}\/)*)((?:[\w-]+\/)*[\w-]+(?:\.test)?\.ts)`/g)]
        .filter(([, , name]) => !code.some((known) => `/${known}`.endsWith(`/${name}`)))
        .map(([word]) => `${path} names ${word}`),
    );
    expect(gone, 'say what the file is called now, or leave it out').toEqual([]);
  });

  it('are summarised by a noun or a verb, not by a question', () => {
    const python = globSync('src/clients/**/*.py', { cwd: ROOT }).map((path) => ({
      path,
      text: readFileSync(join(ROOT, path), 'utf8'),
    }));
    const asking = [...ours, ...python].flatMap(({ path, text }) =>
      [...text.matchAll(/(?:^ *\/\*\*\n \*|\/\*\*|^ *""") *((?:What|Of|Whether)\b.*)/gm)].map(
        ([, summary]) => `${path}: ${summary}`,
      ),
    );
    expect(asking, 'say what it is or does: the field, `True when …`').toEqual([]);
  });

  it('are named in kebab case and export by name', () => {
    const named = ours.filter(
      (file) => !/^[a-z0-9-]+(\.[a-z0-9]+)*\.ts$/.test(file.path.split('/').at(-1) as string),
    );
    const defaults = product.filter((file) => /^export default/m.test(file.text));
    expect([...named, ...defaults].map((file) => file.path)).toEqual([]);
  });
});

/** Words of `src/README.md`, as `wc -w` counts them: a map that is read in one sitting. */
const MAP_WORDS_MAX = 3500;

describe('words of human languages', () => {
  it('stand in packs, three or more together', () => {
    const known = humanWords(src);
    const lists = product
      .filter(({ path }) => !WORDS_OF_THEIR_OWN.test(path))
      .flatMap(({ path, text }) => wordListsOf(path, text, known));
    const most = Object.values(NOT_YET).reduce((sum, count) => sum + count, 0);
    const more = [...Map.groupBy(lists, ({ path }) => path)]
      .filter(([path, own]) => own.length > (NOT_YET[path] ?? 0))
      .flatMap(([, own]) => own.map(({ path, line, words }) => `${path}:${line}: ${words.join(' ')}`));
    const wrong = lists.length > most ? more : [];
    expect(wrong, 'put the words into a pack of src/language, by language').toEqual([]);
  });
});

describe('decisions', () => {
  const folders = ['src', 'scripts', 'sql-tests', ...Object.keys(MAY_IMPORT).map((name) => `src/${name}`)];
  const kept = folders.filter((folder) => existsSync(join(ROOT, folder, 'DECISIONS.md')));

  it('stand in rows of three that name the file where each was taken', () => {
    const faults = kept.flatMap((folder) =>
      tableRows(`${folder}/DECISIONS.md`)
        .filter((cells) => cells.length !== 3 || !existsSync(join(ROOT, folder, bare(cells[1]))))
        .map((cells) => `${folder}/DECISIONS.md: ${cells.slice(0, 2).join(' | ')}`),
    );
    expect(faults, 'decision | `file` from that folder | why, with numbers').toEqual([]);
    expect(kept.length).toBeGreaterThan(15);
  });

  it('are not told in the map, which is short, and the glossary names files that there are', () => {
    const map = readFileSync(join(ROOT, 'src/README.md'), 'utf8');
    expect(map.split(/\s+/).length, 'say it where it is decided').toBeLessThanOrEqual(MAP_WORDS_MAX);
    const named = tableRows('src/GLOSSARY.md').flatMap((cells) => (cells[2] ?? '').split(', '));
    expect(
      named.filter((name) => !existsSync(join(ROOT, name.includes('tidy') ? '' : 'src', bare(name)))),
    ).toEqual([]);
  });
});

/** Rows of a page's one table, below its head, as cells. */
const tableRows = (path: string): string[][] =>
  readFileSync(join(ROOT, path), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.slice(2, -2).split(/(?<!\\) \| /));

const bare = (cell = ''): string => cell.replaceAll('`', '');

describe('tests', () => {
  it('compare with patterns by expect.stringMatching: a bare one in an object matches anything', () => {
    const blind = ours
      .filter((file) => file.path.endsWith('.test.ts'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\.(?:toMatchObject|toEqual|toStrictEqual)\((.*?)\);$/gms)]
          .filter(([, expected = '']) => /[{,]\s*\w+: \/[^/*]/.test(expected))
          .map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
      );
    expect(blind).toEqual([]);
  });
});

/** Prose may end a word late; a long literal cannot be wrapped: what is left without it counts. */
function isData(line: string): boolean {
  if (/^\s*(\*|\/\/|\/\*)/.test(line)) return line.length <= LINE_CHARACTERS_MAX + 30;
  return line.replaceAll(/(['"`]).{20,}\1|\/.{20,}\//g, '').length <= LINE_CHARACTERS_MAX;
}
