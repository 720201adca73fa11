/**
 * Attempts at what Quern keeps of others' requests: it is its asker's, by role and by limited key, and of answers only
 * those are there whose documents may all be seen now.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';
import { makeServerRelations, storeDocuments } from '../fixtures/stored-documents.ts';

const table = (sales: number): string => `(in millions)
[row_1] [column_1]=Sales; [2023]=$${sales}; [2022]=$${sales - 100}`;

let database: TestDatabase;
let owner: TestSession;
const sessions = new Map<string, TestSession>();

/** Sessions of roles, and of keys; `twin` is another session of `east`. */
const session = (name: string): TestSession => {
  const found = sessions.get(name);
  if (found === undefined) throw new Error(`no session ${name}`);
  return found;
};

const keyOf = async (name: string, options: string): Promise<string> =>
  String((await owner.rows(`CREATE API KEY ${name} WITH (${options})`))[0]?.[1]);

const READ = 'SELECT ON ALL TABLES IN SCHEMA';

beforeAll(async () => {
  database = await TestDatabase.open();
  owner = await database.session();
  await using own = database.openOwn();
  await makeServerRelations(own);
  for (const dataset of ['open', 'ruled']) {
    await owner.rows(`CREATE DATASET ${dataset} WITH (embedding_model = 'hash')`);
    await storeDocuments(own, dataset, [
      { docId: 'acme', metadata: { team: 'east' }, chunks: [{ text: table(1_577), pages: [2] }] },
      { docId: 'zenith', metadata: { team: 'west' }, chunks: [{ text: table(9_112), pages: [4] }] },
    ]);
  }
  await owner.rows(`
    CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE carol LOGIN; CREATE ROLE watcher;
    GRANT alice, bob TO carol;
    GRANT pg_monitor TO watcher;
    GRANT USAGE ON SCHEMA open, ruled TO alice, bob;
    GRANT ${READ} open, ruled TO alice, bob;
    GRANT INSERT, UPDATE ON open.documents TO alice, bob;
    ALTER TABLE ruled.documents ENABLE ROW LEVEL SECURITY;
    CREATE TABLE reads (reader text, team text);
    GRANT SELECT ON reads TO alice, bob;
    INSERT INTO reads VALUES ('alice', 'east'), ('alice', 'west');
    CREATE POLICY team ON ruled.documents
      USING (EXISTS (SELECT FROM reads WHERE reader = current_user AND team = metadata->>'team'))`);
  const key = async (name: string, options: string): Promise<void> => {
    sessions.set(name, await database.sessionOf(await keyOf(name, options)));
  };
  for (const role of ['alice', 'bob', 'carol', 'watcher']) await key(`of_${role}`, `role = ${role}`);
  const east = await keyOf('east', "role = alice, datasets = 'open'");
  sessions.set('east', await database.sessionOf(east));
  sessions.set('twin', await database.sessionOf(east));
  await key('west', `role = alice, attributes = '{"team": "west"}'`);
  await key('root', "role = owner, datasets = 'open'");
});

afterAll(() => database.close());

beforeEach(async () => {
  for (const [name, one] of sessions) if (name !== 'gone') await one.rows('ROLLBACK; RESET ALL; RESET ROLE');
});

/** @returns the answer's id. */
async function asked(as: TestSession, where: string, company = 'Acme', thread?: string): Promise<string> {
  const named = thread === undefined ? '' : `, thread => '${thread}'`;
  await as.rows(`SELECT * FROM ask('What were the sales of ${company} in 2023?', ARRAY['${where}']${named})`);
  return String((await as.rows('SELECT quern.last_answer()'))[0]?.[0]);
}

const ANSWER_RELATIONS = ['answers', 'facts', 'citations'];

/** True when the answer is there, with its facts and citations, or false when nothing is of it. */
async function sees(as: TestSession, id: string): Promise<boolean> {
  const found: boolean[] = [];
  for (const relation of ANSWER_RELATIONS) {
    const sql = `SELECT count(*) > 0 FROM quern.${relation} WHERE answer_id = '${id}'`;
    found.push((await as.rows(sql))[0]?.[0] === 't');
    const all = await as.rows(`SELECT answer_id FROM quern.${relation}`);
    found.push(all.some(([one]) => one === id));
  }
  expect(new Set(found).size).toBe(1);
  return found[0] === true;
}

/** Names of the sessions that see it. */
async function seenBy(id: string): Promise<string[]> {
  const names: string[] = [];
  for (const [name, one] of sessions) if (await sees(one, id)) names.push(name);
  return names.sort();
}

const state = async (as: TestSession, text: string): Promise<string | null> => {
  try {
    await as.rows(text);
    return null;
  } catch (error) {
    return (error as { sqlstate: string }).sqlstate;
  }
};

describe('an answer', () => {
  it('is its role’s, of its members, and of superusers', async () => {
    const id = await asked(session('of_alice'), 'open');
    expect(await seenBy(id)).toEqual(['of_alice', 'of_carol']);
    expect(await sees(owner, id)).toBe(true);
    expect(
      await owner.rows(`SELECT role::regrole, key FROM quern.answers WHERE answer_id = '${id}'`),
    ).toEqual([['alice', null]]);
  });

  it('of a limited key is the key’s alone, whatever its session becomes', async () => {
    const id = await asked(session('east'), 'open');
    expect(await seenBy(id)).toEqual(['east', 'twin']);
    expect(await sees(owner, id)).toBe(true);
    const other = await asked(session('of_alice'), 'open');
    expect(await sees(session('east'), other)).toBe(false);
    const root = await asked(session('root'), 'open');
    expect(await seenBy(root)).toEqual(['root']);
    await session('root').rows('SET ROLE alice');
    for (const one of [id, other, root]) expect(await sees(session('root'), one)).toBe(false);
  });

  it('is not found by SET ROLE to a role without rights of its asker', async () => {
    const id = await asked(session('of_alice'), 'open');
    await session('of_carol').rows('SET ROLE bob');
    expect(await sees(session('of_carol'), id)).toBe(false);
    await session('of_carol').rows('SET ROLE alice');
    expect(await sees(session('of_carol'), id)).toBe(true);
    const taken = await asked(session('of_carol'), 'open');
    expect(await seenBy(taken)).toEqual(['of_alice', 'of_carol']);
  });

  it('of before rows said whose they are is superusers’', async () => {
    const id = await asked(session('of_alice'), 'open');
    await using own = database.openOwn();
    await own.transaction(async (query) => {
      await query(`UPDATE quern.answers SET role = NULL WHERE answer_id = '${id}'`);
    }, new AbortController().signal);
    expect(await seenBy(id)).toEqual([]);
    expect(await sees(owner, id)).toBe(true);
  });

  it('is written by nobody', async () => {
    for (const name of ['of_alice', 'east', 'root']) {
      for (const text of [
        'DELETE FROM quern.answers',
        'UPDATE quern.answers SET role = 10',
        'INSERT INTO quern.facts SELECT * FROM quern.facts',
        'SELECT * FROM quern.answers FOR UPDATE',
        'TRUNCATE quern.citations',
        'CREATE POLICY mine ON quern.answers USING (true)',
      ]) {
        expect([name, text, await state(session(name), text)]).toEqual([name, text, '42501']);
      }
    }
  });
});

describe('what it cites', () => {
  it('hides it once a policy hides a document, and shows it again', async () => {
    const alice = session('of_alice');
    const west = await asked(alice, 'ruled', 'Zenith');
    const east = await asked(alice, 'ruled', 'Acme');
    await alice.rows('PREPARE mine AS SELECT answer_id FROM quern.answers WHERE answer_id = $1');
    const prepared = async (): Promise<number> => (await alice.rows(`EXECUTE mine('${west}')`)).length;
    expect([await sees(alice, west), await prepared()]).toEqual([true, 1]);
    await owner.rows("DELETE FROM reads WHERE team = 'west'");
    expect([await sees(alice, west), await prepared()]).toEqual([false, 0]);
    expect(await sees(alice, east)).toBe(true);
    expect(await state(alice, `SELECT * FROM quern.reverify('${west}')`)).toBe('22023');
    expect(await sees(session('of_carol'), east)).toBe(false);
    await owner.rows("INSERT INTO reads VALUES ('alice', 'west')");
    expect([await sees(alice, west), await prepared()]).toEqual([true, 1]);
    await owner.rows('CREATE POLICY none ON ruled.documents AS RESTRICTIVE USING (false)');
    expect([await sees(alice, west), await prepared()]).toEqual([false, 0]);
    await owner.rows('DROP POLICY none ON ruled.documents');
    expect([await sees(alice, west), await prepared()]).toEqual([true, 1]);
    await alice.rows('DEALLOCATE mine');
  });

  it('hides it once the dataset may not be read, or is gone, though one of its name is made', async () => {
    const alice = session('of_alice');
    const id = await asked(alice, 'open');
    await owner.rows('REVOKE SELECT ON open.cells FROM alice');
    expect(await seenBy(id)).toEqual(['of_carol']);
    await owner.rows('GRANT SELECT ON open.cells TO alice; REVOKE USAGE ON SCHEMA open FROM alice');
    expect(await sees(alice, id)).toBe(false);
    await owner.rows('GRANT USAGE ON SCHEMA open TO alice');
    expect(await sees(alice, id)).toBe(true);
    await owner.rows("CREATE DATASET brief WITH (embedding_model = 'hash')");
    await owner.rows(`GRANT USAGE ON SCHEMA brief TO alice; GRANT ${READ} brief TO alice`);
    await using own = database.openOwn();
    await storeDocuments(own, 'brief', [{ docId: 'acme', chunks: [{ text: table(5), pages: [1] }] }]);
    const gone = await asked(alice, 'brief');
    expect(await sees(alice, gone)).toBe(true);
    await owner.rows("DROP DATASET brief; CREATE DATASET brief WITH (embedding_model = 'hash')");
    await owner.rows(`GRANT USAGE ON SCHEMA brief TO alice; GRANT ${READ} brief TO alice`);
    expect(await sees(alice, gone)).toBe(false);
    expect(await sees(owner, gone)).toBe(true);
    await owner.rows('DROP DATASET brief');
  });

  it('is within the limits of the key, of each session that reads it', async () => {
    const id = await asked(session('west'), 'ruled', 'Zenith');
    expect(await seenBy(id)).toEqual(['west']);
    await owner.rows("DELETE FROM reads WHERE team = 'west'");
    expect(await seenBy(id)).toEqual([]);
    await owner.rows("INSERT INTO reads VALUES ('alice', 'west')");
  });

  it('hides what follows it where the question was made whole by it', async () => {
    const alice = session('of_alice');
    await asked(alice, 'ruled', 'Zenith', 'whole');
    await alice.rows("SELECT * FROM ask('and in 2022?', ARRAY['open'], thread => 'whole')");
    const id = String((await alice.rows('SELECT quern.last_answer()'))[0]?.[0]);
    const apart = await asked(alice, 'open', 'Acme', 'whole');
    await alice.rows("SELECT * FROM ask('and in 2022?', ARRAY['open'], thread => 'whole')");
    const later = String((await alice.rows('SELECT quern.last_answer()'))[0]?.[0]);
    const understood = `SELECT understood FROM quern.answers WHERE answer_id = '${id}'`;
    expect(await alice.rows(understood)).toEqual([['What were the sales of Zenith in 2022?']]);
    await owner.rows("DELETE FROM reads WHERE team = 'west'");
    const seen = async (): Promise<boolean[]> => [
      await sees(alice, id),
      await sees(alice, apart),
      await sees(alice, later),
    ];
    expect(await seen()).toEqual([false, true, false]);
    await owner.rows("INSERT INTO reads VALUES ('alice', 'west')");
    expect(await seen()).toEqual([true, true, true]);
  });

  it('is refused, not hidden, where row_security is off', async () => {
    await session('of_alice').rows('SET row_security = off');
    expect(await state(session('of_alice'), 'SELECT * FROM quern.answers')).toBe('42501');
    expect(await state(session('of_alice'), 'SELECT * FROM quern.handles')).toBeNull();
  });
});

describe('other ways to it', () => {
  it('views and functions show what their owner may see, invokers what their reader may', async () => {
    const id = await asked(session('of_alice'), 'open');
    await owner.rows('GRANT CREATE ON SCHEMA public TO alice');
    await owner.rows('ALTER POLICY team ON ruled.documents USING (EXISTS (SELECT FROM reads))');
    await session('of_alice').rows(`
      CREATE VIEW kept AS SELECT answer_id FROM quern.answers;
      CREATE VIEW kept_by_reader WITH (security_invoker = true) AS SELECT answer_id FROM quern.answers;
      CREATE FUNCTION kept_by_owner() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER
        AS 'SELECT answer_id FROM quern.answers';
      CREATE FUNCTION kept_by_caller() RETURNS SETOF uuid LANGUAGE sql STABLE
        AS 'SELECT answer_id FROM quern.answers';
      GRANT SELECT ON kept, kept_by_reader TO bob, watcher`);
    const has = async (as: TestSession, from: string): Promise<boolean> =>
      (await as.rows(`SELECT * FROM ${from}`)).some(([one]) => one === id);
    const bob = session('of_bob');
    expect([await has(bob, 'kept'), await has(bob, 'kept_by_owner()')]).toEqual([true, true]);
    expect([await has(bob, 'kept_by_reader'), await has(bob, 'kept_by_caller()')]).toEqual([false, false]);
    // The limits of a key are its session's.
    await owner.rows('GRANT SELECT ON kept TO PUBLIC');
    for (const name of ['east', 'root']) {
      expect([await has(session(name), 'kept_by_owner()'), await has(session(name), 'kept')]).toEqual([
        false,
        false,
      ]);
    }
    // A view's rows are still those whose documents its owner may see.
    await owner.rows('REVOKE SELECT ON open.cells FROM alice');
    expect(await has(bob, 'kept')).toBe(false);
    await owner.rows('GRANT SELECT ON open.cells TO alice');
    const policy = "EXISTS (SELECT FROM reads WHERE reader = current_user AND team = metadata->>'team')";
    await owner.rows(`ALTER POLICY team ON ruled.documents USING (${policy})`);
    // Whom a policy asks for is the definer.
    expect(await has(bob, 'kept_by_owner()')).toBe(true);
    await owner.rows('DROP VIEW kept, kept_by_reader; DROP FUNCTION kept_by_owner, kept_by_caller');
  });

  it('tables made of it, COPY, cursors, EXPLAIN and statistics tell no more', async () => {
    const id = await asked(session('of_alice'), 'open');
    await owner.rows('GRANT CREATE ON SCHEMA public TO bob');
    const bob = session('of_bob');
    await bob.rows(
      `CREATE TABLE mine AS SELECT * FROM quern.answers;
      CREATE MATERIALIZED VIEW kept_rows AS SELECT * FROM quern.facts`,
    );
    const copied: string[] = [];
    const sink = {
      copyOut: () => undefined,
      copyData: (data: Uint8Array) => copied.push(Buffer.from(data).toString()),
      copyDone: () => undefined,
    };
    await bob.rows('COPY quern.answers TO STDOUT', sink as never);
    await bob.rows('COPY (SELECT answer_id FROM quern.citations) TO STDOUT', sink as never);
    const rest = [
      ...(await bob.rows('SELECT answer_id FROM mine UNION ALL SELECT answer_id FROM kept_rows')),
      ...(await bob.rows(
        'BEGIN; DECLARE c CURSOR FOR SELECT * FROM quern.answers; FETCH ALL FROM c; COMMIT',
      )),
    ];
    expect(JSON.stringify([copied, rest])).not.toContain(id);
    await bob.rows('DROP TABLE mine; DROP MATERIALIZED VIEW kept_rows');
    await owner.rows('ANALYZE');
    for (const name of ['of_bob', 'east', 'root', 'of_watcher']) {
      const one = session(name);
      const known = "relname IN ('answers', 'facts', 'citations', 'handles') AND reltuples > 0";
      expect([name, await one.rows(`SELECT relname FROM pg_class WHERE ${known}`)]).toEqual([name, []]);
      expect(await one.rows("SELECT * FROM pg_stats WHERE schemaname = 'quern'")).toEqual([]);
      const before = await one.rows('EXPLAIN SELECT * FROM quern.answers');
      for (let i = 0; i < 3; i++) await asked(session('of_alice'), 'open');
      await owner.rows('ANALYZE quern.answers');
      expect(await one.rows('EXPLAIN SELECT * FROM quern.answers')).toEqual(before);
      expect(await state(one, "SELECT * FROM suggest('quern.answers', 'a')")).toMatch(/42501|42P01/);
    }
  });

  it('a policy that asks for answers about documents is a circle', async () => {
    await owner.rows('CREATE POLICY circle ON ruled.documents USING (EXISTS (SELECT FROM quern.citations))');
    expect(await state(session('of_alice'), 'SELECT * FROM ruled.documents')).toBe('42P17');
    expect(await state(session('of_alice'), 'SELECT * FROM quern.answers')).toBe('42P17');
    await owner.rows('DROP POLICY circle ON ruled.documents');
    expect(await state(session('of_alice'), 'SELECT * FROM quern.answers')).toBeNull();
  });

  it('a key that is dropped and made anew under its name is another', async () => {
    sessions.set('gone', await database.sessionOf(await keyOf('again', "role = alice, datasets = 'open'")));
    const id = await asked(session('gone'), 'open');
    expect(await seenBy(id)).toEqual(['gone']);
    await owner.rows('DROP API KEY again');
    expect(await state(session('gone'), 'SELECT * FROM quern.answers')).toBe('57P01');
    sessions.set('gone', await database.sessionOf(await keyOf('again', "role = alice, datasets = 'open'")));
    expect(await sees(session('gone'), id)).toBe(false);
    sessions.delete('gone');
  });

  it('a role that is dropped leaves its rows to superusers, also where its session goes on', async () => {
    await owner.rows(`CREATE ROLE brief; GRANT USAGE ON SCHEMA open TO brief; GRANT ${READ} open TO brief`);
    const brief = await database.sessionOf(await keyOf('of_brief', 'role = alice'));
    await owner.rows('GRANT brief TO alice');
    await brief.rows('SET ROLE brief');
    const id = await asked(brief, 'open');
    expect(await sees(brief, id)).toBe(true);
    await owner.rows('DROP OWNED BY brief; DROP ROLE brief');
    expect(await sees(brief, id)).toBe(false);
    expect(await seenBy(id)).toEqual([]);
    expect(await sees(owner, id)).toBe(true);
  });
});

describe('threads', () => {
  const former = async (as: TestSession): Promise<unknown> =>
    (await as.rows('SELECT follows FROM quern.answers WHERE answer_id = quern.last_answer()'))[0]?.[0];

  it('are of one role and one limited key, whatever name is guessed', async () => {
    const id = await asked(session('of_alice'), 'open', 'Acme', 'shared');
    for (const name of ['of_bob', 'east', 'of_carol']) {
      await asked(session(name), 'open', 'Acme', 'shared');
      expect([name, await former(session(name))]).toEqual([name, null]);
      const ask = `SELECT * FROM ask('and in 2022?', ARRAY['open'], thread => '${id}')`;
      expect([name, await state(session(name), ask)]).toEqual([name, '22023']);
    }
    await asked(session('twin'), 'open', 'Acme', 'shared');
    expect(await former(session('twin'))).not.toBeNull();
    await asked(session('of_alice'), 'open', 'Acme', 'shared');
    expect(await former(session('of_alice'))).toBe(id);
  });

  it('go on when a role is renamed, and are not another’s who takes its name', async () => {
    const id = await asked(session('of_alice'), 'open', 'Acme', 'renamed');
    await owner.rows('ALTER ROLE alice RENAME TO alicia; CREATE ROLE alice');
    await owner.rows(`GRANT USAGE ON SCHEMA open TO alice; GRANT ${READ} open TO alice`);
    const posing = await database.sessionOf(await keyOf('posing', 'role = alice'));
    await asked(posing, 'open', 'Acme', 'renamed');
    expect(await former(posing)).toBeNull();
    expect(await sees(posing, id)).toBe(false);
    await owner.rows('DROP API KEY posing');
    await owner.rows('DROP OWNED BY alice; DROP ROLE alice; ALTER ROLE alicia RENAME TO alice');
    await asked(session('of_alice'), 'open', 'Acme', 'renamed');
    expect(await former(session('of_alice'))).toBe(id);
  });

  it('go back to answers that may be seen now, and no others', async () => {
    const alice = session('of_alice');
    const first = await asked(alice, 'open', 'Acme', 'partly');
    const hidden = await asked(alice, 'ruled', 'Zenith', 'partly');
    await owner.rows("DELETE FROM reads WHERE team = 'west'");
    const told = JSON.stringify(
      await alice.rows("SELECT update FROM ask('and in 2022?', ARRAY['open'], thread => 'partly')"),
    );
    expect(told).toContain('Acme');
    expect(told).not.toContain('Zenith');
    expect(await former(alice)).toBe(first);
    expect(await state(alice, `SELECT * FROM ask('and in 2022?', NULL, thread => '${hidden}')`)).toBe(
      '22023',
    );
    await owner.rows("INSERT INTO reads VALUES ('alice', 'west')");
  });

  it('of a transaction that sees an older snapshot, too', async () => {
    const alice = session('of_alice');
    await alice.rows('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    const id = await asked(alice, 'open', 'Acme', 'snapshot');
    await alice.rows("SELECT * FROM ask('and in 2022?', ARRAY['open'], thread => 'snapshot')");
    await alice.rows('COMMIT');
    expect(await former(alice)).toBe(id);
  });
});

describe('a citation is verified again', () => {
  it('by whoever may see its answer', async () => {
    const id = await asked(session('of_alice'), 'open');
    const verify = `SELECT DISTINCT stands FROM quern.reverify('${id}')`;
    for (const name of ['of_alice', 'of_carol']) expect(await session(name).rows(verify)).toEqual([['t']]);
    expect(await owner.rows(verify)).toEqual([['t']]);
    const unknown = `SELECT * FROM quern.reverify('00000000-0000-7000-8000-000000000000')`;
    for (const name of ['of_bob', 'east', 'root', 'of_watcher']) {
      const error = await session(name).error(verify);
      expect([name, error.sqlstate]).toEqual([name, '22023']);
      const other = await session(name).error(unknown);
      expect(error.message.replace(id, '…')).toBe(other.message.replace(/"[0-9a-f-]+"/, '"…"'));
    }
    const limited = await asked(session('east'), 'open');
    const rows = await session('twin').rows(`SELECT DISTINCT stands FROM quern.reverify('${limited}')`);
    expect(rows).toEqual([['t']]);
  });
});

describe('handles', () => {
  const upload = async (as: TestSession, id: string): Promise<string> =>
    String((await as.rows(`SELECT quern.upsert_file('open', '${id}', '${id}.txt', 'abc')`))[0]?.[0]);

  it('are those of who uploaded, in all that lists them', async () => {
    const handle = await upload(session('of_alice'), 'note');
    const limited = await upload(session('east'), 'remark');
    const listed = async (as: TestSession): Promise<unknown[]> =>
      (await as.rows('SELECT doc_id FROM quern.handles ORDER BY doc_id')).flat();
    expect(await listed(session('of_alice'))).toEqual(['note']);
    expect(await listed(session('of_carol'))).toEqual(['note']);
    expect(await listed(session('twin'))).toEqual(['remark']);
    for (const name of ['of_bob', 'west', 'root', 'of_watcher']) {
      expect([name, await listed(session(name))]).toEqual([name, []]);
      for (const relation of ['pending', 'ingest_failures']) {
        expect(await session(name).rows(`SELECT doc_id FROM quern.${relation}`)).toEqual([]);
      }
      for (const one of [handle, limited]) {
        expect(await state(session(name), `SELECT quern.check_handle('${one}')`)).toBe('22023');
        expect(await state(session(name), `SELECT quern.wait_for_handle('${one}', 1)`)).toBe('22023');
      }
    }
    expect(await session('of_alice').rows('SELECT doc_id FROM quern.pending')).toEqual([['note']]);
    expect(await session('of_carol').rows(`SELECT quern.check_handle('${handle}')`)).toEqual([['f']]);
    expect(await session('twin').rows(`SELECT quern.check_handle('${limited}')`)).toEqual([['f']]);
    expect(await state(session('of_alice'), `SELECT quern.wait_for_handle('${handle}', 0)`)).toBe('57014');
    expect(await state(session('of_alice'), 'SELECT * FROM quern.ingest_queue')).toBe('42501');
  });

  it('of a transaction under way are not waited for', async () => {
    const alice = session('of_alice');
    await alice.rows('BEGIN');
    const handle = await upload(alice, 'early');
    expect(await state(alice, `SELECT quern.wait_for_handle('${handle}', 1)`)).toBe('55000');
  });
});

it('what the server asked of models is for those who watch it', async () => {
  await using own = database.openOwn();
  await own.transaction(async (query) => {
    await query(`INSERT INTO quern.inference_log
      (at, purpose, model, outcome, prompt_tokens, completion_tokens, ms, facts_written, facts_placed)
      VALUES (now(), 'ask', 'tiny', 'answered', 1, 1, 1, 1, 1)`);
  }, new AbortController().signal);
  const count = 'SELECT count(*) FROM quern.inference_log';
  expect(await session('of_watcher').rows(count)).toEqual([['1']]);
  expect(await session('of_alice').rows(count)).toEqual([['0']]);
  for (const name of ['east', 'root']) expect(await state(session(name), count)).toBe('42501');
});
