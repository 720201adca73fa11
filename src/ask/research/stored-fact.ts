/**
 * A kept fact as its step stores it, and made of it again: its words are placed anew in what the datasets hold by then,
 * so that a fact whose document was changed or deleted meanwhile is one no longer.
 */
import { texts } from '../../session/datasets/parameters.ts';
import { datasetSchema } from '../../session/datasets/relations.ts';
import type { Query } from '../../session/server-session.ts';
import { chunkKey, type Fact, type Passage } from '../passage.ts';
import { type Contents, supported } from '../support.ts';
import type { Kept } from './look.ts';

export interface StoredFact
  extends Pick<Fact, 'text' | 'score' | 'isComputed' | 'sameAs'>,
    Omit<Kept, 'fact'> {
  readonly citations: readonly {
    readonly passage: Omit<Passage, 'text'>;
    readonly quotes: readonly { readonly text: string; readonly start: number }[];
  }[];
}

export function storedOf({ fact, ...kept }: Kept): StoredFact {
  const citations = fact.citations.map(({ passage: { text: _, ...passage }, quotes }) => ({
    passage,
    quotes: quotes.map(({ text, start }) => ({ text, start })),
  }));
  const { text, score, isComputed, sameAs } = fact;
  return { text, score, isComputed, sameAs, citations, ...kept };
}

interface Current {
  readonly text: string;
  readonly version: number;
}

/** Facts with their places, null where a fact's words do not stand any more. */
export async function restored(
  query: Query,
  stored: readonly StoredFact[],
  contents: Contents,
): Promise<readonly (Fact | null)[]> {
  const current = await currentTexts(query, stored);
  return stored.map(({ citations, ...fact }) => {
    const supports = citations.flatMap(({ passage, quotes }) => {
      const now = current.get(chunkKey(passage));
      if (now === undefined) return [];
      const whole = { ...passage, ...now };
      return quotes.map(({ text, start }) => ({ passage: whole, texts: [text], from: start }));
    });
    const count = citations.reduce((sum, { quotes }) => sum + quotes.length, 0);
    return supports.length < count ? null : joined(supported({ ...fact, supports }, contents));
  });
}

/** One citation a passage. */
function joined(fact: Fact | null): Fact | null {
  if (fact === null) return null;
  const passages = Map.groupBy(fact.citations, ({ passage }) => chunkKey(passage));
  const citations = [...passages.values()].flatMap((all) => {
    const [first] = all;
    return first === undefined
      ? []
      : [{ passage: first.passage, quotes: all.flatMap(({ quotes }) => quotes) }];
  });
  return { ...fact, citations };
}

async function currentTexts(
  query: Query,
  stored: readonly StoredFact[],
): Promise<ReadonlyMap<string, Current>> {
  const passages = stored.flatMap(({ citations }) => citations.map(({ passage }) => passage));
  const current = new Map<string, Current>();
  for (const [dataset, cited] of Map.groupBy(passages, (passage) => passage.dataset)) {
    const ids = [...new Set(cited.map(({ contentId }) => contentId))];
    const sql = `SELECT content_id, text, version FROM ${datasetSchema(dataset)}.chunks WHERE content_id = ANY($1)`;
    for (const row of await query(sql, texts(ids))) {
      const contentId = String(row.content_id);
      current.set(chunkKey({ dataset, contentId }), { text: String(row.text), version: Number(row.version) });
    }
  }
  return current;
}
