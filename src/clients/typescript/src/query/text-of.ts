/** Expressions and stages as one would write them. */
import { INSPECT, shownCall, shownFields } from '../shown.ts';
import type { Node, TextPredicate } from './expression.ts';
import type { Aggregate } from './functions.ts';
import type { Stage } from './stages.ts';

/** Text that stands among arguments as it is. */
class Written {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  [INSPECT](): string {
    return this.text;
  }
}

const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
/** Options that are not what they are when they are left out. */
const options = (
  given: Readonly<Record<string, readonly [value: unknown, usual: unknown]>>,
): object | undefined => {
  const told = Object.entries(given).filter(([, [value, usual]]) => value !== usual);
  return told.length === 0 ? undefined : Object.fromEntries(told.map(([name, [value]]) => [name, value]));
};
/** An argument: a value stands for itself. */
const argument = (node: Node): unknown => (node.op === 'literal' ? node.value : new Written(nodeText(node)));

function textPredicate({ kind, field, weight, all, ...given }: TextPredicate): string {
  const words = 'tokens' in given ? given.tokens : given.text;
  const rest = options({ field: [field, null], weight: [weight, 1], all: [all, false] });
  return shownCall(kind === 'tokens' ? 'matchTokens' : kind, words, rest);
}

/** An expression. */
export function nodeText(node: Node): string {
  switch (node.op) {
    case 'field':
      return shownCall('field', node.name);
    case 'literal':
      return shownCall('literal', node.value);
    case 'call': {
      if (node.name === 'all' || node.name === 'any') return shownCall(node.name, node.args.map(argument));
      if (node.name === 'not') return shownCall('not', ...node.args.map(argument));
      const [first, ...others] = node.args;
      return `${first === undefined ? '' : nodeText(first)}.${shownCall(camel(node.name), ...others.map(argument))}`;
    }
    case 'date_part':
      return `${nodeText(node.of)}.${shownCall('datePart', node.unit)}`;
    case 'elapsed':
      return `${nodeText(node.from)}.${shownCall('elapsed', argument(node.to), node.unit)}`;
    case 'regexp_match':
      return `${nodeText(node.of)}.${shownCall('regexpMatch', node.pattern, node.flags || undefined)}`;
    case 'words':
      return `${nodeText(node.of)}.${shownCall(node.all ? 'matchAll' : 'matchAny', node.words)}`;
    case 'text':
      return textPredicate(node.predicate);
    default: {
      const { op, ...given } = node;
      const { field, query, text, ...rest } = given as Record<string, unknown>;
      const more = Object.fromEntries(
        Object.entries(rest).map(([name, value]) => [name, [value, null] as const]),
      );
      return `fn.${shownCall(camel(op), ...[field, query ?? text, options(more)].filter((one) => one !== undefined))}`;
    }
  }
}

const aggregateText = ({ aggregate, of }: Aggregate): Written =>
  new Written(`agg.${shownCall(aggregate, of === null ? undefined : argument(of))}`);

const written = (columns: Iterable<readonly [string, unknown]>): Written => new Written(shownFields(columns));

/** One stage of a query. */
export function stageText(stage: Stage): string {
  switch (stage.kind) {
    case 'select': {
      const isName = (alias: string, node: Node): boolean => node.op === 'field' && node.name === alias;
      const all = [...stage.columns];
      const names = all.filter(([alias, node]) => isName(alias, node)).map(([alias]) => alias);
      const computed = all.filter(([alias, node]) => !isName(alias, node));
      const rest = computed.map(([alias, node]) => [alias, argument(node)] as const);
      return shownCall('select', ...names, rest.length === 0 ? undefined : written(rest));
    }
    case 'filter':
      return shownCall('filter', argument(stage.condition));
    case 'sort':
      return shownCall(
        'sort',
        stage.keys.map(({ of, ascending }) => [argument(of), ascending ? 'asc' : 'desc']),
      );
    case 'limit':
    case 'offset':
      return shownCall(stage.kind, stage.count);
    case 'count':
      return 'count()';
    case 'group_by': {
      const keys = [...stage.keys].map(([alias, node]) => [alias, argument(node)] as const);
      const aggregates = [...stage.aggregates].map(([alias, of]) => [alias, aggregateText(of)] as const);
      return shownCall('groupBy', written(keys), written(aggregates));
    }
  }
}
