/** The retrieval sets: texts, and questions with the texts that answer them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../shared/data/retrieval', import.meta.url));

export interface RetrievalText {
  readonly id: string;
  readonly text: string;
}

export interface RetrievalSet {
  readonly name: string;
  /** Each text begins with its title, which is empty where there is none. */
  readonly documents: readonly (RetrievalText & { readonly title: string })[];
  /** Only those with relevant documents, whose ids are `relevant`. */
  readonly queries: readonly (RetrievalText & { readonly relevant: ReadonlySet<string> })[];
}

interface Line {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
}

export function readSet(name: string): RetrievalSet {
  const relevant = new Map<string, Set<string>>();
  for (const line of linesOf(join(FOLDER, name, 'qrels.tsv')).slice(1)) {
    const [query = '', document = '', relevance] = line.split('\t');
    if (Number(relevance) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document));
  }
  const texts = (file: string): RetrievalSet['documents'] =>
    linesOf(join(FOLDER, name, file)).map((line) => {
      const { id, title = '', text } = JSON.parse(line) as Line;
      return { id, title, text: `${title} ${text}`.trim() };
    });
  const queries = texts('queries.jsonl').flatMap((query) => {
    const known = relevant.get(query.id);
    return known === undefined ? [] : [{ ...query, relevant: known }];
  });
  return { name, documents: texts('docs.jsonl'), queries };
}

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').trim().split('\n');
