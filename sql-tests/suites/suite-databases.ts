/** The two databases a suite is run on: Quern's session in this process, without a socket, and PostgreSQL. */
import { tmpdir } from 'node:os';
import { createSecretKey, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { openEmbeddedEngine } from '../../src/engine/embedded/open.ts';
import { SqlError } from '../../src/errors.ts';
import { createInference } from '../../src/inference/registry.ts';
import type { Environment } from '../../src/session/environment.ts';
import { createSessionFactory } from '../../src/session/factory.ts';
import { Keys } from '../../src/session/sign-in/keys.ts';
import type { OutputColumn, ResultSink, Session } from '../../src/session/protocol.ts';
import { loadParser } from '../../src/sql/parse/parse.ts';
import { CallHelpers } from '../../src/execute/expression/call-helpers.ts';
import { TemporaryFiles } from '../../src/storage/temporary-file.ts';
import { DocumentAsker } from '../../src/ask/asker.ts';
import { ParseService } from '../../src/sql/parse/service.ts';
import { WORLD } from '../fixtures/world.ts';
import { MemoryStore } from '../../src/storage/memory-store.ts';
import { typeByOid } from '../../src/types/registry.ts';
import type { FormatSettings } from '../../src/types/type.ts';
import type { Batch } from '../../src/types/column/vector.ts';
import { connectTarget, type Address } from '../runner/target.ts';
import type { Connection } from './suite-run.ts';

/** Deadlocks and endless recursion end soon; both databases get the same. */
const SETTINGS = ["SET timezone = 'UTC'", "SET lock_timeout = '500ms'", "SET statement_timeout = '8s'"];

/** Microseconds since 2000-01-01. */
const NOON_MICROS = 780_000_000_000_000n;

export interface Database extends AsyncDisposable {
  connect(): Promise<Connection>;
}

/** A database with nothing in it, on the memory store. */
export async function openQuern(): Promise<Database> {
  await loadParser();
  const engine = await openEmbeddedEngine({
    masterKey: randomBytes(32),
    store: new MemoryStore(),
    report: (error) => process.stderr.write(`background work failed: ${error}\n`),
  });
  const inference = await createInference({ modelsFolder: 'none', threads: 1 });
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
    log: () => undefined,
  };
  const keys = new Keys(
    { read: async () => null, write: async () => undefined },
    randomBytes,
    createSecretKey(randomBytes(32)),
  );
  await keys.open('suite');
  const factory = createSessionFactory(environment, keys);
  const startup = { user: 'quern', database: 'quern', remoteAddress: 'local', encrypted: false };
  return {
    async connect() {
      const session = await factory.authenticate({ ...startup, settings: new Map() }, 'suite');
      const connection = sessionConnection(session);
      for (const setting of SETTINGS) await connection.run(setting);
      return connection;
    },
    async [Symbol.asyncDispose]() {
      await environment.parser.close();
      await inference[Symbol.asyncDispose]();
      await engine.close();
    },
  };
}

function sessionConnection(session: Session): Connection {
  return {
    async run(sql) {
      const sink = new TextSink();
      try {
        await session.simpleQuery(sql, sink);
        return sink.result;
      } catch (error) {
        if (error instanceof SqlError) session.fail(error);
        throw error instanceof SqlError ? new Error(`${error.sqlstate} ${error.message}`) : error;
      }
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** Keeps the rows of the last statement as text. */
class TextSink implements ResultSink {
  result: (string | null)[][] = [];

  describe(): void {
    this.result = [];
  }
  rows(batch: Batch, columns: readonly OutputColumn[], settings: FormatSettings): void {
    const types = columns.map((column) => typeByOid(column.type.oid));
    for (let row = 0; row < batch.length; row++) {
      const values = types.map((type, i) => {
        const value = batch.columns[i]?.get(row) ?? null;
        return value === null ? null : type.format(value, settings);
      });
      this.result.push(values);
    }
  }
  complete(tag: string): void {
    if (!/^(SELECT|INSERT|UPDATE|DELETE|FETCH|SHOW|EXPLAIN|VALUES)/.test(tag)) this.result = [];
  }
  emptyQuery(): void {}
  suspended(): void {}
  notice(): void {}
  parameterStatus(): void {}
}

/** A database of a real PostgreSQL server. @param name the database made. */
export async function openPostgres(server: Address, name: string): Promise<Database> {
  const admin = new pg.Client({ ...server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await using first = await connectTarget({ ...server, database: name });
  await first.run('CREATE EXTENSION vector');
  return {
    connect: () => connectTarget({ ...server, database: name }, SETTINGS),
    async [Symbol.asyncDispose]() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
