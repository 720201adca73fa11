/** The columns of a query that CREATE EVALUATION takes: which there are, of which types, and their values. */
import { SqlError } from '../../errors.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { WrittenQuery } from '../../sql/ast.ts';
import { OID } from '../../types/oids.ts';
import { findTypeByOid, formatType, typeByOid } from '../../types/registry.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import type { FormatSettings, SqlType } from '../../types/type.ts';

const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
const JSON_TYPES: ReadonlySet<number> = new Set([OID.json, OID.jsonb, OID.jsonpath]);

const isText = ({ oid, category }: SqlType): boolean => category === 'S' || oid === OID.unknown;
const isScalar = ({ oid, category }: SqlType): boolean => !'AP'.includes(category) && !JSON_TYPES.has(oid);
const elementOf = (type: SqlType): SqlType => findTypeByOid(type.elementOid ?? 0) ?? type;
const isList = (type: SqlType): boolean => isScalar(elementOf(type));

/** Types that columns are to have, in words and as a test. */
const COLUMNS = {
  question: { type: 'text', takes: isText },
  id: { type: 'text or a number', takes: isScalar },
  filter: { type: 'text', takes: isText },
  doc_id: { type: 'text or text[]', takes: isList },
  pages: {
    type: 'integer[] or integer',
    takes: (type: SqlType) => INTEGERS.has(elementOf(type).oid),
  },
  content_id: { type: 'text or text[]', takes: isList },
  _id: { type: 'text or text[]', takes: isList },
  relevance: { type: 'a number', takes: ({ category }: SqlType) => category === 'N' },
  answer: { type: 'text, a number or text[]', takes: isList },
  answers: { type: 'text[]', takes: isList },
  answerable: { type: 'boolean', takes: ({ oid }: SqlType) => oid === OID.bool },
} as const satisfies Readonly<
  Record<string, { readonly type: string; readonly takes: (type: SqlType) => boolean }>
>;

export type QuestionColumn = keyof typeof COLUMNS;

const isKnown = (name: string): name is QuestionColumn => name in COLUMNS;

/** One row's values as texts: none for NULL and for what the query does not have. */
export type Texts = (column: QuestionColumn) => readonly string[];

export class QuestionColumns {
  readonly #places = new Map<QuestionColumn, number>();
  readonly #columns: readonly OutputColumn[];
  readonly #settings: FormatSettings;
  readonly #query: WrittenQuery;

  /** @throws SqlError 42701, 42703, 42804, with the column's position. */
  constructor(columns: readonly OutputColumn[], query: WrittenQuery, settings: FormatSettings) {
    this.#columns = columns;
    this.#query = query;
    this.#settings = settings;
    for (const [place, { name, type }] of columns.entries()) {
      const position = positionOf(query, place, columns.length);
      if (!isKnown(name)) throw unknownColumn(name, position);
      if (this.#places.has(name)) {
        throw new SqlError('duplicate_column', `column "${name}" is given twice`, { position });
      }
      if (!COLUMNS[name].takes(typeByOid(type.oid))) {
        const message = `column "${name}" is of type ${formatType(type)}, and should be ${COLUMNS[name].type}`;
        const hint = JSON_TYPES.has(type.oid)
          ? 'Take values out of it: ARRAY(SELECT jsonb_array_elements_text(…)).'
          : undefined;
        throw new SqlError('datatype_mismatch', message, { position, hint });
      }
      this.#places.set(name, place);
    }
    if (!this.#places.has('question')) {
      const hint = `Name the column with the questions: SELECT … AS question. Others may be ${others()}.`;
      const position = query.start + 1;
      throw new SqlError('undefined_column', 'the query has no column "question"', { position, hint });
    }
  }

  has(column: QuestionColumn): boolean {
    return this.#places.has(column);
  }

  /** Position of a column in the statement; 0 where there is none. */
  position(column: QuestionColumn): number {
    return positionOf(this.#query, this.#places.get(column) ?? -1, this.#columns.length);
  }

  /** @param value of the row by the place of a column. */
  texts(value: (place: number) => Datum): Texts {
    return (column) => {
      const place = this.#places.get(column);
      const datum = place === undefined ? null : value(place);
      if (place === undefined || datum === null) return [];
      const type = typeByOid((this.#columns[place] as OutputColumn).type.oid);
      if (type.elementOid === undefined) return [type.format(datum, this.#settings)];
      const element = typeByOid(type.elementOid);
      return (datum as ArrayDatum).elements.map((one) => {
        if (one !== null) return element.format(one, this.#settings);
        const message = `column "${column}" has an array with a null`;
        throw new SqlError('null_value_not_allowed', message, { position: this.position(column) });
      });
    };
  }
}

const others = (): string =>
  Object.keys(COLUMNS)
    .filter((name) => name !== 'question')
    .join(', ');

function unknownColumn(name: string, position: number): SqlError {
  return new SqlError('undefined_column', `questions of an evaluation have no column "${name}"`, {
    position,
    hint: `There are question, ${others()}; leave others out, and join them by id.`,
  });
}

/** Position of a select item where items and columns are as many; else of the query. */
function positionOf({ statement, start }: WrittenQuery, place: number, count: number): number {
  const query = statement.kind === 'query' ? statement.query : null;
  const items = query?.kind === 'select' && query.items.length === count ? query.items : [];
  return items[place]?.value.at || start + 1;
}
