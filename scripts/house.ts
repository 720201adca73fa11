/**
 * Counts what a reader of the code meets: rooms, circles, long files and functions, places to touch, walks.
 *
 *     node scripts/house.ts [ROOT]      of another checkout (with its node_modules), to compare
 *     node scripts/house.ts --places    which files know an example of what is added often
 */
import { execFileSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { roomCircles, shortestRound, valueCircles } from './house/circles.ts';
import { repeats } from './house/repeats.ts';
import { isTest, readSources, type Source } from './house/source.ts';

/**
 * One example of each thing that is added often, and how the files that must know it spell it: its row, its own file,
 * the unions and switches it stands in. What merely uses it is not meant.
 */
const EXAMPLES: readonly { readonly thing: string; readonly known: RegExp }[] = [
  { thing: 'function (split_part)', known: /\bsplit_part\b/ },
  { thing: 'operator (@?)', known: /'@\?'/ },
  { thing: 'function of the session (pg_advisory_unlock)', known: /\bpg_advisory_unlock\b/ },
  {
    thing: 'function with a service of its own (pg_notify)',
    known: /pg_notify|\bnotify\(channel: string, payload: string\): void;|\bnotify: \(channel/,
  },
  { thing: 'ranking function (fuzzy)', known: /'fuzzy'|\bfuzzy: \[|expandFuzzy/ },
  { thing: 'type (pg_lsn)', known: /\bPG_LSN\b|OID\.pg_lsn|\bpg_lsn: |'pg_lsn'/ },
  {
    thing: 'statement of the session (LOCK TABLE)',
    known: /LockStmt|'lock';|\| 'lock'\n|<'lock'>|lock-statement/,
  },
  {
    thing: 'statement that defines (REFRESH)',
    known: /RefreshMatViewStmt|kind: 'refresh';|case 'refresh'|<'refresh'>|bindRefresh/,
  },
  { thing: 'plan node (Fusion)', known: /'fusion'|\bFusion\b/ },
  { thing: 'plan node that many rules know (LockRows)', known: /'lock rows'|\bLockRows\b/ },
  { thing: 'index kind (ngram)', known: /\bngram(?:_index|_ops)?\b|\bTRIGRAMS\b/ },
  { thing: 'protocol message (Describe)', known: /'describe'|\bdescribe(?:Statement|Portal)\(/ },
];

const args = process.argv.slice(2);
const showsPlaces = args.includes('--places');
const root = resolve(args.find((arg) => !arg.startsWith('--')) ?? join(import.meta.dirname, '..'));
const sources = readSources(root, 'src').filter((file) => !isTest(file));

for (const [what, count] of showsPlaces ? places() : counts()) console.log(`${what.padEnd(60)} ${count}`);

function counts(): readonly (readonly [string, string])[] {
  return [
    ['files', `${sources.length}`],
    ['largest folders', largestFolders(sources)],
    ['circles by value', sizes(valueCircles(sources), true)],
    ['circles over folders, types too', sizes(roomCircles(sources), false)],
    ["imports against the folders' order", `${backward(sources).length}`],
    ['longest files', longestFiles(sources)],
    ['functions beyond 60 lines', longFunctions(sources)],
    ['repeated runs of 8 lines and more', `${repeats(sources).length}`],
    ...EXAMPLES.map(({ thing, known }) => [`files that know ${thing}`, `${knowing(known).length}`] as const),
    ...walks().map(
      ({ name, entered, returned }) =>
        [name, `${entered} files entered, ${returned} times back to one`] as const,
    ),
  ];
}

function places(): readonly (readonly [string, string])[] {
  return EXAMPLES.map(({ thing, known }) => {
    const paths = knowing(known).map(({ path }) => path.replace('src/', ''));
    return [thing, `${paths.length}  ${paths.join(' ')}`] as const;
  });
}

function knowing(known: RegExp): readonly Source[] {
  return sources.filter(({ text }) => known.test(withoutComments(text)));
}

function largestFolders(files: readonly Source[]): string {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  const largest = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 7);
  return largest.map(([folder, count]) => `${count} ${folder.replace('src/', '')}`).join(', ');
}

function sizes(circles: readonly (readonly string[])[], byValue: boolean): string {
  const [largest] = circles;
  if (largest === undefined) return '0';
  const files = circles.reduce((sum, circle) => sum + circle.length, 0);
  const round = shortestRound(largest, sources, byValue).join(' → ');
  return `${circles.length} over ${files} files, the largest ${largest.length}, within it ${round}`;
}

/** Lists, of two folders of src/ that import each other, the fewer imports. */
function backward(files: readonly Source[]): string[] {
  const between = new Map<string, string[]>();
  const folder = (path: string): string => path.split('/')[1] as string;
  for (const { path, imports } of files) {
    for (const { file } of imports) {
      if (file === null || folder(file) === folder(path)) continue;
      const key = `${folder(path)} ${folder(file)}`;
      between.set(key, [...(between.get(key) ?? []), `${path} ${file}`]);
    }
  }
  return [...between].flatMap(([key, ups]) => {
    const back = between.get(key.split(' ').reverse().join(' '));
    return back !== undefined && back.length > ups.length ? ups : [];
  });
}

function longestFiles(files: readonly Source[]): string {
  const byLength = files
    .map(({ path, text }) => ({ path, length: text.split('\n').length - 1 }))
    .sort((a, b) => b.length - a.length);
  return byLength
    .slice(0, 4)
    .map(({ path, length }) => `${length} ${path.replace('src/', '')}`)
    .join(', ');
}

function longFunctions(files: readonly Source[]): string {
  const long = files
    .flatMap(({ path, functions }) => functions.map(({ lines, name }) => ({ path, name, lines })))
    .filter(({ lines }) => lines > 60)
    .sort((a, b) => b.lines - a.lines);
  const first = long[0];
  return `${long.length}${first === undefined ? '' : `, the longest ${first.lines} (${first.name} of ${first.path})`}`;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}

function walks(): readonly { name: string; entered: number; returned: number }[] {
  const program = join(import.meta.dirname, 'house/walk.ts');
  const output = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program, root], {
    encoding: 'utf8',
  });
  return JSON.parse(output) as { name: string; entered: number; returned: number }[];
}
