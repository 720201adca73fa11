/** A server that is killed and started again while its owner looks on. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ServerProcess } from '../../scripts/server-process.ts';

/** As the owner; that its connection ends with the server is no error. */
export async function connectOwner({
  host,
  port,
  key,
}: Pick<ServerProcess, 'host' | 'port' | 'key'>): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

interface Patience {
  readonly everyMs: number;
  readonly times: number;
}

/** Asks until there are rows. @throws Error after as many times. */
export async function until(client: pg.Client, query: string, { everyMs, times }: Patience): Promise<void> {
  for (let step = 0; step < times; step++) {
    if ((await client.query(query)).rows.length > 0) return;
    await sleep(everyMs);
  }
  throw new Error(`never: ${query}`);
}
