/** Statements of the product's own code, run over the wire: for benchmarks that measure one of its steps. */
import type { Client } from 'pg';
import type { Query } from '../src/session/server-session.ts';
import { arrayDatum } from '../src/types/composite/array.ts';
import type { Datum } from '../src/types/datum.ts';
import { OID } from '../src/types/oids.ts';

/** Arrays that come back are of integers. */
export function askOf(client: Client): Query {
  return async (sql, ...parameters) => {
    const { rows } = await client.query(
      sql,
      parameters.map(([, value]) => plain(value)),
    );
    return rows.map((row: object) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          Array.isArray(value) ? arrayDatum(OID.int4, value) : (value as Datum),
        ]),
      ),
    );
  };
}

const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'elements' in value ? value.elements : value;
