/** Citations of an answer, as a reader wants them: under which heading, on which page, and a link that opens the file there. */
import { createHash } from 'node:crypto';
import { chmodSync, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { Answer, SearchResult } from '../typescript/src/asking.ts';
import type { Client } from '../typescript/src/client.ts';
import type { ClientConfig } from '../typescript/src/config.ts';
import { identifier, textLiteral } from '../typescript/src/wire/names.ts';
import { citationFolder, forgetOldCitations, originalOf } from './cache.ts';
import { SqlSession } from './sql/session.ts';

export interface Citation {
  /** Badge of the facts that rest on it, from 1. */
  readonly number: number;
  readonly ref: SearchResult;
  /** Titles above it, `A > B`; '' without any. */
  readonly heading: string;
  /** Label of its page; '' of files without pages. */
  readonly pageLabel: string;
  /** Null where there is no file, with the reason beside it. */
  readonly file: string | null;
  readonly url: string | null;
  readonly problem: string | null;
}

interface Document {
  readonly sha256: string | null;
  readonly labels: readonly string[];
}

interface Place {
  readonly file: string | null;
  readonly problem: string | null;
}

/** Where links lead: to the file itself where it lies on this machine unchanged, else to a copy. */
export class Citations implements AsyncDisposable {
  readonly #client: Client;
  readonly #config: ClientConfig;
  /** Null: a folder of this user alone. */
  readonly #folder: string | null;
  readonly #places = new Map<string, Promise<Place>>();
  #session: SqlSession | null = null;

  constructor(client: Client, config: ClientConfig, folder: string | null) {
    this.#client = client;
    this.#config = config;
    this.#folder = folder;
  }

  /** In the order of the badges. */
  async of(answer: Answer): Promise<Map<string, Citation>> {
    forgetOldCitations();
    const refs = Object.entries(answer.refs);
    const all = refs.map(([, ref]) => ref);
    const documents = await this.#documents(all);
    const headings = await this.#headings(all);
    const citations = new Map<string, Citation>();
    for (const [at, [id, ref]] of refs.entries()) {
      const document = documents.get(keyOf(ref.dataset, ref.docId)) ?? { sha256: null, labels: [] };
      const heading = headings.get(keyOf(ref.dataset, ref.contentId)) ?? '';
      const place = await this.#place(ref, document);
      citations.set(id, { number: at + 1, ref, heading, ...placed(ref, document, place) });
    }
    return citations;
  }

  async #documents(refs: readonly SearchResult[]): Promise<Map<string, Document>> {
    const found = new Map<string, Document>();
    for (const [dataset, ids] of byDataset(refs, ({ docId }) => docId)) {
      const sql = `SELECT doc_id, sha256, properties -> 'page_labels' AS labels
        FROM ${identifier(dataset)}.documents WHERE doc_id = ANY($1::text[])`;
      for (const { doc_id: id, sha256, labels } of await this.#client.sql(sql, [ids])) {
        const known = Array.isArray(labels) ? labels.map(String) : [];
        found.set(keyOf(dataset, String(id)), { sha256: sha256 as string | null, labels: known });
      }
    }
    return found;
  }

  async #headings(refs: readonly SearchResult[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const [dataset, ids] of byDataset(refs, ({ contentId }) => contentId)) {
      const sql = `SELECT content_id, heading FROM ${identifier(dataset)}.chunks WHERE content_id = ANY($1::text[])`;
      for (const { content_id: id, heading } of await this.#client.sql(sql, [ids])) {
        found.set(keyOf(dataset, String(id)), String(heading ?? ''));
      }
    }
    return found;
  }

  /** Each file once. */
  #place(ref: SearchResult, document: Document): Promise<Place> {
    const key = keyOf(ref.dataset, ref.docId);
    const known = this.#places.get(key) ?? this.#found(ref, document);
    this.#places.set(key, known);
    return known;
  }

  async #found(ref: SearchResult, { sha256 }: Document): Promise<Place> {
    try {
      const original = this.#folder === null && sha256 !== null ? await originalOf(sha256) : null;
      return { file: original ?? (await this.#copied(ref, sha256)), problem: null };
    } catch (error) {
      return { file: null, problem: (error as Error).message };
    }
  }

  async #copied({ dataset, docId, docName }: SearchResult, sha256: string | null): Promise<string> {
    const folder =
      this.#folder === null
        ? citationFolder(sha256 ?? createHash('sha256').update(keyOf(dataset, docId)).digest('hex'))
        : resolve(this.#folder, fileName(dataset), fileName(encodeURIComponent(docId)));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, fileName(docName));
    if (this.#folder === null && sha256 !== null && existsSync(path)) {
      utimesSync(folder, new Date(), new Date());
      return path;
    }
    this.#session ??= await SqlSession.open(this.#config, () => undefined);
    const text = `COPY quern.download TO STDOUT WITH (dataset ${textLiteral(dataset)}, doc_id ${textLiteral(docId)})`;
    const part = `${path}.part`;
    const output = (bytes: AsyncIterable<Uint8Array>): Promise<void> =>
      pipeline(Readable.from(bytes), createWriteStream(part, { mode: 0o600 }));
    try {
      await this.#session.run({ text, start: 0, script: text }, { output, input: async function* () {} });
      renameSync(part, path);
    } finally {
      rmSync(part, { force: true });
    }
    // A folder that was named is shared as its owner pleases.
    if (this.#folder !== null) chmodSync(path, 0o666 & ~process.umask());
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.close();
  }
}

const keyOf = (dataset: string, id: string): string => `${dataset}\0${id}`;

function placed(
  { content }: SearchResult,
  { labels }: Document,
  { file, problem }: Place,
): Pick<Citation, 'file' | 'url' | 'pageLabel' | 'problem'> {
  const page = content?.type === 'chunk' ? content.data.docPages[0] : undefined;
  const pageLabel = page === undefined ? '' : (labels[page - 1] ?? String(page));
  const anchor = page === undefined ? '' : `#page=${page}`;
  return { file, url: file === null ? null : `${pathToFileURL(file)}${anchor}`, pageLabel, problem };
}

function byDataset(
  refs: readonly SearchResult[],
  idOf: (ref: SearchResult) => string,
): Map<string, readonly string[]> {
  const ids = Map.groupBy(refs, ({ dataset }) => dataset);
  return new Map([...ids].map(([dataset, own]) => [dataset, [...new Set(own.map(idOf))]]));
}

const FILE_NAME_LETTERS_MAX = 80;
const DIGEST_LETTERS = 12;

/** A name as a file or folder may be called: it leads nowhere else, and its extension stays. */
function fileName(name: string): string {
  const plain = basename(name.replaceAll(/[\p{Cc}\\]/gu, '_'));
  if (plain === '' || plain === '.' || plain === '..') return `_${plain}`;
  const letters = [...plain];
  if (letters.length <= FILE_NAME_LETTERS_MAX) return plain;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LETTERS);
  const tail = `-${digest}${/\.\w{1,10}$/.exec(plain)?.[0] ?? ''}`;
  return `${letters.slice(0, FILE_NAME_LETTERS_MAX - tail.length).join('')}${tail}`;
}
