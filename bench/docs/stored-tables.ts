/** The same tables as the server has stored them: cells read back by SQL, scored as `tables.ts` scores what is found. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { startServer } from '../../scripts/server-process.ts';
import { addCounts, compare, f1, relations, type ScoredCell, together } from './adjacency.ts';
import { none, type Truth, wantedCells } from './tables.ts';

const CELLS = `SELECT table_id, page, row - 1 AS row, "column" - 1 AS "column", row_end - 1 AS "rowEnd",
  column_end - 1 AS "columnEnd", text FROM icdar.cells WHERE doc_id = $1`;

interface StoredCell extends ScoredCell {
  readonly table_id: string;
  readonly page: number;
}

export async function storedTables(folder: string, quick: boolean): Promise<void> {
  const lines = readFileSync(join(folder, 'tables.jsonl'), 'utf8').trim().split('\n');
  const truths = (quick ? lines.slice(0, 12) : lines).map((line) => JSON.parse(line) as Truth);
  const data = mkdtempSync(join(tmpdir(), 'quern-tables-'));
  try {
    await using server = await startServer({ data });
    const { host, port, key } = server;
    const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
    await client.connect();
    await client.query("CREATE DATASET icdar WITH (embedding_model = 'hash')");
    const counts = none();
    for (const truth of truths) addCounts(counts, await scored(client, folder, truth));
    await client.end();
    const { right, found, wanted } = counts;
    const parts = `precision ${(right / found).toFixed(3)}, recall ${(right / wanted).toFixed(3)}`;
    console.log(`  read by SQL    ${f1(counts).toFixed(3)} (bar 0.78); ${parts}`);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function scored(
  client: pg.Client,
  folder: string,
  { file, tables }: Truth,
): Promise<ReturnType<typeof none>> {
  const id = basename(file);
  const bytes = readFileSync(join(folder, file));
  const { rows } = await client.query("SELECT quern.upsert_file('icdar', $1, $1, $2) AS handle", [id, bytes]);
  await client.query('SELECT quern.wait_for_handle($1, 300)', [rows[0].handle]);
  const { rows: cells } = await client.query<StoredCell>(CELLS, [id]);
  const counts = none();
  const pages = new Set([
    ...cells.map(({ page }) => page),
    ...tables.flatMap((table) => table.cells[0]?.page ?? []),
  ]);
  for (const page of pages) {
    const wanted = together(
      tables.filter((table) => table.cells[0]?.page === page).map((table) => relations(wantedCells(table))),
    );
    const own = Map.groupBy(
      cells.filter((cell) => cell.page === page),
      ({ table_id }) => table_id,
    );
    addCounts(counts, compare(wanted, together([...own.values()].map((found) => relations(found)))));
  }
  return counts;
}
