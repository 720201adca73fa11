/**
 * Statistics of words of the rows that one sees beside those of all rows (`shared_statistics`): nDCG@10 and time under policies
 * that keep few rows of sets with judged answers. Every share of the rows is a tenant's; means over tenants and questions.
 */
import { prepared } from '../peers.ts';
import { readSet } from '../retrieval/sets.ts';
import { report } from '../statistics.ts';
import { comparePairs } from './pairs.ts';
import type { Served } from './served.ts';

const SETS = ['npl', 'cranfield'] as const;
/** Tenants by the share of rows that each sees, and how many of them are asked. */
const TENANTS = [
  { of: 10, asked: 10 },
  { of: 100, asked: 30 },
];
const SQL = 'SELECT id FROM judged WHERE matches($1, body) ORDER BY bm25_score() DESC LIMIT 10';

const gain = (place: number): number => 1 / Math.log2(place + 2);

function ndcg(found: readonly number[], relevant: ReadonlySet<number>): number {
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, place) => gain(place));
  const sum = (gains: readonly number[]): number => gains.reduce((all, one) => all + one, 0);
  return sum(found.map((id, place) => (relevant.has(id) ? gain(place) : 0))) / sum(ideal);
}

export async function statistics({ owner, plain, processId }: Served): Promise<void> {
  for (const name of SETS) {
    const { documents, queries } = readSet(name);
    const ids = new Map(documents.map(({ id }, i) => [id, i]));
    await owner.query(`DROP TABLE IF EXISTS judged; CREATE TABLE judged (id int PRIMARY KEY, body text);
      CREATE INDEX ON judged USING keyword (body) WITH (language = 'english');
      GRANT SELECT ON judged TO plain`);
    await owner.query('INSERT INTO judged SELECT * FROM unnest($1::int[], $2::text[])', [
      [...ids.values()],
      documents.map(({ text }) => text),
    ]);
    await owner.query('VACUUM FULL judged; ALTER TABLE judged ENABLE ROW LEVEL SECURITY');
    for (const { of, asked } of TENANTS) {
      await owner.query(`DROP POLICY IF EXISTS rule ON judged;
        CREATE POLICY rule ON judged USING (id % ${of} = current_setting('app.share')::int)`);
      const means: number[] = [];
      let count = 0;
      for (const shared of ['off', 'on']) {
        await owner.query(`ALTER TABLE judged SET (shared_statistics = ${shared})`);
        const scores: number[] = [];
        for (let tenant = 0; tenant < asked; tenant++) {
          await plain.query(`SET app.share = '${tenant}'`);
          for (const { text, relevant } of queries) {
            const seen = new Set(
              [...relevant].map((id) => ids.get(id) ?? -1).filter((id) => id % of === tenant),
            );
            if (seen.size === 0) continue;
            const { rows } = await plain.query(prepared(SQL, [text]));
            scores.push(
              ndcg(
                rows.map(({ id }) => id),
                seen,
              ),
            );
          }
        }
        count = scores.length;
        means.push(scores.reduce((all, one) => all + one, 0) / scores.length);
      }
      const [own = 0, shared = 0] = means;
      report(`${name}, a policy that keeps ${100 / of} %: nDCG@10, shared - own statistics`, shared - own, {
        own: own.toFixed(4),
        shared: shared.toFixed(4),
        questions: String(count),
      });
    }
    const texts = queries.map(({ text }) => text);
    await owner.query(`DROP TABLE IF EXISTS judged_shared;
      CREATE TABLE judged_shared (id int PRIMARY KEY, body text)
        WITH (shared_statistics = on);
      CREATE INDEX ON judged_shared USING keyword (body) WITH (language = 'english');
      GRANT SELECT ON judged_shared TO plain; INSERT INTO judged_shared SELECT id, body FROM judged;
      VACUUM FULL judged_shared; ALTER TABLE judged_shared ENABLE ROW LEVEL SECURITY;
      CREATE POLICY rule ON judged_shared USING (id % 100 = current_setting('app.share')::int)`);
    const way = (table: string) => ({
      client: plain,
      process: processId,
      query: (n: number) => prepared(SQL.replace('judged', table), [texts[n % texts.length]]),
    });
    await comparePairs(
      `${name}, keyword search under 1 %, shared / own statistics`,
      [way('judged'), way('judged_shared')],
      {
        bar: 'printed',
        queries: 40,
      },
    );
  }
}
