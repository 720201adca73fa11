/**
 * The way out to one client. Messages gather in a writer and leave in one write per Sync, or in pieces of
 * `SOCKET_WRITE_BYTES` while a result is long; a socket that is full makes the sender wait.
 */
import type { Writable } from 'node:stream';
import { SOCKET_WRITE_BYTES } from '../limits.ts';
import { ByteWriter } from '../types/column/byte-writer.ts';

const IDLE_CAPACITY = 2048;
/** Memory of its writer that an idle connection may keep. */
const IDLE_CAPACITY_MAX = 16 * 1024;
/** One row more than a full write, in most cases. */
const STREAM_CAPACITY = SOCKET_WRITE_BYTES + 16 * 1024;

export class Output {
  /** Ask for it anew for every message: it is another one after a long write. */
  writer = new ByteWriter(IDLE_CAPACITY);
  #socket: Writable;

  /** @param socket one, or what takes bytes as it does. */
  constructor(socket: Writable) {
    this.#socket = socket;
  }

  /** After a TLS upgrade. */
  set socket(socket: Writable) {
    this.#socket = socket;
  }

  /** The client reads more slowly than it is answered. */
  get behind(): boolean {
    return this.#socket.writableNeedDrain || this.full;
  }

  /** The kernel has not taken all that was sent. */
  get isWaiting(): boolean {
    return this.#socket.writableLength > 0;
  }

  get full(): boolean {
    return this.writer.size >= SOCKET_WRITE_BYTES;
  }

  /** Sends what has gathered. @returns false when the socket wants no more for now. */
  flush(): boolean {
    return this.#send(IDLE_CAPACITY, IDLE_CAPACITY_MAX);
  }

  /** Bytes that the kernel has taken at once need no memory any more; those that wait in the socket keep it. */
  #send(capacity: number, capacityMax: number): boolean {
    const { writer } = this;
    const socket = this.#socket;
    if (writer.size === 0) return true;
    const isOpen = !socket.destroyed && !socket.writableEnded;
    const wantsMore = isOpen ? socket.write(writer.finish()) : true;
    if (socket.writableLength === 0 && writer.capacity <= capacityMax) writer.reset();
    else this.writer = new ByteWriter(capacity);
    return wantsMore;
  }

  /** Sends what has gathered and waits while the socket is full; returns at once when it has closed. */
  async drain(): Promise<void> {
    this.#send(STREAM_CAPACITY, STREAM_CAPACITY);
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
