/** Files that come to `/uploads` in parts: cut off anywhere they go on from there, and become what would have come in one. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keptKeys } from '../../../sql-tests/fixtures/database.ts';
import { HttpDoor } from '../../../sql-tests/fixtures/http-door.ts';
import { SERVER_RELATIONS } from '../../session/datasets/relations.ts';
import { HeldFiles as HeldFilesOnDisk } from '../../storage/held-files.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { Sealer } from '../../storage/seal.ts';
import { UploadDoor } from './door.ts';
import { type HeldFiles, Uploads } from './uploads.ts';

const HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'quern-uploads-'));
const sealer = new Sealer(new Uint8Array(32), 'uploads');
const disk = new HeldFilesOnDisk(folder, sealer);
let door: HttpDoor;
let uploads: UploadDoor;
let laterMs = 0;
/** Stands between a part's bytes and the disk. */
let spoil: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (pieces) => pieces;

const files: HeldFiles = {
  load: () => disk.load(),
  async make(about) {
    const file = await disk.make(about);
    const append = file.append.bind(file);
    return Object.assign(file, { append: (pieces: AsyncIterable<Uint8Array>) => append(spoil(pieces)) });
  },
};

async function openDoor(store: MemoryStore): Promise<void> {
  const nowMs = (): number => Date.now() + laterMs;
  const report = (error: unknown): void => void door.failures.push(error);
  const held = await Uploads.open({ files, randomBytes, nowMs, report });
  door = await HttpDoor.open(store, {
    keys,
    relations: SERVER_RELATIONS,
    routes: (parts) => {
      uploads = new UploadDoor({ ...parts, uploads: held });
      return uploads.routes;
    },
  });
}

const store = new MemoryStore();
const keys = keptKeys();

beforeAll(async () => {
  await openDoor(store);
  await door.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
});

beforeEach(() => {
  laterMs = 0;
  spoil = (pieces) => pieces;
});

afterAll(async () => {
  await uploads.close();
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

interface Told {
  readonly status: number;
  readonly upload?: { readonly token: string; readonly offset: number; readonly size: number };
  readonly handle?: string;
  readonly error?: { readonly sqlstate: string; readonly kind: string; readonly message: string };
}

async function ask(method: string, path: string, body?: unknown, key?: string): Promise<Told> {
  const headers = body instanceof Uint8Array ? { 'content-type': 'application/octet-stream' } : {};
  const about = { method, path, headers, ...(key !== undefined && { key }) };
  const response = await door.fetch(body, about);
  const text = await response.text();
  return { status: response.status, ...(text === '' ? {} : (JSON.parse(text) as object)) };
}

const FILE = { dataset: 'filings', doc_id: 'a', name: 'a.txt', metadata: { year: 2023 } };
const bytes = (size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 9)) & 255);

async function begin(size: number, more: object = {}, key?: string): Promise<string> {
  const told = await ask('POST', '/uploads', { ...FILE, size, ...more }, key);
  expect(told, JSON.stringify(told)).toMatchObject({ status: 200, upload: { offset: 0, size } });
  return told.upload?.token ?? '';
}

const put = (token: string, from: number, part: Uint8Array, key?: string): Promise<Told> =>
  ask('PUT', `/uploads/${token}?from=${from}`, part, key);
const tell = (token: string, key?: string): Promise<Told> => ask('GET', `/uploads/${token}`, undefined, key);
const finish = (token: string, key?: string): Promise<Told> =>
  ask('POST', `/uploads/${token}`, undefined, key);

/** Takes away the old ones: whatever is begun does. */
async function sweep(): Promise<void> {
  laterMs = 25 * HOUR_MS;
  const token = await begin(1);
  laterMs = 0;
  await ask('DELETE', `/uploads/${token}`);
  expect(readdirSync(folder)).toEqual([]);
}

/** Bytes of a document, as the database has them. */
async function stored(handle: string): Promise<Buffer> {
  const rows = await door.rows(`SELECT data FROM filings._files WHERE file = '${handle}' ORDER BY block`);
  return Buffer.concat(rows.map((row) => Buffer.from(String((row as string[])[0]).slice(2), 'hex')));
}

/** Sends a part's beginning, and goes away. */
async function cutOff(token: string, part: Uint8Array, sent: number): Promise<void> {
  const request = send(`${door.url}/uploads/${token}?from=0`, {
    method: 'PUT',
    headers: { authorization: 'Bearer secret', 'content-length': part.length },
  }).on('error', () => undefined);
  request.write(part.subarray(0, sent));
  if (sent > 0) {
    // What is under way cannot be seen from here: it has begun when the next request has taken its turn.
    const running = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'COPY quern.upload%'";
    while ((await door.rows(running)).length === 0);
  }
  request.destroy();
}

describe('a file in parts', () => {
  it('is the document that it would have been in one', async () => {
    const all = bytes(700_000);
    const token = await begin(all.length);
    for (let at = 0; at < all.length; at += 300_000) {
      const part = all.subarray(at, at + 300_000);
      expect(await put(token, at, part)).toMatchObject({ status: 200, upload: { offset: at + part.length } });
    }
    const { status, handle = '' } = await finish(token);
    expect(status).toBe(200);
    expect((await stored(handle)).equals(all)).toBe(true);
    const [row] = await door.rows(
      `SELECT doc_id, name, size, metadata FROM filings.documents WHERE doc_id = 'a'`,
    );
    expect(row).toEqual(['a', 'a.txt', String(all.length), { year: 2023 }]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('without a byte is one too', async () => {
    const { status, handle = '' } = await finish(await begin(0));
    expect([status, (await stored(handle)).length]).toEqual([200, 0]);
  });

  it('goes on where it was cut off, wherever that was', async () => {
    const all = bytes(600_000);
    for (const sent of [0, 1, 1000, 262_144, 262_145, 599_999]) {
      const token = await begin(all.length);
      await cutOff(token, all, sent);
      // Whoever goes on ends what the server still waits for: the first try may find another offset.
      let offset = (await tell(token)).upload?.offset ?? 0;
      for (let told = await put(token, offset, all.subarray(offset)); told.status !== 200; ) {
        offset = (await tell(token)).upload?.offset ?? 0;
        told = await put(token, offset, all.subarray(offset));
      }
      const { handle = '' } = await finish(token);
      expect((await stored(handle)).equals(all), String(sent)).toBe(true);
    }
  });

  it('is done once, however often that is asked for', async () => {
    const token = await begin(3, { doc_id: 'once' });
    await put(token, 0, bytes(3));
    const all = await Promise.all([1, 2, 3, 4].map(() => finish(token)));
    expect(new Set(all.map(({ status, handle }) => `${status} ${handle}`)).size).toBe(1);
    const [{ handle } = {}] = all;
    expect(await finish(token)).toEqual({ status: 200, handle });
    expect(await tell(token)).toEqual({ status: 200, handle });
    expect(await door.rows("SELECT count(*) FROM quern.handles WHERE doc_id = 'once'")).toEqual([['1']]);
  });

  it('outlives the server', async () => {
    const all = bytes(400_000);
    const token = await begin(all.length, { doc_id: 'again' });
    await put(token, 0, all.subarray(0, 300_000));
    await uploads.close();
    await door[Symbol.asyncDispose]();
    await openDoor(store);
    expect(await tell(token)).toMatchObject({ upload: { offset: 300_000, size: all.length } });
    await put(token, 300_000, all.subarray(300_000));
    const { handle = '' } = await finish(token);
    expect((await stored(handle)).equals(all)).toBe(true);
  });

  it('is taken over by the newest request', async () => {
    const token = await begin(10);
    const old = send(`${door.url}/uploads/${token}?from=0`, {
      method: 'PUT',
      headers: { authorization: 'Bearer secret', 'content-length': 10 },
    }).on('error', () => undefined);
    const answer = new Promise<number | undefined>((resolve) =>
      old.on('response', (response) => resolve(response.resume().statusCode)),
    );
    old.write(bytes(4));
    let told = await tell(token);
    while (told.status !== 200 || told.upload?.offset !== 10) {
      const { upload } = await tell(token);
      const offset = upload?.offset ?? 0;
      told = await put(token, offset, bytes(10).subarray(offset));
    }
    expect(await answer).toBe(409);
    const { handle = '' } = await finish(token);
    expect((await stored(handle)).equals(bytes(10))).toBe(true);
  });
});

describe('what is refused', () => {
  it.each<[string, object, number, string]>([
    ['a dataset that is not there', { dataset: 'none' }, 404, '42704'],
    ['a file over the limit', { size: 600_000_000 }, 413, '54000'],
    ['a name that is too long', { name: 'x'.repeat(2000) }, 400, '22023'],
    ['a name with a quote in it', { dataset: "o'x', doc_id 'y" }, 404, '42704'],
    ['a backslash before a quote', { dataset: "\\'" }, 404, '42704'],
    ['metadata that is none', { metadata: [1] }, 400, '22023'],
    ['metadata that is too large', { metadata: { a: 'x'.repeat(70_000) } }, 413, '54000'],
    ['half a size', { size: 1.5 }, 400, '22023'],
    ['no size', { size: null }, 400, '22023'],
    ['a field too much', { mode: 1 }, 400, '22023'],
    ['no character', { name: '\ud800' }, 400, '22021'],
  ])('%s, before anything is sent', async (_, more, status, sqlstate) => {
    const told = await ask('POST', '/uploads', { ...FILE, size: 1, ...more });
    expect([told.status, told.error?.sqlstate]).toEqual([status, sqlstate]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('another offset, more than was told, and less', async () => {
    const token = await begin(10);
    for (const from of [1, 11]) expect((await put(token, from, bytes(3))).error?.sqlstate).toBe('55000');
    for (const from of ['', '?from=-1', '?from=x', '?from=0.5']) {
      expect((await ask('PUT', `/uploads/${token}${from}`, bytes(1))).status).toBe(400);
    }
    expect((await put(token, 0, bytes(11))).error?.sqlstate).toBe('22023');
    expect(await finish(token)).toMatchObject({ status: 409, error: { sqlstate: '55000' } });
    const more = send(`${door.url}/uploads/${token}?from=0`, {
      method: 'PUT',
      headers: { authorization: 'Bearer secret', 'transfer-encoding': 'chunked' },
    });
    const answer = new Promise<number | undefined>((resolve) =>
      more.on('response', (response) => resolve(response.resume().statusCode)),
    );
    more.end(bytes(12));
    expect(await answer).toBe(400);
    expect((await finish(token)).status).toBe(200);
  });

  it("another key's token, one that is none, and no key", async () => {
    const [row] = (await door.rows('CREATE API KEY other WITH (role = owner)')) as [unknown[]];
    const other = row.find(
      (value) => String(value).startsWith('quern_') && String(value).length > 20,
    ) as string;
    const token = await begin(3);
    for (const [given, key] of [
      [token, other],
      ['x', 'secret'],
      ['', 'secret'],
      ['__proto__', 'secret'],
    ] as const) {
      const all = await Promise.all([
        tell(given, key),
        put(given, 0, bytes(3), key),
        finish(given, key),
        ask('DELETE', `/uploads/${given}`, undefined, key),
      ]);
      expect(all.map(({ error }) => error?.kind)).toEqual(Array(4).fill('upload_not_found'));
    }
    expect((await tell(token, 'wrong-key-0123456789')).status).toBe(401);
    expect((await ask('DELETE', `/uploads/${token}`)).status).toBe(204);
    expect((await tell(token)).error?.kind).toBe('upload_not_found');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a part whose key may no longer, and what it had sent stays for when it may again', async () => {
    await door.rows('CREATE ROLE writes; GRANT writer TO writes');
    const [row] = (await door.rows('CREATE API KEY of_writes WITH (role = writes)')) as [unknown[]];
    const key = row.find(
      (value) => String(value).startsWith('quern_') && String(value).length > 20,
    ) as string;
    const token = await begin(6, {}, key);
    expect((await put(token, 0, bytes(3), key)).status).toBe(200);
    await door.rows('REVOKE writer FROM writes');
    expect((await put(token, 3, bytes(6).subarray(3), key)).error?.sqlstate).toBe('42501');
    await door.rows('GRANT writer TO writes');
    expect((await put(token, 3, bytes(6).subarray(3), key)).status).toBe(200);
    await door.rows('REVOKE writer FROM writes');
    expect((await finish(token, key)).error?.sqlstate).toBe('42501');
    await door.rows('DROP API KEY of_writes');
    expect((await finish(token, key)).status).toBe(401);
    await sweep();
  });

  it('one that nobody went on with for a day', async () => {
    const token = await begin(10);
    await put(token, 0, bytes(3));
    laterMs = 23 * HOUR_MS;
    expect((await tell(token)).upload?.offset).toBe(3);
    laterMs = 25 * HOUR_MS;
    expect((await tell(token)).error?.kind).toBe('upload_not_found');
    expect((await put(token, 3, bytes(7))).error?.kind).toBe('upload_not_found');
    expect((await finish(token)).error?.kind).toBe('upload_not_found');
    await sweep();
  });

  it('too many, and too much', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => begin(1)));
    expect(await ask('POST', '/uploads', { ...FILE, size: 1 })).toMatchObject({
      status: 429,
      error: { sqlstate: '53300' },
    });
    await Promise.all(tokens.map((token) => ask('DELETE', `/uploads/${token}`)));
    const large = await Promise.all(Array.from({ length: 8 }, () => begin(512 * 1024 * 1024)));
    expect((await ask('POST', '/uploads', { ...FILE, size: 1 })).error?.sqlstate).toBe('53400');
    await Promise.all(large.map((token) => ask('DELETE', `/uploads/${token}`)));
  });

  it('a part for which the disk has no room; it goes on from what was kept', async () => {
    const all = bytes(600_000);
    const token = await begin(all.length);
    spoil = async function* (pieces) {
      let size = 0;
      for await (const piece of pieces) {
        size += piece.length;
        if (size > 300_000)
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        yield piece;
      }
    };
    expect(await put(token, 0, all)).toMatchObject({ status: 503, error: { sqlstate: '53100' } });
    spoil = (pieces) => pieces;
    const offset = (await tell(token)).upload?.offset ?? 0;
    expect(offset).toBeGreaterThan(0);
    expect((await put(token, offset, all.subarray(offset))).status).toBe(200);
    const { handle = '' } = await finish(token);
    expect((await stored(handle)).equals(all)).toBe(true);
  });
});

it('whatever is asked is answered by what is no mistake of ours, and leaves nothing', async () => {
  const fields = fc.dictionary(fc.constantFrom(...Object.keys(FILE), 'size', '__proto__'), fc.jsonValue());
  const from = fc.oneof(fc.integer().map(String), fc.string());
  const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE');
  await fc.assert(
    fc.asyncProperty(fields, fc.string(), from, method, async (begun, token, offset, how) => {
      const told = await ask('POST', '/uploads', { ...FILE, size: 1, ...begun });
      expect([200, 400, 404, 413]).toContain(told.status);
      const path = `/uploads/${encodeURIComponent(token)}?${new URLSearchParams({ from: offset })}`;
      const body = how === 'PUT' ? bytes(3) : undefined;
      const { status } = await door.fetch(body, { method: how, path });
      expect([400, 404, 405]).toContain(status);
      if (told.upload === undefined) return;
      const wrong = await ask(
        'PUT',
        `/uploads/${told.upload.token}?${new URLSearchParams({ from: offset })}`,
        bytes(3),
      );
      expect([200, 400, 409]).toContain(wrong.status);
      expect((await ask('DELETE', `/uploads/${told.upload.token}`)).status).toBe(204);
    }),
    { numRuns: 60 },
  );
  expect(readdirSync(folder)).toEqual([]);
});

it('pages of named origins may send them', async () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT' };
  const { status, headers: told } = await door.fetch(undefined, {
    method: 'OPTIONS',
    path: '/uploads/x',
    headers,
  });
  expect([status, told.get('access-control-allow-methods')]).toEqual([204, 'GET, PUT, DELETE, POST']);
});
