/** `quern upload`: which files, as which documents, what has become of each, and how far it is. */
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, ok, type Place, startPlace } from './command.ts';

let place: Place;

beforeAll(async () => {
  place = await startPlace();
  for (const folder of ['aa', 'bb', 'tree/sub/deep', 'tree/.hidden', 'odd']) {
    mkdirSync(join(place.folder, folder), { recursive: true });
  }
  write('aa/x.md', 'alpha text one');
  write('bb/x.md', 'beta text two');
  write('tree/a.md', 'a tree');
  write('tree/sub/b.md', 'of files');
  write('tree/sub/deep/b.md', 'of one name');
  write('tree/.hidden/c.md', 'nobody sees it');
  symlinkSync('..', join(place.folder, 'tree/sub/loop'));
  symlinkSync('../tree', join(place.folder, 'tree/again'));
  symlinkSync('nowhere', join(place.folder, 'tree/broken'));
  for (const name of ['new\nline.md', 'a..b.md', 'r[1].md', 'sp ace.md', "quo'te.md", '-dash.md']) {
    write(`odd/${name}`, `the text of ${name.length}`);
  }
  await place.run(['dataset', 'create', 'd']);
});
afterAll(async () => await place?.[Symbol.asyncDispose]());

const write = (path: string, text: string): void => writeFileSync(join(place.folder, path), `${text}\n`);
const upload = (...args: readonly string[]): Promise<Ended> => place.run(['upload', ...args, '-d', 'd']);
const uploaded = async (...args: readonly string[]): Promise<Record<string, unknown>[]> => {
  const { out, err } = await upload(...args, '-o', 'json');
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Record<string, unknown>[];
};
const ids = async (...args: readonly string[]): Promise<unknown[]> =>
  (await uploaded(...args, '--dry-run')).map((one) => one.doc_id);
const textOf = async (id: string): Promise<string> => {
  const statement = `COPY quern.download TO STDOUT WITH (dataset 'd', doc_id '${id.replaceAll("'", "''")}')`;
  return (await place.run(['sql', '-c', statement])).out;
};

describe('files of one name', () => {
  const CLASH = {
    code: 2,
    out: '',
    err: 'quern: aa/x.md and bb/x.md would both be document x.md: the later one would replace the other\nHINT: --ids path makes the path as it is written the id\n',
  };

  it('are an error before anything is sent, however they are named', async () => {
    expect(await upload('aa/x.md', 'bb/x.md')).toEqual(CLASH);
    expect(await upload('aa/*', 'bb/*', '--dry-run')).toEqual(CLASH);
    expect(await upload('-r', 'aa', 'bb')).toEqual(CLASH);
    expect((await place.run(['list', '-d', 'd'])).out).toBe('(none)\n');
  });

  it('are documents by their paths where that is asked for', async () => {
    const sent = await upload('aa/x.md', 'bb/x.md', '--ids', 'path', '--wait');
    expect(sent).toEqual(ok('ready    aa/x.md\nready    bb/x.md\n(2 files)\n2 sent: 2 new\n'));
    expect(await textOf('aa/x.md')).toBe('alpha text one\n');
    expect(await textOf('bb/x.md')).toBe('beta text two\n');
  });

  it('are one where it is one file', async () => {
    expect(await ids('aa/x.md', 'aa/*.md', './aa/x.md')).toEqual(['x.md']);
  });

  it('are named by the thousand', async () => {
    for (let at = 0; at < 10_000; at++) {
      const folder = join(place.folder, 'many', String(at));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'x.md'), `text ${at}`);
    }
    const { code, err } = await upload('many/*/x.md');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/x\.md and 9998 more files have the id of another|, and 9998 more/),
    ]);
    expect(await ids('many/*/x.md', '--ids', 'path')).toHaveLength(10_000);
    expect(await ids('-r', 'many')).toHaveLength(10_000);
    expect(await upload('many/*/x.md', '--ids', 'path')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--yes/),
    });
  });
});

describe('what is there already', () => {
  it('is counted as new, replaced and unchanged', async () => {
    write('aa/y.md', 'first words');
    await upload('aa/x.md', 'aa/y.md', '--ids', 'path', '--wait');
    write('aa/y.md', 'other words');
    write('aa/z.md', 'never seen');
    const sent = await upload('aa', '-r', '--ids', 'path', '--wait');
    expect(sent).toEqual(
      ok(
        'ready    aa/x.md\nready    aa/y.md (replaced)\nready    aa/z.md\n(3 files)\n3 sent: 1 new, 1 replaced, 1 unchanged\n',
      ),
    );
    expect(await textOf('aa/y.md')).toBe('other words\n');
    expect(await uploaded('aa', '-r', '--ids', 'path')).toMatchObject(
      ['aa/x.md', 'aa/y.md', 'aa/z.md'].map((id) => ({
        doc_id: id,
        status: 'uploaded',
        change: 'unchanged',
        handle: expect.any(String),
      })),
    );
  });
});

describe('folders', () => {
  it('are walked once, links in circles or not, without what is hidden', async () => {
    const dry = await upload('tree', '-r', '--dry-run');
    expect(dry).toEqual({
      code: 0,
      out: 'dry run  a.md\ndry run  sub/b.md\ndry run  sub/deep/b.md\n(3 files)\n',
      err: 'quern: skipped: tree/broken leads nowhere\n',
    });
    const here = await place.run(['upload', '.', '-r', '-d', 'd', '--dry-run'], {
      cwd: join(place.folder, 'tree'),
    });
    expect(here.out).toBe(dry.out);
  });
});

describe('names', () => {
  it('with newlines, dots, brackets and quotes are sent as they are', async () => {
    const sent = await upload('odd', '-r', '--wait');
    expect(sent).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ready {4}new↵line\.md\n[\s\S]*\(6 files\)/),
    });
    expect(await textOf('new\nline.md')).toBe('the text of 11\n');
    expect(await textOf("quo'te.md")).toBe('the text of 9\n');
    expect(await ids('odd/r[1].md')).toEqual(['r[1].md']);
    const dashed = await place.run(['upload', '-d', 'd', '--dry-run', '--', 'odd/-dash.md']);
    expect(dashed).toEqual(ok('dry run  -dash.md\n(1 file)\n'));
  });

  it('that lead upwards are ids only where paths are', async () => {
    const cwd = join(place.folder, 'bb');
    const given = ['upload', '../aa/x.md', '-d', 'd', '--dry-run', '-o', 'json'];
    expect(JSON.parse((await place.run(given, { cwd })).out)).toMatchObject([{ doc_id: 'x.md' }]);
    const path = await place.run([...given, '--ids', 'path'], { cwd });
    expect(JSON.parse(path.out)).toMatchObject([{ doc_id: '../aa/x.md' }]);
  });
});

describe('a file', () => {
  it('that grows while it is read is sent as long as it was, which is said', async () => {
    const path = join(place.folder, 'growing.txt');
    writeFileSync(path, 'words and more\n'.repeat(300_000));
    const growing = setInterval(() => appendFileSync(path, 'still more\n'.repeat(10_000)), 1);
    await place.run(['dataset', 'create', 'long']);
    const [sent] = JSON.parse(
      (await place.run(['upload', 'growing.txt', '-d', 'long', '-o', 'json'])).out,
    ) as Record<string, unknown>[];
    clearInterval(growing);
    const asked = [
      'sql',
      '-o',
      'json',
      '-c',
      `SELECT size FROM quern.handles WHERE handle = '${sent?.handle}'`,
    ];
    const [{ size }] = JSON.parse((await place.run(asked)).out);
    expect(size).toBeGreaterThanOrEqual(4_500_000);
    expect(sent).toMatchObject({ status: 'uploaded' });
    // Of a machine that reads all of it between two writes there is nothing to say.
    const note = `written to while it was read: its first ${size} bytes were sent`;
    expect([undefined, note]).toContain(sent?.note);
    // Nobody waits until all of it is read.
    await place.run(['dataset', 'delete', 'long', '-y']);
  });

  it('of the system, which says that it is empty, is read', async () => {
    symlinkSync('/proc/version', join(place.folder, 'version.txt'));
    await upload('version.txt', '--wait');
    expect(await textOf('version.txt')).toBe(readFileSync('/proc/version', 'utf8'));
  });

  it('that cannot be read fails by itself', async () => {
    write('broken.pdf', '%PDF-1.7 nothing of the kind');
    const sent = await upload('aa/x.md', 'broken.pdf', '--wait');
    expect(sent.code).toBe(1);
    expect(sent.out).toMatch(/^ready {4}x\.md\nerror {4}broken\.pdf: .+\n\(2 files\)\n2 sent: 2 new\n$/);
  });

  it('that the system does not give fails by itself too', async () => {
    symlinkSync('/proc/self/mem', join(place.folder, 'memory.txt'));
    const sent = await upload('memory.txt', 'aa/x.md');
    expect(sent.code).toBe(1);
    expect(sent.out).toMatch(/^error {4}memory\.txt: EIO.*\nuploaded x\.md/);
  });

  it('of an unknown dataset is not sent', async () => {
    const sent = await place.run(['upload', 'aa/x.md', '-d', 'nobody']);
    expect(sent).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/nobody/) });
  });
});

/** Lines drawn over one line of the terminal. */
const drawnLines = (raw: string): string[] => raw.split('\r').map((line) => line.replace('\x1b[K', ''));

describe('--wait', () => {
  it('stands before a file or behind it, with a time or without', async () => {
    expect((await upload('--wait', 'aa/x.md')).out).toMatch(/^ready/);
    expect((await upload('aa/x.md', '--wait=5m')).out).toMatch(/^ready/);
  });

  it('shows how far it is from the start to the end, in one line', async () => {
    write('how-far.md', 'a few words');
    const shown = await place.onTerminal(['upload', 'how-far.md', '-d', 'd', '--wait']);
    const drawn = drawnLines(shown.raw);
    const bars = drawn.filter((line) => line.startsWith('['));
    expect(bars[0]).toBe(`[${'·'.repeat(24)}] 0/1 0.0 of 0.0 MB sent`);
    expect(bars.at(-1)).toMatch(/^\[█{24}\] 1\/1/);
    expect(shown.out).toMatch(/ready {4}how-far\.md\n\(1 file\)\n1 sent: 1 new\n$/);
    const narrow = await place.onTerminal(['upload', 'how-far.md', '-d', 'd', '--wait'], { columns: 20 });
    const lines = drawnLines(narrow.raw);
    expect(lines.filter((line) => line.startsWith('[')).every((line) => line.length < 20)).toBe(true);
  });

  it('gives up after its time, and says that the server does not', async () => {
    const words = Array.from({ length: 1_000_000 }, (_, at) => `word${(at * 7919) % 10_007}`);
    writeFileSync(join(place.folder, 'large.txt'), words.join(' ').replaceAll(/(.{2000} )/g, '$1\n\n'));
    const late = await upload('large.txt', '--wait=1s');
    expect(late).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^uploaded large\.txt: not read yet; the server goes on\n/),
    });
  });
});
