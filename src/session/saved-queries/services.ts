/** Services of saved queries (`functions/server/saved-queries.ts`), within the statement's transaction. */
import { SqlError } from '../../errors.ts';
import type { SavedQuery, SessionServices } from '../../functions/services.ts';
import {
  NAME_BYTES_MAX,
  SAVED_QUERIES_COUNT_MAX,
  SAVED_QUERY_BYTES_MAX,
  SAVED_QUERY_PARAMETERS_BYTES_MAX,
} from '../../limits.ts';
import { OID } from '../../types/oids.ts';
import { text } from '../datasets/parameters.ts';
import { rowOwner } from '../rights/own-rows.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { Parameter, Row } from '../server-session.ts';
import { ownerParameters } from '../whose.ts';

/** By the first parameters of each statement. */
const OWN = 'role = $1 AND key IS NOT DISTINCT FROM $2';

const NEW = `INSERT INTO quern.saved_queries (role, key, name, statement, params, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp()) ON CONFLICT (role, key, name)`;

export function savedQueryServices(statement: Statement): SessionServices['savedQueries'] {
  const { session } = statement;
  const query = (sql: string, ...more: readonly Parameter[]): Promise<readonly Row[]> => {
    const parameters = [...ownerParameters(rowOwner(session)), ...more];
    return rowsOf(statement, sql, { parameters, asServer: true, seesAll: true });
  };
  return {
    async save(saved, replaces) {
      checkSaved(saved);
      const way = replaces
        ? `DO UPDATE SET statement = excluded.statement, params = excluded.params,
            updated_at = excluded.updated_at`
        : 'DO NOTHING';
      const values = [text(saved.name), text(saved.statement), [OID.jsonb, saved.params]] as const;
      const stored = await query(`${NEW} ${way} RETURNING name`, ...values);
      if (stored.length === 0) throw taken(saved.name);
      const [row] = await query(`SELECT count(*)::integer AS count FROM quern.saved_queries WHERE ${OWN}`);
      if (Number(row?.count) > SAVED_QUERIES_COUNT_MAX) {
        throw tooMuch(`a role would have more than ${SAVED_QUERIES_COUNT_MAX} saved queries`);
      }
    },
    async rename(name, to) {
      checkName(to);
      const sql = `UPDATE quern.saved_queries SET name = $4, updated_at = clock_timestamp()
        WHERE ${OWN} AND name = $3 RETURNING name`;
      try {
        return (await query(sql, text(name), text(to))).length > 0;
      } catch (error) {
        throw error instanceof SqlError && error.condition === 'unique_violation' ? taken(to) : error;
      }
    },
    async drop(name) {
      const sql = `DELETE FROM quern.saved_queries WHERE ${OWN} AND name = $3 RETURNING name`;
      return (await query(sql, text(name))).length > 0;
    },
  };
}

function checkSaved({ name, statement, params }: SavedQuery): void {
  checkName(name);
  checkBytes('the statement of a saved query', statement, SAVED_QUERY_BYTES_MAX);
  if (params === null) return;
  if (!params.startsWith('[')) {
    throw new SqlError('invalid_parameter_value', 'the parameters of a saved query are not a JSON array', {
      hint: 'Give a value for each of $1, $2 …, in their order.',
    });
  }
  checkBytes('the parameters of a saved query', params, SAVED_QUERY_PARAMETERS_BYTES_MAX);
}

function checkName(name: string): void {
  if (name.trim() === '') throw new SqlError('invalid_name', 'the name of a saved query is empty');
  checkBytes('the name of a saved query', name, NAME_BYTES_MAX);
}

function checkBytes(what: string, value: string, most: number): void {
  const size = Buffer.byteLength(value);
  if (size > most) throw tooMuch(`${what} has ${size} bytes; it may have ${most}`);
}

const tooMuch = (message: string): SqlError => new SqlError('program_limit_exceeded', message);

const taken = (name: string): SqlError =>
  new SqlError('duplicate_object', `a saved query is called "${name}" already`, {
    hint: 'Choose another name, or replace it: quern.save_query(…, replace => true).',
  });
