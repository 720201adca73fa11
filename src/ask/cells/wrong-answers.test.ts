/** Wrong answers that must not come again: numbers and tables of uploaded files, asked of as a client asks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIngestion } from '../../../sql-tests/fixtures/ingestion.ts';

let files: TestIngestion;

beforeAll(async () => {
  files = await TestIngestion.open();
});

afterAll(() => files[Symbol.asyncDispose]());

interface Told {
  readonly facts: readonly string[];
  readonly computed: string | undefined;
  readonly updates: readonly string[];
}

let count = 0;

/** Asks of a dataset that holds these files and no others. */
async function told(question: string, ...texts: readonly { name: string; text: string }[]): Promise<Told> {
  const dataset = `d${count++}`;
  await files.session.rows(`CREATE DATASET ${dataset} WITH (embedding_model = 'hash')`);
  for (const { name, text } of texts) await files.wait(await files.upload(name, text, { name, dataset }));
  const rows = await files.session.rows(
    `SELECT kind, update, fact FROM ask('${question.replaceAll("'", "''")}', ARRAY['${dataset}'])`,
  );
  const of = (kind: string, column: number): string[] =>
    rows.filter(([own]) => own === kind).map((row) => String(row[column]));
  const facts = of('fact', 2);
  return { facts, computed: facts.find((fact) => fact.includes('(computed)')), updates: of('progress', 1) };
}

const md = (text: string, name = 'report.md') => ({ name, text });
const table = (header: string, ...rows: readonly string[]): string =>
  [
    `| | ${header} |`,
    `|${'---|'.repeat(header.split('|').length + 1)}`,
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');

describe('numbers as they are written where they come from', () => {
  const MARGIN = 'What was the operating margin in 2023?';

  it('are no decimals by the mark of thousands: 1.577 beside 12.300,5 is thousands', async () => {
    const { computed } = await told(
      MARGIN,
      md(
        `# Results\n\n(in millions of euros)\n\n${table(
          '2023 | 2022',
          'Net sales | 1.577 | 1.421',
          'Operating income | 300 | 240',
          'Total assets | 12.300,5 | 11.800,0',
        )}`,
      ),
    );
    expect(computed).toContain('300 / 1,577 = 19 %');
  });

  it('have other digits, groups of two, percents', async () => {
    const { computed } = await told(
      'What was the difference between net sales and other income in 2023?',
      md(
        `# Results\n\n(₹ in crore)\n\n${table('2023 | 2022', 'Net sales | १,२३,४५६.५ | ९,००,०००.५', 'Other income | २३,४५६.५ | ५.५')}`,
      ),
    );
    expect(computed).toContain('123,456.5 − 23,456.5 = 100,000 (');
  });
});

describe('a cost', () => {
  const QUESTION = 'What was the difference between net sales and cost of sales in 2023?';

  it.each([['without', '987']])('is taken off once, written %s', async (_, cost) => {
    const { computed } = await told(
      QUESTION,
      md(
        `# Results\n\n(in millions of dollars)\n\n${table(
          '2023 | 2022',
          'Net sales | 1,577 | 1,421',
          `Cost of sales | ${cost} | ${cost.replace('987', '900')}`,
          'Gross profit | 590 | 521',
        )}`,
      ),
    );
    expect(computed).toContain('1,577 − 987 = 590');
  });
});
