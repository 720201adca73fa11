/** nDCG@10 of words, meaning and both on the sets with judged answers, beside the better one of the two arms. */
import type { Client } from 'pg';
import { ARMS, loadJudged, measureJudged, SETS } from '../retrieval/judged.ts';
import { readSet } from '../retrieval/sets.ts';
import { report } from '../statistics.ts';
import { progress } from './films.ts';

const QUICK = ['medline', 'xquad-zh'];
const shown = (value: number): string => value.toFixed(4);

export async function judgedSets(client: Client, quick: boolean): Promise<void> {
  const chosen = SETS.filter(({ name }) => !quick || QUICK.includes(name));
  for (const { name, language } of chosen) {
    progress(name);
    const set = readSet(name);
    await loadJudged(client, set, language);
    const keyword = await measureJudged(client, set, ARMS.keyword);
    const semantic = await measureJudged(client, set, ARMS.semantic);
    const hybrid = await measureJudged(client, set, ARMS.hybrid);
    const better = Math.max(keyword, semantic);
    const facts = { keyword: shown(keyword), semantic: shown(semantic), hybrid: shown(hybrid) };
    report(`${name}: nDCG@10 of hybrid over the better arm`, hybrid - better, { bar: '>= 0', ...facts });
  }
}
