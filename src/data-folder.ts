/**
 * Opens what lies in the data folder and beside it, in the order in which one thing vouches for the next: the
 * encryption key, the data keys, the data, the API keys, the rollback guard. A start that was interrupted is finished by the
 * next one; once it has come to its end, whatever is missing or does not belong there is an error.
 */
import type { EmbeddedEngine } from './engine/embedded/embedded-engine.ts';
import { openEmbeddedEngine } from './engine/embedded/open.ts';
import { SqlError } from './errors.ts';
import type { EngineSettings } from './engine/embedded/settings.ts';
import { Keys, type RandomBytes } from './session/sign-in/keys.ts';
import { DataKeys } from './storage/data-keys.ts';
import { type KeySource, keyOf } from './storage/key-command.ts';
import {
  apiKeysPath,
  configuredNext,
  loadMasterKey,
  makeNextKeyFile,
  type MasterKey,
  type NextKey,
} from './storage/master-key.ts';
import { RollbackGuard } from './storage/rollback-guard.ts';
import type { Sealer } from './storage/seal.ts';
import { SealedFile } from './storage/sealed-file.ts';

interface DataFolderOptions {
  readonly folder: string;
  /** Null: there is a key file. */
  readonly encryptionKey: KeySource | null;
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
  /** Hears of background work that has come to its end. */
  readonly log?: (event: string) => void;
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
  /** Seals files that come in parts, until they are whole; those are lost that an older data key has sealed. */
  readonly uploadSeal: Sealer;
  /** Made by this first start, to be shown once. */
  readonly madeKey: string | null;
  readonly usualModel: string;
  /** The encryption key is changed, and data keys after it. @throws SqlError 55000 where the next one is not to be had here. */
  rekey(): Promise<void>;
  close(): Promise<void>;
}

/** @throws SqlError XX001, F0000, F0001, 58P01, 53100, 58030 that names the file. */
export async function openDataFolder(options: ServedOptions): Promise<DataFolder> {
  const { folder, report, settings, rollbackGuard } = options;
  const masterKey = await masterKeyOf(options);
  const { mayBeNew } = masterKey;
  const dataKeys = new DataKeys(folder, masterKey);
  const load = () => dataKeys.load();
  const engine = await openEmbeddedEngine({ masterKey: load, mayBeNew, folder, settings, report });
  try {
    const isNew = !engine.pins.isSettled;
    if (isNew) await engine.usualModel.record(options.usualModel.ofNewData);
    const usualModel = engine.usualModel.name ?? options.usualModel.unrecorded;
    const keys = keysOf(options, dataKeys, engine);
    const madeKey = await keys.open(options.apiKey);
    masterKey.settle();
    const guard = rollbackGuard === null ? null : guardOf(rollbackGuard, options, { dataKeys, engine });
    if (guard !== null) await guard.open();
    else if (engine.guarded.isGuarded) await engine.guarded.setGuarded(false);
    await dataKeys.settle(engine.keyed);
    const rolling = new Rolling({ ...options, dataKeys, engine, keys });
    rolling.begin();
    return {
      engine,
      keys,
      seal: dataKeys.ring.lastingSealer('kept-secrets'),
      uploadSeal: engine.sealer('uploads'),
      madeKey,
      usualModel,
      async rekey() {
        await dataKeys.rewrap(() => nextOf(options), engine.keyed);
        rolling.begin();
      },
      async close() {
        await rolling.close();
        await engine.close();
        await guard?.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function masterKeyOf({ folder, encryptionKey }: DataFolderOptions): Promise<MasterKey> {
  const configured = encryptionKey === null ? null : await keyOf(encryptionKey);
  return loadMasterKey({ dataFolder: folder, configured });
}

interface RollingOptions extends Pick<ServedOptions, 'report' | 'log'>, Pick<Opened, 'engine' | 'dataKeys'> {
  readonly keys: Keys;
}

/** Data keys are changed in the background, where there is an older one; the next start goes on with it. */
class Rolling {
  readonly #options: RollingOptions;
  readonly #ending = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(options: RollingOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#work = this.#work.then(() => this.#roll());
  }

  async #roll(): Promise<void> {
    const { dataKeys, engine, keys, report, log } = this.#options;
    const { signal } = this.#ending;
    try {
      const isChanged = await dataKeys.roll(engine.keyed, () => keys.writeAgain(), signal);
      if (isChanged) log?.('data keys are changed, and the older ones destroyed');
    } catch (error) {
      if (!signal.aborted) report(error);
    }
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#work;
  }
}

/** The next key where the one of now comes from: of a key file, a new one; a service is asked again. */
async function nextOf({ folder, encryptionKey }: DataFolderOptions): Promise<NextKey> {
  if (encryptionKey === null) return makeNextKeyFile(folder);
  if (encryptionKey.kind === 'command') return configuredNext(folder, await keyOf(encryptionKey));
  const message = `the encryption key is given by ${encryptionKey.name}`;
  throw new SqlError('object_not_in_prerequisite_state', message, {
    hint: 'Stop the server, and run `quern rekey` with the next one in QUERN_NEW_ENCRYPTION_KEY.',
  });
}

/** @returns a new owner key in place of the old one. @throws SqlError F0001 while a server uses the folder. */
export async function resetOwner(options: DataFolderOptions): Promise<string> {
  return await inStoppedFolder(options, async ({ engine, dataKeys, masterKey }) => {
    const keys = keysOf(options, dataKeys, engine);
    await keys.read().catch(forgetDamaged);
    const key = await keys.resetOwner();
    masterKey.settle();
    return key;
  });
}

/**
 * The data keys are wrapped with another encryption key: the former one opens nothing any more.
 * @param next null: a new key file.
 * @throws SqlError F0001 while a server uses the folder.
 */
export async function rekey(options: DataFolderOptions, next: KeySource | null): Promise<void> {
  const { folder } = options;
  const configured = next === null ? null : await keyOf(next);
  await inStoppedFolder(options, async ({ engine, dataKeys, masterKey }) => {
    masterKey.settle();
    const make = () => (configured === null ? makeNextKeyFile(folder) : configuredNext(folder, configured));
    await dataKeys.rewrap(make, engine.keyed);
  });
}

interface Opened {
  readonly engine: EmbeddedEngine;
  readonly dataKeys: DataKeys;
  readonly masterKey: MasterKey;
}

async function inStoppedFolder<Result>(
  options: DataFolderOptions,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const { folder, report } = options;
  const masterKey = await masterKeyOf(options);
  const dataKeys = new DataKeys(folder, masterKey);
  const load = () => dataKeys.load();
  const engine = await openEmbeddedEngine({ masterKey: load, mayBeNew: false, folder, report });
  try {
    return await work({ engine, dataKeys, masterKey });
  } finally {
    await engine.close();
  }
}

/** Keys that are lost are lost: the owner gets in again, and makes new ones. */
function forgetDamaged(error: unknown): void {
  if (!(error instanceof SqlError) || error.condition !== 'data_corrupted') throw error;
}

function keysOf(
  { folder, randomBytes }: DataFolderOptions,
  { ring }: DataKeys,
  engine: EmbeddedEngine,
): Keys {
  const hint =
    'Restore it together with the rest of the folder, or make a new owner key: ' +
    `quern key reset-owner --data ${folder}`;
  const sealer = engine.sealer('api-keys');
  const record = new SealedFile(apiKeysPath(folder), { sealer, pins: engine.pins, hint });
  return new Keys(record, randomBytes, ring.lasting('api-key-digests'));
}

function guardOf(
  path: string,
  { report }: DataFolderOptions,
  { dataKeys, engine }: Pick<Opened, 'dataKeys' | 'engine'>,
): RollbackGuard {
  const sealer = dataKeys.ring.lastingSealer('rollback-guard');
  return new RollbackGuard(path, { sealer, data: engine.guarded, report });
}
