/** The shipped reports answer the questions that README, the first steps and the quick start ask of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { factsOf } from '../../src/ask/facts.ts';
import type { Passage } from '../../src/ask/passage.ts';
import { type Question, Reader } from '../../src/ask/question.ts';
import { chunksOf } from '../../src/ingest/chunk/chunk.ts';
import { parsePdf } from '../../src/ingest/formats/pdf/pdf.ts';

const SAMPLES = join(import.meta.dirname, '../../samples/documents');
const reader = new Reader();
let passages: readonly Passage[] = [];

async function chunksOfSample(name: string): Promise<readonly Passage[]> {
  const limits = { pagesMax: 100, imagePixelsMax: 1_000_000 };
  const document = await parsePdf({ bytes: readFileSync(join(SAMPLES, name)), name, limits });
  return chunksOf(document).map(
    ({ kind, headings, text, pages }, index): Passage => ({
      dataset: 'reports',
      docId: name,
      docName: name,
      docType: 'application/pdf',
      contentId: `doc#${name}#${kind}#${index + 1}`,
      version: 1,
      kind,
      heading: headings.join(' > '),
      text,
      pages,
      strength: 0.9,
    }),
  );
}

/** In place of a search's: how much of the question the passage holds. */
function strengthOf({ text }: Passage, { terms, language }: Question): number {
  const own = new Set(reader.terms(text, language));
  return 0.5 + (0.5 * terms.filter((term) => own.has(term)).length) / Math.max(1, terms.length);
}

async function factsFor(question: string): Promise<readonly string[]> {
  const read = reader.read(question);
  const found = passages.map((passage) => ({ ...passage, strength: strengthOf(passage, read) }));
  const asked = { question: read, passages: found, reader, factsMax: 5, factsAPassage: 2 };
  const { facts } = await factsOf({ ...asked, signal: new AbortController().signal });
  return facts.map(({ text }) => text);
}

beforeAll(async () => {
  passages = await chunksOfSample('borrowing-for-graduate-school.pdf');
});

describe('the report on borrowing', () => {
  it.each(['How much did graduate students borrow?', 'how much do graduate students borrow?'])(
    'begins with its own first sentence: %s',
    async (question) => {
      const [first, second] = await factsFor(question);
      expect(`${first}\n${second}`).toContain('borrowing an average of $33,200 by 2003');
    },
  );

  it('tells rows of the same name apart by their groups', async () => {
    const facts = await factsFor('How much did first-professional students borrow on average?');
    expect(facts.filter((fact) => /69,200|75,500/.test(fact))).toEqual(
      expect.arrayContaining([
        'Highest enrollment after bachelor’s degree by 2003 – First-professional degree, Average amount: 69,200',
        'Highest degree earned by 2003 – First-professional degree, Average amount: 75,500',
      ]),
    );
  });

  it('has both rows of what is compared', async () => {
    const facts = await factsFor(
      'Is the average amount borrowed higher for Engineering or Education majors?',
    );
    expect(facts).toEqual(
      expect.arrayContaining([
        'Undergraduate major – Education, Average amount: 23,000',
        'Undergraduate major – Engineering, mathematics, or science, Average amount: 47,400',
      ]),
    );
  });

  it.each([
    "What is the difference between the average amount borrowed by doctoral degree and master's degree recipients?",
    "What is the ratio of the average amount borrowed by first-professional to master's degree recipients?",
    'What is the difference between the average amount borrowed by nursing and education majors?',
  ])('is not computed with where several rows could be meant, or none: %s', async (question) => {
    expect((await factsFor(question)).filter((fact) => fact.includes('(computed)'))).toEqual([]);
  });
});

it('the report on enrollment has no header row as a fact', async () => {
  passages = await chunksOfSample('school-enrollment-projections.pdf');
  const facts = await factsFor('Which year has the highest enrollment?');
  for (const fact of facts) expect(fact).not.toMatch(/\]=|^Year\b/);
});
