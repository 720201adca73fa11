/**
 * A question of a thread takes from the answers before it what it does not say itself: words (`elliptic.ts`), and the
 * document that they are of.
 */
import { present } from '../../assert.ts';
import type { FormerAnswer, ThreadedRequest } from '../../session/datasets/asker.ts';
import type { Query } from '../../session/server-session.ts';
import { documentNames, narrowedTo } from '../naming/named-documents.ts';
import { yearsIn } from '../question.ts';
import { QUERY_TEXT_CHARACTERS_MAX } from '../../limits.ts';
import { madeWhole } from './elliptic.ts';

export interface Followed {
  /** Null: as it was asked. */
  readonly understood: string | null;
  /** Datasets with only the document that is gone on with; null where there is no such. */
  readonly near: ThreadedRequest['datasets'] | null;
}

/** @param request of a thread that has answers. @param query runs statements as the asker. */
export async function followed(request: ThreadedRequest, query: Query): Promise<Followed> {
  const { former, question, datasets } = request;
  const last = present(former.at(-1), 'the answer before');
  const names = await documentNames(query, datasets);
  const namesDocuments = (text: string): boolean => names.named(text, yearsIn(text)) !== null;
  const whole = madeWhole({ question, former: last.understood ?? last.question, namesDocuments });
  const understood = whole === null || whole.length > QUERY_TEXT_CHARACTERS_MAX ? null : whole;
  return { understood, near: understood === null ? null : nearOf(request, last) };
}

/** Where all that was cited is of one document. */
function nearOf({ datasets }: ThreadedRequest, { documents }: FormerAnswer): Followed['near'] {
  const [only, ...others] = documents;
  const dataset = datasets.find((one) => one.dataset === only?.dataset);
  if (only === undefined || others.length > 0 || dataset === undefined) return null;
  return [narrowedTo(dataset, [only.docId])];
}
