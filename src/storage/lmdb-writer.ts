/** The writer thread: each message is one LMDB transaction, durable when it is answered. */
import { parentPort, workerData } from 'node:worker_threads';
import { type LmdbFile, openLmdbFile } from './lmdb.ts';
import { unpackOperations } from './packed-operations.ts';

/** To the writer: a write, or null to close. */
export interface WriterRequest {
  readonly operations: readonly Uint8Array[] | null;
}

/** From the writer, in the order of the requests. `error` is null when all went well. */
export interface WriterReply {
  readonly error: string | null;
}

const file: LmdbFile = openLmdbFile(workerData.path);

parentPort?.on('message', async ({ operations }: WriterRequest) => {
  if (operations === null) {
    await file.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ error: write(operations) } satisfies WriterReply);
});

function write(pieces: readonly Uint8Array[]): string | null {
  try {
    file.transactionSync(() => {
      for (const piece of pieces) writePiece(piece);
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function writePiece(piece: Uint8Array): void {
  for (const { key, value } of unpackOperations(piece)) {
    if (value === null) file.removeSync(key);
    else file.putSync(key, Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.length));
  }
}
