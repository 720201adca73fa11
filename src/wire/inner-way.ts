/**
 * A connection within the process: what one side writes the other reads. Nobody outside can come by it, so that what is said
 * of whom it serves is believed, and a key needs no TLS. One thing to know: node's `duplexPair` gives the very bytes to the
 * reader while they are written; drivers and our writer count on a socket, which copies them and is read later.
 */
import { Duplex } from 'node:stream';

/** One of its two sides. A client's driver takes it for a socket. */
export class InnerSide extends Duplex {
  #other: InnerSide | null = null;
  /** Ends the other side's write, when this one asks for more. */
  #taken: (() => void) | null = null;

  /** They close together. */
  static pair(): { readonly client: InnerSide; readonly server: InnerSide } {
    // The end of one direction is the end of the other, as with sockets that drivers make.
    const client = new InnerSide({ allowHalfOpen: false });
    const server = new InnerSide();
    client.#other = server;
    server.#other = client;
    return { client, server };
  }

  /** As drivers ask a socket. */
  get readyState(): 'open' | 'closed' {
    return this.writable ? 'open' : 'closed';
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = null;
    taken?.();
  }

  override _write(chunk: Uint8Array, _: BufferEncoding, done: () => void): void {
    this.#send(Buffer.from(chunk), done);
  }

  override _final(done: () => void): void {
    // Who says goodbye reads no more: what comes after it is passed over.
    if (!this.allowHalfOpen) this.resume();
    this.#send(null, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    setImmediate(() => this.#other?.destroy());
    done(error);
  }

  #send(bytes: Buffer | null, done: () => void): void {
    const other = this.#other;
    setImmediate(() => (other === null ? done() : other.#receive(bytes, done)));
  }

  #receive(bytes: Buffer | null, done: () => void): void {
    if (this.destroyed) {
      done();
      return;
    }
    this.#taken = done;
    this.push(bytes);
    // The end is over once it is read.
    if (bytes === null) this.once('end', () => this._read());
  }
}
