/**
 * Test files that are not quick, and how a run is made shorter: a sliced file runs one of its slices, a file that takes
 * turns runs in one of so many runs. Which ones is told by QUERN_TEST_SEED, which `./scripts/test` sets; where it is
 * not set, everything runs. All other files are quick, new ones too: `npm run quick` runs them, many to a process, and
 * one that takes too much processor time there fails until it is faster or stands here.
 */
import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Run whole: they start servers and programs, or compute for long. */
const WHOLE: readonly string[] = [
  'sql-tests/{actors,attack,clients,command,console,docs,dump,faults,fuzz,histories,isolation,psql,roles,simulation,wire}/**',
  'sql-tests/*.test.ts',
  'sql-tests/catalog/database-size.test.ts',
  'sql-tests/tables/questions.test.ts',
  'sql-tests/statements/{executor,explain-score,filtered-ranking}.test.ts',
  'src/ask/cells/wrong-answers.test.ts',
  'src/ask/model/{gguf,model}.test.ts',
  'src/ask/research/{loop,research,written}.test.ts',
  'src/data-{folder,keys}.test.ts',
  'src/engine/embedded/merge/{index-builds,seal-anew}.test.ts',
  'src/engine/embedded/tampering.test.ts',
  'src/engine/laws.test.ts',
  'src/execute/expression/call-helpers.test.ts',
  'src/execute/ranking/top-k.test.ts',
  'src/execute/scan/{order-access,text-access}.test.ts',
  'src/execute/spill/statements.test.ts',
  'src/index/vectors/graph.test.ts',
  'src/http/{sql,uploads}/*.test.ts',
  'src/inference/{models,unigram}.test.ts',
  'src/ingest/{*,ocr/*,parse/parser,subjects/*,tables/*}.test.ts',
  'src/session/answers/answers.test.ts',
  'src/session/audit/audit.test.ts',
  'src/session/builds/{embedding-builds,endpoint-model}.test.ts',
  'src/session/evaluation/evaluation.test.ts',
  'src/session/datasets/search.test.ts',
  'src/session/running/large-values.test.ts',
  'src/session/shapes-property.test.ts',
  'src/sql/parse/service.test.ts',
  'src/storage/held-files.test.ts',
];

/** To the number of slices. These call `sliced`. */
const SLICED: Readonly<Record<string, number>> = {
  'sql-tests/dump/dump.test.ts': 2,
  'sql-tests/faults/kill.test.ts': 3,
  'sql-tests/faults/mutations.test.ts': 5,
  'sql-tests/leak/leak.test.ts': 4,
  'sql-tests/regress.test.ts': 8,
  'sql-tests/scripts.test.ts': 4,
  'sql-tests/simulation/simulation.test.ts': 5,
  'sql-tests/suites.test.ts': 5,
  'src/ask/research/jobs.test.ts': 3,
  'src/engine/embedded/recovery.test.ts': 5,
  'src/engine/embedded/transaction/staging.test.ts': 3,
  'src/execute/rows/constant-rows.test.ts': 3,
  'src/session/serializable.test.ts': 3,
};

/** To the number of runs of which one has them. */
const TURNS: Readonly<Record<string, number>> = {
  'scripts/package.test.ts': 3,
  'sql-tests/attack/jobs-identity.test.ts': 2,
  'sql-tests/attack/own-rows.test.ts': 2,
  'sql-tests/attack/reader-routes.test.ts': 2,
  'sql-tests/clients/langchain-js.test.ts': 2,
  'sql-tests/clients/mcp.test.ts': 2,
  'sql-tests/clients/quern-client-faults.test.ts': 2,
  'sql-tests/clients/quern-client.test.ts': 2,
  'sql-tests/clients/quern-ecosystem.test.ts': 3,
  'sql-tests/clients/quern-python.test.ts': 2,
  'sql-tests/clients/recorded.test.ts': 2,
  'sql-tests/command/citations.test.ts': 2,
  'sql-tests/command/command-line.test.ts': 2,
  'sql-tests/command/interrupts.test.ts': 2,
  'sql-tests/command/pipes.test.ts': 2,
  'sql-tests/command/uploads.test.ts': 2,
  'sql-tests/console/collections.test.ts': 2,
  'sql-tests/console/first-start.test.ts': 2,
  'sql-tests/console/hostile.test.ts': 3,
  'sql-tests/console/journeys.test.ts': 2,
  'sql-tests/console/looks.test.ts': 2,
  'sql-tests/console/results.test.ts': 2,
  'sql-tests/console/saved-queries.test.ts': 2,
  'sql-tests/docs/examples.test.ts': 2,
  'sql-tests/faults/bad-input.test.ts': 2,
  'sql-tests/faults/dataset-kill.test.ts': 2,
  'sql-tests/faults/memory.test.ts': 2,
  'sql-tests/faults/statements.test.ts': 2,
  'sql-tests/faults/vector-kill.test.ts': 2,
  'sql-tests/tables/questions.test.ts': 2,
  'src/ask/model/gguf.test.ts': 2,
  'src/engine/embedded/merge/index-builds.test.ts': 2,
  'src/execute/spill/statements.test.ts': 2,
  'src/ingest/embedding-model.test.ts': 2,
  'src/ingest/freshness.test.ts': 2,
  'src/ingest/life-cycle.test.ts': 2,
  'src/ingest/page-drawer.test.ts': 2,
  'src/ingest/parse/parser.test.ts': 2,
  'src/ingest/passwords.test.ts': 2,
  'src/ingest/subjects/subjects.test.ts': 2,
  'src/ingest/tables/tables.test.ts': 2,
  'src/ingest/upgrade.test.ts': 2,
  'src/ingest/written-by-ingestion-only.test.ts': 2,
};

export const SLOW_FILES: readonly string[] = [...WHOLE, ...Object.keys(SLICED), ...Object.keys(TURNS)];

/** Null: everything runs. */
const seed = (): number | null =>
  process.env.QUERN_TEST_SEED === undefined ? null : Number(process.env.QUERN_TEST_SEED);

/** A line of what `sliced` tells `./scripts/test`. */
export interface Slice {
  readonly file: string;
  readonly slice: number;
  readonly slices: number;
  /** The unit of `ran` and `all`: tests, or parts of one test. */
  readonly of: string;
  readonly ran: number;
  readonly all: number;
}

/**
 * @param meta the test file's own `import.meta`
 * @param of where `all` are parts of one test, their name
 * @returns those of `all` that run this time
 */
export function sliced<T>(meta: ImportMeta, all: readonly T[], of = 'tests'): readonly T[] {
  const file = relative(ROOT, meta.filename);
  const slices = SLICED[file];
  if (slices === undefined)
    throw new Error(`sql-tests/slow-tests.ts does not say how many slices ${file} has`);
  const given = seed();
  if (given === null) return all;
  const slice = given % slices;
  const chosen = all.filter((_, i) => i % slices === slice % Math.min(slices, all.length));
  const log = process.env.QUERN_TEST_SLICES;
  const told: Slice = { file, slice: slice + 1, slices, of, ran: chosen.length, all: all.length };
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(told)}\n`);
  return chosen;
}

/** Files whose turn it is not. */
export function filesLeftOut(): readonly string[] {
  const given = seed();
  if (given === null) return [];
  return Object.entries(TURNS).flatMap(([file, turns], i) => ((given + i) % turns === 0 ? [] : [file]));
}
