/** Settings: values as clients send them, scopes, and what a rollback undoes. */
import { describe, expect, it } from 'vitest';
import { SETTINGS } from './table.ts';
import { SessionSettings, settingText, splitIdentifiers } from './settings.ts';

const fresh = (startup: Readonly<Record<string, string>> = {}): SessionSettings =>
  new SessionSettings(new Map(Object.entries(startup)), 'pg_temp_1');

describe('values', () => {
  it.each([
    ['client_encoding', "'utf-8'", 'UTF8'],
    ['client_encoding', 'UNICODE', 'UTF8'],
    ['DateStyle', 'ISO', 'ISO, MDY'],
    ['datestyle', 'german', 'German, DMY'],
    ['DateStyle', 'SQL, european', 'SQL, DMY'],
    ['TimeZone', 'europe/berlin', 'Europe/Berlin'],
    ['TimeZone', 'Etc/UTC', 'Etc/UTC'],
    ['TimeZone', 'utc', 'UTC'],
    ['TimeZone', '-5', '<-05>+05'],
    ['statement_timeout', '5s', '5s'],
    ['statement_timeout', '1500', '1500ms'],
    ['statement_timeout', '60000', '1min'],
    ['statement_timeout', '0', '0'],
    ['work_mem', '64MB', '64MB'],
    ['jit', 'tRuE', 'on'],
    ['jit', 'f', 'off'],
    ['extra_float_digits', '3', '3'],
    ['bytea_output', 'ESCAPE', 'escape'],
    ['my.own', 'anything', 'anything'],
    ['random_page_cost', '1.1', '1.1'],
  ])('SET %s = %s shows %s', (name, value, shown) => {
    const settings = fresh();
    expect(settings.set(name, value, false)).toBe(shown);
    expect(settings.show(name)).toBe(shown);
  });

  it.each([
    ['client_encoding', 'LATIN1', '22023'],
    ['TimeZone', 'Mars/Olympus', '22023'],
    ['DateStyle', 'ISO, sideways', '22023'],
    ['statement_timeout', '-1', '22023'],
    ['statement_timeout', '5 parsecs', '22023'],
    ['jit', 'maybe', '22023'],
    ['bytea_output', 'base64', '22023'],
    ['extra_float_digits', '4', '22023'],
    ['no_such_setting', '1', '42704'],
    ['server_version', '9.6', '55P02'],
  ])('SET %s = %s is refused', (name, value, sqlstate) => {
    expect(() => fresh().set(name, value, false)).toThrow(expect.objectContaining({ sqlstate }));
  });

  it('every default is a value its own check accepts', () => {
    const settings = fresh();
    for (const { name, default: value } of SETTINGS) {
      expect(settings.show(name)).not.toBeNull();
      if (value !== '') settings.set(name, value, false);
    }
  });
});

describe('scopes', () => {
  it('RESET returns to what the client started with', () => {
    const settings = fresh({ application_name: 'first' });
    settings.set('application_name', 'second', false);
    settings.set('application_name', null, false);
    expect(settings.get('application_name')).toBe('first');
  });

  it('SET LOCAL ends with the transaction, a rollback undoes both kinds', () => {
    const settings = fresh();
    const mark = settings.mark();
    settings.set('application_name', 'local', true);
    expect(settings.get('application_name')).toBe('local');
    settings.endTransaction();
    expect(settings.get('application_name')).toBe('');
    settings.set('application_name', 'session', false);
    settings.rollbackTo(mark);
    expect(settings.get('application_name')).toBe('');
  });

  it('search paths are lists of names', () => {
    expect(settingText('search_path', ['a b', 'public'])).toBe('"a b", public');
    expect(splitIdentifiers('"a ""b""", Public')).toEqual(['a "b"', 'public']);
    expect(fresh().searchPath()).toEqual(['pg_temp_1', 'public']);
    expect(fresh({ search_path: 'public, pg_temp' }).searchPath()).toEqual(['public', 'pg_temp_1']);
  });
});
