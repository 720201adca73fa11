/** One generated round on two servers: every statement's answer, then the picture, must be the same. */
import { Client, type DatabaseError } from 'pg';
import type { Random } from '../faults/mutations.ts';
import { times } from '../fuzz/choose.ts';
import type { Address } from '../runner/target.ts';
import { CLEANED, OBJECTS, ROLES, roleStatement } from './generator.ts';
import { PICTURE } from './picture.ts';

export interface RoleSide extends AsyncDisposable {
  /** Tag or error, with notices; rows. */
  run(sql: string): Promise<string>;
}

export async function connectRoleSide(address: Address): Promise<RoleSide> {
  const { host, port, user, database, password } = address;
  const client = new Client({ host, port, user, database, ...(password !== undefined && { password }) });
  await client.connect();
  let notices: string[] = [];
  client.on('notice', ({ code, message }) => notices.push(`${code} ${message}`));
  return {
    async run(sql) {
      notices = [];
      try {
        const { command, rows } = await client.query({ text: sql, rowMode: 'array' });
        return [command, ...notices, ...rows.map((row) => JSON.stringify(row))].join('\n');
      } catch (error) {
        const { code, message, detail, hint } = error as DatabaseError;
        // Notices before an error may differ, as may the order of what holds a role: types have OIDs of their own.
        const lines = (detail ?? '').split('\n').toSorted();
        return [code, message, ...lines, hint].join('\n');
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

export interface RoleDifference {
  /** Statements of the round up to the one that is answered differently. */
  readonly history: readonly string[];
  readonly wanted: string;
  readonly tested: string;
}

const STATEMENTS_A_ROUND = 60;

/** Answers of Quern that are passed over: it has not what PostgreSQL has. */
const NOT_HERE = /^0A000/;

export async function roleRound(
  random: Random,
  { wanted, tested }: { readonly wanted: RoleSide; readonly tested: RoleSide },
): Promise<RoleDifference | null> {
  for (const side of [wanted, tested]) for (const sql of CLEANED) await side.run(sql);
  const history: string[] = [];
  const made = [
    ...OBJECTS,
    ...ROLES.slice(0, 4).map((role) => `CREATE ROLE ${role}`),
    ...times(STATEMENTS_A_ROUND, () => roleStatement(random)),
    ...PICTURE,
  ];
  for (const sql of made) {
    history.push(sql);
    const [expected, actual] = [await wanted.run(sql), await tested.run(sql)];
    if (expected !== actual && !NOT_HERE.test(actual)) return { history, wanted: expected, tested: actual };
  }
  return null;
}
