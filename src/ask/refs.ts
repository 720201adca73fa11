/** What the ids of facts stand for: each passage that is cited, once, with the words that were placed in it. */
import { texts } from '../session/datasets/parameters.ts';
import { datasetSchema } from '../session/datasets/relations.ts';
import type { Query } from '../session/server-session.ts';
import type { Fact, Passage, Quote } from './passage.ts';

/** Left, top, right, bottom of a line's words, in points from the page's top left. */
interface PlacedBox {
  readonly page: number;
  readonly box: readonly number[];
}

export interface Ref {
  readonly dataset: string;
  readonly doc_id: string;
  readonly doc_name: string;
  readonly doc_type: string | null;
  readonly content_id: string;
  readonly content: { readonly text: string; readonly doc_pages: readonly number[] };
  readonly quotes: readonly (Quote & { readonly boxes: readonly PlacedBox[] })[];
}

const keyOf = ({ dataset, contentId }: Passage): string => `${dataset}\n${contentId}`;

/** Numbers the passages in the order in which facts cite them. */
export class References {
  readonly #ids = new Map<string, string>();
  readonly #cited: { readonly passage: Passage; readonly quotes: Quote[] }[] = [];

  /** @returns ids of what a fact cites, each once. */
  add({ citations }: Fact): readonly string[] {
    const ids = citations.map(({ passage, quotes }) => {
      const id = this.#ids.get(keyOf(passage)) ?? String(this.#cited.push({ passage, quotes: [] }));
      this.#ids.set(keyOf(passage), id);
      const known = this.#cited[Number(id) - 1]?.quotes ?? [];
      for (const quote of quotes) {
        if (!known.some(({ start, end }) => start === quote.start && end === quote.end)) known.push(quote);
      }
      return id;
    });
    return [...new Set(ids)];
  }

  async refs(query: Query): Promise<Readonly<Record<string, Ref>>> {
    const runs = await this.#runs(query);
    const entries = this.#cited.map(({ passage, quotes }, i): [string, Ref] => [
      String(i + 1),
      {
        dataset: passage.dataset,
        doc_id: passage.docId,
        doc_name: passage.docName,
        doc_type: passage.docType,
        content_id: passage.contentId,
        content: { text: passage.text, doc_pages: passage.pages },
        quotes: quotes.map((quote) => ({ ...quote, boxes: boxesOf(runs.get(keyOf(passage)) ?? [], quote) })),
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
        runs.set(keyOf(one.passage), JSON.parse(String(row.boxes)) as Run[]);
      }
    }
    return runs;
  }
}

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
