/** Other sessions of the server, as one of them sees them. */
import type { SessionFact } from '../catalog/system/context.ts';
import type { Retention } from './answers/retention.ts';
import type { Audit } from './audit/auditor.ts';
import type { EmbeddingBuilds } from './builds/embedding-builds.ts';
import type { ReusedSessions } from './reused-sessions.ts';
import type { ServerSession } from './server-session.ts';
import type { Keys } from './sign-in/keys.ts';
import type { SessionKey } from './sign-in/session-key.ts';
import type { Channels } from './statements/notifications.ts';
import type { Starter } from './whose.ts';

/** Other sessions, as far as one may reach them. */
export interface SessionDirectory {
  /** @returns false when there is no such session. */
  cancelStatement(processId: number): boolean;
  terminate(processId: number): boolean;
  activity(): Iterable<SessionFact>;
  /** Channels by which sessions tell each other by NOTIFY. */
  readonly channels: Channels;
  readonly embeddingBuilds: EmbeddingBuilds;
  readonly answers: Retention;
  /** Rows of requests to endpoints and language models. */
  readonly calls: Retention;
  /** In which answers are kept. */
  readonly keeping: ReusedSessions;
  /**
   * A session of the server's own, which sees what is committed. @param asker it only reads where this one does.
   * @param key of the session that it works for, whose limits it has.
   */
  openOwn(asker: { readonly isReadOnly: boolean }, key: SessionKey | null): ServerSession;
  /**
   * A session that acts as another one did, with its rights, its key, its settings. @throws SqlError 57P01 once the key has
   * ended, here and of its statements; 42501 of its transactions where a role is gone, or is not to be taken any more.
   */
  openAs(starter: Starter): ServerSession;
  /** Keys of the server. */
  readonly keys: Keys;
  /** Writes down what is done. */
  readonly audit: Audit;
}
