/**
 * Opens what lies in the data folder and beside it, in the order in which one thing vouches for the next: the
 * encryption key, the data, the API keys, the rollback guard. A start that was interrupted is finished by the
 * next one; once it has come to its end, whatever is missing or does not belong there is an error.
 */
import type { EmbeddedEngine } from './engine/embedded/embedded-engine.ts';
import { openEmbeddedEngine } from './engine/embedded/open.ts';
import { SqlError } from './errors.ts';
import type { EngineSettings } from './engine/embedded/settings.ts';
import { Keys, type RandomBytes } from './session/sign-in/keys.ts';
import { apiKeysPath, loadMasterKey } from './storage/master-key.ts';
import { RollbackGuard } from './storage/rollback-guard.ts';
import { deriveKey, Sealer } from './storage/seal.ts';
import { SealedFile } from './storage/sealed-file.ts';

interface DataFolderOptions {
  readonly folder: string;
  /** Null: there is a key file. */
  readonly encryptionKey: string | null;
  readonly randomBytes: RandomBytes;
  /** Hears of background work that failed; the data is safe. */
  readonly report: (error: unknown) => void;
}

interface ServedOptions extends DataFolderOptions {
  /** Becomes the owner key at the first start; null: one is made. */
  readonly apiKey: string | null;
  /** A file elsewhere; null: nobody keeps one. */
  readonly rollbackGuard: string | null;
  readonly settings: Partial<EngineSettings>;
  readonly usualModel: UsualModel;
}

/** The embedding model of indexes that name none: data keeps the one that it began with. */
interface UsualModel {
  /** Recorded in data that is made. */
  readonly ofNewData: string;
  /** The model of data that was made before it was recorded. */
  readonly unrecorded: string;
}

interface DataFolder {
  readonly engine: EmbeddedEngine;
  readonly keys: Keys;
  /** Seals what the data keeps and shows nobody. */
  readonly seal: Sealer;
  /** Seals files that come in parts, until they are whole. */
  readonly uploadSeal: Sealer;
  /** Made by this first start, to be shown once. */
  readonly madeKey: string | null;
  readonly usualModel: string;
  close(): Promise<void>;
}

/** @throws SqlError XX001, F0000, F0001, 58P01, 53100, 58030 that names the file. */
export async function openDataFolder(options: ServedOptions): Promise<DataFolder> {
  const { folder, report, settings, rollbackGuard } = options;
  const masterKey = loadMasterKey({ dataFolder: folder, configured: options.encryptionKey });
  const { bytes, mayBeNew } = masterKey;
  const engine = await openEmbeddedEngine({ masterKey: bytes, mayBeNew, folder, settings, report });
  try {
    const isNew = !engine.pins.isSettled;
    if (isNew) await engine.usualModel.record(options.usualModel.ofNewData);
    const usualModel = engine.usualModel.name ?? options.usualModel.unrecorded;
    const keys = keysOf(options, bytes, engine);
    const madeKey = await keys.open(options.apiKey);
    masterKey.settle();
    const guard = rollbackGuard === null ? null : guardOf(rollbackGuard, options, { bytes, engine });
    if (guard !== null) await guard.open();
    else if (engine.guarded.isGuarded) await engine.guarded.setGuarded(false);
    return {
      engine,
      keys,
      seal: new Sealer(bytes, 'kept-secrets'),
      uploadSeal: new Sealer(bytes, 'uploads'),
      madeKey,
      usualModel,
      async close() {
        await engine.close();
        await guard?.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** @returns a new owner key in place of the old one. @throws SqlError F0001 while a server uses the folder. */
export async function resetOwner(options: DataFolderOptions): Promise<string> {
  const { folder, report } = options;
  const masterKey = loadMasterKey({ dataFolder: folder, configured: options.encryptionKey });
  const { bytes } = masterKey;
  const engine = await openEmbeddedEngine({ masterKey: bytes, mayBeNew: false, folder, report });
  try {
    const keys = keysOf(options, bytes, engine);
    await keys.read().catch(forgetDamaged);
    const key = await keys.resetOwner();
    masterKey.settle();
    return key;
  } finally {
    await engine.close();
  }
}

/** Keys that are lost are lost: the owner gets in again, and makes new ones. */
function forgetDamaged(error: unknown): void {
  if (!(error instanceof SqlError) || error.condition !== 'data_corrupted') throw error;
}

function keysOf({ folder, randomBytes }: DataFolderOptions, bytes: Uint8Array, engine: EmbeddedEngine): Keys {
  const hint =
    'Restore it together with the rest of the folder, or make a new owner key: ' +
    `quern key reset-owner --data ${folder}`;
  const sealer = new Sealer(bytes, 'api-keys');
  const record = new SealedFile(apiKeysPath(folder), { sealer, pins: engine.pins, hint });
  const mark = (): Promise<void> => engine.markFormat8();
  return new Keys(record, randomBytes, deriveKey(bytes, 'api-key-digests'), { mark });
}

function guardOf(
  path: string,
  { report }: DataFolderOptions,
  { bytes, engine }: { bytes: Uint8Array; engine: EmbeddedEngine },
): RollbackGuard {
  const sealer = new Sealer(bytes, 'rollback-guard');
  return new RollbackGuard(path, { sealer, data: engine.guarded, report });
}
