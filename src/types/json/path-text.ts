/** SQL/JSON paths as PostgreSQL writes them (jsonpath_out of jsonpath.c), the type's row, parsed paths by text. */
import { QuickCache } from '../../bounded-cache.ts';
import { unreachable } from '../../assert.ts';
import { checkText, decodeText, encodeText } from '../column/bytes.ts';
import {
  type ArithmeticOperator,
  isPathCondition,
  type JsonPath,
  type PathNode,
  type PathStep,
} from './path.ts';
import { parseJsonPath } from './path-parser.ts';
import { formatNumeric } from '../number/numeric.ts';
import { OID } from '../oids.ts';
import { TEXT_CODEC } from '../text/text.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary } from '../type-errors.ts';

const VERSION = 1;
const PARSED_MAX = 1_000;
const SUMS: readonly ArithmeticOperator[] = ['+', '-'];

function priority(node: PathNode): number {
  if (node.kind === 'or') return 0;
  if (node.kind === 'and') return 1;
  if (node.kind === 'comparison' || node.kind === 'startsWith') return 2;
  if (node.kind === 'arithmetic') return SUMS.includes(node.operator) ? 3 : 4;
  return node.kind === 'sign' ? 5 : 6;
}

/** An operand in parentheses where it binds no closer than its operator. */
const operandText = (node: PathNode, parent: PathNode): string =>
  nodeText(node, priority(node) <= priority(parent));

/** @param brackets operators get parentheses. */
function nodeText(node: PathNode, brackets: boolean): string {
  const bracketed = (text: string): string => (brackets ? `(${text})` : text);
  const binary = (operator: string, left: PathNode, right: PathNode): string =>
    bracketed(`${operandText(left, node)} ${operator} ${operandText(right, node)}`);
  switch (node.kind) {
    case 'literal':
      if (typeof node.value === 'string') return JSON.stringify(node.value);
      return typeof node.value === 'object' && node.value !== null
        ? formatNumeric(node.value)
        : String(node.value);
    case 'variable':
      return `$${JSON.stringify(node.name)}`;
    case 'root':
      return '$';
    case 'current':
      return '@';
    case 'last':
      return 'last';
    case 'path':
      return baseText(node.base) + node.steps.map(stepText).join('');
    case 'arithmetic':
    case 'comparison':
      return binary(node.operator, node.left, node.right);
    case 'and':
      return binary('&&', node.left, node.right);
    case 'or':
      return binary('||', node.left, node.right);
    case 'startsWith':
      return binary('starts with', node.left, node.right);
    case 'sign':
      return bracketed(node.operator + operandText(node.operand, node));
    case 'not':
      return `!(${nodeText(node.operand, false)})`;
    case 'unknown':
      return `(${nodeText(node.operand, false)}) is unknown`;
    case 'exists':
      return `exists (${nodeText(node.operand, false)})`;
    case 'likeRegex': {
      const flags = node.flags === '' ? '' : ` flag "${node.flags}"`;
      return bracketed(
        `${operandText(node.operand, node)} like_regex ${JSON.stringify(node.pattern)}${flags}`,
      );
    }
    default:
      return unreachable(node);
  }
}

function baseText(base: PathNode): string {
  const text = nodeText(base, true);
  const isNumber = base.kind === 'literal' && typeof base.value === 'object' && base.value !== null;
  return isNumber || (isPathCondition(base) && !text.startsWith('(')) ? `(${text})` : text;
}

function levels(first: number, last: number): string {
  const shown = (level: number): string => (level === Number.POSITIVE_INFINITY ? 'last' : String(level));
  if (first === 0 && last === Number.POSITIVE_INFINITY) return '**';
  return first === last ? `**{${shown(first)}}` : `**{${shown(first)} to ${shown(last)}}`;
}

function stepText(step: PathStep): string {
  switch (step.kind) {
    case 'key':
      return `.${JSON.stringify(step.name)}`;
    case 'anyKey':
      return '.*';
    case 'anyElement':
      return '[*]';
    case 'elements': {
      const ranges = step.ranges.map(({ from, to }) =>
        to === null ? nodeText(from, false) : `${nodeText(from, false)} to ${nodeText(to, false)}`,
      );
      return `[${ranges.join(',')}]`;
    }
    case 'descendants':
      return `.${levels(step.first, step.last)}`;
    case 'filter':
      return `?(${nodeText(step.condition, false)})`;
    case 'method': {
      const args = step.args.map((arg) => (typeof arg === 'string' ? JSON.stringify(arg) : String(arg)));
      return `.${step.name}(${args.join(',')})`;
    }
    default:
      return unreachable(step);
  }
}

/** PostgreSQL's canonical text. */
function formatJsonPath(path: JsonPath): string {
  return `${path.lax ? '' : 'strict '}${nodeText(path.root, true)}`;
}

/** Parsed paths by text, so that a column of rows parses one path once. */
const PATHS = new QuickCache<string, JsonPath>(PARSED_MAX);

/** @throws SqlError 42601, 22P02. */
export const jsonPathOf = (text: string): JsonPath => PATHS.get(text) ?? PATHS.set(text, parseJsonPath(text));

/** The datum is the canonical text. */
export const JSONPATH: SqlType = {
  oid: OID.jsonpath,
  name: 'jsonpath',
  displayName: 'jsonpath',
  arrayOid: 4073,
  category: 'U',
  typlen: -1,
  vector: 'text',
  parse: (text) => formatJsonPath(jsonPathOf(checkText(text))),
  format: TEXT_CODEC.format,
  receive: (bytes) => {
    if (bytes[0] !== VERSION) throw invalidBinary(`unsupported jsonpath version number: ${bytes[0]}`);
    return formatJsonPath(jsonPathOf(decodeText(bytes.subarray(1))));
  },
  send: (datum) => {
    const text = encodeText(datum as string);
    const bytes = new Uint8Array(text.length + 1);
    bytes[0] = VERSION;
    bytes.set(text, 1);
    return bytes;
  },
};
