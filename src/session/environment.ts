/** What all sessions of a server share; filled once by `main.ts`. Clock and randomness come in here. */
import type { SessionFact } from '../catalog/system/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { CallHelpers } from '../execute/expression/call-helpers.ts';
import type { Inference } from '../inference/provider.ts';
import type { EmbeddingBuilds } from './builds/embedding-builds.ts';
import type { Channels } from './statements/notifications.ts';
import type { ParseService } from '../sql/parse/service.ts';

export interface Environment {
  readonly engine: Engine;
  readonly inference: Inference;
  readonly parser: ParseService;
  readonly helpers: CallHelpers;
  /** When the server started; microseconds since 2000-01-01 UTC, as `clockMicros`. */
  readonly startedMicros: bigint;
  clockMicros(): bigint;
  /** Milliseconds of a clock that does not go back. */
  nowMs(): number;
  /** In [0, 1). */
  random(): number;
  randomBytes(size: number): Uint8Array;
  log(event: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The one user and database there are so far. */
export const USER = 'quern';
export const DATABASE = 'quern';

/** Other sessions, as far as one may reach them. */
export interface SessionDirectory {
  /** @returns false when there is no such session. */
  cancelStatement(processId: number): boolean;
  terminate(processId: number): boolean;
  activity(): Iterable<SessionFact>;
  /** What sessions tell each other by NOTIFY. */
  readonly channels: Channels;
  readonly embeddingBuilds: EmbeddingBuilds;
}
