/** References of an answer: each passage that is cited, once, with the words that were placed in it. */
import type { AnswerRef, AskRow, FactQuote } from '../functions/services.ts';
import { texts } from '../session/datasets/parameters.ts';
import { datasetSchema } from '../session/datasets/relations.ts';
import type { Query } from '../session/server-session.ts';
import { chunkKey, type Fact, type Passage, type Quote } from './passage.ts';

type PlacedBox = AnswerRef['quotes'][number]['boxes'][number];

/** Numbers the passages in the order in which facts cite them. */
export class References {
  readonly #ids = new Map<string, string>();
  readonly #cited: { readonly passage: Passage; readonly quotes: Quote[] }[] = [];

  /** The fact as a row, with the ids of what it cites, each once. */
  add({ text, citations, isComputed }: Fact): Extract<AskRow, { kind: 'fact' }> {
    const placed: FactQuote[] = [];
    const ids = citations.map(({ passage, quotes }) => {
      const id = this.#ids.get(chunkKey(passage)) ?? String(this.#cited.push({ passage, quotes: [] }));
      this.#ids.set(chunkKey(passage), id);
      const known = this.#cited[Number(id) - 1]?.quotes ?? [];
      for (const quote of quotes) {
        if (!known.some((one) => isSamePlace(one, quote))) known.push(quote);
        if (!placed.some((one) => one.refId === id && isSamePlace(one, quote)))
          placed.push({ refId: id, version: passage.version, ...quote });
      }
      return id;
    });
    return { kind: 'fact', fact: text, refIds: [...new Set(ids)], isComputed, quotes: placed };
  }

  async refs(query: Query): Promise<Readonly<Record<string, AnswerRef>>> {
    const runs = await this.#runs(query);
    const entries = this.#cited.map(({ passage, quotes }, i): [string, AnswerRef] => [
      String(i + 1),
      {
        dataset: passage.dataset,
        doc_id: passage.docId,
        doc_name: passage.docName,
        doc_type: passage.docType,
        content_id: passage.contentId,
        content: { text: passage.text, doc_pages: passage.pages },
        quotes: quotes.map((quote) => ({
          ...quote,
          boxes: boxesOf(runs.get(chunkKey(passage)) ?? [], quote),
        })),
      },
    ]);
    return Object.fromEntries(entries);
  }

  /** Where the lines of the cited chunks stand. */
  async #runs(query: Query): Promise<ReadonlyMap<string, readonly Run[]>> {
    const runs = new Map<string, readonly Run[]>();
    for (const [dataset, cited] of Map.groupBy(this.#cited, ({ passage }) => passage.dataset)) {
      const ids = texts(cited.map(({ passage }) => passage.contentId));
      const sql = `SELECT content_id, text, boxes FROM ${datasetSchema(dataset)}.chunks WHERE content_id = ANY($1)`;
      for (const row of await query(sql, ids)) {
        const one = cited.find(({ passage }) => passage.contentId === row.content_id);
        // The document may have been replaced since it was searched.
        if (one === undefined || row.boxes === null || row.text !== one.passage.text) continue;
        runs.set(chunkKey(one.passage), JSON.parse(String(row.boxes)) as Run[]);
      }
    }
    return runs;
  }
}

const isSamePlace = (a: Quote, b: Quote): boolean => a.start === b.start && a.end === b.end;

/** As chunks store them. */
type Run = readonly [
  page: number,
  start: number,
  end: number,
  left: number,
  top: number,
  right: number,
  bottom: number,
];

const boxesOf = (runs: readonly Run[], { start, end }: Quote): readonly PlacedBox[] =>
  runs.filter(([, from, to]) => from < end && to > start).map(([page, , , ...box]) => ({ page, box }));
