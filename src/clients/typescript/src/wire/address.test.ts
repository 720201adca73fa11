/** Where a client goes, by its arguments, the environment and a file of regions. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addressOf } from './address.ts';

const KEY = { QUERN_API_KEY: 'k' };

it.each([
  [{}, {}, '127.0.0.1:5432', 'unverified'],
  [{ host: 'db.example', region: 'eu' }, {}, 'eu.sql.db.example:5432', 'verified'],
  [{ host: 'db.example' }, { QUERN_REGION: 'eu' }, 'eu.sql.db.example:5432', 'verified'],
  [{ host: 'db.example:7000', region: 'eu' }, {}, 'db.example:7000', 'verified'],
  [{ host: '10.0.0.5', region: 'eu' }, {}, '10.0.0.5:5432', 'verified'],
  [{ host: '[::1]:6000' }, {}, '::1:6000', 'unverified'],
  [{}, { QUERN_HOST: 'db.example', QUERN_PORT: '6543' }, 'db.example:6543', 'verified'],
  [{ host: 'db.example', https: false, port: 1 }, {}, 'db.example:1', 'off'],
  [
    {},
    { QUERN_HOST: '', QUERN_PORT: '', QUERN_REGION: '', QUERN_REGIONS: '' },
    '127.0.0.1:5432',
    'unverified',
  ],
  [{ host: 'db.example' }, { QUERN_REGION: '' }, 'db.example:5432', 'verified'],
])('%o %o', (config, environment, place, tls) => {
  const address = addressOf(config, { ...KEY, ...environment });
  expect([`${address.host}:${address.port}`, address.tls]).toEqual([place, tls]);
});

it('takes a region from the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-regions-'));
  const file = join(folder, 'regions.json');
  writeFileSync(file, '{ "eu": "sql.eu.example:7000" }');
  const environment = { ...KEY, QUERN_REGIONS: file };
  expect(addressOf({ region: 'eu' }, environment)).toMatchObject({ host: 'sql.eu.example', port: 7000 });
  expect(() => addressOf({ region: 'us' }, environment)).toThrow('no host for region "us"');
  rmSync(folder, { recursive: true });
  expect(() => addressOf({ region: 'eu' }, environment)).toThrow('cannot be read');
});

it('needs a key, a host and a port that can be', () => {
  expect(() => addressOf({}, {})).toThrow('no API key');
  expect(() => addressOf({}, { QUERN_API_KEY: '' })).toThrow('no API key');
  expect(() => addressOf({ host: 'a b' }, KEY)).toThrow('no host');
  expect(() => addressOf({ port: 0 }, KEY)).toThrow('a port is');
});
