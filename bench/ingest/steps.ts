/**
 * Processor time of ingestion by step over PDFs, the project's samples unless others are named: reading, recognition
 * of pages that are pictures, chunks, tables, embedding by the usual model, first and again (equal passages are
 * embedded once), and storing by a server. Wall times mean little on a machine with other work.
 */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startServer } from '../../scripts/server-process.ts';
import { createInference, USUAL_MODEL } from '../../src/inference/registry.ts';
import { CellPlaces } from '../../src/ingest/chunk/cell-places.ts';
import { chunksOf } from '../../src/ingest/chunk/chunk.ts';
import { formatOf } from '../../src/ingest/formats/registry.ts';
import { Ocr } from '../../src/ingest/ocr/ocr.ts';
import { PARSE_LIMITS } from '../../src/ingest/parse/parse-limits.ts';
import { EMBEDDED_PASSAGES_BYTES_MAX } from '../../src/limits.ts';
import { tableRecords } from '../../src/ingest/tables/describe-tables.ts';

const ROOT = join(import.meta.dirname, '../..');
const WAIT_SECONDS = 3_600;

interface Step {
  seconds: number;
}

type Steps = Record<'reading' | 'recognition' | 'chunks' | 'tables' | 'embedding' | 'again', Step>;

/** @param given folder of PDFs; absent: the project's samples. */
export async function steps(quick: boolean, given: string | undefined): Promise<void> {
  const folder = given ?? join(ROOT, 'samples/documents');
  const names = readdirSync(folder).filter((name) => name.endsWith('.pdf'));
  const files = (quick ? names.slice(0, 2) : names).map((name) => join(folder, name));
  await using inference = await createInference({
    modelsFolder: join(ROOT, 'models'),
    threads: 2,
    cachedBytes: EMBEDDED_PASSAGES_BYTES_MAX,
  });
  const model = inference.model(USUAL_MODEL.ofNewData);
  await model.warm();
  const none = (): Step => ({ seconds: 0 });
  const spent: Steps = {
    reading: none(),
    recognition: none(),
    chunks: none(),
    tables: none(),
    embedding: none(),
    again: none(),
  };
  const ocr = measuredOcr(spent.recognition);
  let [pages, passages] = [0, 0];
  for (const path of files) {
    const bytes = readFileSync(path);
    const request = { bytes, name: path, limits: PARSE_LIMITS, ocr };
    const document = await measured(spent.reading, () => formatOf(bytes, path).parse(request));
    const places = new CellPlaces();
    const chunks = await measured(spent.chunks, async () => chunksOf(document, places));
    await measured(spent.tables, async () => tableRecords(document, places, () => undefined));
    const texts = chunks.map(({ indexed }) => indexed);
    const { signal } = new AbortController();
    await measured(spent.embedding, () => model.embedDocuments(texts, signal, FREELY));
    await measured(spent.again, () => model.embedDocuments(texts, signal, FREELY));
    pages += document.pages.length;
    passages += texts.length;
  }
  spent.reading.seconds -= spent.recognition.seconds;
  const told = Object.entries(spent).map(([name, { seconds }]) => `${name} ${seconds.toFixed(2)}`);
  console.log(`steps: ${files.length} PDFs, ${pages} pages, ${passages} passages; processor seconds`);
  console.log(`  ${told.join(', ')}, storing ${(await storing(files)).toFixed(2)}`);
}

async function measured<T>(step: Step, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  step.seconds += (user + system) / 1e6;
  return result;
}

/** Recognition that is counted. */
function measuredOcr(step: Step): Ocr {
  const ocr = new Ocr();
  const read = ocr.read.bind(ocr);
  ocr.read = (raster) => measured(step, () => read(raster));
  return ocr;
}

/** Processor seconds of a server's own process for files whose passages cost nothing to embed. */
async function storing(files: readonly string[]): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'quern-steps-'));
  try {
    await using server = await startServer({ data });
    const { host, port, key } = server;
    const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
    await client.connect();
    await client.query("CREATE DATASET steps WITH (embedding_model = 'hash')");
    const before = processorSeconds(server.process.pid as number);
    for (const path of files) {
      const put = "SELECT quern.upsert_file('steps', $1, $1, $2) AS handle";
      const { rows } = await client.query(put, [path, readFileSync(path)]);
      await client.query('SELECT quern.wait_for_handle($1, $2)', [rows[0].handle, WAIT_SECONDS]);
    }
    const seconds = processorSeconds(server.process.pid as number) - before;
    await client.end();
    return seconds;
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Its parsers are processes of their own, and not counted. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
