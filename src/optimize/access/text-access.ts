/** Scans look for what a LIKE pattern or a regular expression must contain in an ngram index. */
import { likePieces, regexpPieces } from '../../functions/text/literal-pieces.ts';
import type { Plan, Scan } from '../../plan/plan.ts';
import { type TextCondition, textCondition } from '../../plan/text-condition.ts';
import { conjuncts } from '../conditions.ts';
import type { OptimizerContext, Rule } from '../rule.ts';
import { Selectivity } from '../selectivity.ts';

export const textAccess: Rule = {
  name: 'text-access',
  summary: 'Finds rows by parts of their text in an ngram index.',
  rewrite: (plan, context) => (plan.kind === 'scan' ? withText(plan, context) : plan),
};

/** Bytes of a trigram. */
const PIECE_BYTES_MIN = 3;
/** Where an order is expected to keep so many of the rows, candidates of texts are no better. */
const ORDER_SHARE_MIN = 0.001;

function withText(scan: Scan, context: OptimizerContext): Plan {
  const { filter, access, lookup } = scan;
  if (filter === null || lookup !== null || access?.kind === 'text') return scan;
  if (access?.kind === 'order') {
    const share = access.first === undefined ? new Selectivity(scan, context).of(filter) : 0;
    if (share < ORDER_SHARE_MIN) return scan;
  }
  for (const condition of conjuncts(filter)) {
    const found = textCondition(condition);
    const attribute = found === null ? undefined : scan.columns[found.column];
    if (found === null || attribute === undefined || !saysEnough(found)) continue;
    const indexes = context.catalog.relations.get(scan.relation)?.indexes ?? [];
    const index = indexes.find(
      ({ kind, columns, shape }) => kind === 'ngram' && columns[0] === attribute && !shape?.where,
    );
    if (index !== undefined) return { ...scan, access: { kind: 'text', index: index.oid, attribute } };
  }
  return scan;
}

/** True also where the value is not known yet. */
function saysEnough({ form, wanted }: TextCondition): boolean {
  if (wanted.kind !== 'literal') return true;
  if (typeof wanted.value !== 'string') return false;
  if (form === 'alike') return true;
  const text = wanted.value;
  const pieces = form === 'like' ? likePieces(text) : form === 'regexp' ? regexpPieces(text) : [text];
  return pieces.some((piece) => Buffer.byteLength(piece) >= PIECE_BYTES_MIN);
}
