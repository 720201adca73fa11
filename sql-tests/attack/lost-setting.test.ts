/** A pooler on the way, or an older server, that does not heed `quern.read_only`: the clients refuse to send anything. */
import { existsSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { Client, ConnectionFailedError } from '../../src/clients/typescript/src/index.ts';
import { runProgram, startFreshServer } from '../clients/program.ts';
import { PYTHON } from './doors.ts';

let server: ServerProcess;
let pooler: Server;
let port: number;

beforeAll(async () => {
  server = await startFreshServer();
  pooler = createServer((socket) => {
    const onward = createConnection(server.port, server.host);
    socket.on('error', () => undefined);
    onward.on('error', () => undefined);
    // Keeps the length: the packet stays what it is.
    socket.once('data', (packet: Buffer) => {
      onward.write(
        Buffer.from(packet.toString('latin1').replace('quern.read_only', 'other.read_only'), 'latin1'),
      );
      socket.pipe(onward);
    });
    onward.pipe(socket);
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  port = (pooler.address() as import('node:net').AddressInfo).port;
});

afterAll(async () => {
  pooler?.close();
  await server?.[Symbol.asyncDispose]();
});

const REFUSAL = 'the server does not keep this session read only';

it('TypeScript', async () => {
  await using client = new Client({ apiKey: server.key, host: '127.0.0.1', port, https: false });
  expect(await client.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const refused = client.readOnly('SELECT 1 AS one');
  await expect(refused).rejects.toThrow(ConnectionFailedError);
  await expect(refused).rejects.toThrow(REFUSAL);
});

it.skipIf(!existsSync(PYTHON))('Python', async () => {
  const program = `
import quern
client = quern.Client(https=False)
assert client.sql("SELECT 1 AS one") == [{"one": 1}]
try:
    client.read_only("SELECT 1 AS one")
except quern.error.ConnectionFailedError as error:
    assert str(error).startswith("${REFUSAL}"), error
    print("ok refused")
`;
  const environment = {
    QUERN_HOST: '127.0.0.1',
    QUERN_PORT: String(port),
    QUERN_API_KEY: server.key,
    PYTHONPATH: join(import.meta.dirname, '../../src/clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  expect(await runProgram([PYTHON, '-c', program], environment)).toEqual(new Map([['refused', null]]));
});
