/**
 * Vector searches under policies that keep few rows, of a segment that has a graph: the graph's ten beside the exact ten, and
 * the time beside a table without a policy.
 */
import { prepared } from '../peers.ts';
import { realVectors, vectorOf } from '../retrieval/vectors.ts';
import { report } from '../statistics.ts';
import { comparePairs } from './pairs.ts';
import type { Served } from './served.ts';

const KEPT = [0.5, 0.1, 0.01, 0.001];
const QUESTIONS = 100;
const BATCH = 250;

const search = (table: string): string => `SELECT id FROM ${table} ORDER BY v <-> $1 LIMIT 10`;

export async function recall(served: Served): Promise<void> {
  const { owner, plain, processId } = served;
  const { base, queries, dimension } = realVectors('mnist-784', QUESTIONS);
  const written = (of: Float32Array, n: number): string => `[${[...vectorOf(of, dimension, n)].join()}]`;
  const rows = base.length / dimension;
  const vectors = Array.from({ length: QUESTIONS }, (_, n) => written(queries, n));
  for (const table of ['pictures', 'open_pictures']) {
    await owner.query(`CREATE TABLE ${table} (id int PRIMARY KEY, v vector(${dimension}));
      CREATE INDEX ON ${table} USING vector (v vector_l2_ops); GRANT SELECT ON ${table} TO plain`);
    for (let start = 0; start < rows; start += BATCH) {
      const ids = Array.from({ length: Math.min(BATCH, rows - start) }, (_, i) => start + i);
      await owner.query(
        `INSERT INTO ${table} SELECT id, v::vector FROM unnest($1::int[], $2::text[]) AS given (id, v)`,
        [ids, ids.map((id) => written(base, id))],
      );
    }
    await owner.query(`VACUUM FULL ${table}`);
  }
  await owner.query(
    'ALTER TABLE pictures ENABLE ROW LEVEL SECURITY; CREATE POLICY rule ON pictures USING (true)',
  );
  for (const share of KEPT) {
    // A row in so many; spread, by a multiple that shares no factor with it.
    const one = Math.round(1 / share);
    await owner.query(
      `ALTER POLICY rule ON pictures USING (id * 7919 % ${one} = current_setting('app.rest')::int)`,
    );
    await plain.query("SET app.rest = '0'");
    let [found, wanted, short] = [0, 0, 0];
    for (const vector of vectors) {
      const ids = async (exact: 'on' | 'off'): Promise<number[]> => {
        await plain.query(`SET quern.exact = ${exact}`);
        return (await plain.query(prepared(search('pictures'), [vector]))).rows.map(({ id }) => id);
      };
      const [near, right] = [await ids('off'), await ids('on')];
      found += right.filter((id) => near.includes(id)).length;
      wanted += right.length;
      if (near.length < right.length) short++;
    }
    await plain.query('SET quern.exact = off');
    const explained = await plain.query(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${search('pictures').replace('$1', `'${vectors[0]}'`)}`,
    );
    const lines = explained.rows.map((row) => String(Object.values(row)[0]));
    report(`recall@10 under a policy that keeps ${100 * share} %`, found / wanted, {
      bar: '>= 0.98',
      short: String(short),
      visible: String(Math.ceil(rows / one)),
      by:
        lines
          .find((line) => /strateg|graph|exact/i.test(line))
          ?.trim()
          .slice(0, 80) ?? '?',
    });
    const way = (table: string) => ({
      client: plain,
      process: processId,
      query: (n: number) => prepared(search(table), [vectors[n % QUESTIONS]]),
    });
    const pair = [way('open_pictures'), way('pictures')] as const;
    await comparePairs(`vector search, a policy that keeps ${100 * share} % / no policy`, pair, {
      bar: '<= 1.1',
      queries: 20,
    });
  }
}
