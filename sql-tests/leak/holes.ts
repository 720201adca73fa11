/**
 * Servers without one of their checks: that the comparison finds each of them shows that it would find a check that was
 * forgotten. Preloaded into a server (`--import`), this module changes the named source text as it is loaded.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Hole {
  /** Below `src`. */
  readonly file: string;
  /** Stands there once. */
  readonly text: string;
  readonly without: string;
}

export const HOLES: Readonly<Record<string, Hole>> = {
  'rules of scans': {
    file: 'execute/scan/shown-rows.ts',
    text: '  if (of.rule === null) {',
    without: '  if (of !== null) {',
  },
  'rules of rows found by their key': {
    file: 'execute/scan/scan.ts',
    text: '  if (rule === null) return found;',
    without: '  if (rule !== undefined) return found;',
  },
  "rules of a dataset's documents for what is in them": {
    file: 'sql/bind/relation/row-security.ts',
    text: '  if (documents === null || ruled(state, documents) === null) return null;',
    without: '  if (documents !== undefined) return null;',
  },
  'counts of rows and samples of values': {
    file: 'catalog/system/seen-facts.ts',
    text: '  if (isSuperuser(catalog, role)) return facts;',
    without: '  if (role !== -1) return facts;',
  },
  'names of fields': {
    file: 'session/rights/seen-fields.ts',
    text: 'const isHidden = column.undeclared &&',
    without: 'const isHidden = column.undeclared === null &&',
  },
  'estimates of plans': {
    file: 'session/running/planner.ts',
    text: 'const isHidden = relation !== undefined &&',
    without: 'const isHidden = relation === null &&',
  },
  'rights on relations and columns': {
    file: 'session/rights/check.ts',
    text: '  for (const right of rights) if (!holds(catalog, right.as ?? role, right)) throw denied(catalog, right);',
    without: '',
  },
  'statistics of columns without a grant': {
    file: 'catalog/system/rows/statistics.ts',
    text: '|| !mayRead(catalog, role, relation.oid, attribute)',
    without: '',
  },
  "limits of a key's collections": {
    file: 'session/scope/key-limits.ts',
    text: '  if (!reachesRelation(scope, catalog, relation)) {',
    without: '  if (scope === null) {',
  },
  "limits of a key's partitions": {
    file: 'session/scope/limited-facts.ts',
    text: '    partitions === null || (partition',
    without: '    partitions !== undefined || (partition',
  },
  'whose what is kept of requests is': {
    file: 'sql/bind/relation/row-security.ts',
    text: '    return ownRows({ catalog, role: roleInEffect(state), key }, ownership);',
    without: '    return null;',
  },
  'by which key something was asked': {
    file: 'sql/bind/relation/own-rows.ts',
    text: 'const ofKey = ({ key }: Reader): string =>',
    without: "const ofKey = ({ key }: Reader): string => 'true' ||",
  },
  'what kept answers cite': {
    file: 'sql/bind/relation/own-rows.ts',
    text: '  if (cited === undefined) return',
    without: '  if (cited !== null) return',
  },
  'what else is kept of requests': {
    file: 'catalog/private-relations.ts',
    text: '  if (namespace === NAMESPACE_OID.quern) return true;',
    without: '  if (namespace === NAMESPACE_OID.quern) return false;',
  },
  'whose runs and evaluations are': {
    file: 'session/rights/own-rows.ts',
    text: '  return role !== null && key === own &&',
    without: '  return true || (role !== null && key === own) ||',
  },
  'who research acts as': {
    file: 'session/rights/starter.ts',
    text: '    ...{ role: session, acting: current,',
    without: '    ...{ role: 10, acting: 10,',
  },
  'rows that suggestions are made of': {
    file: 'session/running/typed-text-services.ts',
    text: 'using snapshot = await shownSnapshot(statement, relation, partition);\n    const found',
    without: 'using snapshot = statement.session.block.require().snapshot();\n    const found',
  },
  'ways of scans with rules': {
    file: 'physical/explain/explain.ts',
    text: 'isRuled(plan) ? NO_FACTS : searchFacts(plan, options)',
    without: 'plan === null ? NO_FACTS : searchFacts(plan, options)',
  },
};

const SOURCES = join(import.meta.dirname, '../../src');

/** @throws Error where the check no longer stands there. */
export function checkHole(name: string): void {
  const { file, text } = HOLES[name] as Hole;
  const times = readFileSync(join(SOURCES, file), 'utf8').split(text).length - 1;
  if (times !== 1) throw new Error(`${file} has ${times} times what hole "${name}" takes out`);
}

/** Environment of a server with the hole. */
export const holeEnvironment = (name: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  QUERN_TEST_HOLE: name,
});

const { QUERN_TEST_HOLE } = process.env;
if (QUERN_TEST_HOLE !== undefined) {
  const hole = HOLES[QUERN_TEST_HOLE] as Hole;
  const url = pathToFileURL(join(SOURCES, hole.file)).href;
  registerHooks({
    load(asked, context, next) {
      const loaded = next(asked, context);
      if (asked !== url) return loaded;
      return { ...loaded, source: String(loaded.source).replace(hole.text, () => hole.without) };
    },
  });
}
