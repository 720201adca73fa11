/** Services for advisory locks, and for models. */
import type { AdvisoryKey } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { AdvisoryLockForm, AdvisoryLockKey, SessionServices } from '../../functions/services.ts';
import type { EmbeddingModel } from '../../inference/provider.ts';
import { DOCUMENT_BYTES_MAX } from '../../limits.ts';
import type { SessionState } from '../session-state.ts';
import type { Statement } from './statement.ts';

function keyOf([first, second]: AdvisoryLockKey): AdvisoryKey {
  if (typeof first === 'bigint') {
    const bits = BigInt.asUintN(64, first);
    return { high: Number(bits >> 32n), low: Number(bits & 0xffff_ffffn), part: 1 };
  }
  return { high: first >>> 0, low: (second ?? 0) >>> 0, part: 2 };
}

/** PostgreSQL's names of the two modes. */
const KINDS = { exclusive: 'ExclusiveLock', share: 'ShareLock' } as const;

const NEVER = new AbortController().signal;

/** A lock of a transaction needs one. */
function lock(
  { block, locks }: SessionState,
  key: AdvisoryLockKey,
  { mode, until }: AdvisoryLockForm,
  how: { readonly wait: 'block' | 'nowait'; readonly signal: AbortSignal },
): Promise<boolean> | boolean {
  block.require();
  return locks.lock(keyOf(key), { mode, ...how }, until);
}

export const advisoryLockServices = (statement: Statement): SessionServices['advisoryLocks'] => ({
  async lock(key, form) {
    await lock(statement.session, key, form, { wait: 'block', signal: statement.signal });
  },
  tryLock: (key, form) => lock(statement.session, key, form, { wait: 'nowait', signal: NEVER }) === true,
  unlock(key, mode) {
    const held = statement.session.locks.unlock(keyOf(key), mode);
    const message = `you don't own a lock of type ${KINDS[mode]}`;
    if (!held) statement.notice({ severity: 'WARNING', condition: 'warning', message });
    return held;
  },
  unlockAll: () => statement.session.locks.unlockAll(),
});

/** @throws SqlError 54000 */
function checkDocument(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= DOCUMENT_BYTES_MAX) return;
  const message = `text of ${bytes} bytes is larger than the maximum of ${DOCUMENT_BYTES_MAX}`;
  throw new SqlError('program_limit_exceeded', message);
}

/** @param name null: the usual one. @throws SqlError 42704 */
const modelNamed = ({ environment, settings }: SessionState, name: string | null): EmbeddingModel =>
  environment.inference.model(name ?? settings.get('quern.embedding_model'));

export const inferenceServices = ({ session, signal, sender }: Statement): SessionServices['inference'] => ({
  async embed(texts, name) {
    const model = modelNamed(session, name);
    return Promise.all(texts.map((text) => model.embedQuery(text, signal, sender)));
  },
  async tokens(texts, name) {
    const model = modelNamed(session, name);
    const tokens: (readonly string[])[] = [];
    for (const text of texts) {
      signal.throwIfAborted();
      checkDocument(text);
      tokens.push(await model.tokens(text));
    }
    return tokens;
  },
  async rerank(texts, query) {
    return session.environment.inference.reranker().rerank(query, texts, signal, sender);
  },
});
