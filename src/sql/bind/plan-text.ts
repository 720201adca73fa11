/** A plan as a few short lines: what the binder's tests compare. EXPLAIN's text is in `plan/explain.ts`. */
import type { Expression } from '../../plan/expression.ts';
import type { Plan, SortKey } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import { formatType } from '../../types/registry.ts';

/** One line a node, inputs indented; columns as #position, outer ones as ^depth#position. */
export function planText(plan: Plan, indent = ''): string {
  const { head, inputs } = describe(plan);
  const names = plan.output.map((column) => column.name).join(', ');
  const lines = [`${indent}${head} → ${names}`, ...inputs.map((input) => planText(input, `${indent}  `))];
  return lines.join('\n');
}

function describe(plan: Plan): { readonly head: string; readonly inputs: readonly Plan[] } {
  switch (plan.kind) {
    case 'values':
      return { head: `values ${plan.rows.map((row) => `(${list(row)})`).join(' ')}`, inputs: [] };
    case 'constants':
      return { head: `constants ${plan.count}`, inputs: [] };
    case 'scan': {
      const arms = plan.arms.map((arm) => {
        return arm.kind === 'keyword'
          ? `${arm.operator}:${arm.output}(${text(arm.query)})`
          : `${arm.kind}(${text(arm.query)})`;
      });
      const partition = plan.partition === null ? '' : `$${plan.partition}`;
      const parts = [`${plan.relation}${partition} [${plan.columns.join(' ')}]`, ...arms];
      return { head: `scan ${parts.join(' ')}${plan.rowNumber ? ' +row' : ''}`, inputs: [] };
    }
    case 'system':
      return { head: `system ${plan.relation}`, inputs: [] };
    case 'stream':
      return { head: 'stream', inputs: [] };
    case 'function':
      return { head: `function ${plan.function}(${list(plan.args)})`, inputs: [] };
    case 'filter':
      return { head: `filter ${text(plan.condition)}`, inputs: [plan.input] };
    case 'project': {
      const sets = plan.sets.map((set) => ` set@${set.position} ${set.function}(${list(set.args)})`);
      return { head: `project ${list(plan.expressions)}${sets.join('')}`, inputs: [plan.input] };
    }
    case 'join': {
      const condition = plan.condition ? ` on ${text(plan.condition)}` : '';
      const head = `join ${plan.join}${plan.lateral ? ' lateral' : ''}${condition}`;
      return { head, inputs: [plan.left, plan.right] };
    }
    case 'aggregate': {
      const calls = plan.aggregates.map((call) => {
        const order = call.order.length > 0 ? ` order ${keys(call.order)}` : '';
        const filter = call.filter ? ` where ${text(call.filter)}` : '';
        return `${call.function}(${call.distinct ? 'distinct ' : ''}${list(call.args)}${order})${filter}`;
      });
      const sets =
        plan.sets.length > 1 ? ` sets ${plan.sets.map((set) => `{${set.join(' ')}}`).join(' ')}` : '';
      return { head: `aggregate by (${list(plan.keys)})${sets} ${calls.join(', ')}`, inputs: [plan.input] };
    }
    case 'window': {
      const calls = plan.calls.map((call) => `${call.function}(${list(call.args)})`).join(', ');
      const head = `window ${calls} by (${list(plan.partition)}) order ${keys(plan.order)}`;
      return { head, inputs: [plan.input] };
    }
    case 'fusion': {
      const options = [plan.count, plan.method, plan.weights, plan.depth].map((one) =>
        one ? text(one) : '-',
      );
      const scores = list(plan.arms.map(({ score }) => score));
      return { head: `fusion of ${scores} ${options.join(' ')}`, inputs: [plan.input] };
    }
    case 'sort':
      return { head: `sort ${keys(plan.keys)}`, inputs: [plan.input] };
    case 'limit': {
      const bounds = [plan.count, plan.offset].map((bound) => (bound ? text(bound) : '-')).join(' ');
      return { head: `limit ${bounds}${plan.ties ? ' with ties' : ''}`, inputs: [plan.input] };
    }
    case 'distinct':
      return { head: `distinct${plan.on ? ` on ${list(plan.on)}` : ''}`, inputs: [plan.input] };
    case 'lock rows': {
      const rows = plan.rows.map(({ rowNumber, lock }) => `#${rowNumber} ${lock?.mode ?? 'read'}`);
      return { head: `lock rows ${rows.join(', ')}`, inputs: [plan.input] };
    }
    case 'set':
      return { head: `${plan.operation}${plan.all ? ' all' : ''}`, inputs: [plan.left, plan.right] };
    case 'with': {
      const term = plan.recursive ? [plan.recursive.term] : [];
      return { head: `with ${plan.id} ${plan.name}`, inputs: [plan.definition, ...term, plan.body] };
    }
    case 'cte':
      return { head: `cte ${plan.id}`, inputs: [] };
    case 'insert': {
      const fresh = plan.undeclared.map(({ name, type }) => `+${name}:${formatType(type)}`);
      const defaults = plan.defaults.map(({ column, value }) => `${column}=${text(value)}`);
      const parts = [`[${[...plan.columns, ...fresh].join(' ')}]`, ...defaults, plan.conflict.action];
      return {
        head: `insert ${plan.relation} ${parts.join(' ')}${returned(plan.returning)}`,
        inputs: [plan.input],
      };
    }
    case 'update': {
      const set = plan.set.map(({ column, value }) => `${column}=${text(value)}`);
      const fresh = plan.undeclared.map(({ name, value }) => `+${name}=${text(value)}`);
      const head = `update ${plan.relation} ${[...set, ...fresh].join(' ')} row #${plan.rowNumber}`;
      return { head: `${head}${returned(plan.returning)}`, inputs: [plan.input] };
    }
    case 'delete':
      return {
        head: `delete ${plan.relation} row #${plan.rowNumber}${returned(plan.returning)}`,
        inputs: [plan.input],
      };
    case 'merge':
      return {
        head: `merge ${plan.relation} row #${plan.rowNumber} action #${plan.action}${returned(plan.returning)}`,
        inputs: [plan.input, ...plan.actions],
      };
  }
}

function returned(returning: readonly Expression[] | null): string {
  return returning ? ` returning ${list(returning)}` : '';
}

function list(expressions: readonly Expression[]): string {
  return expressions.map(text).join(', ');
}

function keys(sort: readonly SortKey[]): string {
  return sort
    .map(
      (key) =>
        `${text(key.expression)}${key.descending ? ' desc' : ''}${key.nullsFirst ? ' nulls first' : ''}`,
    )
    .join(', ');
}

/** An expression in short. */
function text(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return `${datumText(expression.value)}:${formatType(expression.type)}`;
    case 'parameter':
      return `$${expression.index + 1}:${formatType(expression.type)}`;
    case 'column':
      return `#${expression.index}`;
    case 'outer':
      return `^${expression.depth}#${expression.index}`;
    case 'call':
      return `${expression.function.replace(/\(.*/, '')}(${list(expression.args)})`;
    case 'cast':
      return `${text(expression.input)}::${formatType(expression.type)}`;
    case 'and':
    case 'or':
      return `(${expression.args.map(text).join(` ${expression.kind} `)})`;
    case 'not':
      return `not ${text(expression.input)}`;
    case 'is':
      return `${text(expression.input)} is ${expression.negated ? 'not ' : ''}${expression.test}`;
    case 'case': {
      const branches = expression.branches.map(({ when, then }) => `when ${text(when)} then ${text(then)}`);
      const rest = expression.otherwise ? ` else ${text(expression.otherwise)}` : '';
      return `case ${branches.join(' ')}${rest} end`;
    }
    case 'coalesce':
      return `coalesce(${list(expression.args)})`;
    case 'in':
      return `${text(expression.input)} ${expression.negated ? 'not ' : ''}in (${list(expression.items)})`;
    case 'array':
      return `[${list(expression.elements)}]`;
    case 'row':
      return `row(${list(expression.fields)})`;
    case 'quantified': {
      const operator = expression.operator.replace(/\(.*/, '');
      return `${text(expression.left)} ${operator} ${expression.quantifier} ${text(expression.array)}`;
    }
    case 'subquery': {
      const compare = expression.compare ? ` ${text(expression.compare)}` : '';
      const correlated = expression.correlated ? ' correlated' : '';
      const marks = `${expression.negated ? 'not ' : ''}${expression.form}${correlated}`;
      return `{${marks}${compare} ${planText(expression.plan).replace(/\n\s*/g, ' | ')}}`;
    }
  }
}

function datumText(value: Datum): string {
  if (value instanceof Float32Array) return `[${[...value].join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
  }
  return String(value);
}
