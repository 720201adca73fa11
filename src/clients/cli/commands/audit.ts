/** `quern audit verify`: whether the audit is whole, by the server's own chain and by a log that was written outside of it. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { QuernError } from '../../typescript/src/errors.ts';
import type { Client } from '../../typescript/src/client.ts';
import type { Call } from '../running.ts';
import { asking, type ServerOptions } from '../server.ts';
import { print, printJson } from '../terminal.ts';

interface VerifyOptions extends ServerOptions {
  readonly against?: string;
}

interface Verified {
  readonly entries: number;
  readonly first: number | null;
  readonly last: number;
  readonly hash: string;
}

interface Line {
  readonly sequence: number;
  readonly hash: string;
}

/** Lines that are compared by one query. */
const LINES_A_QUERY = 1_000;

export const verifyAudit = (call: Call<VerifyOptions>): Promise<number | undefined> =>
  asking(call, async (client) => {
    const { against, output } = call.options;
    const [row] = (await client.sql('SELECT quern.audit_verify() AS found')) as { found: Verified }[];
    const found = row?.found as Verified;
    const compared = against === undefined ? null : await compare(client, against, found);
    if (output === 'json') printJson({ ...found, ...(compared !== null && { compared }) });
    else print(sentence(found, compared));
    return undefined;
  });

function sentence({ entries, first, last, hash }: Verified, compared: number | null): string {
  const whole =
    entries === 0 ? 'the audit is empty' : `the audit is whole: entries ${first} to ${last}, ${hash}`;
  return compared === null ? whole : `${whole}\n${compared} lines of the log are in it`;
}

/** @returns how many lines were found. @throws QuernError for the first that is not in the audit. */
async function compare(client: Client, path: string, { first }: Verified): Promise<number> {
  let compared = 0;
  let waiting: Line[] = [];
  const flush = async (): Promise<void> => {
    const kept = waiting.filter(({ sequence }) => first !== null && sequence >= first);
    waiting = [];
    if (kept.length === 0) return;
    const bounds = `${kept[0]?.sequence} AND ${kept.at(-1)?.sequence}`;
    const rows = (await client.sql(
      `SELECT sequence, hash FROM quern.audit_entries WHERE sequence BETWEEN ${bounds}`,
    )) as { sequence: unknown; hash: string }[];
    const hashes = new Map(rows.map(({ sequence, hash }) => [Number(sequence), hash]));
    const wrong = kept.find(({ sequence, hash }) => hashes.get(sequence) !== hash);
    if (wrong !== undefined) {
      const what = hashes.has(wrong.sequence) ? 'is another one in the audit' : 'is not in the audit';
      throw new QuernError(`entry ${wrong.sequence} of ${path} ${what}`);
    }
    compared += kept.length;
  };
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const line = readLine(text);
    if (line !== null) waiting.push(line);
    if (waiting.length >= LINES_A_QUERY) await flush();
  }
  await flush();
  return compared;
}

/** Null: it is no entry, or one that was cut as it was written. */
function readLine(text: string): Line | null {
  const found = /^\{"sequence":(\d+),"hash":"([0-9a-f]{64})"/.exec(text);
  return found === null ? null : { sequence: Number(found[1]), hash: String(found[2]) };
}
