/**
 * `language => 'auto'`: heads, segments, merges and a restart answer alike with equal scores, so that a document's language
 * is decided once; and what each document answers is what an index of its own language answers.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/seeded-random.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';
import { MemoryStore } from '../../src/storage/memory-store.ts';

const ROWS = 240;
const SENTENCES = {
  english: [
    'the dogs were running through the streets of the old city',
    'several universities published their findings about the houses',
    'she was walking along the beach with her brothers and sisters',
  ],
  german: [
    'die Hunde liefen schnell durch die alten Straßen der Stadt',
    'mehrere Universitäten haben ihre Ergebnisse über die Häuser veröffentlicht',
    'sie ging mit ihren Brüdern und Schwestern am Strand spazieren',
  ],
  spanish: [
    'los perros corrían por las calles de la ciudad antigua',
    'varias universidades publicaron sus resultados sobre las casas',
    'ella caminaba por la playa con sus hermanos y hermanas',
  ],
  cjk: ['狗在古老城市的街道上奔跑', '几所大学发表了关于房子的研究结果', '她和兄弟姐妹们在海滩上散步'],
} as const;
type Tongue = keyof typeof SENTENCES;
const TONGUES = Object.keys(SENTENCES) as Tongue[];
/** Each with a condition on `body`; stop words, other forms of the words, words of several languages. */
const QUERIES = [
  `match('the house', body)`,
  `match('Haus Universität', body)`,
  `match('universidad hermano beach', body)`,
  `match('die Hunde', body, all_terms => true)`,
  `match('the running dogs', body, all_terms => true)`,
  `match_all(body, 'la universidad')`,
  `phrase(body, 'alte Straße')`,
  `phrase(body, 'old cities')`,
  `phrase(body, '城市的街道')`,
  `prefix(body, 'univers')`,
  `match('university OR perro -playa', body, syntax => 'web')`,
] as const;

const random = seededRandom(31);
const texts = Array.from({ length: ROWS }, () => {
  const tongue = TONGUES[Math.floor(random() * TONGUES.length)] as Tongue;
  const [a, b, c] = SENTENCES[tongue];
  const sentences = [a, b, c].filter(() => random() < 0.6);
  return { tongue, text: (sentences.length > 0 ? sentences : [a]).join('. ') };
});

let whole: TestDatabase;
let parted: TestDatabase;
const store = new MemoryStore();

async function filled(database: TestDatabase): Promise<void> {
  const session = await database.session();
  const columns = TONGUES.map((tongue) => `${tongue} text INDEX keyword_index(language => '${tongue}')`);
  await session.rows(
    `CREATE TABLE world (_id text, n int, body text INDEX keyword_index(language => 'auto'), ${columns.join()})`,
  );
  const rows = texts.map(({ tongue, text }, i) => {
    const own = TONGUES.map((one) => (one === tongue ? `'${text}'` : 'NULL'));
    return `('r${String(i).padStart(3, '0')}', ${i}, '${text}', ${own.join()})`;
  });
  for (let from = 0; from < ROWS; from += 45) {
    await session.rows(`INSERT INTO world VALUES ${rows.slice(from, from + 45).join()}`);
    await session.rows(`UPDATE world SET n = n + 1 WHERE n % 7 = 3`);
  }
  await session.rows(`DELETE FROM world WHERE n % 5 = 1`);
}

beforeAll(async () => {
  whole = await TestDatabase.open();
  parted = await TestDatabase.open({ store, settings: { headRows: 40 } });
  await filled(whole);
  await filled(parted);
});

afterAll(async () => {
  await whole.close();
  await parted.close();
});

const answers = async (session: TestSession, condition: string) =>
  session.rows(`SELECT _id, bm25_score() FROM world WHERE ${condition} ORDER BY 2 DESC, 1`);

it('answers alike from heads, segments and after a restart', async () => {
  const one = await whole.session();
  const other = await parted.session();
  const expected = [];
  for (const query of QUERIES) {
    expected.push(await answers(one, query));
    expect(await answers(other, query), query).toEqual(expected.at(-1));
  }
  expect(expected.every((rows) => rows.length > 0)).toBe(true);
  await parted.close();
  parted = await TestDatabase.open({ store, settings: { headRows: 40 } });
  const again = await parted.session();
  for (const [i, query] of QUERIES.entries()) expect(await answers(again, query), query).toEqual(expected[i]);
});

it('asks each document in its own language', async () => {
  const session = await parted.session();
  for (const query of QUERIES) {
    if (/^(?:prefix|match\('uni)/.test(query)) continue;
    const columns = TONGUES.map((tongue) => query.replace('body', tongue)).join(' OR ');
    const own = await session.rows(`SELECT _id FROM world WHERE ${columns} ORDER BY 1`);
    const found = await session.rows(`SELECT _id FROM world WHERE ${query} ORDER BY 1`);
    expect(found, query).toEqual(own);
  }
});
