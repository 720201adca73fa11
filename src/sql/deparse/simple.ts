/** Which expressions stand without brackets inside of which others: isSimpleNode of ruleutils.c. */
import type { Node } from './node.ts';

const ALWAYS: ReadonlySet<Node['node']> = new Set([
  'column',
  'constant',
  'list',
  'call',
  'case',
  'subscript',
]);

/** Parents whose parts are divided by commas or keywords. */
const DIVIDED: ReadonlySet<Node['node']> = new Set(['call', 'list', 'subscript', 'case']);

/** Only asked for where as few brackets as can be are wanted. */
export function isSimple(node: Node, parent: Node): boolean {
  if (ALWAYS.has(node.node)) return true;
  switch (node.node) {
    case 'syntax':
      return true;
    case 'field':
      return parent.node !== 'field';
    case 'cast':
      return isSimple(node.input, node);
    case 'operator':
      return parent.node === 'operator' ? bindsTighter(node, parent) : isDivided(parent);
    case 'subquery':
    case 'test':
    case 'distinct':
      return isDivided(parent);
    case 'logical':
      return parent.node === 'logical' ? logicalFits(node.word, parent.word) : isOwnBrackets(parent);
    default:
      return false;
  }
}

const isDivided = (parent: Node): boolean => parent.node === 'logical' || isOwnBrackets(parent);

const isOwnBrackets = (parent: Node): boolean => DIVIDED.has(parent.node);

function logicalFits(word: 'AND' | 'OR' | 'NOT', parent: 'AND' | 'OR' | 'NOT'): boolean {
  return word === 'OR' ? parent === 'OR' : parent !== 'NOT';
}

type OperatorNode = Extract<Node, { node: 'operator' }>;

/** PostgreSQL knows the precedence of `+ - * / %` only. */
function bindsTighter(node: OperatorNode, parent: OperatorNode): boolean {
  const inner = precedence(node);
  const outer = precedence(parent);
  if (inner === 0 || outer === 0) return false;
  return inner === outer ? parent.left === node : inner > outer;
}

function precedence({ operator, left }: OperatorNode): number {
  if (left === null || operator.length !== 1) return 0;
  if (operator === '+' || operator === '-') return 1;
  return operator === '*' || operator === '/' || operator === '%' ? 2 : 0;
}
