/** Relations and datasets whose texts go to no endpoint outside, by their option `outside`. */
import { NAMESPACE_OID } from './oids.ts';
import { SqlError } from '../errors.ts';
import type { Catalog, Index, Relation } from './model.ts';

/** The option of a relation's own, or of its dataset. */
export function staysHere({ namespaces }: Pick<Catalog, 'namespaces'>, relation: Relation): boolean {
  if (relation.staysHere === true) return true;
  return namespaces.find(({ oid }) => oid === relation.namespace)?.dataset?.staysHere === true;
}

/** As `reloptions` has it. */
export const OUTSIDE_OFF = 'outside=off';

/** Relations of schema quern with words of documents, of any dataset. */
const ANSWERS: ReadonlySet<string> = new Set([
  'answers',
  'facts',
  'citations',
  'research',
  'research_results',
  'research_steps',
  'evaluation_results',
]);

export const isOfQuern = ({ namespace }: Relation): boolean => namespace === NAMESPACE_OID.quern;

/** True for relations in which Quern keeps answers. */
export const holdsAnswers = (relation: Relation): boolean =>
  isOfQuern(relation) && ANSWERS.has(relation.name);

export const anyDatasetStaysHere = ({ namespaces }: Pick<Catalog, 'namespaces'>): boolean =>
  namespaces.some(({ dataset }) => dataset?.staysHere === true);

/** A semantic index whose model is outside. */
export const outsideIndex = (
  indexes: readonly Index[],
  isOutside: (model: string) => boolean,
): Index | undefined =>
  indexes.find(
    ({ kind, options }) => kind === 'semantic' && options.model !== undefined && isOutside(options.model),
  );

export const outsideIndexRefused = (relation: string, { name, options }: Index): SqlError =>
  new SqlError(
    'insufficient_privilege',
    `texts of "${relation}" may not go outside, where model "${options.model}" of semantic index "${name}" is`,
    { hint: 'Take a model that runs here, or leave outside on.' },
  );
