/**
 * CREATE EVALUATION … AS query, DROP EVALUATION and EVALUATE, read from tokens. The queries in them stay in the text for
 * PostgreSQL's grammar: all around them is taken out, so that their positions survive.
 */
import type { EvaluationOption, OptionList, Statement, WrittenQuery } from '../ast.ts';
import {
  type ClauseTokens,
  labelOf,
  matches,
  nameOf,
  optionValue,
  unexpected,
  word,
} from './dialect-tokens.ts';
import type { Token } from './grammar.ts';

/** A statement of ours around queries. Numbers are byte offsets in the text. */
export interface Wrapped {
  readonly start: number;
  readonly end: number;
  readonly queries: readonly { readonly start: number; readonly end: number }[];
  /** @param queries as they were read, in order. */
  readonly wrap: (queries: readonly WrittenQuery[]) => Statement;
}

/** Null for a statement of another kind. @throws SqlError 42601. */
export function evaluationStatement(context: ClauseTokens): Wrapped | null {
  const { tokens } = context;
  if (word(tokens[0]) === 'EVALUATE') return new Reader(context).evaluate();
  if (matches(tokens, 0, ['CREATE', 'EVALUATION'])) return new Reader(context).create();
  if (matches(tokens, 0, ['DROP', 'EVALUATION'])) return new Reader(context).drop();
  const explained = word(tokens[0]) === 'EXPLAIN' ? afterExplain(tokens) : 0;
  const isOurs =
    word(tokens[explained]) === 'EVALUATE' || matches(tokens, explained, ['CREATE', 'EVALUATION']);
  return explained > 0 && isOurs ? new Reader(context).explained(explained) : null;
}

/** Position of the statement that EXPLAIN is about. */
function afterExplain(tokens: readonly Token[]): number {
  let at = 1;
  if (tokens[at]?.text === '(') while (at < tokens.length && tokens[at++]?.text !== ')');
  while (['ANALYZE', 'ANALYSE', 'VERBOSE'].includes(word(tokens[at]))) at++;
  return at;
}

interface Labelled {
  readonly at: number;
  readonly label: string | null;
}

type TokenRange = readonly [first: number, end: number];

class Reader {
  readonly #context: ClauseTokens;
  #next = 0;

  constructor(context: ClauseTokens) {
    this.#context = context;
  }

  /** `CREATE EVALUATION [IF NOT EXISTS] name [WITH (…)] AS query` */
  create(): Wrapped {
    this.#next = 2;
    const ifNotExists = this.#take(['IF', 'NOT', 'EXISTS']);
    const name = this.#name();
    const options = this.#take(['WITH']) ? this.#options() : [];
    this.#expect('AS');
    const { tokens } = this.#context;
    const range: TokenRange = [this.#next, tokens.length];
    return this.#wrapped([range], ([query]) => ({
      kind: 'create evaluation',
      at: name.at,
      name: name.name,
      ifNotExists,
      options,
      query: query as WrittenQuery,
    }));
  }

  /** `DROP EVALUATION [IF EXISTS] name, … [CASCADE | RESTRICT]` */
  drop(): Wrapped {
    this.#next = 2;
    const ifExists = this.#take(['IF', 'EXISTS']);
    const names = this.#names();
    if (!this.#take(['CASCADE'])) this.#take(['RESTRICT']);
    this.#finish();
    return this.#wrapped([], () => ({ kind: 'drop evaluation', at: this.#at(0), names, ifExists }));
  }

  /** `EVALUATE SEARCH | ASK name ON dataset, …` or `SEARCH name USING query, …`, with WITH (…), … */
  evaluate(): Wrapped {
    this.#next = 1;
    const asks = this.#take(['ASK']);
    if (!asks) this.#expect('SEARCH');
    const evaluation = this.#name();
    const usesQueries = !asks && this.#take(['USING']);
    if (!usesQueries) this.#expect('ON');
    const datasets = usesQueries ? [] : this.#names();
    const written = usesQueries ? this.#queries() : [];
    const configurations: OptionList[] = [];
    if (this.#take(['WITH'])) {
      do configurations.push({ at: this.#at(this.#next), options: this.#options() });
      while (this.#take([',']));
    }
    this.#finish();
    const ranges = written.map(({ range }) => range);
    return this.#wrapped(ranges, (queries) => ({
      kind: 'evaluate',
      at: this.#at(0),
      evaluation,
      asks,
      datasets,
      queries: written.map(({ at, label }, i) => ({ at, label, query: queries[i] as WrittenQuery })),
      configurations,
    }));
  }

  /** @param at of the statement that EXPLAIN is about. */
  explained(at: number): Wrapped {
    const { tokens } = this.#context;
    const feature = `EXPLAIN ${word(tokens[at])}${word(tokens[at]) === 'CREATE' ? ' EVALUATION' : ''}`;
    return this.#wrapped([], () => ({ kind: 'unsupported', at: this.#at(at), feature }));
  }

  /** `(query)`, or `label AS (query)`, several with commas. */
  #queries(): readonly (Labelled & { readonly range: TokenRange })[] {
    const queries: (Labelled & { readonly range: TokenRange })[] = [];
    do {
      const at = this.#at(this.#next);
      const label = this.#text() === '(' ? null : labelOf(this.#context, this.#token());
      if (label !== null) {
        this.#next++;
        this.#expect('AS');
      }
      queries.push({ at, label, range: this.#bracketed() });
    } while (this.#take([',']));
    return queries;
  }

  /** Tokens in a pair of brackets. */
  #bracketed(): TokenRange {
    this.#expect('(');
    const first = this.#next;
    for (let depth = 1; depth > 0; this.#next++) {
      const text = this.#text();
      if (text === undefined || text === ';') throw unexpected(this.#context, this.#token());
      if (text === '(') depth++;
      if (text === ')') depth--;
    }
    return [first, this.#next - 1];
  }

  #names(): { at: number; name: string }[] {
    const names: { at: number; name: string }[] = [];
    do names.push(this.#name());
    while (this.#take([',']));
    return names;
  }

  #name(): { readonly at: number; readonly name: string } {
    const at = this.#at(this.#next);
    const name = labelOf(this.#context, this.#token());
    this.#next++;
    return { at, name };
  }

  /** `(name = value, …)` */
  #options(): EvaluationOption[] {
    const options: EvaluationOption[] = [];
    this.#expect('(');
    do {
      const at = this.#at(this.#next);
      const name = nameOf(this.#context, this.#token());
      this.#next++;
      if (!['=', '=>', ':='].includes(this.#text() ?? '')) throw unexpected(this.#context, this.#token());
      this.#next++;
      options.push({ at, name, ...this.#value() });
    } while (this.#take([',']));
    this.#expect(')');
    return options;
  }

  #value(): Pick<EvaluationOption, 'value' | 'parameter'> {
    const token = this.#token();
    if (token?.tokenName === 'PARAM') {
      this.#next++;
      return { value: token.text, parameter: Number(token.text.slice(1)) };
    }
    const { value, next } = optionValue(this.#context, this.#next);
    this.#next = next;
    return { value, parameter: null };
  }

  /** @throws SqlError 42601 where there is nothing in one of the ranges. */
  #wrapped(ranges: readonly TokenRange[], wrap: Wrapped['wrap']): Wrapped {
    const { tokens } = this.#context;
    const queries = ranges.map(([first, end]) => {
      if (first >= end) throw unexpected(this.#context, tokens[first]);
      return { start: (tokens[first] as Token).start, end: (tokens[end - 1] as Token).end };
    });
    return { start: (tokens[0] as Token).start, end: (tokens.at(-1) as Token).end, queries, wrap };
  }

  #token(): Token | undefined {
    return this.#context.tokens[this.#next];
  }

  #text(): string | undefined {
    return this.#token()?.text;
  }

  #at(token: number): number {
    const { source, tokens } = this.#context;
    return source.position(tokens[token]?.start);
  }

  #take(words: readonly string[]): boolean {
    if (!matches(this.#context.tokens, this.#next, words)) return false;
    this.#next += words.length;
    return true;
  }

  #expect(what: string): void {
    if (!this.#take([what])) throw unexpected(this.#context, this.#token());
  }

  #finish(): void {
    if (this.#next < this.#context.tokens.length) throw unexpected(this.#context, this.#token());
  }
}
