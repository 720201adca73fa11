/** Facts of the session and its surroundings for system relations: `pg_settings`, `pg_stat_activity` … */
import { roleByOid } from '../catalog/access/roles.ts';
import type { KeyFact, SettingFact, SystemFacts } from '../catalog/system/context.ts';
import type { Snapshot } from '../engine/engine.ts';
import { ANSWER_DAYS_KEPT, CALL_DAYS_KEPT } from '../limits.ts';
import { howToMake, listOfModels } from '../inference/absent-model.ts';
import type { Environment } from './environment.ts';
import type { ApiKey } from './sign-in/key-record.ts';
import { visibleKeys } from './sign-in/key-rights.ts';
import type { ServerSettings } from './settings/settings.ts';
import { SETTINGS, type SettingRow } from './settings/table.ts';
import type { SessionState } from './session-state.ts';

export function systemFacts(session: SessionState, snapshot: Snapshot): SystemFacts {
  const { engine } = session.environment;
  return {
    region: () => session.environment.region,
    partitions: (relation) => snapshot.partitions(relation),
    partitionCreatedMs: (relation, partition) => snapshot.partitionCreatedMs(relation, partition),
    lsn: (relation, partition) => engine.lsn(relation, partition),
    size: (relation, partition) => engine.size(relation, partition),
    statistics: (relation) => engine.statistics(relation),
    settings: () => SETTINGS.map((setting) => settingFact(session, setting)),
    locks: () => engine.locks(),
    indexBuilds: () => [...engine.indexBuilds(), ...session.directory.embeddingBuilds.facts()],
    caches: () => engine.memory().caches,
    temporaryFiles: () => session.environment.temporaryFiles.written,
    segments: (relation) => engine.segments(relation),
    sessions: () => session.directory.activity(),
    apiKeys: () => visibleKeys(session).map((key) => keyFact(session, key)),
    preparedStatements: () =>
      [...session.prepared.all()]
        .filter((statement) => statement.name !== '')
        .map((statement) => ({
          name: statement.name,
          statement: statement.parsed?.text ?? '',
          preparedMicros: statement.preparedMicros,
          parameterTypes: statement.parameters,
          resultTypes: statement.columns?.map((column) => column.type.oid) ?? null,
          fromSql: statement.fromSql,
        })),
    cursors: () =>
      [...session.cursors.all()].map(({ options }) => ({
        name: options.name,
        statement: options.text,
        hold: options.hold,
        binary: false,
        scroll: options.scroll,
        createdMicros: options.createdMicros,
      })),
  };
}

function keyFact(session: SessionState, { secrets, ...key }: ApiKey): KeyFact {
  const ends = secrets.flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs]));
  return {
    ...key,
    prefix: secrets.at(-1)?.prefix ?? '',
    role: roleByOid(session.catalog(), key.role)?.name ?? '',
    oldUntilMs: ends.at(-1) ?? null,
  };
}

/** Settings that depend on how the server was started. */
export function serverSettings({
  engine,
  inference,
  answerDays = ANSWER_DAYS_KEPT,
  callDays = CALL_DAYS_KEPT,
}: Environment): ServerSettings {
  const models = inference.models();
  const told = listOfModels(models, 'Available values:');
  return {
    defaults: new Map([
      ['quern.memory', String(Math.floor(engine.memory().limit / 1024))],
      ['quern.embedding_model', inference.defaultModel],
      ['quern.answer_days', String(answerDays)],
      ['quern.call_days', String(callDays)],
      ['quern.keep_answers', answerDays === 0 ? 'off' : 'on'],
    ]),
    choices: new Map([
      ['quern.embedding_model', { values: models, hint: (name) => `${howToMake(name)}${told}` }],
    ]),
  };
}

function settingFact(session: SessionState, { name, kind, ...row }: SettingRow): SettingFact {
  return {
    name,
    value: session.settings.get(name),
    default: session.settings.defaultOf(name),
    type: kind.type === 'special' ? 'string' : kind.type,
    unit: kind.type === 'integer' ? (kind.unit ?? null) : null,
    summary: row.summary,
    values: kind.type === 'enum' ? kind.values : null,
    context: row.context,
  };
}
