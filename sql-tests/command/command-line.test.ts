/** The `quern` command against a server: each command as text and as JSON, its exit codes, its errors. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, ok, type Place, startPlace } from './command.ts';

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

let place: Place;

beforeAll(async () => {
  place = await startPlace();
  mkdirSync(join(place.folder, 'reports/2023'), { recursive: true });
  writeFileSync(join(place.folder, 'reports/acme.md'), '# Acme\n\nRevenue of Acme was 12 million in 2023.\n');
  writeFileSync(join(place.folder, 'reports/2023/rail.md'), '# Rail\n\nRail moves coal by train.\n');
});
afterAll(async () => await place?.[Symbol.asyncDispose]());

const quern = async (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> => {
  const ended = await place.run(args, { more });
  return { ...ended, out: ended.out.replaceAll(TIMES, 'TIME') };
};

/** Parsed standard error in JSON mode. */
const errorOf = (ended: Ended): unknown => (JSON.parse(ended.err) as { error: unknown }).error;

describe('datasets', () => {
  it('are made, shown, listed and changed', async () => {
    const shown = 'name        filings\ndescription annual\nregion      local\ncreated_at  TIME\n';
    expect(await quern(['dataset', 'create', 'filings', '--description', 'annual'])).toEqual(ok(shown));
    expect(await quern(['dataset', 'get', 'filings'])).toEqual(ok(shown));
    const one = { name: 'filings', description: 'annual', region: 'local', created_at: 'TIME' };
    expect(JSON.parse((await quern(['dataset', 'list', '-o', 'json'])).out)).toEqual([one]);
    const changed = await quern(['dataset', 'update', 'filings', '--description', 'other', '-o', 'json']);
    expect(JSON.parse(changed.out)).toEqual({ ...one, description: 'other' });
    expect(await quern(['dataset', 'create', 'filings'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ERROR 42710/),
    });
  });

  it('are made in the region that is asked for, or not at all', async () => {
    expect(await quern(['dataset', 'create', 'there', '--region', 'eu'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ERROR 22023: .*"eu"/),
    });
    expect(await quern(['dataset', 'get', 'there'])).toMatchObject({ code: 1 });
    const here = await quern(['dataset', 'create', 'here', '--region', 'local', '-o', 'json']);
    expect(JSON.parse(here.out)).toMatchObject({ name: 'here', region: 'local' });
    expect((await quern(['dataset', 'delete', 'here', '-y'])).code).toBe(0);
  });

  it('list their documents', async () => {
    await quern(['upload', 'reports', '-r', '-d', 'filings', '--wait']);
    const table = (await quern(['list', '-d', 'filings'])).out.split('\n');
    expect(table[0]).toBe(
      'id           | name    | size | status | mime_type     | status_reason | metadata',
    );
    expect(table[2]).toMatch(/^2023\/rail\.md \| rail\.md \| +\d+ +\| ready +\| text\/markdown \| +\| \{\}$/);
    const [rail] = JSON.parse((await quern(['list', '-d', 'filings', '-o', 'json'])).out);
    expect(rail).toMatchObject({ id: '2023/rail.md', status: 'ready', metadata: {} });
  });

  it('are searched and researched', async () => {
    const found = await quern(['search', 'coal', '-d', 'filings', '-k', '1']);
    expect(found.out).toMatch(/^1\. rail\.md \(filings, \d\.\d{3}\)\n {3}.*Rail/);
    const [first] = JSON.parse((await quern(['search', 'coal', '-d', 'filings', '-o', 'json'])).out);
    expect(first).toMatchObject({
      doc_id: '2023/rail.md',
      content: { text: expect.stringContaining('coal') },
    });
    const question = 'What was the revenue of Acme?';
    const research = await quern(['research', question, '-d', 'filings', '-o', 'json']);
    expect(JSON.parse(research.out)).toMatchObject({ confidence: expect.any(Number) });
  });

  it('take questions on standard input', async () => {
    const asked = await quern(['ask', 'What was the revenue of Acme?', '-d', 'filings']);
    expect(asked.out).toMatch(/^• .*12 million.* \[1\]/);
    for (const args of [['ask', '-'], ['ask']]) {
      const given = { input: 'What was the revenue of Acme?\n' };
      expect((await place.run([...args, '-d', 'filings'], given)).out).toBe(asked.out);
    }
    expect((await place.run(['search', '-d', 'filings'], { input: 'coal' })).out).toMatch(/^1\. rail\.md/);
    expect(await quern(['ask', '-d', 'filings'])).toMatchObject({ code: 2 });
    const silent = await place.onTerminal(['ask', '-d', 'filings']);
    expect(silent).toMatchObject({ code: 2, out: expect.stringMatching(/a question is needed/) });
  });

  it('lose documents, and go', async () => {
    expect(await quern(['delete', '-d', 'filings', '--id', 'acme.md'])).toEqual(ok('deleted acme.md\n'));
    expect(await quern(['delete', '-d', 'filings', '--id', 'acme.md', '2023/rail.md'])).toEqual({
      code: 1,
      out: 'deleted 2023/rail.md\n',
      err: 'quern: dataset filings has no document acme.md\n',
    });
    const none = await quern(['delete', '-d', 'filings', '--id', 'acme.md', '-o', 'json']);
    expect([none.code, JSON.parse(none.out)]).toEqual([1, { deleted: [], absent: ['acme.md'] }]);
    expect(await quern(['dataset', 'delete', 'filings'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--yes/),
    });
    expect(await quern(['dataset', 'delete', 'filings', '-y'])).toEqual(ok('deleted filings\n'));
    expect(await quern(['dataset', 'get', 'filings'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/does not exist/),
    });
  });
});

describe('collections', () => {
  it('are made, shown, listed and dropped', async () => {
    const schema = 'title TEXT NOT NULL INDEX keyword_index(), year BIGINT';
    expect(await quern(['collection', 'create', 'books', '--schema', schema])).toEqual(ok('created books\n'));
    expect((await quern(['collection', 'get', 'books'])).out).toBe(
      'field | type   | required | indexes\n------+--------+----------+--------\ntitle | text   | yes      | keyword\nyear  | bigint |          |\n',
    );
    const [listed] = JSON.parse((await quern(['collection', 'list', '-o', 'json'])).out);
    expect(listed).toEqual({ name: 'books', region: 'local', created_at: 'TIME', fields: 2 });
    const got = JSON.parse((await quern(['collection', 'get', 'books', '-o', 'json'])).out);
    expect(got).toMatchObject({ name: 'books', created_at: 'TIME' });
    expect(await quern(['collection', 'delete', 'books', '-y', '-o', 'json'])).toEqual(
      ok('{\n  "deleted": "books"\n}\n'),
    );
  });
});

describe('a key', () => {
  const none = { QUERN_API_KEY: '' };

  it('is kept by login, for its owner alone, until logout', async () => {
    expect(await quern(['dataset', 'list'], none)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/quern login/),
    });
    const { host, port } = place.server;
    const there = ['--host', host, '--port', String(port)];
    expect(await quern(['login', ...there])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/signed in/),
    });
    const file = join(place.folder, '.config/quern/credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const nowhere = { ...none, QUERN_HOST: undefined, QUERN_PORT: undefined };
    expect(await quern(['dataset', 'list'], nowhere)).toEqual(ok('(none)\n'));
    expect(await quern(['logout'])).toEqual(ok('signed out\n'));
    expect(existsSync(file)).toBe(false);
    expect(JSON.parse((await quern(['login', ...there, '-o', 'json'])).out)).toEqual({
      signed_in: true,
      file,
    });
    expect(JSON.parse((await quern(['logout', '-o', 'json'])).out)).toEqual({ signed_out: true });
  });

  it('is a flag too', async () => {
    expect(await quern(['dataset', 'list', '--api-key', place.server.key], none)).toEqual(ok('(none)\n'));
    expect(await quern(['--api-key', place.server.key, 'dataset', 'list'], none)).toEqual(ok('(none)\n'));
  });

  it('that is wrong, or no server, is said', async () => {
    const wrong = { QUERN_API_KEY: 'wrong-key-0123456789' };
    for (const args of [['login'], ['dataset', 'list'], ['sql', '-c', 'select 1']]) {
      const refused = await quern(args, wrong);
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringMatching(/28P01[\s\S]*HINT: the key is from QUERN_API_KEY\n$/),
      });
    }
    expect(await quern(['login'], none)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no terminal/),
    });
    expect(await quern(['dataset', 'list'], { QUERN_PORT: '1' })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot reach 127\.0\.0\.1:1[\s\S]*HINT: .*QUERN_HOST/),
    });
  });

  it('is found where variables that are empty count as unset', async () => {
    const empty = { QUERN_REGION: '', QUERN_HOST: '', QUERN_REGIONS: '' };
    expect(await quern(['dataset', 'list'], empty)).toEqual(ok('(none)\n'));
    expect(await quern(['sql', '-c', 'select 1'], empty)).toMatchObject({ code: 0 });
    const port = ['--port', String(place.server.port)];
    expect(await quern(['dataset', 'list', ...port], { ...empty, QUERN_PORT: '' })).toEqual(ok('(none)\n'));
  });
});

describe('usage', () => {
  it('completes commands and options in bash', async () => {
    const completed = (words: string): Promise<Ended> =>
      place.shell(
        `source <(quern completion bash); COMP_WORDS=(quern ${words}); COMP_CWORD=2; _quern; echo "\${COMPREPLY[@]}"`,
      );
    expect(await completed('dataset cr')).toEqual(ok('create\n'));
    expect(await completed('ask --fi')).toEqual(ok('--filter\n'));
    expect((await quern(['completion', 'fish'])).out).toContain(
      "-n '__fish_seen_subcommand_from dataset' -a create",
    );
    expect(await quern(['completion', 'dos'])).toMatchObject({ code: 2 });
  });

  it('helps, with examples, and says what is not there yet', async () => {
    const { out, code } = await quern(['--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/Usage: quern[\s\S]*Examples:[\s\S]*quern ask/)]);
    for (const args of [['backup'], ['restore', 'x'], ['bench', '--all']]) {
      expect(await quern(args), args.join(' ')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^quern: \w+ is not available yet/),
      });
    }
  });

  it('makes, lists and revokes keys', async () => {
    const made = await quern(
      'key create bi --role reader --datasets a,b --read-only --no-outside'.split(' '),
    );
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^quern_[\w-]{43}\n$/) });
    const { out } = await quern(['key', 'list', '-o', 'json']);
    const keys = JSON.parse(out) as Record<string, unknown>[];
    expect(keys.find(({ name }) => name === 'bi')).toMatchObject({
      role: 'reader',
      datasets: ['a', 'b'],
      read_only: true,
      outside: false,
    });
    expect(out).not.toContain(made.out.trim());
    expect(await quern(['key', 'create', 'bi'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/already exists/),
    });
    expect(await quern(['key', 'revoke', 'bi', '-y'])).toMatchObject({ code: 0, out: 'revoked bi\n' });
    expect(await quern(['key', 'revoke', 'bi', '-y'])).toMatchObject({ code: 1 });
  });

  it('tells its version', async () => {
    const root = join(import.meta.dirname, '../..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    for (const args of [['--version'], ['-V'], ['version']]) {
      expect(await quern(args)).toEqual(ok(`quern ${version}\n`));
    }
    expect(JSON.parse((await quern(['version', '-o', 'json'])).out)).toEqual({ version });
  });

  const WRONG: readonly (readonly string[])[] = [
    ['nonsense'],
    ['dataset', 'nonsense'],
    ['dataset', 'get'],
    ['dataset', 'list', '--nonsense'],
    ['dataset', 'list', '-o', 'yaml'],
    ['dataset', 'list', '--port', 'abc'],
    ['dataset', 'list', '--port', '0'],
    ['dataset', 'get', 'no/name'],
    ['ask', 'x'],
    ['ask', 'x', '-d', 'filings', '-m', 'loud'],
    ['search', 'x', '-d', 'filings', '-k', 'many'],
    ['search', 'x', '-d', 'filings', '-k', '1001'],
    ['upload', '*.nothing', '-d', 'filings'],
    ['upload', 'reports', '-d', 'filings'],
    ['upload', 'reports', '-r', '-d', 'filings', '-c', '0'],
    ['upload', 'reports', '-r', '-d', 'filings', '--wait=soon'],
    ['upload', 'reports', '-r', '-d', 'filings', '--ids', 'number'],
    ['serve', '--port', 'abc'],
    ['serve', '--memory', 'much'],
    ['serve', '--nonsense', 'x'],
    ['completion', 'dos'],
  ];

  it.each(WRONG.map((args) => [args.join(' '), args] as const))('is told as such: %s', async (_, args) => {
    const text = await quern(args);
    expect(text).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^quern: .+\n/) });
    const json = await quern(['-o', 'json', ...args]);
    expect([json.code, json.out, errorOf(json)]).toMatchObject([2, '', { code: 'usage' }]);
  });

  it('takes a bad value of the environment as such too', async () => {
    expect(await quern(['dataset', 'list'], { QUERN_PORT: 'abc' })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/QUERN_PORT/),
    });
  });
});

describe('errors as JSON', () => {
  it('stand on one line, whatever fails', async () => {
    const missing = errorOf(await quern(['dataset', 'get', 'nobody', '-o', 'json']));
    expect(missing).toMatchObject({
      code: '42704',
      message: expect.stringContaining('nobody'),
      position: null,
    });
    const refused = await quern(['-o', 'json', 'dataset', 'list'], { QUERN_API_KEY: 'wrong-key-012345' });
    expect(errorOf(refused)).toMatchObject({ code: '28P01', hint: 'the key is from QUERN_API_KEY' });
    const away = await quern(['dataset', '-o', 'json', 'list'], { QUERN_PORT: '1' });
    expect(errorOf(away)).toMatchObject({ code: 'connection_failed' });
    const keyless = await quern(['dataset', 'list', '--output=json'], { QUERN_API_KEY: '' });
    expect(errorOf(keyless)).toMatchObject({
      code: 'no_api_key',
      hint: expect.stringContaining('quern login'),
    });
  });

  it('are asked for before and after a command', async () => {
    for (const args of [
      ['-o', 'json', 'dataset', 'list'],
      ['dataset', '-o', 'json', 'list'],
      ['dataset', 'list', '-o', 'json'],
      ['dataset', 'list', '-ojson'],
    ]) {
      expect(await quern(args), args.join(' ')).toEqual(ok('[]\n'));
    }
    expect((await quern(['-o', 'json', 'dataset', 'list', '-o', 'text'])).out).toBe('(none)\n');
  });
});

it('answers what an agent asked before it closed its side', async () => {
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    { method: 'notifications/initialized' },
    {
      id: 2,
      method: 'tools/call',
      params: { name: 'query', arguments: { sql: 'SELECT 41 + 1 AS answer FROM pg_sleep(1)' } },
    },
  ];
  const input = messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('');
  const { code, out } = await place.run(['mcp'], { input });
  const answers = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  expect(answers.find(({ id }) => id === 2)).toMatchObject({
    result: { structuredContent: { rows: [{ answer: 42 }] } },
  });
  expect(code).toBe(0);
});
