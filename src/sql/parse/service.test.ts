/** The parse service: its cache and its worker. */
import { afterAll, expect, it } from 'vitest';
import { ParseService } from './service.ts';

/** Processor time that is allowed, with the start of a worker; the long text takes more. */
const PARSE_SECONDS = 2;

const service = new ParseService();
afterAll(() => service.close());

it('answers the same text from its cache', async () => {
  const first = await service.parse('select 1');
  expect(await service.parse('select 1')).toBe(first);
});

it('parses large texts in a worker, several at a time', async () => {
  const text = `insert into t values ${"(1, 'é'),".repeat(2_000)}(1, 'x')`;
  const [a, b] = await Promise.all([service.parse(text), service.parse(`${text};select 2`)]);
  expect([a?.length, b?.length]).toEqual([1, 2]);
});

it('reports errors of the worker as its own', async () => {
  const text = `${' '.repeat(10_000)}select form x form`;
  await expect(service.parse(text)).rejects.toMatchObject({
    condition: 'syntax_error',
    fields: { position: 10_015 },
  });
  await expect(service.parse(`select ${'a+'.repeat(4_000)}a`)).rejects.toMatchObject({
    condition: 'statement_too_complex',
  });
  expect(await service.parse('select 3')).toHaveLength(1);
});

it('refuses one statement of too many parts, not many of few, and not constants', async () => {
  const cases = (count: number): string => 'case when true then 1 end, '.repeat(count);
  await expect(service.parse(`select ${cases(40_000)}1`)).rejects.toMatchObject({
    condition: 'statement_too_complex',
    fields: { hint: expect.stringContaining('COPY') },
  });
  expect(await service.parse(`select ${cases(1_000)}1;`.repeat(40))).toHaveLength(40);
  const quoted = `'"kind":"select"', '"kind":'`;
  expect(
    await service.parse(`values ${`(1, now(), ${quoted}),`.repeat(50_000)}(1, now(), ${quoted})`),
  ).toHaveLength(1);
});

it('brings back trees deeper than a structured clone can carry', async () => {
  const nested = `select ${'case when true then '.repeat(900)}1${' end'.repeat(900)}`;
  expect(await service.parse(nested)).toHaveLength(1);
});

it('ends the parsing of a text that is given up, and goes on with the next', async () => {
  await service.parse(`${' '.repeat(10_000)}select 4`);
  const controller = new AbortController();
  const long = service.parse(`insert into t values ${'(now()),'.repeat(400_000)}(1)`, controller.signal);
  const queued = service.parse(`${' '.repeat(10_000)}select 6`, controller.signal);
  const next = service.parse(`${' '.repeat(10_000)}select 5`);
  const before = process.cpuUsage();
  setTimeout(() => controller.abort(new Error('given up')), 50);
  await expect(long).rejects.toThrow('given up');
  await expect(queued).rejects.toThrow('given up');
  expect(await next).toHaveLength(1);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(PARSE_SECONDS);
});
