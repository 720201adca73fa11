/** CREATE SEQUENCE and ALTER SEQUENCE, and the options that IDENTITY columns share with them. */
import { SqlError } from '../../errors.ts';
import type { ColumnDefinition, SequenceOptions, Statement } from '../ast.ts';
import { as, type MapContext, strings } from './context.ts';
import { mapRelationName, mapTypeName } from './names.ts';
import { optionText } from './options.ts';
import type { pg } from '../parse/grammar.ts';

type Option = (context: MapContext, arg: pg.Node | undefined) => Partial<SequenceOptions>;

const ownedBy: Option = (_, arg) => ({ ownedBy: strings(as(arg, 'List')?.items) });

const OPTIONS: Readonly<Record<string, Option>> = {
  as: (context, arg) => ({ type: mapTypeName(context, as(arg, 'TypeName') ?? undefined) }),
  start: (_, arg) => ({ start: optionText(arg) ?? '1' }),
  increment: (_, arg) => ({ increment: optionText(arg) ?? '1' }),
  minvalue: (_, arg) => ({ min: optionText(arg) }),
  maxvalue: (_, arg) => ({ max: optionText(arg) }),
  cache: (_, arg) => ({ cache: optionText(arg) ?? '1' }),
  cycle: (_, arg) => ({ cycle: optionText(arg) === 'true' }),
  restart: (_, arg) => ({ restart: optionText(arg) }),
  owned_by: ownedBy,
};

/** @throws SqlError 42601 for an option given twice. */
export function mapSequenceOptions(
  context: MapContext,
  nodes: readonly pg.Node[] | undefined,
): SequenceOptions {
  const options = (nodes ?? []).map((node) => as(node, 'DefElem')).filter((option) => option !== null);
  const seen = new Set<string>();
  let all: SequenceOptions = {};
  for (const { defname = '', arg, location } of options) {
    if (seen.has(defname)) {
      throw new SqlError('syntax_error', 'conflicting or redundant options', {
        position: context.at(location) || undefined,
      });
    }
    seen.add(defname);
    all = { ...all, ...OPTIONS[defname]?.(context, arg) };
  }
  return all;
}

export function mapCreateSequence(context: MapContext, body: pg.CreateSeqStmt, at: number): Statement {
  return {
    kind: 'create sequence',
    at,
    name: mapRelationName(context, body.sequence),
    temporary: body.sequence?.relpersistence === 't',
    ifNotExists: body.if_not_exists ?? false,
    options: mapSequenceOptions(context, body.options),
  };
}

export function mapAlterSequence(context: MapContext, body: pg.AlterSeqStmt, at: number): Statement {
  return {
    kind: 'alter sequence',
    at,
    name: mapRelationName(context, body.sequence),
    ifExists: body.missing_ok ?? false,
    options: mapSequenceOptions(context, body.options),
  };
}

/** `always` or `by default`, as the grammar's letter says. */
export function identityOf(letter: string | undefined): 'always' | 'by default' {
  return letter === 'a' ? 'always' : 'by default';
}

export function mapIdentity(
  context: MapContext,
  constraint: pg.Constraint | undefined,
): Pick<ColumnDefinition, 'identity' | 'identityOptions'> {
  return {
    identity: constraint === undefined ? null : identityOf(constraint.generated_when),
    identityOptions: mapSequenceOptions(context, constraint?.options),
  };
}

/** `SET GENERATED …, SET INCREMENT …, RESTART`. */
export function mapSetIdentity(context: MapContext, def: pg.Node | undefined) {
  const nodes = as(def, 'List')?.items ?? [];
  const isGenerated = (node: pg.Node): boolean => as(node, 'DefElem')?.defname === 'generated';
  const generated = as(nodes.find(isGenerated), 'DefElem')?.arg;
  const letter = generated === undefined ? null : String.fromCharCode(Number(optionText(generated)));
  return {
    identity: letter === null ? null : identityOf(letter),
    options: mapSequenceOptions(
      context,
      nodes.filter((node) => !isGenerated(node)),
    ),
  };
}
