/** Costs of asking for a role's rights: the check alone, and queries of a role beside the owner's. */
import { checkBound, checkRights } from '../../src/session/rights/check.ts';
import { PRIVILEGE } from '../../src/catalog/access/privileges.ts';
import type { BoundStatement } from '../../src/plan/statement.ts';
import { TestDatabase } from '../../sql-tests/fixtures/database.ts';
import { prepared } from '../peers.ts';
import { median, report } from '../statistics.ts';
import { comparePairs } from './pairs.ts';
import type { Served } from './served.ts';

const CHECKS = 200_000;
const ROUNDS = 20;

/** Processor time of the check of a statement that reads a table, as it is asked each time that the statement begins. */
async function check(): Promise<void> {
  const database = await TestDatabase.open();
  const session = await database.session();
  await session.rows('CREATE TABLE t (id int); CREATE ROLE plain; GRANT SELECT ON t TO plain');
  const catalog = database.environment.engine.catalog();
  const relation = [...catalog.relations.values()].find(({ name }) => name === 't');
  const role = [...catalog.roles.values()].find(({ name }) => name === 'plain');
  if (relation === undefined || role === undefined) throw new Error('no table or role');
  const right = {
    as: null,
    kind: 'relation',
    oid: relation.oid,
    privileges: PRIVILEGE.select,
    columns: [1],
  } as const;
  const bound = { kind: 'query', rights: [right] } as unknown as BoundStatement;
  const ways = {
    'asked before': () => checkBound(catalog, role.oid, bound),
    'asked anew': () => checkRights(catalog, role.oid, [right]),
  };
  for (const [name, ask] of Object.entries(ways)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage();
      for (let i = 0; i < CHECKS; i++) ask();
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / CHECKS);
    }
    report(`the check alone, ${name}, µs`, median(times), {
      bar: '<= 0.5',
      slowest: Math.max(...times).toFixed(3),
    });
  }
  await database.close();
}

export async function roles({ owner, plain, processId, rows }: Served): Promise<void> {
  await check();
  const queries = {
    'select 1': (): string => 'select 1',
    'point query': (n: number) =>
      prepared('SELECT body FROM open_docs WHERE id = $1', [1 + ((n * 7919) % rows)]),
  };
  for (const [name, query] of Object.entries(queries)) {
    const ways = [owner, plain].map((client) => ({ client, process: processId, query }));
    await comparePairs(`${name}, role with grants / superuser`, [ways[0], ways[1]] as never, {
      bar: 'within A/A',
      queries: 500,
    });
  }
}
