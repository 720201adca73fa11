/**
 * Functions about catalog objects: names, definitions, visibility, comments, sizes. They ask the catalog
 * through `FunctionContext.catalog`. Source: PostgreSQL 18, section 9.27.
 */
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import type { CatalogServices, FunctionContext, ScalarFunction, SetFunction } from '../function.ts';

/** A stable function over the catalog. */
const ask = (
  name: string,
  args: readonly string[],
  returns: string,
  row: Pick<ScalarFunction, 'summary' | 'example' | 'evaluateIn' | 'evaluate' | 'strict'>,
): ScalarFunction => ({ name, args, returns, volatility: 'stable', ...row });

/** Answers of an installation without such objects. */
const none = (
  name: string,
  args: readonly string[],
  returns: string,
  call: string,
  answer: Datum = null,
): ScalarFunction =>
  ask(name, args, returns, {
    summary: 'There are no such objects here.',
    example: [
      `SELECT ${name}(${call})`,
      answer === null ? null : answer === true ? 't' : answer === false ? 'f' : String(answer),
    ],
    evaluate: () => answer,
  });

const visible = (name: string, kind: 'relation' | 'type' | 'function'): ScalarFunction =>
  ask(name, ['oid'], 'bool', {
    summary: `Whether the ${kind} is found without its schema's name.`,
    example: [`SELECT ${name}(${{ relation: 1259, type: 23, function: "to_regproc('now')" }[kind]})`, 't'],
    evaluateIn: (context, oid: number) =>
      nameOf[kind](context.catalog, oid) === null ? null : context.catalog.isVisible(kind, oid),
  });

const nameOf = {
  relation: (catalog: CatalogServices, oid: number) => catalog.relationName(oid),
  type: (catalog: CatalogServices, oid: number) => catalog.typeName(oid, -1),
  function: (catalog: CatalogServices, oid: number) => catalog.functionName(oid),
} as const;

/** Only the system has such objects, below the first OID of users. */
const systemVisible = (name: string): ScalarFunction =>
  ask(name, ['oid'], 'bool', {
    summary: 'Whether the object is found without its schema; NULL for what is not there.',
    example: [`SELECT ${name}(100)`, 't'],
    evaluate: (oid: number) => ((oid > 0 && oid < FIRST_USER_OID) || oid >= GENERATED_FROM ? true : null),
  });

const FIRST_USER_OID = 16_384;
/** From here on the catalog numbers what PostgreSQL numbers by hand: operators, casts, functions. */
const GENERATED_FROM = 0x4000_0000;

/** More than any name with its schema, quotes and argument types needs: 100 arguments of 255 quoted bytes. */
const WRITTEN_NAME_CHARACTERS_MAX = 64 * 1024;

const toReg = (
  name: string,
  returns: string,
  example: readonly [string, string],
  find: (catalog: CatalogServices, text: string) => number | null,
): ScalarFunction =>
  ask(name, ['text'], returns, {
    summary: `The object of that name as ${returns}, NULL when there is none.`,
    example: [`SELECT ${name}('${example[0]}')`, example[1]],
    // A longer one is no name of anything, and reading it takes its time.
    evaluateIn: (context, text: string) =>
      text.length > WRITTEN_NAME_CHARACTERS_MAX ? null : find(context.catalog, text),
  });

const definition = (context: FunctionContext, oid: number, column: number, pretty: boolean): Datum =>
  context.catalog.indexDefinition(oid, column, pretty);

const viewText = (context: FunctionContext, oid: number, form: { pretty: boolean; wrap: number }): Datum =>
  context.catalog.viewDefinition(oid, form);

const size = (name: string): ScalarFunction =>
  ask(name, ['regclass'], 'int8', {
    summary: 'Bytes that the relation takes on disk.',
    example: [`SELECT ${name}('pg_class')`, '0'],
    evaluateIn: ({ catalog }, oid: number) =>
      catalog.relationBytes(oid) ?? (catalog.relationName(oid) === null ? null : 0n),
  });

const PG_CLASS_CLASS = 1259;

export const OBJECT_NAME_FUNCTIONS: readonly ScalarFunction[] = [
  ask('format_type', ['oid', 'int4'], 'text', {
    strict: false,
    summary: "A type's SQL name with its modifier.",
    example: ['SELECT format_type(1043, 44)', 'character varying(40)'],
    evaluateIn: (context, oid: number | null, modifier: number | null) =>
      oid === null ? null : (context.catalog.typeName(oid, modifier ?? -1) ?? '???'),
  }),
  ask('pg_get_userbyid', ['oid'], 'name', {
    summary: "A role's name.",
    example: ['SELECT pg_get_userbyid(10)', 'quern'],
    evaluateIn: (context, oid: number) => context.catalog.roleName(oid) ?? `unknown (OID=${oid})`,
  }),
  visible('pg_table_is_visible', 'relation'),
  visible('pg_type_is_visible', 'type'),
  visible('pg_function_is_visible', 'function'),
  ...[
    'collation',
    'conversion',
    'opclass',
    'opfamily',
    'operator',
    'ts_config',
    'ts_dict',
    'ts_parser',
    'ts_template',
    'statistics_obj',
  ].map((kind) => systemVisible(`pg_${kind}_is_visible`)),
  ask('pg_get_indexdef', ['oid'], 'text', {
    summary: 'The CREATE INDEX statement of an index.',
    example: ['SELECT pg_get_indexdef(0)', null],
    evaluateIn: (context, oid: number) => definition(context, oid, 0, false),
  }),
  ask('pg_get_indexdef', ['oid', 'int4', 'bool'], 'text', {
    summary: "One column of an index's definition, or the whole for 0.",
    example: ['SELECT pg_get_indexdef(0, 1, true)', null],
    evaluateIn: (context, oid: number, column: number, pretty: boolean) =>
      definition(context, oid, column, pretty),
  }),
  ...[['oid'], ['oid', 'bool']].flatMap((args) => {
    const call = args.length === 1 ? '0' : '0, true';
    return [
      ask('pg_get_constraintdef', args, 'text', {
        summary: 'The definition of a constraint.',
        example: [`SELECT pg_get_constraintdef(${call})`, null],
        evaluateIn: (context, oid: number, pretty = false) =>
          context.catalog.constraintDefinition(oid, pretty),
      }),
      ask('pg_get_viewdef', args, 'text', {
        summary: "A view's query.",
        example: [`SELECT pg_get_viewdef(${call})`, null],
        evaluateIn: (context, oid: number, pretty = false) => viewText(context, oid, { pretty, wrap: 0 }),
      }),
      none('pg_get_triggerdef', args, 'text', call),
      none('pg_get_ruledef', args, 'text', call),
    ];
  }),
  ask('pg_get_viewdef', ['oid', 'int4'], 'text', {
    summary: "A view's query, its lists of columns broken at a width.",
    example: ['SELECT pg_get_viewdef(0, 80)', null],
    evaluateIn: (context, oid: number, wrap: number) => viewText(context, oid, { pretty: true, wrap }),
  }),
  ...[['text'], ['text', 'bool']].map((args) =>
    ask('pg_get_viewdef', args, 'text', {
      summary: "A view's query, by the view's name.",
      example: [`SELECT pg_get_viewdef('pg_class'${args.length === 2 ? ', true' : ''})`, null],
      evaluateIn: (context, name: string, pretty = false) => {
        const oid = context.catalog.relationOid(name);
        if (oid === null) throw new SqlError('undefined_table', `relation "${name}" does not exist`);
        return viewText(context, oid, { pretty, wrap: 0 });
      },
    }),
  ),
  ...[
    ['pg_node_tree', 'oid'],
    ['pg_node_tree', 'oid', 'bool'],
  ].map((args) =>
    ask('pg_get_expr', args, 'text', {
      summary: 'A stored expression as SQL.',
      example: [`SELECT pg_get_expr(null, 0${args.length === 3 ? ', true' : ''})`, null],
      evaluateIn: (context, stored: string, relation: number, pretty = false) =>
        context.catalog.expressionText(stored, relation, pretty),
    }),
  ),
  ask('pg_relation_is_updatable', ['regclass', 'bool'], 'int4', {
    summary: 'What can be written through a relation: 4 for UPDATE, 8 for INSERT, 16 for DELETE, added up.',
    example: ["SELECT pg_relation_is_updatable('pg_class', false)", '0'],
    evaluateIn: ({ catalog }, oid: number) => catalog.updatability(oid).events,
  }),
  ask('pg_column_is_updatable', ['regclass', 'int2', 'bool'], 'bool', {
    summary: 'Whether a column of a table or a view can be written.',
    example: ["SELECT pg_column_is_updatable('pg_class', 1::int2, false)", 'f'],
    evaluateIn: ({ catalog }, oid: number, column: number) => catalog.updatability(oid).columns.has(column),
  }),
  ask('obj_description', ['oid', 'name'], 'text', {
    summary: 'The comment on an object of the given catalog.',
    example: ["SELECT obj_description(0, 'pg_class')", null],
    evaluateIn: (context, oid: number, catalog: string) =>
      context.catalog.description(oid, context.catalog.relationOid(`pg_catalog.${catalog}`), 0),
  }),
  ask('obj_description', ['oid'], 'text', {
    summary: 'The comment on an object.',
    example: ['SELECT obj_description(0)', null],
    evaluateIn: (context, oid: number) => context.catalog.description(oid, null, 0),
  }),
  ask('col_description', ['oid', 'int4'], 'text', {
    summary: 'The comment on a column.',
    example: ['SELECT col_description(0, 1)', null],
    evaluateIn: (context, oid: number, column: number) =>
      context.catalog.description(oid, PG_CLASS_CLASS, column),
  }),
  ask('shobj_description', ['oid', 'name'], 'text', {
    summary: 'The comment on a shared object.',
    example: ["SELECT shobj_description(1, 'pg_database')", null],
    evaluateIn: (context, oid: number, catalog: string) =>
      context.catalog.description(oid, context.catalog.relationOid(`pg_catalog.${catalog}`), 0),
  }),
  toReg('to_regclass', 'regclass', ['pg_class', 'pg_class'], (catalog, text) => catalog.relationOid(text)),
  toReg('to_regtype', 'regtype', ['int4', 'integer'], (catalog, text) => catalog.typeOid(text)),
  toReg('to_regnamespace', 'regnamespace', ['public', 'public'], (catalog, text) =>
    catalog.namespaceOid(text),
  ),
  toReg('to_regproc', 'regproc', ['now', 'now'], (catalog, text) => catalog.functionOid(text)),
  toReg('to_regprocedure', 'regprocedure', ['lower(text)', 'lower(text)'], (catalog, text) =>
    text.includes('(') ? catalog.functionOid(text) : null,
  ),
  toReg('to_regrole', 'regrole', ['quern', 'quern'], (catalog, text) => catalog.roleOid(text)),
  size('pg_relation_size'),
  size('pg_table_size'),
  size('pg_total_relation_size'),
  size('pg_indexes_size'),
  none('pg_relation_size', ['regclass', 'text'], 'int8', "'pg_class', 'main'", 0n),
  ask('pg_get_serial_sequence', ['text', 'text'], 'text', {
    summary: 'The sequence behind a serial or identity column.',
    example: ["SELECT pg_get_serial_sequence('pg_class', 'relname')", null],
    evaluateIn: ({ services }, relation: string, column: string) =>
      services.sequences.ownedBy(relation, column),
  }),
  none('pg_relation_is_publishable', ['regclass'], 'bool', "'pg_class'", false),
  none('pg_get_statisticsobjdef_columns', ['oid'], 'text', '0'),
  none('pg_get_partkeydef', ['oid'], 'text', '0'),
  ask('pg_get_functiondef', ['oid'], 'text', {
    summary: 'The statement that creates a function in SQL.',
    example: ['SELECT pg_get_functiondef(0)', null],
    evaluateIn: (context, oid: number) => context.catalog.functionDefinition(oid),
  }),
  ask('pg_get_function_result', ['oid'], 'text', {
    summary: "A function's result type.",
    example: ['SELECT pg_get_function_result(0)', null],
    evaluateIn: (context, oid: number) => context.catalog.functionResult(oid),
  }),
  ...['pg_get_function_arguments', 'pg_get_function_identity_arguments'].map((name) =>
    ask(name, ['oid'], 'text', {
      summary: "A function's arguments, as its definition writes them.",
      example: [`SELECT ${name}(0)`, null],
      evaluateIn: (context, oid: number) =>
        context.catalog.functionArguments(oid, name === 'pg_get_function_arguments'),
    }),
  ),
  ask('pg_get_function_sqlbody', ['oid'], 'text', {
    summary: 'The body of a function in SQL that was not given as a string.',
    example: ['SELECT pg_get_function_sqlbody(0)', null],
    evaluateIn: (context, oid: number) => context.catalog.functionBody(oid),
  }),
  none('pg_tablespace_location', ['oid'], 'text', '1663', ''),
  none('pg_describe_object', ['oid', 'oid', 'int4'], 'text', '0, 0, 0'),
  none('pg_stat_get_numscans', ['oid'], 'int8', '0', 0n),
  none('pg_stat_get_live_tuples', ['oid'], 'int8', '0', 0n),
];

export const OBJECT_NAME_SETS: readonly SetFunction[] = [
  {
    name: 'pg_partition_ancestors',
    args: ['regclass'],
    returns: 'regclass',
    columns: [{ name: 'relid', type: 'regclass' }],
    summary: 'The relation itself and what it is a partition of.',
    example: ["SELECT count(*) FROM pg_partition_ancestors('pg_class')", '0'],
    volatility: 'stable',
    rows: () => [],
  },
  {
    name: 'pg_options_to_table',
    args: ['_text'],
    returns: 'record',
    columns: [
      { name: 'option_name', type: 'text' },
      { name: 'option_value', type: 'text' },
    ],
    summary: '`name=value` options as rows.',
    example: ["SELECT option_value FROM pg_options_to_table('{a=b}')", 'b'],
    volatility: 'stable',
    rows: (_context, options: { readonly elements: readonly Datum[] }) =>
      options.elements.map((option) => {
        const [head = '', ...tail] = String(option).split('=');
        return [head, tail.length === 0 ? null : tail.join('=')];
      }),
  },
  {
    name: 'pg_get_keywords',
    args: [],
    returns: 'record',
    columns: [
      { name: 'word', type: 'text' },
      { name: 'catcode', type: 'text' },
      { name: 'barelabel', type: 'bool' },
      { name: 'catdesc', type: 'text' },
      { name: 'baredesc', type: 'text' },
    ],
    summary: 'Reserved words, as far as clients ask for them.',
    example: ["SELECT count(*) FROM pg_get_keywords() WHERE word = 'select'", '1'],
    rows: () => RESERVED.map((word) => [word, 'R', true, 'reserved', 'can be bare label']),
  },
];

const RESERVED: readonly string[] =
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint
create current_catalog current_date current_role current_time current_timestamp current_user default
deferrable desc distinct do else end except false fetch for foreign from grant group having in
initially intersect into lateral leading limit localtime localtimestamp not null offset on only or
order placing primary references returning select session_user some symmetric table then to trailing
true union unique user using variadic when where window with`.split(/\s+/);
