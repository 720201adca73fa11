/** One question over the wire, row by row, as a client sees it. */
import pg from 'pg';

export interface Ref {
  readonly dataset: string;
  readonly doc_id: string;
  readonly content_id: string;
  readonly content: { readonly text: string; readonly doc_pages: readonly number[] };
  readonly quotes: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

export interface Asked {
  readonly facts: readonly { readonly fact: string; readonly refIds: readonly string[] }[];
  readonly refs: Readonly<Record<string, Ref>>;
  readonly progress: readonly string[];
  readonly confidence: number;
  readonly ms: number;
  readonly firstMs: number;
}

interface Row {
  readonly kind: 'progress' | 'fact' | 'answer';
  readonly fact: string;
  readonly update: string | null;
  readonly ref_ids: readonly string[];
  readonly refs: Readonly<Record<string, Ref>>;
  readonly confidence: number;
}

export async function asked(
  client: pg.Client,
  {
    question,
    dataset,
    filter,
    mode = 'auto',
  }: {
    readonly question: string;
    readonly dataset: string;
    readonly filter: string | null;
    readonly mode?: string;
  },
): Promise<Asked> {
  const began = performance.now();
  let firstMs = 0;
  const rows: Row[] = [];
  const query = new pg.Query('SELECT * FROM ask($1, $2::text[], filter => $3, mode => $4)', [
    question,
    [dataset],
    filter,
    mode,
  ]);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  query.on('row', (row: Row) => {
    firstMs ||= performance.now() - began;
    rows.push(row);
  });
  query.on('end', () => resolve());
  query.on('error', reject);
  client.query(query);
  await promise;
  const answer = rows.at(-1);
  if (answer?.kind !== 'answer') throw new Error(`no answer to: ${question}`);
  return {
    facts: rows.filter(({ kind }) => kind === 'fact').map(({ fact, ref_ids }) => ({ fact, refIds: ref_ids })),
    refs: answer.refs,
    progress: rows.flatMap(({ update }) => update ?? []),
    confidence: answer.confidence,
    ms: performance.now() - began,
    firstMs,
  };
}
