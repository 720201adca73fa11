/**
 * A small client of the PostgreSQL protocol: one connection, simple queries, all values as text. Enough for
 * the command line; programs use a driver.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly tag: string;
}

/** What the server said, by field letter: C is the SQLSTATE, M the message, D, H detail and hint. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly fields: ReadonlyMap<string, string>;

  constructor(fields: ReadonlyMap<string, string>) {
    super(fields.get('M') ?? 'unknown error');
    this.fields = fields;
  }
}

export interface ClientOptions {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const PROTOCOL_3_0 = 196608;

export class WireClient {
  #socket: Socket;
  #bytes = Buffer.alloc(0);
  #wake: (() => void) | null = null;
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake?.();
    });
    const end = (): void => {
      this.#closed = true;
      this.#wake?.();
    };
    socket.on('close', end).on('error', end);
  }

  /** Over TLS, whose certificate is not checked: the key proves nothing to a stranger that it did not have. */
  static async connect(options: ClientOptions): Promise<WireClient> {
    const plain = connect(options.port, options.host);
    await once(plain, 'connect');
    plain.write(SSL_REQUEST);
    const [answer] = (await once(plain, 'data')) as [Buffer];
    let socket: Socket = plain;
    if (answer[0] === 0x53) {
      socket = connectTls({ socket: plain, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
    }
    const client = new WireClient(socket);
    await client.#signIn(options.password);
    return client;
  }

  /** @param onResult hears of each statement's result as it ends. @throws ServerError after the last of them. */
  async query(text: string, onResult: (result: QueryResult) => void): Promise<void> {
    this.#send('Q', Buffer.from(`${text}\0`));
    let columns: string[] = [];
    let rows: (string | null)[][] = [];
    let error: ServerError | null = null;
    for (;;) {
      const { type, body } = await this.#read();
      if (type === 'T') columns = readColumns(body);
      else if (type === 'D') rows.push(readRow(body));
      else if (type === 'C') {
        onResult({ columns, rows, tag: body.toString('utf8', 0, body.length - 1) });
        columns = [];
        rows = [];
      } else if (type === 'E') error = new ServerError(readFields(body));
      else if (type === 'Z') {
        if (error !== null) throw error;
        return;
      }
    }
  }

  close(): void {
    this.#send('X', Buffer.alloc(0));
    this.#socket.end();
  }

  async #signIn(password: string): Promise<void> {
    const parameters = ['user', 'quern', 'database', 'quern', 'application_name', 'quern', ''];
    const body = Buffer.concat([int32(PROTOCOL_3_0), Buffer.from(`${parameters.join('\0')}\0`)]);
    this.#socket.write(Buffer.concat([int32(body.length + 4), body]));
    for (;;) {
      const message = await this.#read();
      if (message.type === 'E') throw new ServerError(readFields(message.body));
      if (message.type === 'R' && message.body.readInt32BE(0) === 3)
        this.#send('p', Buffer.from(`${password}\0`));
      if (message.type === 'Z') return;
    }
  }

  #send(type: string, body: Buffer): void {
    this.#socket.write(Buffer.concat([Buffer.from(type), int32(body.length + 4), body]));
  }

  async #read(): Promise<Message> {
    for (;;) {
      const size = this.#bytes.length >= 5 ? this.#bytes.readInt32BE(1) + 1 : Number.POSITIVE_INFINITY;
      if (this.#bytes.length >= size) {
        const message = {
          type: String.fromCharCode(this.#bytes[0] as number),
          body: this.#bytes.subarray(5, size),
        };
        this.#bytes = this.#bytes.subarray(size);
        return message;
      }
      if (this.#closed) throw new Error('the server closed the connection');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function readColumns(body: Buffer): string[] {
  const names: string[] = [];
  let at = 2;
  for (let i = body.readUInt16BE(0); i > 0; i--) {
    const end = body.indexOf(0, at);
    names.push(body.toString('utf8', at, end));
    at = end + 19;
  }
  return names;
}

function readRow(body: Buffer): (string | null)[] {
  const values: (string | null)[] = [];
  let at = 2;
  for (let i = body.readUInt16BE(0); i > 0; i--) {
    const length = body.readInt32BE(at);
    at += 4;
    values.push(length < 0 ? null : body.toString('utf8', at, at + length));
    at += Math.max(length, 0);
  }
  return values;
}

function readFields(body: Buffer): Map<string, string> {
  const fields = body.toString('utf8').split('\0');
  return new Map(fields.filter((field) => field !== '').map((field) => [field.charAt(0), field.slice(1)]));
}
