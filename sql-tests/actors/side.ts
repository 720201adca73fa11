/** One server as an actor meets it: a statement's tag, its rows as a set, what it copies, or its error. */
import { Client, type DatabaseError, Query } from 'pg';
import type { Address } from '../runner/target.ts';

const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** Rows for `COPY … (id, owner, n) FROM STDIN`. */
const COPIED = '61\ta_ann\t1\n62\ta_ann\t2\n';

export interface ActorSide extends AsyncDisposable {
  run(sql: string): Promise<string>;
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  on(event: 'copyData', heard: (message: { readonly chunk: Buffer }) => void): void;
}

/** The driver refuses COPY FROM by itself; this one answers it. */
class CopyingQuery extends Query {
  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(COPIED));
    connection.endCopyFrom();
  }
}

export async function connectActorSide(address: Address): Promise<ActorSide> {
  const client = new Client({ ...address, types: AS_TEXT } as never);
  await client.connect();
  let heard: string[] = [];
  client.on('notice', ({ message }) => heard.push(message ?? ''));
  const { connection } = client as unknown as { readonly connection: CopyConnection };
  connection.on('copyData', ({ chunk }) => heard.push(chunk.toString()));
  const query = (text: string): Promise<{ command: string; rowCount: number | null; rows: unknown[][] }> =>
    new Promise((resolve, reject) => {
      const sent = new CopyingQuery({ text, rowMode: 'array' } as never) as unknown as { callback: unknown };
      sent.callback = (error: Error | null, result: never) => (error ? reject(error) : resolve(result));
      client.query(sent as never);
    });
  return {
    async run(sql) {
      heard = [];
      try {
        const { command, rowCount, rows } = await query(sql);
        // Plans are each server's own.
        const shown = command === 'EXPLAIN' ? [] : rows.map((row) => JSON.stringify(row));
        const count = command === 'EXPLAIN' ? '' : ` ${rowCount ?? ''}`;
        return [`${command}${count}`, ...heard.toSorted(), ...shown.toSorted()].join('\n');
      } catch (error) {
        const { code, message, detail } = error as DatabaseError;
        if (code === undefined) throw error;
        return [`${code} ${message}`, ...(detail ?? '').split('\n').toSorted()].join('\n').trim();
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
