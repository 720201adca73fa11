/**
 * The process that parses one file after the other: what a hostile file does to its parser ends here. Started by
 * `parser.ts`, which gives it limits and kills it.
 */
import { documentLanguages } from '../../language/detect-language.ts';
import { domainsSpoken } from '../../language/domains/spoken.ts';
import { TextColumn } from '../cell-list.ts';
import { CellPlaces } from '../chunk/cell-places.ts';
import { type Chunk, eachChunk } from '../chunk/chunk.ts';
import type { Document, Page } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import type { DrawRequest, ParseLimits, ParseRequest } from '../formats/format.ts';
import { formatOf } from '../formats/registry.ts';
import { withPictures } from '../image/pictures.ts';
import { Ocr } from '../ocr/ocr.ts';
import { subjectsOf } from '../subjects/subjects-of.ts';
import { tableRecords } from '../tables/describe-tables.ts';
import type { ParsedFile } from './parsed-file.ts';

interface File {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly password: string | undefined;
  readonly limits: ParseLimits;
}

export type WorkerRequest =
  | ({ readonly kind: 'parse' } & File)
  | ({ readonly kind: 'draw' } & File & Omit<DrawRequest, 'password'>);

export type WorkerReply =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** In order, all before `done`: a large document must not be read in one turn of the server's thread. */
  | { readonly kind: 'chunks'; readonly chunks: readonly Chunk[] }
  | { readonly kind: 'tables'; readonly batch: Uint8Array }
  | { readonly kind: 'done'; readonly parsed: Omit<ParsedFile, 'chunks' | 'tables'> }
  | { readonly kind: 'drawn'; readonly png: Uint8Array }
  /** `problem` null: our own mistake. */
  | { readonly kind: 'failed'; readonly problem: string | null; readonly message: string };

const send = (reply: WorkerReply): void => {
  process.send?.(reply);
};

const CHUNKS_A_REPLY = 100;
/** As many as anybody reads of them. */
const BEGINNING_CHARACTERS = 2_000;
const ocr = new Ocr();

async function parse({
  bytes,
  name,
  password,
  limits,
}: File): Promise<Omit<ParsedFile, 'chunks' | 'tables'>> {
  const format = formatOf(bytes, name);
  const request: ParseRequest = {
    bytes,
    name,
    ...(password !== undefined && { password }),
    limits,
    ocr,
    onProgress: (done, total) => send({ kind: 'progress', done, total }),
  };
  const document = await withPictures(await format.parse(request), request);
  const places = new CellPlaces();
  const beginnings = sendChunks(document, places);
  tableRecords(document, places, (batch) => send({ kind: 'tables', batch }));
  const { title, metadata: properties, languages, pages, problems, margins } = document;
  const edges = [...new Set(margins.map(({ text }) => text))];
  return {
    format: format.name,
    mimeType: format.mimeTypes[0] ?? null,
    title,
    properties,
    languages: languages.length > 0 ? languages : documentLanguages(beginnings),
    pageCount: pages.length,
    pageLabels: labelsOf(pages),
    problems: beginnings.length === 0 ? [...problems, 'no text was found in it'] : problems,
    margins: edges,
    subjects: subjectsOf({ title, margins: edges, texts: beginnings }),
    domains: domainsSpoken(beginnings),
  };
}

/** @returns how each begins, which tells its language and domain. */
function sendChunks(document: Document, places: CellPlaces): TextColumn {
  const beginnings = new TextColumn();
  let waiting: Chunk[] = [];
  const flush = (): void => {
    if (waiting.length > 0) send({ kind: 'chunks', chunks: waiting });
    waiting = [];
  };
  eachChunk(document, places, (chunk) => {
    beginnings.push(chunk.text.slice(0, BEGINNING_CHARACTERS));
    waiting.push(chunk);
    if (waiting.length === CHUNKS_A_REPLY) flush();
  });
  flush();
  return beginnings;
}

function labelsOf(pages: readonly Page[]): readonly string[] {
  const labels = pages.map(({ label, number }) => label ?? String(number));
  return labels.every((label, index) => label === String(pages[index]?.number)) ? [] : labels;
}

async function draw({
  name,
  password,
  ...request
}: Extract<WorkerRequest, { kind: 'draw' }>): Promise<Uint8Array> {
  const format = formatOf(request.bytes, name);
  if (format.draw === undefined) {
    throw new DocumentError(
      'not_drawn',
      `pages of ${format.name} files cannot be drawn: they look as the printer wants`,
    );
  }
  return format.draw({ ...request, ...(password !== undefined && { password }) });
}

const answer = async (request: WorkerRequest): Promise<WorkerReply> =>
  request.kind === 'parse'
    ? { kind: 'done', parsed: await parse(request) }
    : { kind: 'drawn', png: await draw(request) };

process.on('message', (request: WorkerRequest) => {
  answer(request).then(send, (error: unknown) => {
    const problem = error instanceof DocumentError ? error.problem : null;
    send({ kind: 'failed', problem, message: error instanceof Error ? error.message : String(error) });
  });
});
process.on('disconnect', () => process.exit());
