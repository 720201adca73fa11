/**
 * A workbook of 2,000,000 cells: processor time by part, memory of the server and of its parsers, how long another
 * client waited for `SELECT 1` meanwhile, bytes on disk, and whether the cells are those of the file.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startServer } from '../../scripts/server-process.ts';
import { workbook } from '../../sql-tests/fixtures/workbook.ts';
import { percentile, report } from '../statistics.ts';

const ROWS = 100_000;
const COLUMNS = 20;
const WAIT_SECONDS = 3_600;
const LOOK_MS = 250;
const MIB = 1024 ** 2;

export async function sheet(quick: boolean): Promise<void> {
  const rows = quick ? ROWS / 10 : ROWS;
  const bytes = workbook(sales(rows));
  const data = mkdtempSync(join(tmpdir(), 'quern-sheet-'));
  try {
    await using server = await startServer({ data });
    const { host, port, key } = server;
    const connect = async (): Promise<pg.Client> => {
      const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
      await client.connect();
      return client;
    };
    const [client, other] = [await connect(), await connect()];
    await client.query("CREATE DATASET sheets WITH (embedding_model = 'hash')");
    const watch = new Watch(server.process.pid as number, other);
    const started = performance.now();
    const put = "SELECT quern.upsert_file('sheets', 'sales', 'sales.xlsx', $1) AS handle";
    const { rows: given } = await client.query(put, [bytes]);
    await client.query('SELECT quern.wait_for_handle($1, $2)', [given[0].handle, WAIT_SECONDS]);
    const seconds = (performance.now() - started) / 1000;
    await watch.end();
    report(`a workbook of ${(rows * COLUMNS).toLocaleString('en')} cells, seconds`, seconds, {
      file: `${(bytes.length / MIB).toFixed(1)} MiB`,
      'server at most': `${watch.serverMb.toFixed(0)} MB`,
      'parser at most': `${watch.parserMb.toFixed(0)} MB`,
    });
    report("another client's SELECT 1, p95 ms", percentile(watch.waits, 0.95), {
      p50: percentile(watch.waits, 0.5).toFixed(1),
      most: Math.max(...watch.waits).toFixed(0),
      asked: String(watch.waits.length),
    });
    await tellCells(client, rows);
    await tellDisk(client, data);
    await client.end();
    await other.end();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Names, a header, amounts with two places that are shown with marks between thousands. */
function* sales(rows: number) {
  yield ['Customer', ...Array.from({ length: COLUMNS - 1 }, (_, i) => `Sales ${2000 + i}`)];
  for (let row = 1; row < rows; row++) {
    const numbers = Array.from({ length: COLUMNS - 1 }, (_, i) => ({
      number: amount(row, i + 1),
      format: '#,##0',
    }));
    yield [`Customer number ${row}`, ...numbers];
  }
}

/** With two places, of which the sheet shows none. */
const amount = (row: number, column: number): number => ((row * 7_919 + column * 104_729) % 1_000_003) / 100;

async function tellCells(client: pg.Client, rows: number): Promise<void> {
  const { rows: counted } = await client.query(
    'SELECT count(*)::int AS cells, count(number)::int AS numbers, sum(number)::text AS sum FROM sheets.cells',
  );
  let hundredths = 0;
  for (let row = 1; row < rows; row++) {
    for (let column = 1; column < COLUMNS; column++) hundredths += Math.round(100 * amount(row, column));
  }
  const { cells, numbers, sum } = counted[0];
  const isRight = Number(sum) === hundredths / 100;
  console.log(
    `  ${cells} cells, ${numbers} numbers; their sum is ${isRight ? 'right' : `${sum}, not that of the file`}`,
  );
}

async function tellDisk(client: pg.Client, data: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT relname::text AS name, pg_total_relation_size(c.oid)::float8 / ${MIB} AS mib FROM pg_class c
       JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'sheets' AND relkind = 'r' ORDER BY 2 DESC`,
  );
  const large = rows.filter(({ mib }) => mib >= 0.1).map(({ name, mib }) => `${name} ${mib.toFixed(1)}`);
  const file = statSync(join(data, 'data.mdb')).size / MIB;
  console.log(`  MiB on disk: ${large.join(', ')}; the data file ${file.toFixed(0)}`);
}

/** Looks at both sides while it is read. */
class Watch {
  readonly waits: number[] = [];
  serverMb = 0;
  parserMb = 0;
  readonly #server: number;
  #isOn = true;
  readonly #finished: Promise<void>;

  constructor(server: number, other: pg.Client) {
    this.#server = server;
    this.#finished = this.#look(other);
  }

  async end(): Promise<void> {
    this.#isOn = false;
    await this.#finished;
  }

  async #look(other: pg.Client): Promise<void> {
    while (this.#isOn) {
      const asked = performance.now();
      await other.query('SELECT 1');
      this.waits.push(performance.now() - asked);
      this.serverMb = Math.max(this.serverMb, memoryMb(this.#server));
      for (const child of childrenOf(this.#server)) this.parserMb = Math.max(this.parserMb, memoryMb(child));
      await sleep(LOOK_MS);
    }
  }
}

/** The most that the process has held. */
function memoryMb(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      const own = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8');
      return own.split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
