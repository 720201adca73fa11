/** Loads rows by COPY, which both servers take. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgresJs from 'postgres';
import type { Address } from '../peers.ts';

/** @param lines rows in COPY's text format, each with its line feed. */
export async function copyLines(address: Address, table: string, lines: Iterable<string>): Promise<void> {
  const sql = postgresJs({ ...address, max: 1, onnotice: () => undefined });
  await pipeline(Readable.from(lines), await sql`COPY ${sql(table)} FROM STDIN`.writable());
  await sql.end();
}
