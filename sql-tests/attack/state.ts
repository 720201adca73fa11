/** All that an attack could change, as lines; somebody who works, and somebody who listens. */
import pg from 'pg';

/** Rows of these in any order; the system's relations tell what there is. */
const CATALOG: readonly string[] = [
  'SELECT oid, relname, relnamespace, relkind, relpersistence FROM pg_class',
  'SELECT attrelid, attname, atttypid, attnotnull FROM pg_attribute WHERE NOT attisdropped',
  'SELECT oid, proname, prosrc FROM pg_proc WHERE oid >= 16384',
  'SELECT oid, typname FROM pg_type',
  'SELECT * FROM pg_namespace',
  'SELECT * FROM pg_enum',
  'SELECT * FROM pg_description',
  'SELECT * FROM pg_constraint',
  'SELECT * FROM pg_views',
  'SELECT * FROM pg_stats',
  'SELECT * FROM pg_db_role_setting',
  'SELECT name, description, region FROM quern.datasets',
  'SELECT * FROM quern.partitions',
  "SELECT quern.lsn('books') AS books, quern.lsn('books$acme') AS acme",
  'SELECT schema, name, fields, undeclared FROM quern.collections',
  // Locks of sessions other than this one.
  `SELECT locktype, mode, objid FROM pg_locks WHERE locktype = 'advisory'`,
  `SELECT pid FROM pg_stat_activity WHERE application_name = 'victim' AND state = 'active'`,
];

/** Without the audit, which writes down what is refused, too. */
const KEPT = `SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'm', 'S') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND NOT (n.nspname = 'quern' AND c.relname IN ('audit_entries', 'audit_texts'))
  ORDER BY 1, 2`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export class Witness implements AsyncDisposable {
  /** Reads what there is. */
  readonly #reader: pg.Client;
  /** Works: a statement of it runs. */
  readonly victim: pg.Client;
  /** Is told what others notify. */
  readonly #listener: pg.Client;
  readonly #heard: string[] = [];
  #working: Promise<string> = Promise.resolve('not begun');

  private constructor(reader: pg.Client, victim: pg.Client, listener: pg.Client) {
    this.#reader = reader;
    this.victim = victim;
    this.#listener = listener;
    listener.on('notification', ({ channel, payload }) => this.#heard.push(`${channel} ${payload}`));
    for (const client of [reader, victim, listener])
      client.on('error', (error) => this.#heard.push(error.message));
  }

  static async connect(config: pg.ClientConfig): Promise<Witness> {
    const reader = new pg.Client(config);
    const victim = new pg.Client({ ...config, application_name: 'victim' });
    const listener = new pg.Client(config);
    await Promise.all([reader, victim, listener].map((client) => client.connect()));
    await listener.query('LISTEN news');
    return new Witness(reader, victim, listener);
  }

  /** From here on the victim has a statement under way, in a transaction that holds an advisory lock. */
  async work(): Promise<void> {
    await this.victim.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
    this.#working = this.victim.query('SELECT pg_sleep(100000)').then(
      () => 'over',
      (error: Error) => error.message,
    );
  }

  /** Its lines differ where something was changed. */
  async state(): Promise<string[]> {
    const relations = (await this.#reader.query(KEPT)).rows as {
      schema: string;
      name: string;
      kind: string;
    }[];
    const lines: string[] = [];
    // Notifications told before have been heard by now.
    await this.#listener.query('SELECT 1');
    for (const { schema, name } of relations) {
      const relation = `${quoted(schema)}.${quoted(name)}`;
      lines.push(`${relation} ${await this.#sum(`SELECT * FROM ${relation}`)}`);
    }
    for (const query of CATALOG) lines.push(`${query} ${await this.#sum(query)}`);
    const still = await Promise.race([this.#working, Promise.resolve('works')]);
    return [...lines, `victim ${still}`, ...this.#heard.map((one) => `heard ${one}`)];
  }

  async #sum(query: string): Promise<string> {
    const sql = `SELECT count(*) AS n, md5(string_agg(r::text, ',' ORDER BY r::text)) AS sum FROM (${query}) AS r`;
    const rows = await this.#reader.query(sql).catch((error: pg.DatabaseError) => {
      // A temporary relation of a session that has ended since relations were listed.
      if (error.code === '42P01') return null;
      throw error;
    });
    return rows === null ? 'gone' : `${rows.rows[0].n} ${rows.rows[0].sum}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#reader.end(), this.#listener.end()]);
    // Its statement never ends.
    (this.victim as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}
