/** Environment that all sessions of a server share; filled once by `main.ts`. Clock and randomness come in here. */
import type { Engine } from '../engine/engine.ts';
import type { AuditSettings } from './audit/settings.ts';
import type { SpillFiles } from '../execute/spill/space.ts';
import type { CallHelpers } from '../execute/expression/call-helpers.ts';
import type { Inference } from '../inference/provider.ts';
import type { Asker } from './datasets/asker.ts';
import type { Researcher } from './research/researcher.ts';
import type { ParseService } from '../sql/parse/service.ts';
import type { DrawPage } from './datasets/draw-page.ts';
import type { Seal } from './datasets/file-password.ts';

export interface Environment {
  readonly engine: Engine;
  readonly inference: Inference;
  readonly parser: ParseService;
  readonly asker: Asker;
  /** Absent where no runs are kept. */
  readonly researcher?: Researcher;
  readonly helpers: CallHelpers;
  /** For rows that statements cannot hold in memory. */
  readonly temporaryFiles: SpillFiles;
  /** Draws pages of documents; absent where nothing is ingested. */
  readonly drawPage?: DrawPage;
  /** Changes the encryption key. Absent where nothing lasts. */
  readonly rekey?: () => Promise<void>;
  /** Seals what is kept and never shown: passwords of files. */
  readonly seal: Seal;
  /** Days for which answers are kept; 0: none are, unless a session asks for it. Absent: as `limits.ts` has it. */
  readonly answerDays?: number;
  /** Days for which requests to endpoints are written down. */
  readonly callDays?: number;
  /** Absent: nothing that is done is written down. */
  readonly audit?: AuditSettings;
  /** The name of the region this server is. */
  readonly region: string;
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
