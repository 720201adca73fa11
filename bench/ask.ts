/**
 * Questions: facts over given tables and texts (TAT-QA), and over whole files (FinanceBench, MMLongBench) with pages,
 * placement, abstention, confidence and times. `--only tatqa`, `files`, `generated` (made questions over made
 * statements), `across` (other languages), `written` (the questions that were written before any run), `research`:
 * whole runs of research over the filings, `weights`: gain by each row of the table of weights, or `confidence`: fitted
 * on one half, judged on the other; `--data DIR` keeps the files' datasets, which takes long to make; `--packs off` asks
 * the files without a domain pack, `both` in turns; `--quick` asks fewer.
 */
import { join } from 'node:path';
import { across } from './ask/across.ts';
import { bands, type Judged } from './ask/bands.ts';
import { confidence } from './ask/confidence.ts';
import { files } from './ask/files.ts';
import { generated } from './ask/generated.ts';
import { research } from './ask/research.ts';
import { tatqa } from './ask/tatqa.ts';
import { weights } from './ask/weights/weights.ts';
import { written } from './ask/written.ts';
import { DOMAINS } from '../src/language/domains/domains.ts';
import { options } from './options.ts';

const DATA = join(import.meta.dirname, '../../shared/data/docqa');
const { quick, only, data } = options;
const ways = options.packs === 'both' ? ['on', 'off'] : [options.packs];

console.log(`domain packs ${[...DOMAINS.packs.keys()].join(', ')}: sha256 ${DOMAINS.hash}`);
const judged: Judged[] = [];
if (only === undefined || only === 'tatqa') {
  const own = await tatqa(join(DATA, 'tatqa/tatqa_dataset_dev.json'), quick);
  bands('TAT-QA', own, 0.05);
  judged.push(...own);
}
if (only === undefined || only === 'files') {
  for (const packs of ways) {
    const own = await files(DATA, { quick, data, packs });
    bands(`files, packs ${packs}`, own, 0.07);
    if (packs === ways[0]) judged.push(...own);
  }
}
if (only === undefined || only === 'generated') await generated(quick);
if (only === 'across') await across(join(DATA, '..'), quick, data);
else if (only === 'written') await written(join(DATA, '..'), data);
else if (only === 'research') await research(DATA, { quick, data });
else if (only === 'weights') await weights(DATA, quick, data);
else if (only === 'confidence') await confidence(DATA, quick, data);
else if (only !== 'generated') bands('all', judged, 0.07);
