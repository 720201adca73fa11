/**
 * Quern and PostgreSQL 18 with pgvector side by side, each a process of its own, reached by the same client.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../scripts/postgres.ts';
import { type ServerProcess, startServer } from '../scripts/server-process.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
}

export interface Peer {
  readonly name: 'quern' | 'postgres';
  readonly address: Address;
  readonly connect: () => Promise<pg.Client>;
  readonly client: pg.Client;
}

export interface Peers extends AsyncDisposable {
  readonly quern: Peer;
  readonly postgres: Peer;
  /** Quern's process, for its memory. */
  readonly server: ServerProcess;
  /** PostgreSQL's first process. */
  readonly postgresProcess: number;
}

/** @param settings PostgreSQL's: memory for its shared buffers, connections, … */
export async function startPeers(settings: Readonly<Record<string, string>>): Promise<Peers> {
  const folder = mkdtempSync(join(tmpdir(), 'quern-bench-'));
  const server = await startServer({ data: join(folder, 'data') });
  const postgres = await startPostgres(settings);
  const quernAddress = { ...at(server), user: 'quern', database: 'quern', password: server.key };
  const postgresAddress = { ...at(postgres), user: postgres.user, database: postgres.database };
  const peers = {
    quern: await peerAt('quern', quernAddress),
    postgres: await peerAt('postgres', postgresAddress),
  };
  return {
    ...peers,
    server,
    postgresProcess: postgres.processId,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([peers.quern.client.end(), peers.postgres.client.end()]);
      await server.stop();
      await postgres[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A statement that is prepared once: its name is made of its text, as names may have 63 bytes. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  return { name: createHash('md5').update(text).digest('hex'), text, values: [...values] };
}

const at = ({ host, port }: { host: string; port: number }) => ({ host, port });

async function peerAt(name: Peer['name'], address: Address): Promise<Peer> {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...address });
    await client.connect();
    return client;
  };
  return { name, address, connect, client: await connect() };
}
