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

  it('that may be two are not computed with, and it is said why', async () => {
    const { computed, facts, updates } = await told(
      MARGIN,
      md(
        `# Ergebnis\n\n${table('2023 | 2022', 'Net sales | 1.577 | 1.421', 'Operating income | 300 | 240')}`,
      ),
    );
    expect(computed).toBeUndefined();
    expect(facts.join()).not.toContain('19,023');
    expect(updates.join('\n')).toMatch(/Not computed: .*"1\.577" may be 1577 or 1\.577/);
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

  it.each([
    ['in brackets', '(987)'],
    ['without', '987'],
  ])('is taken off once, written %s', async (_, cost) => {
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

const STATEMENT = (sales: string, income: string): string =>
  table('2023 | 2022', `Net sales | ${sales} | 1,421`, `Operating income | ${income} | 240`);

describe('a measure', () => {
  const QUESTION = 'What was the operating margin in 2023?';
  const WHOLE = `# Annual report\n\n## Consolidated statements of income\n\n(in millions of dollars)\n\n${STATEMENT('1,577', '300')}\n\n`;

  it.each([
    ['its guarantors', 'Summarized financial information of the obligor group and guarantors'],
    ['one segment', 'Segment information: North'],
    ['the parent alone', 'Condensed financial information of the parent company only'],
    ['what would have been', 'Unaudited pro forma information'],
  ])('is not that of %s', async (_, heading) => {
    const part = `## ${heading}\n\n(in millions of dollars)\n\n${STATEMENT('900', '100')}\n\n`;
    const alone = await told(QUESTION, md(`# Annual report\n\n${part}`));
    expect(alone.computed).toBeUndefined();
    expect(alone.updates.join('\n')).toMatch(/Not computed: /);
    const beside = await told(QUESTION, md(`${part}${WHOLE}`));
    expect(beside.computed).toContain('300 / 1,577 = 19 %');
  });

  it('of a segment is told where that is asked for', async () => {
    const part = `# Annual report\n\n## Segment information: North\n\n(in millions of dollars)\n\n${STATEMENT('900', '90')}`;
    const { computed } = await told('What was the operating margin of the North segment in 2023?', md(part));
    expect(computed).toContain('90 / 900 = 10 %');
  });

  it('of a quarter is not that of the year', async () => {
    const quarter = table(
      'Three months ended December 31, 2023 | Nine months ended September 30, 2023',
      'Net sales | 400 | 1,177',
      'Operating income | 60 | 240',
    );
    const { computed } = await told(QUESTION, md(`# Report\n\n(in millions of dollars)\n\n${quarter}`));
    expect(computed).toBeUndefined();
  });
});

describe('two companies', () => {
  const report = (company: string, sales: string, income: string) =>
    md(
      `# ${company} annual report\n\n(in millions of dollars)\n\n${STATEMENT(sales, income)}`,
      `${company.toLowerCase()}-2023.md`,
    );

  it('of which none is named give nothing, the one that is named its own', async () => {
    const both = [report('Borealis', '1,577', '300'), report('Calypso', '2,000', '100')];
    const none = await told('What was the operating margin in 2023?', ...both);
    expect(none.computed).toBeUndefined();
    expect(none.updates.join('\n')).toMatch(/Not computed: /);
    const one = await told('What was the operating margin of Calypso in 2023?', ...both);
    expect(one.computed).toContain('100 / 2,000 = 5 %');
    const difference = await told('What was the change in net sales from 2022 to 2023?', ...both);
    expect(difference.computed).toBeUndefined();
  });
});
