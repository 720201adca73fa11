/** The writer thread: each call is one LMDB transaction, durable when it is answered. */
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../worker-calls.ts';
import { type LmdbFile, openLmdbFile } from './lmdb.ts';
import { unpackOperations } from './packed-operations.ts';

const file: LmdbFile = openLmdbFile(workerData.path);

answerCalls(write, { close: () => file.close() });

function write(pieces: readonly Uint8Array[]): void {
  file.transactionSync(() => {
    for (const piece of pieces) writePiece(piece);
  });
}

function writePiece(piece: Uint8Array): void {
  for (const { key, value } of unpackOperations(piece)) {
    if (value === null) file.removeSync(key);
    else file.putSync(key, Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.length));
  }
}
