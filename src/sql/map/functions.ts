/** CREATE, DROP and ALTER FUNCTION. The text of a body is kept, to be read again wherever it is called. */
import { notSupported, SqlError } from '../../errors.ts';
import type { CreateFunction, FunctionName, FunctionTraits, Statement } from '../ast.ts';
import { as, type MapContext, mapExpr, strings } from './context.ts';
import { mapListName, mapTypeName } from './names.ts';
import { optionText } from './options.ts';
import { textAfter } from './text.ts';
import type { pg } from '../parse/grammar.ts';

const MODES: Readonly<Record<string, CreateFunction['arguments'][number]['mode']>> = {
  FUNC_PARAM_IN: 'in',
  FUNC_PARAM_DEFAULT: 'in',
  FUNC_PARAM_OUT: 'out',
  FUNC_PARAM_INOUT: 'inout',
  FUNC_PARAM_VARIADIC: 'variadic',
  FUNC_PARAM_TABLE: 'table',
};

const TRAITS = ['volatility', 'strict', 'security', 'leakproof', 'parallel', 'cost', 'rows'] as const;
const isTrait = (name: string): boolean => (TRAITS as readonly string[]).includes(name);

/** @param start byte offset of the statement's first token. */
export function mapCreateFunction(
  context: MapContext,
  body: pg.CreateFunctionStmt,
  at: number,
  start: number,
): Statement {
  if (body.is_procedure) throw notSupported('CREATE PROCEDURE');
  const options = new Map(
    (body.options ?? []).map((node) => {
      const option = as(node, 'DefElem');
      return [option?.defname ?? '', option] as const;
    }),
  );
  for (const name of options.keys()) {
    if (['language', 'as'].includes(name) || isTrait(name)) continue;
    throw notSupported(`${name.toUpperCase()} of a function`);
  }
  return {
    kind: 'create function',
    at,
    name: mapListName(at, strings(body.funcname)),
    replace: body.replace ?? false,
    arguments: (body.parameters ?? []).map((node) =>
      mapArgument(context, as(node, 'FunctionParameter') ?? {}),
    ),
    returns: body.returnType === undefined ? null : mapTypeName(context, body.returnType),
    language: optionText(options.get('language')?.arg)?.toLowerCase() ?? null,
    traits: mapTraits(context, body.options),
    body: sqlBody(context, body, start) ?? stringBody(context, options.get('as')),
  };
}

function mapArgument(context: MapContext, body: pg.FunctionParameter): CreateFunction['arguments'][number] {
  const { defexpr } = body;
  return {
    at: context.at(body.location),
    name: body.name ?? null,
    mode: MODES[body.mode ?? 'FUNC_PARAM_DEFAULT'] ?? 'in',
    type: mapTypeName(context, body.argType),
    default:
      defexpr === undefined
        ? null
        : { value: mapExpr(context, defexpr), text: defaultText(context, body.argType?.location ?? 0) },
  };
}

/** Text after DEFAULT or `=`. */
function defaultText(context: MapContext, from: number): string {
  const tokens = context.source.tokens();
  let at = context.source.tokenAt(from);
  while (at < tokens.length && !['DEFAULT', '='].includes(tokens[at]?.text.toUpperCase() ?? '')) at++;
  const mark = tokens[at];
  return mark === undefined ? '' : textAfter(context, mark.text.toUpperCase(), mark.start);
}

/** @throws SqlError 42601 for what is said twice. */
function mapTraits(context: MapContext, nodes: readonly pg.Node[] | undefined): FunctionTraits {
  const said = new Map<string, string | null>();
  for (const node of nodes ?? []) {
    const option = as(node, 'DefElem');
    const name = option?.defname ?? '';
    if (said.has(name)) {
      throw new SqlError('syntax_error', 'conflicting or redundant options', {
        position: context.at(option?.location) || undefined,
      });
    }
    said.set(name, optionText(option?.arg));
  }
  const flag = (name: (typeof TRAITS)[number]): boolean | null =>
    said.has(name) ? said.get(name) === 'true' : null;
  const number = (name: (typeof TRAITS)[number]): number | null =>
    said.has(name) ? Number(said.get(name)) : null;
  return {
    volatility: (said.get('volatility') ?? null) as FunctionTraits['volatility'],
    strict: flag('strict'),
    securityDefiner: flag('security'),
    leakproof: flag('leakproof'),
    parallel: said.get('parallel') ?? null,
    cost: number('cost'),
    rows: number('rows'),
  };
}

function stringBody(context: MapContext, option: pg.DefElem | null | undefined): CreateFunction['body'] {
  const items = as(option?.arg, 'List')?.items;
  if (items === undefined) return null;
  const [text = '', second] = strings(items);
  if (second !== undefined) {
    throw new SqlError('invalid_function_definition', 'only one AS item needed for language "sql"');
  }
  const { source } = context;
  const literal = source
    .tokens()
    .slice(source.tokenAt(option?.location ?? 0))
    .find(({ text: token }) => {
      return token.startsWith("'") || token.startsWith('$');
    });
  const quote = literal === undefined ? undefined : (/^\$[^$]*\$/.exec(literal.text)?.[0] ?? "'");
  const plain = literal !== undefined && quote !== undefined && literal.text === `${quote}${text}${quote}`;
  return { form: 'string', text, at: plain ? context.at(literal.start + quote.length) : 0 };
}

/** RETURN expression, or BEGIN ATOMIC … END. */
function sqlBody(context: MapContext, body: pg.CreateFunctionStmt, start: number): CreateFunction['body'] {
  if (body.sql_body === undefined) return null;
  const { source } = context;
  const tokens = source.tokens();
  const word = 'ReturnStmt' in body.sql_body ? 'RETURN' : 'ATOMIC';
  let mark = source.tokenAt(start);
  const isMark = (index: number): boolean =>
    tokens[index]?.text.toUpperCase() === word &&
    (word === 'RETURN' || tokens[index - 1]?.text.toUpperCase() === 'BEGIN');
  while (mark < tokens.length && !isMark(mark)) mark++;
  const first = tokens[mark + 1];
  if (first === undefined) return null;
  const at = context.at(first.start);
  if (word === 'RETURN') {
    return { form: 'return', text: textAfter(context, word, tokens[mark]?.start ?? 0, { commas: true }), at };
  }
  let end = mark + 1;
  for (let depth = 1; end < tokens.length; end++) {
    const token = tokens[end]?.text.toUpperCase();
    if (token === 'CASE') depth++;
    if (token === 'END' && --depth === 0) break;
  }
  const text = source.slice(first.start, tokens[end]?.start ?? first.start).trimEnd();
  return { form: 'atomic', text, at };
}

/** `f`, or `f(integer)`: OUT arguments do not count. */
export function mapFunctionName(context: MapContext, node: pg.Node | undefined, at: number): FunctionName {
  return objectWithArguments(context, as(node, 'ObjectWithArgs') ?? {}, at);
}

function objectWithArguments(context: MapContext, body: pg.ObjectWithArgs, at: number): FunctionName {
  const types = (body.objargs ?? []).map((type) => mapTypeName(context, as(type, 'TypeName') ?? {}));
  return { name: mapListName(at, strings(body.objname)), types: body.args_unspecified ? null : types };
}

export function mapDropFunction(context: MapContext, body: pg.DropStmt, at: number): Statement {
  return {
    kind: 'drop function',
    at,
    functions: (body.objects ?? []).map((node) => mapFunctionName(context, node, at)),
    ifExists: body.missing_ok ?? false,
    cascade: body.behavior === 'DROP_CASCADE',
  };
}

/** ALTER FUNCTION f IMMUTABLE, STRICT and the like. */
export function mapAlterFunction(context: MapContext, body: pg.AlterFunctionStmt, at: number): Statement {
  if (body.objtype !== 'OBJECT_FUNCTION') throw notSupported('ALTER PROCEDURE');
  for (const node of body.actions ?? []) {
    const name = as(node, 'DefElem')?.defname ?? '';
    if (!isTrait(name)) throw notSupported(`${name.toUpperCase()} of a function`);
  }
  const change = { action: 'set', traits: mapTraits(context, body.actions) } as const;
  return { kind: 'alter function', at, function: objectWithArguments(context, body.func ?? {}, at), change };
}
