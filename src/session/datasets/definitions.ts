/** CREATE, ALTER and DROP DATASET: a dataset is a schema with relations of fixed shape. */
import { applyEdit } from '../../catalog/edit/edit.ts';
import { findNamespace } from '../../catalog/lookup.ts';
import type { Catalog, Dataset } from '../../catalog/model.ts';
import { outsideIndexRefused } from '../../catalog/outside.ts';
import { SqlError } from '../../errors.ts';
import type { WithOption } from '../../sql/ast.ts';
import { OID } from '../../types/oids.ts';
import { rowsOf } from '../running/internal-statement.ts';
import { outsideIndexOf } from '../outside/of-key.ts';
import { FixedResult, type Running } from '../running/running.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import type { StatementCall } from '../statements/statement-call.ts';
import { ANSWERS_OF_DROPPED } from '../answers/relations.ts';
import { domainsOption } from './domains.ts';
import { TERM_TABLES } from './terms/relations.ts';
import { CELL_VIEW, cellView } from './table-relations.ts';
import { DATASET_RELATIONS, datasetRelations, datasetSchema, INGEST_CHANNEL } from './relations.ts';

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;
const DESCRIPTION_CHARACTERS_MAX = 10_000;

export async function createDataset(call: StatementCall<'create dataset'>): Promise<Running> {
  const { session, statement, tree } = call;
  const { name, ifNotExists, options, at } = tree;
  checkName(name, at);
  const { model = null, outside = true, ...given } = optionsOf(session, options);
  const known = findNamespace(session.catalog(), name);
  if (known?.dataset !== undefined && ifNotExists) {
    notice(statement, `dataset "${name}" already exists, skipping`);
    return new FixedResult('CREATE DATASET');
  }
  if (known?.dataset !== undefined) {
    throw new SqlError('duplicate_object', `dataset "${name}" already exists`, {
      routine: 'dataset_already_exists',
      position: at || undefined,
    });
  }
  const schema = datasetSchema(name);
  await runAll(statement, [`CREATE SCHEMA ${schema}`]);
  const dataset: Dataset = {
    description: '',
    region: session.environment.region,
    createdMicros: String(session.block.startMicros),
    spokenDomains: [],
    ...given,
    ...(outside ? {} : { staysHere: true }),
  };
  await putDataset(statement, name, dataset);
  await runAll(statement, [...datasetRelations(schema, model), cellView(schema)]);
  return new FixedResult('CREATE DATASET');
}

export async function alterDataset(call: StatementCall<'alter dataset'>): Promise<Running> {
  const { session, statement, tree } = call;
  const { name, ifExists, options, at } = tree;
  const { model, outside, ...given } = optionsOf(session, options);
  const known = findNamespace(session.catalog(), name)?.dataset;
  if (known === undefined && ifExists) {
    notice(statement, `dataset "${name}" does not exist, skipping`);
    return new FixedResult('ALTER DATASET');
  }
  if (known === undefined) throw unknownDataset(session.catalog(), name, at);
  const { staysHere, ...rest } = known;
  const stays = outside === undefined ? staysHere === true : !outside;
  const index = stays ? outsideIndexOf(session, name) : undefined;
  if (index !== undefined) throw outsideIndexRefused(name, index);
  await putDataset(statement, name, { ...rest, ...given, ...(stays && { staysHere: true }) });
  if (model !== undefined) {
    const action = `ALTER COLUMN passage SET EMBEDDING MODEL '${model.replaceAll("'", "''")}'`;
    await runAll(statement, [`ALTER TABLE ${datasetSchema(name)}.chunks ${action}`]);
  }
  return new FixedResult('ALTER DATASET');
}

export async function dropDataset(call: StatementCall<'drop dataset'>): Promise<Running> {
  const { session, statement, tree } = call;
  for (const name of tree.names) {
    if (findNamespace(session.catalog(), name)?.dataset !== undefined) {
      const schema = datasetSchema(name);
      const tables = DATASET_RELATIONS.map((table) => `${schema}.${table}`);
      await runAll(
        statement,
        tree.cascade
          ? [`DROP SCHEMA ${schema} CASCADE`]
          : [
              `DROP VIEW IF EXISTS ${schema}.${CELL_VIEW}`,
              `DROP TABLE ${tables.join(', ')}`,
              `DROP SCHEMA ${schema}`,
            ],
      );
      // After the relations, as jobs do: each would wait for the other.
      for (const sql of [...ROWS_OF_DROPPED, ...ANSWERS_OF_DROPPED]) {
        const parameters = [[OID.text, name]] as const;
        await rowsOf(statement, sql, { parameters, asServer: true, seesAll: true });
      }
      session.notifications.notify(INGEST_CHANNEL, name);
    } else if (tree.ifExists) notice(statement, `dataset "${name}" does not exist, skipping`);
    else throw unknownDataset(session.catalog(), name, tree.at);
  }
  session.environment.inference.forgetPassages?.();
  return new FixedResult('DROP DATASET');
}

/** @param $1 the dataset. */
const ROWS_OF_DROPPED = ['handles', 'ingest_turns', ...TERM_TABLES].map(
  (relation) => `DELETE FROM quern.${relation} WHERE dataset = $1`,
);

const NAMES_LISTED_MAX = 20;

/** 42704, with the names there are. */
export function unknownDataset({ namespaces }: Catalog, name: string, position?: number): SqlError {
  const names = namespaces.filter(({ dataset }) => dataset !== undefined).map((known) => known.name);
  const some = names.toSorted().slice(0, NAMES_LISTED_MAX);
  const more = names.length > some.length ? ', …: quern.datasets lists them all' : '';
  return new SqlError('undefined_object', `dataset "${name}" does not exist`, {
    routine: 'dataset_not_found',
    position: position || undefined,
    hint:
      names.length === 0
        ? 'There is none yet: CREATE DATASET makes one.'
        : `There ${names.length === 1 ? 'is' : 'are'} ${some.join(', ')}${more}.`,
  });
}

/** @throws SqlError 42602. */
function checkName(name: string, at: number): void {
  if (NAME.test(name)) return;
  throw new SqlError('invalid_name', `invalid dataset name "${name}"`, {
    position: at || undefined,
    hint: 'Names have letters, digits, "_", "-" and ".", and begin with a letter or digit.',
  });
}

interface Given {
  readonly description?: string;
  readonly region?: string;
  readonly model?: string;
  readonly domains?: readonly string[] | null;
  readonly outside?: boolean;
}

/** @throws SqlError 22023, 42704 for another region, or a model that is not there. */
function optionsOf({ environment }: SessionState, options: readonly WithOption[]): Given {
  let given: Given = {};
  for (const { at, name, value } of options) {
    const wrong = (message: string, hint?: string): SqlError =>
      new SqlError('invalid_parameter_value', message, { position: at || undefined, hint });
    if (name === 'description') {
      if (value.length > DESCRIPTION_CHARACTERS_MAX) {
        throw wrong(`a description has at most ${DESCRIPTION_CHARACTERS_MAX} characters`);
      }
      given = { ...given, description: value };
    } else if (name === 'region') {
      if (value !== environment.region) {
        const message = `this server holds region "${environment.region}", not "${value}"`;
        throw wrong(
          message,
          `Connect to the server of region "${value}": ${value}.sql.<your service's domain>.`,
        );
      }
      given = { ...given, region: value };
    } else if (name === 'embedding_model') {
      environment.inference.model(value);
      given = { ...given, model: value };
    } else if (name === 'outside') {
      given = { ...given, outside: outsideValue(value, wrong) };
    } else if (name === 'domains') {
      given = { ...given, domains: domainsOption(value, at) };
    } else {
      const known = 'There are description, region, embedding_model, domains and outside.';
      throw wrong(`unrecognized parameter "${name}"`, known);
    }
  }
  return given;
}

function outsideValue(value: string, wrong: (message: string) => SqlError): boolean {
  const isOn = ['on', 'true', 'yes', '1'].includes(value.toLowerCase());
  if (isOn || ['off', 'false', 'no', '0'].includes(value.toLowerCase())) return isOn;
  throw wrong(`outside is on or off, not "${value}"`);
}

function notice(statement: Statement, message: string): void {
  statement.notice({ severity: 'NOTICE', condition: 'successful_completion', message });
}

async function runAll(statement: Statement, texts: readonly string[]): Promise<void> {
  for (const text of texts) await rowsOf(statement, text, { parameters: [], asServer: true });
}

async function putDataset({ session, signal }: Statement, name: string, dataset: Dataset): Promise<void> {
  const edit = { edit: 'put dataset', namespace: name, dataset } as const;
  await session.block.require().changeCatalog((catalog) => applyEdit(catalog, edit), signal);
}
