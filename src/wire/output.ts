/**
 * The way out to one client. Messages gather in a writer and leave in one write per Sync, or in pieces of
 * `SOCKET_WRITE_BYTES` while a result is long; a socket that is full makes the sender wait.
 */
import type { Socket } from 'node:net';
import { SOCKET_WRITE_BYTES } from '../limits.ts';
import { ByteWriter } from '../types/byte-writer.ts';

/** Up to this size bytes are copied out and the writer's memory stays; above, its memory is given away. */
const COPY_BYTES_MAX = 16 * 1024;

const IDLE_CAPACITY = 2048;
const STREAM_CAPACITY = SOCKET_WRITE_BYTES + COPY_BYTES_MAX;

export class Output {
  /** Ask for it anew for every message: it is another one after a long write. */
  writer = new ByteWriter(IDLE_CAPACITY);
  #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** After a TLS upgrade. */
  set socket(socket: Socket) {
    this.#socket = socket;
  }

  /** The client reads more slowly than it is answered. */
  get behind(): boolean {
    return this.#socket.writableNeedDrain || this.full;
  }

  get full(): boolean {
    return this.writer.size >= SOCKET_WRITE_BYTES;
  }

  /** Sends what has gathered. @returns false when the socket wants no more for now. */
  flush(): boolean {
    return this.#send(IDLE_CAPACITY);
  }

  #send(capacity: number): boolean {
    if (this.writer.size === 0) return true;
    const bytes = this.#takeBytes(capacity);
    return this.#socket.destroyed || this.#socket.writableEnded || this.#socket.write(bytes);
  }

  #takeBytes(capacity: number): Uint8Array {
    const bytes = this.writer.finish();
    if (bytes.length > COPY_BYTES_MAX) {
      this.writer = new ByteWriter(capacity);
      return bytes;
    }
    const copy = Buffer.from(bytes);
    this.writer.reset();
    return copy;
  }

  /** Sends what has gathered and waits while the socket is full; returns at once when it has closed. */
  async drain(): Promise<void> {
    this.#send(STREAM_CAPACITY);
    const socket = this.#socket;
    if (!socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off('drain', done);
        socket.off('close', done);
        resolve();
      };
      socket.on('drain', done);
      socket.on('close', done);
      if (socket.destroyed) done();
    });
  }
}
