/**
 * Text with PostgreSQL's line breaks: clauses on lines of their own, indented by level. Follows
 * appendContextKeyword of ruleutils.c.
 */
export const INDENT = 8;
export const INDENT_JOIN = 4;
export const INDENT_FIELD = 4;

/** Deeper levels are indented less and less, so that lines do not grow without bound. */
const INDENT_MAX = 40;

export interface LayoutOptions {
  /** As few brackets as can be: the `pretty` argument of pg_get_viewdef and its kin. */
  readonly pretty: boolean;
  /** Columns after which a list goes on in a new line; 0 puts every entry on its own. */
  readonly wrap: number;
}

/** Where a keyword goes: change of level before and after it, and columns for this line only. */
interface Shift {
  readonly before: number;
  readonly after: number;
  readonly plus: number;
}

export class Layout {
  text = '';
  level = 0;
  readonly pretty: boolean;
  readonly wrap: number;

  constructor({ pretty, wrap }: LayoutOptions) {
    this.pretty = pretty;
    this.wrap = wrap;
  }

  put(text: string): void {
    this.text += text;
  }

  /** A clause on a new line. */
  keyword(text: string, { before, after, plus }: Shift): void {
    this.level += before;
    this.trimSpaces();
    const level = Math.max(this.level, 0);
    const deep = INDENT_MAX + ((level - INDENT_MAX) >> 2);
    this.text += `\n${' '.repeat((level < INDENT_MAX ? level : deep % INDENT_MAX) + plus)}${text}`;
    this.level = Math.max(this.level + after, 0);
  }

  /** A clause of SELECT, at the level outside of its list. */
  clause(text: string, plus: number): void {
    this.keyword(text, { before: -INDENT, after: INDENT, plus });
  }

  trimSpaces(): void {
    this.text = this.text.replace(/ +$/, '');
  }

  /** Text that `write` puts out, without keeping it. */
  apart(write: () => void): string {
    const before = this.text;
    this.text = '';
    write();
    const written = this.text;
    this.text = before;
    return written;
  }

  /** True when the entry must begin a new line. */
  overflows(entry: string): boolean {
    const line = this.text.slice(this.text.lastIndexOf('\n') + 1);
    return line.length + entry.length > this.wrap;
  }
}
