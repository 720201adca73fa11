/** The kind in an error's routine field, by which clients tell apart what shares a SQLSTATE. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERROR_KINDS, type ErrorKind } from '../../src/error-kinds.ts';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';

let server: InProcessServer;
let client: pg.Client;

beforeAll(async () => {
  server = await startInProcess('memory');
  client = new pg.Client(server.address);
  await client.connect();
  await client.query('CREATE TABLE books (_id text, title text NOT NULL, n bigint)');
  await client.query("INSERT INTO books (_id, title) VALUES ('1', 'Dune')");
  await client.query('CREATE DATASET filings');
});
afterAll(async () => {
  await client?.end();
  await server?.[Symbol.asyncDispose]();
});

const CASES: readonly (readonly [sql: string, sqlstate: string, kind: ErrorKind])[] = [
  ['SELECT * FROM nothing', '42P01', 'collection_not_found'],
  ['DROP TABLE nothing', '42P01', 'collection_not_found'],
  ['SELECT * FROM nothing$acme', '42P01', 'collection_not_found'],
  ['SELECT * FROM books$acme', '42P01', 'partition_not_found'],
  ['SELECT count(*) FROM books$acme', '42P01', 'partition_not_found'],
  ['SELECT nothing.a FROM books', '42P01', 'invalid_argument'],
  ['CREATE TABLE books (_id text)', '42P07', 'collection_already_exists'],
  ['CREATE DATASET filings', '42710', 'dataset_already_exists'],
  ['DROP DATASET nothing', '42704', 'dataset_not_found'],
  ["SELECT * FROM search('x', ARRAY['nothing'])", '42704', 'dataset_not_found'],
  ["SELECT * FROM ask('x', ARRAY['nothing'])", '42704', 'dataset_not_found'],
  ["SELECT quern.delete_document('nothing', 'a')", '42704', 'dataset_not_found'],
  ["INSERT INTO books (_id) VALUES ('2')", '23502', 'document_validation'],
  ["INSERT INTO books (_id, title) VALUES ('', 'x')", '22023', 'document_validation'],
  ['SELECT 1 / 0', '22012', 'invalid_argument'],
  ['SELECT 9223372036854775807 + 1', '22003', 'invalid_argument'],
  ['SELECT * FROM books LIMIT -1', '2201W', 'invalid_argument'],
  ['SELECT year FROM books', '42703', 'invalid_argument'],
  ['SELECT FROM WHERE', '42601', 'invalid_argument'],
  ['CREATE TABLE t (a int) INHERITS (books)', '0A000', 'not_supported'],
  ["SET statement_timeout = '20ms'; SELECT pg_sleep(10)", '57014', 'statement_timeout'],
  ["SET quern.lsn_timeout = '20ms'; SET quern.lsn = 'books:9'; SELECT 1", '57014', 'lsn_timeout'],
  ["SET quern.lsn_timeout = '20ms'; SET quern.lsn = 'books$acme:9'; SELECT 1", '57014', 'lsn_timeout'],
  ["SET quern.lsn = 'nothing:9'; SELECT 1", '42P01', 'collection_not_found'],
];

it.each(CASES)('%s', async (sql, sqlstate, kind) => {
  const error = await client.query(sql).then(
    () => null,
    (thrown: pg.DatabaseError) => thrown,
  );
  expect([error?.code, error?.routine]).toEqual([sqlstate, kind]);
  const { states, besides }: { states: readonly string[]; besides: readonly string[] } = ERROR_KINDS[kind];
  const listed = [...states, ...besides];
  expect(listed.some((state) => sqlstate.startsWith(state))).toBe(true);
  await client.query('RESET ALL');
});
