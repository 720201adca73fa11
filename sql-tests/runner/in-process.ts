/**
 * A whole server in the test's own process, on a socket like any other: over the memory store, or over LMDB
 * in a folder of its own. Its embedding models are those that need no files.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openEmbeddedEngine } from '../../src/engine/embedded/open.ts';
import { createInference } from '../../src/inference/registry.ts';
import type { Environment } from '../../src/session/environment.ts';
import { createSessionFactory } from '../../src/session/factory.ts';
import { Keys } from '../../src/session/sign-in/keys.ts';
import type { ServerSession } from '../../src/session/server-session.ts';
import { loadParser } from '../../src/sql/parse/parse.ts';
import { CallHelpers } from '../../src/execute/expression/call-helpers.ts';
import { TemporaryFiles } from '../../src/storage/temporary-file.ts';
import { DocumentAsker } from '../../src/ask/asker.ts';
import { ParseService } from '../../src/sql/parse/service.ts';
import { WORLD } from '../fixtures/world.ts';
import { MemoryStore } from '../../src/storage/memory-store.ts';
import { openTls } from '../../src/wire/tls.ts';
import { connectionLimits } from '../../src/wire/connection-limits.ts';
import { listenSql } from '../../src/wire/listener.ts';
import type { Address } from './target.ts';

export interface InProcessServer extends AsyncDisposable {
  readonly address: Address;
}

/** Microseconds since 2000-01-01: a clock that stands still, so that results repeat. */
const NOON_MICROS = 780_000_000_000_000n;

/**
 * @param memoryBytes what segments may keep in memory; absent: the engine's default.
 * @param relations   statements that make what ingestion makes at its start; absent: there is nothing of it.
 * @param kept        what a server over the memory store begins with, and the key it was sealed with.
 */
export async function startInProcess(
  storage: 'memory' | 'lmdb',
  memoryBytes?: number,
  relations: readonly string[] = [],
  kept: { readonly store: MemoryStore; readonly masterKey: Uint8Array } = {
    store: new MemoryStore(),
    masterKey: randomBytes(32),
  },
): Promise<InProcessServer> {
  const folder = mkdtempSync(join(tmpdir(), 'quern-script-'));
  const { masterKey } = kept;
  const engine = await openEmbeddedEngine({
    masterKey,
    settings: memoryBytes === undefined ? {} : { memoryBytes },
    ...(storage === 'memory' ? { store: kept.store } : { folder: join(folder, 'data') }),
    report: (error) => process.stderr.write(`background work failed: ${error}\n`),
  });
  await loadParser();
  const inference = await createInference({
    modelsFolder: join(import.meta.dirname, '../../models'),
    threads: 1,
  });
  const password = 'script';
  const record: { text: string | null } = { text: null };
  const keys = new Keys(
    {
      read: async () => record.text,
      write: async (text) => {
        record.text = text;
      },
    },
    randomBytes,
    createSecretKey(masterKey),
  );
  await keys.open(password);
  const environment: Environment = {
    engine,
    inference,
    parser: new ParseService(),
    asker: new DocumentAsker(),
    helpers: new CallHelpers(),
    temporaryFiles: new TemporaryFiles(tmpdir()),
    region: 'local',
    startedMicros: NOON_MICROS,
    clockMicros: () => NOON_MICROS,
    nowMs: () => performance.now(),
    random: Math.random,
    randomBytes,
    seal: WORLD.seal,
    log: (event, fields) => {
      if (/bug|error|fail/.test(event)) process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
    },
  };
  const factory = createSessionFactory(environment, keys);
  await runAll(factory.openOwn(), relations);
  const listener = await listenSql({
    host: '127.0.0.1',
    port: 0,
    factory,
    tls: await openTls({ certificate: null, key: null, folder: join(folder, 'tls') }),
    limits: connectionLimits(Number.POSITIVE_INFINITY),
    log: environment.log,
  });
  return {
    address: { host: '127.0.0.1', port: listener.port, user: 'quern', database: 'quern', password },
    async [Symbol.asyncDispose]() {
      await listener.close();
      await environment.parser.close();
      await inference[Symbol.asyncDispose]();
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runAll(own: ServerSession, texts: readonly string[]): Promise<void> {
  await using session = own;
  const { signal } = new AbortController();
  for (const text of texts) await session.transaction((query) => query(text), signal);
}
