/** A database in which every text that a user or a document can give is one of `hostile-texts.ts`. */
import type { Client } from 'pg';
import { linkingDocuments, SAID } from '../attack/linking-documents.ts';
import { ELSEWHERE, type HostileTexts, OBJECT_NAMES } from './hostile-texts.ts';

export const DATASET = 'Hostile-1.0';

const name = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const literal = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** In order; each stands for a place that takes text. */
function statements(texts: HostileTexts): readonly string[] {
  const at = (place: string): string => name(texts.at(place));
  const said = (place: string): string => literal(texts.at(place));
  const table = `${at('schema')}.${at('table')}`;
  const rows = texts.all('cell').map((cell, i) => {
    const json = JSON.stringify({ [texts.at('jkey')]: texts.at('jvalue') });
    return `(${literal(texts.all('id')[i] ?? '')}, ${literal(cell)}, ${said('label')}, ${i + 1}, ${literal(json)})`;
  });
  const fields = Object.fromEntries([
    ['_id', texts.at('docid')],
    [texts.field('field'), texts.at('value')],
    ...OBJECT_NAMES.slice(1).map((one) => [one, texts.at('objvalue')]),
  ]);
  return [
    `CREATE ROLE ${at('role')}`,
    `CREATE API KEY ${at('key')} WITH (role = ${at('role')})`,
    `CREATE SCHEMA ${at('schema')}`,
    `CREATE TYPE ${at('enum')} AS ENUM (${said('label')})`,
    `CREATE TABLE ${table} (id text PRIMARY KEY, ${at('column')} text DEFAULT ${said('default')},
       e ${at('enum')}, n int CONSTRAINT ${at('check')} CHECK (n > 0), j jsonb,
       ${OBJECT_NAMES.map((one) => `${name(one)} text`).join(', ')})`,
    `CREATE INDEX ${at('index')} ON ${table} (n)`,
    `COMMENT ON TABLE ${table} IS ${said('comment')}`,
    `COMMENT ON COLUMN ${table}.${at('column')} IS ${said('columncomment')}`,
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `CREATE POLICY ${at('policy')} ON ${table} USING (true)`,
    `CREATE VIEW ${at('view')} AS SELECT 1 AS ${at('viewcolumn')}`,
    `INSERT INTO ${table} VALUES ${rows.join(', ')}`,
    `CREATE TABLE ${at('collection')} (_id text, title text INDEX keyword_index())`,
    `SELECT quern.upsert(${literal(at('collection'))}, ${literal(JSON.stringify([{ ...fields, title: texts.at('title') }]))}::jsonb)`,
    `CREATE DATASET ${name(DATASET)} WITH (description = ${said('description')}, embedding_model = 'hash')`,
  ];
}

/** As pages and tests address it. */
export const tableOf = (texts: HostileTexts): string => `${texts.at('schema')}.${texts.at('table')}`;

export interface HostileWorld {
  /** Ids of documents by the ending of their files. */
  readonly documents: ReadonlyMap<string, string>;
  readonly answerId: string;
  readonly researchId: string;
}

async function uploadAll(sql: Client, texts: HostileTexts): Promise<ReadonlyMap<string, string>> {
  const files = linkingDocuments((what) => `https://${ELSEWHERE}/${what}`);
  const shapes = texts.all('said').map((shape, i) => `${i + 1}. ${shape}`);
  const more = {
    'heading.md': `# ${texts.at('heading')}\n\n${SAID}. Turnover was 5,000 in 2021.\n`,
    'shapes.txt': shapes.join('\n\n'),
    'broken.pdf': '%PDF-1.7 nothing',
  };
  const documents = new Map<string, string>();
  for (const [file, data] of Object.entries({ ...files, ...more })) {
    const id = `${texts.at(`d${documents.size}`)} ${file}`;
    documents.set(file, id);
    const metadata = {
      [texts.field('mkey')]: texts.at('mvalue'),
      list: [texts.at('mlist')],
      ...(file === 'ships.md' && { [OBJECT_NAMES[1]]: texts.at('mobject') }),
    };
    await sql.query('SELECT quern.upsert_file($1, $2, $3, $4, $5::jsonb)', [
      DATASET,
      id,
      `${texts.at('file')} ${file}`,
      Buffer.from(data),
      JSON.stringify(metadata),
    ]);
  }
  const { rows } = await sql.query('SELECT handle FROM quern.handles WHERE dataset = $1', [DATASET]);
  for (const { handle } of rows) {
    // Two of them are broken, and say why.
    await sql.query('SELECT quern.wait_for_handle($1, 600)', [handle]).catch(() => undefined);
  }
  return documents;
}

export async function makeWorld(sql: Client, texts: HostileTexts): Promise<HostileWorld> {
  for (const statement of statements(texts)) await sql.query(statement);
  const documents = await uploadAll(sql, texts);
  const question = `What was the turnover in 2021? ${texts.at('question')}`;
  await sql.query('SELECT count(*) FROM ask($1, ARRAY[$2]::text[])', [question, DATASET]);
  const {
    rows: [answer],
  } = await sql.query('SELECT quern.last_answer() AS id');
  const {
    rows: [research],
  } = await sql.query('SELECT quern.start_research($1::text, ARRAY[$2]::text[]) AS id', [
    `How did turnover change? ${texts.at('research')}`,
    DATASET,
  ]);
  return { documents, answerId: answer.id, researchId: research.id };
}
