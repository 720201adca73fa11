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

  it('takes a variable that is empty as unset', () => {
    const empty = { QUERN_REGION: '', QUERN_SERVE_PORT: '', QUERN_SERVE_REGION: '', QUERN_API_KEY: '' };
    expect(readServeConfig({}, empty)).toMatchObject({ port: 5432, region: 'local', apiKey: null });
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

  it('reads an embedding endpoint with several models', () => {
    const flags = { 'embedding-url': 'https://host/v1', 'embedding-model': 'small, large,small' };
    expect(readServeConfig(flags, { QUERN_EMBEDDING_API_KEY: ' key\n' }).embedding).toEqual({
      url: 'https://host/v1',
      models: ['small', 'large'],
      dimensions: null,
      queryPrefix: '',
      passagePrefix: '',
      key: 'key',
    });
    expect(readServeConfig({ ...flags, 'embedding-dimensions': '256' }, {}).embedding?.dimensions).toBe(256);
    expect(readServeConfig({}, { QUERN_EMBEDDING_API_KEY: 'key' }).embedding).toBeNull();
    expect(() => readServeConfig({ 'embedding-url': 'https://host' }, {})).toThrow('together');
    expect(() => readServeConfig({ 'embedding-model': 'small' }, {})).toThrow('together');
    expect(() => readServeConfig({ ...flags, 'embedding-dimensions': '0' }, {})).toThrow('1 to 16384');
    for (const url of ['host/v1', 'ftp://host', 'https://me:secret@host']) {
      const read = () => readServeConfig({ ...flags, 'embedding-url': url }, {});
      expect(read).toThrow('--embedding-url must be an http or https URL');
      expect(read).not.toThrow('secret');
    }
    const read = () => readServeConfig(flags, { QUERN_EMBEDDING_API_KEY: 'se\ncret' });
    expect(read).toThrow('QUERN_EMBEDDING_API_KEY must be of printable');
    expect(read).not.toThrow('cret');
  });

  it('reads one language model with its bounds', () => {
    const endpoint = { 'ask-url': 'https://host/v1', 'ask-model': 'large' };
    const bounds = { 'ask-seconds': '5', 'ask-tokens-a-question': '9000', 'ask-tokens-a-day': '1000000' };
    expect(readServeConfig({ ...endpoint, ...bounds }, { QUERN_ASK_API_KEY: 'key' }).ask).toEqual({
      model: { kind: 'endpoint', url: 'https://host/v1', model: 'large', key: 'key' },
      seconds: 5,
      tokensAQuestion: 9_000,
      tokensADay: 1_000_000,
    });
    expect(readServeConfig({ 'ask-gguf': '/m.gguf' }, {}).ask).toEqual({
      model: { kind: 'gguf', path: '/m.gguf' },
      seconds: 120,
      tokensAQuestion: null,
      tokensADay: null,
    });
    expect(readServeConfig(bounds, {}).ask).toBeNull();
    for (const wrong of [
      { 'ask-url': 'https://host/v1' },
      { ...endpoint, 'ask-gguf': '/m.gguf' },
      { ...endpoint, 'ask-seconds': '0' },
      { ...endpoint, 'ask-seconds': '3601' },
      { ...endpoint, 'ask-tokens-a-question': 'many' },
      { ...endpoint, 'ask-tokens-a-day': '-1' },
    ]) {
      expect(() => readServeConfig(wrong, {})).toThrow(/--ask-/);
    }
  });

  it('reads who may send requests, and by which names', () => {
    const { web: none } = readServeConfig({}, {});
    expect(none).toEqual({
      isMetricsOpen: false,
      hasConsole: true,
      trustedProxies: [],
      hosts: [],
      origins: [],
    });
    const flags = { 'http-hosts': 'DB.internal, *.example', 'http-origins': 'https://a.example' };
    const environment = {
      QUERN_SERVE_TRUSTED_PROXIES: '10.0.0.7,10.1.0.0/16,::1',
      QUERN_SERVE_METRICS: 'open',
      QUERN_SERVE_CONSOLE: 'off',
    };
    expect(readServeConfig(flags, environment).web).toEqual({
      isMetricsOpen: true,
      hasConsole: false,
      trustedProxies: ['10.0.0.7', '10.1.0.0/16', '::1'],
      hosts: ['db.internal', '*.example'],
      origins: ['https://a.example'],
    });
    for (const wrong of [
      { metrics: 'off' },
      { console: 'yes' },
      { 'trusted-proxies': 'proxy.internal' },
      { 'trusted-proxies': '10.0.0.0/33' },
      { 'http-hosts': 'db.internal:8432' },
      { 'http-hosts': '*' },
      { 'http-origins': 'https://a.example/' },
      { 'http-origins': '*' },
    ]) {
      expect(() => readServeConfig(wrong, {}), JSON.stringify(wrong)).toThrow(
        `--${Object.keys(wrong)[0]} must be`,
      );
    }
  });

  it('refuses what cannot be', () => {
    expect(() => readServeConfig({ port: '70000' }, {})).toThrow('--port');
    expect(() => readServeConfig({ memory: '2' }, {})).toThrow('--memory');
    expect(() => readServeConfig({ memory: '1MB' }, {})).toThrow('--memory');
    expect(() => readServeConfig({ 'tls-cert': 'x' }, {})).toThrow('together');
    expect(() => readServeConfig({ 'tls-client-auth': 'require' }, {})).toThrow('--tls-client-ca');
    const misspelt = { 'tls-client-ca': 'x', 'tls-client-auth': 'required' };
    expect(() => readServeConfig(misspelt, {})).toThrow('must be request or require');
    expect(() => readServeConfig({ config: '/nowhere' }, {})).toThrow('could not read');
  });
});
