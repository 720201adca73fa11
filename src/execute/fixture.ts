/** A database in memory with the hash model, and sessions on it, for tests of whole statements. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { openEmbeddedEngine } from '../engine/embedded/open.ts';
import type { EngineSettings } from '../engine/embedded/settings.ts';
import { type SqlError, sqlErrorOf } from '../errors.ts';
import { createInference } from '../inference/registry.ts';
import type { Inference } from '../inference/provider.ts';
import type { OutputColumn } from '../plan/plan.ts';
import type { Environment } from '../session/environment.ts';
import { createSessionFactory } from '../session/factory.ts';
import { Keys } from '../session/keys.ts';
import type { ResultSink, Session } from '../session/protocol.ts';
import { CallHelpers } from './call-helpers.ts';
import { ParseService } from '../sql/parse-service.ts';
import { MemoryStore } from '../storage/memory-store.ts';
import type { Store } from '../storage/store.ts';
import { typeByOid } from '../types/registry.ts';
import type { FormatSettings } from '../types/type.ts';
import type { Batch, Vector } from '../types/vector.ts';

const TEST_KEY = randomBytes(32);

type TextRow = readonly (string | null)[];

/** One engine over the memory store with the hash model, and sessions on it. */
export class TestDatabase {
  readonly environment: Environment;
  readonly #sessions: () => Promise<Session>;
  readonly #endSessions: () => Promise<void>;

  private constructor(
    environment: Environment,
    sessions: () => Promise<Session>,
    endSessions: () => Promise<void>,
  ) {
    this.environment = environment;
    this.#sessions = sessions;
    this.#endSessions = endSessions;
  }

  /** @param given another store, other models, other sizes of heads and segments. */
  static async open(
    given: { store?: Store; inference?: Inference; settings?: Partial<EngineSettings> } = {},
  ): Promise<TestDatabase> {
    const { store = new MemoryStore(), inference, settings = {} } = given;
    const environment: Environment = {
      engine: await openEmbeddedEngine({ masterKey: TEST_KEY, store, settings }),
      inference:
        inference ?? (await createInference({ modelsFolder: '/nowhere', threads: 1, rerank: 'words' })),
      parser: new ParseService(),
      helpers: new CallHelpers(),
      startedMicros: 0n,
      clockMicros: () => BigInt(Date.now() - 946_684_800_000) * 1000n,
      nowMs: () => performance.now(),
      random: Math.random,
      randomBytes,
      log: () => undefined,
    };
    const keys = new Keys(
      { read: async () => null, write: async () => undefined },
      randomBytes,
      createSecretKey(randomBytes(32)),
    );
    await keys.open('secret');
    const factory = createSessionFactory(environment, keys);
    const startup = {
      user: 'quern',
      database: 'quern',
      settings: new Map<string, string>(),
      remoteAddress: '127.0.0.1',
      encrypted: true,
    };
    return new TestDatabase(
      environment,
      () => factory.authenticate(startup, 'secret'),
      () => factory.close(),
    );
  }

  async session(): Promise<TestSession> {
    return new TestSession(await this.#sessions());
  }

  async close(): Promise<void> {
    await this.#endSessions();
    await this.environment.engine.close();
    await this.environment.inference[Symbol.asyncDispose]();
  }
}

export class TestSession {
  readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** The rows of the text's statements, in order. */
  async rows(text: string): Promise<TextRow[]> {
    const sink = new TextSink();
    await this.session.simpleQuery(text, sink);
    return sink.given;
  }

  /** Command tags. */
  async tags(text: string): Promise<string[]> {
    const sink = new TextSink();
    await this.session.simpleQuery(text, sink);
    return sink.tags;
  }

  /** `SQLSTATE message`, and the detail; fails when the text succeeds. */
  async error(text: string): Promise<SqlError> {
    try {
      await this.rows(text);
    } catch (error) {
      const known = sqlErrorOf(error);
      if (known !== null) return known;
      throw error;
    }
    throw new Error(`no error: ${text}`);
  }
}

class TextSink implements ResultSink {
  readonly given: TextRow[] = [];
  readonly tags: string[] = [];
  describe(): void {}
  emptyQuery(): void {}
  suspended(): void {}
  notice(): void {}
  parameterStatus(): void {}

  rows(batch: Batch, columns: readonly OutputColumn[], settings: FormatSettings): void {
    for (let row = 0; row < batch.length; row++) {
      this.given.push(
        columns.map((column, i) => {
          const value = (batch.columns[i] as Vector).get(row);
          return value === null ? null : typeByOid(column.type.oid).format(value, settings);
        }),
      );
    }
  }

  complete(tag: string): void {
    this.tags.push(tag);
  }
}
