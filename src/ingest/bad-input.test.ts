/** Bad input from end to end: each thing that cannot be says what is wrong, in words for the person who sent it. */
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';
import { FILE_BYTES_MAX } from '../limits.ts';

let files: TestIngestion;

beforeAll(async () => {
  files = await TestIngestion.open();
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
});

afterAll(() => files[Symbol.asyncDispose]());

interface Part {
  readonly name: string;
  readonly text: string | Buffer;
}

/** A ZIP archive. Source: APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16. */
function archive(parts: readonly Part[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { name, text } of parts) {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes, { level: 9 });
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), facts, rest, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const word = (body: string, before = ''): Buffer =>
  archive([
    {
      name: '[Content_Types].xml',
      text:
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName=' +
        '"/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    },
    {
      name: '_rels/.rels',
      text:
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" ' +
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    },
    {
      name: 'word/document.xml',
      text: `<?xml version="1.0"?>${before}<w:document xmlns:w="${WORD}"><w:body><w:p><w:r><w:t>${body}</w:t></w:r></w:p></w:body></w:document>`,
    },
  ]);

const ENTITY = '<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]>';

describe('a file', () => {
  it.each([
    ['empty', 'a.txt', () => Buffer.alloc(0), 'the file is empty'],
    [
      'of an unknown kind',
      'a.xyz',
      () => Buffer.from('\0\x01\x02'),
      'a .xyz file is not read; accepted are pdf, ',
    ],
    [
      'that is cut off',
      'a.pdf',
      () => Buffer.from('%PDF-1.7\n1 0 obj\n<<'),
      'the PDF is damaged or not whole',
    ],
    [
      'that unpacks to gigabytes',
      'a.docx',
      () => archive([{ name: 'word/document.xml', text: Buffer.alloc(300 * 1024 * 1024) }]),
      'the file unpacks to more than 256 MB',
    ],
    ['with an external entity', 'a.docx', () => word('&e;', ENTITY), 'declares a document type'],
  ])('%s is refused with the reason', async (_, name, bytes, message) => {
    const handle = await files.uploadBytes(`bad-${name}`, bytes(), { name });
    const error = await files.session.error(`SELECT quern.wait_for_handle('${handle}', 600)`);
    expect([error.sqlstate, error.message]).toEqual(['55000', expect.stringContaining(message)]);
    const status = `SELECT status, status_reason FROM notes.documents WHERE doc_id = 'bad-${name}'`;
    expect(await files.session.rows(status)).toEqual([['error', expect.stringContaining(message)]]);
  });

  it('with another extension than its content is read by its content', async () => {
    await files.wait(
      await files.uploadBytes('other', word('The whale sings.'), { name: '/tmp/../über café.pdf' }),
    );
    const row = "SELECT name, mime_type FROM notes.documents WHERE doc_id = 'other'";
    expect(await files.session.rows(row)).toEqual([
      ['/tmp/../über café.pdf', expect.stringContaining('wordprocessingml')],
    ]);
    expect(await files.session.rows("SELECT text FROM notes.chunks WHERE doc_id = 'other'")).toEqual([
      ['The whale sings.'],
    ]);
  });

  it('in which there is no text says so', async () => {
    await files.wait(await files.upload('blank', ' \n\n '));
    expect(await files.session.rows("SELECT problems FROM notes.documents WHERE doc_id = 'blank'")).toEqual([
      ['{"no text was found in it"}'],
    ]);
  });
});

describe('a document id', () => {
  it.each([
    ["''", '22023', 'a document id may not be empty'],
    ["repeat('x', 10000)", '22023', 'a document id has at most 1024 bytes, not 10000'],
    ["'a' || chr(0)", '54000', 'null character'],
  ])('%s is refused', async (id, code, message) => {
    const error = await files.session.error(`SELECT quern.upsert_file('notes', ${id}, 'a.txt', 'x')`);
    expect([error.sqlstate, error.message]).toEqual([code, expect.stringContaining(message)]);
  });

  it('of slashes, quotes, blanks or any script is a name like any other', async () => {
    const ids = ['a/b', 'a/b/c', "it's", ' ', '../..', '鯨', 'a#chunk#1', '%', 'A/B', 'e\u0301'];
    const handles = [];
    for (const id of ids) handles.push(await files.upload(id, `Text of ${id}.`, { name: 'x.txt' }));
    for (const handle of handles) await files.wait(handle);
    const quoted = ids.map((id) => `'${id.replaceAll("'", "''")}'`).join(', ');
    const found = `SELECT doc_id, text FROM notes.chunks WHERE doc_id IN (${quoted}) ORDER BY doc_id`;
    expect((await files.session.rows(found)).map(([id]) => id).sort()).toEqual([...ids].sort());
    const [row] = await files.session.rows("SELECT quern.delete_document('notes', 'a/b')");
    await files.wait(String(row?.[0]));
    expect((await files.session.rows(found)).map(([id]) => id).sort()).toEqual(
      ids.filter((id) => id !== 'a/b').sort(),
    );
  });
});

describe('metadata', () => {
  it.each([
    [`'{"_id": 1}'`, 'names that begin with "_" are reserved'],
    [`'{"a.b": 1}'`, 'a name may not contain "."'],
    [`'{"": 1}'`, 'a name may not be empty'],
    [`'{"a": {"b": 1}}'`, 'values are strings, numbers, booleans, and lists of these'],
    [`'{"a": [[1]]}'`, 'values are strings, numbers, booleans, and lists of these'],
    [`'"x"'`, 'metadata must be a JSON object'],
    ["jsonb_build_object('a', repeat('x', 70000))", 'metadata is larger than the maximum of 65536 bytes'],
    [
      "(SELECT jsonb_object_agg('k' || i, i) FROM generate_series(1, 1000) i)",
      'metadata has 1000 fields; there are at most 256',
    ],
  ])('%s is refused', async (metadata, message) => {
    const error = await files.session.error(
      `SELECT quern.upsert_file('notes', 'm', 'm.txt', 'x', ${metadata}::jsonb)`,
    );
    expect(['22023', '54000']).toContain(error.sqlstate);
    expect(error.message).toContain(message);
    expect(await files.session.rows("SELECT count(*) FROM notes.documents WHERE doc_id = 'm'")).toEqual([
      ['0'],
    ]);
  });
});

describe('an upload by COPY', () => {
  const COPY = "COPY quern.upload FROM STDIN WITH (dataset 'notes', doc_id 'c', name 'c.txt')";
  const nothingStaged = async (): Promise<void> => {
    expect(await files.session.rows("SELECT count(*) FROM notes.documents WHERE doc_id = 'c'")).toEqual([
      ['0'],
    ]);
    const left =
      'SELECT count(*) FROM notes._files WHERE file NOT IN (SELECT file FROM notes.documents WHERE file IS NOT NULL)';
    expect(await files.session.rows(left)).toEqual([['0']]);
  };

  it('of more than 512 MB is refused as it comes, and nothing of it stays', async () => {
    const piece = new Uint8Array(8 * 1024 * 1024);
    let sent = 0;
    const copyIn = async function* (): AsyncGenerator<Uint8Array> {
      for (; sent < FILE_BYTES_MAX + 16 * piece.length; sent += piece.length) yield piece;
    };
    const error = await files.session.error(COPY, { copyIn });
    expect([error.sqlstate, error.message]).toEqual(['54000', `a file has at most ${FILE_BYTES_MAX} bytes`]);
    expect(sent).toBeLessThanOrEqual(FILE_BYTES_MAX);
    await nothingStaged();
  });

  it('that the client gives up half-way leaves nothing', async () => {
    const copyIn = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1_000_000);
      throw new Error('COPY from stdin failed: given up');
    };
    await expect(files.session.rows(COPY, { copyIn })).rejects.toThrow('given up');
    await nothingStaged();
  });
});
