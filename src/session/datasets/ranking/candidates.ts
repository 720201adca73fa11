/** The passages of one dataset that the indexes hold for best: what ranking chooses from. */
import { quoteLiteral } from '../../../types/text/quote.ts';
import type { Parameter, Row } from '../../server-session.ts';
import { text, texts } from '../parameters.ts';
import { datasetSchema } from '../relations.ts';
import type { Ask, Passage, Target } from './passage.ts';

/** Looked at for each result that is wanted, so that crowding and duplicates leave enough. */
const CANDIDATES_A_RESULT = 3;
const CANDIDATES_MIN = 50;
const HYBRID_K_MAX = 10_000;

const candidateCount = (topK: number): number =>
  Math.min(HYBRID_K_MAX, Math.max(CANDIDATES_MIN, topK * CANDIDATES_A_RESULT));

/** Best first. @param topK results that are wanted in the end. */
export async function candidatesOf(
  ask: Ask,
  { dataset, documents }: Target,
  { query, topK }: { readonly query: string; readonly topK: number },
): Promise<readonly Passage[]> {
  const chunks = quoteLiteral(`${datasetSchema(dataset)}.chunks`);
  const parameters: Parameter[] = [text(query)];
  if (documents !== null) parameters.push(texts(documents));
  const where = documents === null ? '' : 'WHERE h.doc_id = ANY($2)';
  const rows = await ask(
    `SELECT h.score, h.doc_id, h.doc_name, h.doc_type, h.content_id, h.ordinal, h.kind, h.heading, h.text,
       h.doc_pages, h.metadata, h.version, h.semantic_score, h.keyword_score
     FROM hybrid(${chunks}, $1, columns => ARRAY['passage'], k => ${candidateCount(topK)}) h ${where}`,
    ...parameters,
  );
  return rows.map((row) => passageOf(dataset, row));
}

function passageOf(dataset: string, row: Row): Passage {
  const number = (name: string): number | null => (row[name] == null ? null : Number(row[name]));
  const string = (name: string): string | null => (row[name] == null ? null : String(row[name]));
  return {
    score: number('score') ?? 0,
    dataset,
    docId: String(row.doc_id),
    docName: String(row.doc_name),
    docType: string('doc_type'),
    contentId: String(row.content_id),
    ordinal: Number(row.ordinal),
    kind: String(row.kind),
    heading: string('heading'),
    text: String(row.text),
    pages: row.doc_pages ?? null,
    metadata: row.metadata ?? null,
    version: Number(row.version),
    semanticScore: number('semantic_score'),
    keywordScore: number('keyword_score'),
  };
}
