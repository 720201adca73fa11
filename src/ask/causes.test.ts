/** Questions for reasons are answered by sentences that state them, never by a number; and what is to be said otherwise. */
import { describe, expect, it } from 'vitest';
import { passageOf } from '../../sql-tests/fixtures/passage.ts';
import { factsOf } from './facts.ts';
import { Reader } from './question.ts';

const reader = new Reader();

async function factsFor(question: string, ...texts: readonly string[]) {
  const { facts } = await factsOf({
    question: reader.read(question),
    passages: texts.map((text) => passageOf(text)),
    reader,
    factsMax: 5,
    factsAPassage: 2,
    signal: new AbortController().signal,
  });
  return facts;
}

describe('a question for reasons', () => {
  it.each([
    [
      'Why did freight costs rise in 2022?',
      '[row_1] [column_1]=Freight costs; [2022]=30; [2021]=20',
      'Freight costs rose in 2022.',
      'Freight costs rose in 2022 as a result of longer routes.',
    ],
    [
      'What drove the operating margin in 2022?',
      '[row_1] [column_1]=Operating income; [2022]=30\n[row_2] [column_1]=Net sales; [2022]=200',
      'The operating margin was 15 % in 2022.',
      'The operating margin of 2022 was driven by lower rents.',
    ],
    [
      'Warum sind die Frachtkosten 2022 gestiegen?',
      '[row_1] [column_1]=Frachtkosten; [2022]=30; [2021]=20',
      'Die Frachtkosten sind im Jahr 2022 gestiegen.',
      'Die Frachtkosten sind im Jahr 2022 aufgrund längerer Wege gestiegen.',
    ],
    [
      'Pourquoi les frais de transport ont-ils augmenté en 2022 ?',
      '[row_1] [column_1]=Frais de transport; [2022]=30; [2021]=20',
      'Les frais de transport ont augmenté en 2022.',
      'Les frais de transport ont augmenté en 2022 en raison de trajets plus longs.',
    ],
    [
      '¿Por qué aumentaron los gastos de transporte en 2022?',
      '[row_1] [column_1]=Gastos de transporte; [2022]=30; [2021]=20',
      'Los gastos de transporte aumentaron en 2022.',
      'Los gastos de transporte aumentaron en 2022 debido a rutas más largas.',
    ],
  ])('%s', async (question, row, bare, cause) => {
    const [first, ...others] = await factsFor(question, row, bare, cause);
    expect(first?.text).toBe(cause);
    expect(others.some(({ isComputed }) => isComputed)).toBe(false);
  });

  it('is answered for the year that it asks of', async () => {
    const [first] = await factsFor(
      'Why did freight costs rise in 2022?',
      'Freight costs rose in 2021 because of a strike.',
      'Freight costs rose in 2022 because of longer routes.',
    );
    expect(first?.text).toBe('Freight costs rose in 2022 because of longer routes.');
  });
});

describe('a question whether something is one of a kind', () => {
  it('is answered by what says so before a row', async () => {
    const [first] = await factsFor(
      'Is Acme a growth company?',
      '[row_1] [column_1]=Acme growth company fund; [2022]=30',
      'Acme describes itself as a growth company.',
    );
    expect(first?.text).toBe('Acme describes itself as a growth company.');
    expect(reader.read('Is Acme a growth company?')).toMatchObject({ isVerdict: true, operation: null });
  });
});

describe('what is to be said where a question does not apply', () => {
  it.each([
    ['If gross margin is not a useful metric, say so. How high was rent in 2022?', 'number'],
    ['How high was rent in 2022? If rent is not applicable, please explain why.', 'number'],
    ['Is rent high? If it is not meaningful, then state that and explain why.', 'yes or no'],
    ['Wie hoch war die Miete 2022? Falls das nicht zutrifft, bitte begründen.', 'number'],
  ])('is kept apart: %s', (text, kind) => {
    const question = reader.read(text);
    expect(question.kind).toBe(kind);
    expect(question.unless).toMatch(/^(?:If|Falls) /);
    expect(question.core).not.toContain(question.unless);
    expect(question.terms).not.toContain('explain');
  });
});
