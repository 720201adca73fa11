/**
 * Relations that no grant opens: what Quern keeps of requests and answers, and the bytes of uploaded files. Of those whose
 * rows say whose they are everybody reads their own (`sql/bind/relation/own-rows.ts`); the rest are superusers'.
 */
import type { Catalog, Relation } from './model.ts';
import { NAMESPACE_OID } from './oids.ts';

/** Bytes of files, pictures in them, and passwords; functions give them to whoever may read the dataset's documents. */
const FILES: ReadonlySet<string> = new Set(['_files', '_pictures', '_passwords']);

/** How rows say whose they are. */
export type Ownership =
  /** By the columns `role`, and `key`: the id of the key by whose limits they came to be; null: there were none. */
  | { readonly by: 'role and key'; readonly cited?: Cited }
  /** By the column `role`; those who watch the server see all. Not for limited keys. */
  | { readonly by: 'role or monitor' }
  /** They are the server's, for those who watch it. Not for limited keys. */
  | { readonly by: 'monitor' }
  /** Deeds of everybody, for auditors. Not for limited keys. */
  | { readonly by: 'auditor' }
  /** A row belongs to the row of another relation that has the value of its column `id`, there called `of`. */
  | {
      readonly by: 'other';
      readonly relation: string;
      readonly id: string;
      readonly of?: string;
      readonly cited?: Cited;
    }
  /** A view, with its reader's rights. */
  | { readonly by: 'reader' };

/** Documents of which a row says something: it is shown only where all of them may be seen. */
export interface Cited {
  /** Column of the row, and of the relations that list them. */
  readonly id: string;
  /** Relations of schema quern with the columns `dataset`, `doc_id`. */
  readonly in: readonly string[];
}

/** A key that limits which rows there are, as far as rows of schema quern ask for it. */
export interface RowKey {
  readonly id: string;
  /** Names of datasets that it reaches; null: all. */
  readonly datasets: readonly string[] | null;
}

const OF_ANSWER: Ownership = { by: 'other', relation: 'answers', id: 'answer_id' };
/** Rows of a run, which tell of every document that it looked at. */
const OF_RESEARCH: Ownership = {
  by: 'other',
  relation: 'research',
  id: 'research_id',
  cited: { id: 'research_id', in: ['research_documents'] },
};

/** Relations of schema quern whose rows say whose they are. */
const OWNED: Readonly<Record<string, Ownership>> = {
  answers: { by: 'role and key', cited: { id: 'answer_id', in: ['citations', 'answer_origins'] } },
  facts: OF_ANSWER,
  citations: OF_ANSWER,
  answer_origins: OF_ANSWER,
  handles: { by: 'role and key' },
  research: { by: 'role and key' },
  research_steps: OF_RESEARCH,
  research_results: OF_RESEARCH,
  research_documents: OF_RESEARCH,
  evaluations: { by: 'role and key' },
  evaluation_questions: { by: 'other', relation: 'evaluations', id: 'evaluation', of: 'name' },
  evaluation_runs: { by: 'role and key' },
  evaluation_results: { by: 'other', relation: 'evaluation_runs', id: 'run' },
  ingest_failures: { by: 'reader' },
  pending: { by: 'reader' },
  requests: { by: 'role and key' },
  saved_queries: { by: 'role and key' },
  outside_calls: { by: 'role or monitor' },
  inference_log: { by: 'monitor' },
  audit: { by: 'reader' },
  audit_entries: { by: 'auditor' },
  audit_texts: { by: 'auditor' },
};

/** True where commits number its rows and link them by hashes (`engine/embedded/commit/chain.ts`). */
export const isChained = ({ namespace, name }: Relation): boolean =>
  namespace === NAMESPACE_OID.quern && name === 'audit_entries';

/** Undefined: the rows do not say. */
export const ownershipOf = ({ namespace, name }: Relation): Ownership | undefined =>
  namespace === NAMESPACE_OID.quern && Object.hasOwn(OWNED, name) ? OWNED[name] : undefined;

const NOT_OF_KEYS: ReadonlySet<Ownership['by']> = new Set(['role or monitor', 'monitor', 'auditor']);

/** True where rows also say by which limited key they came to be: such a key reads its own. */
export function isOwnedByKeys(relation: Relation): boolean {
  const by = ownershipOf(relation)?.by;
  return by !== undefined && !NOT_OF_KEYS.has(by);
}

export function isPrivate({ namespaces }: Catalog, { namespace, name }: Relation): boolean {
  if (namespace === NAMESPACE_OID.quern) return true;
  if (!FILES.has(name)) return false;
  return namespaces.find(({ oid }) => oid === namespace)?.dataset !== undefined;
}
