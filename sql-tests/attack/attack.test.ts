/**
 * Who may only read cannot write, whatever is sent: a slice of the attack through all doors, others each day;
 * `./scripts/bench attack` sends all of it. Doors with holes of their own show that the attack finds them.
 */
import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attack, type Besieged, besieged } from './attack.ts';
import { volatileCalls } from './calls.ts';
import { type Door, DOORS, messageOf, PYTHON } from './doors.ts';
import { WAYS_OUT, WRITES } from './statements.ts';
import { type Attempt, Attacker } from './texts.ts';

const TEXTS = Number(process.env.QUERN_ATTACK_TEXTS ?? 240);
/** Days since 1970: another slice each day. */
const SEED = Number(process.env.QUERN_ATTACK_SEED ?? Math.floor(Date.now() / 86_400_000));

let siege: Besieged;
beforeAll(async () => {
  siege = await besieged();
});
afterAll(async () => siege?.[Symbol.asyncDispose]());

it('the attack has every volatile function, and every statement that does more than read', () => {
  const target = { victim: 1, answer: 'a', research: 'r' };
  const texts = new Attacker(SEED, target).attacks(12_000).flatMap((one) => one.map(({ sql }) => sql));
  const written = texts.join('\n');
  const { known, all: others } = volatileCalls(target);
  const calls = [known, others].flatMap(({ values, rows }) => [...values, ...rows]);
  expect([...calls, ...WRITES, ...WAYS_OUT].filter((one) => !written.includes(one))).toEqual([]);
});

it.skipIf(!existsSync(PYTHON))(`seed ${SEED}: ${TEXTS} texts through all doors change nothing`, async () => {
  const { server, witness } = siege;
  await using doors = await opened(Object.entries(DOORS), (open) => open(server));
  const outcome = await attack(siege.attacks(SEED, TEXTS), { doors: doors.all, witness }, { batch: 10 });
  expect(outcome.breaches).toEqual([]);
  expect(outcome.texts).toBeGreaterThanOrEqual(TEXTS);
  // Nothing would be found where nothing is let in.
  expect(outcome.answered).toBeGreaterThan(TEXTS / 50);
});

type Send = (client: pg.Client, attempt: Attempt) => Promise<unknown>;

/** One statement by the extended protocol. The driver's types do not know the mode. */
const alone: Send = (client, { sql, params }) =>
  client.query({ text: sql, values: [...params], queryMode: 'extended' } as pg.QueryConfig);

/** Each has a hole. */
const HOLES: Readonly<Record<string, Send>> = {
  'a transaction that only reads around the text': async (client, { sql }) => {
    await client.query('BEGIN READ ONLY');
    await client.query(sql).finally(() => client.query('ROLLBACK'));
  },
  'a transaction that only reads around one statement': async (client, attempt) => {
    await client.query('BEGIN READ ONLY');
    await alone(client, attempt).finally(() => client.query('COMMIT'));
  },
  'one statement alone': alone,
};

it.each(Object.entries(HOLES))('a hole is found: %s', async (name, send) => {
  const { server, witness } = siege;
  const { host, port, key: password } = server;
  const door: Door = {
    async send(attempt) {
      const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password });
      client.on('error', () => undefined);
      await client.connect();
      return send(client, attempt)
        .then(() => null, messageOf)
        .finally(() => client.end());
    },
    async [Symbol.asyncDispose]() {},
  };
  const how = { batch: 1, breachesMax: 1 };
  const { breaches } = await attack(siege.attacks(SEED, 2_000), { doors: [[name, door]], witness }, how);
  expect(breaches).toHaveLength(1);
});

/** Opens all, and closes all. */
async function opened<T>(
  named: readonly (readonly [string, T])[],
  open: (one: T) => Promise<Door>,
): Promise<AsyncDisposable & { readonly all: readonly (readonly [string, Door])[] }> {
  const all: (readonly [string, Door])[] = [];
  for (const [name, one] of named) all.push([name, await open(one)]);
  const close = async (): Promise<void> => {
    for (const [, door] of all) await door[Symbol.asyncDispose]();
  };
  return { all, [Symbol.asyncDispose]: close };
}
