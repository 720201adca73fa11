/**
 * `node scripts/function-table.ts`: writes docs/functions.md, every function and operator of the registry with
 * its arguments, result, summary and example.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Example } from '../src/functions/function.ts';
import {
  allAggregates,
  allFunctions,
  allOperators,
  allSetFunctions,
  allWindowFunctions,
} from '../src/functions/registry.ts';
import { findType } from '../src/types/registry.ts';

export const FUNCTION_TABLE_PATH = join(import.meta.dirname, '../docs/functions.md');

interface Row {
  readonly name: string;
  readonly args: readonly string[];
  readonly returns: string;
  readonly summary: string;
  readonly example: Example;
  readonly defaults?: readonly string[];
}

/** A type's name as SQL shows it; `...` before a variadic one stays. */
function typeName(name: string): string {
  const [, dots = '', bare = ''] = /^(\.\.\.)?(.*)$/.exec(name) ?? [];
  return dots + (findType(bare)?.displayName ?? bare);
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string): string => `\`${cell(text).replaceAll('`', "'")}\``;

/** Arguments that may be left out stand in brackets. */
function callOf({ name, args, defaults = [] }: Row): string {
  const shown = args.map(typeName);
  const required = args.length - defaults.length;
  const optional = shown.slice(required).map((type, i) => (required + i === 0 ? `[${type}]` : `[, ${type}]`));
  return `${name}(${shown.slice(0, required).join(', ')}${optional.join('')})`;
}

function line(
  call: string,
  { returns, summary, example: [sql, result] }: Omit<Row, 'name' | 'args'>,
): string {
  const shown = result === null ? 'NULL' : result === '' ? "''" : result;
  return `| ${code(call)} | ${code(typeName(returns))} | ${cell(summary)} | ${code(`${sql} → ${shown}`)} |`;
}

function section(title: string, lines: readonly string[]): string {
  const sorted = [...new Set(lines)].sort((a, b) => (a < b ? -1 : 1));
  return [
    `## ${title}`,
    '',
    '| Call | Result | What it gives | Example |',
    '|---|---|---|---|',
    ...sorted,
  ].join('\n');
}

const calls = (rows: readonly Row[]): string[] => rows.map((row) => line(callOf(row), row));

/** The whole page. */
export function functionTable(): string {
  const operators = allOperators().map((row) => {
    const left = row.left === undefined ? '' : `${typeName(row.left)} `;
    return line(`${left}${row.name} ${typeName(row.right)}`, row);
  });
  const page = [
    '# Functions and operators',
    'Written by `node scripts/function-table.ts` from the tables of `src/functions`; every example runs as a test.',
    section('Functions', calls(allFunctions())),
    section('Operators', operators),
    section('Aggregates', calls(allAggregates())),
    section('Set-returning functions', calls(allSetFunctions())),
    section('Window functions', calls(allWindowFunctions())),
  ];
  return `${page.join('\n\n')}\n`;
}

if (import.meta.main) {
  mkdirSync(join(FUNCTION_TABLE_PATH, '..'), { recursive: true });
  writeFileSync(FUNCTION_TABLE_PATH, functionTable());
}
