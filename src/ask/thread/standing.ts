/**
 * Quotes of answers that were given, placed again in what the documents hold now: where they stood, else anywhere in the
 * same document. What stood on one line, a row's name and its cells, stands only together.
 */
import { documentKey } from '../passage.ts';
import type { CitedQuote, Standing } from '../../session/datasets/asker.ts';
import { integer, pageNumbers, text, texts } from '../../session/datasets/parameters.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Query, Row } from '../../session/server-session.ts';
import { Content } from '../place.ts';
import { Turns } from '../turns.ts';

/** Chunks of a document that are read at a time. */
const CHUNKS_A_READ = 200;

/** Quotes of one fact on one line of what it cites. */
type Unit = readonly CitedQuote[];

/** In the order of the quotes. @param query runs statements as the asker, over what is committed. */
export async function standingOf(
  quotes: readonly CitedQuote[],
  query: Query,
  signal: AbortSignal,
): Promise<readonly Standing[]> {
  const turns = new Turns(signal);
  const found = new Map<CitedQuote, Standing>();
  const documents = Map.groupBy(quotes, documentKey);
  for (const [first, ...others] of documents.values()) {
    if (first === undefined) continue;
    const document = new DocumentNow(first, query, turns);
    for (const [quote, standing] of await document.standing([first, ...others])) found.set(quote, standing);
  }
  return quotes.map((quote) => found.get(quote) ?? GONE);
}

const lost = (reason: Standing['reason']): Standing => ({
  stands: false,
  reason,
  contentId: null,
  pages: null,
});
const GONE = lost('document deleted');

class DocumentNow {
  readonly #schema: string;
  readonly #docId: string;
  readonly #query: Query;
  readonly #turns: Turns;

  constructor({ dataset, docId }: CitedQuote, query: Query, turns: Turns) {
    this.#schema = datasetSchema(dataset);
    this.#docId = docId;
    this.#query = query;
    this.#turns = turns;
  }

  async standing(quotes: readonly CitedQuote[]): Promise<ReadonlyMap<CitedQuote, Standing>> {
    const sql = `SELECT version FROM ${this.#schema}.documents WHERE _id = $1`;
    const [row] = await this.#query(sql, text(this.#docId));
    const found = new Map<CitedQuote, Standing>();
    if (row === undefined || Number(row.version) === 0) {
      const reason = row === undefined ? GONE : lost('document not ready');
      for (const quote of quotes) found.set(quote, reason);
      return found;
    }
    const cited = [...Map.groupBy(quotes, ({ fact, refId }) => `${fact} ${refId}`).values()].map(unitsOf);
    const left = await this.#inPlace(cited, found);
    if (left.length > 0) await this.#elsewhere(left, found);
    for (const quote of quotes) if (!found.has(quote)) found.set(quote, lost('changed'));
    return found;
  }

  /** @returns what does not stand where it was, all that a fact cites of one content together. */
  async #inPlace(
    cited: readonly (readonly Unit[])[],
    found: Map<CitedQuote, Standing>,
  ): Promise<readonly (readonly Unit[])[]> {
    const ids = [...new Set(cited.flat(2).map(({ contentId }) => contentId))];
    const chunks = await this.#chunks('content_id = ANY($2)', texts(ids));
    const left: (readonly Unit[])[] = [];
    for (const units of cited) {
      await this.#turns.next();
      const chunk = chunks.find(({ contentId }) => contentId === units[0]?.[0]?.contentId);
      if (chunk !== undefined && units.every((unit) => chunk.holds(unit))) stands(units, chunk, found);
      else left.push(units);
    }
    return left;
  }

  /** A content that holds all comes first, then each line by itself: where it was, or elsewhere. */
  async #elsewhere(cited: readonly (readonly Unit[])[], found: Map<CitedQuote, Standing>): Promise<void> {
    const alone = new Map<Unit, Chunk>();
    const whole = new Map<readonly Unit[], Chunk>();
    for await (const chunk of this.#all()) {
      for (const units of cited) {
        if (whole.has(units)) continue;
        const held = units.filter((unit) => chunk.holds(unit));
        if (held.length === units.length) whole.set(units, chunk);
        for (const unit of held)
          if (!alone.has(unit) || chunk.contentId === unit[0]?.contentId) alone.set(unit, chunk);
      }
    }
    for (const units of cited) {
      const chunk = whole.get(units);
      if (chunk !== undefined) stands(units, chunk, found);
      else for (const unit of units) stands([unit], alone.get(unit), found);
    }
  }

  async *#all(): AsyncGenerator<Chunk> {
    for (let after = -1; ; ) {
      const chunks = await this.#chunks(
        `ordinal > $2 ORDER BY ordinal LIMIT ${CHUNKS_A_READ}`,
        integer(after),
      );
      for (const chunk of chunks) {
        await this.#turns.next();
        yield chunk;
      }
      const last = chunks.at(-1);
      if (last === undefined || chunks.length < CHUNKS_A_READ) return;
      after = last.ordinal;
    }
  }

  async #chunks(condition: string, parameter: Parameters<Query>[1]): Promise<readonly Chunk[]> {
    const rows = await this.#query(
      `SELECT content_id, ordinal, text, doc_pages FROM ${this.#schema}.chunks WHERE doc_id = $1 AND ${condition}`,
      text(this.#docId),
      parameter,
    );
    return rows.map((row) => new Chunk(row));
  }
}

function stands(units: readonly Unit[], chunk: Chunk | undefined, found: Map<CitedQuote, Standing>): void {
  if (chunk === undefined) return;
  const { contentId, pages } = chunk;
  for (const quote of units.flat()) {
    const isThere = quote.contentId === contentId && String(quote.pages) === String(pages);
    found.set(quote, { stands: true, reason: isThere ? 'in place' : 'moved', contentId, pages });
  }
}

const unitsOf = (quotes: readonly CitedQuote[]): readonly Unit[] => [
  ...Map.groupBy(quotes, ({ line }) => line).values(),
];

/** Without all that placing a quote may leave out of account, and more: what is not in here stands nowhere. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

const longestWord = (quote: string): string =>
  (
    quote
      .normalize('NFKC')
      .toUpperCase()
      .match(/\p{L}+/gu) ?? []
  ).reduce((longest, word) => (word.length > longest.length ? word : longest), '');

const CELL = /^\[[^\]]*\]=/;

class Chunk {
  readonly contentId: string;
  readonly ordinal: number;
  readonly pages: readonly number[];
  readonly #text: string;
  #letters: string | null = null;
  #whole: Content | null = null;
  #lines: readonly Content[] | null = null;

  constructor(row: Row) {
    this.contentId = String(row.content_id);
    this.ordinal = Number(row.ordinal);
    this.pages = pageNumbers(row.doc_pages ?? null);
    this.#text = String(row.text);
  }

  /** Folding a text takes a hundred times as long as looking for a word of each quote in it. */
  #mayHold(unit: Unit): boolean {
    this.#letters ??= lettersOf(this.#text);
    const letters = this.#letters;
    return unit.every(({ quote }) => letters.includes(longestWord(quote)));
  }

  /** Words that stood on one line of running text may be broken over lines by now, cells of a row not. */
  holds(unit: Unit): boolean {
    if (!this.#mayHold(unit)) return false;
    this.#whole ??= new Content(this.#text);
    const whole = this.#whole;
    if (!unit.every(({ quote }) => whole.place(quote) !== null)) return false;
    if (unit.length === 1 || !unit.some(({ quote }) => CELL.test(quote))) return true;
    this.#lines ??= this.#text.split('\n').map((line) => new Content(line));
    return this.#lines.some((line) => unit.every(({ quote }) => line.place(quote) !== null));
  }
}
