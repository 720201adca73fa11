/** Recall of vector searches under policies that keep few rows: the graph's ten beside the exact ten. */
import { report } from '../statistics.ts';
import { prepared } from '../peers.ts';
import type { Served } from './served.ts';

const KEPT = [0.5, 0.1, 0.01, 0.001];

export async function recall({ owner, plain, vectors, rows }: Served): Promise<void> {
  for (const share of KEPT) {
    // A row in so many; spread, as multiples of a number that shares no factor with theirs.
    const one = Math.round(1 / share);
    await owner.query(`ALTER POLICY rule ON by_setting USING (id * 7919 % ${one} = 0)`);
    let [found, wanted, short] = [0, 0, 0];
    for (const vector of vectors) {
      const ids = async (exact: 'on' | 'off'): Promise<number[]> => {
        await plain.query(`SET quern.exact = ${exact}`);
        const query = prepared('SELECT id FROM by_setting ORDER BY v <=> $1 LIMIT 10', [vector]);
        return (await plain.query(query)).rows.map(({ id }) => id);
      };
      const [near, right] = [await ids('off'), await ids('on')];
      found += right.filter((id) => near.includes(id)).length;
      wanted += right.length;
      if (near.length < right.length) short++;
    }
    await plain.query('SET quern.exact = off');
    report(`recall@10 under a policy that keeps ${100 * share} %`, found / wanted, {
      bar: '>= 0.98',
      short: String(short),
      visible: String(Math.floor(rows / one)),
      rows: String(rows),
    });
  }
}
