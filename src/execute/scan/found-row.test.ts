/** A row that is found by its key, and counts, by rules that compare columns with facts of the session: each time anew. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

const database = await TestDatabase.open();
const owner = await database.session();
let reader: TestSession;

/** Prepared once, so that the plan is kept. */
const count = async (): Promise<string | null | undefined> => (await reader.rows('EXECUTE counted'))[0]?.[0];
const found = async (id: number): Promise<readonly (string | null)[]> =>
  (await reader.rows(`EXECUTE found(${id})`)).map(([body]) => body ?? null);

const rule = (using: string): Promise<unknown> =>
  owner.rows(`DROP POLICY IF EXISTS rule ON kept; CREATE POLICY rule ON kept USING (${using})`);

beforeAll(async () => {
  await owner.rows(`CREATE ROLE plain;
    CREATE TABLE kept (id int PRIMARY KEY, tenant text, number int, body text);
    INSERT INTO kept SELECT i, 't' || i % 3, i % 3, 'b' || i FROM generate_series(1, 9) i;
    INSERT INTO kept VALUES (10, NULL, NULL, 'b10'); GRANT SELECT ON kept TO plain; VACUUM FULL kept;
    ALTER TABLE kept ENABLE ROW LEVEL SECURITY`);
  reader = await database.session();
  await reader.rows(`SET ROLE plain; PREPARE found(int) AS SELECT body FROM kept WHERE id = $1;
    PREPARE counted AS SELECT count(*) FROM kept`);
});
afterAll(() => database.close());

describe('a rule by a fact of the session', () => {
  it('follows the setting from one execution to the next', async () => {
    await rule("tenant = current_setting('app.tenant', true)");
    expect([await found(1), await count()]).toEqual([[], '0']);
    for (const [tenant, ids, rows] of [
      ['t1', [['b1'], [], []], '3'],
      ['t2', [[], ['b2'], []], '3'],
      ['t1', [['b1'], [], []], '3'],
      ['', [[], [], []], '0'],
    ] as const) {
      await reader.rows(`SET app.tenant = '${tenant}'`);
      expect([await found(1), await found(2), await found(10)]).toEqual(ids);
      expect(await count()).toBe(rows);
    }
  });

  it('follows the role', async () => {
    await rule("current_user = 'plain' AND tenant = 't1'");
    expect([await found(1), await count()]).toEqual([['b1'], '3']);
    await owner.rows('CREATE ROLE other; GRANT SELECT ON kept TO other');
    await reader.rows('SET ROLE other');
    expect([await found(1), await count()]).toEqual([[], '0']);
    await reader.rows('SET ROLE plain');
    expect(await found(1)).toEqual(['b1']);
  });

  it('converts it, and raises what fails', async () => {
    await rule("number = current_setting('app.number')::int");
    for (const asked of ['EXECUTE found(1)', 'EXECUTE counted'])
      expect((await reader.error(asked)).sqlstate).toBe('42704');
    await reader.rows("SET app.number = '1'");
    expect([await found(1), await found(2), await found(10), await count()]).toEqual([['b1'], [], [], '3']);
    await reader.rows("SET app.number = 'x'");
    for (const asked of ['EXECUTE found(1)', 'EXECUTE counted'])
      expect((await reader.error(asked)).sqlstate).toBe('22P02');
    // Long ones go another way.
    await reader.rows(`SET app.number = '${'2'.padStart(3000, '0')}'`);
    expect([await found(1), await found(2), await count()]).toEqual([[], ['b2'], '3']);
    await reader.rows(`SET app.number = '${'1'.padStart(3000, '0')}'`);
    expect([await found(1), await found(2), await count()]).toEqual([['b1'], [], '3']);
  });

  it('has none where there is no key', async () => {
    await rule("tenant = quern.key_attribute('tenant')");
    expect([await found(1), await count()]).toEqual([[], '0']);
  });

  it('asks all conditions, on columns that the query does not read', async () => {
    await rule("number > 0 AND tenant = current_setting('app.tenant', true)");
    await reader.rows("SET app.tenant = 't0'");
    expect([await found(3), await count()]).toEqual([[], '0']);
    await reader.rows("SET app.tenant = 't2'");
    expect([await found(2), await count()]).toEqual([['b2'], '3']);
  });
});
