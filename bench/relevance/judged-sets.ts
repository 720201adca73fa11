/** nDCG@10 of words, meaning by each model and both on the sets with judged answers, beside the better arm. */
import type { Client } from 'pg';
import { ARMS, loadJudged, measureJudged, SETS } from '../retrieval/judged.ts';
import { readSet } from '../retrieval/sets.ts';
import { type Model, MODELS, MULTILINGUAL, progress, reportBar } from './bars.ts';

type SetName = (typeof SETS)[number]['name'];

const QUICK: readonly SetName[] = ['medline', 'xquad-zh'];
const IN_ENGLISH: readonly SetName[] = ['cranfield', 'medline', 'npl', 'xquad-en'];
const ENGLISH_MEAN = 0.7;
/** The most that a model may cost words in a language that it does not know. */
const UNKNOWN_LANGUAGE = -0.003;
/** Bars for meaning alone, by the model that knows the languages. */
const SEMANTIC: Readonly<Partial<Record<SetName, number>>> = {
  'xquad-en': 0.96,
  'xquad-es': 0.94,
  'xquad-de': 0.94,
  'xquad-zh': 0.94,
};

const shown = (value: number): string => value.toFixed(4);

export async function judgedSets(client: Client, quick: boolean): Promise<void> {
  const hybrids: { readonly name: SetName; readonly model: Model; readonly hybrid: number }[] = [];
  for (const { name, language } of SETS) {
    if (quick && !QUICK.includes(name)) continue;
    const set = readSet(name);
    progress(`${name}: words`);
    await loadJudged(client, set, language, MODELS[0]);
    const keyword = await measureJudged(client, set, ARMS.keyword);
    for (const model of MODELS) {
      progress(`${name}: ${model}`);
      await client.query(`ALTER TABLE judged ALTER COLUMN body SET EMBEDDING MODEL '${model}'`);
      const semantic = await measureJudged(client, set, ARMS.semantic);
      const hybrid = await measureJudged(client, set, ARMS.hybrid);
      hybrids.push({ name, model, hybrid });
      const better = Math.max(keyword, semantic);
      const facts = {
        keyword: shown(keyword),
        semantic: shown(semantic),
        better: shown(better),
        hybrid: shown(hybrid),
      };
      const known = model === MULTILINGUAL || IN_ENGLISH.includes(name);
      const least = known ? 0 : UNKNOWN_LANGUAGE;
      reportBar(`${name}, ${model}: nDCG@10 of hybrid over the better arm`, hybrid - better, least, facts);
      const bar = model === MULTILINGUAL ? SEMANTIC[name] : undefined;
      if (bar !== undefined) reportBar(`${name}, ${model}: nDCG@10 by meaning`, semantic, bar);
    }
  }
  if (quick) return;
  for (const model of MODELS) {
    const own = hybrids.filter((one) => one.model === model && IN_ENGLISH.includes(one.name));
    const mean = own.reduce((sum, { hybrid }) => sum + hybrid, 0) / own.length;
    reportBar(`the four English sets, ${model}: mean nDCG@10 of hybrid`, mean, ENGLISH_MEAN);
  }
}
