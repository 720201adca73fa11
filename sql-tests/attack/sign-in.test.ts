/** Attacks on signing in, against a server as it is started: replays, downgrades, guesses, keys that end, names that resemble others. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { errorFields, RawClient, type RawMessage } from '../faults/raw-client.ts';
import { saslInitial, ScramClient } from '../faults/scram-client.ts';

/** One that a person chose, so that it counts as a guess until it was right. */
const OWNER_KEY = 'the key of the owner';

let folder: string;
let server: ServerProcess;
let owner: pg.Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quern-sign-in-'));
  server = await startServer({ data: join(folder, 'data'), key: OWNER_KEY });
  owner = await signedIn(OWNER_KEY);
  await owner.query('CREATE TABLE t (a int)');
});

afterAll(async () => {
  await owner.end();
  await server.stop();
  await rm(folder, { recursive: true });
});

async function signedIn(password: string, more: pg.ClientConfig = {}): Promise<pg.Client> {
  const { host, port } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password, ...more });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

let addressCount = 0;
/** Address of this machine that nobody has guessed from. */
const freshAddress = (): string => `127.0.${1 + (++addressCount >> 8)}.${addressCount & 255}`;

/** SQLSTATE, or `in`. */
async function outcome(password: string, user = 'quern', address = freshAddress()): Promise<string> {
  const client = await RawClient.open(server.host, server.port, address);
  client.startup({ user, database: 'quern' });
  await client.prove(new ScramClient(password));
  const seen = await client.until('Z', 'E');
  client.socket.destroy();
  return errorFields(seen).C ?? 'in';
}

async function made(statement: string): Promise<string> {
  const { rows } = await owner.query(statement);
  return rows[0].key as string;
}

/** Direct TLS. */
async function overTls(): Promise<{ readonly client: RawClient; readonly socket: TLSSocket }> {
  const { host, port } = server;
  const socket = connect({ host, port, ALPNProtocols: ['postgresql'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return { client: new RawClient(socket), socket };
}

const lastText = (messages: readonly RawMessage[]): string =>
  messages.at(-1)?.body.subarray(4).toString() ?? '';

/** Types of messages, and the error's fields, of an exchange in which the client says just this. */
async function exchange(
  client: RawClient,
  user: string,
  first: Buffer,
  final: (serverFirst: string) => string | Buffer = () => '',
): Promise<{
  readonly course: string;
  readonly error: Readonly<Record<string, string>>;
  readonly told: string;
}> {
  client.startup({ user, database: 'quern' });
  const seen = await client.until('R', 'E');
  client.send('p', first);
  seen.push(...(await client.until('R', 'E')));
  const told = lastText(seen);
  if (seen.at(-1)?.type === 'R') {
    client.send('p', final(told));
    seen.push(...(await client.until('Z', 'E')));
  }
  client.socket.destroy();
  return { course: seen.map(({ type }) => type).join(''), error: errorFields(seen), told };
}

describe('proofs', () => {
  it('recorded ones are of no use on another connection, with the same nonce or bound to the same certificate', async () => {
    for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-256-PLUS']) {
      const { client, socket } = await overTls();
      const binding = Buffer.from(certificateHash(socket));
      const bound = { header: 'p=tls-server-end-point,,', binding };
      const scram = new ScramClient(OWNER_KEY, mechanism.endsWith('PLUS') ? bound : {});
      let recorded = '';
      const right = await exchange(client, 'quern', saslInitial(scram.first, mechanism), (told) => {
        recorded = scram.final(told);
        return recorded;
      });
      expect(right.course).toMatch(/^RRRR.*Z$/);
      const again = await exchange(
        (await overTls()).client,
        'quern',
        saslInitial(scram.first, mechanism),
        () => recorded,
      );
      expect([again.course, again.error.C]).toEqual(['RRE', '08P01']);
      expect(again.told.replace(/^r=[^,]*/, '')).toBe(right.told.replace(/^r=[^,]*/, ''));
      expect(again.told).not.toBe(right.told);
      // Even with the new nonce written into it.
      const patched = await exchange(
        (await overTls()).client,
        'quern',
        saslInitial(scram.first, mechanism),
        (told) => recorded.replace(/r=[^,]*/, (/^r=[^,]*/.exec(told) as RegExpExecArray)[0]),
      );
      expect([patched.course, patched.error.C]).toEqual(['RRE', '28P01']);
    }
  });

  const certificateHash = (socket: TLSSocket): Uint8Array => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error('no certificate');
    return Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex');
  };

  it('bound to the certificate of a server in between are refused', async () => {
    const { client } = await overTls();
    const binding = Buffer.alloc(32, 7);
    const scram = new ScramClient(OWNER_KEY, { header: 'p=tls-server-end-point,,', binding });
    const first = saslInitial(scram.first, 'SCRAM-SHA-256-PLUS');
    const { error } = await exchange(client, 'quern', first, (told) => scram.final(told));
    expect([error.C, error.M]).toEqual(['28000', 'SCRAM channel binding check failed']);
  });

  it.each([
    ['believes that the server cannot bind', 'y,,', 'SCRAM-SHA-256', '28000'],
    ['binds by a mechanism that does not', 'p=tls-server-end-point,,', 'SCRAM-SHA-256', '08P01'],
    ['does not bind by one that does', 'n,,', 'SCRAM-SHA-256-PLUS', '08P01'],
    ['believes so by one that does', 'y,,', 'SCRAM-SHA-256-PLUS', '08P01'],
    ['binds to something else', 'p=tls-unique,,', 'SCRAM-SHA-256-PLUS', '08P01'],
  ])('a client that %s is refused', async (_, header, mechanism, sqlstate) => {
    const scram = new ScramClient(OWNER_KEY, { header });
    const { client } = await overTls();
    const { course, error } = await exchange(client, 'quern', saslInitial(scram.first, mechanism));
    expect([course, error.C]).toEqual(['RE', sqlstate]);
  });

  it('of a header that was changed on the way are refused', async () => {
    const honest = new ScramClient(OWNER_KEY, { header: 'y,,' });
    const { client } = await overTls();
    // A go-between takes the `y` out of the first message, and the PLUS out of the offer.
    const first = saslInitial(honest.first.replace('y,,', 'n,,'));
    const { error } = await exchange(client, 'quern', first, (told) => honest.final(told));
    expect([error.C, error.M]).toEqual(['28000', 'SCRAM channel binding check failed']);
  });
});

describe('guesses', () => {
  it('at an unknown user go as at a known one: messages, salt, error', async () => {
    await owner.query('CREATE ROLE idle; CREATE ROLE silent LOGIN');
    await owner.query('CREATE API KEY named WITH (role = reader)');
    const courses = new Set<string>();
    for (const user of [
      'quern',
      'named',
      'reader',
      'idle',
      'silent',
      'nobody',
      'nobody',
      'x'.repeat(100),
      `"'`,
    ]) {
      const scram = new ScramClient('wrong');
      const client = await RawClient.open(server.host, server.port, freshAddress());
      const { course, error, told } = await exchange(client, user, saslInitial(scram.first), (first) =>
        scram.final(first),
      );
      const salt = told.replace(/^r=[^,]*/, '');
      courses.add(
        JSON.stringify({ course, salt, error }).replaceAll(JSON.stringify(user).slice(1, -1), 'USER'),
      );
    }
    expect([...courses]).toHaveLength(1);
    expect([...courses][0]).toMatch(/"RRE".*28P01.*password authentication failed for user \\"USER\\"/);
  });

  it('of one address slow that one, and keep nobody out who comes from another, or has a key that was made', async () => {
    const key = await made('CREATE API KEY elsewhere WITH (role = owner)');
    await server.stop();
    server = await startServer({ data: join(folder, 'data'), key: OWNER_KEY });
    const guesses = Array.from({ length: 30 }, (_, at) => outcome(`guess ${at}`, 'quern', '127.0.0.2'));
    expect(await guesses.at(-1)).toBe('57P03');
    // Its first try since the start, of a key that could be guessed; and one that could not.
    expect(await outcome(OWNER_KEY)).toBe('in');
    expect(await outcome(key, 'quern', '127.0.0.2')).toBe('in');
    owner = await signedIn(OWNER_KEY);
    await owner.query('DROP API KEY elsewhere');
    expect(await Promise.all(guesses.slice(0, 3))).toEqual(['28P01', '28P01', '28P01']);
  });
});

describe('keys that end', () => {
  const COPIED = 'SELECT count(*)::int AS n FROM t';
  const count = async (): Promise<number> => (await owner.query(COPIED)).rows[0].n;

  it.each([
    ['dropped', 'DROP API KEY ending'],
    ['expired', 'ALTER API KEY ending EXPIRE'],
    ['narrowed', "ALTER API KEY ending SET (collections = 'nothing')"],
    ['made to read only', 'ALTER API KEY ending SET (read_only)'],
    ['rotated', 'ALTER API KEY ending ROTATE'],
  ])(
    'one that is %s ends its sessions: idle, in a transaction, in a statement, in a COPY, in a cursor',
    async (_, end) => {
      const key = await made('CREATE API KEY ending WITH (role = owner)');
      const before = await count();
      const open = () => RawClient.signIn(server.host, server.port, key);
      const [idle, block, statement, copy, cursor, parsed] = await Promise.all(
        Array.from({ length: 6 }, open),
      );
      if (!idle || !block || !statement || !copy || !cursor || !parsed) throw new Error('six were opened');
      block.query('BEGIN; INSERT INTO t VALUES (1)');
      await block.until('Z');
      statement.query('INSERT INTO t SELECT 2 FROM pg_sleep(60)');
      copy.query('COPY t FROM STDIN');
      await copy.until('G');
      copy.send('d', '3\n4\n');
      cursor.query('BEGIN; DECLARE c CURSOR FOR SELECT * FROM generate_series(1, 9)');
      await cursor.until('Z');
      parsed.send('P', 'p\0INSERT INTO t VALUES (5)\0\0\0');
      parsed.send('S', '');
      await parsed.until('Z');
      await owner.query(end);
      copy.send('d', '5\n');
      copy.send('c', '');
      block.query('COMMIT');
      cursor.query('FETCH ALL FROM c');
      parsed.send('B', '\0p\0\0\0\0\0\0\0');
      parsed.send('E', '\0\0\0\0\0');
      parsed.send('S', '');
      for (const client of [idle, block, statement, copy, cursor, parsed]) {
        const seen = await client.until('never');
        expect(errorFields(seen)).toMatchObject({ C: '57P01', S: 'FATAL' });
        expect(seen.map(({ type }) => type).join('')).toMatch(/^E$/);
      }
      expect(await count()).toBe(before);
      const isOver = ['narrowed', 'made to read only'].includes(_) ? 'in' : '28P01';
      expect(await outcome(key)).toBe(isOver);
      await owner.query('DROP API KEY IF EXISTS ending');
    },
  );

  it('one that expires by itself ends its COPY', async () => {
    const before = await count();
    const key = await made("CREATE API KEY brief WITH (role = owner, expires = '1 second')");
    const copy = await RawClient.signIn(server.host, server.port, key);
    copy.query('COPY t FROM STDIN');
    await copy.until('G');
    copy.send('d', '3\n4\n');
    expect(errorFields(await copy.until('E')).C).toBe('57P01');
    expect(await count()).toBe(before);
  });
});

describe('names', () => {
  /** There is one already, or none may be called so. */
  const TAKEN = expect.stringMatching(/^(42710|42939)$/);

  it.each([
    [`we"ird 'one'`],
    ['a'.repeat(63)],
    ['\u00fc'.repeat(31)],
    ['quern; DROP TABLE t'],
    ['%s%n$1\\'],
    [' '],
    ['constructor'],
    ['__proto__'],
  ])('a key called %j signs in by that name and no other', async (name) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    const before = await count();
    const key = await made(`CREATE API KEY ${quoted} WITH (role = reader)`);
    expect(await count()).toBe(before + 1);
    expect(await outcome(key, name)).toBe('in');
    for (const user of [quoted, `${name}x`, name.toUpperCase(), name.slice(0, -1)]) {
      if (user !== name && user !== '') expect([user, await outcome(key, user)]).toEqual([user, '28P01']);
    }
    await owner.query(`DROP API KEY ${quoted}`);
    expect(await count()).toBe(before);
  });
  const count = async (): Promise<number> =>
    (await owner.query('SELECT count(*)::int AS n FROM quern.api_keys')).rows[0].n;

  it('of more than 63 bytes are whole: none is cut to be that of another', async () => {
    const name = 'b'.repeat(63);
    const [short, long] = [
      await made(`CREATE API KEY ${name} WITH (role = reader)`),
      await made(`CREATE API KEY ${name}b WITH (role = reader)`),
    ];
    expect([await outcome(short, name), await outcome(long, `${name}b`)]).toEqual(['in', 'in']);
    expect([await outcome(short, `${name}b`), await outcome(long, name)]).toEqual(['28P01', '28P01']);
    for (const made of [name, `${name}b`]) await owner.query(`DROP API KEY ${made}`);
  });

  it("that are another key's beginning, or a role's, are refused; a role of a key's name takes nothing of it", async () => {
    const key = await made('CREATE API KEY WITH (role = reader)');
    const beginning = key.slice(0, 12);
    for (const name of [beginning, 'owner', 'reader', 'quern']) {
      await expect(made(`CREATE API KEY "${name}" WITH (role = owner)`)).rejects.toMatchObject({
        code: TAKEN,
      });
    }
    const other = await made('CREATE API KEY other WITH (role = owner)');
    await expect(owner.query(`ALTER API KEY other RENAME TO "${beginning}"`)).rejects.toMatchObject({
      code: TAKEN,
    });
    expect(await outcome(other, beginning)).toBe('28P01');
    await owner.query("CREATE ROLE other LOGIN PASSWORD 'of the role'");
    const client = await signedIn('of the role', { user: 'other' });
    expect((await client.query('SELECT current_user AS u')).rows).toEqual([{ u: 'other' }]);
    await client.end();
    expect(await outcome(other)).toBe('in');
    for (const name of ['API KEY other', `API KEY "${beginning}"`, 'ROLE other'])
      await owner.query(`DROP ${name}`);
  });
});

describe('a thousand keys', () => {
  it('all sign in by their names, and as quern those that are within the bound, each as itself', async () => {
    const live =
      'SELECT count(*)::int AS n FROM quern.api_keys WHERE expires_at IS NULL OR expires_at > now()';
    const older = (await owner.query(live)).rows[0].n as number;
    const keys: string[] = [];
    const roleAt = (at: number): string => (at % 2 === 0 ? 'reader' : 'writer');
    for (let at = 0; at < 1000; at++) {
      keys.push(await made(`CREATE API KEY k${at} WITH (role = ${roleAt(at)})`));
    }
    const roleOf = async (at: number, user: string): Promise<string> => {
      const client = await signedIn(keys[at] as string, { user });
      const { rows } = await client.query('SELECT current_user AS u');
      await client.end();
      return rows[0].u;
    };
    const last = 1000 - older - 1;
    for (const at of [0, 1, 500, last]) expect(await roleOf(at, 'quern')).toBe(roleAt(at));
    for (const at of [0, last + 1, 999]) expect(await roleOf(at, `k${at}`)).toBe(roleAt(at));
    expect(await roleOf(999, 'writer')).toBe('writer');
    expect(await outcome(keys[last + 1] as string)).toBe('28P01');
    expect(await outcome(OWNER_KEY)).toBe('in');
  });
});
