/**
 * Every literal of `postgres-answers.json` against what PostgreSQL 18 with pgvector 0.8 answered: text and
 * binary form, or SQLSTATE, message, detail and hint. Rows: typname, modifier, literal, answer; zone New York.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SqlError } from '../errors.ts';
import { toHex } from './column/bytes.ts';
import { findType } from './registry.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import type { FormatSettings, SqlType } from './type.ts';

type Row = readonly [name: string, modifier: number, literal: string, answer: unknown, binary?: string];

const SETTINGS: FormatSettings = { ...DEFAULT_SETTINGS, timeZone: 'America/New_York' };
const ROWS = JSON.parse(
  readFileSync(new URL('../../sql-tests/fixtures/postgres-answers.json', import.meta.url), 'utf8'),
) as Row[];

function answerOf(type: SqlType, literal: string, modifier: number): { answer: unknown; binary?: string } {
  try {
    const datum = type.parse(literal, modifier, SETTINGS);
    const binary = type.send(datum);
    const again = type.format(type.receive(binary, modifier), SETTINGS);
    const text = type.format(datum, SETTINGS);
    expect(again).toBe(text);
    return { answer: text, binary: toHex(binary) };
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { detail, hint } = error.fields;
    const given = { code: error.sqlstate, message: error.message, detail, hint };
    return { answer: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
  }
}

describe('as PostgreSQL', () => {
  test.each(ROWS.map((row) => [row[0], row[2], row] as const))('%s %j', (name, literal, row) => {
    const type = findType(name);
    if (type === undefined) throw new Error(`no type ${name}`);
    const { answer, binary } = answerOf(type, literal, row[1]);
    expect(answer).toEqual(row[3]);
    if (row[4] !== undefined) expect(binary).toBe(row[4]);
  });
});
