/** A PostgreSQL client reduced to bytes, for what no well-behaved driver would send. */
import { connect, type Socket } from 'node:net';
import { saslInitial, ScramClient } from './scram-client.ts';

export interface RawMessage {
  readonly type: string;
  readonly body: Buffer;
}

export class RawClient {
  readonly socket: Socket;
  closed = false;
  #buffer = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  /** @param socket is open. */
  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#buffer = Buffer.concat([this.#buffer, bytes]);
      this.#wake();
    });
    const close = () => {
      this.closed = true;
      this.#wake();
    };
    socket.on('close', close).on('error', close);
  }

  /** @param localAddress another one of this machine's. */
  static async open(host: string, port: number, localAddress?: string): Promise<RawClient> {
    const socket = connect({
      host,
      port,
      noDelay: true,
      ...(localAddress !== undefined && { localAddress }),
    });
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new RawClient(socket);
  }

  /** Start-up and password, up to ReadyForQuery or an error. */
  static async signIn(host: string, port: number, password: string): Promise<RawClient> {
    const client = await RawClient.open(host, port);
    client.startup({ user: 'quern', database: 'quern' });
    await client.prove(new ScramClient(password));
    await client.until('Z', 'E');
    return client;
  }

  /** Answers what the server asks for; ends early where it refuses. */
  async prove(scram: ScramClient, mechanism?: string): Promise<void> {
    await this.until('R', 'E');
    this.send('p', saslInitial(scram.first, mechanism));
    const answer = (await this.until('R', 'E')).at(-1);
    if (answer?.type === 'R') this.send('p', scram.final(answer.body.subarray(4).toString()));
  }

  startup(parameters: Readonly<Record<string, string>>, version = 196_608): void {
    const text = `${Object.entries(parameters).flat().join('\0')}\0\0`;
    const body = Buffer.alloc(8 + Buffer.byteLength(text));
    body.writeInt32BE(body.length, 0);
    body.writeInt32BE(version, 4);
    body.write(text, 8);
    this.socket.write(body);
  }

  /** @param length said instead of the true one. */
  send(type: string, body: string | Buffer, length?: number): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const head = Buffer.alloc(5);
    head.write(type, 0, 'latin1');
    head.writeInt32BE(length ?? bytes.length + 4, 1);
    this.socket.write(Buffer.concat([head, bytes]));
  }

  query(text: string | Buffer): void {
    this.send('Q', Buffer.concat([Buffer.from(text), Buffer.from([0])]));
  }

  /** Messages up to and with the first of the given types; ends early when the server closes. */
  async until(...types: readonly string[]): Promise<RawMessage[]> {
    const seen: RawMessage[] = [];
    for (;;) {
      const message = this.#take();
      if (message !== undefined) {
        seen.push(message);
        if (types.includes(message.type)) return seen;
        continue;
      }
      if (this.closed) return seen;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): RawMessage | undefined {
    if (this.#buffer.length < 5) return undefined;
    const length = this.#buffer.readInt32BE(1);
    if (this.#buffer.length < length + 1) return undefined;
    const message = {
      type: String.fromCharCode(this.#buffer[0] as number),
      body: this.#buffer.subarray(5, length + 1),
    };
    this.#buffer = this.#buffer.subarray(length + 1);
    return message;
  }
}

/** Fields of an ErrorResponse by their letters: C is the SQLSTATE, M the message. */
export function errorFields(messages: readonly RawMessage[]): Readonly<Record<string, string>> {
  const error = messages.find((message) => message.type === 'E');
  const fields =
    error?.body
      .toString('utf8')
      .split('\0')
      .filter((field) => field !== '') ?? [];
  return Object.fromEntries(fields.map((field) => [field[0] as string, field.slice(1)]));
}
