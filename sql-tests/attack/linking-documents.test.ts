/**
 * Requests by URLs in documents: whoever can have a file stored must not make the server connect anywhere. A real listener
 * counts connections while files of every format, full of links, are stored, drawn, searched and asked about.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { Client } from '../../src/clients/typescript/src/client.ts';
import { linkingDocuments, REFUSED, SAID } from './linking-documents.ts';

const folder = mkdtempSync(join(tmpdir(), 'quern-links-'));
let server: ServerProcess;
let client: Client;
let listener: Server;
const requests: string[] = [];

beforeAll(async () => {
  listener = createServer((socket) => {
    const at = requests.push('a connection') - 1;
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      requests[at] = bytes.toString('latin1').split('\r\n')[0] ?? '';
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  server = await startServer({ data: join(folder, 'data') });
  client = new Client({ apiKey: server.key, host: '127.0.0.1', port: server.port });
  await client.sql("CREATE DATASET links WITH (embedding_model = 'hash')");
});

afterAll(async () => {
  await client?.close();
  await server?.[Symbol.asyncDispose]();
  listener.close();
  rmSync(folder, { recursive: true, force: true });
});

it('no document makes the server open a connection', async () => {
  const { port } = listener.address() as AddressInfo;
  const documents = linkingDocuments((name) => `http://127.0.0.1:${port}/${name}`);
  const dataset = client.dataset('links');
  for (const [fileName, written] of Object.entries(documents)) {
    const data = typeof written === 'string' ? new TextEncoder().encode(written) : written;
    const metadata = { source: `http://127.0.0.1:${port}/metadata` };
    const stored = dataset.waitForHandle(await dataset.upsertFile(fileName, { data, fileName }, metadata));
    if (fileName === REFUSED) await expect(stored).rejects.toThrow('declares a document type');
    else await stored;
  }
  const read = await client.sql('SELECT DISTINCT doc_id FROM links.chunks WHERE text LIKE $1', [`%${SAID}%`]);
  expect(read.map((row) => row.doc_id).sort()).toEqual(
    Object.keys(documents)
      .filter((name) => name !== REFUSED)
      .sort(),
  );
  await client.sql("SELECT quern.get_page('links', 'ships.pdf', 1)");
  for (const { doc_id: doc } of read) await client.sql("SELECT quern.export('links', $1)", [doc]);
  await Array.fromAsync(client.search('containers moved by Acme', ['links'], 10));
  await Array.fromAsync(client.ask('How many containers did Acme move in 2023?', ['links']));
  expect(requests).toEqual([]);
  // A connection would have been seen.
  const socket = connect(port, '127.0.0.1');
  socket.end('GET /seen HTTP/1.1\r\n\r\n');
  await once(socket.resume(), 'close');
  expect(requests).toEqual(['GET /seen HTTP/1.1']);
});
