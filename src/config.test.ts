/** Where the server's configuration comes from: flags beat variables, which beat the file, which beats defaults. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServeConfig } from './config.ts';

describe('configuration', () => {
  it('has defaults for everything', () => {
    const config = readServeConfig({}, {});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 5432,
      httpPort: 8432,
      region: 'local',
      apiKey: null,
    });
  });

  it('goes from file to variables to flags', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'quern-config-')), 'quern.json');
    writeFileSync(file, JSON.stringify({ port: 1, host: 'file', region: 'file' }));
    const environment = {
      QUERN_SERVE_CONFIG: file,
      QUERN_SERVE_HOST: 'variable',
      QUERN_SERVE_REGION: 'variable',
    };
    const config = readServeConfig({ region: 'flag' }, environment);
    expect(config).toMatchObject({ port: 1, host: 'variable', region: 'flag' });
    expect(readServeConfig({ memory: '1.5GB' }, {}).memory).toBe(1.5 * 2 ** 30);
    expect(readServeConfig({}, { QUERN_SERVE_MEMORY: '512mb' }).memory).toBe(2 ** 29);
    expect(readServeConfig({}, { QUERN_REGION: 'eu' }).region).toBe('eu');
  });

  it('refuses what cannot be', () => {
    expect(() => readServeConfig({ port: '70000' }, {})).toThrow('--port');
    expect(() => readServeConfig({ memory: '2' }, {})).toThrow('--memory');
    expect(() => readServeConfig({ memory: '1MB' }, {})).toThrow('--memory');
    expect(() => readServeConfig({ 'tls-cert': 'x' }, {})).toThrow('together');
    expect(() => readServeConfig({ config: '/nowhere' }, {})).toThrow('could not read');
  });
});
