/**
 * Two walks through the product, as a reader would follow them: which files a statement enters, and how often it
 * comes back to one. A program of its own, as every function is loaded with a mark at its beginning.
 *
 *     node scripts/house/walk.ts [ROOT]
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

declare global {
  var walk: ((file: string) => void) | undefined;
}

/** Where the database for tests has been. */
const DATABASES = ['sql-tests/fixtures/database.ts', 'src/execute/fixture.ts'];

interface TestSession {
  rows(text: string): Promise<unknown>;
}
interface TestDatabase {
  open(): Promise<{ session(): Promise<TestSession>; close(): Promise<void> }>;
}

const WALKS = [
  {
    name: 'a ranked SELECT with a parameter',
    before: `PREPARE walk(text) AS SELECT title FROM films WHERE year > 1990
      ORDER BY semantic_similarity(plot, $1) DESC LIMIT 10`,
    statement: `EXECUTE walk('a whale')`,
  },
  {
    name: 'an INSERT with an embedding',
    before: 'SELECT 1',
    statement: `INSERT INTO films (_id, title, year, plot) VALUES ('c', 'Orca', 1977, 'A whale hunts a captain')`,
  },
];

/** Begins every function body with a word about its file. */
function mark(root: string): void {
  registerHooks({
    load(url, context, nextLoad) {
      const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
      if (!path.startsWith('src/') || !path.endsWith('.ts')) return nextLoad(url, context);
      const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'));
      const bodies: number[] = [];
      const enter = ({ body }: { body: { type: string; start: number } | null }): void => {
        if (body?.type === 'BlockStatement') bodies.push(body.start + 1);
      };
      new Visitor({
        FunctionDeclaration: enter,
        FunctionExpression: enter,
        ArrowFunctionExpression: enter,
      }).visit(parseSync('code.js', code).program);
      const word = `globalThis.walk?.(${JSON.stringify(path)});`;
      let source = '';
      let at = 0;
      for (const body of bodies.sort((a, b) => a - b)) {
        source += code.slice(at, body) + word;
        at = body;
      }
      return { format: 'module', shortCircuit: true, source: source + code.slice(at) };
    },
  });
}

async function walks(root: string): Promise<{ name: string; entered: number; returned: number }[]> {
  mark(root);
  const file = DATABASES.map((path) => join(root, path)).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`none of ${DATABASES.join(', ')} is below ${root}`);
  const { TestDatabase } = (await import(pathToFileURL(file).href)) as { TestDatabase: TestDatabase };
  const database = await TestDatabase.open();
  const session = await database.session();
  await session.rows(`CREATE TABLE films (_id text, title text, year int, plot text,
    INDEX semantic_index(plot, model => 'hash'))`);
  await session.rows(
    `INSERT INTO films (_id, title, year, plot) VALUES ('a', 'Jaws', 1995, 'A shark hunts swimmers')`,
  );
  const found = [];
  for (const { name, before, statement } of WALKS) {
    await session.rows(before);
    const entered = new Set<string>();
    let last = '';
    let returned = 0;
    globalThis.walk = (path) => {
      if (path === last) return;
      last = path;
      if (entered.has(path)) returned++;
      entered.add(path);
    };
    await session.rows(statement);
    globalThis.walk = undefined;
    found.push({ name, entered: entered.size, returned });
  }
  await database.close();
  return found;
}

console.log(JSON.stringify(await walks(resolve(process.argv[2] ?? '.'))));
process.exit(0);
