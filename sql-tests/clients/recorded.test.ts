/**
 * Every statement of the recordings in ../shared/clients against Quern, and PostgreSQL's own answers to those
 * that only read. What does not pass yet is in `recorded-gaps.ts`, by feature: an entry that passes fails
 * here, so the lists only shrink.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../faults/raw-client.ts';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';
import { difference, findObjects, type ObjectMap, translated } from './compare.ts';
import { DEVIATIONS, listed, MISSING, REFUSED } from './recorded-gaps.ts';
import {
  recordedAnswers,
  recordedClients,
  recordedMessages,
  recordedSchema,
  recordingsPresent,
} from './recordings.ts';
import { replay, simple } from './replay.ts';

interface Connection extends AsyncDisposable {
  readonly client: RawClient;
  /** Statements of the schema that failed, with their errors, 1-based. */
  readonly refused: ReadonlyMap<number, string>;
}

/** A fresh server with the recorded schema. */
async function connect(): Promise<Connection> {
  const server: InProcessServer = await startInProcess('memory');
  const { host, port, password = '' } = server.address;
  const client = await RawClient.signIn(host, port, password);
  const refused = new Map<number, string>();
  for (const [index, statement] of recordedSchema().entries()) {
    const { report } = await simple(client, statement);
    if (report !== null) refused.set(index + 1, report);
  }
  return {
    client,
    refused,
    async [Symbol.asyncDispose]() {
      client.socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** @param failed messages by number with what went wrong. */
function expectOnlyListed(failed: ReadonlyMap<number, string>, known: ReadonlySet<number>): void {
  const unexpected = [...failed].filter(([number]) => !known.has(number));
  expect(unexpected, 'these should pass').toEqual([]);
  const passing = [...known].filter((number) => !failed.has(number));
  expect(passing, 'these pass: take them off recorded-gaps.ts').toEqual([]);
}

if (!recordingsPresent()) {
  it.skipIf(process.env.CI !== 'true')('the recordings are in ../shared/clients', () => {
    expect.fail('../shared/clients is missing');
  });
}

describe.runIf(recordingsPresent()).each(recordingsPresent() ? recordedClients() : [])('%s', (name) => {
  it('has its statements run', async () => {
    await using connection = await connect();
    const { client } = connection;
    const answers = recordedAnswers(name);
    const failed = new Map<number, string>();
    for (const message of recordedMessages(name)) {
      const { error, report } = await replay(client, message);
      const wanted = [
        message.error,
        answers.get(message.number)?.error ?? null,
        REFUSED[name]?.[message.number] ?? null,
      ];
      if (!wanted.includes(error)) failed.set(message.number, report ?? `no error ${message.error}`);
      if (error !== null) await simple(client, 'ROLLBACK');
    }
    expectOnlyListed(failed, listed([...MISSING, ...DEVIATIONS], name, 'statements'));
  });
});

describe.runIf(recordingsPresent())('the recorded schema', () => {
  let connection: Connection;
  let objects: ObjectMap;

  beforeAll(async () => {
    connection = await connect();
    objects = await findObjects(connection.client);
  });

  afterAll(async () => {
    await connection?.[Symbol.asyncDispose]();
  });

  it('is accepted', () => {
    expectOnlyListed(connection.refused, listed(MISSING, 'schema', 'statements'));
  });

  it.each(recordingsPresent() ? recordedClients() : [])(
    'gives %s the answers of PostgreSQL',
    async (name) => {
      const messages = new Map(recordedMessages(name).map((message) => [message.number, message.text]));
      const failed = new Map<number, string>();
      for (const [number, answer] of recordedAnswers(name)) {
        const text = translated(messages.get(number) ?? '', objects);
        const seen = await simple(connection.client, text);
        const found = difference(text, answer, seen, objects);
        if (found !== null) failed.set(number, seen.report ?? found);
      }
      const known = [...listed(MISSING, name, 'answers'), ...listed(DEVIATIONS, name, 'answers')];
      expectOnlyListed(failed, new Set(known));
    },
  );
});
