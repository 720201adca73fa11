/** Citations of an answer: headings and quoted words, and links to files that nobody else can read. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, type Place, startPlace } from './command.ts';

const REPORT = join(import.meta.dirname, '../../samples/documents/borrowing-for-graduate-school.pdf');
const QUESTION = 'How much did master’s degree recipients borrow?';
const ACME = 'What was the revenue of Acme?';

let place: Place;

beforeAll(async () => {
  place = await startPlace();
  mkdirSync(join(place.folder, 'local'));
  copyFileSync(REPORT, join(place.folder, 'local/loans.pdf'));
  writeFileSync(
    join(place.folder, 'local/acme.md'),
    '# Acme\n\n## Results\n\nRevenue of Acme was 12 million in 2023.\n',
  );
  await place.run(['dataset', 'create', 'd']);
  expect(await place.run(['upload', 'local', '-r', '-d', 'd', '--wait'])).toMatchObject({ code: 0 });
});
afterAll(async () => await place?.[Symbol.asyncDispose]());

const ask = (question: string, ...more: readonly string[]): Promise<Ended> =>
  place.run(['ask', question, '-d', 'd', ...more]);
const linksOf = (out: string): URL[] =>
  [...out.matchAll(/^ {4}(file:\/\/\S+)$/gm)].map(([, url = '']) => new URL(url));
const cache = (): string => join(place.folder, '.cache/quern');
const modeOf = (path: string): number => statSync(path).mode & 0o777;

it('tells where it stands and in which words', async () => {
  const { out } = await ask(ACME);
  expect(out).toMatch(/^• .*12 million.* \[1\]/);
  expect(out).toMatch(
    /^\[1\] acme\.md\n {4}file:\/\/\S+\n {4}Acme > Results: “Revenue of Acme was 12 million in 2023\.”$/m,
  );
  expect(out).toMatch(/\nconfidence \d+ of 100\n$/);
  const refs = await ask(ACME, '--show-refs');
  expect(refs.out).toMatch(/^\[1\] acme\.md\n {4}file:\/\/\S+\n {4}│ .*Acme.*\n {4}│ .*12 million/m);
  expect(await ask('zebra quantum xylophone?')).toEqual({
    code: 0,
    out: 'Nothing in these datasets answers that.\n',
    err: '',
  });
});

describe('links', () => {
  it('lead to the very file where it lies on this machine', async () => {
    const [url] = linksOf((await ask(ACME)).out);
    expect(fileURLToPath(url ?? '')).toBe(join(place.folder, 'local/acme.md'));
    const { out } = await ask(QUESTION);
    expect(linksOf(out)[0]?.href).toMatch(/local\/loans\.pdf#page=\d$/);
    expect(out).toMatch(/^\[1\] loans\.pdf, page \d$/m);
    expect(readdirSync(cache())).toEqual(['uploaded.jsonl']);
    expect([modeOf(cache()), modeOf(join(cache(), 'uploaded.jsonl'))]).toEqual([0o700, 0o600]);
  });

  it('lead to a copy for this user alone where it does not, or has changed', async () => {
    writeFileSync(
      join(place.folder, 'local/acme.md'),
      '# Acme\n\n## Results\n\nRevenue of Acme was 13 million in 2023.\n',
    );
    const [url] = linksOf((await ask(ACME)).out);
    const copy = fileURLToPath(url ?? '');
    expect(copy.startsWith(join(cache(), 'citations'))).toBe(true);
    expect(readFileSync(copy, 'utf8')).toContain('12 million');
    expect([modeOf(copy), modeOf(join(copy, '..')), modeOf(join(cache(), 'citations'))]).toEqual([
      0o600, 0o700, 0o700,
    ]);
    rmSync(join(place.folder, 'local/loans.pdf'));
    const [report] = linksOf((await ask(QUESTION)).out);
    expect(readFileSync(fileURLToPath(report ?? ''))).toEqual(readFileSync(REPORT));
  });

  it('close a folder that others could read, and forget copies after a day', async () => {
    const citations = join(cache(), 'citations');
    chmodSync(citations, 0o777);
    const before = readdirSync(citations);
    expect(before).toHaveLength(2);
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const name of before) utimesSync(join(citations, name), yesterday, yesterday);
    await ask(ACME);
    expect(modeOf(citations)).toBe(0o700);
    expect(readdirSync(citations)).toHaveLength(1);
  });

  it('are left out, and that is said, where there is no folder for them', async () => {
    writeFileSync(join(place.folder, 'file'), '');
    const more = { XDG_CACHE_HOME: join(place.folder, 'file') };
    const { code, out, err } = await place.run(['ask', ACME, '-d', 'd'], { more });
    expect([code, out]).toEqual([0, expect.stringMatching(/^• .*12 million/)]);
    expect(linksOf(out)).toEqual([]);
    expect(err).toMatch(/no link to acme\.md/);
  });

  it('lead into a folder that is named, also in JSON', async () => {
    const { out } = await ask(ACME, '--output-dir', 'cited');
    const [url] = linksOf(out);
    expect(fileURLToPath(url ?? '')).toBe(join(place.folder, 'cited/d/acme.md/acme.md'));
    const json = JSON.parse((await ask(QUESTION, '--output-dir', 'cited', '-o', 'json')).out);
    const [id] = json.facts[0].ref_ids;
    expect(json.refs[id]).toMatchObject({
      doc_id: 'loans.pdf',
      file: join(place.folder, 'cited/d/loans.pdf/loans.pdf'),
      url: expect.stringMatching(/^file:.*cited\/d\/loans\.pdf\/loans\.pdf#page=\d$/),
      page_label: expect.stringMatching(/^\d$/),
      quotes: expect.arrayContaining([expect.objectContaining({ text: expect.any(String) })]),
    });
    const plain = JSON.parse((await ask(ACME, '-o', 'json')).out);
    expect(plain.refs[plain.facts[0].ref_ids[0]]).not.toHaveProperty('file');
    expect(plain.refs[plain.facts[0].ref_ids[0]]).toMatchObject({ content: { doc_pages: [] } });
  });

  it('stay within the folder, whatever a document is called', async () => {
    const statement = `SELECT quern.upsert_file('d', '../../..', '../../up.md',
        convert_to('# Up\n\nThe zeppelin flew at 9,000 metres.', 'UTF8'));
      SELECT quern.wait_for_handle(quern.last_handle(), 60)`;
    expect(await place.run(['sql'], { input: statement })).toMatchObject({ code: 0 });
    const { out } = await ask('How high did the zeppelin fly?', '--output-dir', 'cited');
    const [url] = linksOf(out);
    expect(fileURLToPath(url ?? '').startsWith(join(place.folder, 'cited/d/'))).toBe(true);
    const [copy] = linksOf((await ask('How high did the zeppelin fly?')).out);
    expect(fileURLToPath(copy ?? '').startsWith(join(cache(), 'citations/'))).toBe(true);
  });
});

describe('on a terminal', () => {
  it('facts and quotes are broken between words, below where they begin', async () => {
    for (const columns of [80, 40, 20]) {
      const { out } = await place.onTerminal(['ask', QUESTION, '-d', 'd'], { columns });
      const lines = out.split('\n').filter((line) => !line.includes('file://'));
      const facts = lines.slice(0, lines.indexOf(''));
      expect(
        facts.every((line) => /^(?:• | {2})\S/.test(line)),
        `${columns}`,
      ).toBe(true);
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      const words = (await ask(QUESTION)).out.split('\n')[0]?.slice(2) ?? '';
      const shown = facts.map((line) => line.slice(2)).join(' ');
      if (columns === 80) expect(shown.startsWith(words)).toBe(true);
    }
  });

  it('colours mark badges and links, unless they are not wanted', async () => {
    const asked = await place.onTerminal(['ask', ACME, '-d', 'd']);
    expect(asked.raw).toContain('\x1b[36m[1]');
    const plain = await place.onTerminal(['ask', ACME, '-d', 'd'], { more: { NO_COLOR: '1' } });
    expect(plain.raw).not.toContain('\x1b[36m');
  });
});
